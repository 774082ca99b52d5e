/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Sharded jobs on ideal links, against times written down from the definitions, and in packets.

#include "dml-case-suite.h"
#include "dml-packet-fixture.h"

#include "ns3/boolean.h"
#include "ns3/dml-collective-algorithms.h"
#include "ns3/dml-sharded-protocol.h"
#include "ns3/pointer.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

using namespace ns3;
using namespace ns3::dml;

namespace
{

constexpr double FORWARD = 0.15;
constexpr double BACKWARD = 0.25;
constexpr double SHARD_UPDATE = 0.06; // of all of a unit, without shards
constexpr double SHARD_LATENCY = 0.001;

/// Units that are propagated forward one after the other, and back in the opposite order.
ProfileBuilder
MakeUnits(const std::vector<std::string>& names, uint64_t bytes)
{
    ProfileBuilder builder;
    std::string before;
    for (const auto& name : names)
    {
        builder.Pull(name, bytes);
        std::vector<std::string> deps{"pull/" + name};
        if (!before.empty())
        {
            deps.push_back(before);
        }
        before = "forward/" + name;
        builder.Forward(before, {FORWARD}, deps);
    }
    for (auto name = names.rbegin(); name != names.rend(); ++name)
    {
        builder.Backward("backward/" + *name, {BACKWARD}, {before});
        before = "backward/" + *name;
        builder.Push(*name, bytes, {before}).Update(*name, SHARD_UPDATE);
    }
    return builder;
}

/// A sharded job of one step or more.
TwinRun
MakeShardedTwin(const ProfileBuilder& builder,
                uint32_t stage,
                uint32_t workers,
                const std::string& algorithm = "ring",
                uint32_t steps = 1)
{
    TwinRun twin(builder, 0);
    twin.withoutServers = CreateObject<ShardedProtocol>();
    twin.withoutServers->SetAttribute("Stage", UintegerValue(stage));
    twin.withoutServers->SetAttribute(
        "Algorithm",
        PointerValue(CollectiveAlgorithms().Create<CollectiveAlgorithm>({algorithm, {}})));
    twin.Prepare(std::vector<double>(workers, 0), steps);
    return twin;
}

/// @return bytes that each worker sent in a step
std::map<uint32_t, uint64_t>
CountSentBytes(const RunRecorder& recorder, uint32_t step)
{
    std::map<uint32_t, uint64_t> sent;
    for (const auto& chunk : recorder.chunks)
    {
        if (chunk.resource.kind == ResourceKind::CHANNEL && chunk.step == step)
        {
            sent[chunk.resource.at.index] += chunk.bytes;
        }
    }
    return sent;
}

double
EndOfSteps(const RunRecorder& recorder)
{
    double end = 0;
    for (const auto& step : recorder.steps)
    {
        end = std::max(end, step.end);
    }
    return end;
}

/// One unit: the length of a step in the fair-share engine, to 1e-9, and the bytes of each network
/// interface.
class ShardedTimeCase : public TestCase
{
  public:
    ShardedTimeCase()
        : TestCase("Reduce-scatter and all-gather take the time of their rounds and bytes")
    {
    }

  private:
    void DoRun() override
    {
        constexpr uint64_t BYTES = 10920000; // whole shards for 1 to 8, 13
        for (const uint32_t workers : {1U, 2U, 3U, 4U, 5U, 6U, 7U, 8U, 13U})
        {
            for (const char* algorithm : {"ring", "halving-doubling"})
            {
                for (const uint32_t stage : {1U, 2U, 3U})
                {
                    Check(algorithm, stage, workers, BYTES);
                }
            }
        }
    }

    void Check(const std::string& algorithm, uint32_t stage, uint32_t workers, uint64_t bytes)
    {
        TwinRun twin = MakeShardedTwin(MakeUnits({"t"}, bytes), stage, workers, algorithm, 2);
        twin.oneWayDelay = SHARD_LATENCY;
        const double rounds = algorithm == "ring" ? workers - 1 : std::ceil(std::log2(workers));
        const double share = (workers - 1.0) / workers;
        // of parameters for forward and for back-propagation, and of gradients; or of gradients,
        // and of parameters that have been updated
        const double collectives = stage == 3 ? 3 : 2;
        const double step = FORWARD + BACKWARD + SHARD_UPDATE / workers +
                            collectives * (rounds * SHARD_LATENCY + share * bytes / twin.GetRate());
        const RunRecorder recorder = twin.RunFairShare();
        const std::string what =
            algorithm + " of " + std::to_string(workers) + ", stage " + std::to_string(stage);
        NS_TEST_EXPECT_MSG_EQ(recorder.steps.size(), 2 * workers, what);
        NS_TEST_EXPECT_MSG_EQ_TOL(EndOfSteps(recorder), 2 * step, 2e-9 * step, what);
        for (const uint32_t number : {0U, 1U})
        {
            auto sent = CountSentBytes(recorder, number);
            for (uint32_t worker = 0; worker < workers; ++worker)
            {
                NS_TEST_EXPECT_MSG_EQ(sent[worker],
                                      collectives * (bytes - bytes / workers),
                                      what << ": bytes of a network interface");
            }
        }
    }
};

/// Where collectives lie in time: by name of the profile's op, in their order.
using Timeline = std::vector<std::pair<std::string, std::pair<double, double>>>;

/// Three units on two workers, hand-derived. A collective takes G; a, b and c are propagated
/// forward and c, b and a back. Gathers are those of pulls, reduce-scatters those of pushes.
class ShardedOrderCase : public TestCase
{
  public:
    ShardedOrderCase()
        : TestCase("Gathers and reduce-scatters of three units overlap as derived by hand")
    {
    }

  private:
    static constexpr uint64_t BYTES = 24000000;

    TwinRun MakeTwin(uint32_t stage) const
    {
        return MakeShardedTwin(MakeUnits({"a", "b", "c"}, BYTES), stage, 2);
    }

    void Check(TwinRun& twin, const Timeline& expected, double end, const std::string& what)
    {
        twin.Prepare({0, 0}, 1); // with the attributes that have been set
        const RunRecorder recorder = twin.RunFairShare();
        Timeline found;
        for (const auto& chunk : recorder.chunks)
        {
            if (chunk.resource.kind == ResourceKind::COLLECTIVE && chunk.worker == 0)
            {
                found.push_back(
                    {twin.builder.Build().graph.Get(chunk.op).name, {chunk.start, chunk.end}});
            }
        }
        NS_TEST_ASSERT_MSG_EQ(found.size(), expected.size(), what);
        for (std::size_t i = 0; i < found.size(); ++i)
        {
            NS_TEST_EXPECT_MSG_EQ(found[i].first, expected[i].first, what << ", " << i);
            NS_TEST_EXPECT_MSG_EQ_TOL(found[i].second.first,
                                      expected[i].second.first,
                                      1e-9,
                                      what << ": start of " << found[i].first << ", " << i);
            NS_TEST_EXPECT_MSG_EQ_TOL(found[i].second.second,
                                      expected[i].second.second,
                                      1e-9,
                                      what << ": end of " << found[i].first << ", " << i);
        }
        NS_TEST_EXPECT_MSG_EQ_TOL(EndOfSteps(recorder), end, 1e-9, what);
    }

    void DoRun() override
    {
        TwinRun twin = MakeTwin(3);
        const double G = BYTES / 2 / twin.GetRate();
        NS_TEST_ASSERT_MSG_EQ_TOL(G, 0.1, 0.01, "as the derivations assume");
        const double F = FORWARD;
        const double W = BACKWARD;
        const double U = 3 * SHARD_UPDATE / 2; // all updates, of half a unit each
        const auto at = [G](const std::string& name, double start) {
            return std::pair(name, std::pair(start, start + G));
        };
        auto& protocol = *twin.withoutServers;

        // Without a limit, gathers of forward propagation follow each other. Forward propagation
        // ends at T = G + 3 F, as 2 G < F + F. Then c and b are gathered, c is propagated back, and
        // the gradients of each unit follow the gather of the unit after the next.
        protocol.SetAttribute("Limit", UintegerValue(0));
        double T = G + 3 * F;
        double C = T + G + W; // when c has been propagated back
        double B = C + W;     // b: its parameters are there since T + 2 G
        double A = B + W;     // a: since C + 2 G
        Check(twin,
              {at("pull/a", 0),
               at("pull/b", G),
               at("pull/c", 2 * G),
               at("pull/c", T),
               at("pull/b", T + G),
               at("push/c", C),
               at("pull/a", C + G),
               at("push/b", B),
               at("push/a", A)},
              A + G + U,
              "pre");

        // With a limit of two, c waits until a is freed. Nothing else waits for that: b is freed
        // before c is gathered again, c before a is.
        protocol.SetAttribute("Limit", UintegerValue(2));
        Check(twin,
              {at("pull/a", 0),
               at("pull/b", G),
               at("pull/c", G + F),
               at("pull/c", T),
               at("pull/b", T + G),
               at("push/c", C),
               at("pull/a", C + G),
               at("push/b", B),
               at("push/a", A)},
              A + G + U,
              "pre, two at a time");

        // With one, nothing is gathered while another unit is there.
        protocol.SetAttribute("Limit", UintegerValue(1));
        T = 3 * (G + F);
        C = T + G + W;
        B = C + G + W;
        A = B + G + W;
        Check(twin,
              {at("pull/a", 0),
               at("pull/b", G + F),
               at("pull/c", 2 * (G + F)),
               at("pull/c", T),
               at("pull/b", C),
               at("push/c", C + G),
               at("pull/a", B),
               at("push/b", B + G),
               at("push/a", A)},
              A + G + U,
              "pre, one at a time");

        // post: the next unit is gathered when one has been propagated back, before its gradients
        // are scattered.
        protocol.SetAttribute("Limit", UintegerValue(0));
        protocol.SetAttribute("BackwardPrefetch", StringValue("post"));
        T = G + 3 * F;
        C = T + G + W;
        B = C + G + W;
        A = B + G + W;
        Check(twin,
              {at("pull/a", 0),
               at("pull/b", G),
               at("pull/c", 2 * G),
               at("pull/c", T),
               at("pull/b", C),
               at("push/c", C + G),
               at("pull/a", B),
               at("push/b", B + G),
               at("push/a", A)},
              A + G + U,
              "post");

        // none: gradients are scattered first, and nothing overlaps
        protocol.SetAttribute("BackwardPrefetch", StringValue("none"));
        B = C + 2 * G + W;
        A = B + 2 * G + W;
        Check(twin,
              {at("pull/a", 0),
               at("pull/b", G),
               at("pull/c", 2 * G),
               at("pull/c", T),
               at("push/c", C),
               at("pull/b", C + G),
               at("push/b", B),
               at("pull/a", B + G),
               at("push/a", A)},
              A + G + U,
              "none");

        // Two collectives at a time start together, but their messages queue on the same channel.
        protocol.SetAttribute("Concurrent", UintegerValue(2));
        Check(twin,
              {at("pull/a", 0),
               {"pull/b", {0, 2 * G}},
               {"pull/c", {G, 3 * G}},
               at("pull/c", T),
               at("push/c", C),
               {"pull/b", {C, C + 2 * G}},
               at("push/b", B),
               {"pull/a", {B, B + 2 * G}},
               at("push/a", A)},
              A + G + U,
              "none, two collectives at a time");
        protocol.SetAttribute("Concurrent", UintegerValue(1));

        // Units that stay gathered: only gradients are sent while they are propagated back.
        protocol.SetAttribute("BackwardPrefetch", StringValue("pre"));
        protocol.SetAttribute("ReshardAfterForward", BooleanValue(false));
        protocol.SetAttribute("Limit", UintegerValue(2)); // has no effect: nothing is freed
        C = T + W;
        Check(twin,
              {at("pull/a", 0),
               at("pull/b", G),
               at("pull/c", 2 * G),
               at("push/c", C),
               at("push/b", C + W),
               at("push/a", C + 2 * W)},
              C + 2 * W + G + U,
              "without resharding");

        // Stages 1 and 2: gradients while others are computed; then all shards are updated, and
        // gathered in the order in which the next step needs them.
        for (const uint32_t stage : {1U, 2U})
        {
            TwinRun lower = MakeTwin(stage);
            C = 3 * F + W;
            const double updated = C + 2 * W + G + U;
            Check(lower,
                  {at("push/c", C),
                   at("push/b", C + W),
                   at("push/a", C + 2 * W),
                   at("pull/a", updated),
                   at("pull/b", updated + G),
                   at("pull/c", updated + 2 * G)},
                  updated + 3 * G,
                  "stage " + std::to_string(stage));
        }
    }
};

/// What packets make of it.
class ShardedPacketCase : public TestCase
{
  public:
    ShardedPacketCase()
        : TestCase("Sharded steps in packets take two per cent more at most than on ideal links")
    {
    }

  private:
    void DoRun() override
    {
        for (const char* transport : {"tcp", "grpc"})
        {
            for (const auto& [algorithm, workers] :
                 std::vector<std::pair<std::string, uint32_t>>{{"ring", 2},
                                                               {"ring", 3},
                                                               {"ring", 5},
                                                               {"halving-doubling", 4},
                                                               {"halving-doubling", 5}})
            {
                for (const uint32_t stage : {2U, 3U})
                {
                    Check(transport, algorithm, workers, stage);
                }
            }
        }
    }

    void Check(const std::string& transport,
               const std::string& algorithm,
               uint32_t workers,
               uint32_t stage)
    {
        constexpr uint64_t BYTES = 9000000;
        TwinRun twin =
            MakeShardedTwin(MakeUnits({"a", "b", "c"}, BYTES), stage, workers, algorithm, 2);
        twin.transfer.transport = transport;
        twin.network.mtu = 9000;
        const RunRecorder ideal = twin.RunFairShare();
        const RunRecorder packets = twin.RunPackets();
        const std::string what = algorithm + " of " + std::to_string(workers) + ", stage " +
                                 std::to_string(stage) + ", " + transport;
        NS_TEST_EXPECT_MSG_EQ(packets.steps.size(), 2 * workers, what);
        NS_TEST_EXPECT_MSG_EQ_TOL(EndOfSteps(packets),
                                  EndOfSteps(ideal),
                                  0.02 * EndOfSteps(ideal),
                                  what);
        NS_TEST_EXPECT_MSG_EQ(packets.transfers.size(), ideal.transfers.size(), what);
        auto sent = CountSentBytes(packets, 1);
        for (const auto& [worker, bytes] : CountSentBytes(ideal, 1))
        {
            NS_TEST_EXPECT_MSG_EQ_TOL(static_cast<double>(sent[worker]) / bytes,
                                      1,
                                      1e-3,
                                      what << ": bytes of worker " << worker);
        }
    }
};

/// Four workers on hosts of two, each with a network interface of its own here: shards are halves.
class HybridShardCase : public TestCase
{
  public:
    HybridShardCase()
        : TestCase("Hybrid shards are gathered by two workers, and reduced by two others")
    {
    }

  private:
    static TwinRun MakeTwin(uint64_t bytes)
    {
        TwinRun twin = MakeShardedTwin(MakeUnits({"a", "b"}, bytes), 3, 4);
        twin.network.mtu = 9000;
        twin.withoutServers->SetAttribute("Hybrid", BooleanValue(true));
        twin.run.plan = std::make_shared<StepPlan>(
            twin.withoutServers->MakePlan(twin.builder.Build(), {{}, 0, {}, false, {0, 0, 1, 1}}));
        return twin;
    }

    void DoRun() override
    {
        constexpr uint64_t BYTES = 24000000;
        TwinRun twin = MakeTwin(BYTES);
        // A gather and a reduce-scatter send half a unit, and so does the all-reduce of half a unit
        // among two. With 2 G < W the reductions of b end before a has been propagated back, and
        // beside nothing else, as all gathers have ended: a takes a reduce-scatter and an
        // all-reduce more.
        const double G = BYTES / 2 / twin.GetRate();
        NS_TEST_ASSERT_MSG_LT(2 * G, BACKWARD, "as the derivation assumes");
        const double end = G + 2 * FORWARD + G + 2 * BACKWARD + 2 * G + 2 * SHARD_UPDATE / 2;
        const RunRecorder ideal = twin.RunFairShare();
        NS_TEST_EXPECT_MSG_EQ_TOL(EndOfSteps(ideal), end, 1e-9, "fair-share");
        const RunRecorder packets = twin.RunPackets();
        NS_TEST_EXPECT_MSG_EQ_TOL(EndOfSteps(packets), end, 0.02 * end, "packets");
        for (const auto* recorder : {&ideal, &packets})
        {
            std::map<std::pair<uint32_t, uint32_t>, double> sent; // from whom to whom
            for (const auto& chunk : recorder->chunks)
            {
                if (chunk.resource.kind == ResourceKind::CHANNEL)
                {
                    const TransferChannel channel = chunk.resource.GetChannel();
                    sent[{channel.from.index, channel.to.index}] += chunk.bytes;
                }
            }
            NS_TEST_EXPECT_MSG_EQ(sent.size(), 8, "two others for each");
            for (uint32_t worker = 0; worker < 4; ++worker)
            {
                // half of each of two units: three times, and once half of a half there and back
                const std::pair<uint32_t, uint32_t> within{worker, worker ^ 1U};
                const std::pair<uint32_t, uint32_t> across{worker, worker ^ 2U};
                NS_TEST_EXPECT_MSG_EQ_TOL(sent[within] / (3.0 * BYTES), 1, 1e-3, "in the host");
                NS_TEST_EXPECT_MSG_EQ_TOL(sent[across] / BYTES, 1, 1e-3, "between hosts");
            }
        }
    }
};

/// @return the cases of this file
std::vector<TestCase*>
MakeShardedCases()
{
    return {new ShardedTimeCase, new ShardedOrderCase, new ShardedPacketCase, new HybridShardCase};
}

static CaseSuite g_shardedSuite("dml-sharded", MakeShardedCases()); //!< registers itself

} // namespace
