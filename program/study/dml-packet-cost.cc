/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-process-pool.h"
#include "dml-run-cost.h"

#include "ns3/dml-goodput.h"
#include "ns3/dml-grant-rule.h"
#include "ns3/dml-gso-size.h"
#include "ns3/dml-packet-engine.h"
#include "ns3/dml-scenario-check.h"

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <tuple>

namespace ns3::dml
{

namespace
{

/// What things cost: see dml-run-cost.cc.
namespace cost
{

/// CPU seconds per event of ns-3's scheduler: a packet on a link, a timer, an op. Of runs that take
/// longer than MEASURED, and of networks for which that was asked for, it is measured.
constexpr double EVENT = 5e-6;
/// CPU seconds of a run from which on it is worth a tenth of a second to know better.
constexpr double MEASURED = 5;
/// CPU seconds per HTTP/2 frame of 16 KiB, at both ends.
constexpr double FRAME = 3e-6;
/// CPU seconds per op in an executor of the packet engine, with its rows.
constexpr double PACKET_OP = 2e-6;
/// CPU seconds to make a connection, with its applications.
constexpr double CONNECTION = 0.2e-3;
/// CPU seconds of a run of the packet engine without anything in it.
constexpr double PACKET_RUN = 0.02;

/// CPU seconds per packet and per byte on a link in output.pcap, which both ends of a link write.
constexpr double PCAP_PACKET = 2e-6;
constexpr double PCAP_BYTE = 2e-9;
/// CPU seconds per packet on a link in output.netanim.
constexpr double NETANIM_PACKET = 11e-6;
/// CPU seconds per packet on a link with output.flows.
constexpr double FLOWS_PACKET = 2e-6;

} // namespace cost

/// What a packet of ns-3 makes: sent and received on each link, and TCP's timers at its ends.
constexpr double EVENTS_PER_LINK = 2;
constexpr double EVENTS_PER_SEGMENT = 3.4;
constexpr double EVENTS_PER_OP = 1.3;

/// Segments that a step of a worker and a server takes besides tensors: requests and answers.
constexpr double SEGMENTS_PER_PAIR = 4;
/// Segments that a tensor takes besides its bytes.
constexpr double SEGMENTS_PER_MESSAGE = 0.25;
/// Segments that a grant of a window takes: its own, for which there are fewer ACKs.
constexpr double SEGMENTS_PER_GRANT = 0.8;

/// Bytes of an HTTP/2 frame.
constexpr double FRAME_BYTES = 16384;

/// Bytes that a packet in a buffer or queue takes: its payload is virtual.
constexpr double BYTES_PER_PACKET = 300;
/// Bytes that a connection takes besides: measured 180 to 320 kB (W = 64; W = 16, M = 8).
constexpr double BYTES_PER_CONNECTION = 350e3;

/// @return links between two endpoints of a job that talk to each other, mean over some pairs
double
CountHops(const ClusterNetwork& network, uint32_t job)
{
    constexpr uint32_t MOST_WORKERS = 32;
    constexpr uint32_t MOST_SERVERS = 8;
    const JobSize& size = network.GetJobs()[job];
    double hops = 0;
    double pairs = 0;
    for (uint32_t worker = 0; worker < std::min(size.workers, MOST_WORKERS); ++worker)
    {
        const std::string own = WorkerName(job, worker);
        for (uint32_t server = 0; server < std::min(size.servers, MOST_SERVERS); ++server)
        {
            hops += network.FindRoute(ServerName(job, server), own).size();
            ++pairs;
        }
        if (size.servers == 0) // a ring
        {
            const std::string next = WorkerName(job, (worker + 1) % size.workers);
            hops += network.FindRoute(next, own).size();
            ++pairs;
        }
    }
    return hops / pairs;
}

/// @return the same, without building the network where it is known
double
FindHops(const PreparedScenario& prepared, uint32_t job, uint32_t workers)
{
    constexpr double STAR = 2;
    const NetworkSpec& network = prepared.scenario.network;
    const bool star = network.topology.type == "star" && network.colocate.empty() &&
                      !GetJob(prepared.scenario, job).workersPerHost.AreShared();
    return star ? STAR : CountHops(*prepared.GetNetwork(workers), job);
}

/// @return grants of a window that a message takes whose segments have @p segment bytes, as
/// GrantRule gives them
double
CountGrants(const TransferSpec& transfer, double bytes, double segment)
{
    if (!transfer.flowControl || transfer.grant == "message")
    {
        return 0;
    }
    const bool refills = transfer.grant == "consume";
    const double window = transfer.window;
    const double step = refills ? std::min<double>(window / 2, GRANT_STEP) : GRANT_STEP;
    const double ahead = refills ? window : window + GRANT_LOOKAHEAD; // granted at once
    return std::max(0.0, bytes - ahead) / std::max(step, segment);
}

/// @return ACKs of a segment
double
GetAcks(const NetworkSpec& network, double segment)
{
    if (network.tcp.delayedAckTimeout.IsZero())
    {
        return 1;
    }
    constexpr double PAIR = 2;
    return 1 / std::max(PAIR, GetGsoSize(network.tcp, network.rate) / segment);
}

/// @return TCP segments of a step's tensors, and of what asks for them, without ACKs
double
CountSegments(const PreparedScenario& prepared, const PreparedJob& job, const StepLoad& load)
{
    const Scenario& scenario = prepared.scenario;
    const TransferSpec& transfer = scenario.transfer;
    // a sender that waits for each window fills no larger segments
    const bool waits = transfer.flowControl && transfer.grant == "consume";
    const double full = prepared.format.segment;
    const double segment = waits ? std::min<double>(full, transfer.window) : full;
    const double buffer = scenario.network.tcp.sendBuffer;
    double segments = load.bytes / segment;
    segments += load.bytes / buffer; // what fills a buffer ends with less than a segment
    segments += SEGMENTS_PER_MESSAGE * load.transfers + SEGMENTS_PER_PAIR * load.channels / 2;
    for (const auto& op : job.run.plan->ops)
    {
        const bool sent = op.dispatch == Dispatch::SEND;
        segments += sent ? SEGMENTS_PER_GRANT * CountGrants(transfer, op.bytes, segment) : 0;
    }
    return segments;
}

/// @return CPU seconds of what each packet is written to, or counted in
double
CaptureSeconds(const OutputSpec& output, double linkPackets, double linkBytes)
{
    double seconds =
        output.pcap ? cost::PCAP_PACKET * linkPackets + cost::PCAP_BYTE * linkBytes : 0;
    seconds += output.netanim ? cost::NETANIM_PACKET * linkPackets : 0;
    return seconds + (output.flows ? cost::FLOWS_PACKET * linkPackets : 0);
}

/// @return events of segments on so many links, with so many ACKs of each
double
CountEvents(double segments, double acks, double links)
{
    return segments * (EVENTS_PER_LINK * links * (1 + acks) + EVENTS_PER_SEGMENT);
}

/// What a connection that sends for a while costs.
struct FlowSpeed
{
    double seconds{0};  //!< of CPU
    double segments{0}; //!< segments that it sends, over two links
};

/// What makes the TCP of networks cost the same.
using FlowKind = std::tuple<uint32_t, std::string, std::optional<uint64_t>, bool, bool, bool>;

/// @param spec of a network @return the kind of its connections
FlowKind
GetFlowKind(const NetworkSpec& spec)
{
    const TcpSpec& tcp = spec.tcp;
    return {spec.mtu, tcp.variant, tcp.gso, tcp.trains, tcp.timestamps, tcp.IsPlain()};
}

/// @return those that have been measured: nothing, 0 s, of those for which no process could be made
std::map<FlowKind, FlowSpeed>&
GetMeasuredFlows()
{
    static std::map<FlowKind, FlowSpeed> known;
    return known;
}

/// @param spec MTU and TCP of the network; else it is a star @return how fast this machine
/// simulates a connection
FlowSpeed
MeasureFlowSpeed(const NetworkSpec& spec)
{
    constexpr uint64_t SEGMENTS = 2500;
    const TcpSpec& tcp = spec.tcp;
    const auto [it, isNew] = GetMeasuredFlows().try_emplace(GetFlowKind(spec));
    FlowSpeed& speed = it->second;
    if (isNew)
    {
        const uint64_t segment = GetWireFormat(spec.mtu, tcp.timestamps).segment;
        double seconds[]{0, 0}; // of CPU
        // the simulator is a global object, and not to be left with traces of this
        ProcessPool(1).Run(
            2,
            [&](uint32_t task, const auto&) {
                const uint64_t segments = task == 0 ? 1 : SEGMENTS; // one: to build a network
                const Stopwatch watch;
                SimulateLoneFlow(tcp, spec.mtu, segments * segment);
                return std::to_string(watch.GetCpuSeconds());
            },
            [&](const ProcessPool::Result& result) {
                seconds[result.task] = result.failure == 0 ? std::stod(result.text) : 0;
            },
            {});
        speed.segments = SEGMENTS - 1;
        speed.seconds = seconds[0] > 0 ? std::max(0.0, seconds[1] - seconds[0]) : 0;
    }
    return speed;
}

/// @return CPU seconds per event on this machine
double
MeasureEvent(const PreparedScenario& prepared)
{
    constexpr double LINKS = 2;
    const NetworkSpec& network = prepared.scenario.network;
    const FlowSpeed speed = MeasureFlowSpeed(network);
    const double acks = GetAcks(network, prepared.format.segment);
    return speed.seconds / CountEvents(speed.segments, acks, LINKS);
}

/// Add the packets of background flows.
void
AddBackground(const PreparedScenario& prepared, double seconds, RunCost& run)
{
    constexpr double HOPS = 2;
    for (const auto& flow : prepared.scenario.network.background)
    {
        const double stop = std::min(seconds, flow.stop.GetSeconds());
        const double time = std::max(0.0, stop - flow.start.GetSeconds());
        double bytes = flow.rate.GetBitRate() / 8.0 * time;
        if (flow.kind == BackgroundSpec::Kind::BULK)
        {
            bytes = time * prepared.goodput / 2; // a share of a link
            bytes = flow.bytes > 0 ? std::min<double>(bytes, flow.bytes) : bytes;
        }
        if (flow.kind == BackgroundSpec::Kind::ON_OFF)
        {
            bytes *= flow.on.GetSeconds() / (flow.on + flow.off).GetSeconds();
        }
        const double segments = bytes / prepared.format.segment;
        run.linkPackets += HOPS * segments;
        run.events += (EVENTS_PER_LINK * HOPS + 1) * segments;
    }
}

/// @return resident bytes of a run
double
EstimateMemory(const PreparedScenario& prepared, uint32_t workers)
{
    const Scenario& scenario = prepared.scenario;
    const double samples = GetSampleBytes(prepared);
    const double ops = prepared.GetJob().run.plan->ops.size();
    const double connections = workers * MakeLoad(prepared.GetJob(), workers).channels;
    // a node has a plan of its own, and a server has an executor for each worker
    const double nodes = workers + scenario.job.parameterServers;
    const double executors = workers * (1.0 + scenario.job.parameterServers);
    return BASE_BYTES + nodes * (samples + 2 * BYTES_PER_OP * ops) +
           executors * BYTES_PER_OP * ops +
           connections * (BYTES_PER_CONNECTION + double{1} * scenario.network.tcp.sendBuffer /
                                                     prepared.format.segment * BYTES_PER_PACKET);
}

} // namespace

void
MeasurePacketSpeed(const NetworkSpec& network)
{
    MeasureFlowSpeed(network);
}

RunCost
EstimatePacketCost(const PreparedScenario& prepared, const StudyCase& studyCase)
{
    const Scenario& scenario = prepared.scenario;
    const uint32_t workers = studyCase.workers;
    const auto jobs = GetJobSizes(scenario, workers);
    const double step = GuessStep(prepared, workers);
    const double acks = GetAcks(scenario.network, prepared.format.segment);
    RunCost run;
    double ops = 0;
    double allBytes = 0;
    double linkBytes = 0;
    for (uint32_t job = 0; job < jobs.size(); ++job)
    {
        const PreparedJob& item = prepared.jobs[job];
        const StepLoad load = MakeLoad(item, jobs[job].workers);
        // other jobs go on until the first one is done
        const double share = job == 0 ? 1 : step / std::max(step / 100, item.oneWorker.step);
        const double steps = share * scenario.job.steps * jobs[job].workers;
        const double segments = steps * CountSegments(prepared, item, load);
        const double hops = FindHops(prepared, job, workers);
        run.segments += segments;
        run.linkPackets += segments * (1 + acks) * hops;
        run.events += CountEvents(segments, acks, hops) + EVENTS_PER_OP * load.ops * steps;
        run.bytes += job == 0 ? load.bytes * steps : 0;
        allBytes += load.bytes * steps;
        linkBytes += load.bytes * steps * hops;
        ops += load.ops * steps;
        run.cpuSeconds +=
            cost::CONNECTION * scenario.transfer.sockets * jobs[job].workers * load.channels;
    }
    AddBackground(prepared, step * scenario.job.steps, run);
    const bool measures = cost::EVENT * run.events > cost::MEASURED ||
                          GetMeasuredFlows().count(GetFlowKind(scenario.network)) > 0;
    const double measured = measures ? MeasureEvent(prepared) : 0;
    run.cpuSeconds += cost::PACKET_RUN + (measured > 0 ? measured : cost::EVENT) * run.events +
                      cost::FRAME * allBytes / FRAME_BYTES + cost::PACKET_OP * ops;
    if (studyCase.replication == 0)
    {
        run.cpuSeconds += CaptureSeconds(scenario.output, run.linkPackets, linkBytes);
    }
    run.memory = EstimateMemory(prepared, workers);
    return run;
}

} // namespace ns3::dml
