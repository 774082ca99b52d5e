/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// One connection whose packets take two paths of unequal delay at random, so that most of those on
// the longer one arrive late.

#include "dml-case-suite.h"
#include "dml-lone-flow.h"

#include "ns3/test.h"

#include <string>
#include <vector>

using namespace ns3;
using namespace ns3::dml;

namespace
{

constexpr uint32_t SEGMENTS_SENT = 20000;
constexpr uint32_t BYTES_SENT = SEGMENTS_SENT * SEGMENT;

ExplicitLinkSpec
LinkOfDelay(const std::string& a, const std::string& b, const Time& delay)
{
    ExplicitLinkSpec link{{a, b}, {}};
    link.link.rate = DataRate("1Gbps");
    link.link.delay = delay;
    return link;
}

NetworkSpec
UnequalPaths(const std::string& policy)
{
    NetworkSpec spec;
    spec.multipath.policy = policy;
    spec.topology.type = "explicit";
    spec.topology.switches = {"left", "near", "far", "right"};
    spec.topology.links = {LinkOfDelay("worker0", "left", MicroSeconds(10)),
                           LinkOfDelay("left", "near", MicroSeconds(10)),
                           LinkOfDelay("near", "right", MicroSeconds(10)),
                           LinkOfDelay("left", "far", MicroSeconds(10)),
                           LinkOfDelay("far", "right", MicroSeconds(60)),
                           LinkOfDelay("right", "ps0", MicroSeconds(10))};
    return spec;
}

/// What became of a transfer.
struct Outcome
{
    double seconds{0};    //!< until its last byte
    uint32_t needless{0}; //!< segments sent again
    uint64_t received{0}; //!< bytes
};

Outcome
SendOver(const NetworkSpec& network, bool rack, uint32_t dropped = 0)
{
    TcpSpec tcp = BareTcp();
    tcp.rack = rack;
    LoneFlow flow(tcp, network);
    if (dropped > 0)
    {
        flow.Drop(dropped);
    }
    flow.Write(MilliSeconds(1), BYTES_SENT / 2);
    flow.Write(Seconds(1), BYTES_SENT / 2);
    flow.Run(Seconds(4));
    return {(flow.last - Seconds(1)).GetSeconds(), flow.sent - SEGMENTS_SENT, flow.received};
}

/// Late segments are taken for lost at first, until duplicates tell how late they may be; then the
/// connection is as fast as over one path. A sender that learns nothing stays slow.
class LateSegmentsCase : public TestCase
{
  public:
    LateSegmentsCase()
        : TestCase("late segments are told from lost ones")
    {
    }

  private:
    void DoRun() override
    {
        const Outcome one = SendOver(UnequalPaths("ecmp"), true);
        NS_TEST_EXPECT_MSG_EQ(one.received, BYTES_SENT, "all arrives");
        NS_TEST_EXPECT_MSG_EQ(one.needless, 0, "in order over one path");
        const Outcome two = SendOver(UnequalPaths("spray"), true);
        NS_TEST_EXPECT_MSG_EQ(two.received, BYTES_SENT, "all arrives");
        NS_TEST_EXPECT_MSG_GT(two.needless, 0, "it has to learn");
        NS_TEST_EXPECT_MSG_LT(two.needless, SEGMENTS_SENT / 50, "and does");
        NS_TEST_EXPECT_MSG_LT(two.seconds, 1.05 * one.seconds, "then it is as fast");
        const Outcome plain = SendOver(UnequalPaths("spray"), false);
        NS_TEST_EXPECT_MSG_GT(plain.seconds, 1.5 * two.seconds, "what others wait for");
    }
};

/// What is lost is sent again soon, even where much is late: no timeout is waited for.
class LostAmongLateCase : public TestCase
{
  public:
    LostAmongLateCase()
        : TestCase("lost segments are found among late ones")
    {
    }

  private:
    void DoRun() override
    {
        const NetworkSpec paths = UnequalPaths("spray");
        const Outcome lossless = SendOver(paths, true);
        for (const uint32_t dropped : {SEGMENTS_SENT / 2 + 3000, SEGMENTS_SENT / 2 + 7000})
        {
            const Outcome lossy = SendOver(paths, true, dropped);
            NS_TEST_EXPECT_MSG_EQ(lossy.received, BYTES_SENT, "all arrives");
            NS_TEST_EXPECT_MSG_LT(lossy.seconds, lossless.seconds + 0.05, "without a timeout");
        }
    }
};

/// A request a millisecond beside a response that goes on and on: ACKs of the response overtake
/// those that requests carry, and no request may be lost with its ACK.
class OvertakenAckCase : public TestCase
{
  public:
    OvertakenAckCase()
        : TestCase("data that comes with an overtaken ACK is taken")
    {
    }

  private:
    void DoRun() override
    {
        constexpr uint32_t REQUESTS = 400;
        constexpr uint32_t BYTES = 100;
        TcpSpec tcp = BareTcp();
        tcp.rack = true;
        LoneFlow flow(tcp, UnequalPaths("spray"));
        flow.Write(MilliSeconds(1), BYTES);
        flow.WriteBack(MilliSeconds(2), 2 * BYTES_SENT);
        for (uint32_t i = 1; i < REQUESTS; ++i)
        {
            flow.Write(MilliSeconds(2 + i), BYTES);
        }
        flow.Run(Seconds(4));
        NS_TEST_EXPECT_MSG_EQ(flow.received, REQUESTS * BYTES, "all requests arrive");
        NS_TEST_EXPECT_MSG_EQ(flow.receivedBack, 2 * BYTES_SENT, "all of the response arrives");
        NS_TEST_EXPECT_MSG_LT(flow.last, MilliSeconds(REQUESTS + 10), "without a timeout");
        NS_TEST_EXPECT_MSG_EQ(flow.sent, REQUESTS, "each request is sent once");
    }
};

} // namespace

static std::vector<TestCase*>
MakeReorderingCases()
{
    return {new LateSegmentsCase(), new LostAmongLateCase(), new OvertakenAckCase()};
}

static CaseSuite g_reorderingSuite("dml-reordering", MakeReorderingCases()); //!< registers itself
