/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-engine-runner.h"
#include "dml-study-words.h"

#include "ns3/dml-error.h"
#include "ns3/dml-fair-share-cluster.h"
#include "ns3/dml-fair-share-engine.h"
#include "ns3/dml-grown-windows.h"
#include "ns3/dml-link-connections.h"
#include "ns3/dml-link-totals.h"
#include "ns3/dml-plural.h"
#include "ns3/dml-rate-solver.h"
#include "ns3/dml-scenario-check.h"
#include "ns3/dml-si-number.h"

#include <cmath>
#include <fmt/core.h>
#include <optional>
#include <utility>
#include <vector>

namespace ns3::dml
{

namespace
{

/// Runs of the fair-share engine.
class FairShareRunner : public EngineRunner
{
  public:
    /// @param kind as which it runs @param rule how links are shared; none: as the scenario says
    FairShareRunner(EngineKind kind, std::optional<SharingRule> rule)
        : m_kind(kind),
          m_rule(rule)
    {
    }

    void Check(const PreparedScenario& prepared, uint32_t workers) const override
    {
        try
        {
            const NetworkSpec& network = prepared.scenario.network;
            if (network.multipath.IsOn() || HasOwnQueues(network))
            {
                prepared.GetFairShareNetwork(workers); // which says what it cannot express
            }
            if (m_rule)
            {
                FairShareNetwork network = MakeNetwork(prepared, workers, 0);
                if (m_rule == SharingRule::BURSTS)
                {
                    CheckBurstPaths(*prepared.GetNetwork(workers), network);
                }
                PrepareFairShareNetwork(network);
                MakeBandwidthSharing(network, nullptr);
            }
        }
        catch (const SharingError& error)
        {
            throw InputError("--engine=" + GetEngineName(m_kind) + ": found " + error.found +
                             "; accepted: " + error.accepted);
        }
        catch (const KeyError& error)
        {
            throw InputError(LocateKey(prepared.scenario, error.GetKey()) + error.GetReason());
        }
    }

    void BuildNetwork(const PreparedScenario& prepared, uint32_t workers) const override
    {
        EngineRunner::BuildNetwork(prepared, workers);
        prepared.GetFairShareNetwork(workers);
    }

    RunCost EstimateCost(const PreparedScenario& prepared,
                         const StudyCase& studyCase) const override
    {
        return EstimateFairShareCost(prepared, studyCase, m_rule);
    }

    void Run(EngineRun run,
             RunObserver& observer,
             const RunControl& control,
             ReplicationSummary& summary) const override
    {
        const StudyCase& studyCase = run.studyCase;
        auto runs = SettleWindows(run.prepared.scenario.transfer, std::move(run.work.runs));
        DrawGrownWindows(run.prepared.scenario, studyCase.replication, runs);
        FairShareEngine engine(std::move(runs),
                               MakeNetwork(run.prepared, studyCase.workers, studyCase.replication),
                               &observer);
        engine.StopWhen(control.stop);
        const Stopwatch watch;
        engine.Run(control.progress);
        summary.wallSeconds = watch.GetWallSeconds();
        summary.cpuSeconds = watch.GetCpuSeconds();
        summary.events = engine.GetCompletedChunks();
        summary.simulatedBytes = engine.GetServedBytes();
        if (const auto totals = engine.GetTransportTotals())
        {
            summary.events += totals->events;
            const auto links =
                ListTotals(*totals, *run.prepared.GetNetwork(studyCase.workers), engine.GetNow());
            run.files->WriteNetwork(links, CountLinkConnections(run.prepared, studyCase.workers));
            Summarise(*totals, summary);
        }
    }

    std::string Describe(const PreparedScenario& prepared, uint32_t /* ranks */) const override
    {
        return fmt::format("  {:11} {}, links at the goodput of {}\n",
                           GetEngineName(m_kind),
                           Plural(GetReplications(prepared.scenario), "replication"),
                           FormatBitRate(8 * prepared.goodput));
    }

    std::string DescribeSpent(const PreparedScenario& /* first */,
                              const EngineSpent& spent,
                              bool /* sweep */) const override
    {
        const std::string work = m_rule == SharingRule::BURSTS
                                     ? FormatSi(spent.bytes / spent.cpuSeconds, "B") + " of tensors"
                                     : FormatSi(spent.ops / spent.cpuSeconds, "ops");
        return fmt::format("{}: {} of CPU; {} per CPU second\n",
                           GetEngineName(m_kind),
                           SpentTime(spent.cpuSeconds),
                           work);
    }

  private:
    /// @param seconds that the run took
    static std::vector<LinkTotals> ListTotals(const TransportTotals& totals,
                                              const ClusterNetwork& cluster,
                                              double seconds)
    {
        std::vector<LinkTotals> links;
        for (DirectedLink way = 0; way < totals.links.size(); ++way)
        {
            const LinkUse& use = totals.links[way];
            LinkTotals link;
            link.link = cluster.GetName(way);
            link.rate = cluster.GetRate(way).GetBitRate();
            link.bytes = std::llround(use.bytes);
            link.packets = use.segments;
            link.dropped = use.dropped;
            link.marked = use.marked;
            link.lost = use.lost;
            link.fullestQueue = std::llround(use.fullest);
            link.utilisation = 8 * use.bytes / (static_cast<double>(link.rate) * seconds);
            links.push_back(link);
        }
        return links;
    }

    /// @param totals of all links and connections @param summary gets what TCP did
    static void Summarise(const TransportTotals& totals, ReplicationSummary& summary)
    {
        summary.drops = 0;
        for (const LinkUse& use : totals.links)
        {
            *summary.drops += use.dropped;
        }
        summary.retransmissions = totals.retransmissions;
        summary.timeouts = totals.timeouts;
        summary.recoveries = totals.recoveries;
    }

    FairShareNetwork MakeNetwork(const PreparedScenario& prepared,
                                 uint32_t workers,
                                 uint32_t replication) const
    {
        FairShareNetwork network = prepared.MakeFairShareNetwork(workers, replication);
        network.rule = m_rule.value_or(network.rule);
        return network;
    }

    EngineKind m_kind;                 //!< as which it runs
    std::optional<SharingRule> m_rule; //!< none: as the scenario says
};

} // namespace

const EngineRunner&
GetFairShareRunner()
{
    static const FairShareRunner runner(EngineKind::FAIR_SHARE, std::nullopt);
    return runner;
}

const EngineRunner&
GetBurstRunner()
{
    static const FairShareRunner runner(EngineKind::BURST, SharingRule::BURSTS);
    return runner;
}

} // namespace ns3::dml
