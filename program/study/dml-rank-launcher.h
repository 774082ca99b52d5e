/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_RANK_LAUNCHER_H
#define DML_RANK_LAUNCHER_H

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace ns3::dml
{

struct Failure;

/**
 * @ingroup dml-study
 * @brief Starts this program on several ranks with MPI's mpirun, and waits for what rank 0 hands
 * over in a file.
 */
class RankLauncher
{
  public:
    /// @param folder existing folder for what the processes hand over
    explicit RankLauncher(std::string folder);

    /**
     * @brief Run the program and wait for it.
     * @param ranks number of processes
     * @param arguments of the program
     * @param progress told what rank 0 prints with PrintProgress()
     * @return what rank 0 gave to HandOver()
     * @throws InputError what a rank gave to Fail() as bad input
     * @throws RunError what a rank gave to Fail() otherwise, or what mpirun says
     */
    std::string Run(uint32_t ranks,
                    const std::vector<std::string>& arguments,
                    const std::function<void(double)>& progress) const;

    /// @param result of the ranks, by rank 0
    void HandOver(const std::string& result) const;

    /// @param failure what went wrong, on any rank
    void Fail(const Failure& failure) const;

    /// @param fraction of the work that is done
    static void PrintProgress(double fraction);

  private:
    [[noreturn]] void Throw(int status) const;

    std::string m_result; //!< path of the file with the result
    std::string m_error;  //!< path of the file with what went wrong
    std::string m_log;    //!< path of the file with what mpirun says
};

} // namespace ns3::dml

#endif /* DML_RANK_LAUNCHER_H */
