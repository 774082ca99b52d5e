/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_STUDY_H
#define DML_STUDY_H

#include "dml-process-pool.h"
#include "dml-study-plan.h"
#include "dml-study-state.h"

#include "ns3/dml-result-folder.h"

#include <chrono>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace ns3::dml
{

class CsvResults;
struct Failure;
struct PlotScript;
class TraceFile;

/**
 * @ingroup dml-study
 * @brief A whole study: all variants, numbers of workers, engines and replications of a scenario,
 * in parallel processes, with results written as they come; or some of its runs, and later a merge.
 */
class Study
{
  public:
    /// What to run, and how.
    struct Options
    {
        EngineSet engines{
            ChooseEngines(DEFAULT_ENGINES)}; //!< engines that run: what a choice of --engine means
        std::string folder;                  //!< of the results; created if needed
        uint32_t jobs{1};                    //!< runs at the same time
        uint32_t ranks{1};                   //!< processes that simulate one run together
        /// How to call this program so that it makes the same study, for its ranks.
        std::vector<std::string> arguments;
        /// What to do with an unfinished study in the folder.
        UnfinishedStudy unfinished{UnfinishedStudy::REFUSE};
        bool force{false}; //!< to begin anew, remove results of any study from the folder
        /// Numbers of the runs to do, with UnfinishedStudy::JOIN.
        std::vector<uint32_t> cases;
        std::string command; //!< how the study was asked, kept for those who merge its runs
        /// Draws into the folder what steps waited for, and tells it in lines; may be empty. Adds a
        /// warning if there is no picture.
        std::function<std::string(const std::string& folder, std::vector<std::string>& warnings)>
            explain;
        bool scratch{false}; //!< nobody will see the folder: no error speaks of it, no write waits
        /// CPU seconds that runs may take, one at a time, see ProcessPool.
        double cpuLimit{std::numeric_limits<double>::infinity()};
    };

    /**
     * @brief Read profiles and check everything; nothing is written yet.
     * @param scenarios checked variants, at least one
     * @param options what to run
     * @throws InputError if something does not fit, or the runs would not fit in memory
     */
    Study(const std::vector<Scenario>& scenarios, const Options& options);
    ~Study();

    /**
     * @brief Make the folder of the results and lock it against other runs.
     * @throws InputError if it cannot be written, another run writes to it, or an unfinished study
     *         lies there that the options do not fit
     */
    void MakeFolder();

    /// @return the folder of the results
    const std::string& GetFolder() const;

    /// @return path of the file for commands of runs that are missing; Run() and Merge() remove it
    /// once none is
    std::string GetMissingPath() const;

    /// @return its runs
    const StudyPlan& GetPlan() const
    {
        return m_plan;
    }

    /// @return everything that the results depend on
    const StudyIdentity& GetQuestion();

    /// @param more lines behind those of the cost @return what will be run and what was chosen, in
    /// lines for a person, and warnings
    std::string Describe(const std::string& more = "") const;

    /**
     * @brief Run it.
     * @return all results
     * @throws RunError if a run failed or was interrupted; the results so far are written, and
     *         the study can be resumed
     */
    const RunSummary& Run();

    /**
     * @brief Do the runs that the options name, and keep them for a merge.
     * @return how many of them had been done before
     * @throws RunError if a run failed or was interrupted; those that ended are kept
     */
    uint32_t RunCases();

    /**
     * @brief Take part in one run, as a process that RankLauncher started.
     * @param entry number of the run, one of the options' cases
     * @param folder existing folder for its part of the result files; what rank 0 has to hand over
     *        lies there afterwards, or what went wrong
     * @throws InputError if this is built without MPI
     */
    void RunOnRank(uint32_t entry, const std::string& folder) const;

    /**
     * @brief Put together runs that were kept here or elsewhere, as Run() would have.
     *
     * If some are missing, the results of the others are written, and the study stays unfinished.
     * @param folders of results of the same study
     * @return numbers of the runs that are missing, in the order in which they are best started
     * @throws InputError if one of the folders holds another study, or none
     */
    std::vector<uint32_t> Merge(const std::vector<std::string>& folders);

    /// @brief Find out which runs are kept, without merging them.
    void MarkKept();

    /// @return numbers of the runs that are not done, in the order in which they are best started
    std::vector<uint32_t> FindMissing() const;

    /// @return what is known so far
    const RunSummary& GetSummary() const
    {
        return m_summary;
    }

    /// @return what the runs cost, and what full fidelity would cost, in lines for a person
    std::string DescribeCost() const;

  private:
    using Done = std::function<void(uint32_t entry, const std::string& bytes)>;

    void OpenFiles();
    void TakeKept();
    std::string RunEntry(uint32_t entry, const ProcessPool::Progress& progress) const;
    Failure RunAll(const std::vector<uint32_t>& entries, const Done& done);
    void Finished(uint32_t entry, const std::string& bytes);
    void Merge(uint32_t entry);
    void SaveMerged();
    void Finish();
    /// Write what there is of a study that stays unfinished.
    void WritePart();
    /// @param separator from the text before @param again whether what has failed would fail again
    /// @return where the results are and how to go on, or nothing of those that nobody will see
    std::string DescribeProgress(const char* separator, bool again) const;
    void AddLossNotes();
    /// @return "about fair-share 2 s, packet 5 min of CPU", and the time on the clock in a second
    /// line
    std::string DescribeEstimate() const;
    void Write(bool durable = false);
    void WriteSometimes();
    void Draw();
    void PlotVariant(uint32_t variant, std::vector<PlotScript>& plots);

    Options m_options;                       //!< what to run
    StudyPlan m_plan;                        //!< all runs
    std::optional<StudyIdentity> m_question; //!< once it has been asked for
    std::unique_ptr<ResultFolder> m_folder;  //!< of the results, once made
    std::unique_ptr<StudyState> m_state;     //!< what is kept until the study has ended
    std::vector<bool> m_done;                //!< by number of the run: it has ended well
    /// By variant and engine: the runs that the plots show.
    std::map<uint32_t, std::map<EngineKind, CaseResult>> m_details;
    uint32_t m_nextToMerge{0}; //!< first entry that is not done: the rows of all
                               //!< before it are in the files
    double m_wallBefore{0};    //!< seconds that a resumed study took before
    std::chrono::steady_clock::time_point m_start;     //!< of this part of the study
    std::chrono::steady_clock::time_point m_nextSave;  //!< when to make merged rows safe again
    std::chrono::steady_clock::time_point m_nextWrite; //!< when to write the summary again
    bool m_stale{false};                 //!< the summary on the disk is not the last one
    RunSummary m_summary;                //!< of all that is done
    std::unique_ptr<CsvResults> m_files; //!< merged rows
    std::unique_ptr<TraceFile> m_trace;  //!< merged events, or null
};

} // namespace ns3::dml

#endif /* DML_STUDY_H */
