/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-packet-run.h"

#include "ns3/dml-goodput.h"
#include "ns3/simulator.h"

#include <algorithm>
#include <map>
#include <sstream>
#include <utility>

namespace ns3
{
namespace dml
{

namespace
{

/// Random stream that draws which skips are simulated instead.
constexpr int64_t CHECK_STREAM = 2500000;

/// Ways of a run's data, and what makes them alike.
class PathFinder
{
  public:
    /// @param network of the run @param jobs their endpoints @param changes its links may change
    PathFinder(const ClusterNetwork& network, const std::vector<JobEndpoints>& jobs, bool changes)
        : m_network(network),
          m_jobs(jobs),
          m_changes(changes)
    {
        for (const JobEndpoints& job : jobs)
        {
            for (const auto& endpoint : job.List())
            {
                ++m_residents[network.FindHost(job.GetName(endpoint))];
            }
        }
    }

    /// @param job number of it @param from one end @param to the other @return the way between them
    StreamPath Find(uint32_t job, const Endpoint& from, const Endpoint& to) const
    {
        const uint32_t here = m_network.FindHost(m_jobs[job].GetName(from));
        const uint32_t there = m_network.FindHost(m_jobs[job].GetName(to));
        StreamPath path;
        path.peer = to;
        for (const DirectedLink link : m_network.FindRoute(here, there))
        {
            if (m_network.GetLinks()[link / 2].queues[link % 2].IsFifo())
            {
                path.fifo.push_back(link);
            }
        }
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
                    kind << ' ' << its.rate.GetBitRate() << '/' << its.delay.GetNanoSeconds() << '/'
                         << its.mtu;
                    for (const QueueSpec& queue : its.queues)
                    {
                        kind << '/' << static_cast<int>(queue.kind) << ':' << queue.bytes << ':'
                             << queue.threshold << queue.ecn << queue.wholeBursts;
                    }
                }
                else
                {
                    kind << ' ' << link;
                }
            }
        }
        path.kind = kind.str();
        return path;
    }

  private:
    const ClusterNetwork& m_network;          //!< of the run
    const std::vector<JobEndpoints>& m_jobs;  //!< their endpoints
    bool m_changes;                           //!< links that are alike may become unlike
    std::map<uint32_t, uint32_t> m_residents; //!< endpoints by host
};

} // namespace

void
PacketRun::EnableFastForward(double check)
{
    m_fast = std::make_unique<FastForward>(check, CHECK_STREAM, [this](Time from, Time to) {
        for (auto& [link, skipped] : m_skippedBytes)
        {
            skipped.probe->Credit(from, to, std::exchange(skipped.bytes, 0));
        }
    });
    using Routes = std::array<std::vector<DirectedLink>, 2>;
    const ClusterNetwork& network = m_cluster.GetNetwork();
    const PathFinder finder(network, m_endpoints, !m_spec.faults.empty());
    std::size_t place = 0;
    for (uint32_t job = 0; job < m_jobs.size(); ++job)
    {
        const JobEndpoints& endpoints = m_endpoints[job];
        for (const auto& endpoint : endpoints.List())
        {
            const uint32_t here = network.FindHost(endpoints.GetName(endpoint));
            std::vector<Routes> routes;
            std::vector<StreamPath> paths;
            for (const auto& peer : endpoints.ListPeers(endpoint))
            {
                const uint32_t there = network.FindHost(endpoints.GetName(peer));
                routes.push_back({network.FindRoute(there, here), network.FindRoute(here, there)});
                paths.push_back(finder.Find(job, endpoint, peer));
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
