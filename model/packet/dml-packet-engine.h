/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_PACKET_ENGINE_H
#define DML_PACKET_ENGINE_H

#include "dml-link-totals.h"
#include "dml-reordering.h"
#include "dml-tcp-counter.h"

#include "ns3/dml-cluster-network.h"
#include "ns3/dml-network-spec.h"
#include "ns3/dml-run-observer.h"
#include "ns3/dml-skipped-totals.h"
#include "ns3/dml-training-run.h"
#include "ns3/dml-transfer-spec.h"

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace ns3::dml
{

class RankWorld;
class StreamTap;

/// What a run of the packet engine cost and lost.
struct PacketRunTotals
{
    uint64_t wireBytes{0};         //!< put on the servers' links, both directions, headers included
    uint64_t events{0};            //!< of the simulator
    double cpuSeconds{0};          //!< of the simulation, on all ranks
    uint64_t drops{0};             //!< packets dropped by queues
    uint64_t lost{0};              //!< packets lost on links, by faults
    TcpCounts tcp;                 //!< what TCP did against losses
    Reordering reordering;         //!< counted where connections have several paths
    std::vector<LinkTotals> links; //!< what every link did, setup included
    double end{0};                 //!< simulated seconds from the time origin to the end
    SkippedTotals skipped;         //!< not simulated, but counted in all of these
};

/// What a PacketRun is given; PacketEngine says more of each.
struct PacketRunSettings
{
    std::vector<TrainingRun> jobs{};                     //!< what to run, at least one
    NetworkSpec spec{};                                  //!< TCP, background and faults
    std::shared_ptr<const ClusterNetwork> network{};     //!< nodes, links and routes
    TransferSpec transfer{};                             //!< flow control
    RunObserver* observer{nullptr};                      //!< may be null
    uint32_t seed{1};                                    //!< of losses and background flows
    uint32_t replication{0};                             //!< from 0
    std::string animation{};                             //!< path; empty: none
    std::string flowMonitor{};                           //!< path; empty: none
    std::string pcapPrefix{};                            //!< empty: no pcap
    std::vector<std::pair<uint32_t, StreamTap*>> taps{}; //!< server and tap
    std::function<bool()> stopRule{};                    //!< may be empty
    bool sampling{false};                                //!< connections
    std::optional<double> fastCheck{}; //!< part of skips that is simulated; null: none is skipped
};

/**
 * @ingroup dml-packet
 * @brief Runs a training run in ns-3, packet by packet: builds the cluster, runs it, takes it down.
 *
 * One run at a time per process, since ns-3's simulator is a global object.
 */
class PacketEngine
{
  public:
    /**
     * @brief Several jobs that share a network.
     *
     * Workers and servers are numbered over all jobs in the records. The run ends when the first
     * job has done its steps; until then the others repeat theirs.
     * @param jobs what to run, at least one
     * @param spec TCP, background and faults
     * @param network built from it for jobs of these sizes
     * @param transfer flow control
     * @param observer told of everything; may be null
     * @throws InputError if the network is that of other jobs
     */
    PacketEngine(std::vector<TrainingRun> jobs,
                 const NetworkSpec& spec,
                 std::shared_ptr<const ClusterNetwork> network,
                 const TransferSpec& transfer,
                 RunObserver* observer);

    /**
     * @brief One job, with a network that is built here, and whose switches add up as they would
     * in a scenario if the run has aggregators.
     * @param run what to run
     * @param spec topology, links and TCP, background and faults
     * @param transfer flow control
     * @param observer told of everything; may be null
     * @throws NetworkError if the network cannot be built
     */
    PacketEngine(const TrainingRun& run,
                 const NetworkSpec& spec,
                 const TransferSpec& transfer,
                 RunObserver* observer);

    /**
     * @brief Read the streams off a parameter server's link.
     * @param server index
     * @param tap attached to the server's device when the run starts; must outlive the run
     */
    void Tap(uint32_t server, StreamTap& tap)
    {
        m_settings.taps.emplace_back(server, &tap);
    }

    /**
     * @brief Choose what is drawn at random: losses, and on and off times of background flows.
     * @param seed of the scenario, at least 1
     * @param replication number of the replication, from 0
     */
    void SetRandomness(uint32_t seed, uint32_t replication)
    {
        m_settings.seed = seed;
        m_settings.replication = replication;
    }

    /// @param path write an XML file for NetAnim, with every packet: it is large
    void EnableAnimation(const std::string& path)
    {
        m_settings.animation = path;
    }

    /// @param path write what ns-3's FlowMonitor measured of every flow, in XML
    void EnableFlowMonitor(const std::string& path)
    {
        m_settings.flowMonitor = path;
    }

    /// @brief Report every 100 ms what TCP and HTTP/2 say of each connection (ConnectionRecord).
    void SampleConnections()
    {
        m_settings.sampling = true;
    }

    /// @brief Skip what goes on at a steady rate (FastForward). Not with pcap, animation, flow
    /// monitor, taps, ranks or random losses. @param check part of the skips
    /// that is simulated instead, to see how far off they are, 0 to 1
    void EnableFastForward(double check)
    {
        m_settings.fastCheck = check;
    }

    /// @param prefix write a pcap file per host, named "PREFIX-worker0.pcap" and so on
    void EnablePcap(const std::string& prefix)
    {
        m_settings.pcapPrefix = prefix;
    }

    /**
     * @brief Let the run end early; not one that is split over ranks.
     * @param rule asked after each step of the first job, once the observer was told; the run ends
     * when it says true
     */
    void StopWhen(std::function<bool()> rule)
    {
        m_settings.stopRule = std::move(rule);
    }

    /**
     * @brief Simulate only this rank's part of the cluster; all ranks make the same engine.
     * @param world the ranks, as many as RankAssignment uses; must outlive the engine
     */
    void SplitOver(RankWorld& world)
    {
        m_world = &world;
    }

    /**
     * @brief Run until every worker has done all its steps.
     * @param progress called now and then with the fraction of steps that are done; may be empty
     * @return what it cost; where the run is split, rank 0 has all of it, and alone has told the
     *         observer
     * @throws NetworkError if it cannot be split over these ranks
     * @throws RunError if a connection fails, or with the blocked ops if the run stalls
     */
    PacketRunTotals Run(const std::function<void(double)>& progress = {});

  private:
    /// One job on the network that is built for it.
    PacketEngine(const std::shared_ptr<const ClusterNetwork>& network,
                 const TrainingRun& run,
                 const NetworkSpec& spec,
                 const TransferSpec& transfer,
                 RunObserver* observer);

    PacketRunSettings m_settings; //!< of the next run
    RankWorld* m_world{nullptr};  //!< null: one process
};

/**
 * @ingroup dml-packet
 * @brief Simulate one TCP connection that sends over a star of two links and queues without limit,
 * to see what that costs. The simulator is not destroyed: have a process for it.
 * @param tcp of both hosts
 * @param mtu of both links, bytes
 * @param bytes that are sent
 */
void SimulateLoneFlow(const TcpSpec& tcp, uint32_t mtu, uint64_t bytes);

} // namespace ns3::dml

#endif /* DML_PACKET_ENGINE_H */
