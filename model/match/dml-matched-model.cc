/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-matched-model.h"

#include "ns3/boolean.h"
#include "ns3/dml-fair-share-engine.h"
#include "ns3/dml-sync-policies.h"
#include "ns3/dml-transfer-policy.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

namespace ns3::dml
{

namespace
{

/// Replications of the draws: beyond those that a study has.
constexpr uint32_t FIRST_DRAW = 1u << 24;

/// When each worker's one step ended.
class EndCollector : public RunListener<EndCollector>
{
  public:
    /// @param workers number of workers
    explicit EndCollector(std::size_t workers)
        : m_ends(workers, 0)
    {
    }

    void On(const StepRecord& record)
    {
        m_ends[record.worker] = record.end;
    }

    /// @return by worker, s
    const std::vector<double>& GetEnds() const
    {
        return m_ends;
    }

  private:
    std::vector<double> m_ends; //!< by worker
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

MatchedModel::MatchedModel(TrainingRun run, FairShareNetwork network, std::vector<StepRecord> steps)
    : m_run(std::move(run)),
      m_network(std::move(network)),
      m_steps(std::move(steps)),
      m_rounds(GoesInRounds(m_run))
{
    std::sort(m_steps.begin(), m_steps.end(), [](const StepRecord& one, const StepRecord& other) {
        return std::tie(one.start, one.worker) < std::tie(other.start, other.worker);
    });
    if (m_rounds)
    {
        KeepWholeRounds();
    }
    else
    {
        m_run.sync = ObjectFactory(); // the instants say already who waited for whom
    }
    m_run.jitter.clear(); // likewise how late steps were
}

std::string
MatchedModel::DescribeObstacle(const TrainingRun& run, const FairShareNetwork& network)
{
    if (run.plan->overlaps)
    {
        return "a step begins before the one before has ended";
    }
    if (run.batchControl || run.shedding)
    {
        return "workers' shares of a batch change while the job runs";
    }
    if (!run.crashes.empty() || !run.restores.empty() || run.elastic)
    {
        return "workers or servers crash";
    }
    const auto sync = MakeSyncPolicy(run);
    if (sync && sync->Aggregates() && !WaitsForAll(*sync))
    {
        return "late gradients are dropped";
    }
    if (ShufflesTransfers(run))
    {
        return "the order of transfers is drawn anew in each step";
    }
    const std::size_t flows = network.links.training.size();
    if (flows % run.workers != 0)
    {
        return "several jobs share the network";
    }
    return "";
}

void
MatchedModel::KeepWholeRounds()
{
    std::map<uint32_t, uint32_t> workers;
    for (const auto& step : m_steps)
    {
        ++workers[step.step];
    }
    m_steps.erase(
        std::remove_if(m_steps.begin(),
                       m_steps.end(),
                       [&](const StepRecord& step) { return workers[step.step] != m_run.workers; }),
        m_steps.end());
    std::sort(m_steps.begin(), m_steps.end(), [](const StepRecord& one, const StepRecord& other) {
        return std::tie(one.step, one.worker) < std::tie(other.step, other.worker);
    });
}

bool
MatchedModel::IsRandom() const
{
    return m_network.rule == SharingRule::DROP_TAIL || m_network.rule == SharingRule::OWN;
}

std::vector<double>
MatchedModel::Predict(double rate, uint32_t draw) const
{
    return m_rounds ? PredictRounds(rate, draw) : PredictSteps(rate, draw);
}

FairShareNetwork
MatchedModel::MakeNetwork(double rate, uint32_t draw) const
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
    return network;
}

TrainingRun
MatchedModel::MakeRun(std::size_t begin, std::size_t end) const
{
    TrainingRun run = m_run;
    run.steps = 1;
    run.workers = static_cast<uint32_t>(end - begin);
    run.samplers.clear();
    run.startOffsets.clear();
    run.compute.clear();
    const bool varied = std::any_of(m_steps.begin(), m_steps.end(), [&](const StepRecord& step) {
        return step.batch > 0 && step.batch != m_run.batchSize;
    });
    const auto servers = run.plan->servers;
    if (!m_run.windows.IsEmpty())
    {
        run.windows = ConnectionWindows(run.workers, servers, m_run.window);
    }
    for (std::size_t i = begin; i < end; ++i)
    {
        const StepRecord& step = m_steps[i];
        run.samplers.emplace_back(std::vector<uint32_t>{step.sample});
        run.startOffsets.push_back(step.start);
        if (varied || !m_run.compute.empty())
        {
            run.compute.push_back(step.worker < m_run.compute.size() ? m_run.compute[step.worker]
                                                                     : WorkerCompute());
            run.compute.back().batch = step.batch;
        }
        for (uint32_t server = 0; server < servers && !m_run.windows.IsEmpty(); ++server)
        {
            for (const bool down : {true, false})
            {
                run.windows.Set(static_cast<uint32_t>(i - begin),
                                server,
                                down,
                                {m_run.windows.Get(step.worker, server, down, step.step)});
            }
        }
    }
    return run;
}

std::vector<double>
MatchedModel::PredictSteps(double rate, uint32_t draw) const
{
    if (m_steps.empty())
    {
        return {};
    }
    FairShareNetwork network = MakeNetwork(rate, draw);
    const FlowNetwork& all = m_network.links;
    FlowNetwork& links = network.links;
    const std::size_t flows = all.training.size() / m_run.workers; // of a worker, together
    links.training.clear();
    links.flows.clear();
    links.coordinators.clear();
    links.connections.clear();
    for (std::size_t i = 0; i < m_steps.size(); ++i)
    {
        const uint32_t worker = m_steps[i].worker;
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
    EndCollector ends(m_steps.size());
    FairShareEngine engine(MakeRun(0, m_steps.size()), std::move(network), &ends);
    engine.Run();
    std::vector<double> durations = ends.GetEnds();
    for (std::size_t i = 0; i < m_steps.size(); ++i)
    {
        durations[i] -= m_steps[i].start;
    }
    return durations;
}

std::vector<double>
MatchedModel::PredictRounds(double rate, uint32_t draw) const
{
    std::vector<double> durations;
    for (std::size_t first = 0; first < m_steps.size(); first += m_run.workers)
    {
        EndCollector ends(m_run.workers);
        FairShareEngine engine(MakeRun(first, first + m_run.workers),
                               MakeNetwork(rate, draw),
                               &ends);
        engine.Run();
        for (uint32_t worker = 0; worker < m_run.workers; ++worker)
        {
            durations.push_back(ends.GetEnds()[worker] - m_steps[first + worker].start);
        }
    }
    return durations;
}

} // namespace ns3::dml
