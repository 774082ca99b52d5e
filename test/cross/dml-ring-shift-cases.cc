/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// A protocol without servers: each worker sends one tensor to its right neighbour and waits for
// that of its left one. Nothing but this file knows of it.

#include "dml-case-suite.h"
#include "dml-packet-fixture.h"

#include "ns3/dml-channel-label.h"
#include "ns3/dml-plan-edges.h"

#include <map>
#include <string>
#include <utility>

using namespace ns3;
using namespace ns3::dml;

namespace
{

/// Computes op 0 of the profile, sends the tensor of op 1, and does op 2 when the other has come.
class RingShift : public Protocol
{
  public:
    StepPlan MakePlan(const Profile& profile, const ProtocolSetting&) const override
    {
        enum Op : OpIndex
        {
            COMPUTE,
            SEND,
            RECEIVE,
            UPDATE
        };

        const Peer left{Peer::Kind::WORKER, -1};
        const Peer right{Peer::Kind::WORKER, 1};
        StepPlan plan;
        plan.servers = 0;
        plan.names = {"compute", "send", "receive", "update"};
        plan.resources = {{ResourceKind::DEVICE, SELF, {}, 0, 1},
                          {ResourceKind::CHANNEL, SELF, right, 0, 1},
                          {ResourceKind::CHANNEL, left, SELF, 0, 1}};
        plan.ops.resize(4);
        for (const auto& [op, profileOp] : {std::pair{COMPUTE, 0}, std::pair{UPDATE, 2}})
        {
            plan.ops[op].dispatch = Dispatch::DEVICE;
            plan.ops[op].profileOp = profileOp;
        }
        for (const auto& [op, other] : {std::pair{SEND, RECEIVE}, std::pair{RECEIVE, SEND}})
        {
            plan.ops[op].dispatch = op == SEND ? Dispatch::SEND : Dispatch::RECEIVE;
            plan.ops[op].resource = op == SEND ? 1 : 2;
            plan.ops[op].counterpart = other;
            plan.ops[op].profileOp = 1;
            plan.ops[op].tensor = 0;
            plan.ops[op].bytes = profile.tensors[0].bytes;
        }
        plan.ops[SEND].dependencies = 1; // the neighbour's request
        SetPlanEdges(plan, {{{COMPUTE, SEND}, {RECEIVE, UPDATE}}, {}});
        plan.seconds = {profile.samples[0][0], 0, 0, profile.samples[2][0]};
        return plan;
    }
};

/// 0.1 s of computing, 0.2 s for the tensor on a free link, and 0.05 s for the update.
TwinRun
MakeRing(std::vector<double> offsets)
{
    ProfileBuilder builder;
    TwinRun twin(builder, 0);
    twin.network.mtu = 9000;
    const auto bytes = static_cast<uint64_t>(0.2 * twin.GetRate());
    twin.builder.Compute("compute", {0.1}).Push("t", bytes, {"compute"}).Update("t", 0.05);
    twin.run.policy.SetTypeId("ns3::dml::FifoPolicy");
    twin.withoutServers = CreateObject<RingShift>();
    twin.Prepare(std::move(offsets), 2);
    return twin;
}

/// @return end of each step, by worker and step
std::map<std::pair<uint32_t, uint32_t>, double>
EndsOf(const RunRecorder& recorder)
{
    std::map<std::pair<uint32_t, uint32_t>, double> ends;
    for (const auto& step : recorder.steps)
    {
        ends[{step.worker, step.step}] = step.end;
    }
    return ends;
}

/// A ring of three workers, of which the second starts later.
class RingShiftCase : public TestCase
{
  public:
    RingShiftCase()
        : TestCase("Each of three workers sends to its right neighbour, without a server")
    {
    }

  private:
    void DoRun() override
    {
        // Worker 1 asks for worker 0's tensor when it starts, at 0.2: sent from 0.2 to 0.4. Its own
        // is sent from 0.3 to 0.5, that of worker 2 from 0.1 to 0.3. A step ends when its tensor is
        // sent and the other one's is applied: at 0.4, 0.5, and 0.5 + 0.05. The next: 0 computes
        // until 0.5 and sends until 0.7, as 1 asks at 0.5; 1 until 0.6 and 0.8; 2 until 0.65 and
        // 0.85. Tensors come at 0.85, 0.7 and 0.8; so the steps end at 0.9, 0.8 and 0.85.
        const std::map<std::pair<uint32_t, uint32_t>, double> expected{{{0, 0}, 0.4},
                                                                       {{1, 0}, 0.5},
                                                                       {{2, 0}, 0.55},
                                                                       {{0, 1}, 0.9},
                                                                       {{1, 1}, 0.8},
                                                                       {{2, 1}, 0.85}};
        TwinRun twin = MakeRing({0, 0.2, 0});
        const RunRecorder fair = twin.RunFairShare();
        const RunRecorder packets = twin.RunPackets();
        const auto fairEnds = EndsOf(fair);
        const auto packetEnds = EndsOf(packets);
        for (const auto& [which, end] : expected)
        {
            NS_TEST_EXPECT_MSG_EQ_TOL(fairEnds.at(which), end, 1e-6, "fair-share");
            NS_TEST_EXPECT_MSG_EQ_TOL(packetEnds.at(which), end, 0.02 * end, "packets");
        }
        for (const auto* recorder : {&fair, &packets})
        {
            NS_TEST_EXPECT_MSG_EQ(recorder->transfers.size(), 6, "one for each worker and step");
            for (const auto& transfer : recorder->transfers)
            {
                const auto& [from, to] = transfer.channel;
                NS_TEST_EXPECT_MSG_EQ((GetDirection(transfer.channel) == Direction::PEER),
                                      true,
                                      "between workers");
                NS_TEST_EXPECT_MSG_EQ(to.index, (from.index + 1) % 3, "to the right");
                NS_TEST_EXPECT_MSG_GT(transfer.firstByte, transfer.ready - 1e-9, "ready before");
                NS_TEST_EXPECT_MSG_GT(transfer.ready, 0.09, "computed before");
            }
        }
    }
};

/// Of two workers each is the other's left and right neighbour.
class RingOfTwoCase : public TestCase
{
  public:
    RingOfTwoCase()
        : TestCase("Two workers swap their tensors")
    {
    }

  private:
    void DoRun() override
    {
        TwinRun twin = MakeRing({0, 0});
        for (const auto& recorder : {twin.RunFairShare(), twin.RunPackets()})
        {
            for (const auto& [which, end] : EndsOf(recorder))
            {
                const double expected = 0.35 * (which.second + 1);
                NS_TEST_EXPECT_MSG_EQ_TOL(end, expected, 0.02 * expected, "both ways at once");
            }
        }
    }
};

static CaseSuite g_ringShiftSuite("dml-ring-shift", {new RingShiftCase, new RingOfTwoCase});

} // namespace
