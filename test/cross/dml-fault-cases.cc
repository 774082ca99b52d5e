/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// What breaks in mid-step: both engines go on, and agree as far as TCP lets them.

#include "dml-case-suite.h"
#include "dml-scenario-twin.h"

#include "ns3/dml-error.h"
#include "ns3/dml-goodput.h"
#include "ns3/dml-repeatable-error.h"
#include "ns3/test.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <functional>
#include <string>
#include <utility>
#include <vector>

using namespace ns3;
using namespace ns3::dml;

namespace
{

/// Bytes of a transfer that takes 0.4 s alone at 1 Gbit/s.
constexpr uint64_t LONG_PUSH = 50000000;

FaultSpec
RateFault(const std::string& rate,
          const Time& at,
          const Time& duration,
          const std::vector<std::string>& link)
{
    FaultSpec fault;
    fault.kind = FaultSpec::Kind::RATE;
    fault.rate = DataRate(rate);
    fault.start = at;
    fault.duration = duration;
    fault.link = link;
    return fault;
}

ProcessFaultSpec
SlowFault(const std::string& host, double factor, const Time& at, const Time& duration)
{
    ProcessFaultSpec fault;
    fault.host = host;
    fault.factor = factor;
    fault.start = at;
    fault.duration = duration;
    return fault;
}

/// One worker that pulls a tensor.
ScenarioTwin
LonePull()
{
    ProfileBuilder builder;
    builder.Pull("a", LONG_PUSH);
    ScenarioTwin twin;
    twin.AddJob(builder, 1);
    return twin;
}

/// The rate of a link changes while a tensor crosses it.
class RateCase : public TestCase
{
  public:
    /**
     * @param name what happens
     * @param faults of rates
     * @param bits on the wire until the last change
     * @param seconds from the start of the pull to the last change
     * @param after bit/s from then on
     */
    RateCase(const std::string& name,
             std::vector<FaultSpec> faults,
             double bits,
             double seconds,
             double after)
        : TestCase(name),
          m_faults(std::move(faults)),
          m_bits(bits),
          m_seconds(seconds),
          m_after(after)
    {
    }

  private:
    void DoRun() override
    {
        ScenarioTwin twin = LonePull();
        twin.scenario.network.faults = m_faults;
        const double goodput =
            GetGoodput(DataRate("1Gbps"), GetWireFormat(twin.scenario.network.mtu, false)) / 1e9;
        const double expected = m_seconds + (LONG_PUSH / goodput - m_bits) / m_after;
        const double fair = twin.RunFairShare().transfers.front().lastByte;
        const double packet = twin.RunPackets().transfers.front().lastByte;
        NS_TEST_EXPECT_MSG_EQ_TOL(fair, expected, 1e-6, "fair-share: by hand");
        NS_TEST_EXPECT_MSG_EQ_TOL(packet, expected, 0.02 * expected, "packet: ns-3's devices");
        for (const auto& link : twin.totals.links)
        {
            NS_TEST_EXPECT_MSG_EQ(link.rate, 1000000000, "reports know the network's rate");
        }
        NS_TEST_EXPECT_MSG_EQ(twin.totals.tcp.timeouts, 0, "nothing is lost");
    }

    std::vector<FaultSpec> m_faults; //!< of rates
    double m_bits;                   //!< on the wire until the last change
    double m_seconds;                //!< when the last change is
    double m_after;                  //!< bit/s from then on
};

/// A link goes down for good: TCP gives up, and the run says who, where and why.
class LostConnectionCase : public TestCase
{
  public:
    LostConnectionCase()
        : TestCase("A connection that is lost for good is explained")
    {
    }

  private:
    void DoRun() override
    {
        ScenarioTwin twin = LonePull();
        FaultSpec down;
        down.kind = FaultSpec::Kind::DOWN;
        down.start = MilliSeconds(100);
        down.link = {"worker0"};
        down.key = "faults[3]";
        twin.scenario.network.faults = {down};
        std::string error;
        try
        {
            twin.RunPackets();
        }
        catch (const RepeatableError& caught)
        {
            error = caught.what();
        }
        // either end may be the first to give up: the server has data to send, the worker windows
        const bool server = error.rfind("ps0", 0) == 0;
        const std::string who = server ? "ps0 lost its connection with worker0: TCP gave up at "
                                       : "worker0 lost its connection with ps0: TCP gave up at ";
        NS_TEST_EXPECT_MSG_EQ(error.substr(0, who.size()), who, "who: " << error);
        // six retransmissions after 0.2, 0.4, ... s take more than 12 s
        NS_TEST_EXPECT_MSG_GT(std::atof(error.c_str() + std::min(who.size(), error.size())),
                              12,
                              "when: " << error);
        const std::string why =
            std::string(server
                            ? "links ps0->switch, switch->worker0, worker0->switch, switch->ps0"
                            : "links worker0->switch, switch->ps0, ps0->switch, switch->worker0") +
            "; what explains it there: faults[3] (down from 0.1 s on link worker0)";
        NS_TEST_EXPECT_MSG_NE(error.find(why), std::string::npos, "where, and why: " << error);
    }
};

/// Losses of a link go on when its rate changes.
class LossyRateCase : public TestCase
{
  public:
    LossyRateCase()
        : TestCase("A link that loses packets still does when its rate changes")
    {
    }

  private:
    void DoRun() override
    {
        ScenarioTwin twin = LonePull();
        FaultSpec loss;
        loss.probability = 0.005;
        twin.scenario.network.faults = {loss, RateFault("2Gbps", Time(0), Time::Max(), {})};
        const auto packet = twin.RunPackets();
        NS_TEST_EXPECT_MSG_EQ(packet.steps.size(), 1, "it ends");
        NS_TEST_EXPECT_MSG_GT(twin.totals.tcp.retransmissions, 20, "of some 50 losses");
    }
};

/// A worker or server computes at another speed for a while: the same in both engines.
class SlowCase : public TestCase
{
  public:
    /**
     * @param name what happens
     * @param fault a slow-down
     * @param late by step: how many seconds more it takes
     */
    SlowCase(const std::string& name, const ProcessFaultSpec& fault, std::vector<double> late)
        : TestCase(name),
          m_fault(fault),
          m_late(std::move(late))
    {
    }

  private:
    void DoRun() override
    {
        // a step computes for 1 s and updates for 0.5 s; its transfers take some milliseconds
        ProfileBuilder builder;
        builder.Pull("a", 100000)
            .Compute("forward", {1}, {"pull/a"})
            .Push("a", 0, {"forward"})
            .Update("a", 0.5);
        ScenarioTwin twin;
        twin.AddJob(builder, 2, 1, m_late.size());
        const RunRecorder fair = twin.RunFairShare();
        const RunRecorder packet = twin.RunPackets();
        twin.scenario.processFaults = {m_fault};
        const RunRecorder fairSlow = twin.RunFairShare();
        const RunRecorder packetSlow = twin.RunPackets();
        for (std::size_t i = 0; i < m_late.size(); ++i)
        {
            const double expected = Length(fair, 0, i) + m_late[i];
            NS_TEST_EXPECT_MSG_EQ_TOL(Length(fairSlow, 0, i), expected, 0.002, "step " << i);
            NS_TEST_EXPECT_MSG_EQ_TOL(Length(packetSlow, 0, i),
                                      Length(packet, 0, i) + m_late[i],
                                      0.01,
                                      "step " << i);
            const bool other = m_fault.host == "worker0";
            NS_TEST_EXPECT_MSG_EQ_TOL(Length(packetSlow, 1, i),
                                      Length(packet, 1, i) + (other ? 0 : m_late[i]),
                                      0.01,
                                      "the other worker, step " << i);
        }
    }

    /// @return seconds that a worker's step takes
    static double Length(const RunRecorder& recorder, uint32_t worker, uint32_t step)
    {
        for (const auto& record : recorder.steps)
        {
            if (record.worker == worker && record.step == step)
            {
                return record.end - record.start;
            }
        }
        return 0;
    }

    ProcessFaultSpec m_fault;   //!< a slow-down
    std::vector<double> m_late; //!< seconds, by step
};

/// A link goes down while a step needs it: that step waits, the others are as they were.
class DownInMidStepCase : public TestCase
{
  public:
    DownInMidStepCase()
        : TestCase("A link that is down in mid-step delays that step only")
    {
    }

  private:
    void DoRun() override
    {
        constexpr uint32_t STEPS = 6;
        constexpr uint32_t HIT = 2;
        constexpr double DURATION = 0.1;
        ProfileBuilder builder;
        builder.Pull("a", LONG_PUSH / 8)
            .Compute("forward", {0.02}, {"pull/a"})
            .Push("a", 0, {"forward"})
            .Update("a", 0.001);
        ScenarioTwin twin;
        twin.AddJob(builder, 1, 1, STEPS);
        const RunRecorder fair = twin.RunFairShare();
        const RunRecorder packet = twin.RunPackets();
        // in the middle of a pull in both engines
        const double at = fair.steps[HIT].start + 0.02;
        NS_TEST_ASSERT_MSG_EQ_TOL(packet.steps[HIT].start, fair.steps[HIT].start, 0.01, "alike");
        FaultSpec fault;
        fault.kind = FaultSpec::Kind::DOWN;
        fault.link = {"worker0"};
        fault.start = Seconds(at);
        fault.duration = Seconds(DURATION);
        twin.scenario.network.faults = {fault};
        const RunRecorder fairHit = twin.RunFairShare();
        const RunRecorder packetHit = twin.RunPackets();
        NS_TEST_ASSERT_MSG_EQ(fairHit.steps.size(), STEPS, "all steps end");
        NS_TEST_ASSERT_MSG_EQ(packetHit.steps.size(), STEPS, "all steps end");
        const auto length = [](const StepRecord& step) { return step.end - step.start; };
        for (uint32_t i = 0; i < STEPS; ++i)
        {
            const double late = length(fairHit.steps[i]) - length(fair.steps[i]);
            const double packetLate = length(packetHit.steps[i]) - length(packet.steps[i]);
            if (i == HIT)
            {
                NS_TEST_EXPECT_MSG_EQ_TOL(late, DURATION, 1e-9, "fair-share");
                NS_TEST_EXPECT_MSG_GT_OR_EQ(packetLate, DURATION, "packet");
                // the timeout of 200 ms and what TCP needs to be fast again
                NS_TEST_EXPECT_MSG_LT(packetLate, DURATION + 0.3, "packet: after a timeout");
            }
            else
            {
                NS_TEST_EXPECT_MSG_EQ_TOL(late, 0, 1e-9, "fair-share, step " << i);
                NS_TEST_EXPECT_MSG_EQ_TOL(packetLate, 0, 0.005, "packet, step " << i);
            }
        }
        NS_TEST_EXPECT_MSG_GT(twin.totals.tcp.timeouts, 0, "TCP found out by a timeout");
    }
};

/// An op that a slowdown gives no end: both engines say so at once, and not if its worker dies.
class EndlessOpCase : public TestCase
{
  public:
    /// @param factor of the speed of worker 1 from 0.1 s on, in its first op
    explicit EndlessOpCase(double factor)
        : TestCase("An op has no end, slowed to " + std::to_string(-std::log10(factor)) +
                   " powers of ten"),
          m_factor(factor)
    {
    }

  private:
    static constexpr uint32_t STEPS = 3;

    void DoRun() override
    {
        ProfileBuilder builder;
        builder.Compute("forward", {0.2}).Push("a", 1000, {"forward"}).Update("a", 0.001);
        ScenarioTwin twin;
        twin.AddJob(builder, 2, 1, STEPS);
        ProcessFaultSpec slow = SlowFault("worker1", m_factor, MilliSeconds(100), Time::Max());
        slow.key = "faults[0]";
        twin.scenario.processFaults = {slow};
        const std::string text = "worker 1: op forward of step 0 begins at 0 s and takes 0.2 s at "
                                 "full speed; at that of its device "
                                 "it has not ended within 10^8 simulated seconds, or 1000000 "
                                 "changes of speed, where a run "
                                 "ends; what makes the device slow: faults[0].to";
        NS_TEST_EXPECT_MSG_EQ(EndOf([&] { twin.RunFairShare(); }), text, "fair-share");
        NS_TEST_EXPECT_MSG_EQ(EndOf([&] { twin.RunPackets(); }),
                              "/job:worker/replica:0/task:1/device:CPU:0: " + text,
                              "packet");

        ProcessFaultSpec crash = slow;
        crash.kind = ProcessFaultSpec::Kind::CRASH;
        crash.start = MilliSeconds(300);
        twin.scenario.processFaults = {slow, crash};
        NS_TEST_EXPECT_MSG_EQ(twin.RunFairShare().steps.size(),
                              STEPS,
                              "worker 0 alone, fair-share");
        NS_TEST_EXPECT_MSG_EQ(twin.RunPackets().steps.size(), STEPS, "worker 0 alone, packet");
    }

    static std::string EndOf(const std::function<void()>& run)
    {
        try
        {
            run();
        }
        catch (const RunError& error)
        {
            return error.what();
        }
        return "no error";
    }

    double m_factor;
};

} // namespace

static std::vector<TestCase*>
MakeFaultCases()
{
    const Time at = MilliSeconds(100);
    return {new RateCase("From 0.1 s on the server's link has a quarter of its rate",
                         {RateFault("250Mbps", at, Time::Max(), {"ps0"})},
                         0.1e9,
                         0.1,
                         0.25e9),
            new RateCase("For 0.2 s the worker's link has a quarter of its rate",
                         {RateFault("250Mbps", at, MilliSeconds(200), {"worker0", "switch"})},
                         0.1e9 + 0.05e9,
                         0.3,
                         1e9),
            new RateCase("From 0.1 s on all links are twice as fast",
                         {RateFault("2Gbps", at, Time::Max(), {})},
                         0.1e9,
                         0.1,
                         2e9),
            // 0.1 s at 1 Gbit/s, 0.05 s at 500, 0.1 s at 250, 0.05 s at 500
            new RateCase("Of two rates at one time the lower one holds",
                         {RateFault("500Mbps", at, MilliSeconds(200), {"ps0"}),
                          RateFault("250Mbps", MilliSeconds(150), MilliSeconds(100), {"ps0"})},
                         0.1e9 + 0.025e9 + 0.025e9 + 0.025e9,
                         0.3,
                         1e9),
            // 0.5 s done until 0.5; 0.25 in the next 0.5 s; the rest until 1.25. The next step is
            // not touched
            new SlowCase("A worker that is half as fast in mid-op is late by what it did not do",
                         SlowFault("worker0", 0.5, MilliSeconds(500), MilliSeconds(500)),
                         {0.25, 0}),
            // the first step's op has half a second left, the second's has all
            new SlowCase("A worker that is half as fast for good takes twice as long",
                         SlowFault("worker0", 0.5, MilliSeconds(500), Time::Max()),
                         {0.5, 1}),
            // updates run from 1 to 1.5 s: 0.2 s done until 1.2, nothing until 1.5
            new SlowCase("A server that stands still holds up the updates of all",
                         SlowFault("ps0", 0, MilliSeconds(1200), MilliSeconds(300)),
                         {0.3, 0}),
            new EndlessOpCase(1e-300),
            new EndlessOpCase(1e-13),
            new LossyRateCase(),
            new LostConnectionCase(),
            new DownInMidStepCase()};
}

static CaseSuite g_faultSuite("dml-faults", MakeFaultCases()); //!< registers itself
