/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_LIVE_NETWORK_H
#define DML_LIVE_NETWORK_H

#include "ns3/dml-host-network.h"
#include "ns3/dml-link-self-test.h"
#include "ns3/dml-test-flow.h"
#include "ns3/dml-topology-builder.h"

#include <chrono>
#include <memory>
#include <numeric>
#include <string>
#include <thread>
#include <vector>

/// A network of the host engine at 200 Mbit/s, and the names of its hosts.
struct LiveNetwork
{
    explicit LiveNetwork(const ns3::dml::NetworkSpec& spec, uint32_t workers = 2)
        : cluster(ns3::dml::BuildNetwork(spec, {{workers, 1}})),
          network(cluster, spec, ns3::dml::ProbeHostAbilities())
    {
    }

    /// @return end of a flow at a host
    ns3::dml::TestFlowEnd GetEnd(const std::string& host) const
    {
        const uint32_t node = cluster.FindHost(host);
        return {network.GetNamespace(node), network.GetAddress(node)};
    }

    /// @return a flow between hosts that has not started; its buffer says how much is on its way
    std::unique_ptr<ns3::dml::TestFlow> MakeFlow(const std::string& from,
                                                 const std::string& to,
                                                 uint32_t sendBuffer = 200000) const
    {
        return std::make_unique<ns3::dml::TestFlow>(from + " to " + to,
                                                    GetEnd(from),
                                                    GetEnd(to),
                                                    sendBuffer);
    }

    /// @return goodputs of flows that run at the same time, over what a link can carry
    std::vector<double> Measure(const std::vector<std::unique_ptr<ns3::dml::TestFlow>>& flows,
                                std::chrono::milliseconds window) const
    {
        for (const auto& flow : flows)
        {
            flow->Start(window / 2, window);
        }
        ns3::dml::TestFlow::Run(flows);
        std::vector<double> shares;
        for (const auto& flow : flows)
        {
            shares.push_back(flow->GetGoodput() /
                             ns3::dml::GetWantedGoodput(cluster.GetRate(0),
                                                        cluster.GetLinks().front().mtu,
                                                        false));
        }
        return shares;
    }

    /// @return the same of one flow
    double Measure(const std::string& from,
                   const std::string& to,
                   std::chrono::milliseconds window) const
    {
        std::vector<std::unique_ptr<ns3::dml::TestFlow>> flows;
        flows.push_back(MakeFlow(from, to));
        return Measure(flows, window).front();
    }

    ns3::dml::ClusterNetwork cluster; //!< hosts, switches and links
    ns3::dml::HostNetwork network;    //!< the same on this machine
};

/// 200 Mbit/s, and queues of a size.
inline ns3::dml::NetworkSpec
MakeLiveSpec(const ns3::dml::QueueSpec& queue)
{
    ns3::dml::NetworkSpec spec;
    spec.rate = ns3::DataRate("200Mbps");
    spec.queue = queue;
    return spec;
}

/// Waits until nothing is in a queue any more.
inline std::vector<ns3::dml::HostLinkCount>
CountWhenQuiet(const LiveNetwork& live)
{
    std::vector<ns3::dml::HostLinkCount> counts;
    for (int i = 0; i < 100; ++i)
    {
        counts = live.network.ReadCounters();
        if (std::accumulate(counts.begin(), counts.end(), uint64_t(0), [](auto sum, const auto& c) {
                return sum + c.backlog;
            }) == 0)
        {
            break;
        }
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
    return counts;
}

#endif /* DML_LIVE_NETWORK_H */
