/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-strategy-passes.h"

#include "ns3/dml-own-json.h"

#include <cstdint>
#include <nlohmann/json.hpp>

namespace ns3
{
namespace dml
{

namespace
{

std::vector<Strategy>
ProposeAlone(const GradientTimeline&)
{
    return {{"each gradient alone", "off", ""}};
}

std::vector<Strategy>
ProposeDdp(const GradientTimeline&)
{
    std::vector<Strategy> strategies;
    for (const uint32_t cap : {25, 1, 2, 4, 8, 16, 32, 64, 128})
    {
        const std::string size = std::to_string(cap);
        strategies.push_back({"DDP, " + size + " MiB",
                              "{ddp: " + size + "MiB, first: 1MiB}",
                              "DistributedDataParallel(model, bucket_cap_mb=" + size + ")",
                              strategies.empty()});
    }
    return strategies;
}

/// Thresholds and cycles that Horovod's own tuner searches: up to 64 MB and 100 ms.
std::vector<Strategy>
ProposeHorovod(const GradientTimeline&)
{
    std::vector<Strategy> strategies{{"Horovod, 128 MiB, 1 ms", "{horovod: {}}", "", true}};
    for (const uint32_t threshold : {2, 8, 32, 64})
    {
        for (const uint32_t cycle : {1, 5, 25})
        {
            const std::string size = std::to_string(threshold);
            const std::string time = std::to_string(cycle);
            strategies.push_back(
                {"Horovod, " + size + " MiB, " + time + " ms",
                 "{horovod: {cycle: " + time + "ms, threshold: " + size + "MiB}}",
                 "HOROVOD_FUSION_THRESHOLD=" + std::to_string(threshold * 1048576) +
                     " HOROVOD_CYCLE_TIME=" + time});
        }
    }
    return strategies;
}

std::vector<Strategy>
ProposeTheorem(const GradientTimeline& timeline)
{
    return {{"dPRO's Theorem 2", WriteGroups(timeline, FuseByTheorem(timeline)), ""}};
}

std::vector<Strategy>
ProposeOptimum(const GradientTimeline& timeline)
{
    return {{"optimum of the model", WriteGroups(timeline, FuseOptimally(timeline)), ""}};
}

std::vector<Strategy>
ProposeAll(const GradientTimeline& timeline)
{
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
        strategies.push_back(
            {"exhaustive, number " + std::to_string(cuts), WriteGroups(timeline, groups), ""});
    }
    return strategies;
}

} // namespace

const std::vector<StrategyPass>&
GetStrategyPasses()
{
    static const std::vector<StrategyPass> PASSES{{"none", ProposeAlone},
                                                  {"ddp", ProposeDdp},
                                                  {"horovod", ProposeHorovod},
                                                  {"theorem", ProposeTheorem},
                                                  {"optimum", ProposeOptimum},
                                                  {"exhaustive", ProposeAll}};
    return PASSES;
}

std::string
WriteGroups(const GradientTimeline& timeline, const std::vector<std::size_t>& groups)
{
    nlohmann::ordered_json lists = nlohmann::ordered_json::array();
    std::size_t first = 0;
    for (const std::size_t behind : groups)
    {
        nlohmann::ordered_json list = nlohmann::ordered_json::array();
        for (; first < behind; ++first)
        {
            list.push_back(timeline.gradients[first].tensor);
        }
        lists.push_back(list);
    }
    return WriteAsciiJson(lists);
}

} // namespace dml
} // namespace ns3
