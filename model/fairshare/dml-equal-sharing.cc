/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-equal-sharing.h"

#include "ns3/dml-instant.h"

#include <algorithm>

namespace ns3
{
namespace dml
{

EqualSharing::EqualSharing(const FlowNetwork& network, RunObserver* observer)
    : m_observer(observer)
{
    for (const auto& server : network.serverLinks)
    {
        const double rate = network.capacities[server.link];
        m_links.push_back({server, rate, rate});
    }
    for (const auto& flow : network.training)
    {
        const auto link =
            std::find_if(m_links.begin(), m_links.end(), [&flow](const Link& candidate) {
                return candidate.server.server == flow.server &&
                       candidate.server.direction == flow.direction;
            });
        m_linkOfFlow.push_back(link - m_links.begin());
    }
}

void
EqualSharing::Advance(Link& link, double now) const
{
    if (!link.active.empty())
    {
        link.virtualTime += (now - link.updated) * link.rate / link.active.size();
    }
    link.updated = now;
}

void
EqualSharing::UpdateNext(Link& link) const
{
    link.next = FlowEnd{};
    if (link.active.empty() || link.rate == 0)
    {
        return;
    }
    const Active& first = link.active.front();
    const double left = std::max(0.0, first.end - link.virtualTime);
    link.next.time = link.updated + left * link.active.size() / link.rate;
    link.next.instant = InstantOf(link.next.time);
    link.next.order = first.order;
    link.next.flow = first.flow;
}

void
EqualSharing::Start(FlowId flow, double bytes, uint64_t order, double now)
{
    Link& link = m_links[m_linkOfFlow[flow]];
    if (link.active.empty())
    {
        // between the turns of a lone worker the link is not idle
        if (link.updated != now)
        {
            ReportBusy(link, link.updated);
            link.busySince = now;
        }
        link.virtualTime = 0; // keeps the sums short, and so exact
    }
    Advance(link, now);
    const double end = link.virtualTime + bytes;
    link.active.push_back({end, InstantOf(end / link.grid), order, flow});
    std::push_heap(link.active.begin(), link.active.end());
    UpdateNext(link);
}

FlowEnd
EqualSharing::GetNextEnd()
{
    const auto first =
        std::min_element(m_links.begin(), m_links.end(), [](const Link& a, const Link& b) {
            return a.next < b.next;
        });
    return first->next;
}

void
EqualSharing::Finish()
{
    const FlowEnd next = GetNextEnd();
    Link& link = m_links[m_linkOfFlow[next.flow]];
    Advance(link, next.time);
    // exactly, whatever rounding has left over or taken too much
    link.virtualTime = link.active.front().end;
    std::pop_heap(link.active.begin(), link.active.end());
    link.active.pop_back();
    UpdateNext(link);
}

void
EqualSharing::Stop(FlowId flow, double now)
{
    Link& link = m_links[m_linkOfFlow[flow]];
    Advance(link, now);
    const auto stopped = std::find_if(link.active.begin(),
                                      link.active.end(),
                                      [flow](const Active& active) { return active.flow == flow; });
    link.active.erase(stopped);
    std::make_heap(link.active.begin(), link.active.end());
    UpdateNext(link);
}

void
EqualSharing::SetCapacity(LinkId id, double bytesPerSecond, double now)
{
    for (auto& link : m_links)
    {
        if (link.server.link == id)
        {
            if (!link.active.empty())
            {
                Advance(link, now);
            }
            ReportBusy(link, link.updated);
            link.busySince = link.updated;
            link.rate = bytesPerSecond;
            UpdateNext(link);
        }
    }
}

void
EqualSharing::Flush(double now)
{
    for (auto& link : m_links)
    {
        ReportBusy(link, link.active.empty() ? link.updated : now);
        link.busySince = now;
    }
}

void
EqualSharing::ReportBusy(const Link& link, double now) const
{
    if (m_observer && now > link.busySince && link.rate > 0)
    {
        m_observer->LinkUsed(
            {link.server.direction, link.server.server, link.busySince, now, link.rate});
    }
}

} // namespace dml
} // namespace ns3
