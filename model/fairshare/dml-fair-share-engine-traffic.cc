/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// What happens on the links besides training: background flows, and links that change.

#include "dml-fair-share-engine.h"

#include <algorithm>
#include <limits>

namespace ns3::dml
{

void
FairShareEngine::TurnBackground(uint32_t index)
{
    const BackgroundFlow& spec = m_network.background[index];
    Background& flow = m_background[index];
    const FlowId id = m_flows.size() + index;
    if (flow.over)
    {
        return;
    }
    flow.on = !flow.on;
    if (flow.on)
    {
        const bool endless = spec.kind != BackgroundFlow::Kind::BULK || spec.bytes == 0;
        m_sharing->Start(id,
                         endless ? std::numeric_limits<double>::infinity() : spec.bytes,
                         m_order++,
                         m_now);
    }
    else
    {
        m_sharing->Stop(id, m_now);
    }
    const double stop = spec.stop - m_origin;
    double next = stop;
    if (spec.kind == BackgroundFlow::Kind::ON_OFF)
    {
        next = std::min(next, m_now + flow.times.Next());
    }
    flow.over = !flow.on && next >= stop;
    if (!flow.over && next < BackgroundFlow::NEVER)
    {
        Schedule(next, Pending::Kind::BACKGROUND, 0, index);
    }
}

void
FairShareEngine::ChangeCapacity(const CapacityChange& change)
{
    m_network.links.capacities[change.link] = change.bytesPerSecond;
    m_sharing->SetCapacity(change.link, change.bytesPerSecond, m_now);
    if (--m_changesLeft == 0)
    {
        FindDeadFlows();
    }
}

void
FairShareEngine::FindDeadFlows()
{
    const auto isDown = [this](LinkId link) { return m_network.links.capacities[link] == 0; };
    m_liveFlows = 0;
    for (FlowId id = 0; id < m_flows.size(); ++id)
    {
        const NetworkFlow& route = m_network.links.flows[id];
        FlowState& flow = m_flows[id];
        flow.dead = std::any_of(route.forward.begin(), route.forward.end(), isDown);
        if (m_sharing->HeedsAcks())
        {
            flow.dead |= std::any_of(route.reverse.begin(), route.reverse.end(), isDown);
        }
        m_liveFlows += flow.first && !flow.dead ? CountTurns(id) : 0;
    }
}

} // namespace ns3::dml
