/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/dml-error.h"
#include "ns3/dml-plot-throughput.h"
#include "ns3/dml-plot-timeline.h"
#include "ns3/dml-plot-utilisation.h"
#include "ns3/dml-plot-writer.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <limits>

using namespace ns3::dml;

namespace
{

/// A folder of its own for each test, removed afterwards.
class DmlPlots : public testing::Test
{
  protected:
    void SetUp() override
    {
        // A quote and a space in the path: it ends up in a shell command.
        std::string pattern = testing::TempDir() + "dml plot's XXXXXX";
        ASSERT_NE(mkdtemp(pattern.data()), nullptr);
        m_folder = pattern;
    }

    void TearDown() override
    {
        std::filesystem::remove_all(m_folder);
    }

    /// @param name of a file in the folder; @return its content
    std::string Read(const std::string& name) const
    {
        std::ifstream file(m_folder + "/" + name, std::ios::binary);
        return {std::istreambuf_iterator<char>(file), {}};
    }

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

    std::string m_folder; //!< of the test's files
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
    item.fairShare = engine(fairShare);
    if (packet >= 0)
    {
        item.packet = engine(packet);
    }
    return item;
}

} // namespace

TEST(DmlPlotScript, TextCannotLeaveItsString)
{
    EXPECT_EQ(QuoteGnuplot("it's\n\"x\" `date`"), "'it''s \"x\" `date`'");
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
        collector.ChunkEnded(
            {worker, step, 7, false, ResourceKind::DEVICE, 0, 0, start, start + length / 2});
        collector.StepEnded({worker, step, 0, start, start + length});
    };
    for (uint32_t i = 0; i < 5; ++i)
    {
        step(0, i, 1); // ends at 1, 2, 3, 4, 5, each before the same step of worker 1
        step(1, i, 1.25);
    }
    EXPECT_DOUBLE_EQ(collector.GetStart(), 2);
    EXPECT_DOUBLE_EQ(collector.GetEnd(), 4);
    ASSERT_EQ(collector.GetChunks().size(), 2u);
    EXPECT_EQ(collector.GetChunks()[0].step, 2u);
    EXPECT_EQ(collector.GetChunks()[1].step, 3u);
    const auto steps = collector.GetStepRecords();
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
    collector.ChunkEnded({0, 0, 0, false, ResourceKind::DOWNLINK, 0, 9, 1, 2});
    collector.ChunkEnded({0, 0, 0, true, ResourceKind::PARSER, 0, 0, 2, 3});
    collector.ChunkEnded({0, 0, 1, false, ResourceKind::DEVICE, 0, 0, 3, 4});
    collector.StepEnded({0, 0, 0, 1, 4});
    const PlotScript plot =
        PlotTimeline("title", profile, {TimelineSeries::From("packet", 1, collector)});
    // Rows from the top: downlink, parser, device; times count from the start of the step.
    EXPECT_NE(plot.commands.find("('downlink PS 0' 0,'parser' 1,'gpu''s' 2)"), std::string::npos)
        << plot.commands;
    ASSERT_EQ(plot.blocks.size(), 5u); // three kinds of bars, even and odd steps
    EXPECT_DOUBLE_EQ(plot.blocks[1].rows[0][2], 1); // parse
    EXPECT_DOUBLE_EQ(plot.blocks[2].rows[0][3], 3); // forward
    Check(plot);
    // A run that was too short to show anything.
    Check(PlotTimeline("title",
                       profile,
                       {TimelineSeries::From("packet", 2, TimelineCollector(5))},
                       "empty"));
}

TEST_F(DmlPlots, AMistakeInAPlotIsAWarning)
{
    if (!PlotWriter::HaveGnuplot())
    {
        GTEST_SKIP() << "gnuplot is not installed";
    }
    PlotScript plot;
    plot.name = "bad";
    plot.commands = "plot nonsense(\n";
    const std::string warning = PlotWriter(m_folder).Write(plot);
    EXPECT_NE(warning.find("bad.svg"), std::string::npos) << warning;
    EXPECT_NE(warning.find("gnuplot says: "), std::string::npos) << warning;
    EXPECT_FALSE(std::filesystem::exists(m_folder + "/bad.log"));
    EXPECT_NE(warning.find("was not drawn"), std::string::npos) << warning;

    plot.commands = "plot x\nprint 'remark'\n";
    const std::string remark = PlotWriter(m_folder).Write(plot);
    EXPECT_NE(remark.find("may be incomplete"), std::string::npos) << remark;
}

TEST_F(DmlPlots, WithoutGnuplotTheScriptIsKept)
{
    const std::string path = std::getenv("PATH") ? std::getenv("PATH") : "";
    setenv("PATH", m_folder.c_str(), 1);
    RunSummary summary;
    summary.cases = {MakeCase(1, 8, 7)};
    const std::string warning = PlotWriter(m_folder).Write(PlotThroughput(summary));
    setenv("PATH", path.c_str(), 1);
    EXPECT_NE(warning.find("gnuplot-nox"), std::string::npos) << warning;
    EXPECT_FALSE(Read("throughput.gp").empty());
    EXPECT_FALSE(Read("throughput.dat").empty());
    EXPECT_FALSE(std::filesystem::exists(m_folder + "/throughput.svg"));
}

TEST_F(DmlPlots, AnUnwritableFolderIsAnInputError)
{
    PlotScript plot;
    plot.name = "x";
    EXPECT_THROW(PlotWriter(m_folder + "/missing").Write(plot), InputError);
}
