/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "../support/dml-recorded-samples.h"
#include "dml-error-of.h"
#include "dml-holds.h"

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

// Noise of 20 us, five steps. Intervals must be honest, and of use.
TEST(DmlOverheadFit, FindsWhatMadeNoisyRecords)
{
    Truth truth = MakeTruth();
    truth.steps = 5;
    truth.noise = 20e-6;
    const OverheadFit fit = FitOverhead(MakeRecords(truth));
    EXPECT_NEAR(fit.link.rate, truth.link.rate, 0.005 * truth.link.rate);
    EXPECT_NEAR(fit.link.alpha, truth.link.alpha, 0.05 * truth.link.alpha);
    EXPECT_NEAR(fit.link.beta, truth.link.beta, 10e-6);
    EXPECT_TRUE(Holds(fit.secondsPerByte, 1 / truth.link.rate));
    EXPECT_TRUE(Holds(fit.alpha, truth.link.alpha));
    EXPECT_TRUE(Holds(fit.beta, truth.link.beta));
    EXPECT_LT(fit.alpha.upper - fit.alpha.lower, 0.2 * truth.link.alpha);
    EXPECT_EQ(fit.refusals.rate + fit.refusals.alpha + fit.refusals.beta, "");
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
    ASSERT_TRUE(fit.window.upper);
    EXPECT_EQ(fit.window.lower, 3538944u);
    EXPECT_EQ(*fit.window.upper, 6710886u);
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
    EXPECT_GT(fit.windowBytes.upper - fit.windowBytes.lower, 4e3);
    EXPECT_TRUE(Holds(fit.windowBytes, 6e6));
    EXPECT_TRUE(Holds(fit.secondsPerByte, 1 / truth.link.rate));
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
TEST(DmlOverheadFit, KeepsAGivenRate)
{
    Truth truth = MakeTruth();
    truth.steps = 3;
    truth.link.window = 6000000;
    const OverheadFit fit = FitOverhead(MakeRecords(truth), truth.link.rate);
    EXPECT_EQ(fit.link.rate, truth.link.rate);
    EXPECT_FALSE(fit.secondsPerByte.fitted);
    EXPECT_EQ(fit.secondsPerByte.lower, fit.secondsPerByte.upper);
    EXPECT_EQ(fit.refusals.rate, "");
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
    EXPECT_EQ(fit.alpha.lower, 0);
    EXPECT_GT(fit.alpha.upper, 9e-9);
    EXPECT_EQ(fit.secondsPerByte.lower, 0);
    EXPECT_EQ(fit.refusals.rate, "the records tell too little of it; --rate gives it");
    EXPECT_EQ(fit.refusals.alpha, "the records tell too little of it; --rate or --wire may");
    EXPECT_FALSE(fit.TellsAnything());
    bool told = false;
    for (const std::string& rule : fit.rules)
    {
        told = told || rule.find("alpha cannot be told from 1 / rate") == 0;
    }
    EXPECT_TRUE(told);
    EXPECT_NE(WriteOverheadYaml(fit, 1).find("# network: {rate: ...}   # 95 %: at least "),
              std::string::npos);
}

TEST(DmlOverheadFit, UsesTimesOfLastBytes)
{
    Truth truth = MakeTruth();
    truth.link.latency = 0;
    truth.wire = true;
    for (const bool parallel : {false, true})
    {
        truth.link.parallel = parallel;
        auto transfers = MakeRecords(truth);
        transfers.back().end += 700000000; // an outlier, the last one: it delays no other
        const OverheadFit fit = FitOverhead(transfers);
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
    ParsingFit fit = FitParsing({group}, true);
    EXPECT_EQ(fit.used, 3u);
    EXPECT_NEAR(fit.alpha.value, 2, 1e-6);
    EXPECT_NEAR(fit.beta.value, 4, 1e-6);
    EXPECT_NEAR(fit.alpha.lower, 2, 1e-4);
    EXPECT_NEAR(fit.alpha.upper, 2, 1e-4);
    EXPECT_LT(fit.loss, 1e-6);

    // The device computes until 13, 18 and 21 s, so that ends are 13 + 10, 23 + 6 and 29 + 4.
    group.streams[0].deviceFree = 13;
    group.streams[1].deviceFree = 18;
    group.streams[2].deviceFree = 21;
    group.streams[0].end = 23;
    group.streams[1].end = 29;
    group.streams[2].end = 33;
    fit = FitParsing({group}, false);
    EXPECT_NEAR(fit.alpha.value, 2, 1e-6);
    EXPECT_NEAR(fit.beta.value, 4, 1e-6);
    EXPECT_LT(fit.loss, 1e-6);
    EXPECT_GT(FitParsing({group}, true).loss, 1);

    // Larger messages are faster: alpha would be below 0.
    group.streams = {{0, 10, 0, 1, 0}, {1, 1, 0, 13, 10}, {2, 5, 0, 22, 20}};
    fit = FitParsing({group}, false);
    EXPECT_EQ(fit.alpha.value, 0);
    EXPECT_EQ(fit.alpha.lower, 0);
    EXPECT_NEAR(fit.beta.value, 2, 0.02);

    group.streams.resize(1);
    EXPECT_EQ(ErrorOf([&] { FitParsing({group}, false); }),
              "found 1 transfers whose last byte is known; accepted: at least 2");
}

// As above, but the last byte of the second one is not known. It frees the parser at 16 s, so the
// third one, received at 12 s, takes 4 s of the 8 s to its end.
TEST(DmlOverheadFit, KnowsThatAllStreamsKeepTheParserBusy)
{
    StreamGroup group;
    group.streams = {{0, 3, 0, 10, 0}, {1, 1, 0, 16, std::nan("")}, {2, 0, 0, 20, 12}};
    const ParsingFit fit = FitParsing({group}, false);
    EXPECT_EQ(fit.used, 2u);
    EXPECT_NEAR(fit.alpha.value, 2, 1e-6);
    EXPECT_NEAR(fit.beta.value, 4, 1e-6);
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
            EXPECT_EQ(fit.refusals.rate,
                      "others used the link at the same time, which the model does not have");
            EXPECT_EQ(fit.refusals.alpha, fit.refusals.rate);
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
    EXPECT_EQ(ErrorOf([&] { FitOverhead(transfers, 0); }),
              "rate: found 0.000000; accepted: a number above 0");
    EXPECT_EQ(ErrorOf([&] { FitOverhead(transfers); }), "no error");
}

// The op of the device is not told, so ends come out of the blue: no model explains them.
TEST(DmlOverheadFit, RefusesWhatNoModelExplains)
{
    Truth truth = MakeTruth();
    truth.steps = 3;
    auto transfers = MakeRecords(truth);
    PortableRandom random(3);
    for (RecordedTransfer& transfer : transfers)
    {
        transfer.end = transfer.start + std::llround(4e8 * random.Uniform());
    }
    const OverheadFit fit = FitOverhead(transfers);
    EXPECT_EQ(fit.refusals.rate.find("the model does not explain the records: predicted ends are "
                                     "off by "),
              0u)
        << fit.refusals.rate;
    EXPECT_EQ(fit.refusals.alpha, fit.refusals.rate);
    EXPECT_EQ(fit.refusals.beta, fit.refusals.rate);
    EXPECT_FALSE(fit.TellsAnything());
}

// The tensors take 48.1 MB / 119.5 MB/s = 0.4026 s on the wire; a latency of 40.3 ms is a tenth.
TEST(DmlOverheadFit, RefusesTheRateWhereTcpsStartDecides)
{
    for (const double latency : {0.038, 0.042})
    {
        Truth truth = MakeTruth();
        truth.link.latency = latency;
        truth.steps = 3;
        const OverheadFit fit = FitOverhead(MakeRecords(truth));
        EXPECT_EQ(fit.refusals.rate.empty(), latency < 0.0403) << fit.refusals.rate;
        EXPECT_TRUE(fit.TellsAnything());
    }
}

// Alpha is 0: its interval begins there, and the records say how large it may be at most.
TEST(DmlOverheadFit, GivesOneSidedIntervals)
{
    Truth truth = MakeTruth();
    truth.link.alpha = 0;
    truth.steps = 5;
    truth.noise = 5e-6;
    truth.rotate = true;
    const OverheadFit fit = FitOverhead(MakeRecords(truth));
    EXPECT_EQ(fit.link.alpha, 0);
    EXPECT_EQ(fit.alpha.lower, 0);
    EXPECT_GT(fit.alpha.upper, 0);
    EXPECT_NE(WriteOverheadYaml(fit, 1).find("alpha: 0   # seconds per byte; 95 %: at most "),
              std::string::npos)
        << WriteOverheadYaml(fit, 1);
    EXPECT_TRUE(Holds(fit.secondsPerByte, 1 / truth.link.rate));
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
    EXPECT_FALSE(alexnet.window.upper);
    EXPECT_EQ(alexnet.window.lower, 150994944u);
    EXPECT_LT(alexnet.error.median, 0.02);
    EXPECT_LT(alexnet.error.average, 0.05);

    const OverheadFit googlenet = FitOverhead(ReadRecordedSample("googlenet-b8"));
    EXPECT_EQ(googlenet.error.streams, 187u);
    EXPECT_NEAR(googlenet.link.rate, 119.5e6, 0.03 * 119.5e6);
    EXPECT_LT(googlenet.link.beta, 100e-6);
    EXPECT_FALSE(googlenet.window.upper);
    EXPECT_LT(googlenet.error.median, 0.02);
}

} // namespace
