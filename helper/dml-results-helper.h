/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_RESULTS_HELPER_H
#define DML_RESULTS_HELPER_H

#include "dml-cluster-helper.h"
#include "dml-training-job.h"

#include "ns3/dml-profile.h"
#include "ns3/dml-run-observer.h"
#include "ns3/dml-scenario.h"
#include "ns3/dml-training-run.h"
#include "ns3/net-device-container.h"

#include <cstdint>
#include <memory>
#include <string>

namespace ns3::dml
{

class ScriptRecorder;

/**
 * @ingroup dml-helper
 * @brief Gives a script a folder of results, as `dml run` gives one to a scenario: CSV files,
 * summary.json, trace.json, plots and report.html.
 *
 * `dml why` and `dml compare` read it. What depends on a scenario, which a script has not, is not
 * there: baselines, matched comparison (`dml match`), the error to be expected. A script makes this
 * first, gives the job its observer, and calls Watch() once the endpoints are installed:
 *
 * @code
 * ResultsHelper results("my-results", profile, run);
 * results.SetWarmup(2);
 * TrainingJob job(run, TransferSpec(), results.GetObserver());
 * ClusterHelper cluster(network, run);
 * cluster.Install(job);
 * results.Watch(job, cluster);
 * job.SetFinishedCallback([] { Simulator::Stop(); });
 * Simulator::Run();
 * job.Check();
 * results.Write();
 * Simulator::Destroy();
 * @endcode
 *
 * Rows are written as they come. Until Write() has ended, summary.json says that a run is missing.
 */
class ResultsHelper
{
  public:
    /**
     * @brief Make the folder, in place of the results of an earlier script.
     * @param folder of the results; what a study of `dml run` has written is not replaced
     * @param profile of the job: names of its ops and tensors; copied
     * @param run of the job
     * @throws InputError if the folder cannot be written, somebody else writes there, or it holds
     * files of such names that no script wrote
     */
    ResultsHelper(const std::string& folder, const Profile& profile, const TrainingRun& run);
    ~ResultsHelper();

    ResultsHelper(const ResultsHelper&) = delete;
    ResultsHelper& operator=(const ResultsHelper&) = delete;

    /// @param name used in titles; by default that of the folder
    void SetName(const std::string& name);

    /// @param steps of each worker that do not count, fewer than it does; by default none
    /// @throws InputError if these are all, or Watch() was called
    void SetWarmup(uint32_t steps);

    /**
     * @param output which files are written, as a scenario says it under `output`
     * @throws InputError if it has packet captures, animations or FlowMonitor, which a script
     * enables with ns-3's helpers; or if Watch() was called
     */
    void SetOutput(const OutputSpec& output);

    /// @return what a TrainingJob is to tell what happens; lives as long as this
    RunObserver* GetObserver();

    /**
     * @brief Measure a job on a network of dml's, all of whose links come into network.csv.
     * @param job of the run, with all its endpoints installed, whose applications have not started
     * @param cluster on whose hosts they are; both must outlive Simulator::Run()
     * @throws InputError if it is another job, or this was called before
     */
    void Watch(TrainingJob& job, const ClusterHelper& cluster);

    /**
     * @brief Measure a job on a network of the script's own.
     * @param job likewise
     * @param devices whose links come into network.csv: point-to-point ones, an entry for what each
     * of them sends; links have the names of their nodes (Names::Add()), or "node3". Utilisation of
     * a parameter server's link is measured if the device of its address is one of these
     * @throws InputError likewise, or if a device has no point-to-point link
     */
    void Watch(TrainingJob& job, const NetDeviceContainer& devices);

    /**
     * @brief After Simulator::Run() and before Simulator::Destroy(): write all that is left.
     * @throws InputError or RunError if a file cannot be written; RunError if the job has not ended
     * well (TrainingJob::Check())
     */
    void Write();

  private:
    std::unique_ptr<ScriptRecorder> m_recorder; //!< does it
};

} // namespace ns3::dml

#endif /* DML_RESULTS_HELPER_H */
