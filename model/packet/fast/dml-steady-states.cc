/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-steady-states.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace ns3
{
namespace dml
{

namespace
{

constexpr std::size_t MOST_STATES = 65536;                               //!< that are kept
constexpr uint32_t END_OF_WORKER = std::numeric_limits<uint32_t>::max(); //!< in a key

/// @return job and worker whose conversation it belongs to
std::pair<uint32_t, uint32_t>
GetWorker(const SkippableStream& stream)
{
    const bool own = stream.endpoint.role == Role::WORKER;
    return {stream.job, own ? stream.endpoint.index : stream.path.peer.index};
}

} // namespace

void
SteadyStates::Enter(const std::vector<SkippableStream*>& senders)
{
    std::map<std::pair<uint32_t, uint32_t>, std::vector<SkippableStream*>> workers;
    for (SkippableStream* stream : senders)
    {
        workers[GetWorker(*stream)].push_back(stream);
    }
    using Group = std::pair<Key, std::vector<SkippableStream*>>;
    std::vector<Group> groups;
    for (auto& [worker, streams] : workers)
    {
        std::stable_sort(streams.begin(), streams.end(), [](const auto* a, const auto* b) {
            return a->kind < b->kind;
        });
        Key kinds;
        for (const SkippableStream* stream : streams)
        {
            kinds.push_back(stream->kind);
        }
        groups.emplace_back(std::move(kinds), std::move(streams));
    }
    std::stable_sort(groups.begin(), groups.end(), [](const Group& a, const Group& b) {
        return a.first < b.first;
    });
    m_key.clear();
    m_slots = 0;
    std::size_t first = 0;
    for (std::size_t i = 0; i < groups.size(); ++i)
    {
        const auto& [kinds, streams] = groups[i];
        if (i == 0 || kinds != groups[i - 1].first)
        {
            first = m_slots;
            m_slots += streams.size();
        }
        for (std::size_t place = 0; place < streams.size(); ++place)
        {
            streams[place]->slot = first + place;
        }
        m_key.insert(m_key.end(), kinds.begin(), kinds.end());
        m_key.push_back(END_OF_WORKER);
    }
}

bool
SteadyStates::IsKnown() const
{
    return m_known.count(m_key) > 0;
}

double
SteadyStates::GetRate(const SkippableStream& stream) const
{
    const Mean& mean = m_known.at(m_key)[stream.slot];
    return mean.sum / mean.count;
}

void
SteadyStates::Learn(const std::vector<SkippableStream*>& senders)
{
    if (m_known.size() >= MOST_STATES && !IsKnown())
    {
        return;
    }
    auto& means = m_known[m_key];
    means.resize(m_slots);
    for (const SkippableStream* stream : senders)
    {
        means[stream->slot].sum += stream->rate;
        ++means[stream->slot].count;
    }
}

void
SteadyStates::Forget()
{
    m_known.clear();
}

} // namespace dml
} // namespace ns3
