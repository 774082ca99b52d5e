/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-steady-states.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace ns3::dml
{

namespace
{

constexpr std::size_t MOST_STATES = 65536;                               //!< states that are kept
constexpr uint32_t END_OF_WORKER = std::numeric_limits<uint32_t>::max(); //!< in a key

} // namespace

void
SteadyStates::Enter(const std::vector<SkippableFlow*>& senders)
{
    std::map<std::pair<uint32_t, uint32_t>, std::vector<SkippableFlow*>> workers;
    for (SkippableFlow* flow : senders)
    {
        workers[flow->worker].push_back(flow);
    }
    using Group = std::pair<Key, std::vector<SkippableFlow*>>;
    std::vector<Group> groups;
    for (auto& [worker, flows] : workers)
    {
        std::stable_sort(flows.begin(), flows.end(), [](const auto* a, const auto* b) {
            return a->kind < b->kind;
        });
        Key kinds;
        for (const SkippableFlow* flow : flows)
        {
            kinds.push_back(flow->kind);
        }
        groups.emplace_back(std::move(kinds), std::move(flows));
    }
    std::stable_sort(groups.begin(), groups.end(), [](const Group& a, const Group& b) {
        return a.first < b.first;
    });
    m_key.clear();
    m_slots = 0;
    std::size_t first = 0;
    for (std::size_t i = 0; i < groups.size(); ++i)
    {
        const auto& [kinds, flows] = groups[i];
        if (i == 0 || kinds != groups[i - 1].first)
        {
            first = m_slots;
            m_slots += flows.size();
        }
        for (std::size_t place = 0; place < flows.size(); ++place)
        {
            flows[place]->slot = first + place;
        }
        m_key.insert(m_key.end(), kinds.begin(), kinds.end());
        m_key.push_back(END_OF_WORKER);
    }
}

double
SteadyStates::GetRate(const SkippableFlow& flow) const
{
    const Mean& mean = m_known.at(m_key)[flow.slot];
    return mean.sum / mean.count;
}

void
SteadyStates::Learn(const std::vector<SkippableFlow*>& senders)
{
    if (m_known.size() >= MOST_STATES && !IsKnown())
    {
        return;
    }
    auto& means = m_known[m_key];
    means.resize(m_slots);
    for (const SkippableFlow* flow : senders)
    {
        means[flow->slot].sum += flow->rate;
        ++means[flow->slot].count;
    }
}

} // namespace ns3::dml
