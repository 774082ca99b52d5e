/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-torch-run.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace ns3::dml
{

namespace
{

/// Accumulations of a pass, by kind.
using Pass = std::map<std::string, std::vector<uint32_t>>;

/// @return parts with an op of a kind that takes a weight
std::set<uint32_t>
FindWeightParts(const TorchRun& run, const TorchStep& step)
{
    std::set<uint32_t> parts;
    for (const auto& [outer, part, start] : step.outer)
    {
        const TorchEvent& event = run.trace.events[outer];
        const std::string& name = run.trace.GetName(event);
        if (!event.backward && StartsWith(name, torchnames::OPERATOR) &&
            FindTorchSamples(GetTorchBaseName(name)))
        {
            parts.insert(part);
        }
    }
    return parts;
}

/// @return what tells an accumulation from others
std::string
GetAccumulationKind(const TorchRun& run, const TorchStep& step, const TorchPart& part)
{
    std::string kind = part.node;
    if (run.sequences && part.forward != TorchEvent::NONE)
    {
        const std::string& op = step.parts[part.forward].op;
        kind += " " + op.substr(0, op.rfind('_'));
    }
    if (const uint32_t i = run.FindAccumulate(part.event); i != TorchEvent::NONE)
    {
        const TorchEvent& event = run.trace.events[i];
        kind += " " + run.trace.texts[event.dims];
        kind += event.types == TorchEvent::NONE ? "" : " " + run.trace.texts[event.types];
    }
    return kind;
}

/// @param isSplit gets whether an optimizer's step is between two accumulations
/// @return all passes that have an accumulation
std::vector<Pass>
FindPasses(const TorchRun& run, const TorchStep& step, bool& isSplit)
{
    const std::set<uint32_t> weights =
        run.sequences ? std::set<uint32_t>() : FindWeightParts(run, step);
    std::vector<Pass> passes(1);
    bool isUpdated = false;
    for (uint32_t p = 0; p < step.parts.size(); ++p)
    {
        const TorchPart& part = step.parts[p];
        const bool isStart = part.work == TorchWork::FORWARD || weights.count(p) > 0;
        if (isStart && !passes.back().empty())
        {
            passes.emplace_back();
        }
        if (part.work == TorchWork::ACCUMULATE)
        {
            passes.back()[GetAccumulationKind(run, step, part)].push_back(p);
            isSplit |= isUpdated;
        }
        // what a reset follows was used before, as by an optimizer that evaluates several times
        const bool isReset =
            part.event != TorchEvent::NONE &&
            StartsWith(run.trace.GetName(run.trace.events[part.event]), torchnames::ZERO_GRAD);
        isUpdated |= (part.work == TorchWork::UPDATE || isReset) && !passes.front().empty();
    }
    if (passes.back().empty())
    {
        passes.pop_back();
    }
    return passes;
}

/// @return true if all passes have as many accumulations of every kind
bool
AreSamePasses(const std::vector<Pass>& passes)
{
    const Pass& first = passes.front();
    return std::all_of(passes.begin(), passes.end(), [&first](const Pass& pass) {
        return std::equal(pass.begin(),
                          pass.end(),
                          first.begin(),
                          first.end(),
                          [](const auto& a, const auto& b) {
                              return a.first == b.first && a.second.size() == b.second.size();
                          });
    });
}

} // namespace

uint32_t
MergeTorchPasses(TorchRun& run, TorchStep& step)
{
    bool isSplit = false;
    const std::vector<Pass> passes = FindPasses(run, step, isSplit);
    if (passes.size() < 2)
    {
        return 0;
    }
    if (isSplit || !AreSamePasses(passes))
    {
        return passes.size();
    }
    step.passes = passes.size();
    std::set<uint32_t> complete;
    for (const auto& [kind, last] : passes.back())
    {
        const std::vector<uint32_t>& first = passes.front().at(kind);
        for (std::size_t i = 0; i < last.size(); ++i)
        {
            step.parts[last[i]].forward = step.parts[first[i]].forward;
        }
        complete.insert(last.begin(), last.end());
    }
    std::map<std::string, uint32_t> names;
    for (uint32_t p = 0; p < step.parts.size(); ++p)
    {
        TorchPart& part = step.parts[p];
        if (part.work != TorchWork::ACCUMULATE || complete.count(p) > 0)
        {
            continue;
        }
        part.work = TorchWork::BACKWARD;
        const std::string op =
            part.forward == TorchEvent::NONE ? "" : step.parts[part.forward].op + "/";
        const std::string name = "backward/" + op + "AccumulateGrad";
        const uint32_t count = ++names[name];
        part.name = name + (count > 1 ? "_" + std::to_string(count) : "");
        ++run.counts.repeated;
    }
    return 0;
}

} // namespace ns3::dml
