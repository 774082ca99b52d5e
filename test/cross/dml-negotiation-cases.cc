/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Workers that agree in cycles which gradients they reduce, as with Horovod: both engines against
// times that follow from the cycles.

#include "dml-case-suite.h"
#include "dml-packet-fixture.h"

#include "ns3/boolean.h"
#include "ns3/dml-all-reduce-protocol.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

using namespace ns3;
using namespace ns3::dml;

namespace
{

constexpr double CYCLE = 0.1;

/// A collective of one worker: bytes of its buffer, and when it started.
struct Reduced
{
    uint64_t bytes;
    double start;
};

/// What a worker reduced, in order.
std::vector<Reduced>
ListReduced(const RunRecorder& recorder, uint32_t worker)
{
    std::vector<Reduced> list;
    for (const auto& chunk : recorder.chunks)
    {
        if (chunk.resource.kind == ResourceKind::COLLECTIVE && chunk.worker == worker)
        {
            list.push_back({chunk.bytes, chunk.start});
        }
    }
    std::stable_sort(list.begin(), list.end(), [](const Reduced& a, const Reduced& b) {
        return a.start < b.start;
    });
    return list;
}

/// Three gradients: c at 0.07 s, b at 0.16 s, a at a time to be set; each takes a time on the wire.
/// A ring of two sends half of a buffer twice, one after the other.
TwinRun
MakeTwin(double aReady, double wire, uint32_t workers = 2)
{
    TwinRun twin(ProfileBuilder(), 0);
    twin.network.mtu = 9000;
    twin.transfer.transport = "tcp";
    const auto bytes = 2 * static_cast<uint64_t>(wire * twin.GetRate() / 2);
    ProfileBuilder& builder = twin.builder;
    builder.Pull("a", bytes).Pull("b", bytes).Pull("c", bytes);
    builder.Compute("forward", {0.05}, {"pull/a", "pull/b", "pull/c"});
    builder.Compute("backward/c", {0.02}, {"forward"});
    builder.Compute("backward/b", {0.09}, {"backward/c"});
    builder.Compute("backward/a", {aReady - 0.16}, {"backward/b"});
    builder.Push("a", bytes, {"backward/a"});
    builder.Push("b", bytes, {"backward/b"});
    builder.Push("c", bytes, {"backward/c"});
    builder.Update("a", 0).Update("b", 0).Update("c", 0);
    twin.withoutServers = CreateObject<AllReduceProtocol>();
    twin.withoutServers->SetAttribute("Cycle", TimeValue(Seconds(CYCLE)));
    twin.Prepare(std::vector<double>(workers, 0), 1);
    return twin;
}

/// Set an attribute of the protocol, and plan again.
void
Change(TwinRun& twin, const std::string& name, const AttributeValue& value)
{
    twin.withoutServers->SetAttribute(name, value);
    twin.Prepare(std::vector<double>(twin.run.workers, 0), twin.run.steps);
}

/// Compares what workers reduced, and when, with what is expected: gradients of a buffer and start.
class ReducedCase : public TestCase
{
  protected:
    using TestCase::TestCase;

    using Expected = std::vector<std::pair<uint32_t, double>>;

    void Check(const RunRecorder& recorder,
               const TwinRun& twin,
               const Expected& expected,
               double tolerance,
               const std::string& what)
    {
        const uint64_t bytes = twin.run.plan->ops[twin.run.plan->collectives.front().op].bytes;
        for (uint32_t worker = 0; worker < twin.run.workers; ++worker)
        {
            const auto list = ListReduced(recorder, worker);
            NS_TEST_ASSERT_MSG_EQ(list.size(), expected.size(), what << ": number of buckets");
            for (std::size_t i = 0; i < list.size(); ++i)
            {
                NS_TEST_EXPECT_MSG_EQ(list[i].bytes,
                                      expected[i].first * bytes,
                                      what << ": bytes of bucket " << i);
                NS_TEST_EXPECT_MSG_EQ_TOL(list[i].start,
                                          expected[i].second,
                                          tolerance,
                                          what << ": start of bucket " << i);
            }
        }
    }

    /// In both engines, packets being later by their headers and messages.
    void CheckBoth(TwinRun& twin, const Expected& expected, const std::string& what)
    {
        Check(twin.RunFairShare(), twin, expected, 1e-7, what + ", fair-share"); // whole bytes
        Check(twin.RunPackets(), twin, expected, 4e-3, what + ", packets");
    }
};

/// Which gradients are reduced together, and when.
class CycleCase : public ReducedCase
{
  public:
    CycleCase()
        : ReducedCase("Gradients that come in the same cycle are reduced together")
    {
    }

  private:
    void DoRun() override
    {
        // cycles end at 0.1 and 0.2 s: c at 0.1; a and b, ready at 0.18 and 0.16, at 0.2
        TwinRun twin = MakeTwin(0.18, 0.05);
        CheckBoth(twin, {{1, 0.1}, {2, 0.2}}, "two in a cycle");
        // two of them are more than the threshold: b, which is generated first, then a
        Change(twin, "Threshold", UintegerValue(0));
        CheckBoth(twin, {{1, 0.1}, {1, 0.2}, {1, 0.25}}, "each alone");
        // c is on the wire from 0.1 to 0.25. b is agreed on at 0.2, a at 0.3, when b is under way
        // until 0.4 s
        TwinRun slow = MakeTwin(0.23, 0.15);
        CheckBoth(slow, {{1, 0.1}, {1, 0.25}, {1, 0.4}}, "three cycles");
        // a cycle that waits for c ends at 0.25, with a and b
        Change(slow, "Waits", BooleanValue(true));
        CheckBoth(slow, {{1, 0.1}, {2, 0.25}}, "waits");
        // without names that are known by bits it is the same
        Change(twin, "Threshold", UintegerValue(Negotiation::THRESHOLD));
        Change(twin, "Cached", BooleanValue(false));
        twin.Prepare({0, 0}, 3);
        // steps end at 0.3; the next cycles with something end at 0.4 and 0.5, then 0.7 and 0.8
        CheckBoth(twin,
                  {{1, 0.1}, {2, 0.2}, {1, 0.4}, {2, 0.5}, {1, 0.7}, {2, 0.8}},
                  "three steps");
    }
};

/// Events of one instant: the cycle's end is looked at last.
class SameInstantCase : public ReducedCase
{
  public:
    SameInstantCase()
        : ReducedCase("A gradient that comes when a cycle ends is reduced in that cycle")
    {
    }

  private:
    void DoRun() override
    {
        // All times are multiples of 1/16 s, which are exact. The end of the first cycle, at 1/8 s,
        // is planned when the first gradient comes, before the computation of the second one.
        TwinRun twin(ProfileBuilder(), 0);
        twin.builder.Compute("first", {0.0625}).Push("first", 1000, {"first"}).Update("first", 0);
        twin.builder.Compute("second", {0.0625}, {"first"});
        twin.builder.Push("second", 1000, {"second"}).Update("second", 0);
        twin.withoutServers = CreateObject<AllReduceProtocol>();
        twin.withoutServers->SetAttribute("Cycle", TimeValue(Seconds(0.125)));
        twin.Prepare({0, 0}, 1);
        Check(twin.RunFairShare(), twin, {{2, 0.125}}, 1e-7, "same instant, fair-share");
    }
};

/// One worker computes slower: what all have counts.
class SlowestCase : public ReducedCase
{
  public:
    SlowestCase()
        : ReducedCase("A gradient is reduced when all workers have it")
    {
    }

  private:
    void DoRun() override
    {
        // Worker 2 begins 0.04 s later, and each cycle then ends with it: at 0.14, 0.24 and 0.34.
        // It has c at 0.11, b at 0.2, a at 0.22.
        TwinRun twin = MakeTwin(0.18, 0.03, 3);
        twin.Prepare({0, 0, 0.04}, 1);
        CheckBoth(twin, {{1, 0.14}, {2, 0.24}}, "starts later");
        // Worker 0 begins last, at 0.16: cycles end at 0.26 and 0.36. It has c at 0.23, b at 0.32,
        // a at 0.34.
        twin.Prepare({0.16, 0, 0}, 1);
        CheckBoth(twin, {{1, 0.26}, {2, 0.36}}, "the first one starts last");
    }
};

/// With an order of the user's the first worker decides for all, and no barrier makes it matter.
class PriorityCase : public ReducedCase
{
  public:
    PriorityCase()
        : ReducedCase("Gradients of a priority overtake others, and the next step begins earlier")
    {
    }

  private:
    /// Layer 1 has tensor a, layer 2 has b0 and b1; each takes 0.05 s to compute either way, but
    /// backward/1 0.04; on the wire a takes 0.1, b0 and b1 0.05 each.
    static TwinRun MakeLayers(bool barrier, double cycle)
    {
        TwinRun twin(ProfileBuilder(), 0);
        twin.network.mtu = 9000;
        const auto bytes = 2 * static_cast<uint64_t>(0.05 * twin.GetRate() / 2);
        ProfileBuilder& builder = twin.builder;
        builder.Pull("a", 2 * bytes).Pull("b0", bytes).Pull("b1", bytes);
        builder.Compute("forward/1", {0.05}, {"pull/a"});
        builder.Compute("forward/2", {0.05}, {"forward/1", "pull/b0", "pull/b1"});
        builder.Compute("backward/2", {0.05}, {"forward/2"});
        builder.Compute("backward/1", {0.04}, {"backward/2"});
        builder.Push("a", 2 * bytes, {"backward/1"});
        builder.Push("b0", bytes, {"backward/2"}).Push("b1", bytes, {"backward/2"});
        builder.Update("a", 0).Update("b0", 0).Update("b1", 0);
        twin.withoutServers = CreateObject<AllReduceProtocol>();
        twin.withoutServers->SetAttribute("Cycle", TimeValue(Seconds(cycle)));
        twin.withoutServers->SetAttribute("Threshold", UintegerValue(0));
        twin.withoutServers->SetAttribute("Barrier", BooleanValue(barrier));
        twin.run.policy.SetTypeId("ns3::dml::CreditPolicy"); // one at a time: P3
        twin.Prepare({0, 0}, 3);
        auto plan = std::make_shared<StepPlan>(*twin.run.plan);
        const std::map<std::string, uint32_t> ranks{{"push/a", 0}, {"push/b0", 1}, {"push/b1", 2}};
        for (OpIndex op = 0; op < plan->ops.size(); ++op)
        {
            const auto rank = ranks.find(plan->names[op]);
            plan->ranks[op] = rank == ranks.end() ? NO_INDEX : rank->second;
        }
        twin.run.plan = plan;
        return twin;
    }

    static std::vector<double> ListEnds(const RunRecorder& recorder)
    {
        std::vector<double> ends;
        for (const auto& step : recorder.steps)
        {
            if (step.worker == 1)
            {
                ends.push_back(step.end);
            }
        }
        return ends;
    }

    void Check(const RunRecorder& recorder,
               const std::vector<double>& expected,
               double tolerance,
               const std::string& what)
    {
        const auto ends = ListEnds(recorder);
        NS_TEST_ASSERT_MSG_EQ(ends.size(), expected.size(), what << ": all steps");
        for (std::size_t i = 0; i < ends.size(); ++i)
        {
            NS_TEST_EXPECT_MSG_EQ_TOL(ends[i],
                                      expected[i],
                                      tolerance,
                                      what << ": end of step " << i);
        }
    }

    void DoRun() override
    {
        // b0 and b1 are ready at 0.15, a at 0.19. b0 is on the wire until 0.2, when a is preferred
        // to b1: a until 0.3, b1 until 0.35. With the barrier that is when the next step begins.
        // Without it layer 1 goes on at 0.3, layer 2 at 0.35: a step each 0.3 s.
        const std::vector<double> with{0.35, 0.7, 1.05};
        const std::vector<double> without{0.35, 0.65, 0.95};
        Check(MakeLayers(true, 0.05).RunFairShare(), with, 1e-7, "barrier, fair-share");
        Check(MakeLayers(false, 0.05).RunFairShare(), without, 1e-7, "no barrier, fair-share");
        // cycles of 1 ms: each gradient may come so much later, and packets are a little slower
        Check(MakeLayers(true, 0.001).RunPackets(), with, 0.02, "barrier, packets");
        Check(MakeLayers(false, 0.001).RunPackets(), without, 0.02, "no barrier, packets");
    }
};

/// What cycles cost packets: nothing but the messages, and the same bytes of gradients.
class PacketCycleCase : public ReducedCase
{
  public:
    PacketCycleCase()
        : ReducedCase("Many short cycles over gRPC and TCP end with the same steps")
    {
    }

  private:
    void DoRun() override
    {
        for (const char* transport : {"tcp", "grpc"})
        {
            TwinRun twin = MakeTwin(0.18, 0.03, 4);
            twin.transfer.transport = transport;
            Change(twin, "Cycle", TimeValue(MilliSeconds(1)));
            const double ideal = twin.RunFairShare().steps.back().end;
            const RunRecorder packets = twin.RunPackets();
            NS_TEST_ASSERT_MSG_EQ(packets.steps.size(), 4, transport << ": all steps");
            // half of a cycle or so later for each bucket, and headers
            NS_TEST_EXPECT_MSG_EQ_TOL(packets.steps.back().end, ideal, 0.02 * ideal, transport);
        }
    }
};

/// A run of one step after another, without a barrier, of gradients that nothing else keeps in
/// order.
class UnusedCase : public TestCase
{
  public:
    UnusedCase()
        : TestCase("A gradient that no op pulls is reduced once in each step without a barrier")
    {
    }

  private:
    void DoRun() override
    {
        for (const double cycle : {0.0, 0.001})
        {
            // a gradient takes 0.1 s on the wire, and is there again after 0.05
            TwinRun twin(ProfileBuilder(), 0);
            const auto bytes = 2 * static_cast<uint64_t>(0.1 * twin.GetRate() / 2);
            twin.network.mtu = 9000;
            twin.transfer.transport = "tcp";
            twin.builder.Compute("compute", {0.05}).Push("a", bytes, {"compute"}).Update("a", 0);
            twin.withoutServers = CreateObject<AllReduceProtocol>();
            twin.withoutServers->SetAttribute("Barrier", BooleanValue(false));
            twin.withoutServers->SetAttribute("Cycle", TimeValue(Seconds(cycle)));
            twin.Prepare({0, 0}, 4);
            for (const auto& recorder : {twin.RunFairShare(), twin.RunPackets()})
            {
                NS_TEST_ASSERT_MSG_EQ(recorder.steps.size(), 8, "all steps");
                // 0.05, then one collective after the other
                NS_TEST_EXPECT_MSG_EQ_TOL(recorder.steps.back().end, 0.45, 0.02, "the last one");
            }
        }
    }
};

/// Many gradients in one cycle: long calls and answers.
class ManyCase : public TestCase
{
  public:
    ManyCase()
        : TestCase("A hundred gradients are agreed on in one cycle, over gRPC and TCP")
    {
    }

  private:
    void DoRun() override
    {
        for (const char* transport : {"tcp", "grpc"})
        {
            TwinRun twin(ProfileBuilder(), 0);
            twin.transfer.transport = transport;
            twin.builder.Compute("compute", {0.05});
            for (int i = 0; i < 100; ++i)
            {
                const std::string name = "a/rather/long/name/of/a/tensor/" + std::to_string(i);
                twin.builder.Push(name, 1000, {"compute"}).Update(name, 0);
            }
            twin.withoutServers = CreateObject<AllReduceProtocol>();
            twin.withoutServers->SetAttribute("Cycle", TimeValue(Seconds(CYCLE)));
            twin.Prepare({0, 0, 0}, 3); // by name, then by bits
            const RunRecorder packets = twin.RunPackets();
            NS_TEST_ASSERT_MSG_EQ(packets.steps.size(), 9, transport << ": all steps");
            const auto list = ListReduced(packets, 2);
            NS_TEST_ASSERT_MSG_EQ(list.size(), 3, transport << ": one buffer a step");
            NS_TEST_EXPECT_MSG_EQ(list.back().bytes, 100000, transport << ": of all gradients");
        }
    }
};

/// @return the cases of this file
std::vector<TestCase*>
MakeNegotiationCases()
{
    return {new CycleCase,
            new SameInstantCase,
            new SlowestCase,
            new PriorityCase,
            new PacketCycleCase,
            new UnusedCase,
            new ManyCase};
}

static CaseSuite g_negotiationSuite("dml-negotiation",
                                    MakeNegotiationCases()); //!< registers itself

} // namespace
