/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-network-places.h"

#include "dml-host-checks.h"
#include "dml-link-self-test.h"
#include "dml-link-shaping.h"
#include "dml-user-namespace.h"

#include "ns3/dml-error.h"

namespace ns3::dml
{

namespace
{

HostAbilities
BecomeAble()
{
    EnterUserNamespace();
    return ProbeHostAbilities();
}

} // namespace

NetworkPlaces::NetworkPlaces(const ClusterNetwork& network, const NetworkSpec& spec)
    : NetworkPlaces(BecomeAble(), network, spec)
{
}

NetworkPlaces::NetworkPlaces(const HostAbilities& abilities,
                             const ClusterNetwork& network,
                             const NetworkSpec& spec)
    : m_network(network, spec, abilities),
      m_notes(m_network.GetNotes()),
      m_congestion(ChooseCongestionControl(spec.tcp, abilities, m_notes))
{
    const LinkTestVerdict verdict = JudgeLinks(TestLinks(m_network, spec));
    if (!verdict.error.empty())
    {
        throw RunError(verdict.error);
    }
    m_notes.insert(m_notes.end(), verdict.warnings.begin(), verdict.warnings.end());
}

void
NetworkPlaces::Enter(uint32_t node) const
{
    m_network.Enter(node);
}

Ipv4Address
NetworkPlaces::GetAddress(uint32_t node) const
{
    return m_network.GetAddress(node);
}

bool
NetworkPlaces::SharesAddresses() const
{
    return false;
}

std::string
NetworkPlaces::GetCongestionControl() const
{
    return m_congestion;
}

std::vector<HostLinkCount>
NetworkPlaces::ReadLinks() const
{
    auto counts = m_network.ReadCounters();
    for (auto& count : counts)
    {
        count.bytes = GetLinkBytes(count.bytes, count.packets);
    }
    return counts;
}

uint64_t
NetworkPlaces::CountBytes(DirectedLink link)
{
    auto known = m_counters.find(link);
    if (known == m_counters.end())
    {
        const HostLayout& layout = m_network.GetLayout();
        const uint32_t sender = layout.GetNetwork().GetSender(link);
        known =
            m_counters
                .emplace(link, QdiscCounter(m_network.GetNamespace(sender), layout.GetDevice(link)))
                .first;
    }
    return known->second.Read();
}

std::vector<std::string>
NetworkPlaces::GetNotes() const
{
    return m_notes;
}

} // namespace ns3::dml
