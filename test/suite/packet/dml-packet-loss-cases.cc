/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-case-suite.h"
#include "dml-packet-fixture.h"
#include "dml-schedule-call.h"
#include "dml-small-step.h"

#include "ns3/config.h"
#include "ns3/error-model.h"
#include "ns3/pointer.h"
#include "ns3/simulator.h"
#include "ns3/test.h"

using namespace ns3;
using namespace ns3::dml;

namespace
{

/// A switch queue that is too small drops, TCP repairs it, and all of that is counted.
class LossCase : public TestCase
{
  public:
    explicit LossCase(uint32_t mtu)
        : TestCase("MTU " + std::to_string(mtu) +
                   ": a shallow queue drops, everything arrives all the same"),
          m_mtu(mtu)
    {
    }

  private:
    void DoRun() override
    {
        ProfileBuilder builder;
        builder.Compute("x", {0.001}).Push("a", 2000000, {"x"}).Update("a", 0.0001);
        TwinRun twin(builder);
        twin.network.queue.bytes = 60000;
        twin.network.mtu = m_mtu;
        twin.Prepare({0, 0, 0, 0}, 2);
        const auto packet = twin.RunPackets();
        NS_TEST_EXPECT_MSG_EQ(packet.steps.size(), 8, "all steps end");
        NS_TEST_EXPECT_MSG_GT(twin.totals.drops, 0, "four senders overflow 60 kB");
        // only data is in the queue that overflows, and what is dropped must be sent again
        const TcpCounts& tcp = twin.totals.tcp;
        NS_TEST_EXPECT_MSG_GT_OR_EQ(tcp.retransmissions, twin.totals.drops, "repairs");
        NS_TEST_EXPECT_MSG_GT(tcp.timeouts + tcp.recoveries, 0, "reasons to repair");
        NS_TEST_EXPECT_MSG_LT_OR_EQ(tcp.timeouts + tcp.recoveries,
                                    tcp.retransmissions,
                                    "each repairs something");
        CheckLinks(twin.totals);
    }

    /// What enters the switch leaves it, or was dropped before the server's link.
    void CheckLinks(const PacketRunTotals& totals)
    {
        uint64_t entered = 0;
        uint64_t left = 0;
        uint64_t dropped = 0;
        for (const auto& link : totals.links)
        {
            const bool out = link.link.rfind("switch->", 0) == 0;
            (out ? left : entered) += link.packets;
            dropped += link.dropped;
            NS_TEST_EXPECT_MSG_EQ((link.dropped > 0), (link.link == "switch->ps0"), link.link);
            NS_TEST_EXPECT_MSG_EQ(link.lost + link.marked, 0, "no faults, no ECN");
            NS_TEST_EXPECT_MSG_LT_OR_EQ(link.utilisation, 1, "no link does more than it can");
            if (link.link == "switch->ps0")
            {
                NS_TEST_EXPECT_MSG_LT_OR_EQ(link.fullestQueue, 60000, "as large as it may be");
                NS_TEST_EXPECT_MSG_GT(link.fullestQueue, 60000 - m_mtu - 18, "it was full");
            }
        }
        NS_TEST_EXPECT_MSG_EQ(dropped, totals.drops, "the sum");
        // the run ends while its last ACKs are on their way
        NS_TEST_EXPECT_MSG_LT_OR_EQ(left + dropped, entered, "nothing comes from nowhere");
        NS_TEST_EXPECT_MSG_GT_OR_EQ(left + dropped + 20, entered, "nothing stays");
    }

    uint32_t m_mtu;
};

/// Without losses nothing is counted.
class LosslessCase : public TestCase
{
  public:
    LosslessCase()
        : TestCase("An unlimited queue: no drop, no retransmission, no timeout")
    {
    }

  private:
    void DoRun() override
    {
        TwinRun twin(SmallStep(), 2);
        twin.Prepare({0, 0, 0, 0}, 5);
        twin.RunPackets();
        NS_TEST_EXPECT_MSG_EQ(twin.totals.drops, 0, "drops");
        NS_TEST_EXPECT_MSG_EQ(twin.totals.tcp.retransmissions, 0, "retransmissions");
        NS_TEST_EXPECT_MSG_EQ(twin.totals.tcp.timeouts, 0, "timeouts");
        NS_TEST_EXPECT_MSG_EQ(twin.totals.tcp.recoveries, 0, "recoveries");
    }
};

/// Where nothing arrives for a while, repeated timeouts count, too.
class OutageCase : public TestCase
{
  public:
    OutageCase()
        : TestCase("Nothing arrives for 2 s: timeouts after 0.2, 0.6, 1.4 and 3 s")
    {
    }

  private:
    void DoRun() override
    {
        ProfileBuilder builder;
        builder.Push("a", 20000000).Update("a", 0.0001); // takes 0.16 s
        TwinRun twin(builder);
        twin.Prepare({0}, 1);
        auto broken = CreateObject<RateErrorModel>();
        broken->SetRate(1);
        broken->SetUnit(RateErrorModel::ERROR_UNIT_PACKET);
        broken->Disable();
        ScheduleCall(Seconds(0), [broken] {
            Config::Set("/NodeList/*/DeviceList/*/$ns3::PointToPointNetDevice/ReceiveErrorModel",
                        PointerValue(broken));
        });
        const double start = 0.15; // workers start after some 0.1 s
        Simulator::Schedule(Seconds(start), &ErrorModel::Enable, broken);
        Simulator::Schedule(Seconds(start + 2), &ErrorModel::Disable, broken);
        const auto packet = twin.RunPackets();
        NS_TEST_EXPECT_MSG_GT(packet.steps.back().end, 3, "the last timeout ends the outage");
        NS_TEST_EXPECT_MSG_EQ(twin.totals.tcp.timeouts, 4, "timeouts");
        NS_TEST_EXPECT_MSG_EQ(twin.totals.tcp.recoveries, 0, "nothing else tells of a loss");
        NS_TEST_EXPECT_MSG_EQ(twin.totals.drops, 0, "no queue is to blame");
    }
};

} // namespace

static CaseSuite g_packetLossSuite("dml-packet-loss",
                                   {new LossCase(1500),
                                    new LossCase(9000),
                                    new LosslessCase,
                                    new OutageCase}); //!< registers itself
