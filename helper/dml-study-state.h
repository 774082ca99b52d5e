/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_STUDY_STATE_H
#define DML_STUDY_STATE_H

#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

namespace ns3
{
namespace dml
{

/// What to do with an unfinished study that lies in the folder of the results.
enum class UnfinishedStudy
{
    REFUSE,  //!< leave it alone, and do not start
    RESUME,  //!< go on with it
    RESTART, //!< remove it, and begin anew
};

/**
 * @ingroup dml-helper
 * @brief What a study keeps on disk while it is unfinished, so that it can go on after a kill or a
 * power cut.
 *
 * All of it lies in the folder "unfinished" of the results' folder:
 * - study.json: what was asked; only the same question can be resumed;
 * - N/: rows and result of run N, once it has ended; N.running/ before. The result is sealed with
 *   checksums of itself and of the rows, so that half-written ones are found and run again;
 * - merged.json: how many runs' rows are safely in the result files, and how long these then were.
 *   The rows in N/ are removed after that, so that the disk holds them once.
 *
 * Whoever makes one must have locked the results' folder (ResultFolder).
 */
class StudyState
{
  public:
    /// The part of the result files that a resumed study keeps.
    struct Merged
    {
        uint32_t runs{0};                      //!< the first so many have their rows in the files
        std::map<std::string, uint64_t> sizes; //!< bytes of each file by name, without other rows
        double wallSeconds{0};                 //!< of the study until then
    };

    /**
     * @brief Begin a study, or find out how far it came.
     * @param folder of the results, which exists
     * @param asked everything that the results depend on
     * @param unfinished what to do if an unfinished study lies there
     * @throws InputError if there is one and it is not to be removed or asks something else, if
     *         there is none to resume but the results of a finished one, or if the folder cannot be
     *         written
     */
    StudyState(const std::string& folder,
               const nlohmann::ordered_json& asked,
               UnfinishedStudy unfinished);

    /// @param run number of a run @return new and empty folder for its rows
    std::string MakeRunFolder(uint32_t run) const;

    /**
     * @brief A run has ended well: keep its rows and its result, all or nothing.
     * @param run number of a run, whose rows are complete
     * @param result any bytes
     */
    void Keep(uint32_t run, const std::string& result) const;

    /// @param run number of a run @return its result, if it was kept and its rows are there
    std::optional<std::string> Load(uint32_t run) const;

    /// @param run number of a run that was kept @return folder of its rows
    std::string GetRunFolder(uint32_t run) const;

    /// @return what the result files hold for good
    const Merged& GetMerged() const;

    /**
     * @brief The rows of further runs are on the disk in the result files: remove them here.
     * @param merged what the files hold now, more than GetMerged()
     */
    void SetMerged(const Merged& merged);

    /// @brief The study has ended well: remove everything.
    void Remove();

  private:
    uint32_t CountKept() const;
    void Check(const nlohmann::ordered_json& asked) const;
    void ReadMerged();

    std::string m_results; //!< folder of the results
    std::string m_folder;  //!< of the state
    Merged m_merged;       //!< what the result files hold for good
};

/**
 * @brief The first difference between two JSON values.
 * @param was a value @param is another one
 * @return "job.steps is 20 and was 10" or the like; empty if they are equal
 */
std::string DescribeDifference(const nlohmann::ordered_json& was, const nlohmann::ordered_json& is);

/// @param bytes any @return 16 hexadecimal digits that tell them from other bytes (FNV-1a)
std::string MakeChecksum(const std::string& bytes);

/// @return checksum of the library's file, as a name for this build of the program
std::string GetBuildName();

} // namespace dml
} // namespace ns3

#endif /* DML_STUDY_STATE_H */
