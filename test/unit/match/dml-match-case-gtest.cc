/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// The fair-share engine's own runs, predicted step by step from the instants at which steps began:
// what is known of them beforehand must be found.

#include "dml-matched-study.h"

#include <cmath>
#include <gtest/gtest.h>
#include <map>
#include <string>

using namespace ns3::dml;
using namespace ns3::dml::matched;

namespace
{

/// @param truth what is run @param rate of the links of the model
LinkBias
Match(const Question& truth, const std::string& rate, uint32_t replication = 0)
{
    const MatchRecorder recorder = Record(Prepare(truth), truth.workers, replication);
    Question model = truth;
    model.rate = rate;
    return recorder.Match(Prepare(model), truth.workers, replication, std::nullopt);
}

/// Jobs with rules that draw nothing.
const std::vector<Question> EXACT{
    {"", "", 1},
    {", sync: async", "network: {queue: {fair: 0B}}", 4},
    {", parameter_servers: 2", "network: {queue: {fair: 0B}}", 3},
    {"", "network: {queue: {fair: 0B}, delay: 5ms}", 4},
    {"", "network: {queue: {fair: 0B}}\nfair_share: {one_way_delay: 0s, sharing: equal}", 4},
    {", sync: {ssp: 2}", "network: {queue: {fair: 0B}, delay: 1ms}", 4},
    {", sync: bsp", "network: {queue: {fair: 0B}, delay: 1ms}", 4},
    {"", "network: {queue: {fair: 0B}}\ntransfer: {policy: tic}", 3},
    {"", "network: {queue: {fair: 0B}}\ntransfer: {window: {min: 1MB, max: 4MB}}", 3},
    {"",
     "network: {queue: {fair: 0B}, background: [{from: worker0, to: ps0, rate: 100Mbps, start: "
     "200ms, stop: 1s}]}",
     3},
    {"",
     "network: {queue: {fair: 0B}}\nfair_share: {ps_cores: 1}\noverhead: {server: {alpha: 1e-9}}",
     3},
    {", protocol: all-reduce", "", 4},
    {", protocol: all-reduce, all_reduce: {algorithm: halving-doubling}",
     "network: {delay: 1ms}",
     3},
};

// The model from its own states: its own durations.
TEST(MatchCase, FindsNothingInItself)
{
    for (const auto& question : EXACT)
    {
        SCOPED_TRACE(question.job + " " + question.rest);
        const LinkBias bias = Match(question, "1Gbps");
        ASSERT_TRUE(bias.slower) << bias.reason;
        EXPECT_NEAR(*bias.slower, 0, 1e-6);
        EXPECT_NEAR(bias.predicted / bias.recorded, 1, 1e-8);
        EXPECT_NEAR(bias.overlap, 0, 1e-8);
        EXPECT_GE(bias.steps, question.workers * 8);
    }
}

/// Links of a run of the model, and how they are found: far from the model, a straight line from
/// its own links leads beyond what is looked for.
struct SlowLinks
{
    const char* rate; //!< of 1 Gbit/s, which the model has
    double slower;    //!< per cent
    double tolerance; //!< per cent
};

TEST(MatchCase, FindsSlowerLinks)
{
    for (const auto& [rate, slower, tolerance] :
         {SlowLinks{"980Mbps", 2, 0.01}, SlowLinks{"500Mbps", 50, 0.1}})
    {
        for (const auto& question : EXACT)
        {
            SCOPED_TRACE(question.job + " " + question.rest + " " + rate);
            Question truth = question;
            truth.rate = rate;
            const LinkBias bias = Match(truth, "1Gbps");
            ASSERT_TRUE(bias.slower) << bias.reason;
            EXPECT_NEAR(*bias.slower, slower, tolerance);
            EXPECT_GT(*bias.GetRaw(), slower / 4);
        }
    }
}

// Links that are more than 75 % off, or have next to no part in the steps, are none that are found;
// what is known besides is told.
TEST(MatchCase, SaysWhereLinksExplainNothing)
{
    const Question truth{"", "network: {queue: {fair: 0B}}", 2};
    for (const std::string rate : {"10Gbps", "100Mbps"})
    {
        const LinkBias bias = Match(truth, rate);
        EXPECT_FALSE(bias.slower);
        EXPECT_EQ(*bias.GetRaw() > 0, rate == "10Gbps");
        EXPECT_NE(bias.reason.find(rate == "10Gbps" ? "75 % slower make of the model"
                                                    : "75 % faster make of the model"),
                  std::string::npos)
            << bias.reason;
    }
    const Question light{", scale: 0.00001", "network: {queue: {fair: 0B}, delay: 1ms}", 2};
    Question model = light;
    model.rest = "network: {queue: {fair: 0B}, delay: 0s}";
    const LinkBias bias =
        Record(Prepare(light), light.workers).Match(Prepare(model), light.workers, 0, std::nullopt);
    EXPECT_FALSE(bias.slower);
    EXPECT_GT(*bias.GetRaw(), 0);
    EXPECT_EQ(bias.reason.rfind("links matter next to nothing", 0), 0U) << bias.reason;
}

// Where shares are drawn at random, those of the run differ from those of the model: no bias, but
// for luck.
TEST(MatchCase, FindsNoBiasWhereSharesAreDrawn)
{
    constexpr uint32_t RUNS = 20;
    const Question question{"", "network: {queue: 300KB}", 4};
    double sum = 0;
    double squares = 0;
    uint32_t covered = 0;
    for (uint32_t run = 0; run < RUNS; ++run)
    {
        const LinkBias bias = Match(question, "1Gbps", run);
        ASSERT_TRUE(bias.slower && bias.halfWidth && bias.spread) << bias.reason;
        sum += *bias.slower;
        squares += *bias.slower * *bias.slower;
        covered += std::fabs(*bias.slower) <= *bias.halfWidth ? 1 : 0;
    }
    const double mean = sum / RUNS;
    const double error = std::sqrt((squares / RUNS - mean * mean) / (RUNS - 1));
    EXPECT_LT(std::fabs(mean), 3 * error);
}

// What cannot be predicted step by step says why.
TEST(MatchCase, NamesWhatItCannotMatch)
{
    const auto reason = [](const std::string& job, const std::string& rest) {
        return Match({job, rest, 2}, "1Gbps").reason;
    };
    EXPECT_EQ(reason(", protocol: push-pull", ""), "a step begins before the one before has ended");
    EXPECT_EQ(reason("", "transfer: {policy: shuffled}"),
              "the order of transfers is drawn anew in each step");
    EXPECT_EQ(reason(", sync: {backup: 1}", ""), "late gradients are dropped");
    EXPECT_EQ(reason(", sync: bsp", "fair_share: {sharing: bursts}"),
              "the connections of bursts would begin each round anew");
}

// Connections of bursts keep their windows from one step of a worker to the next.
TEST(MatchCase, FindsNoBiasByBurstsInTheirOwnSteps)
{
    const Question question{"",
                            "network: {queue: {fair: 0B}, delay: 2ms, tcp: {ack_jitter: 0s}}\n"
                            "fair_share: {sharing: bursts}",
                            3};
    const LinkBias bias = Match(question, "1Gbps");
    ASSERT_TRUE(bias.GetRaw()) << bias.reason;
    EXPECT_NEAR(*bias.GetRaw(), 0, 1e-3);
}

} // namespace

/// What the model does on its own from instants of a run.
std::vector<RestartBias>
Restart(const Question& truth, const Question& model, uint32_t replication = 0)
{
    const MatchRecorder recorder = Record(Prepare(truth), truth.workers, replication);
    std::string obstacle;
    const auto biases = recorder.MatchRestarts(Prepare(model),
                                               truth.workers,
                                               replication,
                                               std::nullopt,
                                               {1, 2, 4, 8},
                                               obstacle);
    EXPECT_EQ(obstacle, "");
    return biases;
}

// The model, on its own from its own states, does what it did. Where workers wait for nobody, what
// was before the last steps is left out, which matters little.
TEST(MatchCase, DoesNotDriftFromItself)
{
    auto questions = EXACT;
    questions.push_back({", devices: {a: {speed: 10}, b: {speed: 1}}, worker_devices: [a, b]",
                         "network: {queue: {fair: 0B}}",
                         2});
    for (const auto& question : questions)
    {
        if (question.job.find("ssp") != std::string::npos)
        {
            continue;
        }
        SCOPED_TRACE(question.job + " " + question.rest);
        const bool rounds = question.job.find("bsp") != std::string::npos ||
                            question.job.find("all-reduce") != std::string::npos;
        const auto biases = Restart(question, question);
        ASSERT_EQ(biases.size(), 4U);
        for (const auto& bias : biases)
        {
            ASSERT_TRUE(bias.GetLonger());
            EXPECT_NEAR(*bias.GetLonger(), 0, rounds || question.workers == 1 ? 1e-6 : 1e-6)
                << bias.horizon;
        }
    }
}

// Shares that are drawn part workers that even ones keep in step: no single step shows that.
TEST(MatchCase, SeesLockstepThatSingleStepsDoNotShow)
{
    const Question truth{"", "fair_share: {sharing: drop-tail}", 2};
    const Question model{"", "fair_share: {sharing: max-min}", 2};
    constexpr uint32_t REPLICATIONS = 20;
    std::map<uint32_t, double> drift; // by number of steps: mean of the replications, per cent
    for (uint32_t replication = 0; replication < REPLICATIONS; ++replication)
    {
        for (const auto& bias : Restart(truth, model, replication))
        {
            drift[bias.horizon] += *bias.GetLonger() / REPLICATIONS;
        }
    }
    EXPECT_NEAR(drift[1], 0, 0.6);
    EXPECT_LT(drift[2], drift[1]);
    EXPECT_LT(drift[4], drift[2]);
    EXPECT_LT(drift[8], drift[4]);
    EXPECT_LT(drift[8], 3 * drift[1]);
}

// A worker alone is as much slower in each step, however many there are. What it waits for is the
// first layer's parameters, as the second one's come while it computes, and all gradients: 11 MB
// and their headers.
TEST(MatchCase, DriftsNoFurtherWhereNothingGrows)
{
    const Question truth{"", "network: {delay: 0s}", 1, "980Mbps"};
    Question model = truth;
    model.rate = "1Gbps";
    const auto biases = Restart(truth, model);
    ASSERT_EQ(biases.size(), 4U);
    const double transfers = 11e6 * 1.037 / 125e6; // s
    for (const auto& bias : biases)
    {
        const double steps = static_cast<double>(bias.starts) * bias.horizon;
        EXPECT_NEAR((bias.recorded - bias.predicted) / steps, transfers / 0.98 - transfers, 1e-5)
            << bias.horizon;
    }
}

TEST(MatchCase, NamesWhereItCannotBeRestarted)
{
    const auto prepared = Prepare({", sync: {ssp: 1}", "", 2});
    std::string obstacle;
    EXPECT_TRUE(
        Record(prepared, 2).MatchRestarts(prepared, 2, 0, std::nullopt, {1}, obstacle).empty());
    EXPECT_EQ(obstacle, "workers wait for those that are far behind");
}

/// In which phases a model of 1 Gbit/s is off.
std::vector<PhaseBias>
FindPhases(const Question& truth, uint32_t replication = 0)
{
    Question model = truth;
    model.rate = "1Gbps";
    std::string obstacle;
    const auto phases =
        Record(Prepare(truth), truth.workers, replication)
            .MatchPhases(Prepare(model), truth.workers, replication, std::nullopt, obstacle);
    EXPECT_EQ(obstacle, "");
    return phases;
}

// Whatever the number of others, the model's own phases are its own; and with slower links what
// phases take longer is what steps do.
TEST(MatchCase, PhasesAddUpToSteps)
{
    for (const auto& question : EXACT)
    {
        if (question.job.find("bsp") != std::string::npos ||
            question.job.find("all-reduce") != std::string::npos)
        {
            continue;
        }
        SCOPED_TRACE(question.job + " " + question.rest);
        for (const auto& phase : FindPhases(question))
        {
            EXPECT_NEAR(phase.predicted, phase.recorded, 1e-7);
            EXPECT_LT(phase.most, 2 * question.workers);
        }
        Question truth = question;
        truth.rate = "980Mbps";
        const LinkBias bias = Match(truth, "1Gbps");
        double recorded = 0;
        double predicted = 0;
        std::size_t counts[3]{}; // the rest is of all steps, too
        for (const auto& phase : FindPhases(truth))
        {
            recorded += phase.recorded;
            predicted += phase.predicted;
            counts[static_cast<std::size_t>(phase.phase)] += phase.count;
        }
        EXPECT_NEAR(recorded, bias.recorded, 1e-9 * recorded);
        EXPECT_NEAR(predicted, bias.predicted, 1e-9 * predicted);
        EXPECT_EQ(counts[0], bias.steps);
        EXPECT_EQ(counts[1], bias.steps);
        EXPECT_EQ(counts[2], bias.steps);
    }
}

// Where the server's link that carries pulls is 5 % slower, pulls are too short in the model, and
// its pushes are right, although they begin too early; and the other way round.
TEST(MatchCase, PhasesKeepErrorsOfPullsFromPushes)
{
    const Question truth{"", "network: {queue: {fair: 0B}}", 4};
    for (const bool pull : {true, false})
    {
        SCOPED_TRACE(pull);
        const auto slow = [&](FairShareNetwork& network) {
            const auto way = pull ? AccessLink::Way::OUT : AccessLink::Way::IN;
            for (const auto& link : network.links.serverLinks)
            {
                network.links.capacities[link.link] *= link.access.way == way ? 0.95 : 1;
            }
        };
        std::string obstacle;
        const auto phases =
            Record(Prepare(truth), truth.workers, 0, slow)
                .MatchPhases(Prepare(truth), truth.workers, 0, std::nullopt, obstacle);
        ASSERT_FALSE(phases.empty()) << obstacle;
        for (const auto& phase : phases)
        {
            const double longer = phase.recorded - phase.predicted;
            if (phase.phase == (pull ? StepPhase::PULL : StepPhase::PUSH))
            {
                EXPECT_GT(longer, 0.01 * phase.recorded);
            }
            else if (phase.phase != StepPhase::REST)
            {
                EXPECT_NEAR(longer, 0, 1e-6 * phase.recorded);
            }
        }
    }
}

// Three workers that do all at the same time have two others in each phase. Pulls of the first
// layer, 3 of 8 MB, count until the second one is there: 8 MB times 3 workers, at the goodput of
// the link.
TEST(MatchCase, CountsOthersInTheSamePhase)
{
    const Question truth{", start: together, step_jitter: 0s, sampling: in-order",
                         "network: {queue: {fair: 0B}, delay: 0s}",
                         3,
                         "980Mbps"};
    const auto phases = FindPhases(truth);
    ASSERT_EQ(phases.size(), 3U);
    EXPECT_EQ(phases[0].phase, StepPhase::PULL);
    EXPECT_EQ(phases[1].phase, StepPhase::PUSH);
    EXPECT_EQ(phases[2].phase, StepPhase::REST);
    for (const auto& phase : {phases[0], phases[1]})
    {
        EXPECT_EQ(phase.fewest, 2U);
        EXPECT_EQ(phase.most, 2U);
        EXPECT_EQ(phase.count, 33U);
        EXPECT_GT(phase.GetLonger(), 0);
    }
    const double seconds = 3 * 8e6 * 1.037 / 125e6; // of a pull
    EXPECT_NEAR(phases[0].predicted, 33 * seconds, 33e-3 * seconds);
    EXPECT_NEAR(*phases[0].GetLonger(), 100 * (1 / 0.98 - 1), 1e-6);
}

TEST(MatchCase, NamesWhereThereAreNoPhases)
{
    for (const std::string job : {", sync: bsp", ", protocol: all-reduce"})
    {
        const auto prepared = Prepare({job, "", 2});
        std::string obstacle;
        EXPECT_TRUE(
            Record(prepared, 2).MatchPhases(prepared, 2, 0, std::nullopt, obstacle).empty());
        EXPECT_EQ(obstacle, "workers do their steps together");
    }
}
