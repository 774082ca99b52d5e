/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-op-fusion.h"

#include <algorithm>
#include <string>
#include <utility>

namespace ns3::dml
{

namespace
{

/// @return "conv1+relu1", or of many "conv1+...+relu9"
std::string
JoinNames(const Profile& profile, const std::vector<OpIndex>& ops)
{
    constexpr std::size_t MOST_NAMES = 3;
    std::string name = profile.graph.Get(ops.front()).name;
    for (std::size_t i = 1; ops.size() <= MOST_NAMES && i + 1 < ops.size(); ++i)
    {
        name += "+" + profile.graph.Get(ops[i]).name;
    }
    return name + (ops.size() > MOST_NAMES ? "+...+" : "+") + profile.graph.Get(ops.back()).name;
}

/// @return by step: seconds that the fused op takes
std::vector<double>
AddSamples(const Profile& profile, const OpFusion& fusion)
{
    std::vector<double> samples(profile.samples[fusion.ops.front()].size(), -fusion.saving);
    for (const OpIndex op : fusion.ops)
    {
        for (std::size_t step = 0; step < samples.size(); ++step)
        {
            samples[step] += profile.samples[op][step];
        }
    }
    for (double& seconds : samples)
    {
        seconds = std::max(0.0, seconds);
    }
    return samples;
}

/// @return what the fused op holds: outputs inside it go nowhere else
OpMemory
AddMemory(const Profile& profile, const OpFusion& fusion)
{
    OpMemory memory;
    for (const OpIndex op : fusion.ops)
    {
        const OpMemory& own = profile.graph.Get(op).memory;
        memory.activation += own.activation;
        memory.output = own.output;
        memory.noOutput = own.noOutput;
        memory.workspace = std::max(memory.workspace, own.workspace);
    }
    return memory;
}

} // namespace

Profile
FuseOps(const Profile& profile, const std::vector<OpFusion>& fusions)
{
    const uint32_t size = profile.graph.GetSize();
    std::vector<const OpFusion*> fused(size, nullptr);
    for (const auto& fusion : fusions)
    {
        for (const OpIndex op : fusion.ops)
        {
            fused[op] = &fusion;
        }
    }
    const auto isLast = [&fused](OpIndex op) {
        const auto& ops = fused[op]->ops;
        return op == *std::max_element(ops.begin(), ops.end());
    };
    Profile result = profile;
    result.graph = OpGraph();
    result.samples.clear();
    std::vector<OpIndex> places(size, NO_INDEX);
    for (OpIndex op = 0; op < size; ++op)
    {
        if (fused[op] && !isLast(op))
        {
            continue;
        }
        Op kept = profile.graph.Get(op);
        if (fused[op])
        {
            kept.name = JoinNames(profile, fused[op]->ops);
            kept.memory = AddMemory(profile, *fused[op]);
        }
        places[op] = result.graph.Add(std::move(kept));
        result.samples.push_back(fused[op] ? AddSamples(profile, *fused[op]) : profile.samples[op]);
        for (const OpIndex member : fused[op] ? fused[op]->ops : std::vector<OpIndex>{op})
        {
            places[member] = places[op];
        }
    }
    result.graph.AddDependencies(profile.graph, places);
    result.Validate();
    return result;
}

} // namespace ns3::dml
