/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-one-worker-run.h"

#include "ns3/dml-fair-share-engine.h"
#include "ns3/dml-fifo-policy.h"

namespace ns3::dml
{

TrainingRun
MakeOneWorkerRun(std::shared_ptr<const StepPlan> plan, uint32_t samples)
{
    TrainingRun run;
    run.plan = std::move(plan);
    run.steps = samples;
    run.policy.SetTypeId(FifoPolicy::GetTypeId());
    run.windowRule = StreamWindowModel::Rule::UNLIMITED;
    run.samplers.emplace_back(StepSampler::Rule::IN_ORDER, samples, 1, 0, 0);
    run.startOffsets = {0};
    return run;
}

double
RunOneWorker(TrainingRun run, double bytesPerSecond, double oneWayDelay, RunObserver* observer)
{
    FairShareNetwork network;
    network.rule = SharingRule::MAX_MIN;
    network.links =
        MakeStarFlowNetwork({1, run.plan->servers}, bytesPerSecond, bytesPerSecond, oneWayDelay);
    FairShareEngine engine(std::move(run), std::move(network), observer);
    engine.Run();
    return engine.GetNow();
}

} // namespace ns3::dml
