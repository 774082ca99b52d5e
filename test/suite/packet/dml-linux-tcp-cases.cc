/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-case-suite.h"
#include "dml-lone-flow.h"

#include "ns3/boolean.h"
#include "ns3/dml-burst-tag.h"
#include "ns3/dml-linux-cubic.h"
#include "ns3/queue.h"
#include "ns3/simulator.h"
#include "ns3/tcp-socket-state.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <string>
#include <vector>

using namespace ns3;
using namespace ns3::dml;

namespace
{

/// A port that is too slow for the flow, with and without whole bursts.
class DroppedBurstsCase : public TestCase
{
  public:
    DroppedBurstsCase()
        : TestCase("ports that drop whole bursts")
    {
    }

  private:
    /// What has become of a burst's packets.
    struct Fate
    {
        uint32_t taken{0};
        uint32_t dropped{0};
    };

    void DoRun() override
    {
        const uint32_t broken = CountBroken(false);
        NS_TEST_EXPECT_MSG_GT(broken, 0, "bursts of which single packets are dropped");
        NS_TEST_EXPECT_MSG_EQ(CountBroken(true), 0, "taken or dropped, as a whole");
    }

    /// @return bursts of which some packets are taken and some dropped
    uint32_t CountBroken(bool whole)
    {
        NetworkSpec network;
        network.hosts["ps0"].rate = DataRate("100Mbps");
        network.queue.bytes = 100000;
        network.queue.wholeBursts = whole;
        TcpSpec tcp = BareTcp();
        tcp.gso = WINDOW;
        LoneFlow flow(tcp, network);
        m_fates.clear();
        flow.GetPort()->TraceConnectWithoutContext("Enqueue",
                                                   MakeCallback(&DroppedBurstsCase::Took, this));
        flow.GetPort()->TraceConnectWithoutContext("Drop",
                                                   MakeCallback(&DroppedBurstsCase::Dropped, this));
        flow.Write(MilliSeconds(1), 3000000);
        flow.Run(Seconds(10));
        NS_TEST_EXPECT_MSG_EQ(flow.received, 3000000, "all arrives");
        uint32_t broken = 0;
        uint32_t lost = 0;
        for (const auto& [burst, fate] : m_fates)
        {
            broken += fate.taken > 0 && fate.dropped > 0;
            lost += fate.taken == 0 && fate.dropped > 1;
        }
        NS_TEST_EXPECT_MSG_EQ(whole && lost == 0, false, "some are too much");
        return broken;
    }

    void Took(Ptr<const Packet> packet)
    {
        ++FindFate(*packet).taken;
    }

    void Dropped(Ptr<const Packet> packet)
    {
        ++FindFate(*packet).dropped;
    }

    Fate& FindFate(const Packet& packet)
    {
        BurstTag tag;
        return m_fates[packet.PeekPacketTag(tag) ? tag.GetBurst() : 0];
    }

    std::map<uint32_t, Fate> m_fates; //!< by burst; 0: packets without data, which are few
};

/// The first window of ten segments leaves as two bursts, the first of which is lost. The second
/// one is reported by one ACK, which shows the loss and lets all five be sent again: they leave as
/// a burst, too, and one ACK reports everything. Segment by segment it would be ten ACKs.
class RepeatedBurstCase : public TestCase
{
  public:
    RepeatedBurstCase()
        : TestCase("half of a window is a burst, and is sent again as one")
    {
    }

  private:
    void DoRun() override
    {
        TcpSpec tcp;
        tcp.timestamps = true; // segments are SEGMENT bytes
        tcp.gso = WINDOW;
        LoneFlow flow(tcp);
        flow.Lose({{1, 1}, {2, 1}, {3, 1}, {4, 1}, {5, 1}});
        flow.GetPort()->TraceConnectWithoutContext("Enqueue",
                                                   MakeCallback(&RepeatedBurstCase::Took, this));
        flow.Write(MilliSeconds(1), WINDOW);
        flow.Run(MilliSeconds(100));
        NS_TEST_EXPECT_MSG_EQ(flow.received, WINDOW, "all arrives");
        NS_TEST_EXPECT_MSG_EQ(flow.timeouts, 0, "before any timer");
        NS_TEST_ASSERT_MSG_EQ(m_following.size(), 3, "bursts");
        for (const auto& [burst, following] : m_following)
        {
            const std::vector<uint32_t> expected{4, 3, 2, 1, 0};
            NS_TEST_EXPECT_MSG_EQ((following == expected), true, "five segments in " << burst);
        }
        NS_TEST_EXPECT_MSG_EQ(flow.acks, 3, "the answer to SYN, and one for each burst that came");
    }

    void Took(Ptr<const Packet> packet)
    {
        BurstTag tag;
        if (packet->PeekPacketTag(tag))
        {
            m_following[tag.GetBurst()].push_back(tag.GetFollowing());
        }
    }

    std::map<uint32_t, std::vector<uint32_t>> m_following; //!< of packets with data, by burst
};

/// Runs a function with a flow of plain TCP but for one part, which is off, then on.
class PartCase : public TestCase
{
  public:
    using Check = std::function<void(PartCase&, TcpSpec, bool)>;

    PartCase(const std::string& name, void (*turnOn)(TcpSpec&), Check check)
        : TestCase(name),
          m_turnOn(turnOn),
          m_check(std::move(check))
    {
    }

    /// As the macros of TestCase, which are for members.
    void Expect(bool fulfilled, const std::string& what)
    {
        NS_TEST_EXPECT_MSG_EQ(fulfilled, true, what);
    }

  private:
    void DoRun() override
    {
        for (const bool on : {false, true})
        {
            TcpSpec tcp = BareTcp();
            if (on)
            {
                m_turnOn(tcp);
            }
            m_check(*this, tcp, on);
        }
    }

    void (*m_turnOn)(TcpSpec&); //!< the part
    Check m_check;              //!< what it changes
};

/// Ten windows of ten segments: the receiver acknowledges every second segment, or bursts of ten.
void
CheckBursts(PartCase& test, const TcpSpec& tcp, bool on)
{
    LoneFlow flow(tcp);
    flow.Write(MilliSeconds(1), 10 * WINDOW);
    flow.Run(Seconds(1));
    const std::string count = std::to_string(flow.acks);
    test.Expect(flow.received == 10 * WINDOW, "all arrives");
    // with the answer to SYN
    test.Expect(on ? flow.acks <= 16 : flow.acks >= 51, count + " ACKs");
}

/// What waits in the host is a congestion window of slow start, or a millisecond of twice the
/// link's rate, 250 kB, and more while the smoothed round trip is shorter than the real one.
void
CheckSmallQueues(PartCase& test, const TcpSpec& tcp, bool on)
{
    LoneFlow flow(tcp);
    flow.Write(MilliSeconds(1), 20000000);
    flow.Run(Seconds(1));
    const std::string size = std::to_string(flow.largestQueue) + " bytes in the host's queue";
    test.Expect(flow.received == 20000000, "all arrives");
    test.Expect(flow.last < MilliSeconds(175), "20 MB at 120.4 MB/s need 0.166 s");
    test.Expect(on ? flow.largestQueue < 500000 : flow.largestQueue > 900000, size);
}

/// What has left a queue.
struct PacketCount
{
    uint64_t bytes{0};
    uint32_t packets{0};
};

void
CountPacket(PacketCount* count, Ptr<const Packet> packet)
{
    count->bytes += packet->GetSize();
    ++count->packets;
}

/// As packets, or as trains: the link carries the same bytes in the same time.
void
CheckTrains(PartCase& test, TcpSpec tcp, bool on)
{
    tcp.gso = WINDOW;
    LoneFlow flow(tcp);
    flow.Write(MilliSeconds(1), 20000000);
    PacketCount count;
    flow.GetPort()->TraceConnectWithoutContext("Dequeue", MakeBoundCallback(&CountPacket, &count));
    flow.Run(Seconds(1));
    test.Expect(flow.received == 20000000, "all arrives");
    // 13813 segments, the last one of 160 bytes; connecting takes less than 200 bytes
    constexpr uint64_t WIRE = 20000000 + 13813 * 54;
    test.Expect(count.bytes >= WIRE && count.bytes < WIRE + 200,
                std::to_string(count.bytes) + " bytes");
    const double end = flow.last.GetSeconds() - 0.001 - 8e-9 * WIRE;
    test.Expect(end > 0 && end < 0.001, std::to_string(end) + " s more than the link needs");
    test.Expect(flow.acks < 2100, std::to_string(flow.acks) + " ACKs");
    test.Expect(on ? count.packets < 2500 : count.packets >= 13813,
                std::to_string(count.packets) + " packets");
}

/// Two seconds of nothing: the window is that of a new connection, or as it was.
void
CheckIdleRestart(PartCase& test, const TcpSpec& tcp, bool on)
{
    LoneFlow flow(tcp);
    flow.watched = Seconds(2);
    flow.Write(MilliSeconds(1), 5000000);
    flow.Write(Seconds(2), 5000000);
    flow.Run(Seconds(3));
    test.Expect(flow.received == 10000000, "all arrives");
    test.Expect(on ? flow.smallestWindow == WINDOW : flow.smallestWindow > 5 * WINDOW,
                std::to_string(flow.smallestWindow) + " bytes");
}

/// Two segments a millisecond never need the window, which grows by them, or stays. With NewReno,
/// as ns-3's CUBIC looks at that itself from 3.43 on.
void
CheckValidation(PartCase& test, TcpSpec tcp, bool on)
{
    tcp.variant = "new-reno";
    LoneFlow flow(tcp);
    for (int i = 1; i <= 100; ++i)
    {
        flow.Write(MilliSeconds(i), 2 * SEGMENT);
    }
    flow.Run(Seconds(1));
    test.Expect(flow.received == 200 * SEGMENT, "all arrives");
    test.Expect(on ? flow.window <= WINDOW : flow.window > WINDOW,
                std::to_string(flow.window) + " bytes");
}

/// All bytes arrive, and before some time if the part is on, else later.
void
ExpectArrival(PartCase& test, const LoneFlow& flow, uint64_t bytes, const Time& before, bool on)
{
    test.Expect(flow.received == bytes, "all arrives");
    const bool quick = flow.last < before;
    test.Expect(quick == on, std::to_string(flow.last.GetSeconds()) + " s");
}

/// The last but one of 20 segments is lost: one that arrives after it is not enough for the three
/// duplicate ACKs of RFC 5681, so it comes after a timeout of 200 ms, or a quarter of the round
/// trip after the next one.
void
CheckTailLoss(PartCase& test, const TcpSpec& tcp, bool on)
{
    constexpr uint32_t LAST = 22; // SYN, its ACK and 20 segments arrive
    LoneFlow flow(tcp);
    flow.Drop(LAST - 1);
    flow.Write(MilliSeconds(1), 20 * SEGMENT);
    flow.Run(Seconds(1));
    ExpectArrival(test, flow, 20 * SEGMENT, MilliSeconds(60), on);
}

/// A single segment has its ACK delayed, so its probe would wait for 200 ms more; that of a later
/// flight does not.
void
CheckProbeAfterOneSegment(PartCase& test, const TcpSpec& tcp, bool on)
{
    constexpr uint32_t LAST = 23; // SYN, its ACK and 21 segments arrive
    LoneFlow flow(tcp);
    flow.Drop(LAST);
    flow.Write(MilliSeconds(1), SEGMENT);
    flow.Write(MilliSeconds(100), 20 * SEGMENT);
    flow.Run(Seconds(1));
    ExpectArrival(test, flow, 21 * SEGMENT, MilliSeconds(180), on);
}

/// A burst that is one packet here is several segments, whose probe does not wait for a delayed
/// ACK.
void
CheckProbeAfterOneBurst(PartCase& test, const TcpSpec& tcp, bool on)
{
    TcpSpec bursts = tcp;
    bursts.gso = WINDOW;
    bursts.trains = true;
    LoneFlow flow(bursts);
    flow.Drop(4); // SYN, its ACK and a burst arrive
    flow.Write(MilliSeconds(1), WINDOW);
    flow.Write(MilliSeconds(100), WINDOW);
    flow.Run(Seconds(1));
    ExpectArrival(test, flow, 2 * WINDOW, MilliSeconds(150), on);
}

/// In a recovery ns-3, up to some release, also sends what is not lost when nothing new is left;
/// Linux does not.
void
CheckNothingTwice(PartCase& test, const TcpSpec& tcp, bool on)
{
    constexpr uint32_t SEGMENTS = 60;
    LoneFlow flow(tcp);
    flow.Drop(45); // SYN, its ACK and 42 segments arrive
    flow.Write(MilliSeconds(1), SEGMENTS * SEGMENT);
    flow.Run(Seconds(2));
    test.Expect(flow.received == SEGMENTS * SEGMENT, "all arrives");
    test.Expect(!on || flow.sent == SEGMENTS + 1, std::to_string(flow.sent) + " segments");
}

/// @return a round trip of 20 ms
NetworkSpec
LongNetwork()
{
    NetworkSpec network;
    network.delay = MilliSeconds(5);
    return network;
}

/// Windows of 10 and 20 segments leave at 20 and 40 ms, 31 to 70 at 60 ms. 43, 45 and 47 are lost,
/// and so is what is sent again at 80 ms, before 96 to 100, as the arrival of these tells at
/// 100 ms. All three arrive at 110 ms, and not one of them in each round trip.
void
CheckLostRepetitions(PartCase& test, const TcpSpec& tcp, bool on)
{
    constexpr uint32_t SEGMENTS = 100;
    LoneFlow flow(tcp, LongNetwork());
    flow.Lose({{43, 2}, {45, 2}, {47, 2}});
    flow.Write(MilliSeconds(1), SEGMENTS * SEGMENT);
    flow.Run(Seconds(3));
    ExpectArrival(test, flow, SEGMENTS * SEGMENT, MilliSeconds(120), on);
    test.Expect(!on || flow.sent == SEGMENTS + 6, std::to_string(flow.sent) + " segments");
}

/// As above, with one segment that is sent again at 80 and at 100 ms. Of what leaves at 80 ms for
/// the first time the last but one is lost; when the recovery ends at 120 ms, something that was
/// sent later has arrived, and no ACK is to come that tells more.
void
CheckLossBehindRecovery(PartCase& test, const TcpSpec& tcp, bool on)
{
    constexpr uint32_t SEGMENTS = 100;
    LoneFlow flow(tcp, LongNetwork());
    flow.Lose({{43, 2}, {SEGMENTS - 1, 1}});
    flow.Write(MilliSeconds(1), SEGMENTS * SEGMENT);
    flow.Run(Seconds(3));
    ExpectArrival(test, flow, SEGMENTS * SEGMENT, MilliSeconds(140), on);
    test.Expect(!on || flow.timeouts == 0, std::to_string(flow.timeouts) + " timeouts");
}

/// The first segment is sent again every 20 ms until 360 ms: Linux restarts its timer, of 220 ms,
/// each time.
void
CheckTimerOfFirst(PartCase& test, const TcpSpec& tcp, bool on)
{
    LoneFlow flow(tcp, LongNetwork());
    flow.Lose({{43, 15}});
    flow.Write(MilliSeconds(1), 2000 * SEGMENT);
    flow.Run(Seconds(10));
    test.Expect(!on || flow.received == 2000 * SEGMENT, "all arrives");
    test.Expect((flow.timeouts == 0) == on, std::to_string(flow.timeouts) + " timeouts");
}

/// Of the 80 segments that leave at 80 ms all but some 20 are lost, and as many are sent again in
/// each round trip: the partial ACKs come until three of them later, and the timer is of 30 ms.
void
CheckTimerOfPartialAcks(PartCase& test, TcpSpec tcp, bool on)
{
    tcp.minRto = MilliSeconds(10);
    std::map<uint32_t, uint32_t> lost;
    for (uint32_t segment = 80; segment < 140; ++segment)
    {
        lost[segment] = 1;
    }
    LoneFlow flow(tcp, LongNetwork());
    flow.Lose(lost);
    flow.Write(MilliSeconds(1), 400 * SEGMENT);
    flow.Run(Seconds(10));
    test.Expect(flow.received == 400 * SEGMENT, "all arrives");
    test.Expect((flow.timeouts == 0) == on, std::to_string(flow.timeouts) + " timeouts");
}

/// After a loss the window is 717/1024 of what it was, and comes back to that after K seconds,
/// where 0.4 K^3 is what was lost (RFC 9438 section 4.2); it is flat there.
class CubicCurveCase : public TestCase
{
  public:
    CubicCurveCase()
        : TestCase("CUBIC's window after a loss")
    {
    }

  private:
    static constexpr uint32_t BEFORE = 1000; //!< segments

    void DoRun() override
    {
        m_state = CreateObject<TcpSocketState>();
        m_state->m_segmentSize = SEGMENT;
        m_state->m_cWnd = BEFORE * SEGMENT;
        m_cubic = CreateObject<LinuxCubic>();
        m_cubic->SetAttribute("TcpFriendliness", BooleanValue(false));
        m_state->m_ssThresh = m_cubic->GetSsThresh(m_state, 0);
        NS_TEST_ASSERT_MSG_EQ(m_state->m_ssThresh.Get(), 700 * SEGMENT, "after the loss");
        m_state->m_cWnd = m_state->m_ssThresh.Get();
        Acknowledge();
        const double k = std::cbrt(300 / 0.4); // 9.086 s
        for (const double part : {0.5, 1.0, 1.25})
        {
            Simulator::Stop(Seconds(part * k) - Simulator::Now());
            Simulator::Run();
            const double expected = BEFORE + 0.4 * std::pow((part - 1) * k, 3);
            NS_TEST_EXPECT_MSG_EQ_TOL(m_state->GetCwndInSegments(), expected, 4, part << " K");
        }
        Simulator::Destroy();
    }

    /// A round trip of 10 ms.
    void Acknowledge()
    {
        for (uint32_t left = m_state->GetCwndInSegments(); left > 0; left -= std::min(left, 10U))
        {
            m_cubic->IncreaseWindow(m_state, std::min(left, 10U));
        }
        Simulator::Schedule(MilliSeconds(10), &CubicCurveCase::Acknowledge, this);
    }

    Ptr<TcpSocketState> m_state; //!< of the connection
    Ptr<LinuxCubic> m_cubic;     //!< under test
};

} // namespace

static std::vector<TestCase*>
MakeLinuxTcpCases()
{
    return {
        new PartCase(
            "bursts",
            [](TcpSpec& tcp) { tcp.gso = WINDOW; },
            CheckBursts),
        new PartCase(
            "small queues",
            [](TcpSpec& tcp) { tcp.smallQueues = true; },
            CheckSmallQueues),
        new PartCase(
            "trains",
            [](TcpSpec& tcp) { tcp.trains = true; },
            CheckTrains),
        new PartCase(
            "idle restart",
            [](TcpSpec& tcp) { tcp.idleRestart = true; },
            CheckIdleRestart),
        new PartCase(
            "window validation",
            [](TcpSpec& tcp) { tcp.windowValidation = true; },
            CheckValidation),
        new PartCase(
            "tail loss",
            [](TcpSpec& tcp) { tcp.rack = true; },
            CheckTailLoss),
        new PartCase(
            "probe after one segment",
            [](TcpSpec& tcp) { tcp.rack = true; },
            CheckProbeAfterOneSegment),
        new PartCase(
            "probe after one burst",
            [](TcpSpec& tcp) { tcp.rack = true; },
            CheckProbeAfterOneBurst),
        new PartCase(
            "nothing twice",
            [](TcpSpec& tcp) { tcp.rack = true; },
            CheckNothingTwice),
        new PartCase(
            "lost repetitions",
            [](TcpSpec& tcp) { tcp.rack = true; },
            CheckLostRepetitions),
        new PartCase(
            "loss behind a recovery",
            [](TcpSpec& tcp) { tcp.rack = true; },
            CheckLossBehindRecovery),
        new PartCase(
            "timer of the first segment",
            [](TcpSpec& tcp) { tcp.rack = true; },
            CheckTimerOfFirst),
        new PartCase(
            "timer of partial ACKs",
            [](TcpSpec& tcp) { tcp.rack = true; },
            CheckTimerOfPartialAcks),
        new CubicCurveCase(),
        new DroppedBurstsCase(),
        new RepeatedBurstCase(),
    };
}

static CaseSuite g_linuxTcpSuite("dml-linux-tcp", MakeLinuxTcpCases()); //!< registers itself
