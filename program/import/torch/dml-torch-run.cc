/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-torch-run.h"

#include "ns3/dml-error.h"
#include "ns3/dml-plural.h"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

namespace ns3::dml
{

namespace
{

/// @return the events whose names start with @p prefix, by start
std::vector<const TorchEvent*>
FindEvents(const TorchTrace& trace, std::string_view prefix)
{
    std::vector<const TorchEvent*> found;
    for (const TorchEvent& event : trace.events)
    {
        if (StartsWith(trace.GetName(event), prefix))
        {
            found.push_back(&event);
        }
    }
    std::stable_sort(found.begin(), found.end(), [](const auto* a, const auto* b) {
        return a->start < b->start;
    });
    return found;
}

/// Share of the shorter of two steps by which they may overlap.
constexpr double MOST_OVERLAP = 0.1;

/// Add a step unless it takes no time. @param name of it, or empty: it is called by its number
/// @param faults gets the step before if that lasts past the start of this one
void
AddStep(std::vector<TorchStepTime>& steps,
        const TorchTrace& trace,
        const std::string& name,
        int64_t start,
        int64_t end,
        TraceFaults& faults)
{
    if (start >= end)
    {
        return;
    }
    const std::string place =
        trace.file + ": " + (name.empty() ? "step " + std::to_string(steps.size()) : name);
    if (!steps.empty() && start < steps.back().end)
    {
        TorchStepTime& before = steps.back();
        const int64_t overlap = before.end - start;
        if (overlap > MOST_OVERLAP * std::min(before.end - before.start, end - start))
        {
            throw InputError(place + " starts before " + before.place +
                             " ends; accepted are steps that follow one another");
        }
        faults.Add(TraceFault::OVERLAP, before.place, overlap);
        before.end = before.hostEnd = start;
    }
    steps.push_back({place, start, end, start, end});
}

} // namespace

uint32_t
TorchStep::FindPart(TorchWork work) const
{
    const auto part = std::find_if(parts.begin(), parts.end(), [work](const TorchPart& candidate) {
        return candidate.work == work;
    });
    return part == parts.end() ? TorchEvent::NONE : part - parts.begin();
}

TorchRun::TorchRun(const TorchTrace& recorded)
    : trace(recorded),
      outer(recorded.events.size(), TorchEvent::NONE),
      owns(recorded.events.size(), false),
      surrounds(recorded.events.size(), false),
      faults(recorded.faults)
{
    sequences = std::any_of(trace.events.begin(), trace.events.end(), [](const auto& event) {
        return event.backward && event.sequence >= 0;
    });
    std::map<std::string, uint64_t> kernels; // by GPU
    for (const TorchKernel& kernel : trace.kernels)
    {
        ++kernels[trace.texts[kernel.device]];
    }
    const auto most =
        std::max_element(kernels.begin(), kernels.end(), [](const auto& a, const auto& b) {
            return a.second < b.second;
        });
    gpu = most == kernels.end() ? "" : most->first;
}

std::optional<TorchShape>
TorchRun::GetShape(uint32_t text, std::size_t input)
{
    if (text == TorchEvent::NONE)
    {
        return std::nullopt;
    }
    auto known = shapes.find(text);
    if (known == shapes.end())
    {
        known = shapes.emplace(text, ParseTorchShapes(trace.texts[text])).first;
    }
    return input < known->second.size() ? known->second[input] : std::nullopt;
}

uint32_t
TorchRun::FindAccumulate(uint32_t event) const
{
    for (uint32_t i = event; i < outer.size() && outer[i] == event; ++i)
    {
        if (trace.GetName(trace.events[i]) == torchnames::ACCUMULATE &&
            trace.events[i].dims != TorchEvent::NONE)
        {
            return i;
        }
    }
    return TorchEvent::NONE;
}

bool
TorchRun::HasGradient(uint32_t event) const
{
    const uint32_t accumulate = FindAccumulate(event);
    if (accumulate == TorchEvent::NONE || trace.events[accumulate].types == TorchEvent::NONE)
    {
        return true; // nothing tells
    }
    const auto types =
        nlohmann::json::parse(trace.texts[trace.events[accumulate].types], nullptr, false);
    return !types.is_array() || types.empty() || types[0] != "";
}

std::vector<TorchStepTime>
FindTorchSteps(const TorchTrace& trace, std::string& rule, TraceFaults& faults)
{
    if (trace.events.empty())
    {
        throw InputError(trace.file +
                         ": found no ops of a CPU; accepted is a trace of "
                         "torch.profiler with ProfilerActivity.CPU" +
                         trace.faults.GetReason());
    }
    int64_t first = INT64_MAX;
    int64_t last = INT64_MIN;
    for (const TorchEvent& event : trace.events)
    {
        first = std::min(first, event.start);
        last = std::max(last, event.end);
    }
    std::vector<TorchStepTime> steps;
    if (const auto found = FindEvents(trace, torchnames::STEP); !found.empty())
    {
        for (const TorchEvent* event : found)
        {
            AddStep(steps, trace, trace.GetName(*event), event->start, event->end, faults);
        }
        rule = "a step: an annotation ProfilerStep#N";
    }
    else if (const auto updates = FindEvents(trace, torchnames::OPTIMIZER_STEP); !updates.empty())
    {
        int64_t start = first;
        for (const TorchEvent* event : updates)
        {
            AddStep(steps, trace, "", start, event->end, faults);
            start = std::max(start, event->end);
        }
        rule = "a step: to the end of an Optimizer.step, from the end of the one before it (there "
               "is no ProfilerStep#N)";
    }
    else if (const auto resets = FindEvents(trace, torchnames::ZERO_GRAD); !resets.empty())
    {
        for (std::size_t i = 0; i < resets.size(); ++i)
        {
            const int64_t end = i + 1 < resets.size() ? resets[i + 1]->start : last;
            AddStep(steps, trace, "", resets[i]->start, end, faults);
        }
        rule = "a step: from an Optimizer.zero_grad to the next (there is neither ProfilerStep#N "
               "nor Optimizer.step)";
    }
    else
    {
        AddStep(steps, trace, "", first, last, faults);
        rule = "a step: all of the trace (there is no ProfilerStep#N, Optimizer.step or "
               "Optimizer.zero_grad)";
    }
    if (steps.empty())
    {
        throw InputError(trace.file + ": its events have no length; accepted is at least one step");
    }
    rule += " (" + Plural(steps.size(), "step") + ")";
    return steps;
}

std::vector<std::optional<TorchShape>>
ParseTorchShapes(const std::string& text)
{
    std::vector<std::optional<TorchShape>> shapes;
    const auto list = nlohmann::json::parse(text, nullptr, false);
    if (!list.is_array())
    {
        return shapes;
    }
    for (const auto& item : list)
    {
        const bool numbers =
            item.is_array() && std::all_of(item.begin(), item.end(), [](const auto& dimension) {
                return dimension.is_number_unsigned() &&
                       dimension.template get<uint64_t>() <= INT64_MAX;
            });
        shapes.push_back(numbers ? std::make_optional(item.get<TorchShape>()) : std::nullopt);
    }
    return shapes;
}

} // namespace ns3::dml
