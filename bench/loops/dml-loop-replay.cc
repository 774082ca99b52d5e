/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Replay of a global data-flow graph: ops of 64 workers' rings, step by step, and its critical
// path.

#include "ns3/dml-critical-path.h"
#include "ns3/dml-graph-replay.h"

#include <benchmark/benchmark.h>
#include <random>
#include <vector>

namespace
{

using namespace ns3::dml;

constexpr uint32_t WORKERS = 64;

/**
 * Round after round, each worker computes, on device w, and sends, on device WORKERS + w, what it
 * computed and what its neighbour sent it.
 */
TimedGraph
MakeRings(uint32_t rounds)
{
    std::minstd_rand random(1);
    std::uniform_real_distribution<double> time(1e-4, 2e-4);
    std::vector<uint32_t> devices;
    std::vector<double> seconds;
    GlobalGraph::Dependencies dependencies;
    for (uint32_t round = 0; round < rounds; ++round)
    {
        for (uint32_t worker = 0; worker < WORKERS; ++worker)
        {
            const auto compute = static_cast<GlobalOp>(devices.size());
            devices.insert(devices.end(), {worker, WORKERS + worker});
            seconds.insert(seconds.end(), {time(random), time(random)});
            dependencies.emplace_back(compute, compute + 1);
            if (round > 0)
            {
                const uint32_t neighbour = (worker + WORKERS - 1) % WORKERS;
                const GlobalOp sent = 2 * ((round - 1) * WORKERS + neighbour) + 1;
                dependencies.emplace_back(compute - 2 * WORKERS, compute);
                dependencies.emplace_back(sent, compute + 1);
            }
        }
    }
    return {{std::move(devices), std::move(dependencies)}, std::move(seconds)};
}

/// Argument: how ops are ordered.
void
ReplayGraph(benchmark::State& state)
{
    const auto job = MakeRings(1'000'000 / (2 * WORKERS));
    for (auto _ : state)
    {
        benchmark::DoNotOptimize(
            Replay(job.graph, job.seconds, static_cast<ReplayOrder>(state.range(0))));
    }
    state.SetItemsProcessed(state.iterations() * job.graph.GetSize());
}

BENCHMARK(ReplayGraph)
    ->Arg(static_cast<int>(ReplayOrder::READY_TIME))
    ->Arg(static_cast<int>(ReplayOrder::DEVICE_TIME))
    ->Unit(benchmark::kMillisecond);

/// The critical path and the slack of all ops.
void
FindPath(benchmark::State& state)
{
    const auto job = MakeRings(1'000'000 / (2 * WORKERS));
    const auto execution = Replay(job.graph, job.seconds);
    for (auto _ : state)
    {
        benchmark::DoNotOptimize(FindCriticalPath(execution));
        benchmark::DoNotOptimize(GetSlack(job.graph, execution));
    }
    state.SetItemsProcessed(state.iterations() * job.graph.GetSize());
}

BENCHMARK(FindPath)->Unit(benchmark::kMillisecond);

/// From lists of devices and dependencies.
void
MakeGraph(benchmark::State& state)
{
    for (auto _ : state)
    {
        benchmark::DoNotOptimize(MakeRings(1'000'000 / (2 * WORKERS)));
    }
}

BENCHMARK(MakeGraph)->Unit(benchmark::kMillisecond);

} // namespace
