/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/dml-html-report.h"
#include "ns3/dml-study-answer.h"

#include <cstdio>
#include <fstream>
#include <gtest/gtest.h>

using namespace ns3::dml;

namespace
{

/// A configuration whose engines have a replication for each throughput; links are busy to a share.
CaseSummary
MakeCase(uint32_t workers,
         const std::vector<double>& fairShare,
         const std::vector<double>& packet,
         double busy = 0.5)
{
    CaseSummary item;
    item.model = "net";
    item.workers = workers;
    const auto add = [&](EngineKind kind, const std::vector<double>& throughputs) {
        for (const double throughput : throughputs)
        {
            ReplicationSummary run;
            run.replication = item.engines[kind].replications.size();
            run.throughput.samplesPerSecond = throughput;
            run.downlink = {busy};
            run.uplink = {busy / 2};
            item.engines[kind].replications.push_back(run);
        }
    };
    add(EngineKind::FAIR_SHARE, fairShare);
    add(EngineKind::PACKET, packet);
    return item;
}

std::size_t
CountParts(const std::string& text, const std::string& part)
{
    std::size_t count = 0;
    for (auto at = text.find(part); at != std::string::npos; at = text.find(part, at + 1))
    {
        ++count;
    }
    return count;
}

} // namespace

// 27.5, the mean of 30 and 25, is 2.75 times 10; 33 / 30 and 27.5 / 25 are 1.1 each.
TEST(DmlStudyAnswer, IsOfTheFastestNumberOfWorkers)
{
    RunSummary summary;
    summary.cases = {MakeCase(1, {11, 11}, {10, 10}),
                     MakeCase(4, {33, 27.5, 33, 27.5}, {30, 25, 30, 25}, 0.9),
                     MakeCase(8, {20, 20}, {20, 20})};
    const auto answer = AnswerStudy(summary);
    ASSERT_EQ(answer.size(), 4u);
    EXPECT_EQ(answer[0].rfind("With 4 workers, net trains at 27.50 samples/s (95 % interval ", 0),
              0u)
        << answer[0];
    EXPECT_EQ(answer[1],
              "That is 2.75 times what 1 worker gives, of 4 times if nothing held them up (69 %).");
    EXPECT_EQ(
        answer[2],
        "The busiest server's link carries 90 % (down) and 45 % (up) of what fits: it is nearly "
        "full.");
    EXPECT_EQ(
        answer[3],
        "The fair-share engine says +10.0 % against packet there, certainly (+10.0 to +10.0 %).");
}

// Nobody knows what is ideal with workers that are not alike.
TEST(DmlStudyAnswer, KnowsNoIdealOfUnequalWorkers)
{
    RunSummary summary;
    summary.cases = {MakeCase(1, {}, {10}), MakeCase(2, {}, {90})};
    summary.cases[1].engines[EngineKind::PACKET].replications[0].workersAlike = false;
    EXPECT_EQ(AnswerStudy(summary).at(1),
              "That is 9.00 times what 1 worker gives; but workers are not alike.");
}

// The next best has two workers as well; the one with four is slower than both.
TEST(DmlStudyAnswer, ComparesTheTwoBestVariants)
{
    RunSummary summary;
    summary.cases = {MakeCase(2, {}, {20, 22}), MakeCase(2, {}, {18, 23}), MakeCase(2, {}, {5, 5})};
    summary.cases[0].variant = {{"x", "1"}};
    summary.cases[1].variant = {{"x", "2"}};
    summary.cases[2].variant = {{"x", "3"}};
    const auto answer = AnswerStudy(summary);
    EXPECT_EQ(answer[0].rfind("Of 3 variants, x=1 is the fastest: with 2 workers, net trains", 0),
              0u)
        << answer[0];
    EXPECT_EQ(
        answer[1],
        "Against the next best, x=2, that is +3.1 %, in 2 pairs of replications -4.3 to +11.1 "
        "%, too few to be certain. Not to be distinguished from it: x=2; x=3 (geometric "
        "means; 95 % in all comparisons together (Bonferroni)).");
}

// The arithmetic mean of x=1 is the greatest, 15.5, but its geometric one is 12.2; the box names
// the variant with which it compares favourably. Of x=3 the answer is sure, of x=1 it is not.
TEST(DmlStudyAnswer, ChoosesAndComparesByOneMeasure)
{
    RunSummary summary;
    summary.cases = {MakeCase(2, {}, {6, 25, 6, 25}),
                     MakeCase(2, {}, {15, 15, 15, 15}),
                     MakeCase(2, {}, {5, 5.1, 5, 5})};
    summary.cases[0].variant = {{"x", "1"}};
    summary.cases[1].variant = {{"x", "2"}};
    summary.cases[2].variant = {{"x", "3"}};
    const auto answer = AnswerStudy(summary);
    EXPECT_EQ(answer[0].rfind("Of 3 variants, x=2 is the fastest", 0), 0u) << answer[0];
    EXPECT_EQ(answer[1].rfind("Against the next best, x=1, that is +22.5 %, not certainly (-", 0),
              0u)
        << answer[1];
    EXPECT_NE(answer[1].find("Not to be distinguished from it: x=1 ("), std::string::npos)
        << answer[1];
}

// Each pair alone is certain at 95 % (t = 3.18, t(0.975, 4) = 2.78); as one of the ten
// comparisons that choose the best of eleven it is not (t(0.9975, 4) = 5.60).
TEST(DmlStudyAnswer, CorrectsForTheChoice)
{
    RunSummary summary;
    const std::vector<double> best{101, 103, 102, 104, 101};
    for (int i = 0; i < 11; ++i)
    {
        summary.cases.push_back(
            MakeCase(2, {}, i == 0 ? best : std::vector<double>{100, 100, 101, 101, 100.5}));
        summary.cases.back().variant = {{"x", std::to_string(i)}};
    }
    EXPECT_NE(AnswerStudy(summary)[1].find("%, not certainly ("), std::string::npos)
        << AnswerStudy(summary)[1];
    summary.cases.resize(2);
    EXPECT_NE(AnswerStudy(summary)[1].find("%, certainly ("), std::string::npos)
        << AnswerStudy(summary)[1];
    EXPECT_NE(AnswerStudy(summary)[1].find("It is the fastest of all for certain"),
              std::string::npos);
}

TEST(DmlStudyAnswer, DoesNotMakeMuchOfOneRun)
{
    RunSummary summary;
    summary.cases = {MakeCase(1, {10}, {})};
    EXPECT_EQ(
        AnswerStudy(summary).front(),
        "With 1 worker, net trains at 10.00 samples/s (one replication, no interval, fair-share "
        "engine).");
    summary.cases = {MakeCase(1, {}, {})};
    EXPECT_EQ(AnswerStudy(summary),
              std::vector<std::string>({"No throughput is known: see the notes."}));
}

// RFC 4648: "<svg>a" is PHN2Zz5h, and what is a byte or two longer is padded.
TEST(DmlHtmlReport, HoldsItsPictures)
{
    const std::string folder = testing::TempDir();
    const std::string path = folder + "/throughput.svg";
    RunSummary summary;
    summary.cases = {MakeCase(1, {10}, {})};
    for (const auto& [svg, coded] : {std::pair{"<svg>a", "PHN2Zz5h"},
                                     std::pair{"<svg>ab", "PHN2Zz5hYg=="},
                                     std::pair{"<svg>abc", "PHN2Zz5hYmM="}})
    {
        std::ofstream(path) << svg;
        const std::string page = FormatHtmlReport(summary, folder);
        EXPECT_NE(page.find(std::string(";base64,") + coded + "\""), std::string::npos) << coded;
        EXPECT_EQ(CountParts(page, "<figure>"), 1u);
    }
    std::remove(path.c_str());
    EXPECT_EQ(CountParts(FormatHtmlReport(summary, folder), "<figure>"), 0u);
}

TEST(DmlHtmlReport, SaysWhatStepsWaitedFor)
{
    RunSummary summary;
    summary.cases = {MakeCase(1, {10}, {})};
    EXPECT_EQ(CountParts(FormatHtmlReport(summary, "/nowhere"), "What steps waited for"), 0u);
    const std::string page = FormatHtmlReport(summary, "/nowhere", "push: 40 %\n<b>");
    EXPECT_NE(page.find("What steps waited for"), std::string::npos);
    EXPECT_NE(page.find("push: 40 %\n&lt;b&gt;</pre>"), std::string::npos);
}

// Only what ran has a column, and links only with servers.
TEST(DmlHtmlReport, HasColumnsOfWhatThereIs)
{
    RunSummary summary;
    summary.cases = {MakeCase(1, {10}, {})};
    const std::string one = FormatHtmlReport(summary, "/nowhere");
    EXPECT_EQ(CountParts(one, "<th>packet"), 0u);
    EXPECT_EQ(CountParts(one, "<th>difference"), 0u);
    EXPECT_EQ(CountParts(one, "<th>link up"), 1u);
    summary.cases = {MakeCase(1, {10}, {9})};
    summary.cases[0].parameterServers = 0;
    const std::string both = FormatHtmlReport(summary, "/nowhere");
    EXPECT_EQ(CountParts(both, "<th>packet"), 1u);
    EXPECT_EQ(CountParts(both, "<th>difference"), 1u);
    EXPECT_EQ(CountParts(both, "<th>link up"), 0u);
}

// Two runs of 10 and 30 steps, 1 and 2 % slower links; 44 s where the model has 40.
TEST(DmlHtmlReport, SaysHowFarEachStepIsOff)
{
    RunSummary summary;
    summary.cases = {MakeCase(2, {10}, {9, 9}), MakeCase(4, {10}, {9}), MakeCase(8, {10}, {9})};
    EXPECT_EQ(CountParts(FormatHtmlReport(summary, "/nowhere"), "Step by step"), 0u);
    LinkBias bias;
    bias.steps = 10;
    bias.recorded = 22;
    bias.predicted = 20;
    bias.slower = 1;
    bias.overlap = 0.04;
    auto& runs = summary.cases[0].engines[EngineKind::PACKET].replications;
    runs[0].matched = bias;
    bias.steps = 30;
    bias.slower = 2;
    bias.overlap = 0;
    runs[1].matched = bias;
    bias.slower.reset();
    bias.reason = "<far off>";
    summary.cases[1].engines[EngineKind::PACKET].replications[0].matched = bias;
    bias = LinkBias();
    bias.reason = "<late>";
    summary.cases[2].engines[EngineKind::PACKET].replications[0].matched = bias;
    const std::string page = FormatHtmlReport(summary, "/nowhere");
    EXPECT_EQ(CountParts(page, "Step by step"), 1u);
    EXPECT_NE(page.find("<td>2</td><td>packet</td><td>+1.50 &plusmn; -</td><td>+10.00</td>"
                        "<td>40</td><td>1.0</td>"),
              std::string::npos);
    EXPECT_NE(page.find("<td>4</td><td>packet</td><td>-</td><td>+10.00</td><td>30</td>"
                        "<td>0.0</td></tr>\n<tr><td colspan=\"7\">&lt;far off&gt;</td>"),
              std::string::npos);
    EXPECT_NE(page.find("<td>8</td><td>packet</td><td colspan=\"4\">not known: &lt;late&gt;</td>"),
              std::string::npos);
}

TEST(DmlHtmlReport, NeedsNothingElseAndTrustsNoName)
{
    RunSummary summary;
    summary.name = "<script>alert(1)</script> & \x1b[2J";
    summary.notes = {"a \"note\" <b>"};
    summary.scenario["name"] = "</pre><i>";
    summary.cases = {MakeCase(1, {10, 11}, {9, 10})};
    summary.cases[0].model = "<img src=x>";
    const std::string page = FormatHtmlReport(summary, "/nowhere");
    EXPECT_EQ(CountParts(page, "<script>"), 1u); // our own
    EXPECT_EQ(CountParts(page, "alert(1)"), 2u); // title and head, as text
    EXPECT_EQ(page.find("<img"), std::string::npos);
    EXPECT_EQ(page.find("<i>"), std::string::npos);
    EXPECT_EQ(page.find('\x1b'), std::string::npos);
    EXPECT_EQ(page.find("http"), std::string::npos);
    EXPECT_NE(page.find("a &quot;note&quot; &lt;b&gt;"), std::string::npos);
}
