/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Policies that order, wait and ask for acknowledgements do the same in both engines.

#include "dml-case-suite.h"
#include "dml-packet-fixture.h"

#include "ns3/boolean.h"
#include "ns3/data-rate.h"
#include "ns3/dml-channel-label.h"
#include "ns3/nstime.h"
#include "ns3/test.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <functional>
#include <utility>

using namespace ns3;
using namespace ns3::dml;

namespace
{

constexpr uint64_t SLICE = 1000000;   //!< bytes
constexpr double LINK_DELAY = 0.0005; //!< seconds: of two links, so a round trip is four times that

/// A run with a policy on a star of 1 Gbit/s links.
TwinRun
PolicyTwin(const ProfileBuilder& builder, const ObjectFactory& policy)
{
    TwinRun twin(builder);
    twin.network.delay = Seconds(LINK_DELAY);
    twin.oneWayDelay = 2 * LINK_DELAY;
    // a pipe of 250 KB needs more than the default buffers, which hold just that
    twin.network.tcp.sendBuffer = 1 << 20;
    twin.network.tcp.receiveBuffer = 4 << 20;
    twin.run.policy = policy;
    twin.run.window = 100000000; // flow control limits nothing
    return twin;
}

/// A CreditPolicy.
ObjectFactory
MakeCredit(uint64_t credit, double overhead)
{
    ObjectFactory policy("ns3::dml::CreditPolicy");
    policy.Set("Credit", UintegerValue(credit));
    policy.Set("Overhead", TimeValue(Seconds(overhead)));
    return policy;
}

/// Slices of one tensor on their way to a lone worker: the time from one to the next.
class SlicesCase : public TestCase
{
  public:
    SlicesCase(const std::string& name, uint64_t credit, double overhead, double gap)
        : TestCase(name + ": slices of 1 MB " + std::to_string(1000 * gap) + " ms apart"),
          m_policy(MakeCredit(credit, overhead)),
          m_gap(gap)
    {
    }

  protected:
    /// What differs from PolicyTwin.
    virtual void Change([[maybe_unused]] TwinRun& twin)
    {
    }

    /// @return seconds of the gap that packets may hide
    virtual double GetHidden([[maybe_unused]] const TwinRun& twin) const
    {
        return 0;
    }

  private:
    void DoRun() override
    {
        constexpr uint32_t SLICES = 24;
        ProfileBuilder builder;
        for (uint32_t i = 0; i < SLICES; ++i)
        {
            builder.Pull("s" + std::to_string(i), SLICE);
        }
        TwinRun twin = PolicyTwin(builder, m_policy);
        Change(twin);
        twin.Prepare({0}, 1);
        const auto fair = twin.RunFairShare();
        const auto packet = twin.RunPackets();
        NS_TEST_ASSERT_MSG_EQ(packet.transfers.size(), SLICES, "all must arrive");
        const double expected = SLICE / twin.GetRate() + m_gap;
        for (uint32_t i = 1; i < SLICES; ++i)
        {
            NS_TEST_EXPECT_MSG_EQ_TOL(fair.transfers[i].lastByte - fair.transfers[i - 1].lastByte,
                                      expected,
                                      1e-9,
                                      "fair-share, slice " << i);
        }
        const double hidden = GetHidden(twin);
        for (uint32_t i = SLICES / 2; i < SLICES; ++i) // TCP's window is open by then
        {
            NS_TEST_EXPECT_MSG_EQ_TOL(packet.transfers[i].lastByte -
                                          packet.transfers[i - 1].lastByte,
                                      expected - hidden / 2,
                                      0.003 * expected + hidden / 2,
                                      "packets, slice " << i);
        }
    }

    ObjectFactory m_policy;
    double m_gap;
};

/// What the sender needs for a slice is not hidden by the credit, and in packets at most in part by
/// TCP: when the sender is done with a slice, a send buffer of 64 KiB may still hold that much of
/// it.
class SenderCase : public SlicesCase
{
  public:
    using SlicesCase::SlicesCase;

  private:
    static constexpr uint32_t SEND_BUFFER = 1 << 16;

    void Change(TwinRun& twin) override
    {
        twin.network.delay = MicroSeconds(10); // so that the buffer fills the link
        twin.oneWayDelay = 20e-6;
        twin.network.tcp.sendBuffer = SEND_BUFFER;
    }

    double GetHidden(const TwinRun& twin) const override
    {
        return SEND_BUFFER / twin.GetRate();
    }
};

/// Pulls, forward, and gradients that become ready in groups; sizes and times leave no near ties.
ProfileBuilder
GroupedStep()
{
    ProfileBuilder builder;
    ProfileBuilder::Names pulls;
    for (uint32_t i = 0; i < 6; ++i)
    {
        builder.Pull("t" + std::to_string(i), 500000 + 150000 * i);
        pulls.push_back("pull/t" + std::to_string(i));
    }
    builder.Compute("f", {0.01}, pulls);
    builder.Compute("b2", {0.005}, {"f"})
        .Compute("b1", {0.011}, {"b2"})
        .Compute("b0", {0.006}, {"b1"});
    for (uint32_t i = 6; i-- > 0;)
    {
        builder.Push("t" + std::to_string(i), 0, {"b" + std::to_string(i / 2)});
        builder.Update("t" + std::to_string(i), 0.001);
    }
    return builder;
}

/// The order of transfers is the same in both engines, and so is the time of a step.
class SameOrderCase : public TestCase
{
  public:
    SameOrderCase(const std::string& name, const ObjectFactory& policy)
        : TestCase(name + ": the same transfers in the same order in both engines"),
          m_policy(policy)
    {
    }

  private:
    /// Ops of one direction in the order of their turns, but for step 0, in which TCP's window
    /// opens.
    static std::vector<uint32_t> Turns(const RunRecorder& recorder, ResourceLabel direction)
    {
        std::vector<uint32_t> ops;
        for (const auto& chunk : recorder.chunks)
        {
            if (GetLabel(chunk.resource) == direction && chunk.step > 0)
            {
                ops.push_back(chunk.op);
            }
        }
        return ops;
    }

    void DoRun() override
    {
        constexpr uint32_t STEPS = 3;
        TwinRun twin = PolicyTwin(GroupedStep(), m_policy);
        const uint32_t pullRanks[] = {3, 1, 5, 0, 2, 4};
        const double generated[] = {0.022, 0.016, 0.005};
        for (uint32_t i = 0; i < 6; ++i)
        {
            twin.facts.ranks["pull/t" + std::to_string(i)] = pullRanks[i];
            if (m_policy.GetTypeId().GetName() != "ns3::dml::OrderedPolicy")
            {
                twin.facts.ranks["push/t" + std::to_string(i)] = i;
            }
            twin.facts.generated["push/t" + std::to_string(i)] = generated[i / 2];
        }
        twin.Prepare({0}, STEPS);
        const auto fair = twin.RunFairShare();
        const auto packet = twin.RunPackets();
        NS_TEST_ASSERT_MSG_EQ(packet.steps.size(), STEPS, "all steps must end");
        for (const auto direction : {ResourceLabel::DOWNLINK, ResourceLabel::UPLINK})
        {
            const auto expected = Turns(fair, direction);
            NS_TEST_ASSERT_MSG_EQ(expected.size(), 6 * (STEPS - 1), "one turn each");
            NS_TEST_EXPECT_MSG_EQ((Turns(packet, direction) == expected), true, "order of turns");
        }
        for (uint32_t step = 1; step < STEPS; ++step)
        {
            const double expected = fair.steps[step].end - fair.steps[step].start;
            NS_TEST_EXPECT_MSG_EQ_TOL(packet.steps[step].end - packet.steps[step].start,
                                      expected,
                                      0.04 * expected,
                                      "duration of step " << step);
        }
    }

    ObjectFactory m_policy;
};

/// An OrderedPolicy.
ObjectFactory
MakeOrdered(bool shuffle)
{
    ObjectFactory policy("ns3::dml::OrderedPolicy");
    policy.Set("Shuffle", BooleanValue(shuffle));
    return policy;
}

/// A ProphetPolicy that knows the rate.
ObjectFactory
MakeProphet()
{
    ObjectFactory policy("ns3::dml::ProphetPolicy");
    policy.Set("Rate", DataRateValue(DataRate("940Mbps")));
    policy.Set("Overhead", TimeValue(MicroSeconds(100)));
    return policy;
}

} // namespace

static std::vector<TestCase*>
MakeTransferPolicyCases()
{
    return {new SlicesCase("P3", 0, 0.0003, 4 * LINK_DELAY + 0.0003),
            new SlicesCase("ByteScheduler", 4 * SLICE, 0, 0),
            new SenderCase("ByteScheduler", 4 * SLICE, 0.003, 0.003),
            new SenderCase("ByteScheduler", 4 * SLICE, 0.03, 0.03),
            new SameOrderCase("A given order", MakeOrdered(false)),
            new SameOrderCase("A new order in each step", MakeOrdered(true)),
            new SameOrderCase("P3", MakeCredit(0, 0.0003)),
            new SameOrderCase("ByteScheduler", MakeCredit(4 * SLICE, 0.0003)),
            new SameOrderCase("Prophet", MakeProphet())};
}

static CaseSuite g_transferPolicySuite("dml-transfer-policy",
                                       MakeTransferPolicyCases()); //!< registers itself
