/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-strategy-passes.h"

#include "ns3/dml-error.h"
#include "ns3/dml-op-fusion.h"
#include "ns3/dml-own-json.h"
#include "ns3/dml-plural.h"
#include "ns3/dml-step-rewrite.h"
#include "ns3/dml-value-text.h"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <utility>

namespace ns3::dml
{

namespace
{

/// Most gradients of which all groups of neighbours are tried.
constexpr std::size_t MOST_EXHAUSTIVE = 8;

/// Key of the buckets of all-reduce.
const std::string GROUPS = "job.gradient_groups=";

/// @param items with names @param name of an item @param ends of groups of them
/// @return value of `job.gradient_groups`
template <class Item, class End>
std::string
ListNames(const std::vector<Item>& items, std::string Item::*name, const std::vector<End>& ends)
{
    nlohmann::ordered_json lists = nlohmann::ordered_json::array();
    std::size_t first = 0;
    for (const std::size_t behind : ends)
    {
        nlohmann::ordered_json list = nlohmann::ordered_json::array();
        for (; first < behind; ++first)
        {
            list.push_back(items[first].*name);
        }
        lists.push_back(list);
    }
    return WriteAsciiJson(lists);
}

std::vector<Strategy>
ProposeAlone(SearchTask&)
{
    return {{"each gradient alone", {GROUPS + "off"}, ""}};
}

std::vector<Strategy>
ProposeDdp(SearchTask&)
{
    std::vector<Strategy> strategies;
    for (const uint32_t cap : {25, 1, 2, 4, 8, 16, 32, 64, 128})
    {
        const std::string size = std::to_string(cap);
        strategies.push_back({"DDP, " + size + " MiB",
                              {GROUPS + "{ddp: " + size + "MiB, first: 1MiB}"},
                              "DistributedDataParallel(model, bucket_cap_mb=" + size + ")",
                              strategies.empty()});
    }
    return strategies;
}

/// Thresholds and cycles that Horovod's own tuner searches: up to 64 MB and 100 ms.
std::vector<Strategy>
ProposeHorovod(SearchTask&)
{
    std::vector<Strategy> strategies{
        {"Horovod, 128 MiB, 1 ms", {GROUPS + "{horovod: {}}"}, "", true, {}}};
    for (const uint32_t threshold : {2, 8, 32, 64})
    {
        for (const uint32_t cycle : {1, 5, 25})
        {
            const std::string size = std::to_string(threshold);
            const std::string time = std::to_string(cycle);
            strategies.push_back(
                {"Horovod, " + size + " MiB, " + time + " ms",
                 {GROUPS + "{horovod: {cycle: " + time + "ms, threshold: " + size + "MiB}}"},
                 "HOROVOD_FUSION_THRESHOLD=" + std::to_string(threshold * 1048576) +
                     " HOROVOD_CYCLE_TIME=" + time});
        }
    }
    return strategies;
}

std::vector<Strategy>
ProposeTheorem(SearchTask& task)
{
    return {{"dPRO's Theorem 2",
             {GROUPS + WriteGroups(task.timeline, FuseByTheorem(task.timeline))},
             ""}};
}

std::vector<Strategy>
ProposeOptimum(SearchTask& task)
{
    return {{"optimum of the model",
             {GROUPS + WriteGroups(task.timeline, FuseOptimally(task.timeline))},
             ""}};
}

std::vector<Strategy>
ProposeAll(SearchTask& task)
{
    const GradientTimeline& timeline = task.timeline;
    const std::size_t size = timeline.gradients.size();
    std::vector<Strategy> strategies;
    if (size > MOST_EXHAUSTIVE)
    {
        return strategies;
    }
    for (uint32_t cuts = 0; cuts < 1u << (size - 1); ++cuts)
    {
        std::vector<std::size_t> groups;
        for (std::size_t i = 1; i < size; ++i)
        {
            if (cuts >> (i - 1) & 1)
            {
                groups.push_back(i);
            }
        }
        groups.push_back(size);
        strategies.push_back({"exhaustive, number " + std::to_string(cuts),
                              {GROUPS + WriteGroups(timeline, groups)},
                              ""});
    }
    return strategies;
}

/// Ops that a strategy fuses.
struct NamedFusion
{
    std::vector<std::string> ops; //!< of the profile, in the order in which they run
    double saving{0};             //!< s, in the profile
};

/// @return ops that a plan fuses, and what that saves
std::vector<NamedFusion>
NameFusions(const SearchTask& task, const FusionPlan& plan)
{
    std::vector<NamedFusion> fusions;
    for (uint32_t group = 0; group < plan.ops.size(); ++group)
    {
        NamedFusion fusion;
        const uint32_t first = plan.GetFirstOp(group);
        for (uint32_t op = first; op < plan.ops[group]; ++op)
        {
            fusion.ops.push_back(task.model.ops[op].name);
            fusion.saving += GetMeanSeconds(task.model.ops[op]);
        }
        fusion.saving -= GetFusedSeconds(task.model, first, plan.ops[group], &GetMeanSeconds);
        fusion.saving /= task.scale * task.slowness;
        if (fusion.saving > 0)
        {
            fusions.push_back(std::move(fusion));
        }
    }
    return fusions;
}

/// @return the profile with these ops fused
Profile
FuseNamedOps(const Profile& profile, const std::vector<NamedFusion>& fusions)
{
    std::map<std::string, OpIndex> places;
    for (OpIndex op = 0; op < profile.graph.GetSize(); ++op)
    {
        places[profile.graph.Get(op).name] = op;
    }
    std::vector<OpFusion> found;
    for (const auto& named : fusions)
    {
        found.push_back({{}, named.saving});
        for (const auto& name : named.ops)
        {
            found.back().ops.push_back(places.at(name));
        }
    }
    return FuseOps(profile, found);
}

std::vector<Strategy>
ProposeAlongPath(SearchTask& task)
{
    const FusionModel& model = task.model;
    const CollectiveMoves moves(task.algorithm,
                                model.workers,
                                task.timeline.latency,
                                task.timeline.secondsPerByte);
    const auto start = std::chrono::steady_clock::now();
    const SearchOutcome found = SearchAlongPath(model, moves, task.shortcuts);
    const double seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    task.note += "Algorithm 1 of dPRO: " + Plural(model.ops.size(), "op") + " and " +
                 Plural(model.tensors.size(), "tensor") + " become " +
                 std::to_string(found.plan.ops.size()) + " and " +
                 std::to_string(found.plan.tensors.size()) + ", a step of " +
                 FormatValue(found.before) + " s takes " + FormatValue(found.seconds) + " s; " +
                 std::to_string(found.passes) + (found.passes == 1 ? " pass" : " passes") + ", " +
                 Plural(found.replays, "replay") + " of " + FormatValue(found.replayedOps / 1e6) +
                 " M ops, " + FormatValue(seconds) + " s";
    Strategy strategy{"dPRO's Algorithm 1",
                      {GROUPS + ListNames(model.tensors, &FusionTensor::name, found.plan.tensors)},
                      ""};
    if (auto fusions = NameFusions(task, found.plan); !fusions.empty())
    {
        strategy.rewrite = [fusions = std::move(fusions)](const Profile& profile) {
            return FuseNamedOps(profile, fusions);
        };
    }
    return {strategy};
}

/// @return settings of an order of transfers, and more
std::vector<std::string>
OrderBy(const SearchTask& task, const std::string& policy, const std::vector<std::string>& more)
{
    std::vector<std::string> settings{"transfer.policy=" + policy};
    if (task.hasWindows)
    {
        settings.push_back("transfer.window=off");
    }
    settings.insert(settings.end(), more.begin(), more.end());
    return settings;
}

/// Slices of sizes, by priority: BytePS's default first.
std::vector<Strategy>
ProposeBytePs(SearchTask& task)
{
    std::vector<Strategy> strategies;
    for (const uint32_t bytes : {4096000, 512000, 1024000, 2048000, 8192000, 16384000})
    {
        for (const uint32_t credit : {4, 1, 16})
        {
            const std::string size = std::to_string(bytes);
            const bool isDefault = strategies.empty();
            strategies.push_back(
                {"BytePS, " + FormatValue(bytes / 1e6) + " MB, credit " + std::to_string(credit),
                 OrderBy(task,
                         "bytescheduler",
                         {"transfer.partition=" + size + "B",
                          "transfer.credit=" + std::to_string(uint64_t{bytes} * credit) + "B"}),
                 "BYTEPS_PARTITION_BYTES=" + size,
                 isDefault});
        }
    }
    return strategies;
}

/// Orders of whole tensors, and TensorFlow's own.
std::vector<Strategy>
ProposeOrders(SearchTask& task)
{
    std::vector<Strategy> strategies{{"TensorFlow", {"transfer.policy=http2-window"}, "", true}};
    for (const char* policy : {"fifo", "tic", "tac"})
    {
        strategies.push_back({policy, OrderBy(task, policy, {}), ""});
    }
    return strategies;
}

std::vector<Strategy>
ProposeSlices(SearchTask& task)
{
    std::vector<Strategy> strategies;
    for (const char* policy : {"p3", "prophet"})
    {
        for (const char* size : {"1MB", "4MB"})
        {
            strategies.push_back(
                {std::string(policy) + ", " + size,
                 OrderBy(task, policy, {std::string("transfer.partition=") + size}),
                 ""});
        }
    }
    return strategies;
}

/// Tensors put together, or cut, with the order of the scenario.
std::vector<Strategy>
ProposeSizes(SearchTask&)
{
    std::vector<Strategy> strategies;
    for (const char* size : {"256KiB", "1MiB", "4MiB", "16MiB"})
    {
        strategies.push_back(
            {std::string("groups of ") + size, {GROUPS + "{bytes: " + size + "}"}, ""});
        strategies.push_back(
            {std::string("slices of ") + size, {std::string("transfer.partition=") + size}, ""});
    }
    return strategies;
}

/// @return a way to train, to be run
Strategy
TrainBy(const MemoryChoice& choice, const std::string& configuration)
{
    return {choice.name,
            {},
            configuration,
            false,
            [choice](const Profile& profile) {
                return RewriteStep(profile, choice.forecast.timeline, choice.options.passes);
            },
            choice.forecast.timeline.GetPeakBytes()};
}

std::vector<Strategy>
ProposeRecomputing(SearchTask& task)
{
    std::vector<Strategy> strategies;
    const uint32_t most = task.memory->CountForward();
    try
    {
        for (const uint32_t segments : {2, 3, 4, 6, 8, 12, 16, 24, 32, 48})
        {
            if (segments <= most)
            {
                const std::string number = std::to_string(segments);
                strategies.push_back(TrainBy(
                    task.memory->TryRecomputing(number),
                    "torch.utils.checkpoint.checkpoint_sequential(layers, " + number + ", x)"));
            }
        }
    }
    catch (const InputError& error)
    {
        task.note += std::string("recompute: ") + error.what();
    }
    return strategies;
}

std::vector<Strategy>
ProposeAccumulating(SearchTask& task)
{
    constexpr uint32_t MOST_PASSES = 64; // a step has the ops of each
    const uint32_t batch = task.memory->GetBatch();
    std::vector<Strategy> strategies;
    for (uint32_t passes = 2; passes <= std::min(batch, MOST_PASSES); ++passes)
    {
        if (batch % passes == 0)
        {
            strategies.push_back(TrainBy(task.memory->TryAccumulating(passes),
                                         "model.no_sync() around all passes but the last one; "
                                         "Horovod: backward_passes_per_step=" +
                                             std::to_string(passes)));
        }
    }
    return strategies;
}

/// A kind of strategies. A new one is a function that proposes some, and a line in PASSES.
struct StrategyPass
{
    StrategyUse use;                                    //!< what for
    std::vector<Strategy> (*propose)(SearchTask& task); //!< some strategies
};

constexpr StrategyPass PASSES[]{{StrategyUse::MEMORY, ProposeRecomputing},
                                {StrategyUse::MEMORY, ProposeAccumulating},
                                {StrategyUse::ALL_REDUCE, ProposeAlone},
                                {StrategyUse::ALL_REDUCE, ProposeDdp},
                                {StrategyUse::ALL_REDUCE, ProposeHorovod},
                                {StrategyUse::ALL_REDUCE, ProposeTheorem},
                                {StrategyUse::ALL_REDUCE, ProposeOptimum},
                                {StrategyUse::ALL_REDUCE, ProposeAlongPath},
                                {StrategyUse::ALL_REDUCE, ProposeAll},
                                {StrategyUse::SERVERS, ProposeOrders},
                                {StrategyUse::SERVERS, ProposeBytePs},
                                {StrategyUse::SERVERS, ProposeSlices},
                                {StrategyUse::SERVERS, ProposeSizes}};

} // namespace

std::vector<Strategy>
ProposeStrategies(SearchTask& task, StrategyUse use)
{
    std::vector<Strategy> strategies;
    for (const auto& pass : PASSES)
    {
        if (pass.use == use)
        {
            const auto proposed = pass.propose(task);
            strategies.insert(strategies.end(), proposed.begin(), proposed.end());
        }
    }
    return strategies;
}

std::string
WriteGroups(const GradientTimeline& timeline, const std::vector<std::size_t>& groups)
{
    return ListNames(timeline.gradients, &TimedGradient::tensor, groups);
}

} // namespace ns3::dml
