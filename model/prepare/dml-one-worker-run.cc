/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-one-worker-run.h"

#include "ns3/dml-channel-label.h"
#include "ns3/dml-fair-share-engine.h"
#include "ns3/dml-fifo-policy.h"
#include "ns3/dml-placement.h"
#include "ns3/dml-run-observer.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <utility>

namespace ns3::dml
{

namespace
{

/// A network that takes no time that could be seen.
constexpr double INSTANT_BYTES_PER_SECOND = 1e18;

/// Notes when compute ops start.
class ComputeStarts : public RunListener<ComputeStarts>
{
  public:
    void On(const ChunkRecord& record)
    {
        starts.emplace_back(record.start, record.op);
    }

    std::vector<std::pair<double, OpIndex>> starts; //!< in the order in which ops ended
};

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
RunOneWorker(TrainingRun run, const OneWorkerNetwork& network, RunObserver* observer)
{
    FairShareNetwork star;
    star.rule = SharingRule::MAX_MIN;
    const double rate = network.bytesPerSecond;
    FlowNetwork& links = star.links;
    links = MakeStarFlowNetwork({1, run.plan->servers}, rate, rate);
    links.delaysRequests = network.delaysRequests;
    for (std::size_t flow = 0; !network.delays.empty() && flow < links.training.size(); ++flow)
    {
        const TransferChannel& channel = links.training[flow];
        const bool down = GetDirection(channel) == Direction::DOWNLINK;
        const auto& [to, from] = network.delays[GetServer(channel)];
        links.flows[flow].delay = down ? from : to;
        links.flows[flow].returnDelay = down ? to : from;
    }
    if (links.delaysRequests)
    {
        links.coordinators = {network.delays.front()};
    }
    FairShareEngine engine(std::move(run), std::move(star), observer);
    engine.Run();
    return engine.GetNow();
}

std::vector<OpIndex>
FindComputeOrder(const Profile& profile)
{
    Profile mean = profile;
    for (auto& row : mean.samples)
    {
        if (!row.empty())
        {
            row = {std::accumulate(row.begin(), row.end(), 0.0) / row.size()};
        }
    }
    ComputeStarts observer;
    const auto plan = std::make_shared<StepPlan>(
        MakeStepPlan(mean, Placement(mean.tensors.size(), 0), 1, ParseOverhead()));
    RunOneWorker(MakeOneWorkerRun(plan, 1), {INSTANT_BYTES_PER_SECOND}, &observer);
    // ops that end together are told in the order in which they started
    std::stable_sort(observer.starts.begin(),
                     observer.starts.end(),
                     [](const auto& a, const auto& b) { return a.first < b.first; });
    std::vector<OpIndex> order;
    for (const auto& [start, op] : observer.starts)
    {
        if (RunsOnDevice(profile.graph.Get(op).kind))
        {
            order.push_back(op);
        }
    }
    return order;
}

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
                 {1},
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
