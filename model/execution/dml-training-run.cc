/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-training-run.h"

#include "ns3/dml-error.h"
#include "ns3/dml-http2-window-policy.h"
#include "ns3/dml-placement.h"

namespace ns3::dml
{

TrainingRun
MakeTrainingRun(const Profile& profile, uint32_t workers, uint32_t servers, uint32_t steps)
{
    if (workers == 0 || servers == 0 || steps == 0)
    {
        throw InputError("a run of " + std::to_string(workers) + " workers, " +
                         std::to_string(servers) + " servers and " + std::to_string(steps) +
                         " steps; accepted: at least 1 of each");
    }
    TrainingRun run;
    run.plan = std::make_shared<StepPlan>(
        MakeStepPlan(profile, PlaceGreedy(profile.tensors, servers), servers, ParseOverhead()));
    run.workers = workers;
    run.steps = steps;
    run.batchSize = profile.batchSize;
    run.startOffsets.assign(workers, 0);
    run.policy.SetTypeId(Http2WindowPolicy::GetTypeId());
    for (uint32_t worker = 0; worker < workers; ++worker)
    {
        run.samplers.emplace_back(StepSampler::Rule::IN_ORDER,
                                  profile.GetSampleCount(),
                                  1,
                                  0,
                                  worker);
    }
    return run;
}

Ptr<SyncPolicy>
MakeSyncPolicy(const TrainingRun& run)
{
    return run.sync.IsTypeIdSet() ? run.sync.Create<SyncPolicy>() : nullptr;
}

double
GetComputeScale(const WorkerCompute& compute, uint32_t profiled, uint32_t batch)
{
    const uint32_t samples = batch > 0 ? batch : profiled;
    return compute.model ? compute.model->GetScale(samples)
                         : static_cast<double>(samples) / profiled;
}

} // namespace ns3::dml
