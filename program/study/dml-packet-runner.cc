/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-engine-runner.h"
#include "dml-study-words.h"

#include "ns3/dml-congestion-controls.h"
#include "ns3/dml-congestion-keys.h"
#include "ns3/dml-error.h"
#include "ns3/dml-grown-windows.h"
#include "ns3/dml-link-connections.h"
#include "ns3/dml-packet-engine.h"
#include "ns3/dml-paragraph.h"
#include "ns3/dml-plural.h"
#include "ns3/dml-scenario-check.h"
#include "ns3/dml-si-number.h"

#include <algorithm>
#include <fmt/core.h>
#include <utility>

namespace ns3::dml
{

namespace
{

/// What the full-fidelity run of a scenario is: every packet real, and as many steps and
/// replications as Li et al., ICPE 2020, take for a measured (not simulated) throughput.
constexpr uint32_t FULL_MTU = 1500;
constexpr uint32_t FULL_STEPS = 100;

/// The scenario at full fidelity.
PreparedScenario
MakeFull(const PreparedScenario& prepared)
{
    PreparedScenario full = prepared;
    Scenario& scenario = full.scenario;
    full.mtu = std::min(prepared.mtu, FULL_MTU);
    full.format = GetWireFormat(full.mtu,
                                scenario.network.tcp.timestamps,
                                GetMessageFraming(scenario.transfer));
    scenario.job.steps = std::max(scenario.job.steps, FULL_STEPS);
    scenario.packet.replications = 0;
    return full;
}

/// @return cost of all runs of a scenario
RunCost
SumCosts(const EngineRunner& runner, const PreparedScenario& prepared)
{
    const Scenario& scenario = prepared.scenario;
    const uint32_t replications = runner.GetReplications(scenario);
    RunCost sum;
    for (const uint32_t workers : scenario.job.workers)
    {
        // the first one may be captured, the others are alike
        for (const auto& [replication, count] : {std::pair{0U, 1U}, {1U, replications - 1}})
        {
            const RunCost cost =
                runner.EstimateCost(prepared, {0, workers, EngineKind::PACKET, replication, false});
            sum.bytes += count * cost.bytes;
            sum.segments += count * cost.segments;
            sum.cpuSeconds += count * cost.cpuSeconds;
        }
    }
    return sum;
}

/// "MTU 1500, 100 steps, 5 replications: 3.67 TB in 2.52 G segments"
std::string
DescribePackets(const PreparedScenario& prepared, uint32_t replications, const RunCost& cost)
{
    const Scenario& scenario = prepared.scenario;
    return fmt::format("MTU {}, {}, {}: {} in {}",
                       prepared.mtu,
                       (scenario.job.autoSteps.on ? "at most " : "") +
                           Plural(scenario.job.steps, "step"),
                       Plural(replications, "replication"),
                       FormatSi(cost.bytes, "B"),
                       FormatSi(cost.segments, "segments"));
}

void
EnableCaptures(const OutputSpec& output, const std::string& prefix, PacketEngine& engine)
{
    if (output.pcap)
    {
        engine.EnablePcap(prefix);
    }
    if (output.netanim)
    {
        engine.EnableAnimation(prefix + "-netanim.xml");
    }
    if (output.flows)
    {
        engine.EnableFlowMonitor(prefix + "-flows.xml");
    }
}

/// @param run what is to run @param observer told of it, or null; @return the engine, set up
PacketEngine
MakePacketEngine(EngineRun run, RunObserver* observer)
{
    const Scenario& scenario = run.prepared.scenario;
    DrawGrownWindows(scenario, run.studyCase.replication, run.work.runs);
    PacketEngine engine(std::move(run.work.runs),
                        scenario.network,
                        run.work.network,
                        scenario.transfer,
                        observer);
    engine.SetRandomness(scenario.seed, run.studyCase.replication);
    if (run.studyCase.replication == 0)
    {
        EnableCaptures(scenario.output,
                       GetCapturePrefix(scenario, run.studyCase, run.folder),
                       engine);
    }
    if (scenario.packet.fastForward.on)
    {
        engine.EnableFastForward(scenario.packet.fastForward.check);
    }
    if (scenario.output.connections)
    {
        engine.SampleConnections();
    }
    if (run.world)
    {
        engine.SplitOver(*run.world);
    }
    return engine;
}

/// Runs of the packet engine.
class PacketRunner : public EngineRunner
{
  public:
    uint32_t GetReplications(const Scenario& scenario) const override
    {
        const uint32_t own = scenario.packet.replications;
        return own > 0 ? own : EngineRunner::GetReplications(scenario);
    }

    void Check(const PreparedScenario& prepared, uint32_t /* workers */) const override
    {
        const Scenario& scenario = prepared.scenario;
        for (const auto& [key, control] : ListCongestionKeys(scenario))
        {
            if (IsBbr(control) && !scenario.packet.collapsingTcp)
            {
                throw InputError(LocateKey(scenario, key) + "found " + control.name +
                                 ", which collapses in the pauses of a job in ns-3: its estimate "
                                 "of the rate falls until it sends next to nothing; accepted by "
                                 "the packet engine: another variant, or packet.collapsing_tcp: "
                                 "true for what ns-3 makes of it");
            }
        }
    }

    RunCost EstimateCost(const PreparedScenario& prepared,
                         const StudyCase& studyCase) const override
    {
        return EstimatePacketCost(prepared, studyCase);
    }

    void Run(EngineRun run,
             RunObserver& observer,
             const RunControl& control,
             ReplicationSummary& summary) const override
    {
        CsvResults& files = *run.files;
        const bool split = run.world != nullptr;
        const auto connections = CountLinkConnections(run.prepared, run.studyCase.workers);
        const bool fast = run.prepared.scenario.packet.fastForward.on;
        PacketEngine engine = MakePacketEngine(std::move(run), &observer);
        engine.StopWhen(control.stop);
        const Stopwatch watch;
        const PacketRunTotals totals = engine.Run(control.progress);
        files.WriteNetwork(totals.links, connections);
        summary.wallSeconds = watch.GetWallSeconds();
        summary.cpuSeconds = split ? totals.cpuSeconds : watch.GetCpuSeconds();
        summary.events = totals.events;
        summary.drops = totals.drops;
        summary.retransmissions = totals.tcp.retransmissions;
        summary.timeouts = totals.tcp.timeouts;
        summary.recoveries = totals.tcp.recoveries;
        if (totals.reordering.packets > 0)
        {
            summary.reordering = totals.reordering;
        }
        if (fast)
        {
            summary.skipped = totals.skipped;
        }
    }

    void Join(EngineRun run) const override
    {
        MakePacketEngine(std::move(run), nullptr).Run();
    }

    std::string Describe(const PreparedScenario& prepared, uint32_t ranks) const override
    {
        const auto describe = [this](std::string& text,
                                     const char* name,
                                     const PreparedScenario& scenario,
                                     const RunCost& cost) {
            AppendParagraph(text,
                            name,
                            DescribePackets(scenario, GetReplications(scenario.scenario), cost));
        };
        std::string text;
        describe(text, "  packet      ", prepared, SumCosts(*this, prepared));
        if (ranks > 1)
        {
            text += fmt::format(
                "  ranks       each run of the packet engine split over up to {} processes\n",
                ranks);
        }
        const PreparedScenario full = MakeFull(prepared);
        const RunCost cost = SumCosts(*this, full);
        describe(text, "  full run    ", full, cost);
        return text +
               fmt::format("              about {} of CPU\n", RoughDuration(cost.cpuSeconds));
    }

    std::string DescribeSpent(const PreparedScenario& first,
                              const EngineSpent& spent,
                              bool sweep) const override
    {
        const double full = SumCosts(*this, MakeFull(first)).cpuSeconds;
        return fmt::format("packet: {} of CPU; {} of tensors per CPU second\n",
                           SpentTime(spent.cpuSeconds),
                           FormatSi(spent.bytes / spent.cpuSeconds, "B")) +
               fmt::format("the full run{} would take about {} of CPU at this speed\n",
                           sweep ? " of the first variant" : "",
                           RoughDuration(spent.cpuSeconds * full / spent.estimate));
    }
};

} // namespace

const EngineRunner&
GetPacketRunner()
{
    static const PacketRunner runner;
    return runner;
}

} // namespace ns3::dml
