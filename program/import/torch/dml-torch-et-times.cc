/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-torch-et-run.h"

#include "ns3/dml-device-steps.h"
#include "ns3/dml-error.h"
#include "ns3/dml-json-record.h"
#include "ns3/dml-kernel-spans.h"
#include "ns3/dml-plural.h"

#include <algorithm>
#include <array>
#include <cstdlib>

namespace ns3::dml
{

namespace
{

/// Bounds that keep sums and differences of times in range, in nanoseconds.
constexpr int64_t MAX_SPAN = 1'000'000'000'000'000;

/// Share of the shorter of two steps by which they may overlap.
constexpr double MOST_OVERLAPPING = 0.1;

/// @return the annotations of the Kineto trace that last and whose name starts with @p prefix, by
/// start; each ends when the next one begins, at the latest
std::vector<TorchEtStep>
FindAnnotations(TorchEtRun& run, std::string_view prefix)
{
    std::vector<TorchEtStep> all;
    for (const TorchEtEvent& event : run.times.events)
    {
        const std::string& name = run.times.texts[event.name];
        if (StartsWith(name, prefix) && event.start < event.end)
        {
            all.push_back({run.traceFile + ": " + name, event.start, event.end, 0, 0});
        }
    }
    std::stable_sort(all.begin(), all.end(), [](const auto& a, const auto& b) {
        return a.start < b.start;
    });
    for (std::size_t i = 0; i + 1 < all.size(); ++i)
    {
        const int64_t overlap = all[i].end - all[i + 1].start;
        const int64_t shorter =
            std::min(all[i].end - all[i].start, all[i + 1].end - all[i + 1].start);
        if (overlap > MOST_OVERLAPPING * shorter)
        {
            throw InputError(all[i + 1].place +
                             " starts before the one before it ends; accepted are "
                             "steps that follow one another");
        }
        if (overlap > 0)
        {
            run.times.faults.Add(TraceFault::OVERLAP, all[i].place, overlap);
            all[i].end = all[i + 1].start;
        }
    }
    return all;
}

/// @return from the start of the first operator to the end of the last
TorchEtStep
FindWholeTrace(const TorchEtRun& run)
{
    TorchEtStep step{run.traceFile, INT64_MAX, INT64_MIN, 0, 0};
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

/// Tell when GPUs worked for the steps. @return of each step: whether its kernels are in the trace
std::vector<bool>
FindGpuTimes(TorchEtRun& run)
{
    std::vector<DeviceStep> steps;
    for (const TorchEtStep& step : run.steps)
    {
        DeviceStep device;
        device.place = step.place;
        device.hostStart = step.start;
        device.hostEnd = step.end;
        device.isShared = true;
        steps.push_back(device);
    }
    for (DeviceStep& step : steps)
    {
        step.trains = false;
    }
    for (const TorchEtNode& node : run.nodes)
    {
        if (node.event && node.name.find(torchnames::ACCUMULATE) != std::string::npos)
        {
            MarkTrainingAt(steps, node.event->start);
        }
    }
    std::unordered_map<uint64_t, const TorchEtEvent*> events; // by "External id"
    for (const TorchEtEvent& event : run.times.events)
    {
        events.emplace(event.external, &event);
    }
    events.erase(0);
    std::map<uint32_t, uint64_t> counts; // of kernels, by GPU
    std::vector<KernelSpan> spans;
    for (TorchEtLaunch& kernel : run.times.kernels)
    {
        ++counts[kernel.place];
        spans.push_back(
            {kernel.place, kernel.stream, kernel.correlation, kernel.start, &kernel.end});
    }
    CutLongKernels(std::move(spans), run.times.faults);
    const uint64_t launching = std::count_if(run.times.calls.begin(),
                                             run.times.calls.end(),
                                             [](const auto& call) { return call.second.launches; });
    if (run.times.kernels.empty() && launching > 0)
    {
        throw InputError(run.timesFile + ": " + Plural(launching, "call") +
                         " launched work on a GPU, and none of that is in the trace; accepted is "
                         "a trace with the GPU's kernels (ProfilerActivity.CUDA)");
    }
    const auto most =
        std::max_element(counts.begin(), counts.end(), [](const auto& a, const auto& b) {
            return a.second < b.second;
        });
    std::vector<DeviceWork> works;
    std::vector<DeviceCall> calls;
    std::set<uint64_t> answered;
    for (const TorchEtLaunch& kernel : run.times.kernels)
    {
        answered.insert(kernel.correlation);
        if (kernel.place != most->first)
        {
            continue;
        }
        const TorchEtLaunch* const call = run.times.FindCall(kernel.correlation);
        const auto event = events.find(kernel.external);
        const int64_t known = event == events.end() ? INT64_MIN : event->second->start;
        const bool isCollective =
            event != events.end() && IsTorchCollective(run.times.texts[event->second->name]);
        works.push_back({kernel.start,
                         kernel.end,
                         call ? call->start : known,
                         call ? call->end : known,
                         kernel.stream,
                         kernel.computes && !isCollective});
    }
    for (const auto& [correlation, call] : run.times.calls)
    {
        if (call.launches)
        {
            calls.push_back({call.start, answered.count(correlation) > 0});
        }
    }
    FindDeviceSteps(steps, works, calls);
    std::vector<bool> complete;
    for (std::size_t s = 0; s < steps.size(); ++s)
    {
        run.steps[s].deviceStart = steps[s].start;
        run.steps[s].deviceEnd = steps[s].end;
        complete.push_back(steps[s].complete);
    }
    return complete;
}

} // namespace

void
TorchEtTimes::Add(const JsonRecord& record)
{
    const KinetoCategory category = GetKinetoCategory(record.GetText("cat"));
    if (record.GetText("ph") != "X" || category == KinetoCategory::OTHER)
    {
        return;
    }
    const auto times = GetKinetoTimes(record, faults);
    if (!times)
    {
        return;
    }
    const auto [start, end] = *times;
    first = first.value_or(start);
    if (std::abs(start - *first) > MAX_SPAN)
    {
        record.Fail("ts",
                    "accepted are times within 1e12 us of the first, " +
                        std::to_string(*first / 1000));
    }
    const auto intern = [this](const std::string& text) {
        const auto [known, isNew] = byText.emplace(text, texts.size());
        if (isNew)
        {
            texts.push_back(text);
        }
        return known->second;
    };
    const uint64_t external = GetKinetoExternalId(record);
    std::string thread;
    GetKinetoThread(record, thread);
    if (category == KinetoCategory::HOST)
    {
        const uint32_t workers =
            record.Has("args.Group size") ? record.GetInteger("args.Group size", 0, INT32_MAX) : 0;
        events.push_back({start,
                          end,
                          external,
                          GetKinetoId(record, "args.Record function id"),
                          intern(record.GetString("name")),
                          intern(thread),
                          workers});
        return;
    }
    const uint64_t correlation = GetKinetoCorrelation(record);
    if (category == KinetoCategory::CALL)
    {
        TorchEtLaunch call{start, end, correlation, external, intern(thread)};
        call.launches = IsKinetoLaunch(record.GetText("name"));
        calls.emplace(correlation, call);
        return;
    }
    TorchEtLaunch kernel{start,
                         end,
                         correlation,
                         external,
                         intern(std::string(GetKinetoDevice(record))),
                         intern(std::string(GetKinetoStream(record)))};
    kernel.computes =
        IsKinetoKernel(record.GetText("cat")) && !StartsWith(record.GetText("name"), "nccl");
    kernels.push_back(kernel);
}

const TorchEtLaunch*
TorchEtTimes::FindCall(uint64_t correlation) const
{
    const auto call = calls.find(correlation);
    return correlation == 0 || call == calls.end() ? nullptr : &call->second;
}

std::string
JoinTorchEtNodes(TorchEtRun& run)
{
    struct Rule
    {
        const char* text;
        uint64_t TorchEtEvent::*eventKey;
        uint64_t TorchEtNode::*nodeKey;
    };

    const std::array<Rule, 3> rules = {
        Rule{"Record function id = rf_id", &TorchEtEvent::function, &TorchEtNode::function},
        Rule{"External id = rf_id", &TorchEtEvent::external, &TorchEtNode::function},
        Rule{"External id = node id", &TorchEtEvent::external, &TorchEtNode::id}};
    std::string best;
    for (const Rule& rule : rules)
    {
        std::unordered_map<uint64_t, const TorchEtEvent*> byKey;
        for (const TorchEtEvent& event : run.times.events)
        {
            byKey.emplace(event.*rule.eventKey, &event);
        }
        byKey.erase(0);
        std::vector<const TorchEtEvent*> events(run.nodes.size());
        uint64_t joined = 0;
        for (std::size_t i = 0; i < run.nodes.size(); ++i)
        {
            const TorchEtNode& node = run.nodes[i];
            const auto event = byKey.find(node.*rule.nodeKey);
            if (event != byKey.end() && run.times.texts[event->second->name] == node.name)
            {
                events[i] = event->second;
                ++joined;
            }
        }
        if (best.empty() || joined > run.counts.joined)
        {
            best = rule.text;
            run.counts.joined = joined;
            for (std::size_t i = 0; i < run.nodes.size(); ++i)
            {
                run.nodes[i].event = events[i];
            }
        }
    }
    run.counts.candidates =
        std::count_if(run.nodes.begin(), run.nodes.end(), [](const TorchEtNode& node) {
            return node.function != 0;
        });
    return best;
}

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
    const std::vector<bool> complete = FindGpuTimes(run);
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
        if (used.count(i) > 0 && complete[i])
        {
            steps.push_back(run.steps[i]);
        }
        else if (used.count(i) > 0)
        {
            run.times.faults.Add(TraceFault::LOST_KERNELS, run.steps[i].place);
        }
    }
    if (steps.empty() && !used.empty() && run.times.faults.GetCount(TraceFault::LOST_KERNELS) > 0)
    {
        throw InputError(run.timesFile + ": has none of the kernels that its steps launched, or "
                                         "too few of each; accepted is at least one step of which "
                                         "the GPU's profiler lost nothing");
    }
    rule += " (" + std::to_string(steps.size()) + " of " + Plural(run.steps.size(), "step") +
            " with operators of the Execution Trace)";
    run.steps = std::move(steps);
    return rule;
}

} // namespace ns3::dml
