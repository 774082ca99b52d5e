/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// The table of effects over several runs, some of which lack a part.

#include "ns3/dml-effect-table.h"

#include <gtest/gtest.h>
#include <string>

using namespace ns3::dml;

namespace
{

/// @return a part that has a half of its interval of 0 within the run
EffectBias
MakeEffectBias(const std::string& effect, const std::string& part, double slower)
{
    EffectBias bias;
    bias.effect = effect;
    bias.part = part;
    bias.recorded = effect.empty() ? 10 : 5;
    bias.slower = slower;
    bias.halfWidth = 0;
    return bias;
}

/// Four runs with a bias of 1 %, the first of which has no pulls.
std::vector<RunEffects>
MakeEffectRuns()
{
    std::vector<RunEffects> runs;
    for (uint32_t run = 0; run < 4; ++run)
    {
        runs.emplace_back();
        runs.back().run = RunKey("", 3, "packet", run);
        auto& found = runs.back().found;
        found.push_back(MakeEffectBias("", "", 1));
        if (run > 0)
        {
            found.push_back(MakeEffectBias("direction", "pulls", 0.4));
        }
        found.push_back(MakeEffectBias("direction", "pushes", 0.4));
        found.push_back(MakeEffectBias("direction", "", run > 0 ? 0.2 : 0.6));
        found.push_back(MakeEffectBias("loss", "", 0));
        found.back().slower.reset();
        found.back().obstacle = "no file";
    }
    return runs;
}

// Pulls add 0, 0.4, 0.4 and 0.4: a mean of 0.3, a standard deviation of 0.2, and with Student's
// 3.182 for three degrees of freedom 3.182 * 0.2 / 2 = 0.32 as half of the interval. They are in 15
// of 40 s.
TEST(EffectTable, CountsRunsWithoutAPartAsNothing)
{
    EXPECT_EQ(FormatEffectBiases(MakeEffectRuns()),
              "fair-share, by effect, from recorded begins (doc/matched-comparison.rst):\n"
              "   W  engine    effect     part                       time %    links % slower\n"
              "   3  packet    all                                    100.0     +1.00 +- 0.00\n"
              "                direction  pulls                        37.5     +0.30 +- 0.32 ?\n"
              "                           pushes                       50.0     +0.40 +- 0.00\n"
              "                           rest                         50.0     +0.30 +- 0.32 ?\n"
              "                loss       not known: no file\n"
              "  parts of an effect add up to all; ?: may be 0\n");
}

TEST(EffectTable, TellsWhatIsCertain)
{
    EXPECT_EQ(FormatCertainParts(MakeEffectRuns(), {"direction"}),
              "  step by step, from recorded begins         links % slower\n"
              "  all                                         +1.00 +- 0.00\n"
              "  pushes                                      +0.40 +- 0.00\n");
    EXPECT_EQ(FormatCertainParts(MakeEffectRuns(), {"port"}),
              "  step by step, from recorded begins         links % slower\n"
              "  all                                         +1.00 +- 0.00\n"
              "  no phase has a certain part in it\n");
}

} // namespace
