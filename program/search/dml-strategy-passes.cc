/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-strategy-passes.h"

#include "ns3/dml-own-json.h"
#include "ns3/dml-plural.h"
#include "ns3/dml-value-text.h"

#include <chrono>
#include <cstdint>
#include <nlohmann/json.hpp>

namespace ns3
{
namespace dml
{

namespace
{

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
                              strategies.empty(),
                              {}});
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
                     " HOROVOD_CYCLE_TIME=" + time,
                 false,
                 {}});
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

/// @return ops that a plan fuses, and what that saves
std::vector<NamedFusion>
NameFusions(const FusionModel& model, const FusionPlan& plan)
{
    std::vector<NamedFusion> fusions;
    for (uint32_t group = 0; group < plan.ops.size(); ++group)
    {
        NamedFusion fusion;
        for (uint32_t op = plan.GetFirstOp(group); op < plan.ops[group]; ++op)
        {
            fusion.ops.push_back(model.ops[op].name);
            fusion.saving += op + 1 < plan.ops[group] ? model.ops[op].saving : 0;
        }
        if (fusion.saving > 0)
        {
            fusions.push_back(std::move(fusion));
        }
    }
    return fusions;
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
    const SearchOutcome found = PathSearch(model, moves, task.shortcuts).Run();
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
    return {{"dPRO's Algorithm 1",
             {GROUPS + ListNames(model.tensors, &FusionTensor::name, found.plan.tensors)},
             "",
             false,
             NameFusions(model, found.plan)}};
}

/// Slices of sizes, by priority: BytePS's default first.
std::vector<Strategy>
ProposeBytePs(SearchTask&)
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
                 {"transfer.policy=bytescheduler",
                  "transfer.window=off",
                  "transfer.partition=" + size + "B",
                  "transfer.credit=" + std::to_string(uint64_t{bytes} * credit) + "B"},
                 "BYTEPS_PARTITION_BYTES=" + size,
                 isDefault,
                 {}});
        }
    }
    return strategies;
}

/// Orders of whole tensors, and TensorFlow's own.
std::vector<Strategy>
ProposeOrders(SearchTask&)
{
    std::vector<Strategy> strategies{
        {"TensorFlow", {"transfer.policy=http2-window"}, "", true, {}}};
    for (const char* policy : {"fifo", "tic", "tac"})
    {
        strategies.push_back(
            {policy, {std::string("transfer.policy=") + policy, "transfer.window=off"}, ""});
    }
    return strategies;
}

std::vector<Strategy>
ProposeSlices(SearchTask&)
{
    std::vector<Strategy> strategies;
    for (const char* policy : {"p3", "prophet"})
    {
        for (const char* size : {"1MB", "4MB"})
        {
            strategies.push_back({std::string(policy) + ", " + size,
                                  {std::string("transfer.policy=") + policy,
                                   "transfer.window=off",
                                   std::string("transfer.partition=") + size},
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

} // namespace

const std::vector<StrategyPass>&
GetStrategyPasses()
{
    static const std::vector<StrategyPass> PASSES{{"none", false, ProposeAlone},
                                                  {"ddp", false, ProposeDdp},
                                                  {"horovod", false, ProposeHorovod},
                                                  {"theorem", false, ProposeTheorem},
                                                  {"optimum", false, ProposeOptimum},
                                                  {"path", false, ProposeAlongPath},
                                                  {"exhaustive", false, ProposeAll},
                                                  {"orders", true, ProposeOrders},
                                                  {"byteps", true, ProposeBytePs},
                                                  {"slices", true, ProposeSlices},
                                                  {"sizes", true, ProposeSizes}};
    return PASSES;
}

std::vector<Strategy>
ProposeStrategies(SearchTask& task)
{
    std::vector<Strategy> strategies;
    for (const auto& pass : GetStrategyPasses())
    {
        if (pass.servers == (task.servers > 0))
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

} // namespace dml
} // namespace ns3
