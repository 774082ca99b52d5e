/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-namespace-child.h"

#include "ns3/dml-host-network.h"
#include "ns3/dml-host-program.h"
#include "ns3/dml-link-self-test.h"
#include "ns3/dml-test-flow.h"
#include "ns3/dml-topology-builder.h"

#include <arpa/inet.h>
#include <chrono>
#include <cmath>
#include <csignal>
#include <gtest/gtest.h>
#include <memory>
#include <net/if.h>
#include <nlohmann/json.hpp>
#include <numeric>
#include <sstream>
#include <string>
#include <sys/socket.h>
#include <thread>
#include <vector>

using namespace ns3;
using namespace ns3::dml;
using namespace std::chrono_literals;

namespace
{

/// A network of the host engine at 200 Mbit/s, and the names of its hosts.
struct LiveNetwork
{
    explicit LiveNetwork(const NetworkSpec& spec, uint32_t workers = 2)
        : cluster(BuildNetwork(spec, {{workers, 1}})),
          network(cluster, spec, ProbeHostAbilities())
    {
    }

    /// @return end of a flow at a host
    TestFlowEnd GetEnd(const std::string& host) const
    {
        const uint32_t node = cluster.FindHost(host);
        return {network.GetNamespace(node), network.GetAddress(node)};
    }

    /// @return a flow between hosts that has not started; its buffer says how much is on its way
    std::unique_ptr<TestFlow> MakeFlow(const std::string& from,
                                       const std::string& to,
                                       uint32_t sendBuffer = 200000) const
    {
        return std::make_unique<TestFlow>(from + " to " + to, GetEnd(from), GetEnd(to), sendBuffer);
    }

    /// @return goodputs of flows that run at the same time, over what a link can carry
    std::vector<double> Measure(const std::vector<std::unique_ptr<TestFlow>>& flows,
                                std::chrono::milliseconds window) const
    {
        for (const auto& flow : flows)
        {
            flow->Start(window / 2, window);
        }
        TestFlow::Run(flows);
        std::vector<double> shares;
        for (const auto& flow : flows)
        {
            shares.push_back(flow->GetGoodput() /
                             GetWantedGoodput(cluster.GetLinks().front(), false));
        }
        return shares;
    }

    /// @return the same of one flow
    double Measure(const std::string& from,
                   const std::string& to,
                   std::chrono::milliseconds window) const
    {
        std::vector<std::unique_ptr<TestFlow>> flows;
        flows.push_back(MakeFlow(from, to));
        return Measure(flows, window).front();
    }

    ClusterNetwork cluster; //!< hosts, switches and links
    HostNetwork network;    //!< the same on this machine
};

/// 200 Mbit/s, and queues of a size.
NetworkSpec
MakeLiveSpec(const QueueSpec& queue)
{
    NetworkSpec spec;
    spec.rate = DataRate("200Mbps");
    spec.queue = queue;
    return spec;
}

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

/// Waits until nothing is in a queue any more.
std::vector<HostLinkCount>
CountWhenQuiet(const LiveNetwork& live)
{
    std::vector<HostLinkCount> counts;
    for (int i = 0; i < 100; ++i)
    {
        counts = live.network.ReadCounters();
        if (std::accumulate(counts.begin(), counts.end(), uint64_t(0), [](auto sum, const auto& c) {
                return sum + c.backlog;
            }) == 0)
        {
            break;
        }
        std::this_thread::sleep_for(20ms);
    }
    return counts;
}

/// The network under the rights of root, and of a user who has none.
class HostNetworkTest : public testing::TestWithParam<ChildUser>
{
};

} // namespace

TEST_P(HostNetworkTest, EveryHostReachesEveryOther)
{
    DML_EXPECT_IN_CHILD(GetParam(), [] {
        const LiveNetwork live(MakeLiveSpec({}));
        for (const std::string from : {"ps0", "worker0", "worker1"})
        {
            for (const std::string to : {"ps0", "worker0", "worker1"})
            {
                live.MakeFlow(from, to)->MeasureRoundTrip(1); // throws if it does not
            }
        }
        return std::string();
    });
}

// One flow on idle links has what Ethernet and TCP leave of the rate, in a FIFO and in fair queues.
TEST_P(HostNetworkTest, OneFlowHasTheRate)
{
    for (const auto kind : {QueueSpec::Kind::DROP_TAIL, QueueSpec::Kind::FAIR})
    {
        DML_EXPECT_IN_CHILD(GetParam(), [kind] {
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
TEST_P(HostNetworkTest, DropTailDropsAndCounts)
{
    DML_EXPECT_IN_CHILD(GetParam(), [] {
        const LiveNetwork live(MakeLiveSpec({QueueSpec::Kind::DROP_TAIL, 50000}));
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
TEST_P(HostNetworkTest, FairQueuesGiveHalves)
{
    DML_EXPECT_IN_CHILD(GetParam(), [] {
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
TEST_P(HostNetworkTest, AcknowledgementsHaveTheirOwnQueue)
{
    DML_EXPECT_IN_CHILD(GetParam(), [] {
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

// The payload crosses the links of ClusterNetwork's route, ACKs those of the reverse route, and the
// other links stay empty.
TEST_P(HostNetworkTest, PacketsTakeTheRoutes)
{
    DML_EXPECT_IN_CHILD(GetParam(), [] {
        NetworkSpec spec = MakeLiveSpec({});
        spec.topology.type = "leaf-spine";
        spec.topology.spines = 2;
        const LiveNetwork live(spec, 3);
        const uint32_t server = live.cluster.FindHost("ps0");
        std::string wrong;
        for (const std::string name : {"worker0", "worker1", "worker2"})
        {
            const uint32_t worker = live.cluster.FindHost(name);
            std::vector<int> wanted(live.cluster.GetDirectedLinks(), 0);
            for (const DirectedLink link : live.cluster.FindRoute(server, worker))
            {
                wanted[link] = 1;
            }
            for (const DirectedLink link : live.cluster.FindRoute(worker, server))
            {
                wanted[link] = 2;
            }
            const auto before = CountWhenQuiet(live);
            live.Measure(name, "ps0", 20ms);
            const auto after = CountWhenQuiet(live);
            for (DirectedLink link = 0; link < after.size(); ++link)
            {
                const uint64_t bytes = after[link].bytes - before[link].bytes;
                // 30 ms are 750 kB; ACKs are less than a tenth of that
                const int seen = bytes == 0 ? 0 : bytes < 100000 ? 1 : 2;
                if (seen != wanted[link])
                {
                    wrong += name + ": " + std::to_string(bytes) + " on " +
                             live.cluster.GetName(link) + "; ";
                }
            }
        }
        return wrong;
    });
}

// Every link has its rate, and the run's reader learns nothing else.
TEST_P(HostNetworkTest, SelfTest)
{
    DML_EXPECT_IN_CHILD(GetParam(), [] {
        const NetworkSpec spec = MakeLiveSpec({});
        const LiveNetwork live(spec);
        std::string wrong;
        for (const auto& result : TestLinks(live.network, spec))
        {
            const double ratio = result.goodput / result.wanted;
            if (!(ratio > 0.9 && ratio < 1.05 && result.roundTrip > 0 && result.roundTrip < 0.1))
            {
                wrong += result.link + " " + std::to_string(ratio) + " ";
            }
        }
        return wrong;
    });
}

// A process makes a network and is killed. A device here whose other end lies in one of the
// network's namespaces goes when that goes.
TEST_P(HostNetworkTest, NothingIsLeftOfAKilledProcess)
{
    DML_EXPECT_IN_CHILD(GetParam(), [] {
        const NetworkNamespace scratch;
        const NetworkVisit visit(scratch);
        int ends[2];
        if (pipe(ends) != 0)
        {
            return std::string("cannot make a pipe");
        }
        const pid_t child = fork();
        if (child == 0)
        {
            alarm(60);
            const LiveNetwork live(MakeLiveSpec({}));
            std::string commands;
            for (uint32_t node = 0; node < live.cluster.GetNodes().size(); ++node)
            {
                commands += "link add probe" + std::to_string(node) +
                            " type veth peer name other netns " +
                            live.network.GetNamespace(node).GetPath() + "\n";
            }
            RunHostProgram(FindHostProgram("ip"), {"-batch", "-"}, commands);
            const bool told = write(ends[1], "x", 1) == 1;
            pause();
            _exit(told ? 0 : 1);
        }
        close(ends[1]);
        char byte = 0;
        std::string wrong = read(ends[0], &byte, 1) == 1 ? "" : "the process has made no network";
        for (const auto* device : {"probe0", "probe1", "probe2", "probe3"})
        {
            wrong += if_nametoindex(device) > 0 || !wrong.empty() ? "" : "a device is missing";
        }
        kill(child, SIGKILL);
        waitpid(child, nullptr, 0);
        for (int i = 0; i < 500 && if_nametoindex("probe0") + if_nametoindex("probe1") +
                                           if_nametoindex("probe2") + if_nametoindex("probe3") >
                                       0;
             ++i)
        {
            std::this_thread::sleep_for(20ms); // the kernel tidies up in the background
        }
        for (const auto* device : {"probe0", "probe1", "probe2", "probe3"})
        {
            wrong += if_nametoindex(device) == 0 ? "" : std::string(device) + " is left";
        }
        return wrong;
    });
}

INSTANTIATE_TEST_SUITE_P(Users,
                         HostNetworkTest,
                         testing::Values(ChildUser::ROOT, ChildUser::NOBODY),
                         [](const auto& info) {
                             return info.param == ChildUser::ROOT ? "root" : "nobody";
                         });
