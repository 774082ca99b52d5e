/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-transfer-ranks.h"

#include "dml-one-worker-run.h"

#include "ns3/dml-channel-label.h"
#include "ns3/dml-run-observer.h"
#include "ns3/dml-training-run.h"

#include <map>
#include <memory>
#include <utility>

namespace ns3::dml
{

namespace
{

/// Notes when gradients are ready.
class GradientObserver : public RunListener<GradientObserver>
{
  public:
    void On(const TransferRecord& record)
    {
        if (GetDirection(record.channel) == Direction::UPLINK)
        {
            ready[record.op] = record.ready;
        }
    }

    std::map<OpIndex, double> ready; //!< seconds, by push of the profile
};

/// @return the step with all transfers of zero bytes, and one sample: the mean of all
StepPlan
WithoutNetwork(const StepPlan& plan)
{
    StepPlan alone = plan;
    const std::size_t ops = plan.ops.size();
    const std::size_t samples = plan.seconds.size() / ops;
    alone.seconds.assign(ops, 0);
    for (std::size_t op = 0; op < ops; ++op)
    {
        alone.ops[op].bytes = 0;
        for (uint32_t sample = 0; sample < samples; ++sample)
        {
            alone.seconds[op] += plan.GetSeconds(sample, op) / samples;
        }
    }
    return alone;
}

} // namespace

std::vector<uint32_t>
RankTensors(const Profile& profile, const std::vector<OpIndex>& pulls)
{
    std::vector<uint32_t> ranks(profile.tensors.size(), NO_INDEX);
    for (uint32_t rank = 0; rank < pulls.size(); ++rank)
    {
        ranks[profile.graph.Get(pulls[rank]).tensor] = rank;
    }
    return ranks;
}

std::vector<uint32_t>
RankTransfers(const StepPlan& plan,
              const Profile& profile,
              const std::vector<OpIndex>& pulls,
              RankedTransfers which)
{
    const auto rankOfTensor = RankTensors(profile, pulls);
    std::vector<uint32_t> ranks(plan.ops.size(), NO_INDEX);
    for (OpIndex op = 0; op < plan.ops.size(); ++op)
    {
        const OpKind kind = profile.graph.Get(plan.ops[op].profileOp).kind;
        const bool ranked = kind == OpKind::PULL ||
                            (kind == OpKind::PUSH && which == RankedTransfers::PULLS_AND_PUSHES);
        if (ranked && !plan.ops[op].parse)
        {
            ranks[op] = rankOfTensor[plan.ops[op].tensor];
        }
    }
    return ranks;
}

std::vector<double>
PredictGradients(const StepPlan& plan)
{
    GradientObserver observer;
    RunOneWorker(MakeOneWorkerRun(std::make_shared<StepPlan>(WithoutNetwork(plan)), 1),
                 1,
                 0,
                 &observer);
    std::vector<double> generated(plan.ops.size(), -1);
    for (OpIndex op = 0; op < plan.ops.size(); ++op)
    {
        const auto ready = observer.ready.find(plan.ops[op].profileOp);
        if (ready != observer.ready.end() && !plan.ops[op].parse)
        {
            generated[op] = ready->second;
        }
    }
    return generated;
}

} // namespace ns3::dml
