/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-fair-share-runner.h"

#include "dml-stopwatch.h"

#include "ns3/dml-fair-share-engine.h"

#include <utility>

namespace ns3
{
namespace dml
{

void
FairShareRunner::BuildNetwork(const PreparedScenario& prepared, uint32_t workers) const
{
    EngineRunner::BuildNetwork(prepared, workers);
    prepared.GetFairShareNetwork(workers);
}

void
FairShareRunner::Run(EngineRun run,
                     RunObserver& observer,
                     const RunControl& control,
                     ReplicationSummary& summary) const
{
    const StudyCase& studyCase = run.studyCase;
    FairShareEngine engine(
        SettleWindows(run.prepared.scenario.transfer, std::move(run.work.runs)),
        run.prepared.MakeFairShareNetwork(studyCase.workers, studyCase.replication),
        &observer);
    engine.StopWhen(control.stop);
    const Stopwatch watch;
    engine.Run(control.progress);
    summary.wallSeconds = watch.GetWallSeconds();
    summary.cpuSeconds = watch.GetCpuSeconds();
    summary.events = engine.GetCompletedChunks();
    summary.simulatedBytes = engine.GetServedBytes();
}

} // namespace dml
} // namespace ns3
