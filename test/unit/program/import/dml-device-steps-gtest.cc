/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/dml-device-steps.h"

#include <gtest/gtest.h>
#include <vector>

using namespace ns3::dml;

namespace
{

constexpr int64_t MS = 1'000'000;

/// Steps of a host, and what a device does for it. Times in milliseconds.
class DmlDeviceSteps : public ::testing::Test
{
  protected:
    void AddStep(int64_t start, int64_t end)
    {
        DeviceStep step;
        step.hostStart = start * MS;
        step.hostEnd = end * MS;
        m_steps.push_back(step);
    }

    /// @param call when the host queues it @param answered the trace has the work, not only the
    /// call
    void AddWork(int64_t call,
                 int64_t start,
                 int64_t end,
                 uint32_t stream = 7,
                 bool answered = true)
    {
        m_calls.push_back({call * MS, answered});
        if (answered)
        {
            m_works.push_back({start * MS, end * MS, call * MS, call * MS, stream, false});
        }
    }

    /// @return start and end of each step
    std::vector<std::pair<int64_t, int64_t>> Find()
    {
        FindDeviceSteps(m_steps, m_works, m_calls);
        std::vector<std::pair<int64_t, int64_t>> times;
        for (const DeviceStep& step : m_steps)
        {
            times.emplace_back(step.start / MS, step.end / MS);
        }
        return times;
    }

    using Times = std::vector<std::pair<int64_t, int64_t>>;
    std::vector<DeviceStep> m_steps;
    std::vector<DeviceWork> m_works;
    std::vector<DeviceCall> m_calls;
};

} // namespace

// The host takes 100 ms a step and loads data for 10, 30 and 20 ms of them; its device is done 40
// ms before it each time. That the first batch comes soon makes its step no longer.
TEST_F(DmlDeviceSteps, OfADeviceThatWaitsForTheHostLastAsTheHosts)
{
    AddStep(1000, 1100);
    AddWork(1010, 1010, 1060);
    AddStep(1100, 1200);
    AddWork(1130, 1130, 1160);
    AddStep(1200, 1300);
    AddWork(1220, 1220, 1260);
    EXPECT_EQ(Find(), (Times{{960, 1060}, {1060, 1160}, {1160, 1260}}));
}

// After its last kernel, the host of the last step needs 500 ms to end its processes.
TEST_F(DmlDeviceSteps, EndWithTheirLastWork)
{
    AddStep(1000, 1100);
    AddWork(1010, 1010, 1100);
    AddStep(1100, 1200);
    AddWork(1110, 1110, 1200);
    AddStep(1200, 1800);
    AddWork(1210, 1210, 1300);
    EXPECT_EQ(Find(), (Times{{1000, 1100}, {1100, 1200}, {1200, 1300}}));
}

// The host does ops of it, too, and so a step lasts until it is done.
TEST_F(DmlDeviceSteps, AreThoseOfBothWhereTheHostComputesToo)
{
    AddStep(1000, 1100);
    AddWork(1010, 1010, 1060);
    AddStep(1100, 1200);
    AddWork(1130, 1130, 1260);
    AddStep(1205, 1290);
    AddWork(1220, 1260, 1270);
    for (DeviceStep& step : m_steps)
    {
        step.isShared = true;
    }
    EXPECT_EQ(Find(), (Times{{1000, 1100}, {1100, 1260}, {1260, 1290}}));
}

// The device needs 80 ms for what the host queues in 60 ms, and is 300 ms behind at first.
TEST_F(DmlDeviceSteps, BeginWhenTheDeviceIsFreeForThem)
{
    for (int64_t s = 0; s < 4; ++s)
    {
        AddStep(60 * s, 60 * s + 60);
        AddWork(60 * s + 5, 300 + 80 * s, 340 + 80 * s);
        AddWork(60 * s + 9, 340 + 80 * s, 380 + 80 * s);
    }
    EXPECT_EQ(Find(), (Times{{300, 380}, {380, 460}, {460, 540}, {540, 620}}));
}

// The device is done 20 ms after the host in each step, while that loads data for 30 ms; a trace
// of one step tells as much.
TEST_F(DmlDeviceSteps, BeginAsLateAsOthersWhereTheDeviceWasFree)
{
    for (const int64_t start : {100, 200, 300})
    {
        AddStep(start, start + 100);
        AddWork(start + 30, start + 30, start + 120);
    }
    EXPECT_EQ(Find(), (Times{{120, 220}, {220, 320}, {320, 420}}));
    m_steps.erase(m_steps.begin() + 1, m_steps.end());
    EXPECT_EQ(Find(), (Times{{120, 220}}));
}

// The trace has work of the step before the first one, of which it does not have the call.
TEST_F(DmlDeviceSteps, BeginWhereTheDeviceIsSeenToEndWhatItDidBefore)
{
    for (const int64_t start : {100, 200, 300})
    {
        AddStep(start, start + 100);
        AddWork(start + 30, start + 30, start + 120);
    }
    AddWork(50, 60, 107);
    EXPECT_EQ(Find(), (Times{{107, 220}, {220, 320}, {320, 420}}));
}

// A copy of 90 ms is beside the steps; a branch that the main stream waits for is not.
TEST_F(DmlDeviceSteps, DoNotWaitForStreamsBesideThem)
{
    for (int64_t s = 1; s < 4; ++s)
    {
        AddStep(100 * s, 100 * s + 100);
        AddWork(100 * s + 5, 100 * s + 5, 100 * s + 60);
        AddWork(100 * s, 100 * s + 60, 100 * s + 90, 8);
        AddWork(100 * s, 100 * s + 60, 100 * s + 150, 9);
        m_works.back().computes = false;
    }
    EXPECT_EQ(Find(), (Times{{90, 190}, {190, 290}, {290, 390}}));
}

// The second step's last kernel is lost. The third began when its first kernel did, which waited.
TEST_F(DmlDeviceSteps, WithoutTheirLastWorkAreIncomplete)
{
    for (int64_t s = 0; s < 4; ++s)
    {
        AddStep(10 * s, 10 * s + 10);
        AddWork(10 * s + 1, 100 + 80 * s, 140 + 80 * s);
        AddWork(10 * s + 2, 140 + 80 * s, 180 + 80 * s, 7, s != 1);
    }
    const Times times = Find();
    EXPECT_EQ(times[2], (std::pair<int64_t, int64_t>{260, 340}));
    EXPECT_EQ(times[3], (std::pair<int64_t, int64_t>{340, 420}));
    for (std::size_t s = 0; s < 4; ++s)
    {
        EXPECT_EQ(m_steps[s].complete, s != 1) << s;
    }
}
