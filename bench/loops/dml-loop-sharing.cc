/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// What divides the rates of links: the first flow ends, and one that was idle starts. Half of the
// flows of all workers, drawn at random, are active all the time.

#include "ns3/dml-fair-share-network.h"

#include <array>
#include <benchmark/benchmark.h>
#include <random>

namespace
{

using namespace ns3::dml;

constexpr double RATE = 1.25e9; // bytes per second of every link

void
EndFlow(benchmark::State& state, SharingRule rule)
{
    FairShareNetwork network;
    network.rule = rule;
    network.links = MakeStarFlowNetwork(
        {static_cast<uint32_t>(state.range(0)), static_cast<uint32_t>(state.range(1))},
        RATE,
        RATE);
    PrepareFairShareNetwork(network);
    const auto sharing = MakeBandwidthSharing(network, nullptr);

    std::minstd_rand random(1);
    std::exponential_distribution<double> size(1e-6);
    std::array<double, 1024> sizes{};
    for (auto& bytes : sizes)
    {
        bytes = 1 + size(random);
    }
    std::vector<FlowId> idle(network.links.flows.size());
    std::iota(idle.begin(), idle.end(), 0);
    for (std::size_t i = idle.size(); i > 1; --i)
    {
        std::swap(idle[i - 1], idle[random() % i]);
    }
    uint64_t order = 0;
    for (const std::size_t half = idle.size() / 2; idle.size() > half; idle.pop_back())
    {
        sharing->Start(idle.back(), sizes[order % sizes.size()], order, 0);
        ++order;
    }
    for (auto _ : state)
    {
        const FlowEnd end = sharing->GetNextEnd();
        sharing->Finish();
        FlowId& other = idle[order % idle.size()];
        sharing->Start(other, sizes[order % sizes.size()], order, end.time);
        other = end.flow;
        ++order;
    }
    state.SetItemsProcessed(state.iterations());
}

void
EndFlowEqual(benchmark::State& state)
{
    EndFlow(state, SharingRule::EQUAL);
}

void
EndFlowMaxMin(benchmark::State& state)
{
    EndFlow(state, SharingRule::MAX_MIN);
}

// Arguments: workers, parameter servers.
BENCHMARK(EndFlowEqual)->Args({8, 1})->Args({256, 1});
BENCHMARK(EndFlowMaxMin)->Args({8, 4})->Args({256, 4});

} // namespace
