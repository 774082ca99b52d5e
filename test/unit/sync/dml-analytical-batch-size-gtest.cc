/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Algorithm 1 of LB-BSP: batch sizes in proportion to predicted speeds.

#include "ns3/dml-analytical-batch-size.h"
#include "ns3/dml-last-speed.h"

#include <gtest/gtest.h>
#include <vector>

using namespace ns3;
using namespace ns3::dml;

namespace
{

using Batches = std::vector<uint32_t>;

Ptr<BatchSizeControl>
MakeControl()
{
    ObjectFactory predictor;
    predictor.SetTypeId(LastSpeed::GetTypeId());
    ObjectFactory control;
    control.SetTypeId(AnalyticalBatchSize::GetTypeId());
    control.Set("Predictor", ObjectFactoryValue(predictor));
    return control.Create<BatchSizeControl>();
}

WorkerReport
Report(uint32_t batch, double seconds)
{
    WorkerReport report;
    report.batch = batch;
    report.seconds = seconds;
    return report;
}

/// A predictor that tells what it was given: a speed of 100 x CPU of the step done + memory of it.
class Echo : public SpeedPredictor
{
  public:
    static TypeId GetTypeId()
    {
        static TypeId tid = TypeId("ns3::dml::test::EchoSpeed")
                                .SetParent<SpeedPredictor>()
                                .SetGroupName("Dml")
                                .AddConstructor<Echo>();
        return tid;
    }

    void Observe([[maybe_unused]] double speed, double cpu, double memory) override
    {
        m_told = 100 * cpu + memory;
    }

    double Predict([[maybe_unused]] double cpu, [[maybe_unused]] double memory) const override
    {
        return m_told;
    }

  private:
    double m_told{0}; //!< of the step done
};

} // namespace

/// Speeds are 8/2 = 4, 8/4 = 2 and 8/4 = 2 samples/s; 24 samples by 2 : 1 : 1 are 12, 6, 6. If the
/// first then takes 6 s for its 12, speeds are equal.
TEST(AnalyticalBatchSize, FollowsTheSpeeds)
{
    const auto control = MakeControl();
    EXPECT_TRUE(control->IsBlocking());
    EXPECT_EQ(control->Update({Report(8, 2), Report(8, 4), Report(8, 4)}), (Batches{12, 6, 6}));
    EXPECT_EQ(control->Update({Report(12, 6), Report(6, 3), Report(6, 3)}), (Batches{8, 8, 8}));
}

/// Worker 2 leaves with its 6: the other 18 stay. It joins with 6 and no speed, and keeps them,
/// while the others share theirs; its speed of old is forgotten.
TEST(AnalyticalBatchSize, WorkersLeaveAndJoin)
{
    const auto control = MakeControl();
    control->Update({Report(8, 2), Report(8, 4), Report(8, 4)});
    WorkerReport gone;
    gone.present = false;
    EXPECT_EQ(control->Update({Report(12, 3), Report(6, 3), gone}), (Batches{12, 6, 0}));
    EXPECT_EQ(control->Update({Report(12, 6), Report(6, 3), Report(6, 0)}), (Batches{9, 9, 6}));
    // speeds 1, 1, 4
    EXPECT_EQ(control->Update({Report(9, 9), Report(9, 9), Report(6, 1.5)}), (Batches{4, 4, 16}));
}

/// 24 samples at equal speeds, but the first holds 5; then nobody can hold more than they have.
TEST(AnalyticalBatchSize, MemoryLimits)
{
    const auto control = MakeControl();
    std::vector<WorkerReport> reports{Report(8, 1), Report(8, 1), Report(8, 1)};
    reports[0].largest = 5;
    EXPECT_EQ(control->Update(reports), (Batches{5, 10, 9}));
    reports = {Report(5, 1), Report(10, 10), Report(9, 1)};
    reports[0].largest = 5;
    reports[1].largest = 10;
    reports[2].largest = 9;
    EXPECT_EQ(control->Update(reports), (Batches{5, 10, 9}));
    reports[2].largest = 8; // not even that: all keep theirs
    EXPECT_EQ(control->Update(reports), (Batches{5, 10, 9}));
}

/// A report has the CPU and memory of the step to come; the next one's speed belongs to them.
TEST(AnalyticalBatchSize, SpeedsGoWithTheResourcesOfTheirStep)
{
    ObjectFactory predictor;
    predictor.SetTypeId(Echo::GetTypeId());
    ObjectFactory factory;
    factory.SetTypeId(AnalyticalBatchSize::GetTypeId());
    factory.Set("Predictor", ObjectFactoryValue(predictor));
    const auto control = factory.Create<BatchSizeControl>();
    std::vector<WorkerReport> reports{Report(20, 1), Report(20, 1)};
    reports[0].cpu = 0.03; // 3 : 1 from here on
    reports[0].memory = 0;
    reports[1].cpu = 0;
    reports[1].memory = 1;
    EXPECT_EQ(control->Update(reports), (Batches{30, 10})); // the first step's are not known
    reports[0].cpu = 0.01;                                  // for the step after the next
    reports[0].batch = 30;
    reports[1].batch = 10;
    EXPECT_EQ(control->Update(reports), (Batches{30, 10}));
    EXPECT_EQ(control->Update(reports), (Batches{20, 20}));
}
