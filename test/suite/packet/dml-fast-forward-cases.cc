/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Steady states that are skipped: what comes out is nearly the same, of far fewer events.

#include "dml-case-suite.h"
#include "dml-packet-fixture.h"
#include "dml-schedule-call.h"

#include "ns3/dml-model-clock.h"
#include "ns3/simulator.h"
#include "ns3/test.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

using namespace ns3;
using namespace ns3::dml;

namespace
{

constexpr uint64_t SKIPPABLE = 8000000; //!< bytes of a large tensor

/// Two tensors of 8 MB and a small one between them, there and back.
TwinRun
MakeTwin(std::vector<double> offsets, uint32_t steps, uint32_t servers = 1)
{
    ProfileBuilder builder;
    builder.Pull("a", SKIPPABLE).Pull("s", 50000).Pull("b", SKIPPABLE);
    builder.Compute("x", {0.02}, {"pull/a", "pull/s", "pull/b"});
    builder.Push("b", SKIPPABLE, {"x"}).Push("s", 50000, {"x"}).Push("a", SKIPPABLE, {"x"});
    builder.Update("a", 0.001).Update("s", 0.0001).Update("b", 0.001);
    TwinRun twin(builder, servers);
    twin.network.mtu = 1500;
    twin.Prepare(std::move(offsets), steps);
    return twin;
}

double
GetLastEnd(const RunRecorder& recorder)
{
    double end = 0;
    for (const auto& step : recorder.steps)
    {
        end = std::max(end, step.end);
    }
    return end;
}

uint64_t
CountReceived(const RunRecorder& recorder)
{
    uint64_t bytes = 0;
    for (const auto& flow : recorder.flows)
    {
        bytes += flow.bytes;
    }
    return bytes;
}

/// The same run with and without.
class SkipCase : public TestCase
{
  public:
    SkipCase(const std::string& name,
             TwinRun twin,
             double mostError,
             double leastFactor,
             double packetError = 0.01)
        : TestCase(name),
          m_twin(std::move(twin)),
          m_mostError(mostError),
          m_leastFactor(leastFactor),
          m_packetError(packetError)
    {
    }

  private:
    void DoRun() override
    {
        const auto all = m_twin.RunPackets();
        const PacketRunTotals allTotals = m_twin.totals;
        NS_TEST_EXPECT_MSG_EQ(allTotals.skipped.skips, 0, "not asked for");
        m_twin.fast = true;
        const auto some = m_twin.RunPackets();
        const PacketRunTotals& totals = m_twin.totals;
        NS_TEST_ASSERT_MSG_EQ(some.steps.size(), all.steps.size(), "steps");
        NS_TEST_ASSERT_MSG_EQ(some.transfers.size(), all.transfers.size(), "transfers");
        NS_TEST_EXPECT_MSG_GT(totals.skipped.skips, 0, "something is steady");
        NS_TEST_EXPECT_MSG_GT(allTotals.events, m_leastFactor * totals.events, "fewer events");
        const double end = GetLastEnd(all);
        NS_TEST_EXPECT_MSG_EQ_TOL(GetLastEnd(some), end, m_mostError * end, "the end");
        NS_TEST_EXPECT_MSG_EQ_TOL(totals.end, allTotals.end, m_mostError * end, "the run's end");
        for (std::size_t i = 0; i < all.steps.size(); ++i)
        {
            NS_TEST_EXPECT_MSG_EQ_TOL(some.steps[i].end,
                                      all.steps[i].end,
                                      m_mostError * end,
                                      "step " << i);
        }
        CompareCounts(totals, allTotals);
        const double bytes = CountReceived(all);
        NS_TEST_EXPECT_MSG_EQ_TOL(CountReceived(some), bytes, 1e-4 * bytes, "received");
    }

    void CompareCounts(const PacketRunTotals& some, const PacketRunTotals& all)
    {
        for (std::size_t i = 0; i < all.links.size(); ++i)
        {
            const double bytes = all.links[i].bytes;
            NS_TEST_EXPECT_MSG_EQ_TOL(some.links[i].bytes, bytes, 0.01 * bytes, "bytes of " << i);
            const double packets = all.links[i].packets;
            NS_TEST_EXPECT_MSG_EQ_TOL(some.links[i].packets,
                                      packets,
                                      m_packetError * packets,
                                      "packets");
            NS_TEST_EXPECT_MSG_EQ(some.links[i].dropped, 0, "nothing is dropped");
        }
    }

    TwinRun m_twin;
    double m_mostError;
    double m_leastFactor;
    double m_packetError; //!< of their counts, as sizes and ACKs differ from moment to moment
};

/// A server's link is slower from one instant of the model to another.
TwinRun
MakeSlow()
{
    TwinRun twin = MakeTwin({0, 0}, 3);
    FaultSpec fault;
    fault.kind = FaultSpec::Kind::RATE;
    fault.link = {"ps0"};
    fault.rate = DataRate("300Mbps");
    fault.start = Seconds(0.3);
    fault.duration = Seconds(0.5);
    twin.network.faults = {fault};
    return twin;
}

/// Who is on now and then, who has a number of bytes to send, and who sends until it stops.
TwinRun
MakeBusy()
{
    TwinRun twin = MakeTwin({0, 0.05}, 3);
    BackgroundSpec bursts{BackgroundSpec::Kind::ON_OFF, "worker0", "ps0", DataRate("100Mbps")};
    bursts.on = Seconds(0.2);
    bursts.off = Seconds(0.1);
    BackgroundSpec finite{BackgroundSpec::Kind::BULK, "worker1", "worker0"};
    finite.bytes = 30000000;
    finite.start = Seconds(0.1);
    BackgroundSpec endless{BackgroundSpec::Kind::BULK, "ps0", "worker1"};
    endless.start = Seconds(0.4);
    endless.stop = Seconds(0.9);
    twin.network.background = {bursts, finite, endless};
    return twin;
}

/// Datagrams at more than their share of a link, which queue without end.
TwinRun
MakeCrowded()
{
    TwinRun twin = MakeTwin({0, 0}, 1);
    twin.network.background = {
        {BackgroundSpec::Kind::CONSTANT, "worker1", "ps0", DataRate("600Mbps")}};
    return twin;
}

TwinRun
MakeFair(TwinRun twin)
{
    twin.network.queue = {QueueSpec::Kind::FAIR, 0, 0, false};
    return twin;
}

/// Windows that grow freely in a queue without end are not closed, and there are no fair queues.
TwinRun
MakeOpen()
{
    TwinRun twin = MakeTwin({0, 0}, 1);
    twin.network.tcp.sendBuffer = 64000000;
    twin.network.tcp.receiveBuffer = 128000000;
    return twin;
}

/// What cannot be judged runs as if nothing had been asked for.
class NoSkipCase : public TestCase
{
  public:
    NoSkipCase(const std::string& name, TwinRun twin)
        : TestCase(name),
          m_twin(std::move(twin))
    {
    }

  private:
    void DoRun() override
    {
        const double end = GetLastEnd(m_twin.RunPackets());
        m_twin.fast = true;
        NS_TEST_EXPECT_MSG_EQ(GetLastEnd(m_twin.RunPackets()), end, "the same run");
        NS_TEST_EXPECT_MSG_EQ(m_twin.totals.skipped.skips, 0, "nothing is skipped");
    }

    TwinRun m_twin;
};

/// What is skipped depends on nothing else than the run.
class RepeatCase : public TestCase
{
  public:
    explicit RepeatCase(TwinRun twin)
        : TestCase("Skips are the same again"),
          m_twin(std::move(twin))
    {
    }

  private:
    void DoRun() override
    {
        m_twin.fast = true;
        const double end = GetLastEnd(m_twin.RunPackets());
        const PacketRunTotals totals = m_twin.totals;
        NS_TEST_EXPECT_MSG_GT(totals.skipped.skips, 0, "something is steady");
        NS_TEST_EXPECT_MSG_EQ(GetLastEnd(m_twin.RunPackets()), end, "the end");
        NS_TEST_EXPECT_MSG_EQ(m_twin.totals.skipped.bytes, totals.skipped.bytes, "skipped");
        NS_TEST_EXPECT_MSG_EQ(m_twin.totals.events, totals.events, "events");
    }

    TwinRun m_twin;
};

/// Events of the model come at their times, in their order, and skipping brings them nearer.
class ClockCase : public TestCase
{
  public:
    ClockCase()
        : TestCase("The model's clock goes on while ns-3's stands")
    {
    }

  private:
    void DoRun() override
    {
        std::string order;
        std::vector<double> times;
        const auto note = [&](char name) {
            return [&, name] {
                order += name;
                times.push_back(ModelClock::Now().GetSeconds());
            };
        };
        NS_TEST_EXPECT_MSG_EQ(ModelClock::GetNext(), Time::Max(), "no event yet");
        ModelClock::Schedule(Seconds(5), note('c'));
        ModelClock::Schedule(Seconds(5), note('d'));
        ModelClock::Schedule(Seconds(2), note('a'));
        ModelEvent never = ModelClock::Schedule(Seconds(3), note('x'));
        ScheduleCall(Seconds(1), [&] {
            NS_TEST_EXPECT_MSG_EQ(ModelClock::GetNext(), Seconds(2), "a");
            ModelClock::Skip(Seconds(0.75));
            NS_TEST_EXPECT_MSG_EQ(ModelClock::Now(), Seconds(1.75), "later");
            NS_TEST_EXPECT_MSG_EQ(Simulator::Now(), Seconds(1), "ns-3's stands");
        });
        ScheduleCall(Seconds(1.5), [&] { // 2.25 of the model
            NS_TEST_EXPECT_MSG_EQ(never.IsPending(), true, "still to come");
            never.Cancel();
            NS_TEST_EXPECT_MSG_EQ(never.IsPending(), false, "not any more");
            ModelClock::Schedule(Seconds(2.75), note('e')); // with c and d, but later scheduled
            ModelClock::Skip(Seconds(1));
            ModelClock::Skip(Seconds(1.75)); // to 5, where they are due
            NS_TEST_EXPECT_MSG_EQ(ModelClock::GetNext(), ModelClock::Now(), "c");
        });
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(order, "acde", "in time, then as scheduled");
        NS_TEST_EXPECT_MSG_EQ_TOL(times[0], 2, 1e-9, "a");
        NS_TEST_EXPECT_MSG_EQ_TOL(times[3], 5, 1e-9, "e");
        NS_TEST_EXPECT_MSG_EQ(ModelClock::GetSkipped(), Seconds(3.5), "in all");
        Simulator::Destroy();
        NS_TEST_EXPECT_MSG_EQ(ModelClock::GetSkipped(), Time(0), "set back");
        never.Cancel(); // nothing
    }
};

} // namespace

static std::vector<TestCase*>
MakeFastForwardCases()
{
    TwinRun plain = MakeTwin({0, 0.1}, 2);
    plain.transfer.transport = "tcp";
    return {
        new ClockCase(),
        new SkipCase("A lone worker, first in first out", MakeTwin({0}, 3), 0.001, 4),
        new SkipCase("Three workers, fair queues", MakeFair(MakeTwin({0, 0, 0.1}, 2)), 0.003, 2),
        new SkipCase("Three workers, first in first out", MakeTwin({0, 0, 0.1}, 2), 0.01, 1.5),
        new SkipCase("Two servers", MakeFair(MakeTwin({0, 0.05}, 2, 2)), 0.005, 1.5),
        new SkipCase("A slow link for a while", MakeFair(MakeSlow()), 0.005, 2),
        new SkipCase("Flows of no job, fair queues", MakeFair(MakeBusy()), 0.005, 1.5, 0.015),
        new SkipCase("Flows of no job, first in first out", MakeBusy(), 0.01, 1.2, 0.015),
        new SkipCase("Datagrams that queue up", MakeFair(MakeCrowded()), 0.005, 1),
        new RepeatCase(MakeTwin({0, 0, 0.1}, 1)),
        new NoSkipCase("Windows are open", MakeOpen()),
        new SkipCase("Messages on plain TCP", plain, 0.01, 1.5)};
}

static CaseSuite g_fastForwardSuite("dml-fast-forward",
                                    MakeFastForwardCases()); //!< registers itself
