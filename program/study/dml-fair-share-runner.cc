/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-engine-runner.h"
#include "dml-study-words.h"

#include "ns3/dml-fair-share-engine.h"
#include "ns3/dml-grown-windows.h"
#include "ns3/dml-plural.h"
#include "ns3/dml-si-number.h"

#include <fmt/core.h>
#include <utility>

namespace ns3::dml
{

namespace
{

/// Runs of the fair-share engine.
class FairShareRunner : public EngineRunner
{
  public:
    void BuildNetwork(const PreparedScenario& prepared, uint32_t workers) const override
    {
        EngineRunner::BuildNetwork(prepared, workers);
        prepared.GetFairShareNetwork(workers);
    }

    RunCost EstimateCost(const PreparedScenario& prepared,
                         const StudyCase& studyCase) const override
    {
        return EstimateFairShareCost(prepared, studyCase);
    }

    void Run(EngineRun run,
             RunObserver& observer,
             const RunControl& control,
             ReplicationSummary& summary) const override
    {
        const StudyCase& studyCase = run.studyCase;
        auto runs = SettleWindows(run.prepared.scenario.transfer, std::move(run.work.runs));
        DrawGrownWindows(run.prepared.scenario, studyCase.replication, runs);
        FairShareEngine engine(
            std::move(runs),
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

    std::string Describe(const PreparedScenario& prepared, uint32_t /* ranks */) const override
    {
        return fmt::format("  fair-share  {}, links at the goodput of {}\n",
                           Plural(GetReplications(prepared.scenario), "replication"),
                           RateText(8 * prepared.goodput));
    }

    std::string DescribeSpent(const PreparedScenario& /* first */,
                              const EngineSpent& spent,
                              bool /* sweep */) const override
    {
        return fmt::format("fair-share: {} of CPU; {} per CPU second\n",
                           SpentTime(spent.cpuSeconds),
                           FormatSi(spent.ops / spent.cpuSeconds, "ops"));
    }
};

} // namespace

const EngineRunner&
GetFairShareRunner()
{
    static const FairShareRunner runner;
    return runner;
}

} // namespace ns3::dml
