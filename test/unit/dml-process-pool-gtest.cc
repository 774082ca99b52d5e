/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/dml-error.h"
#include "ns3/dml-process-pool.h"
#include "ns3/dml-progress-line.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <csignal>
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
    ProcessPool(jobs).Run(
        tasks,
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
    const auto results = RunAll(2, 5, [](uint32_t task, const auto&) -> std::string {
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
    EXPECT_EQ(results.at(4).text, "fine");
}

TEST(ProcessPool, ReportsProgress)
{
    std::vector<double> seen;
    ProcessPool(1).Run(
        1,
        [](uint32_t, const auto& progress) {
            progress(0.25);
            std::this_thread::sleep_for(std::chrono::milliseconds(50));
            progress(0.75);
            std::this_thread::sleep_for(std::chrono::milliseconds(50));
            return std::string();
        },
        [](const auto&) {},
        [&](const std::vector<double>& fractions) { seen.push_back(fractions[0]); });
    ASSERT_FALSE(seen.empty());
    EXPECT_EQ(seen.back(), 1);
    EXPECT_NE(std::find(seen.begin(), seen.end(), 0.25), seen.end());
    EXPECT_NE(std::find(seen.begin(), seen.end(), 0.75), seen.end());
}

TEST(ProcessPool, AnInterruptEndsTheChildren)
{
    const auto start = std::chrono::steady_clock::now();
    EXPECT_THROW(ProcessPool(2).Run(
                     2,
                     [](uint32_t, const auto& progress) {
                         progress(0.1);
                         std::this_thread::sleep_for(std::chrono::seconds(60));
                         return std::string();
                     },
                     [](const auto&) {},
                     [](const std::vector<double>&) { std::raise(SIGINT); }),
                 RunError);
    EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(30));
}

TEST(ProgressLine, WeighsTasksByTheirCost)
{
    const ProgressLine line({"small", "large"}, {1, 9});
    // 0.5 of 1 and 0.1 of 9 are 1.4 of 10; 14 s for that leave 86 s
    EXPECT_EQ(line.Format({0.5, 0.1}, 14), "14 %, 1 min 26 s left | small: 50 % | large: 10 %");
    EXPECT_EQ(line.Format({0, 0}, 1), "0 %");
    EXPECT_EQ(line.Format({1, 1}, 100), "100 %, 0 s left");
}

TEST(ProgressLine, FitsOneLine)
{
    const std::vector<std::string> labels(30, "a task with a long name");
    const ProgressLine line(labels, std::vector<double>(30, 1));
    EXPECT_LE(line.Format(std::vector<double>(30, 0.5), 100).size(), 79u);
}

TEST(FormatDuration, UsesTheUnitThatFits)
{
    EXPECT_EQ(FormatDuration(0.2), "0 s");
    EXPECT_EQ(FormatDuration(59.4), "59 s");
    EXPECT_EQ(FormatDuration(61), "1 min 01 s");
    EXPECT_EQ(FormatDuration(3600 * 27.3), "27 h 18 min");
}
