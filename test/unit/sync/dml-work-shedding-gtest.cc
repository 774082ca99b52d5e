/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Samples that move within a step: the rules, and runs of the fair-share engine derived by hand. A
// step is ten ops of a second each for ten samples; an op that ends is a check.

#include "dml-fair-share-fixture.h"

#include "ns3/dml-batch-size-service.h"
#include "ns3/dml-speed-trace.h"
#include "ns3/dml-work-shedding.h"
#include "ns3/double.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <limits>
#include <numeric>
#include <random>

using namespace ns3;
using namespace ns3::dml;

namespace
{

ProfileBuilder
TenOps()
{
    ProfileBuilder builder;
    builder.Compute("op0", {1});
    for (int i = 1; i < 10; ++i)
    {
        builder.Compute("op" + std::to_string(i), {1}, {"op" + std::to_string(i - 1)});
    }
    return builder;
}

/// A run of workers of these speeds, ten samples each.
struct SheddingCase : FairShareCase
{
    explicit SheddingCase(const std::vector<double>& speeds)
        : FairShareCase(TenOps()),
          workers(speeds.size())
    {
        // all wait at the end of each step, though there is no update for which to wait
        run.sync.SetTypeId("ns3::dml::StaleSynchronousSync");
        run.sync.Set("Bound", UintegerValue(0));
        run.batchSize = 10;
        for (const double speed : speeds)
        {
            const std::vector<SpeedChange> changes{{0, speed}};
            run.compute.push_back({nullptr, std::make_shared<SpeedTrace>(changes), 0});
        }
        run.shedding.emplace("ns3::dml::WorkShedding");
        run.shedding->Set("Lag", DoubleValue(0.15));
        run.shedding->Set("Share", DoubleValue(0.2));
    }

    void RunSteps(uint32_t steps)
    {
        Run(std::vector<double>(workers, 0), steps);
    }

    const StepRecord& Step(uint32_t worker, uint32_t step = 0) const
    {
        for (const auto& record : recorder.steps)
        {
            if (record.worker == worker && record.step == step)
            {
                return record;
            }
        }
        throw InputError("no step " + std::to_string(step));
    }

    uint64_t Samples() const
    {
        uint64_t sum = 0;
        for (const auto& record : recorder.steps)
        {
            sum += record.batch;
        }
        return sum;
    }

    std::size_t workers;
};

} // namespace

TEST(WorkShedding, TheRuleIsKept)
{
    auto rule = CreateObject<WorkShedding>(); // lag 0.2, share 0.025, latest 0.9
    EXPECT_EQ(rule->Check(0, {0, 0.25, 200, 150}).give, 0U) << "nobody else is there";
    EXPECT_EQ(rule->Check(1, {0, 0.05, 200, 190}).give, 0U) << "exactly 0.2 behind is not more";
    EXPECT_EQ(rule->Check(0, {0, 0.26, 200, 148}).give, 0U) << "it is ahead";
    EXPECT_EQ(rule->Check(1, {0, 0.05, 200, 190}).give, 5U);
    EXPECT_EQ(rule->Check(1, {0, 0.05, 200, 190}).give, 0U) << "has not answered";
    EXPECT_EQ(rule->Check(2, {0, 0.05, 200, 190}).give, 0U) << "the helper is reserved";
    rule->Give(1, 4);
    EXPECT_EQ(rule->GetHeld(), 4U);
    EXPECT_EQ(rule->Check(2, {0, 0.05, 200, 190}).give, 0U) << "the helper has not taken them";
    EXPECT_EQ(rule->Check(0, {0, 0.27, 200, 146}).take, 4U);
    EXPECT_EQ(rule->GetHeld(), 0U);
    EXPECT_EQ(rule->Check(2, {0, 0.05, 200, 3}).give, 3U) << "no more than it has";
    rule->Give(2, 0);
    EXPECT_EQ(rule->Check(2, {0, 0.05, 20, 15}).give, 1U) << "at least one";
    rule->Give(2, 1);
    EXPECT_EQ(rule->Check(0, {0, 0.91, 200, 18}).take, 1U);
    EXPECT_EQ(rule->Check(1, {0, 0.1, 200, 180}).give, 0U) << "the helper is too late in its step";
    EXPECT_EQ(rule->Check(0, {1, 0.1, 200, 180}).give, 0U);
    EXPECT_EQ(rule->Check(1, {0, 0.95, 200, 10}).give, 0U) << "0.15 behind, in the step before";
    EXPECT_EQ(rule->Check(2, {0, 0.4, 200, 120}).give, 5U);
    rule->Give(2, 5);
    EXPECT_EQ(rule->Check(1, {0, 0.96, 200, 8}).take, 0U) << "the helper is farthest ahead: 0";
    EXPECT_EQ(rule->Check(0, {1, 0.2, 200, 160}).take, 5U);
}

TEST(WorkShedding, WorkersThatGo)
{
    auto rule = CreateObject<WorkShedding>();
    rule->Check(0, {0, 0.5, 200, 100});
    EXPECT_EQ(rule->Check(1, {0, 0.1, 200, 180}).give, 5U);
    rule->Leave(0);
    rule->Give(1, 5);
    EXPECT_EQ(rule->Check(1, {0, 0.11, 195, 173}).take, 5U) << "back to who gave them up";
    EXPECT_EQ(rule->GetLost(), 0U);
    EXPECT_EQ(rule->Check(0, {0, 0.6, 200, 80}).take, 0U) << "is back";
    EXPECT_EQ(rule->Check(1, {0, 0.12, 200, 170}).give, 5U);
    rule->Give(1, 5);
    rule->Leave(0);
    EXPECT_EQ(rule->GetLost(), 5U);
    EXPECT_EQ(rule->GetHeld(), 0U);
    rule->Check(0, {0, 0.7, 200, 60});
    EXPECT_EQ(rule->Check(1, {0, 0.13, 195, 160}).give, 4U);
    rule->Leave(1); // before it has answered
    EXPECT_EQ(rule->Check(2, {0, 0.1, 200, 180}).give, 5U) << "the helper is free again";
}

TEST(WorkShedding, NoSampleIsLostOrDoneTwice)
{
    std::mt19937 random(1);
    const auto draw = [&random](uint32_t below) { return static_cast<uint32_t>(random() % below); };
    auto rule = CreateObject<WorkShedding>();
    constexpr uint32_t WORKERS = 5;
    std::vector<uint32_t> samples(WORKERS, 100);
    std::vector<uint32_t> asked(WORKERS, 0);
    std::vector<SampleReport> reports(WORKERS);
    uint32_t moved = 0;
    for (int i = 0; i < 100000; ++i)
    {
        const uint32_t worker = draw(WORKERS);
        if (asked[worker] > 0 && draw(2) == 0)
        {
            const uint32_t given = std::min(draw(asked[worker] + 1), samples[worker]);
            samples[worker] -= given;
            moved += given;
            rule->Give(worker, given);
            asked[worker] = 0;
        }
        SampleReport& report = reports[worker];
        report.progress += 0.01 * (worker + 1);
        if (report.progress > 1)
        {
            report.progress = 0;
            ++report.step;
        }
        report.samples = std::max(1U, samples[worker]);
        report.left = samples[worker] * (1 - report.progress);
        const SampleMove move = rule->Check(worker, report);
        samples[worker] += move.take;
        ASSERT_TRUE(move.give == 0 || asked[worker] == 0);
        ASSERT_LE(move.give, report.left);
        asked[worker] = std::max(asked[worker], move.give);
        ASSERT_EQ(std::accumulate(samples.begin(), samples.end(), rule->GetHeld()), 100U * WORKERS);
    }
    EXPECT_GT(moved, 200U);
    EXPECT_EQ(rule->GetLost(), 0U);
}

TEST(WorkShedding, AFastWorkerHelps)
{
    // Worker 0 does an op in 1 s, worker 1 in 2 s. At 6 s they are at 0.5 (the sixth op ends just
    // after) and 0.3: 1 gives 2 of 10 samples, its last seven ops stand for 5 and take 10/7 s each.
    // At 6 s 0 takes them: four ops for 6 samples, 1.5 s each. At 6 + 10/7 s, 0.6 to 0.4: 1 gives
    // 0.2 of 8, which is 1; its six ops of 5/7 samples, 30/7 in all, become 23/7, or 46/42 s each.
    // At 7.5 s, 0 takes it: 0.3 of the step stands for 5.5 samples, 11/6 s each. At 8.524 s, 0.7 to
    // 0.5: 1 gives 0.2 of 7, which is 1; the 115/42 samples of its five ops become 73/42, or
    // 146/210 s each. 0 takes it at 9.333 s: 0.2 of the step for 14/3 samples. Then 1 is at most
    // 0.1 behind.
    SheddingCase c({1, 0.5});
    c.RunSteps(1);
    EXPECT_NEAR(c.Chunk("op2", 1).end, 6, 1e-9);
    EXPECT_NEAR(c.Chunk("op3", 1).end, 6 + 10. / 7, 1e-9);
    EXPECT_NEAR(c.Chunk("op4", 1).end, 6 + 10. / 7 + 46. / 42, 1e-9);
    EXPECT_NEAR(c.Chunk("op5", 1).end, 6 + 10. / 7 + 46. / 42 + 146. / 210, 1e-9);
    EXPECT_NEAR(c.Chunk("op6", 0).end, 7.5, 1e-9);
    EXPECT_NEAR(c.Chunk("op7", 0).end, 7.5 + 11. / 6, 1e-9);
    EXPECT_NEAR(c.Chunk("op8", 0).end, 7.5 + 11. / 6 + 7. / 3, 1e-9);
    EXPECT_EQ(c.Step(0).batch, 14U);
    EXPECT_EQ(c.Step(1).batch, 6U);
    EXPECT_NEAR(c.Step(0).done, 14, 1e-9) << "14 samples";
    EXPECT_NEAR(c.Step(1).done, 12, 1e-9) << "6 samples";
    EXPECT_NEAR(c.Step(1).end, 14, 1e-9) << "all wait for each other";
}

TEST(WorkShedding, EqualWorkersKeepTheirs)
{
    SheddingCase with({1, 1, 1});
    with.RunSteps(3);
    SheddingCase without({1, 1, 1});
    without.run.shedding.reset();
    without.RunSteps(3);
    ASSERT_EQ(with.recorder.chunks.size(), without.recorder.chunks.size());
    for (std::size_t i = 0; i < with.recorder.chunks.size(); ++i)
    {
        EXPECT_EQ(with.recorder.chunks[i].end, without.recorder.chunks[i].end);
    }
    for (const auto& step : with.recorder.steps)
    {
        EXPECT_EQ(step.batch, 10U);
    }
}

TEST(WorkShedding, AMoveTakesARoundTrip)
{
    // as above, but 1 learns at 6.2 s, after it has submitted the fourth op: 6 samples become 4
    SheddingCase c({1, 0.5});
    c.oneWayDelay = 0.1;
    c.RunSteps(1);
    EXPECT_NEAR(c.Chunk("op3", 1).end, 8, 1e-9);
    EXPECT_NEAR(c.Chunk("op4", 1).end, 8 + 4. / 3, 1e-9);
}

TEST(WorkShedding, ChecksCost)
{
    // nine of ten checks delay an op of their step; the tenth delays the next step's first
    SheddingCase c({1});
    c.run.shedding->Set("Cost", DoubleValue(0.05));
    c.RunSteps(2);
    EXPECT_NEAR(c.Step(0).end, 10.45, 1e-9);
    EXPECT_NEAR(c.Step(0, 1).end, 20.95, 1e-9);

    // with two checks per step, the fifth op and the tenth
    SheddingCase rare({1});
    rare.run.shedding->Set("Cost", DoubleValue(0.05));
    rare.run.shedding->Set("Checks", UintegerValue(2));
    rare.RunSteps(1);
    EXPECT_NEAR(rare.Chunk("op4").end, 5, 1e-9);
    EXPECT_NEAR(rare.Step(0).end, 10.05, 1e-9);
}

TEST(WorkShedding, SamplesThatComeTooLateAreDoneInTheNextStep)
{
    // At 8 s, 0.7 to 0.4, 1 is asked for 2 samples, and gives them up at 8.6 s. 0 asks at 9 s, and
    // learns of them at 9.6 s, with nothing left to submit. In the second step its ops take 1.2 s;
    // the same happens after 10 s of it, 0.8 to 0.5.
    SheddingCase c({1, 0.5});
    c.run.shedding->Set("Lag", DoubleValue(0.25));
    c.run.shedding->Set("Latest", DoubleValue(0.8));
    c.oneWayDelay = 0.3;
    c.RunSteps(2);
    EXPECT_EQ(c.Step(0).batch, 10U);
    EXPECT_EQ(c.Step(1).batch, 8U);
    EXPECT_NEAR(c.Step(0).done, 10, 1e-9);
    EXPECT_NEAR(c.Step(1).done, 16, 1e-9);
    EXPECT_EQ(c.Step(0, 1).batch, 12U);
    EXPECT_EQ(c.Step(1, 1).batch, 8U);
    EXPECT_NEAR(c.Step(0, 1).done, 28, 1e-9);
}

TEST(WorkShedding, NothingIsGivenUpInAnotherStep)
{
    // asked at 10 s, 0.9 to 0.5, 1 learns of it at 21 s, in its second step
    SheddingCase c({1, 0.5});
    c.run.shedding->Set("Lag", DoubleValue(0.35));
    c.oneWayDelay = 5.5;
    c.RunSteps(2);
    for (const auto& step : c.recorder.steps)
    {
        EXPECT_EQ(step.batch, 10U);
    }
    EXPECT_NEAR(c.Step(1, 1).end, 40, 1e-9);
}

TEST(WorkShedding, AHelperThatDiesHoldsNobodyUp)
{
    // as in AFastWorkerHelps until 9 s, when 0 dies with a sample that is kept for it. 1 goes on
    // with 6, and alone with 10 in the second step.
    SheddingCase c({1, 0.5});
    c.run.crashes = {{0, 9, std::numeric_limits<double>::infinity()}};
    c.RunSteps(2);
    EXPECT_NEAR(c.Step(1).end, 12, 1e-9);
    EXPECT_EQ(c.Step(1).batch, 6U);
    EXPECT_NEAR(c.Step(1, 1).end, 32, 1e-9);
    EXPECT_EQ(c.Step(1, 1).batch, 10U);
    EXPECT_EQ(c.recorder.steps.size(), 2U);
}

TEST(WorkShedding, AWorkerThatComesBackHelpsAgain)
{
    SheddingCase c({1, 0.5});
    c.run.crashes = {{0, 9, 11}};
    c.RunSteps(3);
    EXPECT_EQ(c.Step(1).batch, 6U);
    EXPECT_EQ(c.Step(1, 2).batch, 6U) << "as in the first step";
    EXPECT_EQ(c.Step(0, 2).batch, 14U);
}

TEST(WorkShedding, RandomRunsKeepTheirSamplesAndGainTime)
{
    std::mt19937 random(7);
    for (int i = 0; i < 20; ++i)
    {
        std::vector<double> speeds;
        for (uint32_t worker = 0; worker < 4; ++worker)
        {
            speeds.push_back(0.3 + 0.001 * (random() % 700));
        }
        constexpr uint32_t STEPS = 20;
        SheddingCase with(speeds);
        with.oneWayDelay = i % 2 * 0.05;
        with.RunSteps(STEPS);
        // of each worker, one portion may be under way when the run ends
        EXPECT_LE(with.Samples(), 40U * STEPS);
        EXPECT_GE(with.Samples(), 40U * STEPS - 4 * 4);
        const double slowest = *std::min_element(speeds.begin(), speeds.end());
        const double sum = std::accumulate(speeds.begin(), speeds.end(), 0.0);
        const double end = with.recorder.steps.back().end;
        EXPECT_LE(end, STEPS * 10 / slowest * (1 + 1e-9));
        EXPECT_GE(end, STEPS * 40 / sum * 0.99) << "more than all of them can do";
    }
}

TEST(WorkShedding, Messages)
{
    const auto report = SampleReportFromValues(ToValues(SampleReport{7, 0.25, 40, 30}), 7);
    ASSERT_TRUE(report);
    EXPECT_EQ(report->step, 7U);
    EXPECT_EQ(report->progress, 0.25);
    EXPECT_EQ(report->samples, 40U);
    EXPECT_EQ(report->left, 30U);
    const SampleMove move = MoveFromValues(ToValues(SampleMove{3, 4}));
    EXPECT_EQ(move.take, 3U);
    EXPECT_EQ(move.give, 4U);
    EXPECT_TRUE(ToValues(SampleMove{}).empty());
    for (const NamedValues& bad : {NamedValues{{"progress", 0.5}, {"samples", 4}},
                                   NamedValues{{"progress", 1.5}, {"samples", 4}, {"left", 1}},
                                   NamedValues{{"progress", 0.5}, {"samples", 0}, {"left", 0}},
                                   NamedValues{{"progress", 0.5}, {"samples", 4}, {"left", 5}},
                                   NamedValues{{"progress", 0.5}, {"samples", 4}, {"left", 0.5}}})
    {
        EXPECT_FALSE(SampleReportFromValues(bad, 0));
    }
    EXPECT_FALSE(CountFromValues({{GIVEN_VALUE, -1}}, GIVEN_VALUE));
}
