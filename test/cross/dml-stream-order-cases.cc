/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Which bytes of which stream are on a server's link when, read off the packets, against the turns
// of the fair-share engine.

#include "dml-case-suite.h"
#include "dml-packet-fixture.h"

#include "ns3/boolean.h"
#include "ns3/dml-channel-label.h"
#include "ns3/dml-grant-rule.h"
#include "ns3/dml-scenario-check.h"
#include "ns3/dml-stream-tap.h"
#include "ns3/test.h"

#include <algorithm>
#include <map>
#include <sstream>
#include <utility>

using namespace ns3;
using namespace ns3::dml;

namespace
{

constexpr uint32_t MEBI = 1 << 20;
constexpr uint64_t SMALL = 1000; // bytes; an answer that carries no tensor has fewer
const std::vector<uint64_t> FOUR_TENSORS(4, 33500000);

/// Place of the tensor in the order of the pulls, and the bytes of it before those of another one.
using Turns = std::vector<std::pair<uint32_t, uint64_t>>;

/// A run's parameters that decide the order of bytes.
struct OrderSpec
{
    std::string name;
    std::string policy;
    std::string grant;
    uint64_t window;
    std::vector<uint64_t> sizes; //!< of the tensors, pulled at once
    uint32_t steps{1};
    bool rejoinAtStart{false};
};

/// One worker pulls tensors from one server.
TwinRun
MakeTwin(const OrderSpec& spec)
{
    ProfileBuilder builder;
    for (std::size_t i = 0; i < spec.sizes.size(); ++i)
    {
        builder.Pull("t" + std::to_string(i), spec.sizes[i]);
    }
    TwinRun twin(builder);
    twin.network.mtu = 65535;
    twin.run.policy.SetTypeId("ns3::dml::" + spec.policy);
    if (spec.rejoinAtStart)
    {
        twin.run.policy.Set("RejoinAtStart", BooleanValue(true));
    }
    twin.run.window = spec.window;
    twin.run.windowRule = StreamWindowModel::RuleFromString(WindowRuleOf(spec.grant));
    twin.run.lookahead = spec.grant == "capped" || spec.grant == "bdp" ? GRANT_LOOKAHEAD : 0;
    twin.transfer.grant = spec.grant;
    twin.Prepare({0}, spec.steps);
    return twin;
}

void
AddTurn(Turns& turns, uint32_t stream, uint64_t bytes)
{
    if (!turns.empty() && turns.back().first == stream)
    {
        turns.back().second += bytes;
    }
    else
    {
        turns.emplace_back(stream, bytes);
    }
}

Turns
FairShareTurns(const TwinRun& twin)
{
    Turns turns;
    for (const auto& chunk : twin.RunFairShare().chunks)
    {
        if (GetLabel(chunk.resource) == ResourceLabel::DOWNLINK)
        {
            AddTurn(turns, chunk.op, chunk.bytes);
        }
    }
    return turns;
}

/// @return the turns on the wire, one list per step
std::vector<Turns>
WireTurns(const StreamTap& tap, std::size_t tensors)
{
    std::vector<Turns> steps;
    for (const StreamTurn& turn : tap.GetTurnsByPlace(SMALL))
    {
        // requests leave in the order of the pulls
        const auto place = static_cast<std::size_t>(turn.stream);
        steps.resize(std::max(steps.size(), place / tensors + 1));
        AddTurn(steps[place / tensors], place % tensors, turn.bytes);
    }
    return steps;
}

std::vector<Turns>
RunTapped(const TwinRun& twin, StreamTap& tap)
{
    PacketEngine engine(twin.run, twin.network, twin.transfer, nullptr);
    engine.Tap(0, tap);
    engine.Run();
    return WireTurns(tap, twin.run.plan->ops.size());
}

std::string
TextOf(const Turns& turns)
{
    std::ostringstream text;
    for (const auto& [stream, bytes] : turns)
    {
        text << ' ' << stream << ':' << bytes;
    }
    return text.str();
}

/// Same streams, and bytes that differ by less than @p tolerance.
bool
AreEqual(const Turns& a, const Turns& b, uint64_t tolerance)
{
    return std::equal(a.begin(), a.end(), b.begin(), b.end(), [&](const auto& x, const auto& y) {
        const uint64_t difference = std::max(x.second, y.second) - std::min(x.second, y.second);
        return x.first == y.first && difference < tolerance;
    });
}

/// The turns on the wire are those of the fair-share engine, but for the bytes that a message has
/// beside the tensor, and one frame.
class TurnsOnTheWireCase : public TestCase
{
  public:
    explicit TurnsOnTheWireCase(OrderSpec spec)
        : TestCase("Turns on the wire: " + spec.name),
          m_spec(std::move(spec))
    {
    }

  private:
    void DoRun() override
    {
        // Grants wait for GRANT_STEP bytes, so that all turns but the first are shorter by less
        // than that, and the last one is longer; `message` grants once.
        const uint64_t tolerance = m_spec.grant == "message" ? 16384 : 8 * GRANT_STEP;
        TwinRun twin = MakeTwin(m_spec);
        const Turns expected = FairShareTurns(twin);
        StreamTap tap;
        const auto steps = RunTapped(twin, tap);
        NS_TEST_ASSERT_MSG_EQ(steps.size(), 1, "one step");
        NS_TEST_EXPECT_MSG_EQ(AreEqual(steps[0], expected, tolerance),
                              true,
                              "on the wire" << TextOf(steps[0]) << ", expected"
                                            << TextOf(expected));
    }

    OrderSpec m_spec;
};

/// How often each stream is interrupted tells the rules apart: 33500040 bytes with WIN = 4194304
/// are 2 turns if all is granted after the first, 8 if WIN is, and 7 if WIN + 1 MiB is.
class TurnsOfAStreamCase : public TestCase
{
  public:
    TurnsOfAStreamCase(const std::string& grant, std::size_t turns)
        : TestCase("Turns of a stream, " + grant),
          m_grant(grant),
          m_turns(turns)
    {
    }

  private:
    void DoRun() override
    {
        StreamTap tap;
        const auto steps =
            RunTapped(MakeTwin({m_grant, "Http2WindowPolicy", m_grant, 4 * MEBI, FOUR_TENSORS}),
                      tap);
        NS_TEST_ASSERT_MSG_EQ(steps.size(), 1, "one step");
        for (uint32_t stream = 0; stream < FOUR_TENSORS.size(); ++stream)
        {
            const auto count = std::count_if(steps[0].begin(), steps[0].end(), [&](const auto& t) {
                return t.first == stream;
            });
            NS_TEST_EXPECT_MSG_EQ(static_cast<std::size_t>(count), m_turns, "stream " << stream);
        }
    }

    std::string m_grant;
    std::size_t m_turns;
};

/// Pulls of 4 tensors of 33.5 MB at 1 Gbit/s: WIN starts at 4 MiB and doubles to 32 MiB, and then
/// every tensor is one turn.
class GrowingWindowCase : public TestCase
{
  public:
    GrowingWindowCase()
        : TestCase("bdp doubles WIN from 4 to 32 MiB")
    {
    }

  private:
    void DoRun() override
    {
        StreamTap tap;
        const auto steps =
            RunTapped(MakeTwin({"bdp", "Http2WindowPolicy", "bdp", 4 * MEBI, FOUR_TENSORS, 3}),
                      tap);
        std::vector<uint32_t> windows;
        std::ostringstream text;
        for (const WindowChange& change : tap.GetWindowChanges())
        {
            windows.push_back(change.window);
            text << ' ' << change.window << " at " << change.time.As(Time::MS);
        }
        const std::vector<uint32_t> expected{4 * MEBI, 8 * MEBI, 16 * MEBI, 32 * MEBI};
        NS_TEST_EXPECT_MSG_EQ((windows == expected), true, "windows:" << text.str());
        NS_TEST_ASSERT_MSG_EQ(steps.size(), 3, "three steps");
        NS_TEST_EXPECT_MSG_GT(steps[0].size(),
                              FOUR_TENSORS.size(),
                              "the first:" << TextOf(steps[0]));
        NS_TEST_EXPECT_MSG_EQ(steps[2].size(),
                              FOUR_TENSORS.size(),
                              "the last:" << TextOf(steps[2]));
    }
};

/// Two workers whose connections have windows of their own: first turns are as long as they.
class WindowsByConnectionCase : public TestCase
{
  public:
    WindowsByConnectionCase()
        : TestCase("Windows by connection: first turns on the wire")
    {
    }

  private:
    void DoRun() override
    {
        TwinRun twin = MakeTwin({"", "Http2WindowPolicy", "message", 28000000, {4000000, 4000000}});
        twin.Prepare({0, 0}, 1);
        twin.run.windows = ConnectionWindows(2, 1, 1000000, 3000000, 1, 0);
        StreamTap tap;
        PacketEngine engine(twin.run, twin.network, twin.transfer, nullptr);
        engine.Tap(0, tap);
        engine.Run();
        std::map<uint32_t, std::vector<uint64_t>> turns; // by address, which ascends with workers
        for (const StreamTurn& turn : tap.GetTurnsByPlace(SMALL))
        {
            turns[turn.address].push_back(turn.bytes);
        }
        NS_TEST_ASSERT_MSG_EQ(turns.size(), 2, "two workers");
        uint32_t worker = 0;
        for (const auto& [address, bytes] : turns)
        {
            const uint64_t window = twin.run.windows.Get(worker++, 0, true);
            NS_TEST_ASSERT_MSG_GT(bytes.size(), 1, "two streams");
            NS_TEST_EXPECT_MSG_EQ(bytes[0], window, "first turn of the first stream");
            NS_TEST_EXPECT_MSG_EQ(bytes[1], window, "first turn of the second stream");
        }
    }
};

/// Two servers send to one worker, whose port of the switch loses packets: they are sent again, and
/// the tap counts their bytes once, in order.
class TapUnderLossCase : public TestCase
{
  public:
    TapUnderLossCase()
        : TestCase("Turns on the wire are read off in spite of losses")
    {
    }

  private:
    void DoRun() override
    {
        ProfileBuilder builder;
        builder.Pull("a", 3000000).Pull("b", 2000000).Pull("c", 9000000);
        TwinRun twin(builder, 2);
        twin.run.window = 1000000;
        twin.network.queue.bytes = 20000;
        twin.placement = {0, 0, 1};
        twin.Prepare({0}, 1);
        StreamTap tap;
        PacketEngine engine(twin.run, twin.network, twin.transfer, nullptr);
        engine.Tap(0, tap);
        const PacketRunTotals totals = engine.Run();
        NS_TEST_EXPECT_MSG_GT(totals.drops, 0, "packets were lost");
        const Turns turns = WireTurns(tap, 2).front();
        const Turns expected{{0, 1000000}, {1, 1000000}, {0, 2000000}, {1, 1000000}};
        constexpr uint64_t beside = 40; // bytes of a message beside the tensor
        NS_TEST_EXPECT_MSG_EQ(AreEqual(turns, expected, beside), true, TextOf(turns));
    }
};

/// @return sizes of tensors whose messages are 2, 5, 1, 4 and 7 times @p window, less @p less bytes
std::vector<uint64_t>
InWindows(uint64_t window, uint64_t less = 0)
{
    constexpr uint64_t beside = 40; // bytes of a message beside the tensor
    std::vector<uint64_t> sizes;
    for (const uint64_t windows : {2, 5, 1, 4, 7})
    {
        sizes.push_back(windows * window - less - beside);
    }
    return sizes;
}

} // namespace

static std::vector<TestCase*>
MakeStreamOrderCases()
{
    std::vector<TestCase*> cases;
    const std::string window = "Http2WindowPolicy";
    for (const uint64_t win : {uint64_t{65536}, uint64_t{1000000}})
    {
        for (const std::string grant : {"message", "consume", "capped"})
        {
            if (grant == "consume" && win < 262144)
            {
                continue; // grants are late where the sender's buffer holds more than WIN
            }
            cases.push_back(new TurnsOnTheWireCase(
                {"2, 5, 1, 4, 7 windows of " + std::to_string(win) + ", " + grant,
                 window,
                 grant,
                 win,
                 InWindows(win, grant == "consume" ? win / 2 : 0)}));
        }
    }
    for (const std::string grant : {"message", "consume", "capped"})
    {
        for (const uint64_t win : {uint64_t{4 * MEBI}, uint64_t{28000000}, uint64_t{2147483647}})
        {
            cases.push_back(new TurnsOnTheWireCase(
                {"4 tensors of 33.5 MB, window " + std::to_string(win) + ", " + grant,
                 window,
                 grant,
                 win,
                 FOUR_TENSORS}));
        }
    }
    for (const std::string policy : {"RoundRobinPolicy", "FifoPolicy"})
    {
        cases.push_back(new TurnsOnTheWireCase(
            {"2, 5, 1, 4, 7 MB, " + policy, policy, "message", 2147483647, InWindows(1000000)}));
    }
    cases.push_back(new TurnsOnTheWireCase({"4 tensors of 33.5 MB, a stream rejoins at its start",
                                            window,
                                            "message",
                                            28000000,
                                            FOUR_TENSORS,
                                            1,
                                            true}));
    cases.push_back(new TurnsOfAStreamCase("message", 2));
    cases.push_back(new TurnsOfAStreamCase("consume", 8));
    cases.push_back(new TurnsOfAStreamCase("capped", 7));
    cases.push_back(new GrowingWindowCase());
    cases.push_back(new WindowsByConnectionCase());
    cases.push_back(new TapUnderLossCase());
    return cases;
}

static CaseSuite g_streamOrderSuite("dml-stream-order",
                                    MakeStreamOrderCases()); //!< registers itself
