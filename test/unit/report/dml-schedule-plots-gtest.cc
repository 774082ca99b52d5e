/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-channel-words.h"
#include "dml-draw-plot.h"
#include "dml-scratch-folder.h"

#include "ns3/dml-plot-connections.h"
#include "ns3/dml-plot-run.h"
#include "ns3/dml-plot-summary.h"
#include "ns3/dml-plot-writer.h"

#include <cmath>
#include <gtest/gtest.h>

using namespace ns3::dml;

namespace
{

/// @return push of tensor @p tensor by worker 0
TransferRecord
Push(uint32_t step, uint32_t tensor, double ready, double firstByte, double lastByte)
{
    return {MakeChannel(Direction::UPLINK, 0, 0), step, 0, tensor, ready, firstByte, lastByte};
}

/// @return a case with one fair-share run of steps of these lengths
CaseSummary
MakeScheduleCase(const std::string& policy, uint32_t workers, const std::vector<double>& steps)
{
    CaseSummary item;
    if (!policy.empty())
    {
        item.variant = {{"transfer.policy", policy}};
    }
    item.workers = workers;
    item.engines[EngineKind::FAIR_SHARE] = {};
    item.engines[EngineKind::FAIR_SHARE].replications.resize(1);
    for (const double step : steps)
    {
        item.engines[EngineKind::FAIR_SHARE].replications[0].schedule->step.Add(step);
    }
    return item;
}

} // namespace

// Step 3 from 10 s on: tensor 5 is gradient 0, tensor 7 is gradient 1, although it came first.
TEST(DmlPlotGradients, OneStepInTheOrderOfTensors)
{
    GradientCollector collector("packet", 3);
    collector.On(Push(2, 5, 1, 2, 3)); // the step before
    collector.On(Push(3, 7, 11, 11, 12));
    collector.On(
        TransferRecord{MakeChannel(Direction::UPLINK, 0, 1), 3, 0, 5, 1, 2, 3}); // another worker
    collector.On(
        TransferRecord{MakeChannel(Direction::DOWNLINK, 0, 0), 3, 0, 5, 10, 10, 11}); // a parameter
    collector.On(Push(3, 5, 12, 12.5, 13));
    collector.On(StepRecord{1, 3, 0, 8, 14});
    collector.On(StepRecord{0, 3, 0, 10, 14});
    const PlotScript plot = PlotGradients("it's", {collector.GetSeries()});
    ASSERT_EQ(plot.blocks.size(), 1u);
    EXPECT_EQ(plot.blocks[0].rows,
              (std::vector<std::vector<double>>{{0, 2, 2.5, 3}, {1, 1, 1, 2}}));
    Draw(plot);
    Draw(PlotGradients("no step", {GradientCollector("packet", 0).GetSeries()}, "empty"));
}

// Step 1 of worker 0 is from 4 s to 4.25 s. Device 0 has two slots: one op in all of the time is a
// half. What ran before 4 s does not count, nor what other steps or workers do.
TEST(DmlPlotDevices, CountsFromTheEndOfTheWarmUp)
{
    Profile profile;
    profile.devices = {{"cpu", 2}, {"gpu", 1}};
    DeviceCollector collector("packet", profile, 1, 1);
    collector.On(ChunkRecord{0, 0, 0, false, MakeResource(ResourceLabel::DEVICE, 0, 0), 0, 0, 4});
    collector.On(StepRecord{0, 0, 0, 0, 4});
    collector.On(
        ChunkRecord{0, 1, 0, false, MakeResource(ResourceLabel::DEVICE, 0, 0), 0, 3, 4.25});
    collector.On(
        ChunkRecord{1, 1, 0, false, MakeResource(ResourceLabel::DEVICE, 0, 1), 0, 4, 4.25});
    collector.On(
        ChunkRecord{0, 1, 0, false, MakeResource(ResourceLabel::SERVER, 0, 0), 0, 4, 4.25});
    collector.On(
        ChunkRecord{0, 1, 0, false, MakeResource(ResourceLabel::DEVICE, 1, 0), 0, 4.125, 4.25});
    collector.On(StepRecord{0, 1, 0, 4, 4.25});
    collector.On(
        ChunkRecord{0, 2, 0, false, MakeResource(ResourceLabel::DEVICE, 1, 0), 0, 4.25, 5});
    const DeviceSeries series = collector.GetSeries();
    EXPECT_DOUBLE_EQ(series.start, 4);
    EXPECT_EQ(series.stepEnds, (std::vector<double>{4.25}));
    ASSERT_EQ(series.utilisation.size(), 2u);
    ASSERT_EQ(series.utilisation[0].size(), 256u); // 0.25 s in bins of 1/1024 s
    EXPECT_DOUBLE_EQ(series.utilisation[0][0], 0.5);
    EXPECT_DOUBLE_EQ(series.utilisation[0][255], 0.5);
    EXPECT_DOUBLE_EQ(series.utilisation[1][127], 0);
    EXPECT_DOUBLE_EQ(series.utilisation[1][128], 1);
    Draw(PlotDevices("it's", {series}));
    Draw(PlotDevices("idle", {DeviceCollector("packet", profile, 5).GetSeries()}, "idle"));
}

// Two of three connections take the first link, one the third, and none the second.
TEST(DmlPlotConnections, TellsLinksOnWhichMoreMeetThanWithEvenUse)
{
    const std::vector<MultipathLink> links{{4, "leaf0->it's", {2, 1}},
                                           {6, "leaf0->spine1", {0, 1}},
                                           {8, "leaf0->spine2", {1, 1}}};
    const PlotScript plot = PlotConnections("by a hash", links);
    ASSERT_EQ(plot.blocks.size(), 1u);
    EXPECT_EQ(plot.blocks[0].rows,
              (std::vector<std::vector<double>>{{0, 2, 1, 1}, {1, 0, 1, 0}, {2, 1, 1, 0}}));
    EXPECT_NE(plot.commands.find("'leaf0->spine2' 2"), std::string::npos) << plot.commands;
    Draw(plot);
}

// Of a hundred links, 64 are shown: those with most connections for what they would have.
TEST(DmlPlotConnections, ShowsTheWorstOfManyLinks)
{
    std::vector<MultipathLink> links;
    for (uint32_t i = 0; i < 100; ++i)
    {
        links.push_back({2 * i, "link" + std::to_string(i), {i, 50}});
    }
    const PlotScript plot = PlotConnections("many", links);
    ASSERT_EQ(plot.blocks[0].rows.size(), 64u);
    EXPECT_EQ(plot.blocks[0].rows.front(), (std::vector<double>{0, 36, 50, 0}));
    EXPECT_EQ(plot.blocks[0].rows.back(), (std::vector<double>{63, 99, 50, 1}));
    EXPECT_NE(plot.commands.find("64 of 100 links"), std::string::npos);
    Draw(plot);
}

// Of the largest W = 4, the shortest step is 2 s, of policy a. Policy a: 2 s and 4 s, which is 0.5
// of it; b: 2.5 s, 0.8 of it. The curve of a is 0 up to 0.5, then a half up to 1.
TEST(DmlPlotStepCdf, VariantsShareTheirShortestStep)
{
    RunSummary summary;
    summary.cases = {MakeScheduleCase("a", 1, {1}),
                     MakeScheduleCase("a", 4, {4, 2}),
                     MakeScheduleCase("b", 4, {2.5}),
                     MakeScheduleCase("c", 4, {})};
    const PlotScript plot = PlotStepCdf(summary);
    ASSERT_EQ(plot.blocks.size(), 2u);
    const auto& a = plot.blocks[0].rows;
    ASSERT_EQ(a.size(), 4u);
    EXPECT_NEAR(a[0][0], 0.5, 0.003);
    EXPECT_DOUBLE_EQ(a[0][1], 0);
    EXPECT_DOUBLE_EQ(a[1][1], 0.5);
    EXPECT_NEAR(a[2][0], 1, 0.005);
    EXPECT_DOUBLE_EQ(a[2][1], 1);
    EXPECT_NEAR(plot.blocks[1].rows[0][0], 0.8, 0.004);
    EXPECT_NE(plot.commands.find("transfer.policy=b"), std::string::npos);
    Draw(plot);
}

// Without variants each W has a curve, and a shortest step of its own; more than eight are too
// many: of 9, numbers 0, 8/7, 16/7, .., 48/7 and 8, rounded down, are shown.
TEST(DmlPlotStepCdf, NumbersOfWorkersOfOneVariant)
{
    RunSummary summary;
    for (uint32_t workers = 1; workers <= 9; ++workers)
    {
        summary.cases.push_back(MakeScheduleCase("", workers, {1.0 * workers}));
    }
    const PlotScript plot = PlotStepCdf(summary);
    ASSERT_EQ(plot.blocks.size(), 8u);
    EXPECT_DOUBLE_EQ(plot.blocks[7].rows[0][0], 1);
    EXPECT_NE(plot.commands.find("'W=7'"), std::string::npos);
    EXPECT_EQ(plot.commands.find("'W=8'"), std::string::npos);
    EXPECT_NE(plot.commands.find("'W=9'"), std::string::npos);
    EXPECT_NE(plot.commands.find(", 8 of 9 curves"), std::string::npos);
    Draw(plot);
    Draw(PlotStepCdf(RunSummary(), "nothing"));
}
