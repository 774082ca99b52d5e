/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-live-network.h"
#include "dml-namespace-child.h"

#include "ns3/dml-host-program.h"

#include <algorithm>
#include <chrono>
#include <csignal>
#include <gtest/gtest.h>
#include <net/if.h>
#include <string>
#include <thread>
#include <vector>

using namespace ns3;
using namespace ns3::dml;
using namespace std::chrono_literals;

namespace
{

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
            uint64_t most = 0;
            for (DirectedLink link = 0; link < after.size(); ++link)
            {
                most = std::max(most, after[link].bytes - before[link].bytes);
            }
            for (DirectedLink link = 0; link < after.size(); ++link)
            {
                const uint64_t bytes = after[link].bytes - before[link].bytes;
                // however much there was time for, ACKs are less than a tenth of it
                const int seen = bytes == 0 ? 0 : bytes < most / 10 ? 1 : 2;
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
    DML_EXPECT_IN_TIME_IN_CHILD(GetParam(), [] {
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
