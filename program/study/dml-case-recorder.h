/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_CASE_RECORDER_H
#define DML_CASE_RECORDER_H

#include "dml-case-meters.h"
#include "dml-engine-runner.h"
#include "dml-job-splitter.h"

#include "ns3/dml-crash-meter.h"
#include "ns3/dml-link-meter.h"
#include "ns3/dml-observer-list.h"
#include "ns3/dml-share-meter.h"
#include "ns3/dml-timeline-writer.h"
#include "ns3/dml-trace-file.h"

#include <functional>
#include <memory>
#include <string>

namespace ns3::dml
{

/**
 * @ingroup dml-study
 * @brief All that is measured of a run, and written: the same for all engines.
 */
class CaseRecorder
{
  public:
    /**
     * @param prepared the run's scenario; must outlive this
     * @param studyCase the run; must outlive this
     * @param network of its hosts
     * @param folder existing folder for its part of the result files
     */
    CaseRecorder(const PreparedScenario& prepared,
                 const StudyCase& studyCase,
                 const ClusterNetwork& network,
                 const std::string& folder);

    CaseRecorder(const CaseRecorder&) = delete;
    CaseRecorder& operator=(const CaseRecorder&) = delete;

    /// @return who is told of the run
    RunObserver& GetObserver();

    /// @return the files, for rows of an engine's own
    CsvResults& GetFiles();

    /// @param progress told the fraction done @return what the engine tells of its progress, and
    /// asks whether to go on
    RunControl MakeControl(const std::function<void(double)>& progress) const;

    /// @brief After the run: write what is left, and close the files.
    /// @param result has what the engine knows; gets all else
    void Finish(CaseResult& result);

  private:
    /// When the last step of a run ended.
    class EndMeter : public RunListener<EndMeter>
    {
      public:
        void On(const StepRecord& record);
        void On(const CrashRecord& record);
        /// @return seconds from the start of the run
        double GetEnd() const;

      private:
        double m_end{0}; //!< so far
    };

    void MakeMeters();
    void MakeTrace(const std::string& folder);
    void MakeTimelines(const std::string& folder);
    void MakeVersions();
    void Summarise(const CaseMeters& meters, ReplicationSummary& summary) const;
    void SummariseLinks(ReplicationSummary& summary) const;
    void WriteRest(const CaseMeters& meters, const Throughput& window);
    void Draw(const CaseMeters& meters, CaseResult& result) const;

    const PreparedScenario& m_prepared;          //!< the scenario
    const StudyCase& m_case;                     //!< the run
    const EngineInfo& m_engine;                  //!< its engine
    std::unique_ptr<CaseMeters> m_fixed;         //!< of a run that does all its steps
    std::unique_ptr<AutoMeters> m_deciding;      //!< of one that decides itself
    LinkMeter m_links;                           //!< of the servers
    CsvResults m_files;                          //!< its part of them
    BatchCollector m_batches;                    //!< of a detailed run
    CrashMeter m_crashes;                        //!< of workers
    EndMeter m_end;                              //!< of the run
    ShareMeter m_shares;                         //!< told of nothing where they follow from a rule
    std::unique_ptr<TraceFile> m_trace;          //!< or null
    std::unique_ptr<TimelineWriter> m_timelines; //!< or null
    std::unique_ptr<VersionMeter> m_versions;    //!< or null
    ObserverList m_observers;                    //!< all of them
    JobSplitter m_splitter;                      //!< tells them of the first job
};

} // namespace ns3::dml

#endif /* DML_CASE_RECORDER_H */
