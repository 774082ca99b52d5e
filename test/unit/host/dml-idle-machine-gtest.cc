/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/dml-child-process.h"
#include "ns3/dml-error.h"
#include "ns3/dml-idle-machine.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <gtest/gtest.h>
#include <string>
#include <unistd.h>
#include <utility>
#include <vector>

namespace
{

using namespace ns3::dml;

/// A machine whose counters are a file, and on which time goes by when somebody sleeps.
class FakeMachine
{
  public:
    /// @param cores that are taken in each half second, the last for ever
    explicit FakeMachine(std::vector<double> cores)
        : m_cores(std::move(cores))
    {
        Write();
    }

    ~FakeMachine()
    {
        std::remove(m_file.c_str());
    }

    FakeMachine(const FakeMachine&) = delete;
    FakeMachine& operator=(const FakeMachine&) = delete;

    MachineProbe GetProbe()
    {
        return {m_file, [this] { return m_now; }, [this](double seconds) { Sleep(seconds); }};
    }

  private:
    void Sleep(double seconds)
    {
        m_now += seconds;
        m_busy += seconds * m_cores[std::min(m_sleeps, m_cores.size() - 1)];
        ++m_sleeps;
        Write();
    }

    /// A quarter of the time each as user, nice, system and stolen; much of what does not count.
    void Write() const
    {
        const long part = std::lround(m_busy * sysconf(_SC_CLK_TCK) / 4);
        std::ofstream(m_file) << "cpu  " << part << " " << part << " " << part << " " << 900 * m_now
                              << " " << 70 * m_now << " 0 0 " << part << " 0 0\ncpu0 1 2 3\n";
    }

    std::vector<double> m_cores;
    std::string m_file{testing::TempDir() + "dml-stat-" + std::to_string(getpid())};
    double m_now{1000};
    double m_busy{0};
    std::size_t m_sleeps{0};
};

/// What a look at a fake machine may be off by: this process's own time, which is subtracted.
constexpr double OWN = 0.1;

TEST(IdleMachine, IsNotWaitedFor)
{
    FakeMachine machine({0.16});
    const MachineUse use = WaitForIdleMachine(
        60,
        [](const auto&, double) { FAIL(); },
        machine.GetProbe());
    EXPECT_FALSE(use.IsBusy());
    EXPECT_NEAR(use.cores, 0.16, OWN);
    EXPECT_EQ(use.waited, 0);
}

// Busy for three looks of half a second, then idle: found in the fourth, after 1.5 s of waiting.
TEST(IdleMachine, IsWaitedForUntilOthersHaveEnded)
{
    FakeMachine machine({2, 1.5, 1, 0});
    std::vector<double> lefts;
    std::vector<double> cores;
    const MachineUse use = WaitForIdleMachine(
        60,
        [&](const MachineUse& found, double left) {
            cores.push_back(found.cores);
            lefts.push_back(left);
        },
        machine.GetProbe());
    EXPECT_FALSE(use.IsBusy());
    EXPECT_NEAR(use.cores, 0, OWN);
    EXPECT_DOUBLE_EQ(use.waited, 1.5);
    EXPECT_EQ(lefts, (std::vector<double>{60, 59.5, 59}));
    ASSERT_EQ(cores.size(), 3U);
    EXPECT_NEAR(cores[0], 2, OWN);
    EXPECT_NEAR(cores[1], 1.5, OWN);
    EXPECT_NEAR(cores[2], 1, OWN);
}

// Two seconds of waiting after the first look: four more looks.
TEST(IdleMachine, IsNotWaitedForAnyLongerThanAsked)
{
    for (const double most : {0.0, 2.0})
    {
        FakeMachine machine({1});
        int told = 0;
        const MachineUse use = WaitForIdleMachine(
            most,
            [&](const auto&, double) { ++told; },
            machine.GetProbe());
        EXPECT_TRUE(use.IsBusy());
        EXPECT_NEAR(use.cores, 1, OWN);
        EXPECT_DOUBLE_EQ(use.waited, most);
        EXPECT_EQ(told, 2 * most);
    }
}

TEST(IdleMachine, HasCounters)
{
    MachineProbe probe;
    probe.file = "/proc/no-such-file";
    EXPECT_THROW(WaitForIdleMachine(0, {}, probe), RunError);
    probe.file = "/proc/self/status";
    EXPECT_THROW(WaitForIdleMachine(0, {}, probe), RunError);
}

// A child counts while it runs; whatever else this machine does makes it only busier.
TEST(IdleMachine, IsBusyWhileAProcessComputes)
{
    ChildProcess child;
    if (child.Fork())
    {
        for (volatile uint64_t count = 0;; count = count + 1)
        {
        }
    }
    const MachineUse use = WaitForIdleMachine(0, {});
    child.End();
    EXPECT_TRUE(use.IsBusy()) << use.cores;
}

} // namespace
