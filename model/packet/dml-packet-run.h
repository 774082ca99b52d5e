/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_PACKET_RUN_H
#define DML_PACKET_RUN_H

#include "dml-cluster.h"
#include "dml-connection-probe.h"
#include "dml-fault-injector.h"
#include "dml-flow-probe.h"
#include "dml-interval-counter.h"
#include "dml-link-totals.h"
#include "dml-packet-animation.h"
#include "dml-packet-engine.h"
#include "dml-reorder-counter.h"
#include "dml-stream-tap.h"
#include "dml-tcp-counter.h"

#include "ns3/dml-background-traffic.h"
#include "ns3/dml-fast-forward.h"
#include "ns3/dml-job-endpoints.h"
#include "ns3/dml-rank-run.h"
#include "ns3/dml-step-application.h"
#include "ns3/dml-transfer-joiner.h"
#include "ns3/dml-worker-launcher.h"
#include "ns3/flow-monitor-helper.h"

#include <array>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace ns3::dml
{

/// How a run of the packet engine ended.
struct RunOutcome
{
    /// How one application ended.
    struct End
    {
        std::string error;                //!< what went wrong, or empty
        std::vector<LostPeer> lost;       //!< the peer that the error is about, if it is about one
        std::vector<std::string> blocked; //!< ops that have not completed
    };

    uint32_t finished{0};         //!< workers of the first job
    std::map<uint32_t, End> ends; //!< by place of the application among those of all ranks
};

/**
 * @ingroup dml-packet
 * @brief Everything that exists while a run of the packet engine is under way; takes the simulator
 * down at the end.
 */
class PacketRun
{
  public:
    /**
     * @param settings what to run; must outlive this
     * @param ranks this rank's part of the run; null: there is one process
     * @throws RunError if the engines' routes differ
     */
    explicit PacketRun(const PacketRunSettings& settings, RankRun* ranks = nullptr);

    ~PacketRun();

    PacketRun(const PacketRun&) = delete;
    PacketRun& operator=(const PacketRun&) = delete;

    /**
     * @brief Run until the first job has done its steps.
     * @param progress told the fraction of steps that are done; may be empty
     * @return what it cost; of several ranks, rank 0 has what it cost all of them
     * @throws RunError if it does not end well; of several ranks, on rank 0
     */
    PacketRunTotals Run(const std::function<void(double)>& progress);

  private:
    /// What a watched link was spared in the skip under way.
    struct SkippedBytes
    {
        IntervalCounter* probe{nullptr}; //!< to be told of it
        uint64_t bytes{0};               //!< headers included
    };

    /// Create nodes and links, those of this rank among them.
    void CreateCluster();
    /// Count what overtakes, where connections have several paths.
    void WatchOrder();

    /// Make the applications of a job.
    void AddJob(uint32_t job);

    /// Make an application where its host is simulated here.
    void AddEndpoint(uint32_t job, const Endpoint& endpoint);

    /// Attach what the settings want to see of the run.
    void Watch();

    /// Report every 100 ms what TCP and HTTP/2 say of each connection.
    void SampleConnections();

    /// Skip what goes on at a steady rate.
    void EnableFastForward();

    /// Let counters of what is lost go on while time is skipped.
    void CreditLosses();

    /// See that queues neither grow nor shrink where time is skipped.
    void WatchQueues();

    /// Let background flows be skipped.
    void SkipBackground();

    /// Count what was skipped as if it had come. @param place of the application among all
    /// @param routes of data to it, and back
    void Credit(std::size_t place,
                const std::array<std::vector<DirectedLink>, 2>& routes,
                const SkippedStream& skipped);

    /// @param route some links @param more bytes and packets that each has sent as well
    void CreditRoute(const std::vector<DirectedLink>& route, const LinkCount& more);

    /// @return the link from a server's host
    DirectedLink GetServerLink(uint32_t job, uint32_t server) const;

    /// Watch the link of a server's host.
    void AddProbes(uint32_t job, uint32_t server);

    /// @return where to count what other ranks may have to take back, or null
    DeferredEffects* GetEffects() const
    {
        return m_ranks ? &m_ranks->GetEffects() : nullptr;
    }

    /// Let a launcher start the workers of the first job again, where it has one.
    void AddLauncher();

    /// Trace sink: a worker of the first job ended a step.
    void StepDone(uint32_t, uint32_t, Time, Time);

    /// Trace sink: a worker of the first job has done all it will.
    void WorkerFinished(uint32_t);

    /// Each step of the construction has its place in the order of events, on all ranks.
    void BeginStage();

    /// @param steps that all workers of the first job have done
    void ReportProgress(uint64_t steps) const;

    /// Report what the probes have left.
    void Flush();

    /// @return what came of this rank's applications
    RunOutcome GetOutcome() const;

    /// On rank 0, add up what came of all ranks, and tell the observer.
    void Collect(RunOutcome& outcome);

    /// Throw if the run did not end well.
    void Check(const RunOutcome& outcome) const;

    /// @param application place of an application among all @param lost what it could not go on
    /// without @return both in words, with what explains it
    std::string DescribeLostPeer(uint32_t application, const LostPeer& lost) const;

    const PacketRunSettings& m_settings;    //!< what to run
    const std::vector<TrainingRun>& m_jobs; //!< of these
    const NetworkSpec& m_spec;              //!< of these
    RankRun* m_ranks;                       //!< null: one process
    Cluster m_cluster;                      //!< nodes and links
    std::vector<JobEndpoints> m_endpoints;  //!< of the jobs
    DeafObserver m_nobody;                  //!< stands in for no observer
    TransferJoiner m_joiner;                //!< what the applications report to
    Time m_origin;                          //!< from which records count
    FaultInjector m_faults;                 //!< what breaks
    BackgroundTraffic m_background;         //!< flows that are not of a job
    RunObserver* m_told;                    //!< joiner, or records of this rank
    /// Servers, workers, then aggregators, by job; null on other ranks.
    std::vector<Ptr<StepApplication>> m_applications;
    std::unique_ptr<WorkerLauncher> m_launcher;             //!< of the first job, or null
    std::vector<std::unique_ptr<IntervalCounter>> m_probes; //!< of the servers' links
    std::map<DirectedLink, SkippedBytes> m_skippedBytes;    //!< of those links
    std::vector<std::unique_ptr<FlowProbe>> m_flowProbes;   //!< of the applications, or null
    std::vector<std::unique_ptr<ConnectionProbe>> m_connectionProbes; //!< may be none
    std::function<void(double)> m_progress;                           //!< may be empty
    bool m_stopped{false};                                            //!< it has said true
    uint64_t m_stepsDone{0};                      //!< of all workers of the first job
    uint32_t m_finished{0};                       //!< workers of the first job
    std::unique_ptr<LinkCounters> m_counters;     //!< of all links
    std::unique_ptr<FastForward> m_fast;          //!< null: every packet is simulated
    PacketAnimation m_animation;                  //!< or null
    FlowMonitorHelper m_flows;                    //!< holds the monitor, if there is one
    TcpCounter m_tcp;                             //!< of the applications
    std::unique_ptr<ReorderCounter> m_reordering; //!< null: connections have one path
    PacketRunTotals m_totals;                     //!< what it cost
};

} // namespace ns3::dml

#endif /* DML_PACKET_RUN_H */
