/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_RUN_STORE_H
#define DML_RUN_STORE_H

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace ns3::dml
{

/**
 * @ingroup dml-study
 * @brief Runs that have ended well: a folder for each, with its rows and its result.
 *
 * Run N is kept in N/; before it has ended its folder has another name, of this process alone. So
 * any number of processes, on any number of machines with the same folder, may keep runs at the
 * same time; if two keep the same run, the first one's stays. A result is sealed with checksums of
 * itself and of the rows, so that half-written ones are found, and with the name of the study, so
 * that those of another one are.
 *
 * Captures may have moved from the folder of their run to the folder of the results
 * (GetCapturePath()).
 */
class RunStore
{
  public:
    /**
     * @param folder of the runs, in the folder of the results; need not exist
     * @param study what tells the study of the runs from all others, without line end
     */
    RunStore(const std::string& folder, const std::string& study);

    /// @param run number of a run @return new and empty folder for its rows
    std::string MakeRunFolder(uint32_t run) const;

    /**
     * @brief A run has ended well: keep its rows and its result, all or nothing.
     * @param run number of a run, whose rows are complete in MakeRunFolder()
     * @param result any bytes
     */
    void Keep(uint32_t run, const std::string& result) const;

    /**
     * @param run number of a run
     * @param rows false: its rows need not be there any more
     * @return its result, if it was kept for this study and is intact
     */
    std::optional<std::string> Load(uint32_t run, bool rows = true) const;

    /**
     * @brief Take over a run that another store keeps, captures that have moved included; with
     * hard links where these are possible.
     * @param run number of a run that @p other keeps and this one does not, or a damaged one
     * @param other a store of the same study
     */
    void Import(uint32_t run, const RunStore& other) const;

    /// @param run number of a run that was kept @return folder of its rows
    std::string GetRunFolder(uint32_t run) const;

    /// @brief Remove the folders of runs that did not end, as nobody runs here any more.
    void RemoveUnfinished() const;

    /// @return how many runs there are, damaged ones and those of other studies included
    uint32_t Count() const;

  private:
    /// @param capture in a run's folder @return where it goes in the folder of the results
    std::filesystem::path GetMovedPath(const std::filesystem::path& capture) const;

    std::string m_folder; //!< of the runs
    std::string m_study;  //!< see the constructor
};

/// @param folder that is there @param chosen whether a file or folder in it is @return paths of
/// these, which may then go
std::vector<std::filesystem::path> ListPaths(
    const std::string& folder,
    const std::function<bool(const std::filesystem::path&)>& chosen);

/// @param path of a file in a run's folder @return true for a capture, which is no part of a larger
/// file
bool IsCapture(const std::filesystem::path& path);

/// @param path of a capture in a run's folder; @return where it goes, from the folder of the
/// results
std::filesystem::path GetCapturePath(const std::filesystem::path& path);

/// @return a text that tells this process from all others, on this machine and others
std::string GetProcessName();

} // namespace ns3::dml

#endif /* DML_RUN_STORE_H */
