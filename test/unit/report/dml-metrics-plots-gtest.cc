/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-channel-words.h"
#include "dml-folder-fixture.h"

#include "ns3/dml-plot-run.h"
#include "ns3/dml-plot-summary.h"
#include "ns3/dml-plot-writer.h"

#include <cmath>
#include <filesystem>
#include <gtest/gtest.h>
#include <limits>

using namespace ns3::dml;

namespace
{

/// What draws without a complaint.
class DmlPlots : public FolderFixture
{
  protected:
    /// Draw twice: no complaint, a picture, and the same bytes. @param plot what to draw
    void Check(const PlotScript& plot) const
    {
        if (!PlotWriter::HaveGnuplot())
        {
            GTEST_SKIP() << "gnuplot is not installed";
        }
        const PlotWriter writer(m_folder);
        EXPECT_EQ(writer.Write(plot), "");
        const std::string first = Read(plot.name + ".svg");
        EXPECT_NE(first.find("</svg>"), std::string::npos);
        EXPECT_EQ(first.find("scale(0.00"), std::string::npos); // viewers refuse such a picture
        EXPECT_EQ(writer.Write(plot), "");
        EXPECT_EQ(Read(plot.name + ".svg"), first);
    }
};

/// @param workers W; @param fairShare samples/s; @param packet samples/s, or negative: not run
CaseSummary
MakeCase(uint32_t workers, double fairShare, double packet)
{
    const auto engine = [](double value) {
        EngineSummary summary;
        for (uint32_t i = 0; i < 2; ++i)
        {
            ReplicationSummary run;
            run.replication = i;
            run.throughput.samplesPerSecond = value * (i == 0 ? 0.99 : 1.01);
            summary.replications.push_back(run);
        }
        return summary;
    };
    CaseSummary item;
    item.workers = workers;
    item.engines[EngineKind::FAIR_SHARE] = engine(fairShare);
    if (packet >= 0)
    {
        item.engines[EngineKind::PACKET] = engine(packet);
    }
    return item;
}

} // namespace

TEST(DmlPlotScript, TextCannotLeaveItsString)
{
    EXPECT_EQ(QuoteGnuplot("it's\n\"x\" `date`"), "'it''s\\n\"x\" `date`'");
    EXPECT_EQ(QuoteGnuplot("\x1b[2J\xff"), "'\\x1b[2J\\xff'");
    EXPECT_EQ(QuoteGnuplotTic("100 %"), "'100 %%'");
    EXPECT_EQ(PlotNumber(0.1), "0.1");
    EXPECT_EQ(PlotNumber(std::numeric_limits<double>::infinity()), "NaN");
}

// The ideal line is W times the fair-share throughput of the smallest W, also in any order: 3 per
// 1 worker. The other variant's point is not drawn.
TEST_F(DmlPlots, Throughput)
{
    RunSummary summary;
    summary.name = "it's";
    summary.cases = {MakeCase(4, 8, 7), MakeCase(1, 3, 2.5), MakeCase(2, 5, -1)};
    summary.cases[1].model = "x_1 {y}";
    summary.cases[1].batch = 7;
    summary.cases[0].cynthia = 6;
    summary.cases.push_back(MakeCase(16, 1000, 1000));
    summary.cases.back().variant = {{"network.rate", "1Mbps"}};
    const PlotScript plot = PlotThroughput(summary);
    ASSERT_EQ(plot.blocks[2].rows.size(), 3u);
    EXPECT_DOUBLE_EQ(plot.blocks[0].rows[0][0], 1);
    EXPECT_DOUBLE_EQ(plot.blocks[0].rows[0][1], 3);
    EXPECT_DOUBLE_EQ(plot.blocks[2].rows[2][3], 12);
    EXPECT_DOUBLE_EQ(plot.blocks[2].rows[2][1], 6);
    EXPECT_TRUE(std::isnan(plot.blocks[1].rows[1][1]));
    EXPECT_NE(plot.commands.find("{y}, batch 7"), std::string::npos) << plot.commands;
    Check(plot);
}

// Values 1, 1, 9 and 9: mean 5, half-width t(0.975, 3) 4 / sqrt(3) = 7.35. Nothing trains at less
// than 0 samples/s, and the bar ends at twice the highest value, 10, where a mark says that it goes
// on; the axis ends above it. 4.9, 4.9, 5.1 and 5.1: half-width 0.1837; that stays whole.
TEST_F(DmlPlots, BarsOfThroughputStayInside)
{
    RunSummary summary;
    summary.cases = {MakeCase(1, 5, 5), MakeCase(2, 5, 5)};
    const auto set = [&summary](std::size_t item, double apart) {
        auto& runs = summary.cases[item].engines[EngineKind::FAIR_SHARE].replications;
        runs.resize(4, runs.front());
        for (std::size_t run = 0; run < runs.size(); ++run)
        {
            runs[run].replication = run;
            runs[run].throughput.samplesPerSecond = 5 + (run < 2 ? -apart : apart);
        }
    };
    set(0, 4);
    set(1, 0.1);
    const PlotScript plot = PlotThroughput(summary);
    const auto& cut = plot.blocks[0].rows[0]; // W, mean, half-width, from, to, cut at
    ASSERT_EQ(cut.size(), 6u);
    EXPECT_NEAR(cut[2], 7.3496, 1e-4);
    EXPECT_DOUBLE_EQ(cut[3], 0);
    EXPECT_DOUBLE_EQ(cut[4], 10);
    EXPECT_DOUBLE_EQ(cut[5], 10);
    const auto& whole = plot.blocks[0].rows[1];
    EXPECT_NEAR(whole[3], 5 - 0.1837, 1e-4);
    EXPECT_NEAR(whole[4], 5 + 0.1837, 1e-4);
    EXPECT_TRUE(std::isnan(whole[5]));
    EXPECT_NE(plot.commands.find("set yrange [0:10.5]"), std::string::npos) << plot.commands;
    EXPECT_NE(plot.commands.find("'bar goes on'"), std::string::npos) << plot.commands;
    Check(plot);
    summary.cases.erase(summary.cases.begin());
    EXPECT_EQ(PlotThroughput(summary).commands.find("goes on"), std::string::npos);
    // Of two replications the bar is what they were, and the half-width of an interval is unknown.
    summary.cases[0].engines[EngineKind::FAIR_SHARE].replications.resize(2);
    summary.cases[0].engines[EngineKind::FAIR_SHARE].replications[1].throughput.samplesPerSecond =
        6;
    const auto few = PlotThroughput(summary).blocks[0].rows[0];
    EXPECT_TRUE(std::isnan(few[2]));
    EXPECT_DOUBLE_EQ(few[3], 4.9);
    EXPECT_DOUBLE_EQ(few[4], 6);
}

// The axis has 0.6 * 900 = 540 pixels for 0 to 2 * 1.06: each engine is moved by 7 of them, which
// are 0.0274815, and caps are 0.8 * 14 pixels wide, in two halves of 0.006222 of 900. A single
// engine is not moved.
TEST_F(DmlPlots, BarsOfThroughputStandSideBySide)
{
    RunSummary summary;
    summary.cases = {MakeCase(1, 5, 5), MakeCase(2, 8, 8)};
    const std::string both = PlotThroughput(summary).commands;
    EXPECT_NE(both.find("using ($1-0.0274815):4:(0):($5-$4) with vectors"), std::string::npos)
        << both;
    EXPECT_NE(both.find("using ($1+0.0274815):4:(0):($5-$4) with vectors"), std::string::npos)
        << both;
    EXPECT_NE(both.find("size screen 0.006222,90 "), std::string::npos) << both;
    EXPECT_NE(both.find("'fair-share, 2 runs, min to max'"), std::string::npos) << both;
    for (auto& item : summary.cases)
    {
        item.engines.erase(EngineKind::PACKET);
        item.engines[EngineKind::FAIR_SHARE].replications.resize(1);
    }
    const PlotScript one = PlotThroughput(summary);
    EXPECT_EQ(one.commands.find("($1"), std::string::npos) << one.commands;
    EXPECT_NE(one.commands.find("'fair-share, 1 run'"), std::string::npos) << one.commands;
    Check(one);
}

// 31 numbers at 540 / 1.06 / 31 = 16.4 pixels: two digits and the space of one take 27, so each
// second one is shown, the last one among them; from 9 downwards one digit needs 18, at 16.4 no
// less.
TEST_F(DmlPlots, NumbersOfWorkersDoNotOverlap)
{
    RunSummary summary;
    for (uint32_t workers = 1; workers <= 31; ++workers)
    {
        summary.cases.push_back(MakeCase(workers, 5, 5));
    }
    const PlotScript plot = PlotThroughput(summary);
    EXPECT_NE(plot.commands.find(",27,'' 28 1,29,'' 30 1,31) nomirror"), std::string::npos)
        << plot.commands;
    EXPECT_NE(plot.commands.find("set xtics (1,'' 2 1,3,"), std::string::npos) << plot.commands;
    // a quarter of the distance
    EXPECT_NE(plot.commands.find("using ($1+0.25):4:"), std::string::npos) << plot.commands;
    Check(plot);
}

// 860 pixels are 90 letters of 17 pixels' height and 0.56 of it wide, or 153 of 10 pixels.
TEST(DmlPlotScript, TitlesFit)
{
    EXPECT_EQ(PlotTitle("it's", 900), "'it''s' font ',17'");
    EXPECT_EQ(PlotTitle("x", 900, " at 1,2"), "'x' at 1,2 font ',17'");
    EXPECT_EQ(PlotTitle(std::string(120, 'x'), 900), "'" + std::string(120, 'x') + "' font ',12'");
    EXPECT_EQ(PlotTitle(std::string(200, 'x'), 900),
              "'" + std::string(150, 'x') + "...' font ',10'");
    EXPECT_EQ(PlotTitle(std::string(149, 'x') + "\u00e4" + std::string(9, 'x'), 900),
              "'" + std::string(149, 'x') + "...' font ',10'");
}

// Whatever a name is, gnuplot writes it and does nothing else, and the picture is one.
TEST_F(DmlPlots, NamesAreText)
{
    RunSummary summary;
    summary.name =
        "it's \"%d\" `touch owned` $(touch owned) @X \\ {/:Bold x} x_1 <b> &#65; \x1b[2J\xff\n#";
    summary.cases = {MakeCase(1, 8, 7)};
    PlotScript plot = PlotThroughput(summary);
    plot.blocks[0].title = "rows\n1 2 3";
    plot.commands =
        "X = 'system'\nset xtics (" + QuoteGnuplotTic(summary.name) + " 1)\n" + plot.commands;
    Check(plot);
    EXPECT_FALSE(std::filesystem::exists(m_folder + "/owned"));
    const std::string text = "`touch owned` $(touch owned) @X \\ {/:Bold x} x_1 &lt;b> &amp;#65;";
    EXPECT_NE(Read(plot.name + ".svg").find(text), std::string::npos);
    EXPECT_EQ(Read(plot.name + ".svg").find('\x1b'), std::string::npos);
    EXPECT_NE(Read(plot.name + ".gp").find("\n# rows\\n1 2 3\n"), std::string::npos);
}

// gnuplot complains about lines without points: there must be none.
TEST_F(DmlPlots, ThroughputOfWhatWasRun)
{
    RunSummary summary;
    summary.cases = {MakeCase(64, 8, -1)};
    const PlotScript plot = PlotThroughput(summary);
    EXPECT_EQ(plot.commands.find("packet"), std::string::npos);
    EXPECT_EQ(plot.commands.find("Cynthia"), std::string::npos);
    Check(plot);
    Check(PlotThroughput(RunSummary(), "", "nothing"));
}

// 700 bins are merged four by four to 175; a uniform half stays a half (uplinks point down).
TEST_F(DmlPlots, Utilisation)
{
    UtilisationSeries run;
    run.engine = "packet";
    run.binWidth = 0.25;
    run.t0 = 10;
    run.t1 = 100;
    run.downlink = {std::vector<double>(700, 1)};
    run.uplink = {std::vector<double>(700, 0.5)};
    const PlotScript plot = PlotUtilisation("title", {run});
    ASSERT_EQ(plot.blocks.size(), 2u);
    EXPECT_EQ(plot.blocks[0].rows.size(), 176u); // and the end of the last bin
    EXPECT_DOUBLE_EQ(plot.blocks[0].rows[1][0], 1);
    EXPECT_DOUBLE_EQ(plot.blocks[0].rows.back()[0], 175);
    EXPECT_DOUBLE_EQ(plot.blocks[1].rows[7][1], -50);
    Check(plot);

    UtilisationSeries idle;
    idle.engine = "fair-share";
    idle.downlink = {{}, {}};
    idle.uplink = {{}, {}};
    idle.t1 = std::numeric_limits<double>::quiet_NaN();
    Check(PlotUtilisation("title", {run, idle}, "two"));
    Check(PlotUtilisation("title", {idle}, "idle"));
}

// Worker 0 runs steps of 1 s from 0; steps 2 and 3 are wanted: 2 s to 4 s. Worker 1 runs steps of
// 1.25 s: 1.25 to 2.5, 2.5 to 3.75 and 3.75 to 5 overlap; 0 to 1.25 and 5 to 6.25 do not.
TEST(DmlTimelineCollector, KeepsTheWindowOnly)
{
    TimelineCollector collector(2, 2);
    const auto step = [&collector](uint32_t worker, uint32_t step, double length) {
        const double start = step * length;
        collector.On(ChunkRecord{worker,
                                 step,
                                 7,
                                 false,
                                 MakeResource(ResourceLabel::DEVICE, 0, worker),
                                 0,
                                 start,
                                 start + length / 2});
        collector.On(StepRecord{worker, step, 0, start, start + length});
    };
    for (uint32_t i = 0; i < 5; ++i)
    {
        step(0, i, 1); // ends at 1, 2, 3, 4, 5, each before the same step of worker 1
        step(1, i, 1.25);
    }
    const TimelineSeries series = collector.GetSeries("packet", 2);
    EXPECT_DOUBLE_EQ(series.start, 2);
    EXPECT_DOUBLE_EQ(series.end, 4);
    ASSERT_EQ(series.chunks.size(), 2u);
    EXPECT_EQ(series.chunks[0].step, 2u);
    EXPECT_EQ(series.chunks[1].step, 3u);
    const auto& steps = series.steps;
    ASSERT_EQ(steps.size(), 5u);
    EXPECT_DOUBLE_EQ(steps[0].start, 1.25);
    EXPECT_DOUBLE_EQ(steps[1].start, 2);
    EXPECT_DOUBLE_EQ(steps[2].start, 2.5);
    EXPECT_DOUBLE_EQ(steps[3].start, 3);
    EXPECT_DOUBLE_EQ(steps[4].start, 3.75);
}

TEST_F(DmlPlots, Timeline)
{
    Profile profile;
    profile.devices = {{"gpu's", 1}};
    profile.tensors = {{"t", 1}};
    profile.graph.Add({"pull", OpKind::PULL, 0, 0});
    profile.graph.Add({"fwd", OpKind::FORWARD, 0, NO_INDEX});
    TimelineCollector collector(0, 1);
    collector.On(ChunkRecord{0, 0, 0, false, MakeResource(ResourceLabel::DOWNLINK, 0, 0), 9, 1, 2});
    collector.On(ChunkRecord{0, 0, 0, true, MakeResource(ResourceLabel::PARSER, 0, 0), 0, 2, 3});
    collector.On(ChunkRecord{0, 0, 1, false, MakeResource(ResourceLabel::DEVICE, 0, 0), 0, 3, 4});
    collector.On(StepRecord{0, 0, 0, 1, 4});
    collector.On(StepRecord{0, 1, 0, 3.5, 6}); // overlaps the one step that is shown
    const PlotScript plot = PlotTimeline("title", profile, {collector.GetSeries("packet", 1)});
    // Rows from the top: downlink, parser, device; times count from the start of the step.
    EXPECT_NE(plot.commands.find("('downlink PS 0' 0,'parser' 1,'gpu''s' 2)"), std::string::npos)
        << plot.commands;
    EXPECT_NE(plot.commands.find("'packet: worker 0, steps 0 to 0'"), std::string::npos);
    ASSERT_EQ(plot.blocks.size(), 5u);              // three kinds of bars, even and odd steps
    EXPECT_DOUBLE_EQ(plot.blocks[1].rows[0][2], 1); // parse
    EXPECT_DOUBLE_EQ(plot.blocks[2].rows[0][3], 3); // forward
    Check(plot);
    // A run that was too short to show anything.
    Check(PlotTimeline("title", profile, {TimelineCollector(5).GetSeries("packet", 2)}, "empty"));
}
