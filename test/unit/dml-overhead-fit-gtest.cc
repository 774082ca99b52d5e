/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-error-of.h"

#include "../support/dml-recorded-samples.h"

#include "ns3/dml-error.h"
#include "ns3/dml-overhead-fit.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <gtest/gtest.h>
#include <string>
#include <tuple>
#include <vector>

using namespace ns3::dml;

namespace
{

/// Sizes of AlexNet's tensors in bytes, the two largest cut to a tenth.
const std::vector<uint64_t> SIZES{92928,
                                  256,
                                  1228800,
                                  768,
                                  2654208,
                                  1536,
                                  3538944,
                                  1024,
                                  2359296,
                                  1024,
                                  16384,
                                  15099494,
                                  16384,
                                  6710886,
                                  4000,
                                  16384000};

/// What made synthetic records.
struct Truth
{
    LinkModel link;     //!< the network and the receiver
    uint32_t steps{1};  //!< number of steps
    double noise{0};    //!< standard deviation of ends, seconds
    bool wire{false};   //!< whether last bytes are known
    bool rotate{false}; //!< whether the order of tensors differs from step to step
};

/// Records of pulls that are all requested at the start of each step.
std::vector<RecordedTransfer>
MakeRecords(const Truth& truth)
{
    PortableRandom random(7);
    std::vector<RecordedTransfer> transfers;
    for (uint32_t step = 0; step < truth.steps; ++step)
    {
        const int64_t origin = 1000000000 + 3000000000LL * step;
        StreamGroup group;
        for (std::size_t i = 0; i < SIZES.size(); ++i)
        {
            const std::size_t place = (i + (truth.rotate ? 5 * step : 0)) % SIZES.size();
            group.streams.push_back({place, SIZES[place], 0, 0, 0});
        }
        const auto times = PredictStreams(group, truth.link);
        for (std::size_t i = 0; i < times.size(); ++i)
        {
            RecordedTransfer transfer;
            transfer.tensor = "t" + std::to_string(group.streams[i].record);
            transfer.bytes = group.streams[i].bytes;
            transfer.step = step;
            transfer.sender = "ps";
            transfer.receiver = "w";
            transfer.start = origin;
            transfer.end =
                origin + std::llround(1e9 * (times[i].end + truth.noise * random.Normal()));
            transfer.end = std::max(transfer.end, origin);
            if (truth.wire)
            {
                transfer.lastByte = origin + std::llround(1e9 * times[i].last);
            }
            transfers.push_back(transfer);
        }
    }
    return transfers;
}

/// 1 Gbit/s of tensors less headers; parsing costs an eighth of the time on the wire.
Truth
MakeTruth()
{
    Truth truth;
    truth.link.rate = 119.5e6;
    truth.link.alpha = 1e-9;
    truth.link.beta = 50e-6;
    truth.link.latency = 700e-6;
    return truth;
}

TEST(DmlOverheadFit, FindsWhatMadeExactRecords)
{
    Truth truth = MakeTruth();
    truth.steps = 3;
    const OverheadFit fit = FitOverhead(MakeRecords(truth));
    EXPECT_NEAR(fit.link.rate, truth.link.rate, 1e-4 * truth.link.rate);
    EXPECT_NEAR(fit.link.alpha, truth.link.alpha, 1e-3 * truth.link.alpha);
    EXPECT_NEAR(fit.link.beta, truth.link.beta, 1e-3 * truth.link.beta);
    EXPECT_NEAR(fit.link.latency, truth.link.latency, 1e-3 * truth.link.latency);
    EXPECT_TRUE(fit.alphaNeeded);
    EXPECT_EQ(fit.used, 3 * SIZES.size());
    EXPECT_EQ(fit.link.window, LinkModel::NO_WINDOW);
    EXPECT_LT(fit.error.maximum, 1e-4);
}

// Noise of 20 us, five steps. Standard errors must be honest: the truth lies within four of them.
TEST(DmlOverheadFit, FindsWhatMadeNoisyRecords)
{
    Truth truth = MakeTruth();
    truth.steps = 5;
    truth.noise = 20e-6;
    const OverheadFit fit = FitOverhead(MakeRecords(truth));
    EXPECT_NEAR(fit.link.rate, truth.link.rate, 0.005 * truth.link.rate);
    EXPECT_NEAR(fit.link.alpha, truth.link.alpha, 0.05 * truth.link.alpha);
    EXPECT_NEAR(fit.link.beta, truth.link.beta, 10e-6);
    EXPECT_LT(std::abs(fit.link.alpha - truth.link.alpha), 4 * fit.alpha.error);
    EXPECT_LT(std::abs(fit.link.beta - truth.link.beta), 4 * fit.beta.error);
    EXPECT_LT(fit.alpha.error, 0.05 * truth.link.alpha);
    EXPECT_GT(fit.medianResidual, 1e-6);
    EXPECT_LT(fit.medianResidual, 60e-6);
}

// WIN of 6 MB interrupts the tensors of 15.1, 6.7 and 16.4 MB; the order differs between steps.
TEST(DmlOverheadFit, FindsTheWindow)
{
    Truth truth = MakeTruth();
    truth.link.window = 6000000;
    truth.steps = 5;
    truth.noise = 10e-6;
    truth.rotate = true;
    const OverheadFit fit = FitOverhead(MakeRecords(truth));
    ASSERT_TRUE(fit.window && fit.window->upper);
    EXPECT_EQ(fit.window->lower, 3538944u);
    EXPECT_EQ(*fit.window->upper, 6710886u);
    EXPECT_NEAR(static_cast<double>(fit.link.window), 6e6, 0.4e6);
    EXPECT_NEAR(fit.link.rate, truth.link.rate, 0.02 * truth.link.rate);
    EXPECT_NEAR(fit.link.alpha, truth.link.alpha, 0.2 * truth.link.alpha);
    EXPECT_LT(fit.error.median, 0.02);
}

// Exact records tell the rate and WIN of 6 MB exactly, though the order of ends leaves 3.5 to 6.7
// MB.
TEST(DmlOverheadFit, FindsTheWindowOfExactRecords)
{
    Truth truth = MakeTruth();
    truth.link.window = 6000000;
    truth.steps = 3;
    for (const bool wire : {true, false})
    {
        truth.wire = wire;
        const OverheadFit fit = FitOverhead(MakeRecords(truth));
        EXPECT_NEAR(fit.link.rate, truth.link.rate, 1e-4 * truth.link.rate) << wire;
        EXPECT_NEAR(static_cast<double>(fit.link.window), 6e6, 6e4) << wire;
        EXPECT_NEAR(fit.windowBytes.value, static_cast<double>(fit.link.window), 1) << wire;
        EXPECT_NEAR(fit.link.alpha, truth.link.alpha, 1e-3 * truth.link.alpha) << wire;
        EXPECT_LT(fit.error.maximum, 1e-4) << wire;
    }
}

// 200 steps of 16 streams; 125 steps have 2000 streams.
TEST(DmlOverheadFit, FitsToASampleOfManySteps)
{
    Truth truth = MakeTruth();
    truth.steps = 200;
    const OverheadFit fit = FitOverhead(MakeRecords(truth));
    EXPECT_EQ(fit.groups.size(), 200u);
    EXPECT_EQ(fit.fitted, 125u);
    EXPECT_EQ(fit.used, 2000u);
    EXPECT_EQ(fit.error.streams, 3200u);
    EXPECT_NEAR(fit.link.rate, truth.link.rate, 1e-4 * truth.link.rate);
    EXPECT_NEAR(fit.link.alpha, truth.link.alpha, 1e-3 * truth.link.alpha);
    const auto isRule = [](const std::string& rule) {
        return rule.find("rate, window: fitted to 125 of 200 groups") == 0;
    };
    EXPECT_EQ(std::count_if(fit.rules.begin(), fit.rules.end(), isRule), 1);
}

// The streams tell WIN and the rate together, so both must be uncertain where ends are.
TEST(DmlOverheadFit, KnowsHowWellItKnowsTheWindow)
{
    Truth truth = MakeTruth();
    truth.link.window = 6000000;
    truth.steps = 5;
    truth.noise = 1e-3;
    const OverheadFit fit = FitOverhead(MakeRecords(truth));
    EXPECT_TRUE(fit.windowBytes.fitted);
    EXPECT_GT(fit.windowBytes.error, 1e3);
    EXPECT_LT(fit.windowBytes.error, 1e6);
    EXPECT_LT(std::abs(fit.windowBytes.value - 6e6), 4 * fit.windowBytes.error);
    EXPECT_LT(std::abs(1 / fit.link.rate - 1 / truth.link.rate), 4 * fit.secondsPerByte.error);
}

/*
 * The receiver computes before it parses, so ends are late by up to 0.4 s: they say that the link
 * is slower than it is, or that tensors come from nowhere. Last bytes tell the rate nonetheless.
 */
TEST(DmlOverheadFit, FitsTheRateToLastBytes)
{
    Truth truth = MakeTruth();
    truth.wire = true;
    truth.steps = 3;
    auto transfers = MakeRecords(truth);
    for (RecordedTransfer& transfer : transfers)
    {
        const int64_t turn = 400000000; // compute takes turns with parsing
        transfer.end += turn - (transfer.end - transfer.start) % turn;
    }
    const OverheadFit fit = FitOverhead(transfers);
    EXPECT_NEAR(fit.link.rate, truth.link.rate, 1e-6 * truth.link.rate);
    EXPECT_NEAR(fit.link.latency, truth.link.latency, 1e-3 * truth.link.latency);
}

// With the rate given, alpha of back-to-back transfers is told apart from it.
TEST(DmlOverheadFit, KeepsAGivenRateAndWindow)
{
    Truth truth = MakeTruth();
    truth.steps = 3;
    truth.link.window = 6000000;
    OverheadFitOptions options;
    options.rate = truth.link.rate;
    options.window = truth.link.window;
    const OverheadFit fit = FitOverhead(MakeRecords(truth), options);
    EXPECT_EQ(fit.link.rate, truth.link.rate);
    EXPECT_FALSE(fit.secondsPerByte.fitted);
    EXPECT_EQ(fit.secondsPerByte.error, 0);
    EXPECT_EQ(fit.link.window, truth.link.window);
    EXPECT_FALSE(fit.window);
    EXPECT_NEAR(fit.link.alpha, truth.link.alpha, 1e-3 * truth.link.alpha);
    EXPECT_NEAR(fit.link.beta, truth.link.beta, 1e-3 * truth.link.beta);
}

// One tensor per step, always of one size: only alpha + 1 / rate is known.
TEST(DmlOverheadFit, SaysWhatItCannotTell)
{
    std::vector<RecordedTransfer> transfers(4);
    for (uint32_t step = 0; step < transfers.size(); ++step)
    {
        transfers[step].tensor = "t";
        transfers[step].bytes = 1000000;
        transfers[step].step = step;
        transfers[step].start = 20000000LL * step;
        transfers[step].end = 20000000LL * step + 10000000; // 10 ns per byte
    }
    const OverheadFit fit = FitOverhead(transfers);
    EXPECT_FALSE(fit.alphaNeeded);
    EXPECT_EQ(fit.link.alpha, 0);
    EXPECT_NEAR(fit.link.latency + 1e6 / fit.link.rate + fit.link.beta, 10e-3, 1e-6);
    EXPECT_TRUE(std::isinf(fit.alpha.error));
    bool told = false;
    for (const std::string& rule : fit.rules)
    {
        told = told || rule.find("alpha cannot be told from 1 / rate") == 0;
    }
    EXPECT_TRUE(told);
    EXPECT_NE(WriteOverheadYaml(fit, 1).find("cannot be told"), std::string::npos);
}

TEST(DmlOverheadFit, UsesTimesOfLastBytes)
{
    Truth truth = MakeTruth();
    truth.link.latency = 0;
    truth.wire = true;
    for (const bool parallel : {false, true})
    {
        truth.link.parallel = parallel;
        OverheadFitOptions options;
        options.parallel = parallel;
        auto transfers = MakeRecords(truth);
        transfers.back().end += 700000000; // an outlier, the last one: it delays no other
        const OverheadFit fit = FitOverhead(transfers, options);
        EXPECT_EQ(fit.wireTimes, SIZES.size());
        EXPECT_EQ(fit.used, SIZES.size());
        EXPECT_NEAR(fit.link.alpha, truth.link.alpha, 1e-3 * truth.link.alpha);
        EXPECT_NEAR(fit.link.beta, truth.link.beta, 1e-3 * truth.link.beta);
        EXPECT_NEAR(fit.link.rate, truth.link.rate, 1e-2 * truth.link.rate);
    }
}

// 3 bytes at 2 s per byte and 4 s per message: 10 s after the last byte. The second one waits for
// the parser: last bytes at 0 and 5 s, ends at 10 and 10 + 6 = 16 s (1 byte).
TEST(DmlOverheadFit, FitsALineToOverheads)
{
    StreamGroup group;
    group.streams = {{0, 3, 0, 10, 0}, {1, 1, 0, 16, 5}, {2, 0, 0, 24, 20}};
    std::size_t used = 0;
    auto [alpha, beta] = FitParsing({group}, false, used);
    EXPECT_EQ(used, 3u);
    EXPECT_NEAR(alpha.value, 2, 1e-9);
    EXPECT_NEAR(beta.value, 4, 1e-9);
    EXPECT_NEAR(alpha.error, 0, 1e-6);

    // Side by side: ends 10, 5 + 6 and 24.
    group.streams[1].end = 11;
    std::tie(alpha, beta) = FitParsing({group}, true, used);
    EXPECT_NEAR(alpha.value, 2, 1e-9);

    // Larger messages are faster: alpha would be below 0.
    group.streams = {{0, 10, 0, 1, 0}, {1, 1, 0, 13, 10}, {2, 5, 0, 22, 20}};
    std::tie(alpha, beta) = FitParsing({group}, false, used);
    EXPECT_EQ(alpha.value, 0);
    EXPECT_NEAR(beta.value, 2, 0.01);

    group.streams.resize(1);
    EXPECT_EQ(ErrorOf([&] { FitParsing({group}, false, used); }),
              "found 1 transfers whose last byte is known; accepted: at least 2");
}

// As above, but the last byte of the second one is not known. It frees the parser at 16 s, so the
// third one, received at 12 s, takes 4 s of the 8 s to its end.
TEST(DmlOverheadFit, KnowsThatAllStreamsKeepTheParserBusy)
{
    StreamGroup group;
    group.streams = {{0, 3, 0, 10, 0}, {1, 1, 0, 16, std::nan("")}, {2, 0, 0, 20, 12}};
    std::size_t used = 0;
    const auto [alpha, beta] = FitParsing({group}, false, used);
    EXPECT_EQ(used, 2u);
    EXPECT_NEAR(alpha.value, 2, 1e-9);
    EXPECT_NEAR(beta.value, 4, 1e-9);
}

// The second worker's step begins as the first one's ends, or before it.
TEST(DmlOverheadFit, WarnsOfASharedLink)
{
    Truth truth = MakeTruth();
    auto transfers = MakeRecords(truth);
    int64_t end = 0;
    for (const RecordedTransfer& transfer : transfers)
    {
        end = std::max(end, transfer.end - transfer.start);
    }
    for (const int64_t shift : {end, end - 1000})
    {
        auto both = transfers;
        for (RecordedTransfer transfer : transfers)
        {
            transfer.receiver = "w1";
            transfer.start += shift;
            transfer.end += shift;
            both.push_back(transfer);
        }
        const OverheadFit fit = FitOverhead(both);
        EXPECT_EQ(fit.warnings.size(), shift < end ? 1u : 0u);
        if (shift < end)
        {
            EXPECT_EQ(fit.warnings[0].find("1 of 2 groups overlap"), 0u);
        }
    }
}

TEST(DmlOverheadFit, RefusesNothing)
{
    EXPECT_EQ(ErrorOf([] { FitOverhead({}); }),
              "the trace has no recorded transfers; accepted: at least one");
    std::vector<RecordedTransfer> transfers(1);
    EXPECT_EQ(ErrorOf([&] { FitOverhead(transfers); }),
              "no transfer that has bytes and takes time; accepted: at least one");
    transfers[0].bytes = 5;
    transfers[0].end = 1000;
    OverheadFitOptions options;
    options.rate = 0;
    EXPECT_EQ(ErrorOf([&] { FitOverhead(transfers, options); }),
              "rate: found 0.000000; accepted: a number above 0");
    EXPECT_EQ(ErrorOf([&] { FitOverhead(transfers); }), "no error");
}

TEST(DmlOverheadFit, WritesPartOfAScenario)
{
    OverheadFit fit;
    fit.link.rate = 119.5e6;
    fit.link.alpha = 1e-9;
    fit.link.beta = 5e-5;
    fit.link.window = 28000000;
    fit.link.latency = 7e-4;
    fit.latency = {7e-4, 1e-4, true};
    fit.alpha = {1e-9, 2e-10, true};
    fit.beta = {5e-5, 1e-6, true};
    fit.window = WindowEstimate{20000000, 30000000, 4, 0};
    EXPECT_EQ(WriteOverheadYaml(fit, 0.956),
              "transfer: {window: 28000000B}   # 20000000 to 29999999 bytes\n"
              "overhead:\n"
              "  alpha: 1e-09   # seconds per byte; standard error 2e-10\n"
              "  beta: 5e-05   # seconds; standard error 1e-06\n"
              "  parallel: false\n"
              "network: {rate: 1000000kbps}   # 956 Mbit/s of tensors, given\n"
              "# 0.0007 s from request to first byte; standard error 0.0001\n");
    fit.windowBytes = {28000000, 12345, true};
    EXPECT_EQ(
        WriteOverheadYaml(fit, 1).find("transfer: {window: 28000000B}   # 20000000 to 29999999 "
                                       "bytes; standard error 1.2e+04\n"),
        0u);
    fit.window->upper.reset();
    EXPECT_EQ(WriteOverheadYaml(fit, 1).find("# transfer: {window: ...}   # no evidence: at least "
                                             "20000000 bytes\n"),
              0u);
    fit.window.reset();
    fit.link.window = LinkModel::NO_WINDOW;
    EXPECT_EQ(WriteOverheadYaml(fit, 1).find("transfer: {window: off}   # given\n"), 0u);
}

// Measured steps over 1 Gbit/s: the tensors follow each other on one connection, so nothing tells
// of a window, and their rate is the payload share of Ethernet's 1 Gbit/s, give or take.
TEST(DmlOverheadFit, DescribesMeasuredSteps)
{
    const OverheadFit alexnet = FitOverhead(ReadRecordedSample("alexnet-b8"));
    EXPECT_EQ(alexnet.error.streams, 16u);
    EXPECT_NEAR(alexnet.link.rate, 119.5e6, 0.02 * 119.5e6);
    EXPECT_FALSE(alexnet.alphaNeeded);
    EXPECT_LT(alexnet.link.beta, 100e-6);
    EXPECT_FALSE(alexnet.window->upper);
    EXPECT_EQ(alexnet.window->lower, 150994944u);
    EXPECT_LT(alexnet.error.median, 0.02);
    EXPECT_LT(alexnet.error.average, 0.05);

    const OverheadFit googlenet = FitOverhead(ReadRecordedSample("googlenet-b8"));
    EXPECT_EQ(googlenet.error.streams, 187u);
    EXPECT_NEAR(googlenet.link.rate, 119.5e6, 0.03 * 119.5e6);
    EXPECT_LT(googlenet.link.beta, 100e-6);
    EXPECT_FALSE(googlenet.window->upper);
    EXPECT_LT(googlenet.error.median, 0.02);
}

} // namespace
