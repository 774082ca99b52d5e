/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-torch-et-times.h"

#include "dml-kineto-event.h"

#include "ns3/dml-json-record.h"

#include <array>
#include <cstdlib>

namespace ns3::dml
{

namespace
{

/// Bounds that keep sums and differences of times in range, in nanoseconds.
constexpr int64_t MAX_SPAN = 1'000'000'000'000'000;

} // namespace

uint32_t
TorchEtTimes::Intern(const std::string& text)
{
    const auto [known, isNew] = m_byText.emplace(text, m_texts.size());
    if (isNew)
    {
        m_texts.push_back(text);
    }
    return known->second;
}

void
TorchEtTimes::Add(const JsonRecord& record)
{
    const KinetoCategory category = GetKinetoCategory(record.GetText("cat"));
    if (record.GetText("ph") != "X" || category == KinetoCategory::OTHER)
    {
        return;
    }
    const auto [start, end] = GetKinetoTimes(record);
    m_first = m_first.value_or(start);
    if (std::abs(start - *m_first) > MAX_SPAN)
    {
        record.Fail("ts",
                    "accepted are times within 1e12 us of the first, " +
                        std::to_string(*m_first / 1000));
    }
    const uint64_t external = GetKinetoExternalId(record);
    std::string thread;
    GetKinetoThread(record, thread);
    if (category == KinetoCategory::HOST)
    {
        m_events.push_back({start,
                            end,
                            external,
                            GetKinetoId(record, "args.Record function id"),
                            Intern(record.GetString("name")),
                            Intern(thread)});
        return;
    }
    const uint64_t correlation = GetKinetoCorrelation(record);
    if (category == KinetoCategory::CALL)
    {
        m_byCorrelation.emplace(correlation, m_calls.size());
        m_calls.push_back({start, end, correlation, external, Intern(thread)});
        return;
    }
    m_kernels.push_back(
        {start, end, correlation, external, Intern(std::string(GetKinetoDevice(record)))});
}

TorchEtJoin
TorchEtTimes::Join(const std::vector<TorchEtNode>& nodes) const
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
    TorchEtJoin best;
    for (const Rule& rule : rules)
    {
        std::unordered_map<uint64_t, uint32_t> byKey;
        for (uint32_t i = 0; i < m_events.size(); ++i)
        {
            byKey.emplace(m_events[i].*rule.eventKey, i);
        }
        TorchEtJoin join;
        join.rule = rule.text;
        join.events.assign(nodes.size(), TorchEtJoin::NONE);
        for (std::size_t i = 0; i < nodes.size(); ++i)
        {
            const uint64_t key = nodes[i].*rule.nodeKey;
            join.candidates += nodes[i].function != 0 ? 1 : 0;
            const auto event = key == 0 ? byKey.end() : byKey.find(key);
            if (event != byKey.end() && m_texts[m_events[event->second].name] == nodes[i].name)
            {
                join.events[i] = event->second;
                ++join.joined;
            }
        }
        if (best.rule.empty() || join.joined > best.joined)
        {
            best = std::move(join);
        }
    }
    return best;
}

const TorchEtLaunch*
TorchEtTimes::FindCall(uint64_t correlation) const
{
    const auto call = m_byCorrelation.find(correlation);
    return correlation == 0 || call == m_byCorrelation.end() ? nullptr : &m_calls[call->second];
}

int64_t
TorchEtTimes::GetKernelTime(const TorchEtEvent& host) const
{
    int64_t time = 0;
    for (const TorchEtLaunch& kernel : m_kernels)
    {
        const TorchEtLaunch* call = FindCall(kernel.correlation);
        const bool isLaunched = call && call->place == host.thread && call->start >= host.start &&
                                call->start < host.end;
        time += isLaunched ? kernel.end - kernel.start : 0;
    }
    return time;
}

} // namespace ns3::dml
