/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_IN_ORDER_RUN_H
#define DML_IN_ORDER_RUN_H

#include "ns3/dml-fair-share-engine.h"

#include <cstdint>
#include <memory>

namespace ns3::dml
{

/**
 * @brief Run a job in the fair-share engine, all samples in order and the first one twice, on a
 * star of 1 Gbit/s with a latency of 10 us; transfers are cut into chunks and parsed.
 */
inline void
RunInOrder(const Profile& profile, uint32_t workers, uint32_t servers, RunObserver& observer)
{
    constexpr double RATE = 125e6;
    TrainingRun run;
    run.policy.SetTypeId("ns3::dml::Http2WindowPolicy");
    run.window = 100000;
    run.plan = std::make_shared<StepPlan>(MakeStepPlan(profile,
                                                       PlaceGreedy(profile.tensors, servers),
                                                       servers,
                                                       {1e-9, 1e-5, false, {}}));
    run.workers = workers;
    run.steps = profile.GetSampleCount() + 1;
    for (uint32_t worker = 0; worker < workers; ++worker)
    {
        run.startOffsets.push_back(0.0123456789 * worker);
        run.samplers.emplace_back(StepSampler::Rule::IN_ORDER,
                                  profile.GetSampleCount(),
                                  1,
                                  0,
                                  worker);
    }
    FairShareNetwork network;
    network.rule = SharingRule::MAX_MIN;
    network.links = MakeStarFlowNetwork({workers, servers}, RATE, RATE, 1e-5);
    FairShareEngine(run, network, &observer).Run();
}

} // namespace ns3::dml

#endif /* DML_IN_ORDER_RUN_H */
