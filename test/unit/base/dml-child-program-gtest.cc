/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/dml-child-program.h"

#include <chrono>
#include <cstdio>
#include <gtest/gtest.h>
#include <string>
#include <thread>

using namespace ns3::dml;
using namespace std::chrono_literals;

namespace
{

/// How a line of sh ends.
ChildProgramEnd
RunLine(const std::string& line,
        const ChildProgramText& text = {},
        std::chrono::milliseconds limit = 20s)
{
    return RunProgram({"/bin/sh", "-c", line}, "/", {}, limit, text);
}

} // namespace

// More than a pipe holds (64 KiB) before the program reads anything, and more than that back.
TEST(ChildProgramTest, ReadsItsInput)
{
    const std::string input(300000, 'x');
    EXPECT_EQ(RunLine("cat", {input, 1000000}).output, input);
    EXPECT_EQ(RunLine("cat", {input, 1000}).output, std::string(1000, 'x'));
    EXPECT_EQ(RunLine("cat").output, "");
}

// Of a function that writes to a pipe. Programs that end before they have read all of it do not end
// this one.
TEST(ChildProgramTest, ReadsWhatAFunctionWrites)
{
    ChildProgramText text;
    bool isRefused = false;
    text.write = [&isRefused](std::FILE* pipe) {
        for (int i = 0; i < 1000; ++i)
        {
            std::fputs("some words, and some more to fill the pipe, which holds 64 KiB\n", pipe);
        }
        isRefused = std::fclose(pipe) != 0 || isRefused;
    };
    EXPECT_EQ(RunLine("wc -l", text).output, "1000\n");
    EXPECT_FALSE(isRefused);

    text.write = [&isRefused](std::FILE* pipe) {
        std::setvbuf(pipe, nullptr, _IONBF, 0);
        const auto end = std::chrono::steady_clock::now() + 10s;
        while (!isRefused && std::chrono::steady_clock::now() < end)
        {
            isRefused = std::fputs("words", pipe) < 0;
            std::this_thread::sleep_for(1ms);
        }
        std::fclose(pipe);
    };
    EXPECT_EQ(RunLine("exit 3", text).status, 3);
    EXPECT_TRUE(isRefused);
}

TEST(ChildProgramTest, TellsHowItEnded)
{
    EXPECT_EQ(RunLine("exit 0").status, 0);
    EXPECT_EQ(RunLine("exit 3").status, 3);
    EXPECT_EQ(RunLine("kill -TERM $$").status, 128 + 15);
    EXPECT_EQ(RunProgram({"/nonexistent"}, "/", {}, 20s).status, 127);
    const ChildProgramEnd late = RunLine("sleep 100", {}, 50ms);
    EXPECT_TRUE(late.timeout);
    EXPECT_EQ(late.status, 128 + 9);
}

TEST(ChildProgramTest, LooksInMoreFolders)
{
    EXPECT_EQ(FindProgram("no-such-program", "/bin"), "");
    const std::string before = getenv("PATH") ? getenv("PATH") : "";
    setenv("PATH", "/nonexistent", 1);
    const std::string found = FindProgram("sh", "/bin:/usr/bin");
    const std::string none = FindProgram("sh");
    setenv("PATH", before.c_str(), 1);
    EXPECT_EQ(found, "/bin/sh");
    EXPECT_EQ(none, "");
}
