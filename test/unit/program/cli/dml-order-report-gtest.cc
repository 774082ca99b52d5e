/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-profile-builder.h"

#include "ns3/dml-order-report.h"

#include <gtest/gtest.h>
#include <sstream>

using namespace ns3::dml;

namespace
{

/// The lines of a text with runs of spaces as one space.
std::vector<std::string>
Lines(const std::string& text)
{
    std::vector<std::string> lines;
    std::istringstream in(text);
    for (std::string line; std::getline(in, line);)
    {
        EXPECT_LE(line.size(), 80u) << line;
        std::istringstream words(line);
        lines.emplace_back();
        for (std::string word; words >> word;)
        {
            lines.back() += (lines.back().empty() ? "" : " ") + word;
        }
    }
    return lines;
}

/// TicTac's Fig. 1(a); at 100 bytes/s every op takes a second at best.
Profile
ToyGraph(const std::string& listedFirst, const std::string& listedSecond)
{
    return ProfileBuilder()
        .Pull(listedFirst, 100)
        .Pull(listedSecond, 100)
        .Compute("op1", {1, 2}, {"pull/recv1"})
        .Compute("op2", {3, 1}, {"op1", "pull/recv2"})
        .Build();
}

} // namespace

// U = 4 s, L = 2 s (link and device alike, the link is named first), S = (4 - 2) / 2. recv1 first:
// 3 s, E = 1/2; recv2 first: 4 s, E = 0. TIC cannot tell them apart and keeps the listing.
TEST(OrderReport, TacOfTheToyGraph)
{
    const std::string rule(80, '-');
    EXPECT_EQ(Lines(FormatOrderReport(ToyGraph("recv2", "recv1"), "tac", 100)),
              (std::vector<std::string>{
                  "rank tensor bytes P ms M ms M+ ms",
                  rule,
                  "0 recv1 100 1000 1000 2000",
                  "1 recv2 100 1000 1000 infinite",
                  "",
                  "one worker, one parameter server, no flow control; each op at its shortest",
                  "U = 4000 ms all ops one after the other",
                  "L = 2000 ms the busiest resource alone: downlink",
                  "S = 1.000 (U - L) / L: speed-up of the best order at most",
                  "",
                  "order step ms E",
                  rule,
                  "tac 3000 0.5000",
                  "as listed 4000 0",
                  "reverse of tic 3000 0.5000"}));
}

TEST(OrderReport, TicOfTheToyGraph)
{
    const auto lines = Lines(FormatOrderReport(ToyGraph("recv1", "recv2"), "tic", 100));
    ASSERT_EQ(lines.size(), 15u);
    EXPECT_EQ(lines[0], "rank tensor bytes M+");
    EXPECT_EQ(lines[2], "0 recv1 100 2");
    EXPECT_EQ(lines[3], "1 recv2 100 2");
    EXPECT_EQ(lines[12], "tic 3000 0.5000");
    EXPECT_EQ(lines[13], "as listed 3000 0.5000");
    EXPECT_EQ(lines[14], "reverse of tic 4000 0");
}

// A pull of 1 s, a push of 2 s, 6 s on a device of two slots (3 s each), 4 s of updates: U = 13 s,
// L = 4 s on the server. All in a row: 1 + 6 + 2 + 4 = 13 s.
TEST(OrderReport, AllResourcesCount)
{
    const Profile profile = ProfileBuilder({{"gpu", 2}})
                                .Pull("a", 100)
                                .Compute("op", {6}, {"pull/a"})
                                .Push("b", 200, {"op"})
                                .Update("b", 4)
                                .Build();
    const auto lines = Lines(FormatOrderReport(profile, "tac", 100));
    ASSERT_EQ(lines.size(), 14u);
    EXPECT_EQ(lines[5], "U = 13000 ms all ops one after the other");
    EXPECT_EQ(lines[6], "L = 4000 ms the busiest resource alone: parameter server");
    EXPECT_EQ(lines[11], "tac 13000 0");
}

// Transfers alone: U = L. Nothing is divided, and the text says why.
TEST(OrderReport, UndefinedEfficiencyIsSaid)
{
    const Profile profile = ProfileBuilder().Pull("a", 100).Pull("b", 50).Build();
    const auto lines = Lines(FormatOrderReport(profile, "tac", 100));
    EXPECT_EQ(lines[12], "tac 1500 -");
    EXPECT_EQ(lines[16],
              "E = (U - step) / (U - L) is undefined: U = L, one resource has all the work, and");
    EXPECT_EQ(lines[17], "no order is better than another");
}

TEST(OrderReport, NothingToOrder)
{
    const Profile profile = ProfileBuilder().Compute("op", {1}).Build();
    const auto lines = Lines(FormatOrderReport(profile, "tic", 100));
    EXPECT_EQ(lines[2], "no op pulls a tensor");
    EXPECT_EQ(lines[11], "tic 1000 -");
}

// Of a long name the end is shown.
TEST(OrderReport, LongNamesAreCut)
{
    const std::string name = std::string(100, 'x') + "/weight";
    const Profile profile =
        ProfileBuilder().Pull(name, 100).Compute("op", {1}, {"pull/" + name}).Build();
    for (const auto* policy : {"tic", "tac"})
    {
        const auto lines = Lines(FormatOrderReport(profile, policy, 100));
        EXPECT_NE(lines[2].find("0 ...xxx"), std::string::npos) << lines[2];
        EXPECT_NE(lines[2].find("x/weight 100"), std::string::npos) << lines[2];
    }
}

TEST(OrderReport, OtherPoliciesAreRefused)
{
    try
    {
        FormatOrderReport(ToyGraph("recv1", "recv2"), "reverse", 100);
        FAIL() << "no error";
    }
    catch (const InputError& error)
    {
        EXPECT_STREQ(error.what(), "unknown policy 'reverse'; accepted: tic, tac");
    }
}
