/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-equal-sharing.h"

#include "ns3/assert.h"
#include "ns3/dml-instant.h"

#include <algorithm>
#include <cmath>

namespace ns3::dml
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
                return candidate.server.IsOn(flow);
            });
        m_linkOfFlow.push_back(link - m_links.begin());
    }
}

void
EqualSharing::Advance(Link& link, double now) const
{
    if (!link.active.IsEmpty())
    {
        link.virtualTime += (now - link.updated) * link.rate / link.active.GetSize();
    }
    link.updated = now;
}

void
EqualSharing::Change(Link& link)
{
    link.stale = true;
    m_stale = true;
}

void
EqualSharing::FindNext(Link& link)
{
    link.stale = false;
    link.next = FlowEnd{};
    if (link.active.IsEmpty() || link.rate == 0)
    {
        return;
    }
    const Active& first = link.active.GetFirst();
    const double left = std::max(0.0, first.end - link.virtualTime);
    link.next.time = link.updated + left * link.active.GetSize() / link.rate;
    link.next.instant = InstantOf(link.next.time);
    link.next.order = first.order;
    link.next.flow = first.flow;
}

void
EqualSharing::Start(FlowId flow, double bytes, uint64_t order, double now)
{
    Link& link = m_links[m_linkOfFlow[flow]];
    if (link.active.IsEmpty())
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
    link.active.Push({end, InstantOf(end / link.grid), order, flow});
    Change(link);
}

const FlowEnd&
EqualSharing::GetNextEnd([[maybe_unused]] double horizon)
{
    if (!m_stale)
    {
        return m_next;
    }
    m_stale = false;
    m_next = FlowEnd{}; // what it stays without links, where all flows are local
    for (auto& link : m_links)
    {
        if (link.stale)
        {
            FindNext(link);
        }
        if (link.next < m_next)
        {
            m_next = link.next;
        }
    }
    return m_next;
}

void
EqualSharing::Finish()
{
    const FlowEnd next = GetNextEnd();
    NS_ASSERT_MSG(next.flow < m_linkOfFlow.size(), "a flow ended where none is active");
    Link& link = m_links[m_linkOfFlow[next.flow]];
    Advance(link, next.time);
    // exactly, whatever rounding has left over or taken too much
    link.virtualTime = link.active.Pop().end;
    Change(link);
}

void
EqualSharing::Stop(FlowId flow, double now)
{
    Link& link = m_links[m_linkOfFlow[flow]];
    Advance(link, now);
    link.active.Remove([flow](const Active& active) { return active.flow == flow; });
    Change(link);
}

void
EqualSharing::SetCapacity(LinkId id, double bytesPerSecond, double now)
{
    for (auto& link : m_links)
    {
        if (link.server.link == id)
        {
            if (!link.active.IsEmpty())
            {
                Advance(link, now);
            }
            ReportBusy(link, link.updated);
            link.busySince = link.updated;
            link.rate = bytesPerSecond;
            Change(link);
        }
    }
}

void
EqualSharing::MoveOrigin(double seconds)
{
    m_origin += seconds;
    for (auto& link : m_links)
    {
        if (!link.active.IsEmpty())
        {
            Advance(link, seconds);
        }
        link.updated -= seconds;
        link.busySince -= seconds;
        // a link that is never idle has an origin of its own
        const double served = std::floor(link.virtualTime);
        link.virtualTime -= served;
        link.active.ChangeAll([&link, served](Active& active) {
            active.end -= served;
            active.instant = InstantOf(active.end / link.grid);
        });
        Change(link);
    }
}

void
EqualSharing::Flush(double now)
{
    for (auto& link : m_links)
    {
        ReportBusy(link, link.active.IsEmpty() ? link.updated : now);
        link.busySince = now;
    }
}

void
EqualSharing::ReportBusy(const Link& link, double now) const
{
    if (m_observer && now > link.busySince && link.rate > 0)
    {
        m_observer->Observe(
            {link.server.job,
             LinkRecord{link.server.access, m_origin + link.busySince, m_origin + now, link.rate}});
    }
}

} // namespace ns3::dml
