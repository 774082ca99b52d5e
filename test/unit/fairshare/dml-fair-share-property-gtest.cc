/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// What must hold for every profile: conservation, capacity, one chunk per slot, precedence.

#include "dml-fair-share-fixture.h"

#include "ns3/boolean.h"
#include "ns3/data-rate.h"
#include "ns3/dml-channel-label.h"
#include "ns3/dml-error.h"
#include "ns3/nstime.h"
#include "ns3/uinteger.h"

#include <gtest/gtest.h>
#include <map>
#include <random>
#include <tuple>

using namespace ns3;
using namespace ns3::dml;

namespace
{

/// A random profile: pulls, compute ops with random earlier dependencies, pushes, updates.
ProfileBuilder
RandomProfile(std::mt19937& random)
{
    const auto draw = [&random](uint32_t n) { return static_cast<uint32_t>(random() % n); };
    ProfileBuilder builder({{"cpu", 1 + draw(2)}, {"gpu", 1}});
    const uint32_t tensors = 1 + draw(6);
    std::vector<std::string> names;
    for (uint32_t i = 0; i < tensors; ++i)
    {
        builder.Pull("t" + std::to_string(i), draw(500));
        names.push_back("pull/t" + std::to_string(i));
    }
    for (uint32_t i = 0; i < 8; ++i)
    {
        std::vector<std::string> deps;
        for (uint32_t k = draw(3); k > 0; --k)
        {
            deps.push_back(names[draw(names.size())]);
        }
        const std::string name = "op" + std::to_string(i);
        builder.Compute(name, {0.1 * draw(20), 0.1 * draw(20)}, deps, draw(2));
        names.push_back(name);
    }
    for (uint32_t i = 0; i < tensors; ++i)
    {
        builder.Push("t" + std::to_string(i), 0, {names[draw(names.size())]});
        builder.Update("t" + std::to_string(i), 0.1 * draw(5));
    }
    return builder;
}

/// Give a case one of the policies and, right or wrong, what it is to know of the transfers.
void
SetRandomPolicy(FairShareCase& c, std::mt19937& random, uint32_t policy)
{
    const auto draw = [&random](uint32_t n) { return static_cast<uint32_t>(random() % n); };
    const Profile profile = c.builder.Build();
    // only pulls wait for nothing, so that any order of them can be enforced
    const bool enforced = policy == 3 || policy == 4;
    for (OpIndex op = 0; op < profile.graph.GetSize(); ++op)
    {
        const Op& which = profile.graph.Get(op);
        if (which.kind == OpKind::PULL || (which.kind == OpKind::PUSH && !enforced))
        {
            c.facts.ranks[which.name] = draw(8);
        }
        if (which.kind == OpKind::PUSH)
        {
            c.facts.generated[which.name] = 0.1 * draw(100);
        }
    }
    const char* names[] = {"Http2Window",
                           "Fifo",
                           "RoundRobin",
                           "Ordered",
                           "Ordered",
                           "Credit",
                           "Credit",
                           "Prophet",
                           "Prophet"};
    c.run.policy.SetTypeId("ns3::dml::" + std::string(names[policy]) + "Policy");
    switch (policy)
    {
    case 2:
        c.run.policy.Set("Quantum", UintegerValue(100));
        break;
    case 4:
        c.run.policy.Set("Shuffle", BooleanValue(true));
        break;
    case 6:
        c.run.policy.Set("Credit", UintegerValue(draw(1000)));
        [[fallthrough]];
    case 5:
        c.run.policy.Set("Overhead", TimeValue(Seconds(0.1 * draw(3))));
        break;
    case 7:
    case 8:
        c.run.policy.Set("Overhead", TimeValue(Seconds(0.1 * draw(3))));
        c.run.policy.Set("Interval", TimeValue(Seconds(draw(4))));
        c.run.policy.Set("Rate", DataRateValue(DataRate(80 * (1 + draw(100)))));
        break;
    }
    c.oneWayDelay = 0.05 * draw(3);
}

FairShareCase
RandomCase(uint32_t seed)
{
    std::mt19937 random(seed);
    FairShareCase c(RandomProfile(random));
    c.servers = 1 + random() % 3;
    const SharingRule rules[] = {SharingRule::EQUAL, SharingRule::MAX_MIN, SharingRule::FIFO};
    c.network.rule = rules[random() % 3];
    c.run.window = 1 + random() % 300;
    c.run.windowRule =
        random() % 2 ? StreamWindowModel::Rule::EVERY_WINDOW : StreamWindowModel::Rule::TWO_TURNS;
    if (random() % 2)
    {
        c.overhead = {0.001, 0.05, random() % 2 == 0};
    }
    std::vector<double> offsets;
    for (uint32_t worker = 0; worker <= random() % 5; ++worker)
    {
        offsets.push_back(0.1 * (random() % 30));
    }
    SetRandomPolicy(c, random, seed % 9);
    c.Run(offsets, 3);
    return c;
}

class FairShareProperty : public testing::TestWithParam<uint32_t>
{
};

} // namespace

TEST_P(FairShareProperty, BytesAreConserved)
{
    const auto c = RandomCase(GetParam());
    const uint64_t perStep = 2 * c.builder.Build().GetTotalBytes();
    EXPECT_EQ(c.servedBytes, perStep * c.run.workers * c.run.steps);
    uint64_t inChunks = 0;
    for (const auto& chunk : c.recorder.chunks)
    {
        inChunks += chunk.bytes;
    }
    EXPECT_EQ(inChunks, c.servedBytes);
    double onLinks = 0;
    for (const auto& link : c.recorder.links)
    {
        onLinks += link.bytesPerSecond * (link.end - link.start);
        EXPECT_LE(link.bytesPerSecond, FairShareCase::RATE * (1 + 1e-12));
    }
    EXPECT_NEAR(onLinks, c.servedBytes, 1e-6 * c.servedBytes + 1e-6);
}

TEST_P(FairShareProperty, EverySlotRunsOneChunkAtATime)
{
    const auto c = RandomCase(GetParam());
    std::map<std::tuple<uint32_t, ResourceLabel, uint32_t>, std::vector<ChunkRecord>> byResource;
    for (const auto& chunk : c.recorder.chunks)
    {
        byResource[{chunk.worker, GetLabel(chunk.resource), GetLabelIndex(chunk.resource)}]
            .push_back(chunk);
    }
    for (const auto& [resource, chunks] : byResource)
    {
        const bool device = std::get<1>(resource) == ResourceLabel::DEVICE;
        const uint32_t slots = device ? c.builder.Build().devices[std::get<2>(resource)].slots : 1;
        for (const auto& chunk : chunks)
        {
            uint32_t running = 0; // chunks in service at the middle of this one
            const double middle = 0.5 * (chunk.start + chunk.end);
            for (const auto& other : chunks)
            {
                running += other.start < middle && middle < other.end ? 1 : 0;
            }
            EXPECT_LE(running, slots);
        }
    }
}

TEST_P(FairShareProperty, NothingStartsBeforeWhatItWaitsFor)
{
    const auto c = RandomCase(GetParam());
    const Profile profile = c.builder.Build();
    std::map<std::tuple<uint32_t, uint32_t, uint32_t>, std::pair<double, double>> span;
    for (const auto& chunk : c.recorder.chunks)
    {
        const auto [at, isNew] =
            span.insert({{chunk.worker, chunk.step, chunk.op}, {chunk.start, chunk.end}});
        at->second.first = std::min(at->second.first, chunk.start);
        at->second.second = std::max(at->second.second, chunk.end);
    }
    EXPECT_EQ(span.size(), c.run.workers * c.run.steps * profile.graph.GetSize());
    for (const auto& [key, times] : span)
    {
        const auto& [worker, step, op] = key;
        for (const OpIndex before : profile.graph.GetDependencies(op))
        {
            EXPECT_GE(times.first, (span[{worker, step, before}].second) - 1e-9);
        }
    }
}

TEST_P(FairShareProperty, TheSameRunTwiceIsTheSame)
{
    const auto a = RandomCase(GetParam());
    const auto b = RandomCase(GetParam());
    ASSERT_EQ(a.recorder.steps.size(), b.recorder.steps.size());
    for (std::size_t i = 0; i < a.recorder.steps.size(); ++i)
    {
        EXPECT_EQ(a.recorder.steps[i].end, b.recorder.steps[i].end);
    }
}

INSTANTIATE_TEST_SUITE_P(Seeds, FairShareProperty, testing::Range(1u, 100u));

namespace
{

/// A policy that takes transfers and never serves them.
class StuckPolicy : public TransferPolicy
{
  public:
    static TypeId GetTypeId()
    {
        static TypeId tid = TypeId("ns3::dml::test::StuckPolicy")
                                .SetParent<TransferPolicy>()
                                .AddConstructor<StuckPolicy>();
        return tid;
    }

    void Add(OpIndex, uint64_t) override
    {
    }

    Turn Next(const WindowView&) override
    {
        return {};
    }

    bool TurnEnded() override
    {
        return true;
    }

    uint32_t GetSize() const override
    {
        return 1;
    }
};

} // namespace

TEST(FairShareEngine, AStalledRunNamesTheBlockedOps)
{
    ProfileBuilder builder;
    builder.Pull("a", 100).Compute("forward", {1}, {"pull/a"});
    FairShareCase c(builder);
    c.run.policy.SetTypeId(StuckPolicy::GetTypeId());
    try
    {
        c.Run({0, 0});
        FAIL() << "the run must not end well";
    }
    catch (const RunError& error)
    {
        EXPECT_STREQ(error.what(),
                     "the run stalled at 0 s: ops wait and nothing can happen any more\n"
                     "  worker 0: pull/a (waits for 0)\n"
                     "  worker 0: forward (waits for 1)\n"
                     "  worker 1: pull/a (waits for 0)\n"
                     "  worker 1: forward (waits for 1)");
    }
}
