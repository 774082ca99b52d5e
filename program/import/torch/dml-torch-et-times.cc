/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-torch-et-times.h"

#include "ns3/dml-import-limits.h"
#include "ns3/dml-json-record.h"

#include <array>
#include <cstdlib>
#include <string_view>

namespace ns3
{
namespace dml
{

namespace
{

/// Bounds that keep sums and differences of times in range, in nanoseconds.
constexpr int64_t MAX_SPAN = 1'000'000'000'000'000;

template <std::size_t N>
bool
Contains(const std::array<std::string_view, N>& list, std::string_view text)
{
    for (const std::string_view item : list)
    {
        if (item == text)
        {
            return true;
        }
    }
    return false;
}

// Names of categories since PyTorch 1.11, then before it.
constexpr std::array<std::string_view, 3> HOST = {"cpu_op", "user_annotation", "Operator"};
constexpr std::array<std::string_view, 6> DEVICE =
    {"kernel", "gpu_memcpy", "gpu_memset", "Kernel", "Memcpy", "Memset"};
constexpr std::array<std::string_view, 3> CALL = {"cuda_runtime", "cuda_driver", "Runtime"};

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

uint64_t
TorchEtTimes::ReadId(const JsonRecord& record, const char* key, const char* older) const
{
    const char* const there = record.Has(key) ? key : older;
    return record.Has(there) ? record.GetInteger(there, 0, INT64_MAX) : 0;
}

void
TorchEtTimes::Add(const JsonRecord& record)
{
    const std::string_view category = record.GetText("cat");
    const bool isHost = Contains(HOST, category);
    const bool isCall = Contains(CALL, category);
    if (record.GetText("ph") != "X" || (!isHost && !isCall && !Contains(DEVICE, category)))
    {
        return;
    }
    const int64_t start = record.GetNanoseconds("ts");
    if (start < -importlimit::TIME_NS || start > importlimit::TIME_NS)
    {
        record.Fail("ts", "accepted are microseconds up to 4e15");
    }
    m_first = m_first.value_or(start);
    if (std::abs(start - *m_first) > MAX_SPAN)
    {
        record.Fail("ts",
                    "accepted are times within 1e12 us of the first, " +
                        std::to_string(*m_first / 1000));
    }
    const int64_t length = record.GetNanoseconds("dur");
    if (length < 0 || length > importlimit::LENGTH_NS)
    {
        record.Fail("dur", "accepted are microseconds from 0 to 1e12");
    }
    const uint64_t external = ReadId(record, "args.External id", "args.external id");
    std::string thread(record.GetText("pid"));
    thread.append("/").append(record.GetText("tid"));
    if (isHost)
    {
        m_events.push_back({start,
                            start + length,
                            external,
                            ReadId(record, "args.Record function id", "args.Record function id"),
                            Intern(record.GetString("name")),
                            Intern(thread)});
        return;
    }
    const uint64_t correlation = ReadId(record, "args.correlation", "args.Correlation");
    if (isCall)
    {
        m_byCorrelation.emplace(correlation, m_calls.size());
        m_calls.push_back({start, start + length, correlation, external, Intern(thread)});
        return;
    }
    const char* const device = record.Has("args.device") ? "args.device" : "pid";
    m_kernels.push_back({start,
                         start + length,
                         correlation,
                         external,
                         Intern(std::string(record.GetText(device)))});
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

const std::vector<TorchEtEvent>&
TorchEtTimes::GetEvents() const
{
    return m_events;
}

const std::vector<TorchEtLaunch>&
TorchEtTimes::GetKernels() const
{
    return m_kernels;
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

const std::string&
TorchEtTimes::GetText(uint32_t text) const
{
    return m_texts[text];
}

} // namespace dml
} // namespace ns3
