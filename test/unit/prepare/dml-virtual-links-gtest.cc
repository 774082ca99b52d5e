/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// What is different where ports take whole bursts, as links of virtual networks do.

#include "dml-one-tensor-profile.h"
#include "dml-scratch-folder.h"

#include "ns3/dml-prepared-scenario.h"
#include "ns3/dml-scenario-reader.h"
#include "ns3/dml-tcp-network.h"

#include <gtest/gtest.h>
#include <memory>
#include <set>
#include <string>

using namespace ns3;
using namespace ns3::dml;

namespace
{

std::shared_ptr<const TcpNetwork>
PrepareHosts(const std::string& network)
{
    const ScratchFolder folder;
    folder.Write("p.yaml", ONE_TENSOR_PROFILE);
    const auto file = folder.Write("s.yaml",
                                   "job: {profile: p.yaml, workers: 2}\nnetwork: {rate: 1Gbps, " +
                                       network + "}\n");
    return PrepareScenario(ReadScenario(file).front(), false).GetFairShareNetwork(2)->tcp;
}

/// @return the buckets of all ports of hosts, or of switches
std::set<uint64_t>
ListBuckets(const TcpNetwork& hosts, bool atSwitch)
{
    std::set<uint64_t> buckets;
    for (const auto& port : hosts.ports)
    {
        if (port.atSwitch == atSwitch)
        {
            buckets.insert(port.tokenBucket);
        }
    }
    return buckets;
}

TEST(VirtualLinks, HaveTheBucketsOfTheHostEngine)
{
    const auto hosts = PrepareHosts("queue: {drop_tail: 1MB, whole_bursts: true}");
    // two bursts of 15000 bytes and 4096; htb sends another one while it has a token
    EXPECT_EQ(ListBuckets(*hosts, true), std::set<uint64_t>{34096});
    EXPECT_EQ(ListBuckets(*hosts, false), std::set<uint64_t>{49096});
    EXPECT_EQ(hosts->tcp.ackJitter, MicroSeconds(15));
}

TEST(VirtualLinks, AreNotThoseOfSwitchesThatForwardPackets)
{
    const auto hosts = PrepareHosts("queue: 1MB");
    EXPECT_EQ(ListBuckets(*hosts, true), std::set<uint64_t>{0});
    EXPECT_EQ(ListBuckets(*hosts, false), std::set<uint64_t>{0});
    EXPECT_EQ(GetAckJitter(hosts->tcp), MicroSeconds(100));
}

TEST(VirtualLinks, HaveWhatTheScenarioSays)
{
    const auto hosts =
        PrepareHosts("queue: {drop_tail: 1MB, whole_bursts: true}, token_bucket: 5KB, "
                     "tcp: {ack_jitter: 1us}");
    EXPECT_EQ(ListBuckets(*hosts, true), std::set<uint64_t>{5000});
    EXPECT_EQ(ListBuckets(*hosts, false), std::set<uint64_t>{5000});
    EXPECT_EQ(hosts->tcp.ackJitter, MicroSeconds(1));
}

} // namespace
