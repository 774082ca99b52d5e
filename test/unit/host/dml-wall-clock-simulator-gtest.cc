/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Timers and files in real time. Nothing here asserts how late a machine is, only what comes before
// what, and that nothing comes early.

#include "dml-clock-run.h"

#include "ns3/dml-wall-clock-simulator.h"
#include "ns3/simulator.h"

#include <gtest/gtest.h>
#include <string>
#include <sys/epoll.h>
#include <thread>
#include <unistd.h>
#include <vector>

using namespace ns3;
using namespace ns3::dml;

namespace
{

/// Order of what happened.
std::vector<std::string> g_done;

void
Note(const std::string& what)
{
    g_done.push_back(what);
}

/// Seconds of the machine's clock since the simulator's time was 0.
double
ReadSeconds(int64_t origin)
{
    return 1e-9 * static_cast<double>(WallClockSimulator::ReadClock() - origin);
}

} // namespace

TEST(WallClockSimulator, EventsComeInOrderAndNotEarly)
{
    const ClockRun run;
    const int64_t origin = WallClockSimulator::ReadClock();
    run.Get().SetOrigin(origin);
    g_done.clear();
    double late = 0;
    Simulator::Schedule(MilliSeconds(20), [] { Note("20 ms"); });
    Simulator::Schedule(MilliSeconds(10), [&] {
        Note("10 ms");
        late = ReadSeconds(origin);
        Simulator::ScheduleNow([] { Note("at once"); });
        Simulator::Schedule(MilliSeconds(10), [] { Note("20 ms, later"); });
    });
    Simulator::Schedule(MilliSeconds(30), [] { Simulator::Stop(); });
    Simulator::Schedule(MilliSeconds(31), [] { Note("too late"); });
    Simulator::Run();
    EXPECT_EQ(g_done, (std::vector<std::string>{"10 ms", "at once", "20 ms", "20 ms, later"}));
    EXPECT_GE(late, 0.010);
    EXPECT_GE(ReadSeconds(origin), 0.030);
    EXPECT_EQ(run.Get().GetLateness().timers, 3U); // two of them shared the instant of another
    EXPECT_GE(run.Get().GetLateness().largest, Time(0));
}

TEST(WallClockSimulator, LatenessDoesNotAddUp)
{
    // each sleeps 3 ms in an event, so the next one is late; it sees its own time nevertheless
    const ClockRun run;
    std::vector<int64_t> seen;
    std::function<void()> next = [&] {
        seen.push_back(Simulator::Now().GetMicroSeconds());
        usleep(3000);
        if (seen.size() == 4)
        {
            Simulator::Stop();
            return;
        }
        Simulator::Schedule(MilliSeconds(2), next);
    };
    Simulator::Schedule(MilliSeconds(5), next);
    Simulator::Run();
    EXPECT_EQ(seen, (std::vector<int64_t>{5000, 7000, 9000, 11000}));
    EXPECT_GE(run.Get().GetLateness().largest, MilliSeconds(2));
}

TEST(WallClockSimulator, CancelledAndRemovedEventsDoNotRun)
{
    const ClockRun run;
    g_done.clear();
    EventId cancelled = Simulator::Schedule(MilliSeconds(2), [] { Note("cancelled"); });
    EventId removed = Simulator::Schedule(MilliSeconds(3), [] { Note("removed"); });
    EventId kept = Simulator::Schedule(MilliSeconds(4), [] { Note("kept"); });
    EXPECT_EQ(Simulator::GetDelayLeft(kept), MilliSeconds(4));
    Simulator::Schedule(MilliSeconds(1), [&] {
        Simulator::Cancel(cancelled);
        Simulator::Remove(removed);
        EXPECT_TRUE(cancelled.IsExpired());
        EXPECT_TRUE(removed.IsExpired());
        EXPECT_FALSE(kept.IsExpired());
    });
    Simulator::Schedule(MilliSeconds(5), [&] {
        EXPECT_TRUE(kept.IsExpired());
        Simulator::Stop();
    });
    Simulator::Run();
    EXPECT_EQ(g_done, std::vector<std::string>{"kept"});
}

TEST(WallClockSimulator, FilesAreReadWhenTheyAreReady)
{
    const ClockRun run;
    int ends[2];
    ASSERT_EQ(pipe(ends), 0);
    std::string read;
    run.Get().Watch(ends[0], EPOLLIN, [&](uint32_t) {
        char letter = 0;
        ASSERT_EQ(::read(ends[0], &letter, 1), 1);
        read += letter;
        // a timer that was due has run; later ones have not
        read += Simulator::Now() >= MilliSeconds(5) ? "+" : "-";
        if (letter == 'b')
        {
            run.Get().Unwatch(ends[0]);
            Simulator::Schedule(MilliSeconds(10), [] { Simulator::Stop(); });
        }
    });
    Simulator::Schedule(MilliSeconds(5), [&] { ASSERT_EQ(write(ends[1], "abc", 3), 3); });
    Simulator::Run();
    EXPECT_EQ(read, "a+b+"); // c stays
    close(ends[0]);
    close(ends[1]);
}

TEST(WallClockSimulator, OtherThreadsLeaveWork)
{
    const ClockRun run;
    std::thread::id worked;
    std::thread other([&] {
        run.Get().Post([&] {
            worked = std::this_thread::get_id();
            Simulator::Stop();
        });
    });
    Simulator::Run();
    other.join();
    EXPECT_EQ(worked, std::this_thread::get_id());
}
