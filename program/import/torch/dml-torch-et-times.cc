/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-torch-et-run.h"

#include "ns3/dml-error.h"
#include "ns3/dml-json-record.h"
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

void
TorchEtTimes::Add(const JsonRecord& record)
{
    const KinetoCategory category = GetKinetoCategory(record.GetText("cat"));
    if (record.GetText("ph") != "X" || category == KinetoCategory::OTHER)
    {
        return;
    }
    const auto [start, end] = GetKinetoTimes(record);
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
        events.push_back({start,
                          end,
                          external,
                          GetKinetoId(record, "args.Record function id"),
                          intern(record.GetString("name")),
                          intern(thread)});
        return;
    }
    const uint64_t correlation = GetKinetoCorrelation(record);
    if (category == KinetoCategory::CALL)
    {
        calls.emplace(correlation,
                      TorchEtLaunch{start, end, correlation, external, intern(thread)});
        return;
    }
    kernels.push_back(
        {start, end, correlation, external, intern(std::string(GetKinetoDevice(record)))});
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
