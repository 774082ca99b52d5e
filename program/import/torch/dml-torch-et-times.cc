/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-kineto-event.h"
#include "dml-torch-et-run.h"

#include "ns3/dml-json-record.h"

#include <algorithm>
#include <array>
#include <cstdlib>

namespace ns3::dml
{

namespace
{

/// Bounds that keep sums and differences of times in range, in nanoseconds.
constexpr int64_t MAX_SPAN = 1'000'000'000'000'000;

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
        byCorrelation.emplace(correlation, calls.size());
        calls.push_back({start, end, correlation, external, intern(thread)});
        return;
    }
    kernels.push_back(
        {start, end, correlation, external, intern(std::string(GetKinetoDevice(record)))});
}

const TorchEtLaunch*
TorchEtTimes::FindCall(uint64_t correlation) const
{
    const auto call = byCorrelation.find(correlation);
    return correlation == 0 || call == byCorrelation.end() ? nullptr : &calls[call->second];
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

} // namespace ns3::dml
