/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-packet-run.h"

#include "ns3/dml-goodput.h"
#include "ns3/simulator.h"

#include <algorithm>
#include <utility>

namespace ns3
{
namespace dml
{

void
PacketRun::EnableFastForward()
{
    const auto& links = m_cluster.GetNetwork().GetLinks();
    const bool fair = std::all_of(links.begin(), links.end(), [](const NetworkLink& link) {
        return !link.queues[0].IsFifo() && !link.queues[1].IsFifo();
    });
    m_fast = std::make_unique<FastForward>(fair, [this](Time from, Time to) {
        for (auto& [link, skipped] : m_skippedBytes)
        {
            skipped.probe->Credit(from, to, std::exchange(skipped.bytes, 0));
        }
    });
    using Routes = std::array<std::vector<DirectedLink>, 2>;
    const ClusterNetwork& network = m_cluster.GetNetwork();
    std::size_t place = 0;
    for (uint32_t job = 0; job < m_jobs.size(); ++job)
    {
        const JobEndpoints& endpoints = m_endpoints[job];
        for (const auto& endpoint : endpoints.List())
        {
            const uint32_t here = network.FindHost(endpoints.GetName(endpoint));
            std::vector<Routes> routes;
            for (const auto& peer : endpoints.ListPeers(endpoint))
            {
                const uint32_t there = network.FindHost(endpoints.GetName(peer));
                routes.push_back({network.FindRoute(there, here), network.FindRoute(here, there)});
            }
            m_fast->Add(m_applications[place],
                        job,
                        endpoint,
                        endpoints.ListPeers(endpoint),
                        [this, place, routes](const SkippedStream& skipped) {
                            Credit(place, routes[skipped.peer], skipped);
                        });
            ++place;
        }
    }
    CreditLosses();
    m_faults.SetChangeHandler([this] { m_fast->NetworkChanged(); });
    Simulator::Schedule(m_origin, &FastForward::Start, m_fast.get());
}

void
PacketRun::Credit(std::size_t place,
                  const std::array<std::vector<DirectedLink>, 2>& routes,
                  const SkippedStream& skipped)
{
    m_flowProbes[place]->Credit(skipped.peer, skipped.from, skipped.to, skipped.bytes);
    const WireFormat format =
        GetWireFormat(m_cluster.GetNetwork().GetSmallestMtu(), m_spec.tcp.timestamps);
    const uint64_t packets = (skipped.bytes + format.segment - 1) / format.segment;
    const uint64_t header = format.wire - format.segment;
    const std::array<LinkCount, 2> counts{
        LinkCount{skipped.bytes + packets * header, packets, 0, 0},
        LinkCount{skipped.acks * header, skipped.acks, 0, 0}};
    for (std::size_t way = 0; way < routes.size(); ++way)
    {
        for (const DirectedLink link : routes[way])
        {
            m_counters->Credit(link, &LinkCount::bytes, counts[way].bytes);
            m_counters->Credit(link, &LinkCount::packets, counts[way].packets);
            const auto watched = m_skippedBytes.find(link);
            if (watched != m_skippedBytes.end())
            {
                watched->second.bytes += counts[way].bytes;
            }
        }
    }
}

void
PacketRun::CreditLosses()
{
    for (DirectedLink link = 0; link < m_cluster.GetNetwork().GetDirectedLinks(); ++link)
    {
        for (const auto what : {&LinkCount::dropped, &LinkCount::marked})
        {
            m_fast->AddCounter(
                [this, link, what] { return m_counters->GetCount(link).*what; },
                [this, link, what](uint64_t more) { m_counters->Credit(link, what, more); });
        }
    }
    for (const auto what :
         {&TcpCounts::retransmissions, &TcpCounts::timeouts, &TcpCounts::recoveries})
    {
        m_fast->AddCounter([this, what] { return m_tcp.GetCounts().*what; },
                           [this, what](uint64_t more) { m_tcp.Credit(what, more); });
    }
}

} // namespace dml
} // namespace ns3
