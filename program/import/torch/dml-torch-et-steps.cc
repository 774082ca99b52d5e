/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-torch-et-run.h"

#include "ns3/dml-error.h"
#include "ns3/dml-plural.h"

#include <algorithm>

namespace ns3::dml
{

namespace
{

/// @return the annotations of the Kineto trace that last and whose name starts with @p prefix, by
/// start
std::vector<TorchEtStep>
FindAnnotations(const TorchEtRun& run, std::string_view prefix)
{
    std::vector<TorchEtStep> all;
    for (const TorchEtEvent& event : run.times.events)
    {
        const std::string& name = run.times.texts[event.name];
        if (StartsWith(name, prefix) && event.start < event.end)
        {
            all.push_back({run.traceFile + ": " + name, event.start, event.end});
        }
    }
    std::stable_sort(all.begin(), all.end(), [](const auto& a, const auto& b) {
        return a.start < b.start;
    });
    const auto early = std::adjacent_find(all.begin(), all.end(), [](const auto& a, const auto& b) {
        return b.start < a.end;
    });
    if (early != all.end())
    {
        throw InputError(std::next(early)->place +
                         " starts before the one before it ends; accepted are "
                         "steps that follow one another");
    }
    return all;
}

/// @return from the start of the first operator to the end of the last
TorchEtStep
FindWholeTrace(const TorchEtRun& run)
{
    TorchEtStep step{run.traceFile, INT64_MAX, INT64_MIN};
    for (const TorchEtNode& node : run.nodes)
    {
        if (node.event && !node.isAnnotation)
        {
            step.start = std::min(step.start, node.event->start);
            // so that an operator of no length is in it
            step.end = std::max(step.end, std::max(node.event->end, node.event->start + 1));
        }
    }
    return step;
}

} // namespace

uint32_t
TorchEtRun::FindStep(int64_t time) const
{
    const auto behind =
        std::upper_bound(steps.begin(), steps.end(), time, [](int64_t at, const TorchEtStep& step) {
            return at < step.start;
        });
    return behind != steps.begin() && time < (behind - 1)->end ? behind - 1 - steps.begin()
                                                               : TorchEtOp::NONE;
}

std::string
FindTorchEtSteps(TorchEtRun& run)
{
    run.steps = FindAnnotations(run, torchnames::STEP);
    std::string rule = "step: an annotation ProfilerStep#N";
    if (run.steps.empty())
    {
        run.steps = FindAnnotations(run, "Optimizer.step");
        int64_t start = FindWholeTrace(run).start;
        for (TorchEtStep& step : run.steps)
        {
            step.start = std::min(start, step.end);
            start = step.end;
        }
        rule = "step: to the end of an Optimizer.step from that of the one before, as there is no "
               "ProfilerStep#N";
    }
    if (run.steps.empty())
    {
        run.steps = {FindWholeTrace(run)};
        rule = "step: all of the Execution Trace, as there is neither ProfilerStep#N nor "
               "Optimizer.step";
    }
    std::set<uint32_t> used;
    for (const TorchEtNode& node : run.nodes)
    {
        if (node.event && !node.isAnnotation)
        {
            used.insert(run.FindStep(node.event->start));
        }
    }
    std::vector<TorchEtStep> steps;
    for (uint32_t i = 0; i < run.steps.size(); ++i)
    {
        if (used.count(i) > 0)
        {
            steps.push_back(run.steps[i]);
        }
    }
    rule += " (" + std::to_string(steps.size()) + " of " + Plural(run.steps.size(), "step") +
            " with operators of the Execution Trace)";
    run.steps = std::move(steps);
    return rule;
}

} // namespace ns3::dml
