/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Networks without an effect: the settings that switch it off can be read, and leave nothing of it.

#include "dml-scratch-folder.h"

#include "ns3/dml-match-effects.h"
#include "ns3/dml-scenario-check.h"
#include "ns3/dml-scenario-reader.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <string>
#include <vector>

using namespace ns3::dml;

namespace
{

/// @param network keys of `network` @param settings besides @return the scenario
Scenario
ReadNetwork(const std::string& network, const std::vector<std::string>& settings)
{
    const ScratchFolder folder;
    folder.Write("p.yaml",
                 "schema: dml-profile/1\nmodel: test\nbatch_size: 4\n"
                 "tensors: [{name: a, bytes: 3000000}]\n"
                 "ops:\n"
                 "  - {name: pull/a, kind: pull, tensor: a}\n"
                 "  - {name: fa, kind: forward, device: cpu, deps: [pull/a], seconds: 0.1}\n"
                 "  - {name: push/a, kind: push, tensor: a, deps: [fa]}\n"
                 "  - {name: update/a, kind: update, tensor: a, deps: [push/a], seconds: 0.001}\n");
    const auto file = folder.Write("s.yaml",
                                   "job: {profile: p.yaml, steps: 2, warmup: 0, workers: 2}\n"
                                   "network: {" +
                                       network + "}\n");
    return ReadScenario(file, settings).front();
}

/// @param network keys of `network` @param name of an effect @return the network without it
NetworkSpec
SwitchOff(const std::string& network, const std::string& name)
{
    const auto& effects = GetMatchEffects();
    const auto effect = std::find_if(effects.begin(), effects.end(), [&](const auto& known) {
        return known.name == name;
    });
    return ReadNetwork(network, effect->without(ReadNetwork(network, {}))).network;
}

/// Networks with links, queues and bursts of many kinds.
const std::vector<std::string> NETWORKS{
    "queue: 100KB",
    "queue: {drop_tail: 200KB, whole_bursts: true}, tcp: {trains: true, ack_jitter: 10us}",
    "queue: {fq_codel: 1MB}, hosts: {worker1: {delay: 1ms, queue: 50KB}}",
    "queue: {red: 200KB}, hosts: {ps0: {delay: 0s}, worker0: {delay: 2ms, rate: 500Mbps}}",
    "queue: {ecn: 1MB, threshold: 100KB}, tcp: {variant: dctcp}",
    "transport: plain, tcp: {send_buffer: 64KiB, receive_buffer: 128KiB}",
    "tcp: {send_buffer: 64KiB, receive_buffer: 64MiB}",
    "tcp: {send_buffer: 16MiB, receive_buffer: 64MiB}",
    "topology: {type: leaf-spine, leaves: 2, spines: 2, trunk: {delay: 1ms, queue: 50KB}}",
    "topology: {type: explicit, switches: [s, t], links: [{between: [worker0, s]}, {between: "
    "[worker1, s], delay: 3ms}, {between: [s, t], queue: 70KB, delay: 1ms}, {between: [t, ps0]}]}",
};

/// @return what all links have that have it of their own, and the network
template <typename T>
std::vector<T>
ListOwn(const NetworkSpec& network, const T& all, std::optional<T> LinkSpec::*own)
{
    std::vector<T> values{all};
    const auto add = [&](const LinkSpec& link) {
        if (link.*own)
        {
            values.push_back(*(link.*own));
        }
    };
    add(network.topology.trunk);
    for (const auto& link : network.topology.links)
    {
        add(link.link);
    }
    for (const auto& [host, link] : network.hosts)
    {
        add(link);
    }
    return values;
}

TEST(EffectsOff, NothingOfAnEffectIsLeft)
{
    for (const auto& text : NETWORKS)
    {
        SCOPED_TRACE(text);
        const NetworkSpec before = ReadNetwork(text, {}).network;
        const auto kept = ListOwn(before, before.queue, &LinkSpec::queue);
        const NetworkSpec lossless = SwitchOff(text, "loss");
        const auto queues = ListOwn(lossless, lossless.queue, &LinkSpec::queue);
        ASSERT_EQ(queues.size(), kept.size());
        for (std::size_t i = 0; i < queues.size(); ++i)
        {
            EXPECT_EQ(queues[i].bytes, 0U);
            EXPECT_EQ(queues[i].IsFifo(), kept[i].IsFifo()); // which is another effect
        }
        const NetworkSpec prompt = SwitchOff(text, "delays");
        for (const auto& delay : ListOwn(prompt, prompt.delay, &LinkSpec::delay))
        {
            EXPECT_TRUE(delay.IsZero());
        }
        const NetworkSpec even = SwitchOff(text, "round-trips");
        for (const auto& [host, link] : even.hosts)
        {
            EXPECT_EQ(link.delay.value_or(even.delay), even.delay) << host;
            EXPECT_EQ(link.rate, before.hosts.at(host).rate) << host;
        }
        const TcpSpec smooth = SwitchOff(text, "bursts").tcp;
        EXPECT_EQ(smooth.gso, uint64_t{0});
        EXPECT_FALSE(smooth.trains);
        const TcpSpec roomy = SwitchOff(text, "buffers").tcp;
        EXPECT_GE(roomy.sendBuffer, std::max<uint64_t>(before.tcp.sendBuffer, 4 << 20));
        EXPECT_GE(roomy.receiveBuffer, std::max<uint64_t>(before.tcp.receiveBuffer, 8 << 20));
        if (before.tcp.variant != "dctcp")
        {
            const NetworkSpec fair = SwitchOff(text, "fifo");
            for (const auto& queue : ListOwn(fair, fair.queue, &LinkSpec::queue))
            {
                EXPECT_EQ(queue.kind, QueueSpec::Kind::FAIR);
            }
        }
        for (const char* other : {"slow-start", "idle", "late-acks", "http2"})
        {
            EXPECT_NO_THROW(SwitchOff(text, other)) << other;
        }
    }
}

} // namespace
