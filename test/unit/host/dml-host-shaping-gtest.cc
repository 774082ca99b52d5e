/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-live-network.h"
#include "dml-namespace-child.h"

#include "ns3/dml-host-program.h"

#include <arpa/inet.h>
#include <chrono>
#include <cmath>
#include <gtest/gtest.h>
#include <memory>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <sys/socket.h>
#include <vector>

using namespace ns3;
using namespace ns3::dml;
using namespace std::chrono_literals;

namespace
{

/// @return text of numbers
std::string
TextOf(const std::vector<double>& numbers)
{
    std::ostringstream text;
    for (const double number : numbers)
    {
        text << number << " ";
    }
    return text.str();
}

/// @return "" as soon as a try, of three, finds nothing wrong: the machine has others to serve
template <typename Try>
std::string
BestOfThree(Try once)
{
    std::string wrong;
    for (int i = 0; i < 3; ++i)
    {
        wrong = once();
        if (wrong.empty())
        {
            break;
        }
    }
    return wrong;
}

/// @return a socket for datagrams at a host
int
MakeDatagramSocket(const LiveNetwork& live, const std::string& host, uint16_t port)
{
    const TestFlowEnd end = live.GetEnd(host);
    const NetworkVisit visit(end.place);
    const int file = socket(AF_INET, SOCK_DGRAM, 0);
    sockaddr_in own{};
    own.sin_family = AF_INET;
    own.sin_addr.s_addr = htonl(end.address.Get());
    own.sin_port = htons(port);
    return bind(file, reinterpret_cast<sockaddr*>(&own), sizeof own) == 0 ? file : -1;
}

/// Queues and rates under the rights of root, and of a user who has none.
class HostShapingTest : public testing::TestWithParam<ChildUser>
{
};

} // namespace

// One flow on idle links has what Ethernet and TCP leave of the rate, in a FIFO and in fair queues.
TEST_P(HostShapingTest, OneFlowHasTheRate)
{
    for (const auto kind : {QueueSpec::Kind::DROP_TAIL, QueueSpec::Kind::FAIR})
    {
        DML_EXPECT_IN_TIME_IN_CHILD(GetParam(), [kind] {
            const LiveNetwork live(MakeLiveSpec({kind, 1000000}));
            return BestOfThree([&] {
                const double share = live.Measure("worker0", "ps0", 150ms);
                return std::abs(share - 1) < 0.05 ? std::string() : TextOf({share});
            });
        });
    }
}

// Two hosts send 300 packets each, as fast as their links go, to one whose link is as fast and
// whose port holds 50 kB: of about 420 kB that come too early most are dropped. What comes to the
// switch either leaves it or is counted as dropped; no other port drops anything.
TEST_P(HostShapingTest, DropTailDropsAndCounts)
{
    DML_EXPECT_IN_TIME_IN_CHILD(GetParam(), [] {
        NetworkSpec spec = MakeLiveSpec({QueueSpec::Kind::DROP_TAIL, 50000});
        spec.rate = DataRate("50Mbps"); // slower than a busy machine sends
        const LiveNetwork live(spec);
        const int receiver = MakeDatagramSocket(live, "ps0", 5000);
        const int senders[] = {MakeDatagramSocket(live, "worker0", 5000),
                               MakeDatagramSocket(live, "worker1", 5000)};
        sockaddr_in to{};
        socklen_t size = sizeof to;
        getsockname(receiver, reinterpret_cast<sockaddr*>(&to), &size);
        const std::string payload(1400, 'x');
        for (int i = 0; i < 600; ++i)
        {
            if (sendto(senders[i % 2],
                       payload.data(),
                       payload.size(),
                       0,
                       reinterpret_cast<sockaddr*>(&to),
                       size) < 0)
            {
                return std::string("cannot send");
            }
        }
        const auto counts = CountWhenQuiet(live);
        const DirectedLink crowded = live.cluster.GetHostUplink(live.cluster.FindHost("ps0")) ^ 1;
        uint64_t arrived = 0;
        std::string wrong;
        for (const std::string worker : {"worker0", "worker1"})
        {
            const auto count = counts[live.cluster.GetHostUplink(live.cluster.FindHost(worker))];
            arrived += count.packets;
            wrong += count.drops == 0 ? "" : "a host drops ";
            wrong += count.bytes == 300 * (1400 + 8 + 20 + 14) ? "" : "wrong bytes ";
        }
        wrong += arrived == 600 ? "" : std::to_string(arrived) + " have arrived ";
        wrong += counts[crowded].packets + counts[crowded].drops == 600
                     ? ""
                     : std::to_string(counts[crowded].packets) + " have left ";
        wrong += counts[crowded].drops > 100
                     ? ""
                     : std::to_string(counts[crowded].drops) + " were dropped ";
        return wrong;
    });
}

// Two hosts send to a third through a fair port: a half each, although one has four times as much
// on its way as the other, by which a FIFO would share.
TEST_P(HostShapingTest, FairQueuesGiveHalves)
{
    DML_EXPECT_IN_TIME_IN_CHILD(GetParam(), [] {
        const LiveNetwork live(MakeLiveSpec({QueueSpec::Kind::FAIR, 500000}));
        return BestOfThree([&] {
            std::vector<std::unique_ptr<TestFlow>> flows;
            flows.push_back(live.MakeFlow("worker0", "ps0", 300000));
            flows.push_back(live.MakeFlow("worker1", "ps0", 75000));
            const auto shares = live.Measure(flows, 200ms);
            const bool isFair =
                std::abs(shares[0] - 0.5) < 0.05 && std::abs(shares[1] - 0.5) < 0.05;
            return isFair ? std::string() : TextOf(shares);
        });
    });
}

// worker0 only receives: all that it sends are packets without payload, none of which may wait with
// the data of a pair. The class of the others has number 2.
TEST_P(HostShapingTest, AcknowledgementsHaveTheirOwnQueue)
{
    DML_EXPECT_IN_TIME_IN_CHILD(GetParam(), [] {
        const LiveNetwork live(MakeLiveSpec({QueueSpec::Kind::FAIR, 500000}));
        live.Measure("ps0", "worker0", 50ms);
        const NetworkVisit visit(live.GetEnd("worker0").place);
        uint64_t others = 0;
        uint64_t pairs = 0;
        for (const auto& qdisc : nlohmann::json::parse(
                 RunHostProgram(FindHostProgram("tc"), {"-s", "-j", "qdisc", "show"}, "")))
        {
            if (qdisc.at("kind") == "bfifo")
            {
                (qdisc.at("handle") == "2:" ? others : pairs) +=
                    qdisc.at("packets").get<uint64_t>();
            }
        }
        return others > 20 && pairs == 0
                   ? std::string()
                   : std::to_string(others) + " others, " + std::to_string(pairs) + " of pairs";
    });
}

INSTANTIATE_TEST_SUITE_P(Users,
                         HostShapingTest,
                         testing::Values(ChildUser::ROOT, ChildUser::NOBODY),
                         [](const auto& info) {
                             return info.param == ChildUser::ROOT ? "root" : "nobody";
                         });
