/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-scratch-folder.h"

#include "ns3/dml-error.h"
#include "ns3/dml-plot-summary.h"
#include "ns3/dml-sweep-summary.h"
#include "ns3/dml-throughput-csv.h"

#include <fstream>
#include <gtest/gtest.h>
#include <iterator>

using namespace ns3::dml;

namespace
{

using Values = std::vector<std::pair<std::string, std::string>>;

/// A configuration whose engines have a replication for each throughput; below 0: undefined.
CaseSummary
MakeCase(const Values& values,
         uint32_t workers,
         const std::vector<double>& fairShare,
         const std::vector<double>& packet = {})
{
    CaseSummary item;
    item.variant = values;
    item.model = "net";
    item.workers = workers;
    const auto add = [&item](EngineKind kind, const std::vector<double>& throughputs) {
        for (const double throughput : throughputs)
        {
            ReplicationSummary run;
            run.replication = item.engines[kind].replications.size();
            run.seed = 7;
            if (throughput >= 0)
            {
                run.throughput.samplesPerSecond = throughput;
            }
            run.throughput.meanStep = 0.5;
            run.throughput.steps = 3;
            item.engines[kind].replications.push_back(run);
        }
    };
    add(EngineKind::FAIR_SHARE, fairShare);
    add(EngineKind::PACKET, packet);
    return item;
}

/// How often a text has a part.
std::size_t
Count(const std::string& text, const std::string& part)
{
    std::size_t count = 0;
    for (auto at = text.find(part); at != std::string::npos; at = text.find(part, at + 1))
    {
        ++count;
    }
    return count;
}

} // namespace

TEST(DmlSweepSummary, OneConfigurationIsNone)
{
    RunSummary summary;
    summary.cases = {MakeCase({}, 1, {1}), MakeCase({}, 2, {2})};
    EXPECT_TRUE(SummarizeSweep(summary).variants.empty());
}

// The packet engine has throughputs of one case only; the table is its, and has a gap.
TEST(DmlSweepSummary, IsOfTheEngineNearestToReality)
{
    RunSummary summary;
    summary.cases = {MakeCase({{"x", "1"}}, 1, {10, 12}, {8, 10}),
                     MakeCase({{"x", "2"}}, 1, {20}, {-1})};
    const SweepSummary sweep = SummarizeSweep(summary);
    EXPECT_EQ(sweep.engine, EngineKind::PACKET);
    ASSERT_EQ(sweep.variants.size(), 2u);
    EXPECT_DOUBLE_EQ(*sweep.variants[0].throughputs.at(1).mean, 9);
    EXPECT_FALSE(sweep.variants[1].throughputs.at(1).mean);
}

// With four workers both variants are as fast, but for chance; with one they are not. Single runs
// tell nothing.
TEST(DmlSweepSummary, StarsAllThatMayBeTheFastestOfAColumn)
{
    RunSummary summary;
    summary.cases = {MakeCase({{"x", "1"}}, 1, {10, 10, 10, 10}),
                     MakeCase({{"x", "1"}}, 4, {30, 50, 30, 50}),
                     MakeCase({{"x", "2"}}, 1, {20, 20, 20, 20}),
                     MakeCase({{"x", "2"}}, 4, {30, 30, 30, 30})};
    const std::string text = FormatSweep(SummarizeSweep(summary));
    const std::string gap(62 - 3, ' ');
    EXPECT_NE(text.find("\nx=1" + gap + "   10.00    40.00*\n"), std::string::npos) << text;
    EXPECT_NE(text.find("\nx=2" + gap + "   20.00*   30.00*\n"), std::string::npos) << text;
    for (auto& item : summary.cases)
    {
        item.engines[EngineKind::FAIR_SHARE].replications.resize(1);
    }
    EXPECT_EQ(Count(FormatSweep(SummarizeSweep(summary)), "0*"), 4u);
}

// Six of nine columns; a name that has no room has lines of its own.
TEST(DmlSweepSummary, FitsATerminal)
{
    RunSummary summary;
    for (const char* value : {"a/rather/long/value/of/some/key", "short"})
    {
        for (uint32_t workers = 1; workers <= 9; ++workers)
        {
            summary.cases.push_back(MakeCase({{"network.rate", value}}, workers, {1.0 * workers}));
        }
    }
    const std::string text = FormatSweep(SummarizeSweep(summary));
    EXPECT_EQ(Count(text, "W="), 6u) << text;
    EXPECT_NE(text.find("W=1 "), std::string::npos) << text;
    EXPECT_NE(text.find("W=9\n"), std::string::npos) << text;
    EXPECT_NE(text.find("intervals and other W are"), std::string::npos) << text;
    for (std::size_t at = 0; at < text.size();)
    {
        const std::size_t end = text.find('\n', at);
        EXPECT_LE(end - at, 80u) << text.substr(at, end - at);
        at = end + 1;
    }
}

// The most is in the last of 120, which has no line.
TEST(DmlSweepSummary, ShowsTheFirstOfMany)
{
    RunSummary summary;
    for (int i = 0; i < 120; ++i)
    {
        summary.cases.push_back(
            MakeCase({{"x", std::to_string(i)}}, 1, std::vector<double>(4, 1.0 + i)));
    }
    const std::string text = FormatSweep(SummarizeSweep(summary));
    EXPECT_EQ(Count(text, "x="), 100u);
    EXPECT_EQ(Count(text, "*"), 1u) << "of the legend";
    EXPECT_NE(text.find("of all 120 variants, the"), std::string::npos) << text;
}

// The axis is of the key with three values; a curve for each W and value of the other key.
TEST(DmlPlotSweep, HasACurveForAllElse)
{
    RunSummary summary;
    for (const char* rate : {"1Gbps", "2Gbps", "5Gbps"})
    {
        for (const char* sync : {"bsp", "async"})
        {
            summary.cases.push_back(MakeCase({{"sync", sync}, {"rate", rate}}, 2, {1, 3}));
            summary.cases.push_back(MakeCase({{"sync", sync}, {"rate", rate}}, 4, {5}));
        }
    }
    const PlotScript plot = PlotSweep(SummarizeSweep(summary), "study");
    ASSERT_EQ(plot.blocks.size(), 4u);
    EXPECT_EQ(plot.blocks[0].title.rfind("W=4, sync=bsp: value of rate", 0), 0u)
        << plot.blocks[0].title;
    for (const auto& block : plot.blocks)
    {
        ASSERT_EQ(block.rows.size(), 3u);
        EXPECT_NEAR(block.rows[2][0] - block.rows[0][0], 2, 1e-12); // places 0, 1, 2
    }
    EXPECT_DOUBLE_EQ(plot.blocks[3].rows[0][1], 2);
    EXPECT_NE(plot.commands.find("set xlabel 'rate'"), std::string::npos) << plot.commands;
    // bars only where two replications give an interval
    EXPECT_EQ(Count(plot.commands, "with vectors"), 2u) << plot.commands;
}

TEST(DmlPlotSweep, LeavesOutWhatHasNoColor)
{
    RunSummary summary;
    for (uint32_t workers = 1; workers <= 12; ++workers)
    {
        summary.cases.push_back(MakeCase({{"x", "1"}}, workers, {1}));
        summary.cases.push_back(MakeCase({{"x", "2"}}, workers, {1}));
    }
    const PlotScript plot = PlotSweep(SummarizeSweep(summary), "study");
    EXPECT_EQ(plot.blocks.size(), 8u);
    EXPECT_EQ(plot.blocks[0].title.rfind("W=12:", 0), 0u) << plot.blocks[0].title;
    EXPECT_NE(plot.commands.find("8 of 12 curves"), std::string::npos) << plot.commands;
}

TEST(DmlThroughputCsv, HasALineForEachReplication)
{
    RunSummary summary;
    summary.cases = {MakeCase({{"x", "1"}, {"seed", "7"}}, 1, {10.5, -1}),
                     MakeCase({{"y", "{a: 1, b: 2}"}}, 2, {}, {7})};
    summary.cases[1].engines[EngineKind::PACKET].replications[0].drops = 4;
    const ScratchFolder folder;
    ResultFile::Replace(folder.GetPath("throughput.csv"),
                        [&](ResultFile& file) { WriteThroughputCsv(file, summary); });
    std::ifstream file(folder.GetPath("throughput.csv"));
    EXPECT_EQ(std::string(std::istreambuf_iterator<char>(file), {}),
              "model,batch_size,workers,parameter_servers,x,y,engine,replication,seed,throughput,"
              "mean_step,steps,t0,t1,drops,retransmissions,timeouts\n"
              "net,1,1,1,1,,fair-share,0,7,10.5,0.5,3,,,,,\n"
              "net,1,1,1,1,,fair-share,1,7,,0.5,3,,,,,\n"
              "net,1,2,1,,\"{a: 1, b: 2}\",packet,0,7,7,0.5,3,,,4,,\n");
}
