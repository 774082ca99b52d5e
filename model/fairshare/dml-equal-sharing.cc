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

EqualSharing::EqualSharing(uint32_t servers, double rate, RunObserver* observer)
    : m_rate(rate),
      m_observer(observer),
      m_links(2 * servers)
{
}

void
EqualSharing::Advance(Link& link, double now) const
{
    if (!link.active.empty())
    {
        link.virtualTime += (now - link.updated) * m_rate / link.active.size();
    }
    link.updated = now;
}

void
EqualSharing::UpdateNext(Link& link) const
{
    link.next = FlowEnd{};
    if (link.active.empty())
    {
        return;
    }
    const Active& first = link.active.front();
    const auto index = static_cast<uint32_t>(&link - m_links.data());
    const double left = std::max(0.0, first.end - link.virtualTime);
    link.next.time = link.updated + left * link.active.size() / m_rate;
    link.next.instant = InstantOf(link.next.time);
    link.next.order = first.order;
    link.next.flow = {first.worker, index / 2, static_cast<Direction>(index % 2)};
}

void
EqualSharing::Start(const Flow& flow, double bytes, uint64_t order, double now)
{
    Link& link = m_links[2 * flow.server + static_cast<uint32_t>(flow.direction)];
    if (link.active.empty())
    {
        // between the turns of a lone worker the link is not idle
        if (link.updated != now)
        {
            ReportBusy(&link - m_links.data(), link.updated);
            link.busySince = now;
        }
        link.virtualTime = 0; // keeps the sums short, and so exact
    }
    Advance(link, now);
    const double end = link.virtualTime + bytes;
    link.active.push_back({end, InstantOf(end / m_rate), order, flow.worker});
    std::push_heap(link.active.begin(), link.active.end());
    UpdateNext(link);
}

FlowEnd
EqualSharing::GetNextEnd() const
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
    Link& link = m_links[2 * next.flow.server + static_cast<uint32_t>(next.flow.direction)];
    Advance(link, next.time);
    // exactly, whatever rounding has left over or taken too much
    link.virtualTime = link.active.front().end;
    std::pop_heap(link.active.begin(), link.active.end());
    link.active.pop_back();
    UpdateNext(link);
}

void
EqualSharing::Flush(double now)
{
    for (std::size_t i = 0; i < m_links.size(); ++i)
    {
        Link& link = m_links[i];
        ReportBusy(i, link.active.empty() ? link.updated : now);
        link.busySince = now;
    }
}

void
EqualSharing::ReportBusy(std::size_t index, double now) const
{
    const Link& link = m_links[index];
    if (m_observer && now > link.busySince)
    {
        m_observer->LinkUsed({static_cast<Direction>(index % 2),
                              static_cast<uint32_t>(index / 2),
                              link.busySince,
                              now,
                              m_rate});
    }
}

} // namespace dml
} // namespace ns3
