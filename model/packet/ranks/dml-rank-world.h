/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_RANK_WORLD_H
#define DML_RANK_WORLD_H

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace ns3::dml
{

/**
 * @ingroup dml-packet
 * @brief The processes (ranks) that simulate one run together, and what they tell each other
 * besides ns-3's packets: MPI, if this is built with it.
 *
 * One object at a time. Every method but the constructor needs a build with MPI.
 */
class RankWorld
{
  public:
    /// @return whether this is built against an ns-3 with MPI
    static bool IsSupported();

    /**
     * @brief Join the other ranks and make ns-3 use its distributed simulator.
     * @throws InputError if this is built without MPI
     */
    RankWorld();
    ~RankWorld();
    RankWorld(const RankWorld&) = delete;
    RankWorld& operator=(const RankWorld&) = delete;

    /// @return of this process, from 0
    uint32_t GetRank() const;
    /// @return number of processes
    uint32_t GetRanks() const;

    /// @param bytes of this rank @return those of all ranks, on rank 0; empty elsewhere
    std::vector<std::string> Gather(const std::string& bytes) const;

    /// @param bytes of this rank, equally many on all @return those of all ranks, in order
    std::vector<std::string> Exchange(const std::string& bytes) const;

    /// Values of all ranks, combined.
    struct Combined
    {
        std::vector<int64_t> sums; //!< of each value
        int64_t least{0};          //!< of the other value
    };

    /**
     * @brief Begin to combine values of all ranks; the simulation goes on.
     * @param values of this rank, equally many on all: to be summed up
     * @param least of this rank: the least of all is wanted
     */
    void StartCombining(const std::vector<int64_t>& values, int64_t least);

    /// @return what StartCombining() began, once every rank has begun it
    Combined FinishCombining();

    /// End all ranks at once: one of them cannot go on.
    [[noreturn]] static void Abort();

  private:
    struct Pending;

    std::unique_ptr<Pending> m_pending; //!< under way, or null
};

} // namespace ns3::dml

#endif /* DML_RANK_WORLD_H */
