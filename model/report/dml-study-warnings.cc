/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-study-warnings.h"

#include "dml-exchange-warning.h"
#include "dml-table.h"

#include "ns3/dml-congestion-keys.h"
#include "ns3/dml-host-names.h"
#include "ns3/dml-paragraph.h"
#include "ns3/dml-plugin-factories.h"
#include "ns3/dml-sample-spread.h"
#include "ns3/dml-scenario-check.h"
#include "ns3/dml-shared-buffer.h"
#include "ns3/dml-speed-predictor.h"
#include "ns3/dml-sync-policies.h"
#include "ns3/dml-trained-speed.h"
#include "ns3/dml-value-text.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <sstream>
#include <utility>

namespace ns3::dml
{

namespace
{

/// Largest packet of which a loss is what it would be on a real network.
constexpr uint32_t REAL_MTU = 1500;

/// @return where a fault of links says when, or how much
std::string
FaultKey(const FaultSpec& fault)
{
    const bool loss = fault.kind == FaultSpec::Kind::LOSS;
    return fault.key + (loss ? ".loss" : fault.kind == FaultSpec::Kind::DOWN ? ".down" : ".rate");
}

/// @return the first port of a switch that can overflow: its queue and the bytes that TCP may have
/// on the way through it; 0 and 0 if there is none
std::pair<uint64_t, uint64_t>
FindShortQueue(const PreparedScenario& prepared)
{
    const Scenario& scenario = prepared.scenario;
    const auto shared = prepared.GetNetwork(prepared.GetMostWorkers());
    const ClusterNetwork& network = *shared;
    const auto& jobs = network.GetJobs();
    uint64_t trunk = 0;
    std::map<uint32_t, uint64_t> connections; // to each node without several network cards
    std::map<uint32_t, uint64_t> cards;       // over the link of each network card
    const auto count = [&](const std::string& name) -> uint64_t& {
        return network.HasNic(name) ? cards[network.FindUplink(name) / 2]
                                    : connections[network.FindHost(name)];
    };
    for (uint32_t job = 0; job < jobs.size(); ++job)
    {
        trunk += uint64_t{jobs[job].workers} * jobs[job].servers;
        for (uint32_t i = 0; i < jobs[job].workers; ++i)
        {
            count(WorkerName(job, i)) += jobs[job].servers;
        }
        for (uint32_t i = 0; i < jobs[job].servers; ++i)
        {
            count(ServerName(job, i)) += jobs[job].workers;
        }
    }
    for (uint32_t number = 0; number < network.GetLinks().size(); ++number)
    {
        const NetworkLink& link = network.GetLinks()[number];
        for (uint32_t side = 0; side < 2; ++side)
        {
            const auto& end = network.GetNodes()[link.ends[1 - side]];
            const bool isPort = network.GetNodes()[link.ends[side]].isSwitch;
            const uint64_t flows = end.isSwitch ? trunk
                                   : link.nic   ? cards[number]
                                                : connections[link.ends[1 - side]];
            const uint64_t most = flows * scenario.network.tcp.sendBuffer;
            const auto room = static_cast<uint64_t>(GetLargestContent(link.queues[side]));
            if (isPort && room > 0 && most > room)
            {
                return {room, most};
            }
        }
    }
    return {0, 0};
}

/// Packets larger than those of real networks, where some can be lost.
void
WarnOfLargePackets(const PreparedScenario& prepared, std::vector<std::string>& warnings)
{
    const Scenario& scenario = prepared.scenario;
    if (!IsLargePacket(prepared.mtu))
    {
        return;
    }
    std::string how;
    for (const auto& fault : scenario.network.faults)
    {
        if (how.empty() && (fault.kind == FaultSpec::Kind::DOWN || fault.probability > 0))
        {
            how = FaultKey(fault);
        }
    }
    if (how.empty())
    {
        const auto [room, most] = FindShortQueue(prepared);
        how = room > 0 ? "up to " + std::to_string(most) + " bytes meet in a queue of " +
                             std::to_string(room)
                       : "";
    }
    if (!how.empty())
    {
        warnings.push_back(LocateKey(scenario, "network.mtu") + "packets of " +
                           std::to_string(prepared.mtu) + " bytes can be lost (" + how +
                           "): " + DescribeLargeLoss());
    }
}

void
WarnOfIgnoredLosses(const Scenario& scenario, std::vector<std::string>& warnings)
{
    for (const auto& fault : scenario.network.faults)
    {
        if (fault.kind == FaultSpec::Kind::LOSS && fault.probability > 0)
        {
            warnings.push_back(
                LocateKey(scenario, FaultKey(fault)) +
                "neither fair-share nor burst takes notice of random losses: their results are "
                "those without them");
        }
    }
}

/// Token buckets, of which one engine knows.
void
WarnOfTokenBucket(const Scenario& scenario,
                  const EngineSet& engines,
                  std::vector<std::string>& warnings)
{
    if (scenario.network.tokenBucket.value_or(0) > 0 &&
        std::any_of(engines.begin(), engines.end(), [](EngineKind kind) {
            return kind != EngineKind::BURST;
        }))
    {
        warnings.push_back(LocateKey(scenario, "network.token_bucket") +
                           "only the engine burst takes notice of it; links of the host engine "
                           "have buckets of their own, others none");
    }
}

/// Congestion controls of single jobs and flows, of which sharing rules other than bursts know
/// nothing.
void
WarnOfOwnCongestion(const Scenario& scenario,
                    const EngineSet& engines,
                    std::vector<std::string>& warnings)
{
    if (engines.count(EngineKind::FAIR_SHARE) == 0 || scenario.fairShare.sharing == "bursts")
    {
        return;
    }
    const auto keys = ListCongestionKeys(scenario);
    const auto own = std::find_if(keys.begin(), keys.end(), [&keys](const CongestionKey& chosen) {
        return !(chosen.control == keys.front().control);
    });
    if (own != keys.end())
    {
        warnings.push_back(LocateKey(scenario, own->key) + own->control.name + " beside " +
                           keys.front().control.name +
                           " makes no difference to fair-share, which shares links whatever the "
                           "congestion control; burst and packet take notice of it");
    }
}

/// Servers that hold nothing.
void
WarnOfIdleServers(const PreparedScenario& prepared, std::vector<std::string>& warnings)
{
    for (uint32_t job = 0; job < prepared.jobs.size(); ++job)
    {
        const PreparedJob& item = prepared.jobs[job];
        std::set<uint32_t> busy;
        for (const auto& op : item.run.plan->ops)
        {
            const PlannedResource& resource = item.run.plan->resources[op.resource];
            if (resource.kind == ResourceKind::CHANNEL && !op.parse)
            {
                busy.insert(resource.GetPeer().index);
            }
        }
        const uint64_t servers = item.spec.parameterServers;
        if (busy.size() < servers)
        {
            const uint64_t idle = servers - busy.size();
            warnings.push_back(LocateKey(prepared.scenario, JobKey(job) + ".parameter_servers") +
                               std::to_string(idle) + " of " + Plural(servers, "server") +
                               (idle == 1 ? " holds" : " hold") + " none of the " +
                               Plural(item.profile->tensors.size(), "tensor") + " and " +
                               (idle == 1 ? "has" : "have") + " nothing to do");
        }
    }
}

/// A predictor of speeds that is never trained.
void
WarnOfShortTraining(const PreparedScenario& prepared, std::vector<std::string>& warnings)
{
    for (uint32_t job = 0; job < prepared.jobs.size(); ++job)
    {
        const JobSpec& spec = prepared.jobs[job].spec;
        const BatchControlSpec& control = spec.batchControl;
        const auto predictor =
            control.rule == "cpu"
                ? DynamicCast<TrainedSpeed>(MakeSpeedPredictor(control, prepared.scenario.seed, 0)
                                                .Create<SpeedPredictor>())
                : nullptr;
        if (!predictor)
        {
            continue;
        }
        predictor->Prepare(0);
        const auto first = predictor->GetFirstTraining();
        if (first && spec.steps > *first)
        {
            continue;
        }
        const std::string when = first ? " is first trained after " + Plural(*first, "step") +
                                             ", and workers have " + std::to_string(spec.steps)
                                       : " is never trained, as it keeps too few steps";
        const std::string advice = !first ? "a longer History"
                                   : predictor->GetFewestSteps() < spec.steps
                                       ? "more job.steps, or a smaller warmup"
                                       : "more job.steps";
        warnings.push_back(LocateKey(prepared.scenario, JobKey(job) + ".batch_control") +
                           control.predictor + when + ": it is ema all the time; " + advice);
    }
}

/// An order that is that of the profile.
void
WarnOfSameOrder(const PreparedScenario& prepared, std::vector<std::string>& warnings)
{
    const std::string& policy = prepared.scenario.transfer.policy;
    if (policy != "tic" && policy != "tac" && policy != "explicit")
    {
        return;
    }
    for (uint32_t job = 0; job < prepared.jobs.size(); ++job)
    {
        const StepPlan& plan = *prepared.jobs[job].run.plan;
        std::vector<uint32_t> ranks;
        for (OpIndex i = 0; i < plan.ops.size() && !plan.ranks.empty(); ++i)
        {
            const PlannedOp& op = plan.ops[i];
            if (!op.parse && plan.resources[op.resource].IsReceiving())
            {
                ranks.push_back(plan.ranks[i]);
            }
        }
        if (ranks.size() > 1 && std::is_sorted(ranks.begin(), ranks.end()))
        {
            warnings.push_back(LocateKey(prepared.scenario, "transfer.policy") + policy +
                               " orders the " + Plural(ranks.size(), "tensor") + " of " +
                               JobKey(job) +
                               ".profile as the profile lists them: fifo does the "
                               "same");
        }
    }
}

/// Something that begins at a time of the scenario's choice.
struct Beginning
{
    std::string place; //!< "file:line:column: key: "
    double time;       //!< seconds from the start of the run
};

std::vector<Beginning>
FindBeginnings(const Scenario& scenario)
{
    std::vector<Beginning> beginnings;
    const auto add = [&](const std::string& key, const Time& time) {
        if (time > Time(0))
        {
            beginnings.push_back({LocateKey(scenario, key), time.GetSeconds()});
        }
    };
    for (const auto& fault : scenario.network.faults)
    {
        add(fault.key + ".at", fault.start);
    }
    for (const auto& fault : scenario.processFaults)
    {
        add(fault.key + ".at", fault.start);
    }
    const auto& background = scenario.network.background;
    for (std::size_t i = 0; i < background.size(); ++i)
    {
        add("network.background[" + std::to_string(i) + "].start", background[i].start);
    }
    return beginnings;
}

/// Throughputs that there are only if all workers end their only step in the same instant.
void
WarnOfSingleSteps(const PreparedScenario& prepared, std::vector<std::string>& warnings)
{
    const JobSpec& job = prepared.scenario.job;
    const uint32_t workers = prepared.GetMostWorkers();
    if (workers > 1 && !job.autoSteps.on && job.steps == job.warmup + 1 &&
        !prepared.GetJob().run.sync.Create<SyncPolicy>()->HasRounds())
    {
        warnings.push_back(
            LocateKey(prepared.scenario, "job.steps") + "found " + std::to_string(job.steps) +
            ", of which " + std::to_string(job.warmup) +
            " warm up: one step of each worker is measured, and " + std::to_string(workers) +
            " workers without a barrier have a throughput only if they end theirs in the same "
            "instant, else tables have dashes; accepted: more steps, or job.sync: bsp");
    }
}

/// Measured steps of a job that differ much, of those that it replays.
void
WarnOfSpread(const PreparedScenario& prepared, std::vector<std::string>& warnings)
{
    for (uint32_t job = 0; job < prepared.jobs.size(); ++job)
    {
        const auto& item = prepared.jobs[job];
        const std::string spread = DescribeSpread(*item.profile, item.spec.sampling.lists);
        if (!spread.empty())
        {
            warnings.push_back(LocateKey(prepared.scenario, JobKey(job) + ".profile") + spread);
        }
    }
}

/// How many runs were over when something was to begin.
struct Lateness
{
    uint32_t late{0};  //!< runs that were over
    uint32_t runs{0};  //!< all of them
    double longest{0}; //!< seconds that the longest run took
};

} // namespace

std::string
DescribeLargeLoss()
{
    return "a loss of a large packet costs more than that of a small one, and the packet engine's "
           "throughput is then wrong by up to a factor; use network.mtu: 1500";
}

bool
IsLargePacket(uint32_t mtu)
{
    return mtu > REAL_MTU;
}

std::vector<std::string>
FindWarnings(const PreparedScenario& prepared, const EngineSet& engines)
{
    std::vector<std::string> warnings = prepared.scenario.doubts;
    WarnOfIdleServers(prepared, warnings);
    WarnOfSameOrder(prepared, warnings);
    WarnOfShortTraining(prepared, warnings);
    WarnOfSingleSteps(prepared, warnings);
    WarnOfSpread(prepared, warnings);
    const bool ignoresLosses = std::any_of(engines.begin(), engines.end(), [](EngineKind kind) {
        return !GetEngine(kind).Has(EngineTrait::LOSES_PACKETS);
    });
    if (ignoresLosses)
    {
        WarnOfIgnoredLosses(prepared.scenario, warnings);
        WarnOfExchanges(prepared, warnings);
    }
    WarnOfTokenBucket(prepared.scenario, engines, warnings);
    WarnOfOwnCongestion(prepared.scenario, engines, warnings);
    if (AnyHas(engines, EngineTrait::SIMULATES_PACKETS))
    {
        WarnOfLargePackets(prepared, warnings);
    }
    return warnings;
}

std::vector<std::string>
MakeLateNotes(const std::vector<Scenario>& scenarios, const RunSummary& summary)
{
    std::map<std::pair<std::string, double>, Lateness> counts; // by place and time
    auto item = summary.cases.begin();
    for (const auto& scenario : scenarios)
    {
        const auto beginnings = FindBeginnings(scenario);
        for (; item != summary.cases.end() && item->variant == scenario.variant; ++item)
        {
            for (const auto& [kind, engine] : item->engines)
            {
                for (const auto& run : engine.replications)
                {
                    for (const auto& [place, time] : beginnings)
                    {
                        Lateness& count = counts[{place, time}];
                        ++count.runs;
                        count.late += run.end < time ? 1 : 0;
                        count.longest = std::max(count.longest, run.end);
                    }
                }
            }
        }
    }
    std::vector<std::string> notes;
    for (const auto& [begin, count] : counts)
    {
        if (count.late > 0)
        {
            std::ostringstream note;
            note << "warning: " << begin.first << begin.second << " s is after the end of ";
            count.late == count.runs ? note << "all " : note << count.late << " of ";
            note << Plural(count.runs, "run") << ", the longest of which took "
                 << FormatValue(count.longest) << " s: nothing happens then";
            notes.push_back(note.str());
        }
    }
    return notes;
}

} // namespace ns3::dml
