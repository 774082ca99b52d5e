/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-channel-words.h"

#include "ns3/dml-schedule-meter.h"
#include "ns3/dml-step-work.h"
#include "ns3/dml-straggler-meter.h"

#include <cmath>
#include <gtest/gtest.h>
#include <vector>

using namespace ns3::dml;

namespace
{

constexpr OpIndex PULL_A = 0;
constexpr OpIndex PULL_B = 1;
constexpr OpIndex FORWARD = 2;
constexpr OpIndex BACKWARD = 3;
constexpr OpIndex PUSH = 4;
constexpr OpIndex UPDATE = 5;

/// @return a step of all kinds of ops, on a worker with two devices, of 1 and 2 slots
Profile
MakeProfile()
{
    Profile profile;
    profile.tensors = {{"a", 1}, {"b", 1}};
    profile.devices = {{"gpu", 1}, {"cpu", 2}};
    profile.graph.Add({"pull/a", OpKind::PULL, 0, 0});
    profile.graph.Add({"pull/b", OpKind::PULL, 0, 1});
    profile.graph.Add({"forward", OpKind::FORWARD, 0, NO_INDEX});
    profile.graph.Add({"backward", OpKind::BACKWARD, 0, NO_INDEX});
    profile.graph.Add({"push/a", OpKind::PUSH, 0, 0});
    profile.graph.Add({"update/a", OpKind::UPDATE, 0, 0});
    return profile;
}

/// Keeps what it is told.
class Keeper : public StepWorkListener
{
  public:
    void StepWorked(const StepRecord& step, const StepWork& work) override
    {
        steps.push_back(step);
        works.push_back(work);
    }

    std::vector<StepRecord> steps; //!< in order
    std::vector<StepWork> works;   //!< in order
};

/// Reports steps to a collector.
class DmlStepWork : public testing::Test
{
  protected:
    void Chunk(uint32_t step,
               OpIndex op,
               ResourceLabel kind,
               uint32_t index,
               double start,
               double end)
    {
        m_collector.On(
            ChunkRecord{0, step, op, false, MakeResource(kind, index, 0), 0, start, end});
    }

    void Transfer(uint32_t step, OpIndex op, Direction direction, double first, double last)
    {
        m_collector.On(
            TransferRecord{MakeChannel(direction, 0, 0), step, op, 0, first, first, last});
    }

    /**
     * Ten seconds from @p t on: pulls in [0, 2] and [1, 3]; forward from @p forward for 2 s,
     * backward [6, 9] on device 0, 4 s of work on device 1; push [7, 8]; update [8, 9].
     */
    void Step(uint32_t step, double t, double forward)
    {
        Transfer(step, PULL_A, Direction::DOWNLINK, t, t + 2);
        Transfer(step, PULL_B, Direction::DOWNLINK, t + 1, t + 3);
        Chunk(step, FORWARD, ResourceLabel::DEVICE, 0, t + forward, t + forward + 2);
        Chunk(step, FORWARD, ResourceLabel::DEVICE, 1, t + 5, t + 7);
        Chunk(step, FORWARD, ResourceLabel::DEVICE, 1, t + 5, t + 7);
        Transfer(step, PUSH, Direction::UPLINK, t + 7, t + 8);
        Chunk(step, BACKWARD, ResourceLabel::DEVICE, 0, t + 6, t + 9);
        Chunk(step, UPDATE, ResourceLabel::SERVER, 0, t + 8, t + 9);
    }

    Keeper m_keeper;                     //!< told of each step
    ScheduleMeter m_meter{{1, 2}, 1, 1}; //!< counts from step 1 on
    StepWorkCollector m_collector{MakeProfile(), 1, 1, {&m_keeper, &m_meter}}; //!< told of all
};

} // namespace

// Links: [0, 2] and [1, 3] are 3 s down, 1 s up. The turns of the links do not count beside them.
TEST_F(DmlStepWork, SumsUpAStep)
{
    Chunk(0, PULL_A, ResourceLabel::DOWNLINK, 0, 0, 2);
    Step(0, 0, 3);
    m_collector.On(StepRecord{0, 0, 0, 0, 10});
    ASSERT_EQ(m_keeper.works.size(), 1u);
    const StepWork& work = m_keeper.works[0];
    EXPECT_EQ(work.links, (std::vector<double>{3, 1}));
    EXPECT_EQ(work.devices, (std::vector<double>{5, 4}));
    EXPECT_EQ(work.servers, (std::vector<double>{1}));
    EXPECT_EQ(work.parsers, (std::vector<double>{0, 0}));
    EXPECT_DOUBLE_EQ(work.firstForward, 3);
    EXPECT_DOUBLE_EQ(work.lastBackward, 9);
    EXPECT_DOUBLE_EQ(work.lastOwn, 9);
}

// A collective and adding up what it brings are no work of a device, nor do they end the worker's
// own work.
TEST_F(DmlStepWork, CollectivesKeepNoDeviceBusy)
{
    Chunk(0, BACKWARD, ResourceLabel::DEVICE, 0, 0, 2);
    Chunk(0, PUSH, ResourceLabel::REDUCER, 0, 3, 4);
    Chunk(0, PUSH, ResourceLabel::COLLECTIVE, 0, 2, 5);
    m_collector.On(StepRecord{0, 0, 0, 0, 5});
    EXPECT_EQ(m_keeper.works.at(0).devices, (std::vector<double>{2, 0}));
    EXPECT_DOUBLE_EQ(m_keeper.works.at(0).lastOwn, 2);
}

// What the next step does before this one ends is the next one's; a step that has ended is closed.
TEST_F(DmlStepWork, KeepsOverlappingStepsApart)
{
    Transfer(0, PULL_A, Direction::DOWNLINK, 0, 1);
    Transfer(1, PULL_A, Direction::DOWNLINK, 1, 4);
    Transfer(0, PUSH, Direction::UPLINK, 1, 5);
    m_collector.On(StepRecord{0, 0, 0, 0, 5});
    Transfer(0, PULL_B, Direction::DOWNLINK, 5, 6);
    m_collector.On(ChunkRecord{7,
                               1,
                               FORWARD,
                               false,
                               MakeResource(ResourceLabel::DEVICE, 0, 7),
                               0,
                               0,
                               9}); // another job's
    m_collector.On(StepRecord{7, 1, 0, 0, 9});
    m_collector.On(StepRecord{0, 1, 0, 1, 6});
    ASSERT_EQ(m_keeper.works.size(), 2u);
    EXPECT_EQ(m_keeper.works[0].links, (std::vector<double>{1, 4}));
    EXPECT_DOUBLE_EQ(m_keeper.works[0].lastOwn, 5);
    EXPECT_DOUBLE_EQ(m_keeper.works[0].time, 5);
    EXPECT_DOUBLE_EQ(m_keeper.works[1].time, 1); // from 5 to 6, although it began at 1
    EXPECT_EQ(m_keeper.works[1].links, (std::vector<double>{3, 0}));
    EXPECT_EQ(m_keeper.works[1].devices, (std::vector<double>{0, 0}));
    EXPECT_TRUE(std::isinf(m_keeper.works[1].firstForward));
}

// Step 0 is warm-up. Of step 1: 3 + 1 s on links, 1 s on the server, 5 s on device 0, 2 s on each
// slot of device 1: U = 14, L = 5, m = 10, so E = 4/9 and S = 9/5. Forward starts 4 s after the
// step, 5 s after the last step's backward.
TEST_F(DmlStepWork, EfficiencySpeedupAndForwardStart)
{
    Step(0, 0, 3);
    m_collector.On(StepRecord{0, 0, 0, 0, 10});
    Step(1, 10, 4);
    m_collector.On(StepRecord{0, 1, 0, 10, 20});
    EXPECT_EQ(m_meter.GetEfficiency().count, 1u);
    EXPECT_NEAR(m_meter.GetEfficiency().GetMean(), 4.0 / 9, 1e-12);
    EXPECT_NEAR(m_meter.GetSpeedup().GetMean(), 9.0 / 5, 1e-12);
    EXPECT_DOUBLE_EQ(m_meter.GetForwardStart().GetMean(), 5);
    EXPECT_DOUBLE_EQ(m_meter.GetTime().GetMean(), 10);
}

// A step that only computes: U = L = 2, E is undefined and not divided; S = 0.
TEST_F(DmlStepWork, EfficiencyOfOneResourceIsUndefined)
{
    Chunk(1, BACKWARD, ResourceLabel::DEVICE, 0, 0, 2);
    m_collector.On(StepRecord{0, 1, 0, 0, 2});
    EXPECT_EQ(m_meter.GetEfficiency().count, 0u);
    EXPECT_EQ(m_meter.GetEfficiency().undefined, 1u);
    EXPECT_DOUBLE_EQ(m_meter.GetSpeedup().GetMean(), 0);
    EXPECT_EQ(m_meter.GetForwardStart().undefined, 1u);
}

// Steps 1 and 2 from 10 to 30: device 0 is busy for 10 of 20 s, device 1 for 8 of 40 slot seconds.
// Had they overlapped (the second from 18 on), there would be 18 s, and no idle time twice.
TEST_F(DmlStepWork, IdleTimeOfDevices)
{
    Step(1, 10, 4);
    m_collector.On(StepRecord{0, 1, 0, 10, 20});
    Step(2, 20, 4);
    m_collector.On(StepRecord{0, 2, 0, 20, 30});
    const auto uses = m_meter.GetDeviceUse();
    ASSERT_EQ(uses.size(), 2u);
    EXPECT_DOUBLE_EQ(uses[0].GetUtilisation(), 0.5);
    EXPECT_DOUBLE_EQ(uses[0].GetIdle(), 5);
    EXPECT_DOUBLE_EQ(uses[1].GetUtilisation(), 0.2);
    EXPECT_DOUBLE_EQ(uses[1].GetIdle(), 16);

    ScheduleMeter overlapping({1}, 1, 0);
    StepWork work;
    work.links = {1, 1};
    work.devices = {5};
    overlapping.StepWorked({0, 0, 0, 0, 10}, work);
    overlapping.StepWorked({0, 1, 0, 8, 18}, work);
    EXPECT_DOUBLE_EQ(overlapping.GetDeviceUse()[0].GetUtilisation(), 10.0 / 18);
    EXPECT_DOUBLE_EQ(overlapping.GetDeviceUse()[0].GetIdle(), 4);
    EXPECT_TRUE(std::isnan(ScheduleMeter({1}, 1, 0).GetDeviceUse()[0].GetUtilisation()));
}

// Steps of 4, 8 and 6 s that end in any order: (8 - 4) / 8. The next ones are incomplete; step 0 is
// warm-up.
TEST(DmlStragglerMeter, SpreadOfStepsWithoutBarrier)
{
    StragglerMeter meter(3, 1, false);
    const auto end = [&meter](uint32_t worker, uint32_t step, double time) {
        StepWork work;
        work.time = time;
        meter.StepWorked({worker, step, 0, 0, 99}, work);
    };
    end(1, 0, 1);
    end(0, 1, 4);
    end(0, 2, 1);
    end(2, 1, 6);
    end(1, 1, 8);
    EXPECT_EQ(meter.GetTime().count, 1u);
    EXPECT_DOUBLE_EQ(meter.GetTime().GetMean(), 0.5);
}

// Both steps take 10 s; worker 0 has done its part after 6 s, worker 1 after 8.5 s: a wait of 2.5
// s.
TEST(DmlStragglerMeter, LongestWaitAtABarrier)
{
    StragglerMeter meter(2, 0, true);
    StepWork work;
    work.time = 10;
    work.lastOwn = 6;
    meter.StepWorked({0, 0, 0, 0, 10}, work);
    work.lastOwn = 8.5;
    meter.StepWorked({1, 0, 0, 0, 10}, work);
    EXPECT_DOUBLE_EQ(meter.GetTime().GetMean(), 0.25);
    // a worker that did nothing of its own: there is nothing to compare
    meter.StepWorked({0, 1, 0, 10, 20}, work);
    meter.StepWorked({1, 1, 0, 10, 20}, StepWork());
    EXPECT_EQ(meter.GetTime().undefined, 1u);
}

// Without a barrier: worker 1 has the longest step of iteration 0, worker 0 and 1 share iteration
// 1, worker 2 has iteration 2. Worker 2 skips 3, so that it is not complete, nor told of again; 4
// is.
TEST(DmlStragglerMeter, CountsWhoWasLast)
{
    StragglerMeter meter(3, 0, false);
    const auto end = [&meter](uint32_t worker, uint32_t step, double time) {
        StepWork work;
        work.time = time;
        meter.StepWorked({worker, step, 0, 0, 99}, work);
    };
    const std::vector<std::vector<double>> times{{1, 3, 2},
                                                 {3, 3, 2},
                                                 {1, 2, 3},
                                                 {9, 1},
                                                 {5, 4, 3}};
    for (uint32_t step = 0; step < times.size(); ++step)
    {
        for (uint32_t worker = 0; worker < times[step].size(); ++worker)
        {
            end(worker, step, times[step][worker]);
        }
    }
    EXPECT_EQ(meter.GetIterations(), 4u);
    EXPECT_EQ(meter.GetLast(), (std::vector<uint64_t>{1, 1, 1}));
    EXPECT_EQ(meter.GetTime().count, 4u);
}
