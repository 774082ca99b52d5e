/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_STUDY_STATE_H
#define DML_STUDY_STATE_H

#include "dml-run-store.h"
#include "dml-study-identity.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>

namespace ns3::dml
{

/// What to do with an unfinished study that lies in the folder of the results.
enum class UnfinishedStudy
{
    REFUSE,  //!< leave it alone, and do not start
    RESUME,  //!< go on with it
    RESTART, //!< remove it, and begin anew
    JOIN,    //!< add runs to it, as other processes may do at the same time, and merge nothing
    MERGE,   //!< go on with it, or begin beside the results of a finished one
};

/**
 * @ingroup dml-study
 * @brief What a study keeps on disk while it is unfinished, so that it can go on after a kill or a
 * power cut, or be run in pieces by many processes.
 *
 * All of it lies in the folder "unfinished" of the results' folder:
 * - study.json: what was asked (StudyIdentity); only the same question can be resumed or joined;
 * - command.json: how it was asked, for those who merge it;
 * - N/: rows and result of run N, once it has ended (RunStore);
 * - merged.json: how many runs' rows are safely in the result files, and how long these then were.
 *   The rows in N/ are removed after that, so that the disk holds them once.
 *
 * When the study has ended, study.json moves beside the results: a later study that asks something
 * else is refused there. Then the folder first gets a name that is nobody else's; what a kill
 * leaves of it is removed by the next study.
 *
 * Whoever makes one must have locked the results' folder (ResultFolder): for JOIN together with
 * others, else alone.
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

    /// How to begin, and how careful to be.
    struct Options
    {
        UnfinishedStudy unfinished; //!< what to do if an unfinished study lies there
        bool force{false}; //!< to begin anew, remove results of any study, not only of the same one
        bool durable{true}; //!< wait for the disk, so that a power cut leaves what can be resumed
    };

    /**
     * @brief Begin a study, or find out how far it came.
     * @param folder of the results, which exists
     * @param asked everything that the results depend on
     * @param command content of command.json, if it is not there yet
     * @param options how to begin
     * @throws InputError if there is one and it is not to be removed or asks something else, if
     *         there is none to resume or join but the results of a finished one, if these are of
     *         another study, or if the folder cannot be written
     */
    StudyState(const std::string& folder,
               const StudyIdentity& asked,
               const std::string& command,
               const Options& options);

    /// @return the runs that are kept
    const RunStore& GetStore() const
    {
        return m_store;
    }

    /// @param run number of a run @return its result, if it was kept and its rows are there or
    /// merged
    std::optional<std::string> Load(uint32_t run) const;

    /**
     * @brief Take over the runs of another folder that are not here.
     * @param folder of results of the same study
     * @param asked as in the constructor
     * @param runs number of runs of the study
     * @throws InputError if no unfinished study lies there, or another one, or one whose rows are
     * in its result files already, which only it can go on with
     */
    void Import(const std::string& folder, const StudyIdentity& asked, uint32_t runs) const;

    /// @return what the result files hold for good
    const Merged& GetMerged() const
    {
        return m_merged;
    }

    /**
     * @brief The rows of further runs are on the disk in the result files: remove them here.
     * @param merged what the files hold now, more than GetMerged()
     */
    void SetMerged(const Merged& merged);

    /// @brief The study has ended well: remove everything, but leave study.json beside the results.
    /// @throws RunError if it cannot be removed: it would pass for that of an unfinished study
    void Remove();

    /**
     * @param folder of results
     * @param asked a question
     * @return how the unfinished study there differs from it; empty if it does not or there is none
     */
    static std::string Compare(const std::string& folder, const StudyIdentity& asked);

    /**
     * @param folder of the results
     * @return how the unfinished study there was asked (command.json), if there is one
     */
    static std::optional<std::string> ReadCommand(const std::string& folder);

  private:
    void Begin(const std::string& question, const std::string& command) const;
    /// Remove what a kill left of earlier studies that had ended.
    void RemoveLeftovers() const;

    std::string m_results;  //!< folder of the results
    std::string m_folder;   //!< of the state
    std::string m_question; //!< content of study.json
    bool m_durable;         //!< whether to wait for the disk
    RunStore m_store;       //!< its runs
    Merged m_merged;        //!< what the result files hold for good
};

} // namespace ns3::dml

#endif /* DML_STUDY_STATE_H */
