/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Before a run: read the job's profile, and plan its step.

#include "dml-bench-workload.h"

#include "ns3/dml-placement.h"
#include "ns3/dml-profile-reader.h"
#include "ns3/dml-step-plan.h"

#include <benchmark/benchmark.h>

namespace
{

using namespace ns3::dml;

void
ReadJob(benchmark::State& state)
{
    const BenchFolder folder;
    const std::string path = folder.Write(MakeBenchProfile());
    for (auto _ : state)
    {
        const Profile profile = ReadProfile(path);
        benchmark::DoNotOptimize(profile);
    }
    state.SetItemsProcessed(state.iterations() * BENCH_OPS);
}

void
PlanStep(benchmark::State& state)
{
    const Profile profile = MakeBenchProfile();
    const Placement placement = PlaceGreedy(profile.tensors, 4);
    for (auto _ : state)
    {
        const StepPlan plan = MakeStepPlan(profile, placement, 4, ParseOverhead());
        benchmark::DoNotOptimize(plan);
    }
    state.SetItemsProcessed(state.iterations() * BENCH_OPS);
}

BENCHMARK(ReadJob)->Unit(benchmark::kMillisecond);
BENCHMARK(PlanStep)->Unit(benchmark::kMillisecond);

} // namespace
