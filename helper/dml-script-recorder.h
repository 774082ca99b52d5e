/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_SCRIPT_RECORDER_H
#define DML_SCRIPT_RECORDER_H

#include "dml-cluster-helper.h"
#include "dml-training-job.h"

#include "ns3/dml-case-meters.h"
#include "ns3/dml-connection-probe.h"
#include "ns3/dml-crash-meter.h"
#include "ns3/dml-flow-probe.h"
#include "ns3/dml-interval-counter.h"
#include "ns3/dml-link-connections.h"
#include "ns3/dml-link-meter.h"
#include "ns3/dml-link-totals.h"
#include "ns3/dml-observer-list.h"
#include "ns3/dml-plot-run.h"
#include "ns3/dml-reorder-counter.h"
#include "ns3/dml-result-csv.h"
#include "ns3/dml-result-folder.h"
#include "ns3/dml-result-summary.h"
#include "ns3/dml-scenario.h"
#include "ns3/dml-share-meter.h"
#include "ns3/dml-stopwatch.h"
#include "ns3/dml-tcp-counter.h"
#include "ns3/dml-timeline-writer.h"
#include "ns3/dml-trace-file.h"
#include "ns3/dml-version-meter.h"
#include "ns3/net-device-container.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace ns3::dml
{

/**
 * @ingroup dml-helper
 * @brief What a ResultsHelper does: measures a job of a script, and writes what it has measured.
 */
class ScriptRecorder : public RunObserver
{
  public:
    /// @param folder of the results @param profile of the job @param run of the job; as
    /// ResultsHelper says
    ScriptRecorder(const std::string& folder, const Profile& profile, const TrainingRun& run);
    ~ScriptRecorder() override;

    /// @param name used in titles
    void SetName(const std::string& name);
    /// @param steps that do not count
    void SetWarmup(uint32_t steps);
    /// @param output which files are written
    void SetOutput(const OutputSpec& output);
    /// @param job that is measured @param cluster its network
    void Watch(TrainingJob& job, const ClusterHelper& cluster);
    /// @param job that is measured @param devices of its network
    void Watch(TrainingJob& job, const NetDeviceContainer& devices);
    /// Write all that is left.
    void Write();

    void Observe(const RunRecord& record) override;

  private:
    /// The two devices of a server's link; null: it is not measured.
    struct ServerDevices
    {
        Ptr<NetDevice> out;   //!< sends from the server
        Ptr<NetDevice> in;    //!< sends to it
        double capacity{1};   //!< bytes/s of what the first sends
        double capacityIn{1}; //!< bytes/s of what the second sends
    };

    /// All that is measured once the job is there.
    struct Meters;

    void CheckEarly(const char* what) const;
    void Begin(TrainingJob& job, const std::vector<ServerDevices>& servers);
    void AddProbes(TrainingJob& job, const std::vector<ServerDevices>& servers);
    void AddServerProbe(const Ptr<NetDevice>& device, uint32_t server, AccessLink::Way way);
    static ServerDevices FindServerDevices(const TrainingJob::Place& place,
                                           const NetDeviceContainer& devices);
    CaseResult Summarise();
    RunSummary MakeSummary() const;
    void WriteSummaries(const RunSummary& summary) const;
    void Draw(const CaseResult& result, RunSummary& summary) const;

    std::string m_path;                         //!< of the folder
    ResultFolder m_folder;                      //!< locked
    Profile m_profile;                          //!< of the job
    TrainingRun m_run;                          //!< of the job
    std::string m_name;                         //!< used in titles
    uint32_t m_warmup{0};                       //!< steps that do not count
    OutputSpec m_output;                        //!< which files are written
    uint32_t m_mtu{1500};                       //!< bytes of an IP packet
    nlohmann::ordered_json m_network;           //!< what is known of the network; null: nothing
    TrainingJob* m_job{nullptr};                //!< null: not yet known
    std::vector<LinkConnections> m_connections; //!< by link; empty: not known
    std::vector<MultipathLink> m_multipath;     //!< links that switches choose from; empty: none
    std::unique_ptr<Meters> m_meters;           //!< null: not yet known of what
    std::unique_ptr<LinkCounters> m_links;      //!< of all links
    TcpCounter m_tcp;                           //!< of the endpoints
    std::unique_ptr<ReorderCounter> m_order;    //!< null: connections have one path
    std::vector<std::unique_ptr<IntervalCounter>> m_counters; //!< of the servers' links
    std::vector<std::unique_ptr<FlowProbe>> m_flows;          //!< of the endpoints
    std::vector<std::unique_ptr<ConnectionProbe>> m_samples;  //!< of the endpoints; may be none
    Stopwatch m_watch;                                        //!< since this was made
};

} // namespace ns3::dml

#endif /* DML_SCRIPT_RECORDER_H */
