/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_STUDY_H
#define DML_STUDY_H

#include "dml-process-pool.h"
#include "dml-result-folder.h"
#include "dml-study-case.h"
#include "dml-study-state.h"

#include <chrono>
#include <memory>
#include <string>
#include <vector>

namespace ns3
{
namespace dml
{

class CsvResults;
class TraceFile;

/**
 * @ingroup dml-helper
 * @brief A whole study: all variants, numbers of workers, engines and replications of a scenario,
 * in parallel processes, with results written as they come.
 */
class Study
{
  public:
    /// What to run, and how.
    struct Options
    {
        bool fairShare{true}; //!< run the fair-share engine
        bool packet{true};    //!< run the packet engine
        std::string folder;   //!< of the results; created if needed
        uint32_t jobs{1};     //!< runs at the same time
        uint32_t ranks{1};    //!< processes that simulate one run of the packet engine together
        /// How to call this program so that it makes the same study, for its ranks.
        std::vector<std::string> arguments;
        /// What to do with an unfinished study in the folder.
        UnfinishedStudy unfinished{UnfinishedStudy::REFUSE};
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

    /// @return what will be run and what was chosen, in lines for a person
    std::string Describe() const;

    /**
     * @brief Run it.
     * @return all results
     * @throws RunError if a run failed or was interrupted; the results so far are written, and
     *         the study can be resumed
     */
    const RunSummary& Run();

    /**
     * @brief Take part in one run, as a process that RankLauncher started.
     * @param entry number of the run
     * @param folder existing folder for its part of the result files; what rank 0 has to hand over
     *        lies there afterwards, or what went wrong
     * @throws InputError if there is no such run, or this is built without MPI
     */
    void RunOnRank(uint32_t entry, const std::string& folder) const;

    /// @return what the runs cost, and what full fidelity would cost, in lines for a person
    std::string DescribeCost() const;

  private:
    /// What is known about a case.
    struct Entry
    {
        StudyCase work;     //!< what to run
        double cost{0};     //!< estimated CPU seconds
        double memory{0};   //!< estimated resident bytes
        bool done{false};   //!< it has ended well
        bool merged{false}; //!< its rows are in the result files
        CaseResult result;  //!< once done
    };

    void MakeEntries();
    void CheckMemory() const;
    void CheckDisk() const;
    void MakeSummaryCases();
    nlohmann::ordered_json DescribeQuestion() const;
    void OpenFiles();
    void TakeKept();
    std::string GetLabel(const Entry& entry) const;
    std::string RunEntry(uint32_t entry, const ProcessPool::Progress& progress) const;
    void Finished(uint32_t entry, const std::string& bytes);
    void Merge(uint32_t entry);
    void MergeInOrder();
    void MergeAll();
    void SaveMerged();
    std::string DescribeProgress() const;
    CaseSummary& FindSummary(const StudyCase& work);
    void AddLossNotes();
    void Write();
    void Draw();

    Options m_options;                             //!< what to run
    std::unique_ptr<ResultFolder> m_folder;        //!< of the results, once made
    std::unique_ptr<StudyState> m_state;           //!< what is kept until the study has ended
    std::vector<PreparedScenario> m_prepared;      //!< variants
    std::vector<Entry> m_entries;                  //!< in the order of the result files
    std::vector<uint32_t> m_order;                 //!< entries in the order in which they run
    uint32_t m_nextToMerge{0};                     //!< first entry whose rows are not in the files
    double m_wallBefore{0};                        //!< seconds that a resumed study took before
    std::chrono::steady_clock::time_point m_start; //!< of this part of the study
    std::chrono::steady_clock::time_point m_saved; //!< when merged rows were last safe
    RunSummary m_summary;                          //!< of all that is done
    std::unique_ptr<CsvResults> m_files;           //!< merged rows
    std::unique_ptr<TraceFile> m_trace;            //!< merged events, or null
};

} // namespace dml
} // namespace ns3

#endif /* DML_STUDY_H */
