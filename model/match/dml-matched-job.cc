/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-matched-job.h"

#include "ns3/boolean.h"
#include "ns3/dml-fair-share-engine.h"
#include "ns3/dml-run-observer.h"
#include "ns3/dml-sync-policies.h"
#include "ns3/dml-transfer-policy.h"

#include <algorithm>
#include <utility>

namespace ns3::dml
{

namespace
{

/// Replications of the draws: beyond those that a study has.
constexpr uint32_t FIRST_DRAW = 1u << 24;

/// When steps ended, and when they had their parameters.
class StepTimes : public RunListener<StepTimes>
{
  public:
    /// @param workers number of workers @param detail what is kept
    StepTimes(std::size_t workers, PredictionDetail detail)
        : m_steps(workers),
          m_detail(detail)
    {
    }

    void On(const StepRecord& record)
    {
        PredictedStep& step = Find(record.worker, record.step);
        step.pulled = std::max(step.pulled, record.start);
        step.end = record.end;
    }

    void On(const TransferRecord& record)
    {
        const bool pull = record.channel.to.role == Role::WORKER;
        const Endpoint& server = pull ? record.channel.from : record.channel.to;
        PredictedStep& step =
            Find(pull ? record.channel.to.index : record.channel.from.index, record.step);
        if (pull)
        {
            step.pulled = std::max(step.pulled, record.lastByte);
        }
        if (m_detail == PredictionDetail::ARRIVALS && server.role == Role::SERVER)
        {
            step.arrivals.push_back({{record.tensor, server.index, pull}, record.lastByte});
        }
    }

    /// @return by worker and step
    const std::vector<std::vector<PredictedStep>>& Get() const
    {
        return m_steps;
    }

  private:
    PredictedStep& Find(uint32_t worker, uint32_t step)
    {
        auto& steps = m_steps[worker];
        steps.resize(std::max<std::size_t>(steps.size(), step + 1));
        return steps[step];
    }

    std::vector<std::vector<PredictedStep>> m_steps; //!< see Get()
    PredictionDetail m_detail;                       //!< see the constructor
};

/// @return whether all workers do a step together
bool
GoesInRounds(const TrainingRun& run)
{
    const auto sync = MakeSyncPolicy(run);
    return (sync && sync->Aggregates()) || !run.plan->collectives.empty();
}

/// @return whether transfers of a connection come in an order that is drawn
bool
ShufflesTransfers(const TrainingRun& run)
{
    BooleanValue shuffles(false);
    return run.policy.Create<TransferPolicy>()->GetAttributeFailSafe("Shuffle", shuffles) &&
           shuffles.Get();
}

} // namespace

MatchedJob::MatchedJob(TrainingRun run, FairShareNetwork network)
    : m_run(std::move(run)),
      m_network(std::move(network)),
      m_rounds(GoesInRounds(m_run))
{
}

std::string
MatchedJob::DescribeObstacle() const
{
    if (m_run.plan->overlaps)
    {
        return "a step begins before the one before has ended";
    }
    if (m_run.batchControl || m_run.shedding)
    {
        return "workers' shares of a batch change while the job runs";
    }
    if (!m_run.crashes.empty() || !m_run.restores.empty() || m_run.elastic)
    {
        return "workers or servers crash";
    }
    const auto sync = MakeSyncPolicy(m_run);
    if (sync && sync->Aggregates() && !WaitsForAll(*sync))
    {
        return "late gradients are dropped";
    }
    if (ShufflesTransfers(m_run))
    {
        return "the order of transfers is drawn anew in each step";
    }
    if (m_network.rule == SharingRule::BURSTS && HasRounds())
    {
        return "the connections of bursts would begin each round anew";
    }
    if (m_run.plan->aggregators > 0)
    {
        return "switches take part in its collectives";
    }
    const std::size_t flows = m_network.links.training.size();
    if (flows % m_run.workers != 0)
    {
        return "several jobs share the network";
    }
    return "";
}

bool
MatchedJob::WaitsForSome() const
{
    const auto sync = MakeSyncPolicy(m_run);
    return !HasRounds() && sync && MakesWorkersWait(*sync);
}

bool
MatchedJob::IsRandom() const
{
    return m_network.rule == SharingRule::DROP_TAIL || m_network.rule == SharingRule::BURSTS ||
           m_network.rule == SharingRule::OWN;
}

FairShareNetwork
MatchedJob::MakeNetwork(double rate, uint32_t draw) const
{
    FairShareNetwork network = m_network;
    for (auto& capacity : network.links.capacities)
    {
        capacity *= rate;
    }
    for (auto& change : network.changes)
    {
        change.bytesPerSecond *= rate;
    }
    network.replication = FIRST_DRAW + draw;
    network.begun = true; // steps that are predicted come after others
    return network;
}

std::vector<std::vector<PredictedStep>>
MatchedJob::Predict(const std::vector<MatchedWorker>& chosen,
                    double rate,
                    uint32_t draw,
                    PredictionDetail detail) const
{
    TrainingRun run = MakeRun(chosen);
    FairShareNetwork network = MakeNetwork(rate, draw);
    if (!HasRounds())
    {
        run.sync = ObjectFactory(); // workers of the prediction wait for nobody
        SelectFlows(chosen, network.links);
    }
    SeparatePulls(chosen, network);
    StepTimes times(chosen.size(), detail);
    FairShareEngine engine(std::move(run), std::move(network), &times);
    engine.Run();
    return times.Get();
}

void
MatchedJob::SelectFlows(const std::vector<MatchedWorker>& chosen, FlowNetwork& links) const
{
    const FlowNetwork& all = m_network.links;
    const std::size_t flows = all.training.size() / m_run.workers; // of a worker, together
    links.training.clear();
    links.flows.clear();
    links.coordinators.clear();
    links.connections.clear();
    for (std::size_t i = 0; i < chosen.size(); ++i)
    {
        const uint32_t worker = chosen[i].worker;
        for (std::size_t flow = worker * flows; flow < (worker + 1) * flows; ++flow)
        {
            TransferChannel channel = all.training[flow];
            (channel.from.role == Role::WORKER ? channel.from : channel.to).index =
                static_cast<uint32_t>(i);
            links.training.push_back(channel);
            links.flows.push_back(all.flows[flow]);
            links.connections.push_back(static_cast<FlowId>(flow));
        }
        if (!all.coordinators.empty())
        {
            links.coordinators.push_back(all.coordinators[worker]);
        }
    }
    for (std::size_t flow = all.training.size(); flow < all.flows.size(); ++flow)
    {
        links.flows.push_back(all.flows[flow]);
        links.connections.push_back(static_cast<FlowId>(flow));
    }
}

void
MatchedJob::SeparatePulls(const std::vector<MatchedWorker>& chosen, FairShareNetwork& network)
{
    FlowNetwork& links = network.links;
    for (std::size_t flow = 0; flow < links.training.size(); ++flow)
    {
        const auto& [from, to] = links.training[flow];
        if (to.role != Role::WORKER || chosen[to.index].pulls.empty())
        {
            continue;
        }
        constexpr double FASTEST = 1e15; // bytes per second
        const auto link = static_cast<LinkId>(links.capacities.size());
        links.flows[flow].forward = {link};
        links.flows[flow].reverse.clear();
        links.capacities.push_back(FASTEST);
        double before = 0; // s from the begin of the step
        for (const auto& [bytes, time] : chosen[to.index].pulls[from.index])
        {
            if (bytes == 0) // needs no link, and a rate of 0 would hold up what comes behind it
            {
                continue;
            }
            const double rate =
                time > before ? std::min(FASTEST, bytes / (time - before)) : FASTEST;
            network.changes.push_back({chosen[to.index].start + before, link, rate});
            before = std::max(before, time);
        }
        if (network.rule == SharingRule::EQUAL || network.rule == SharingRule::TWO_PS)
        {
            network.rule = SharingRule::MAX_MIN; // the same for pushes; these know no other links
        }
    }
}

TrainingRun
MatchedJob::MakeRun(const std::vector<MatchedWorker>& chosen) const
{
    TrainingRun run = m_run;
    run.workers = static_cast<uint32_t>(chosen.size());
    run.steps = 1;
    run.stepsOf.clear();
    run.samplers.clear();
    run.startOffsets.clear();
    run.compute.clear();
    run.jitter.clear();
    const bool varied = std::any_of(chosen.begin(), chosen.end(), [&](const auto& worker) {
        return worker.batch > 0 && worker.batch != m_run.batchSize;
    });
    const auto servers = run.plan->servers;
    if (!m_run.windows.IsEmpty())
    {
        run.windows = ConnectionWindows(run.workers, servers, m_run.window);
    }
    for (uint32_t i = 0; i < run.workers; ++i)
    {
        const MatchedWorker& worker = chosen[i];
        const auto steps = static_cast<uint32_t>(worker.samples.size());
        run.steps = std::max(run.steps, steps);
        run.stepsOf.push_back(steps);
        run.samplers.emplace_back(worker.samples);
        double start = worker.start;
        if (!m_run.jitter.empty())
        {
            StepJitter jitter = m_run.jitter[worker.worker];
            for (uint32_t step = 0; step < worker.step; ++step)
            {
                jitter.Next();
            }
            run.jitter.push_back(jitter);
            start = std::max(0.0, start - jitter.Next()); // which the worker waits first
        }
        run.startOffsets.push_back(start);
        if (varied || !m_run.compute.empty())
        {
            run.compute.push_back(worker.worker < m_run.compute.size()
                                      ? m_run.compute[worker.worker]
                                      : WorkerCompute());
            run.compute.back().batch = worker.batch;
        }
        for (uint32_t server = 0; server < servers && !m_run.windows.IsEmpty(); ++server)
        {
            for (const bool down : {true, false})
            {
                std::vector<uint64_t> windows;
                for (uint32_t step = 0; step < steps; ++step)
                {
                    windows.push_back(
                        m_run.windows.Get(worker.worker, server, down, worker.step + step));
                }
                run.windows.Set(i, server, down, windows);
            }
        }
    }
    return run;
}

} // namespace ns3::dml
