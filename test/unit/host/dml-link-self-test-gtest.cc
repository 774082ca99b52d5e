/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/dml-link-self-test.h"

#include <gtest/gtest.h>

using namespace ns3;
using namespace ns3::dml;

// 1448 bytes of payload in a frame of 1502, as ns-3's links have it, and 1460 without timestamps
TEST(LinkSelfTestTest, WantedGoodput)
{
    EXPECT_NEAR(GetWantedGoodput(DataRate("1Gbps"), 1500, true), 125e6 * 1448 / 1502, 1);
    EXPECT_NEAR(GetWantedGoodput(DataRate("1Gbps"), 1500, false), 125e6 * 1460 / 1502, 1);
}

TEST(LinkSelfTestTest, Verdict)
{
    const LinkTestResult good{"a->s", 100e6, 99e6, 1e-5};
    const LinkTestResult slow{"s->a", 100e6, 97e6, 1e-5};
    const LinkTestResult bad{"b->s", 100e6, 94e6, 1e-5};
    const LinkTestResult shallow{"s->b", 100e6, 50e6, 1e-5, true};
    const LinkTestResult fast{"c->s", 100e6, 103e6, 1e-5};
    LinkTestVerdict verdict = JudgeLinks({good});
    EXPECT_EQ(verdict.error, "");
    EXPECT_TRUE(verdict.warnings.empty());
    verdict = JudgeLinks({good, slow, shallow, fast});
    EXPECT_EQ(verdict.error, "");
    EXPECT_EQ(verdict.warnings,
              (std::vector<std::string>{
                  "the link s->a has not quite its rate: TCP carries 776.0 Mbit/s instead of 800.0",
                  "the link s->b has not quite its rate: TCP carries 400.0 Mbit/s instead of "
                  "800.0; its queue is short",
                  "the link c->s has not quite its rate: TCP carries 824.0 Mbit/s instead of "
                  "800.0"}));
    verdict = JudgeLinks({good, bad});
    EXPECT_EQ(verdict.error,
              "this machine cannot give the link b->s the scenario's rate: TCP carries 752.0 "
              "Mbit/s instead of 800.0; lower network.rate, or wait until the machine is idle");
}
