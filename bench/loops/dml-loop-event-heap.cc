/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// The fair-share engine's queue of events: take the first one out, put another one in ("hold").

#include "ns3/dml-event-heap.h"

#include <array>
#include <benchmark/benchmark.h>
#include <random>

namespace
{

/// Payload as large as the engine's.
using Payload = std::array<uint64_t, 3>;

/// Argument: events in the queue, which is 4 or so for each worker.
void
HoldEvent(benchmark::State& state)
{
    ns3::dml::EventHeap<Payload> events;
    std::minstd_rand random(1);
    std::exponential_distribution<double> later(1e3);
    uint64_t order = 0;
    for (int64_t i = 0; i < state.range(0); ++i)
    {
        events.Push(later(random), order++, Payload{});
    }
    // drawn beforehand: the loop is to take out and put in
    std::array<double, 1024> delays{};
    for (auto& delay : delays)
    {
        delay = later(random);
    }
    for (auto _ : state)
    {
        const auto first = events.Pop();
        events.Push(first.time + delays[order % delays.size()], order, first.payload);
        ++order;
    }
    state.SetItemsProcessed(state.iterations());
}

BENCHMARK(HoldEvent)->Arg(32)->Arg(1024);

} // namespace
