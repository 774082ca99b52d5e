/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-packet-runner.h"

#include "dml-capture-path.h"
#include "dml-stopwatch.h"

#include "ns3/dml-packet-engine.h"

#include <utility>

namespace ns3
{
namespace dml
{

namespace
{

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
    if (run.world)
    {
        engine.SplitOver(*run.world);
    }
    return engine;
}

} // namespace

uint32_t
PacketRunner::GetReplications(const Scenario& scenario) const
{
    const uint32_t own = scenario.packet.replications;
    return own > 0 ? own : EngineRunner::GetReplications(scenario);
}

void
PacketRunner::Run(EngineRun run,
                  RunObserver& observer,
                  const RunControl& control,
                  ReplicationSummary& summary) const
{
    CsvResults& files = *run.files;
    const bool split = run.world != nullptr;
    PacketEngine engine = MakePacketEngine(std::move(run), &observer);
    engine.StopWhen(control.stop);
    const Stopwatch watch;
    const PacketRunTotals totals = engine.Run(control.progress);
    files.WriteNetwork(totals.links);
    summary.wallSeconds = watch.GetWallSeconds();
    summary.cpuSeconds = split ? totals.cpuSeconds : watch.GetCpuSeconds();
    summary.events = totals.events;
    summary.drops = totals.drops;
    summary.retransmissions = totals.tcp.retransmissions;
    summary.timeouts = totals.tcp.timeouts;
    summary.recoveries = totals.tcp.recoveries;
}

void
PacketRunner::Join(EngineRun run) const
{
    MakePacketEngine(std::move(run), nullptr).Run();
}

} // namespace dml
} // namespace ns3
