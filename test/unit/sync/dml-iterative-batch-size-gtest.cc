/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Algorithm 2 of LB-BSP: samples move from the slowest worker to the fastest.

#include "ns3/dml-iterative-batch-size.h"
#include "ns3/double.h"
#include "ns3/object-factory.h"
#include "ns3/rng-stream.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <functional>
#include <gtest/gtest.h>
#include <numeric>
#include <vector>

using namespace ns3;
using namespace ns3::dml;

namespace
{

using Batches = std::vector<uint32_t>;

/// Settings of the algorithm.
struct Settings
{
    uint32_t step{5};
    uint32_t window{5};
    uint32_t fineStep{1};
    uint32_t fineWindow{20};
};

Ptr<IterativeBatchSize>
MakeControl(const Settings& settings)
{
    ObjectFactory factory;
    factory.SetTypeId(IterativeBatchSize::GetTypeId());
    factory.Set("Step", UintegerValue(settings.step));
    factory.Set("Window", UintegerValue(settings.window));
    factory.Set("FineStep", UintegerValue(settings.fineStep));
    factory.Set("FineWindow", UintegerValue(settings.fineWindow));
    return factory.Create<IterativeBatchSize>();
}

std::vector<WorkerReport>
MakeReports(const Batches& batches, const std::vector<double>& seconds)
{
    std::vector<WorkerReport> reports(batches.size());
    for (std::size_t i = 0; i < batches.size(); ++i)
    {
        reports[i].batch = batches[i];
        reports[i].seconds = seconds[i];
        reports[i].used = 0;
    }
    return reports;
}

/// Workers that take so many seconds per sample.
class LinearWorkers
{
  public:
    LinearWorkers(Batches batches, std::vector<double> perSample)
        : m_batches(std::move(batches)),
          m_perSample(std::move(perSample))
    {
    }

    /// One step. @return the batch sizes of the next
    const Batches& Run(IterativeBatchSize& control)
    {
        std::vector<double> seconds;
        for (std::size_t i = 0; i < m_batches.size(); ++i)
        {
            seconds.push_back(m_batches[i] * m_perSample[i]);
        }
        m_batches = control.Update(MakeReports(m_batches, seconds));
        return m_batches;
    }

  private:
    Batches m_batches;               //!< of the next step
    std::vector<double> m_perSample; //!< seconds
};

/// Line by line as in the paper, with the full history; iterations count from 1.
class Algorithm2
{
  public:
    explicit Algorithm2(const Settings& settings)
        : m_settings(settings),
          m_delta(settings.step),
          m_window(settings.window)
    {
    }

    Batches Update(const std::vector<WorkerReport>& reports)
    {
        std::vector<double> t;
        Batches x;
        for (const auto& report : reports)
        {
            t.push_back(report.seconds);
            x.push_back(report.batch);
        }
        m_times.push_back(t);
        const int k = m_times.size() + 1;
        int leader = -1;
        int straggler = 0;
        for (int i = 0; i < int(t.size()); ++i)
        {
            const bool guard = reports[i].used <= 0.95 && x[i] + m_delta <= reports[i].largest;
            leader = guard && (leader < 0 || t[i] < t[leader]) ? i : leader;
            straggler = t[i] > t[straggler] ? i : straggler;
        }
        if (leader < 0 || leader == straggler || x[straggler] <= m_delta)
        {
            return x;
        }
        const auto time = [this](int h, int i) { return m_times[h - 1][i]; };
        bool always = k - int(m_window) >= 1;
        for (int h = std::max(1, k - int(m_window)); h <= k - 1; ++h)
        {
            always = always && time(h, leader) < time(h, straggler);
        }
        bool ever = false;
        for (int h = 1; h <= k - 1; ++h)
        {
            ever = ever || time(h, leader) > time(h, straggler);
        }
        if (always)
        {
            x[leader] += m_delta;
            x[straggler] -= m_delta;
        }
        else if (ever)
        {
            m_delta = m_settings.fineStep;
            m_window = m_settings.fineWindow;
        }
        return x;
    }

  private:
    Settings m_settings;
    uint32_t m_delta;
    uint32_t m_window;
    std::vector<std::vector<double>> m_times; //!< by iteration, then worker
};

} // namespace

/**
 * 0.1 and 0.2 s per sample, Window 2, FineWindow 3. In this order: the window fills; two moves of
 * 5, after which worker 1 is the faster one; it was slower before, so fine-tuning begins; it has
 * been faster three times; single samples move until worker 0 is the faster one again, and that
 * three times.
 */
TEST(IterativeBatchSize, StepByStep)
{
    const auto control = MakeControl({5, 2, 1, 3});
    EXPECT_FALSE(control->IsBlocking());
    LinearWorkers workers({20, 20}, {0.1, 0.2});
    EXPECT_EQ(workers.Run(*control), (Batches{20, 20})); // 2.0, 4.0 s
    EXPECT_EQ(workers.Run(*control), (Batches{25, 15})); // 2.0, 4.0
    EXPECT_EQ(workers.Run(*control), (Batches{30, 10})); // 2.5, 3.0
    EXPECT_FALSE(control->IsFineTuning());
    EXPECT_EQ(workers.Run(*control), (Batches{30, 10})); // 3.0, 2.0
    EXPECT_TRUE(control->IsFineTuning());
    EXPECT_EQ(workers.Run(*control), (Batches{30, 10})); // 3.0, 2.0
    EXPECT_EQ(workers.Run(*control), (Batches{29, 11})); // 3.0, 2.0
    EXPECT_EQ(workers.Run(*control), (Batches{28, 12})); // 2.9, 2.2
    EXPECT_EQ(workers.Run(*control), (Batches{27, 13})); // 2.8, 2.4
    EXPECT_EQ(workers.Run(*control), (Batches{26, 14})); // 2.7, 2.6
    EXPECT_EQ(workers.Run(*control), (Batches{26, 14})); // 2.6, 2.8
    EXPECT_EQ(workers.Run(*control), (Batches{26, 14})); // 2.6, 2.8
    EXPECT_EQ(workers.Run(*control), (Batches{27, 13})); // 2.6, 2.8
    EXPECT_EQ(control->GetSmallStragglers(), 0U);
}

/// Workers 1 and 2 tie for the lead, 0 and 3 for the last place.
TEST(IterativeBatchSize, TiesGoToTheLowestNumber)
{
    const auto control = MakeControl({5, 1, 1, 1});
    EXPECT_EQ(control->Update(MakeReports({9, 9, 9, 9}, {2, 1, 1, 2})), (Batches{4, 14, 9, 9}));
}

TEST(IterativeBatchSize, NothingChangesIfAllAreEqual)
{
    const auto control = MakeControl({5, 1, 1, 1});
    EXPECT_EQ(control->Update(MakeReports({9, 9}, {2, 2})), (Batches{9, 9}));
    EXPECT_EQ(control->Update(MakeReports({5, 5}, {2, 2})), (Batches{5, 5}));
    EXPECT_FALSE(control->IsFineTuning());
    EXPECT_EQ(control->GetSmallStragglers(), 0U);
}

/// The fastest has 96 % of its memory in use, the next one no room for 5 more: the third leads.
/// With 95 % the first leads; without the others' room nobody does.
TEST(IterativeBatchSize, WorkersWithoutMemoryDoNotLead)
{
    const auto control = MakeControl({5, 1, 1, 1});
    auto reports = MakeReports({9, 9, 9, 9}, {1, 2, 3, 4});
    reports[0].used = 0.96;
    reports[1].largest = 13;
    EXPECT_EQ(control->Update(reports), (Batches{9, 9, 14, 4}));
    reports[1].largest = 14;
    EXPECT_EQ(control->Update(reports), (Batches{9, 14, 9, 4}));
    reports[0].used = 0.95;
    EXPECT_EQ(control->Update(reports), (Batches{14, 9, 9, 4}));
    for (auto& report : reports)
    {
        report.used = 1;
    }
    EXPECT_EQ(control->Update(reports), (Batches{9, 9, 9, 9}));
}

/// A straggler with 5 samples cannot give 5; one with 6 can.
TEST(IterativeBatchSize, SmallStragglersAreCounted)
{
    const auto control = MakeControl({5, 1, 1, 1});
    EXPECT_EQ(control->Update(MakeReports({9, 5}, {1, 2})), (Batches{9, 5}));
    EXPECT_EQ(control->GetSmallStragglers(), 1U);
    EXPECT_EQ(control->Update(MakeReports({9, 6}, {1, 2})), (Batches{14, 1}));
    EXPECT_EQ(control->GetSmallStragglers(), 1U);
}

/// Worker 1 was slower once, left and came back: that is forgotten, and the window begins anew.
TEST(IterativeBatchSize, HistoryBeginsWhenAWorkerJoins)
{
    const auto control = MakeControl({5, 2, 1, 2});
    control->Update(MakeReports({9, 9, 9}, {1, 3, 2}));
    auto reports = MakeReports({9, 9, 9}, {2, 1, 3});
    reports[1].present = false;
    EXPECT_EQ(control->Update(reports), (Batches{9 + 5, 0, 9 - 5})); // 0 before 2, twice
    reports[1].present = true;
    reports[1].seconds = 0; // it has done no step yet
    EXPECT_EQ(control->Update(reports), (Batches{14, 9, 4}));
    reports[1].seconds = 1;
    EXPECT_EQ(control->Update(reports), (Batches{9, 9, 9})); // 1 before 2, once
    EXPECT_FALSE(control->IsFineTuning());
    EXPECT_EQ(control->Update(reports), (Batches{9, 14, 4}));
}

/// Random curves with random noise, memory that fills up at times, all settings.
TEST(IterativeBatchSize, EqualsThePaperWithFullHistory)
{
    RngStream random(1, 1, 0);
    const auto draw = [&random](double low, double high) {
        return low + (high - low) * random.RandU01();
    };
    uint32_t fineTuning = 0;
    uint64_t small = 0;
    for (uint32_t test = 0; test < 200; ++test)
    {
        const auto workers = static_cast<uint32_t>(draw(2, 7));
        const Settings settings{static_cast<uint32_t>(draw(1, 7)),
                                static_cast<uint32_t>(draw(1, 7)),
                                static_cast<uint32_t>(draw(1, 3)),
                                static_cast<uint32_t>(draw(1, 25))};
        const double noise = test % 3 == 0 ? 0 : draw(0, 0.2);
        std::vector<double> floor;
        std::vector<double> launch;
        std::vector<double> perSample;
        for (uint32_t i = 0; i < workers; ++i)
        {
            launch.push_back(draw(0, 1));
            perSample.push_back(draw(0.01, 0.1));
            floor.push_back(draw(0, 2));
        }
        const auto control = MakeControl(settings);
        Algorithm2 paper(settings);
        Batches batches(workers, 32);
        for (uint32_t step = 0; step < 200; ++step)
        {
            std::vector<double> seconds;
            for (uint32_t i = 0; i < workers; ++i)
            {
                seconds.push_back(std::max(floor[i], launch[i] + perSample[i] * batches[i]) *
                                  draw(1 - noise, 1 + noise));
            }
            auto reports = MakeReports(batches, seconds);
            for (auto& report : reports)
            {
                report.used = draw(0, 1);
                report.largest = 60;
            }
            batches = paper.Update(reports);
            ASSERT_EQ(control->Update(reports), batches) << "test " << test << ", step " << step;
        }
        fineTuning += control->IsFineTuning();
        small += control->GetSmallStragglers();
    }
    EXPECT_GT(fineTuning, 50U); // every branch was taken
    EXPECT_LT(fineTuning, 200U);
    EXPECT_GT(small, 0U);
}

/**
 * GPUs with a launch overhead, one of them saturated only from 40 samples on. The smallest possible
 * maximum of the times is found by trying all of them; the algorithm comes as near as one sample of
 * the slowest GPU.
 */
TEST(IterativeBatchSize, BalancesGpus)
{
    const std::vector<double> floor{0.5, 0.1, 0.1, 0.1};
    const std::vector<double> launch{0.1, 0.2, 0.2, 0.3};
    const std::vector<double> perSample{0.01, 0.03, 0.05, 0.08};
    const auto time = [&](uint32_t i, uint32_t batch) {
        return std::max(floor[i], launch[i] + perSample[i] * batch);
    };
    const uint32_t total = 128;
    double optimum = 100;
    for (uint32_t i = 0; i < 4; ++i)
    {
        for (uint32_t batch = 1; batch <= total; ++batch)
        {
            const double limit = time(i, batch);
            uint32_t samples = 0;
            for (uint32_t j = 0; j < 4; ++j)
            {
                for (uint32_t more = 1; more <= total && time(j, more) <= limit; ++more)
                {
                    ++samples;
                }
            }
            optimum = samples >= total ? std::min(optimum, limit) : optimum;
        }
    }
    const auto control = MakeControl(Settings());
    Batches batches(4, 32);
    for (uint32_t step = 0; step < 1000; ++step)
    {
        std::vector<double> seconds;
        for (uint32_t i = 0; i < 4; ++i)
        {
            seconds.push_back(time(i, batches[i]));
        }
        const double longest = *std::max_element(seconds.begin(), seconds.end());
        if (step == 0)
        {
            EXPECT_NEAR(longest, 2.86, 1e-9); // the last one's 32 samples
        }
        if (step >= 300)
        {
            EXPECT_LE(longest, optimum + 0.08 + 1e-9) << step;
        }
        batches = control->Update(MakeReports(batches, seconds));
        ASSERT_EQ(std::accumulate(batches.begin(), batches.end(), 0U), total);
    }
    EXPECT_TRUE(control->IsFineTuning());
}
