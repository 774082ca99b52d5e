/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-error-of.h"

#include "ns3/dml-error.h"
#include "ns3/dml-stream-group.h"
#include "ns3/dml-stream-model.h"
#include "ns3/dml-window-estimate.h"

#include <cmath>
#include <cstdint>
#include <ctime>
#include <gtest/gtest.h>
#include <limits>
#include <optional>
#include <string>
#include <vector>

using namespace ns3::dml;

namespace
{

using Rule = StreamWindowModel::Rule;

/// A record of a worker "w", times in ns.
RecordedTransfer
MakeRecord(const std::string& tensor, uint64_t bytes, int64_t start, int64_t end)
{
    RecordedTransfer transfer;
    transfer.tensor = tensor;
    transfer.bytes = bytes;
    transfer.sender = "ps";
    transfer.receiver = "w";
    transfer.start = start;
    transfer.end = end;
    return transfer;
}

/// Streams of some sizes that are requested together.
StreamGroup
MakeGroup(const std::vector<uint64_t>& sizes)
{
    StreamGroup group;
    for (const uint64_t bytes : sizes)
    {
        group.streams.push_back({0, bytes, 0, 0, 0});
    }
    return group;
}

/// One byte per second, WIN 3 bytes, parsing takes bytes / 2 + 1 seconds.
LinkModel
MakeLink(Rule rule = Rule::TWO_TURNS)
{
    LinkModel link;
    link.rate = 1;
    link.alpha = 0.5;
    link.beta = 1;
    link.window = 3;
    link.rule = rule;
    return link;
}

TEST(DmlStreamGroup, SortsByStepDirectionAndConnection)
{
    std::vector<RecordedTransfer> transfers{MakeRecord("a", 1, 50000, 90000),
                                            MakeRecord("b", 2, 40000, 70000),
                                            MakeRecord("c", 3, 10000, 20000),
                                            MakeRecord("d", 4, 10000, 20000)};
    transfers[2].step = 1;
    transfers[3].downlink = false;
    std::swap(transfers[3].sender, transfers[3].receiver);
    const auto groups = GroupStreams(transfers);
    ASSERT_EQ(groups.size(), 3u);
    ASSERT_EQ(groups[0].streams.size(), 2u);
    EXPECT_EQ(groups[0].origin, 40000);
    EXPECT_EQ(groups[0].streams[0].record, 1u);
    EXPECT_EQ(groups[0].streams[1].record, 0u);
    EXPECT_DOUBLE_EQ(groups[0].streams[1].request, 10e-6);
    EXPECT_DOUBLE_EQ(groups[0].streams[1].end, 50e-6);
    EXPECT_TRUE(std::isnan(groups[0].streams[0].lastByte));
    EXPECT_FALSE(groups[1].downlink);
    EXPECT_EQ(groups[2].step, 1u);
}

// Downlinks that follow each other are no requests: all are taken as requested when the first
// tensor was complete at the sender (6 us), or at the first start (10 us) if that is not known.
// Records that overlap, and uplinks, are taken at their word.
TEST(DmlStreamGroup, TellsStartsFromRequests)
{
    std::vector<RecordedTransfer> transfers{MakeRecord("a", 1, 10000, 20000),
                                            MakeRecord("b", 2, 21000, 30000)};
    auto groups = GroupStreams(transfers);
    EXPECT_TRUE(groups[0].together);
    EXPECT_EQ(groups[0].origin, 10000);
    EXPECT_EQ(groups[0].streams[1].request, 0);
    EXPECT_DOUBLE_EQ(groups[0].streams[1].end, 20e-6);

    transfers[1].ready = 6000;
    groups = GroupStreams(transfers);
    EXPECT_EQ(groups[0].origin, 6000);
    EXPECT_EQ(groups[0].streams[0].request, 0);
    EXPECT_DOUBLE_EQ(groups[0].streams[1].end, 24e-6);

    // 21 us before the first start, and the group is 20 us long: another clock
    transfers[1].ready = -11000;
    EXPECT_EQ(GroupStreams(transfers)[0].origin, 10000);

    transfers[1].start = 17000; // 3 us before the end of a
    EXPECT_FALSE(GroupStreams(transfers)[0].together);
    EXPECT_DOUBLE_EQ(GroupStreams(transfers)[0].streams[1].request, 7e-6);
    transfers[1].start = 18500; // a rounding error
    EXPECT_TRUE(GroupStreams(transfers)[0].together);
    transfers[0].downlink = transfers[1].downlink = false;
    EXPECT_FALSE(GroupStreams(transfers)[0].together);
}

TEST(DmlStreamGroup, RefusesAnEndBeforeTheStart)
{
    EXPECT_EQ(ErrorOf([] { GroupStreams({MakeRecord("conv", 1, 5, 4)}); }),
              "transfer of tensor 'conv' in step 0: found end 4 ns before start 5 ns; accepted: an "
              "end not before it");
}

TEST(DmlStreamGroup, SurvivesTheLargestTimes)
{
    constexpr int64_t LAST = std::numeric_limits<int64_t>::max();
    const auto groups = GroupStreams({MakeRecord("a", 1, -LAST, LAST)});
    EXPECT_NEAR(groups[0].streams[0].end, 1.8446744e10, 1e3);
}

// A: 0-2. B: first turn 2-5, C: first turn 5-8, then the rests of B 8-10 and C 10-11.
// Parsing, one after another: A 2-4, B 10-13.5, C 13.5-16.5. The device is busy until 12 before B,
// and until 20 before C, so there B is parsed 12-15.5 and C 20-23, on a parser of its own as
// before. A last byte that is 3 late makes that of A 5 and its end 7.
TEST(DmlStreamModel, PredictsTwoTurnsAndParsing)
{
    StreamGroup group = MakeGroup({2, 5, 4});
    auto times = PredictStreams(group, MakeLink());
    EXPECT_DOUBLE_EQ(times[0].last, 2);
    EXPECT_DOUBLE_EQ(times[0].end, 4);
    EXPECT_DOUBLE_EQ(times[1].first, 2);
    EXPECT_DOUBLE_EQ(times[1].last, 10);
    EXPECT_DOUBLE_EQ(times[1].end, 13.5);
    EXPECT_DOUBLE_EQ(times[2].first, 5);
    EXPECT_DOUBLE_EQ(times[2].last, 11);
    EXPECT_DOUBLE_EQ(times[2].end, 16.5);
    group.streams[1].deviceFree = 12;
    group.streams[2].deviceFree = 20;
    times = PredictStreams(group, MakeLink());
    EXPECT_DOUBLE_EQ(times[1].end, 15.5);
    EXPECT_DOUBLE_EQ(times[2].end, 23);
    LinkModel link = MakeLink();
    link.parallel = true;
    group.streams[0].late = 3;
    times = PredictStreams(group, link);
    EXPECT_DOUBLE_EQ(times[0].last, 5);
    EXPECT_DOUBLE_EQ(times[0].end, 7);
    EXPECT_DOUBLE_EQ(times[1].end, 13.5);
    EXPECT_DOUBLE_EQ(times[2].end, 16.5);
}

// A of 8 and B of 4 bytes. Two turns: A 0-3, B 3-6, A 6-11, B 11-12.
// Every window: A 0-3, B 3-6, A 6-9, B 9-10, A 10-12. Unlimited: A 0-8, B 8-12.
TEST(DmlStreamModel, KnowsAllRules)
{
    const StreamGroup group = MakeGroup({8, 4});
    EXPECT_DOUBLE_EQ(PredictStreams(group, MakeLink())[0].last, 11);
    EXPECT_DOUBLE_EQ(PredictStreams(group, MakeLink())[1].last, 12);
    EXPECT_DOUBLE_EQ(PredictStreams(group, MakeLink(Rule::EVERY_WINDOW))[0].last, 12);
    EXPECT_DOUBLE_EQ(PredictStreams(group, MakeLink(Rule::EVERY_WINDOW))[1].last, 10);
    EXPECT_DOUBLE_EQ(PredictStreams(group, MakeLink(Rule::UNLIMITED))[0].last, 8);
}

// A of 5 bytes 0-3; B of 1 byte is requested at 3, as A's turn ends, and goes 3-4; A's rest 4-6.
// C of 2 bytes is requested on an idle link: 20-22.
TEST(DmlStreamModel, ServesLateRequests)
{
    StreamGroup group = MakeGroup({5, 1, 2});
    group.streams[1].request = 3;
    group.streams[2].request = 20;
    const auto times = PredictStreams(group, MakeLink());
    EXPECT_DOUBLE_EQ(times[0].last, 6);
    EXPECT_DOUBLE_EQ(times[1].last, 4);
    EXPECT_DOUBLE_EQ(times[2].first, 20);
    EXPECT_DOUBLE_EQ(times[2].end, 24);

    // Half a second from request to first byte: all of it is that much later.
    LinkModel link = MakeLink();
    link.latency = 0.5;
    EXPECT_DOUBLE_EQ(PredictStreams(group, link)[0].first, 0.5);
    EXPECT_DOUBLE_EQ(PredictStreams(group, link)[1].last, 4.5);
    EXPECT_DOUBLE_EQ(PredictStreams(group, link)[2].end, 24.5);
}

TEST(DmlStreamModel, ServesStreamsWithoutBytes)
{
    const auto times = PredictStreams(MakeGroup({0, 0}), MakeLink());
    EXPECT_DOUBLE_EQ(times[0].last, 0);
    EXPECT_DOUBLE_EQ(times[1].end, 2);
    EXPECT_TRUE(PredictStreams(MakeGroup({}), MakeLink()).empty());
}

TEST(DmlStreamModel, RefusesWrongNumbers)
{
    const auto error = [](double LinkModel::*number, double value) {
        LinkModel link = MakeLink();
        link.*number = value;
        return ErrorOf([&] { PredictStreams(MakeGroup({1}), link); });
    };
    EXPECT_EQ(error(&LinkModel::rate, 0), "rate: found 0.000000; accepted: a number above 0");
    EXPECT_EQ(error(&LinkModel::alpha, -1),
              "alpha: found -1.000000; accepted: a number of at least 0");
    EXPECT_EQ(error(&LinkModel::beta, NAN), "beta: found nan; accepted: a number of at least 0");
    LinkModel link = MakeLink(Rule::EVERY_WINDOW);
    link.window = 1;
    EXPECT_EQ(ErrorOf([&] { PredictStreams(MakeGroup({20000000}), link); }),
              "window: found 1 bytes; accepted: at least 1, and at most 10^7 turns in a step");
    link.window = 0;
    EXPECT_NE(ErrorOf([&] { PredictStreams(MakeGroup({1}), link); }), "no error");
}

TEST(DmlEndTimeError, InterpolatesQuantiles)
{
    EXPECT_DOUBLE_EQ(GetQuantile({4, 1, 3, 2}, 0.5), 2.5);
    EXPECT_DOUBLE_EQ(GetQuantile({5, 1, 2, 4, 3}, 0.95), 4.8);
    EXPECT_DOUBLE_EQ(GetQuantile({7}, 0.95), 7);
    EXPECT_TRUE(std::isnan(GetQuantile({}, 0.5)));
}

// Predicted ends 4, 13.5 and 16.5 against recorded 5, 10 and 15: errors 0.2, 0.35 and 0.1.
TEST(DmlEndTimeError, DividesByRecordedEnds)
{
    StreamGroup group = MakeGroup({2, 5, 4});
    group.streams[0].end = 5;
    group.streams[1].end = 10;
    group.streams[2].end = 15;
    StreamGroup uplink = group;
    uplink.downlink = false;
    const EndTimeError error = ComputeEndTimeError({group, uplink}, MakeLink());
    EXPECT_EQ(error.streams, 3u);
    EXPECT_NEAR(error.average, 0.65 / 3, 1e-12);
    EXPECT_NEAR(error.median, 0.2, 1e-12);
    EXPECT_NEAR(error.percentile95, 0.335, 1e-12);
    EXPECT_NEAR(error.maximum, 0.35, 1e-12);
    EXPECT_TRUE(std::isnan(ComputeEndTimeError({uplink}, MakeLink()).average));
}

// Sizes 9, 2, 6, 4, 1 with WIN 5: the first and the third are interrupted, so they end last.
TEST(DmlWindowEstimate, FindsTheInterval)
{
    StreamGroup group = MakeGroup({9, 2, 6, 4, 1});
    LinkModel link = MakeLink();
    link.window = 5;
    const auto times = PredictStreams(group, link);
    for (std::size_t i = 0; i < times.size(); ++i)
    {
        group.streams[i].end = times[i].end;
    }
    const WindowEstimate estimate = EstimateWindow({group}, link);
    EXPECT_EQ(estimate.lower, 4u);
    ASSERT_TRUE(estimate.upper);
    EXPECT_EQ(*estimate.upper, 6u);
    EXPECT_EQ(estimate.GetWindow(), 5u);
    EXPECT_EQ(estimate.overtakings, 5u); // 2, 4, 1 before 9; 4, 1 before 6
    EXPECT_EQ(estimate.unexplained, 0u);
    EXPECT_EQ(
        estimate.GetText(),
        "window: 4 to 5 bytes predict the order of ends best (5 pairs of streams ended in the "
        "other order than requested, 0 in the other order than predicted)");
}

// 8000 sizes, 7 to 56000 in steps of 7, shuffled: trying each of them would take ten seconds.
TEST(DmlWindowEstimate, FindsTheIntervalAmongManySizes)
{
    std::vector<uint64_t> sizes;
    for (uint64_t i = 0; i < 8000; ++i)
    {
        sizes.push_back(7 * (i * 1237 % 8000 + 1)); // 1237 and 8000 have no common factor
    }
    StreamGroup group = MakeGroup(sizes);
    LinkModel link = MakeLink();
    link.window = 12345;
    const auto times = PredictStreams(group, link);
    for (std::size_t i = 0; i < times.size(); ++i)
    {
        group.streams[i].end = times[i].end;
    }
    const WindowEstimate estimate = EstimateWindow({group}, link);
    EXPECT_EQ(estimate.lower, 7u * 1763); // 12341
    EXPECT_EQ(estimate.upper, std::optional<uint64_t>(7 * 1764));
    EXPECT_EQ(estimate.unexplained, 0u);
}

// Every window of 3: 8 takes three turns, 5 two, 3 one. With 3 <= WIN < 4: 8, 5, 3, 8, 5, 8.
TEST(DmlWindowEstimate, KnowsEveryWindow)
{
    StreamGroup group = MakeGroup({8, 5, 3});
    LinkModel link = MakeLink(Rule::EVERY_WINDOW);
    const auto times = PredictStreams(group, link);
    for (std::size_t i = 0; i < times.size(); ++i)
    {
        group.streams[i].end = times[i].end;
    }
    const WindowEstimate estimate = EstimateWindow({group}, link);
    EXPECT_LE(estimate.lower, 3u);
    ASSERT_TRUE(estimate.upper);
    EXPECT_GT(*estimate.upper, 3u);
    EXPECT_EQ(estimate.unexplained, 0u);
}

// Whole streams in order: others waited behind all but the last one.
TEST(DmlWindowEstimate, SaysThatThereIsNoEvidence)
{
    StreamGroup group = MakeGroup({2, 6, 4, 9});
    for (std::size_t i = 0; i < group.streams.size(); ++i)
    {
        group.streams[i].end = static_cast<double>(i + 1);
    }
    const WindowEstimate estimate = EstimateWindow({group}, MakeLink());
    EXPECT_EQ(estimate.lower, 6u);
    EXPECT_FALSE(estimate.upper);
    EXPECT_EQ(estimate.GetWindow(), LinkModel::NO_WINDOW);
    EXPECT_NE(estimate.GetText().find("no evidence"), std::string::npos);
    EXPECT_FALSE(EstimateWindow({}, MakeLink()).upper);
}

} // namespace
