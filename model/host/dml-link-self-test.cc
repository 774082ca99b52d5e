/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-link-self-test.h"

#include "dml-link-shaping.h"
#include "dml-test-flow.h"

#include <algorithm>
#include <chrono>
#include <fmt/core.h>
#include <memory>

namespace ns3::dml
{

namespace
{

using namespace std::chrono_literals;

constexpr uint64_t TESTED_AT_ONCE = 1000000000; //!< bit/s of all links together
constexpr double TEST_REPEATS_BELOW = 0.97;     //!< of the wanted rate
constexpr int MOST_TESTS = 3;                   //!< of a link
constexpr uint32_t TEST_ROUNDS = 20;            //!< of one byte there and back

/// @param link of a network @return how long to measure it
std::chrono::nanoseconds
ChooseWindow(const ClusterNetwork& network, DirectedLink link)
{
    const double mtu = network.GetLinks()[link / 2].mtu;
    const double packet = 8 * mtu / static_cast<double>(network.GetRate(link).GetBitRate()); // s
    return std::clamp(std::chrono::nanoseconds(static_cast<int64_t>(400 * packet * 1e9)),
                      std::chrono::nanoseconds(40ms),
                      std::chrono::nanoseconds(500ms));
}

/// @param network of hosts @param way of a link that carries a flow
/// @return bytes of a send buffer that loses nothing: 5 ms of the link's rate, at most 512 KiB, and
/// no more than half the queue
uint32_t
ChooseSendBuffer(const ClusterNetwork& network, DirectedLink way)
{
    const NetworkLink& link = network.GetLinks()[way / 2];
    const QueueSpec& queue = link.queues[way % 2];
    uint64_t bytes = std::min<uint64_t>(network.GetRate(way).GetBitRate() / 8 / 200, 524288);
    if (queue.bytes > 0)
    {
        bytes = std::min<uint64_t>(bytes, queue.bytes / 2);
    }
    return static_cast<uint32_t>(std::max<uint64_t>(bytes, 8 * link.mtu));
}

/// @return a flow over one direction of a link and nothing else
std::unique_ptr<TestFlow>
MakeTestFlow(const HostNetwork& network, DirectedLink direction)
{
    const HostLayout& layout = network.GetLayout();
    const ClusterNetwork& cluster = layout.GetNetwork();
    const auto makeEnd = [&](DirectedLink port) {
        return TestFlowEnd{network.GetNamespace(cluster.GetSender(port)),
                           layout.GetEndAddress(port),
                           layout.GetDevice(port)};
    };
    return std::make_unique<TestFlow>("link " + cluster.GetName(direction),
                                      makeEnd(direction),
                                      makeEnd(direction ^ 1),
                                      ChooseSendBuffer(cluster, direction));
}

/// @param links to measure at the same time @param results to write to
void
TestTogether(const HostNetwork& network,
             const std::vector<DirectedLink>& links,
             std::vector<LinkTestResult>& results)
{
    std::vector<std::unique_ptr<TestFlow>> flows;
    for (const DirectedLink link : links)
    {
        flows.push_back(MakeTestFlow(network, link));
        const double roundTrip = flows.back()->MeasureRoundTrip(TEST_ROUNDS);
        LinkTestResult& result = results[link];
        result.roundTrip =
            result.roundTrip == 0 ? roundTrip : std::min(result.roundTrip, roundTrip);
    }
    for (std::size_t i = 0; i < links.size(); ++i)
    {
        const auto window = ChooseWindow(network.GetLayout().GetNetwork(), links[i]);
        flows[i]->Start(window / 4, window);
    }
    TestFlow::Run(flows);
    for (std::size_t i = 0; i < links.size(); ++i)
    {
        LinkTestResult& result = results[links[i]];
        result.goodput = std::max(result.goodput, flows[i]->GetGoodput());
    }
}

/// @param waiting links @return the first ones that fit, no two of them the same link; they are
/// taken from those that wait
std::vector<DirectedLink>
TakeTogether(const ClusterNetwork& network, std::vector<DirectedLink>& waiting)
{
    std::vector<DirectedLink> taken;
    std::vector<DirectedLink> left;
    uint64_t sum = 0;
    for (const DirectedLink link : waiting)
    {
        const uint64_t rate = network.GetRate(link).GetBitRate();
        const bool isFree = std::find(taken.begin(), taken.end(), link ^ 1) == taken.end();
        if (taken.empty() || (isFree && sum + rate <= TESTED_AT_ONCE))
        {
            taken.push_back(link);
            sum += rate;
        }
        else
        {
            left.push_back(link);
        }
    }
    waiting = left;
    return taken;
}

/// @return "TCP carries 897.1 Mbit/s instead of 956.4"
std::string
DescribeGoodput(const LinkTestResult& result)
{
    return fmt::format("TCP carries {:.1f} Mbit/s instead of {:.1f}",
                       result.goodput * 8e-6,
                       result.wanted * 8e-6);
}

} // namespace

double
GetWantedGoodput(const DataRate& rate, uint32_t mtu, bool timestamps)
{
    const double segment = static_cast<double>(mtu) - (timestamps ? 52 : 40);
    return static_cast<double>(rate.GetBitRate()) / 8 * segment / (mtu + LINK_HEADER);
}

std::vector<LinkTestResult>
TestLinks(const HostNetwork& network, const NetworkSpec& spec)
{
    const ClusterNetwork& cluster = network.GetLayout().GetNetwork();
    std::vector<LinkTestResult> results(cluster.GetDirectedLinks());
    for (DirectedLink link = 0; link < results.size(); ++link)
    {
        results[link].link = cluster.GetName(link);
        const uint64_t queue = cluster.GetLinks()[link / 2].queues[link % 2].bytes;
        results[link].isShallow = queue > 0 && queue < cluster.GetRate(link).GetBitRate() / 8000;
        results[link].wanted = GetWantedGoodput(cluster.GetRate(link),
                                                cluster.GetLinks()[link / 2].mtu,
                                                spec.tcp.timestamps);
    }
    for (int test = 0; test < MOST_TESTS; ++test)
    {
        std::vector<DirectedLink> waiting;
        for (DirectedLink link = 0; link < results.size(); ++link)
        {
            if (results[link].goodput < TEST_REPEATS_BELOW * results[link].wanted)
            {
                waiting.push_back(link);
            }
        }
        while (!waiting.empty())
        {
            TestTogether(network, TakeTogether(cluster, waiting), results);
        }
    }
    return results;
}

LinkTestVerdict
JudgeLinks(const std::vector<LinkTestResult>& results)
{
    LinkTestVerdict verdict;
    for (const auto& result : results)
    {
        const double ratio = result.goodput / result.wanted;
        if (ratio < 0.95 && !result.isShallow && verdict.error.empty())
        {
            verdict.error = "this machine cannot give the link " + result.link +
                            " the scenario's rate: " + DescribeGoodput(result) +
                            "; lower network.rate, or wait until the machine is idle";
        }
        else if (ratio < 0.98 || ratio > 1.02)
        {
            verdict.warnings.push_back("the link " + result.link +
                                       " has not quite its rate: " + DescribeGoodput(result) +
                                       (result.isShallow ? "; its queue is short" : ""));
        }
    }
    return verdict;
}

} // namespace ns3::dml
