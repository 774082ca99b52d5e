/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/dml-cpu-time.h"
#include "ns3/dml-process-pool.h"
#include "ns3/dml-progress-board.h"
#include "ns3/dml-repeatable-error.h"

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <fcntl.h>
#include <fstream>
#include <gtest/gtest.h>
#include <map>
#include <thread>
#include <unistd.h>

using namespace ns3::dml;

namespace
{

/// Results by task.
std::map<uint32_t, ProcessPool::Result>
RunAll(uint32_t jobs, uint32_t tasks, const ProcessPool::Work& work)
{
    std::map<uint32_t, ProcessPool::Result> results;
    ProcessPool(jobs).Run(tasks,
                          work,
                          [&](const ProcessPool::Result& result) { results[result.task] = result; },
                          {});
    return results;
}

} // namespace

TEST(ProcessPool, ReturnsWhatEachTaskSaid)
{
    for (const uint32_t jobs : {1, 3, 50})
    {
        const auto results = RunAll(jobs, 20, [](uint32_t task, const auto& progress) {
            progress(0.5);
            return std::string(task * 10000, 'a') + std::to_string(task);
        });
        ASSERT_EQ(results.size(), 20u);
        EXPECT_EQ(results.at(13).text, std::string(130000, 'a') + "13");
        EXPECT_EQ(results.at(13).failure, 0);
    }
}

TEST(ProcessPool, TellsKindsOfFailureApart)
{
    const auto results = RunAll(2, 6, [](uint32_t task, const auto&) -> std::string {
        switch (task)
        {
        case 0:
            throw InputError("bad input");
        case 1:
            throw RunError("bad run");
        case 2:
            std::raise(SIGSEGV);
            return "";
        case 3:
            _exit(3);
        case 4:
            throw RepeatableError("as always");
        default:
            return "fine";
        }
    });
    EXPECT_EQ(results.at(0).text, "bad input");
    EXPECT_EQ(results.at(0).failure, 2);
    EXPECT_EQ(results.at(1).text, "bad run");
    EXPECT_EQ(results.at(1).failure, 1);
    EXPECT_NE(results.at(2).failure, 0);
    EXPECT_EQ(results.at(3).text, "the process ended without a result (exit code 3)");
    EXPECT_EQ(results.at(4).text, "as always");
    EXPECT_EQ(results.at(4).failure, 1);
    EXPECT_EQ(results.at(5).text, "fine");
    const std::vector<bool> again{true, false, false, false, true, false};
    for (uint32_t task = 0; task < again.size(); ++task)
    {
        EXPECT_EQ(results.at(task).again, again[task]) << task;
    }
}

TEST(ProcessPool, ShortTasksShareAProcess)
{
    // 0, then 1 to 3, then 4 to the end
    const auto share = [](uint32_t task) { return task == 0 ? 0 : task == 1 ? 3 : 100; };
    for (const uint32_t jobs : {1, 2})
    {
        std::map<uint32_t, std::string> processes;
        ProcessPool(jobs).Run(
            6,
            [](uint32_t, const auto& progress) {
                progress(0.5);
                return std::to_string(getpid());
            },
            [&](const ProcessPool::Result& result) { processes[result.task] = result.text; },
            {},
            share);
        ASSERT_EQ(processes.size(), 6);
        EXPECT_NE(processes[0], processes[1]);
        EXPECT_EQ(processes[1], processes[2]);
        EXPECT_EQ(processes[1], processes[3]);
        EXPECT_NE(processes[3], processes[4]);
        EXPECT_EQ(processes[4], processes[5]);
    }
}

TEST(ProcessPool, TasksThatShareAProcessFailAlone)
{
    std::map<uint32_t, ProcessPool::Result> results;
    std::vector<uint32_t> order;
    ProcessPool(1).Run(
        6,
        [](uint32_t task, const auto&) -> std::string {
            switch (task)
            {
            case 1:
                throw InputError("bad input");
            case 2:
                std::raise(SIGKILL);
                return "";
            case 4:
                _exit(3);
            default:
                return "fine";
            }
        },
        [&](const ProcessPool::Result& result) {
            results[result.task] = result;
            order.push_back(result.task);
        },
        {},
        [](uint32_t) { return 6; });
    EXPECT_EQ(order, (std::vector<uint32_t>{0, 1, 2, 3, 4, 5}));
    for (const uint32_t task : {0, 3, 5})
    {
        EXPECT_EQ(results[task].text, "fine");
        EXPECT_EQ(results[task].failure, 0);
    }
    EXPECT_EQ(results[1].text, "bad input");
    EXPECT_EQ(results[1].failure, 2);
    EXPECT_NE(results[2].text.find("ended by a signal"), std::string::npos) << results[2].text;
    EXPECT_EQ(results[4].text, "the process ended without a result (exit code 3)");
}

TEST(ProcessPool, TellsWhatRuns)
{
    // each task waits until its progress has been seen
    int seenEnds[3][2];
    for (auto& ends : seenEnds)
    {
        ASSERT_EQ(pipe(ends), 0);
    }
    std::map<uint32_t, double> fractions;
    ProcessPool(2).Run(
        3,
        [&](uint32_t task, const auto& progress) {
            progress(0.25 * (task + 1));
            char byte = 0;
            return read(seenEnds[task][0], &byte, 1) == 1 ? std::string() : "a closed pipe";
        },
        [](const auto& result) { EXPECT_EQ(result.text, ""); },
        [&](const std::vector<ProcessPool::Running>& running) {
            EXPECT_LE(running.size(), 2U);
            for (const auto& run : running)
            {
                EXPECT_GE(run.seconds, 0);
                if (run.fraction > 0 && fractions.emplace(run.task, run.fraction).second)
                {
                    EXPECT_EQ(write(seenEnds[run.task][1], "x", 1), 1);
                }
            }
        });
    EXPECT_EQ(fractions, (std::map<uint32_t, double>{{0, 0.25}, {1, 0.5}, {2, 0.75}}));
    for (const auto& ends : seenEnds)
    {
        close(ends[0]);
        close(ends[1]);
    }
}

TEST(ProcessPool, TellsWhatATaskDoesInsteadOfGoingOn)
{
    // the task goes on only when its state has been seen, and ends when that has gone
    int seen[2];
    ASSERT_EQ(pipe(seen), 0);
    std::vector<std::string> states;
    ProcessPool(1).Run(
        1,
        [&](uint32_t, const ProcessPool::Progress& progress) {
            char byte = 0;
            progress.state("waits");
            if (read(seen[0], &byte, 1) != 1)
            {
                return std::string("a closed pipe");
            }
            progress.state("");
            return read(seen[0], &byte, 1) == 1 ? std::string() : "a closed pipe";
        },
        [](const auto& result) { EXPECT_EQ(result.text, ""); },
        [&](const std::vector<ProcessPool::Running>& running) {
            for (const auto& run : running)
            {
                const bool is = states.empty() ? run.state == "waits" : run.state.empty();
                if (is && states.size() < 2)
                {
                    states.push_back(run.state);
                    EXPECT_EQ(write(seen[1], "x", 1), 1);
                }
            }
        });
    EXPECT_EQ(states, (std::vector<std::string>{"waits", ""}));
    close(seen[0]);
    close(seen[1]);
}

TEST(ProcessPool, RunsTheNextTaskWhileAResultIsTaken)
{
    // With one job, the second task is there when the first one's result is handed over.
    const std::string mark = testing::TempDir() + "dml-pool-" + std::to_string(getpid());
    std::remove(mark.c_str());
    bool seen = false;
    ProcessPool(1).Run(
        2,
        [&](uint32_t task, const auto&) {
            std::ofstream(task == 1 ? mark : "/dev/null") << "here";
            return std::string();
        },
        [&](const ProcessPool::Result& result) {
            while (result.task == 0 && !seen)
            {
                std::this_thread::sleep_for(std::chrono::milliseconds(20));
                seen = std::ifstream(mark).good();
            }
        },
        {});
    EXPECT_TRUE(seen);
    std::remove(mark.c_str());
}

TEST(ProcessPool, AnInterruptEndsTheChildren)
{
    EXPECT_THROW(ProcessPool(2).Run(
                     2,
                     [](uint32_t, const auto& progress) -> std::string {
                         progress(0.1);
                         while (true)
                         {
                             pause(); // the test would wait for ever
                         }
                     },
                     [](const auto&) {},
                     [](const std::vector<ProcessPool::Running>&) { std::raise(SIGINT); }),
                 RunError);
}

TEST(ProcessPool, AHangUpThatIsIgnoredInterruptsNothing)
{
    // as nohup starts a program
    const auto before = std::signal(SIGHUP, SIG_IGN);
    const auto results = RunAll(1, 1, [](uint32_t, const auto&) {
        kill(getppid(), SIGHUP);
        std::raise(SIGHUP);
        return std::string("fine");
    });
    EXPECT_EQ(std::signal(SIGHUP, before), SIG_IGN) << "as it was";
    EXPECT_EQ(results.at(0).text, "fine");
}

namespace
{

std::string
LongLabel(uint32_t)
{
    return "packet W=8 r1, network.rate=10Gbps, and many more keys of a sweep \u00e4\u00f6\u00fc";
}

/// @return characters of a line in UTF-8
std::size_t
CountCharacters(const std::string& line)
{
    return std::count_if(line.begin(), line.end(), [](char c) { return (c & 0xC0) != 0x80; });
}

} // namespace

TEST(ProgressBoard, HasALineForEachRunAndOneForAll)
{
    const std::vector<std::string> labels{"small", "large", "last"};
    ProgressBoard board({1, 8, 1}, [&](uint32_t task) { return labels[task]; });
    board.SetDone(2);
    // 1 is done, 0.5 of 1 and 0.1 of 8: 2.3 of 10; 14 s for that leave 46.9 s. The large run needs
    // nine times its 4 s more; the small one has run too short a time to tell.
    const auto pad = [](const std::string& label) {
        return label + std::string(40 - label.size(), ' ');
    };
    EXPECT_EQ(board.Format({{0, 0.5, 1}, {1, 0.1, 4}}, 14, 200, 24),
              (std::vector<std::string>{pad("small") + " [######------]  50 %",
                                        pad("large") + " [#-----------]  10 %, 36 s left",
                                        "23 %, 47 s left; 1 of 3 runs done, 2 running"}));
    board.SetDone(0);
    board.SetDone(1);
    EXPECT_EQ(board.Format({}, 100, 79, 24),
              std::vector<std::string>{"100 %, 0 s left; 3 of 3 runs done, 0 running"});
}

// Standard error of a test is a file while it is captured.
TEST(ProgressBoard, WritesALineNowAndThenWhereThereIsNoTerminal)
{
    const auto show = [](double interval) {
        testing::internal::CaptureStderr();
        ProgressBoard board(
            {1, 3},
            [](uint32_t) { return "run"; },
            interval);
        board.Show({{1, 0.5, 1}});
        board.SetDone(0);
        board.Show({{1, 0.5, 1}});
        return testing::internal::GetCapturedStderr();
    };
    EXPECT_EQ(show(0), "37 %; 0 of 2 runs done, 1 running\n62 %; 1 of 2 runs done, 1 running\n");
    EXPECT_EQ(show(60), "");
}

TEST(ProgressBoard, SaysThatARunWaits)
{
    const auto label = [](uint32_t task) { return "run " + std::to_string(task); };
    const std::vector<ProcessPool::Running> running{{0, 0, 1, "waits 60 s"}, {1, 0.5, 1}};
    ProgressBoard board({1, 3}, label, 60);
    EXPECT_EQ(board.Format(running, 1, 79, 24).front(), "run 0: waits 60 s");
    // where there is no terminal: once, at once
    testing::internal::CaptureStderr();
    board.Show(running);
    board.Show({{0, 0, 2, "waits 59 s"}, {1, 0.5, 1}});
    EXPECT_EQ(testing::internal::GetCapturedStderr(), "run 0: waits 60 s\n");
}

TEST(ProgressBoard, FitsTheTerminal)
{
    const ProgressBoard board(std::vector<double>(30, 1), LongLabel);
    std::vector<ProcessPool::Running> running;
    for (uint32_t task = 0; task < 30; ++task)
    {
        running.push_back({task, 0.5, 350000});
    }
    for (const std::size_t width : {30, 60, 79, 200})
    {
        for (const std::size_t height : {1, 2, 3, 10, 31, 50})
        {
            const auto lines = board.Format(running, 100, width, height);
            EXPECT_EQ(lines.size(), std::min<std::size_t>(height, 31)) << height;
            for (const auto& line : lines)
            {
                EXPECT_LE(CountCharacters(line), std::min<std::size_t>(width, 79)) << line;
                EXPECT_EQ(line.find('\n'), std::string::npos);
            }
        }
    }
    EXPECT_EQ(board.Format(running, 100, 79, 10)[8], "... and 22 more");
}

TEST(FormatDuration, UsesTheUnitThatFits)
{
    EXPECT_EQ(FormatDuration(0.2), "0 s");
    EXPECT_EQ(FormatDuration(59.4), "59 s");
    EXPECT_EQ(FormatDuration(61), "1 min 01 s");
    EXPECT_EQ(FormatDuration(3600 * 27.3), "27 h 18 min");
}

// A signal that comes while the last result is told is a signal, too: whoever runs one pool after
// the other would go on. The task is killed, as its process has then ended when that is told, and
// the pool waits for nothing any more.
TEST(ProcessPool, IsInterruptedAfterItsLastTask)
{
    const ProcessPool::Work work = [](uint32_t, const auto&) {
        std::raise(SIGKILL);
        return std::string();
    };
    const auto interrupt = [](const ProcessPool::Result&) { std::raise(SIGINT); };
    EXPECT_THROW(ProcessPool(1).Run(1, work, interrupt, {}), RunError);
}

// What a task has started may outlive the task: the process here goes on for a moment after that
// has ended by a signal, as MPI's processes do, and has none of its pipes. The pool waits for it,
// as its folder is removed next.
TEST(ProcessPool, WaitsForProcessesOfItsTasks)
{
    int ends[2];
    ASSERT_EQ(pipe(ends), 0);
    const auto results = RunAll(1, 1, [&ends](uint32_t, const auto&) -> std::string {
        const pid_t task = getpid();
        if (fork() == 0)
        {
            for (int fd = 3; fd < 1024; ++fd)
            {
                if (fd != ends[1])
                {
                    close(fd);
                }
            }
            while (getppid() == task)
            {
                usleep(1000);
            }
            usleep(100000);
            const bool written = write(ends[1], "x", 1) == 1;
            _exit(written ? 0 : 1);
        }
        std::raise(SIGKILL);
        return "";
    });
    EXPECT_EQ(results.at(0).failure, 1);
    fcntl(ends[0], F_SETFL, O_NONBLOCK);
    char text = 0;
    EXPECT_EQ(read(ends[0], &text, 1), 1);
    close(ends[0]);
    close(ends[1]);
}

// A task that would go on for ever ends when its CPU time is over, and so do many that are short; a
// task that waits takes none.
TEST(ProcessPool, EndsTasksBeyondTheirCpuTime)
{
    const auto burn = [](double seconds) {
        const double start = ReadCpuSeconds(RUSAGE_SELF);
        while (ReadCpuSeconds(RUSAGE_SELF) - start < seconds)
        {
        }
        return std::string("done");
    };
    const auto run = [&](double limit, uint32_t tasks, double seconds) {
        uint32_t done = 0;
        try
        {
            ProcessPool(1, limit).Run(
                tasks,
                [&](uint32_t, const auto&) { return burn(seconds); },
                [&](const ProcessPool::Result& result) { done += result.failure == 0 ? 1 : 0; },
                {});
        }
        catch (const CpuLimitError&)
        {
            EXPECT_LT(done, tasks);
            return false;
        }
        EXPECT_EQ(done, tasks);
        return true;
    };
    EXPECT_FALSE(run(0.1, 1, 1e9));
    EXPECT_FALSE(run(0.2, 1000, 0.02));
    EXPECT_TRUE(run(100, 3, 0.02));
    const auto wait = [](uint32_t, const auto&) {
        std::this_thread::sleep_for(std::chrono::milliseconds(300));
        return std::string("done");
    };
    EXPECT_NO_THROW(ProcessPool(1, 0.2).Run(1, wait, [](const auto&) {}, {}));
}
