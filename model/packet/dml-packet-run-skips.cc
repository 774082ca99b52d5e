/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-packet-run.h"

#include "ns3/dml-goodput.h"
#include "ns3/simulator.h"

#include <map>
#include <sstream>
#include <utility>

namespace ns3::dml
{

namespace
{

/// Random stream that draws which skips are simulated instead.
constexpr int64_t CHECK_STREAM = 2500000;

/// Part of its link's rate by which a queue may grow or shrink in a steady state.
constexpr double STEADY_QUEUE = 0.01;
/// Packets by which it differs from moment to moment.
constexpr double FEW_PACKETS = 4;

/// @param network of the run @param here number of a host @param there of another
/// @return links from one to the other
std::vector<LinkOnWay>
FindLinks(const ClusterNetwork& network, uint32_t here, uint32_t there)
{
    std::vector<LinkOnWay> links;
    for (const DirectedLink link : network.FindRoute(here, there))
    {
        const NetworkLink& its = network.GetLinks()[link / 2];
        links.push_back(
            {link, its.queues[link % 2].IsFifo(), network.GetRate(link).GetBitRate() / 8.0});
    }
    return links;
}

/// Ways of a run's data, and what makes them alike.
class PathFinder
{
  public:
    /// @param network of the run @param jobs their endpoints @param spec who else is there
    PathFinder(const ClusterNetwork& network,
               const std::vector<JobEndpoints>& jobs,
               const NetworkSpec& spec)
        : m_network(network),
          m_jobs(jobs),
          m_changes(!spec.faults.empty())
    {
        for (const BackgroundSpec& flow : spec.background)
        {
            ++m_residents[network.FindHost(flow.from)];
            ++m_residents[network.FindHost(flow.to)];
        }
        for (const JobEndpoints& job : jobs)
        {
            for (const auto& endpoint : job.List())
            {
                ++m_residents[network.FindHost(job.GetName(endpoint))];
            }
        }
    }

    /// @param job number of it @param from one end @param to the other @return the way between them
    FlowPath Find(uint32_t job, const Endpoint& from, const Endpoint& to) const
    {
        const uint32_t here = m_network.FindHost(m_jobs[job].GetName(from));
        const uint32_t there = m_network.FindHost(m_jobs[job].GetName(to));
        // what workers have for themselves may be another's of the same kind
        const bool own = from.role == Role::WORKER;
        const uint32_t worker = own ? here : there;
        std::ostringstream kind;
        kind << job << ' ' << own << ' ' << (from.role == to.role ? from.index : 0) << ' '
             << (own ? to.index : from.index);
        for (const auto& route :
             {m_network.FindRoute(here, there), m_network.FindRoute(there, here)})
        {
            for (const DirectedLink link : route)
            {
                const bool access = m_network.GetHostUplink(worker) / 2 == link / 2;
                if (access && !m_changes && m_residents.at(worker) == 1)
                {
                    const NetworkLink& its = m_network.GetLinks()[link / 2];
                    kind << ' ' << its.rates[0].GetBitRate() << '/' << its.rates[1].GetBitRate()
                         << '/' << its.delay.GetNanoSeconds() << '/' << its.mtu;
                    for (const QueueSpec& queue : its.queues)
                    {
                        kind << '/' << static_cast<int>(queue.kind) << ':' << queue.bytes << ':'
                             << queue.threshold << queue.ecn << queue.wholeBursts << queue.alpha;
                    }
                }
                else
                {
                    kind << ' ' << link;
                }
            }
        }
        return {kind.str(), FindLinks(m_network, here, there)};
    }

  private:
    const ClusterNetwork& m_network;          //!< of the run
    const std::vector<JobEndpoints>& m_jobs;  //!< their endpoints
    bool m_changes;                           //!< links that are alike may become unlike
    std::map<uint32_t, uint32_t> m_residents; //!< endpoints and ends of other flows, by host
};

/// @param bytes of payload @param payload of a packet, bytes @param header of a packet, bytes
/// @return what a link counts of them
LinkCount
FillPackets(uint64_t bytes, uint64_t payload, uint64_t header)
{
    const uint64_t packets = (bytes + payload - 1) / payload;
    return {bytes + packets * header, packets};
}

/// @param acks that go back @param format of segments @return what a link counts of them
LinkCount
CountAcks(uint64_t acks, const WireFormat& format)
{
    return {acks * (format.wire - format.segment), acks};
}

} // namespace

void
PacketRun::EnableFastForward()
{
    m_fast = std::make_unique<FastForward>(
        *m_settings.fastCheck,
        CHECK_STREAM,
        [this](Time from, Time to) {
            for (auto& [link, skipped] : m_skippedBytes)
            {
                skipped.probe->Credit(from, to, std::exchange(skipped.bytes, 0));
            }
        });
    using Routes = std::array<std::vector<DirectedLink>, 2>;
    const ClusterNetwork& network = m_cluster.GetNetwork();
    const PathFinder finder(network, m_endpoints, m_spec);
    std::size_t place = 0;
    for (uint32_t job = 0; job < m_jobs.size(); ++job)
    {
        const JobEndpoints& endpoints = m_endpoints[job];
        for (const auto& endpoint : endpoints.List())
        {
            const uint32_t here = network.FindHost(endpoints.GetName(endpoint));
            std::vector<Routes> routes;
            std::vector<std::pair<Endpoint, FlowPath>> paths;
            for (const auto& peer : endpoints.ListPeers(endpoint))
            {
                const uint32_t there = network.FindHost(endpoints.GetName(peer));
                routes.push_back({network.FindRoute(there, here), network.FindRoute(here, there)});
                paths.emplace_back(peer, finder.Find(job, endpoint, peer));
            }
            m_fast->Add(m_applications[place],
                        job,
                        endpoint,
                        paths,
                        [this, place, routes](const SkippedStream& skipped) {
                            Credit(place, routes[skipped.peer], skipped);
                        });
            ++place;
        }
    }
    SkipBackground();
    WatchQueues();
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
    CreditRoute(routes[0],
                FillPackets(skipped.bytes, format.segment, format.wire - format.segment));
    CreditRoute(routes[1], CountAcks(skipped.acks, format));
}

void
PacketRun::CreditRoute(const std::vector<DirectedLink>& route, const LinkCount& more)
{
    for (const DirectedLink link : route)
    {
        m_counters->Credit(link, &LinkCount::bytes, more.bytes);
        m_counters->Credit(link, &LinkCount::packets, more.packets);
        const auto watched = m_skippedBytes.find(link);
        if (watched != m_skippedBytes.end())
        {
            watched->second.bytes += more.bytes;
        }
    }
}

void
PacketRun::SkipBackground()
{
    const ClusterNetwork& network = m_cluster.GetNetwork();
    const WireFormat format = GetWireFormat(network.GetSmallestMtu(), m_spec.tcp.timestamps);
    const auto& sources = m_background.GetSources();
    for (std::size_t i = 0; i < sources.size(); ++i)
    {
        const BackgroundSpec& flow = m_spec.background[i];
        const uint32_t from = network.FindHost(flow.from);
        const uint32_t to = network.FindHost(flow.to);
        m_fast->Add(sources[i]->GetFlow(),
                    {"background " + std::to_string(i), FindLinks(network, from, to)});
        const uint32_t datagram = format.wire - m_background.GetDatagramSize();
        const uint32_t segment = format.wire - format.segment;
        const uint64_t header = flow.kind == BackgroundSpec::Kind::BULK ? segment : datagram;
        sources[i]->SetSkipHandler(
            [this,
             format,
             header,
             there = network.FindRoute(from, to),
             back = network.FindRoute(to, from)](const SkippedTraffic& skipped) {
                // what is dropped is so at the first switch, if its host does not send too fast
                // itself
                CreditRoute({there.front()}, FillPackets(skipped.sent, skipped.payload, header));
                CreditRoute({there.begin() + 1, there.end()},
                            FillPackets(skipped.arrived, skipped.payload, header));
                CreditRoute(back, CountAcks(skipped.acks, format));
            });
    }
}

void
PacketRun::WatchQueues()
{
    const ClusterNetwork& network = m_cluster.GetNetwork();
    for (DirectedLink link = 0; link < network.GetDirectedLinks(); ++link)
    {
        const NetworkLink& its = network.GetLinks()[link / 2];
        m_fast->AddLevel([this, link] { return m_counters->GetQueue(link); },
                         STEADY_QUEUE * network.GetRate(link).GetBitRate() / 8,
                         FEW_PACKETS * its.mtu);
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

} // namespace ns3::dml
