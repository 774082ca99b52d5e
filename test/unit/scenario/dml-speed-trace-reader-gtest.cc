/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-scratch-folder.h"

#include "ns3/dml-speed-trace-reader.h"

#include <gtest/gtest.h>
#include <string>

using namespace ns3::dml;

namespace
{

/// @param text of a trace @param repeated as it is read @return the error that it gives
std::string
TraceErrorOf(const std::string& text, bool repeated = false)
{
    const ScratchFolder folder;
    const std::string file = folder.Write("t.csv", text);
    return folder.ErrorOf([&] { ReadSpeedTrace(file, repeated); });
}

} // namespace

TEST(SpeedTraceReader, TakesColumnsInAnyOrder)
{
    const ScratchFolder folder;
    const auto changes = ReadSpeedTrace(
        folder.Write("t.csv", "memory,\"speed\",time\r\n0.5,2,0\r\n1,0,1.5\r\n0.25,1e-3,7\r\n\r\n"),
        false);
    ASSERT_EQ(changes.size(), 3U);
    EXPECT_EQ(changes[0].start, 0);
    EXPECT_EQ(changes[0].speed, 2);
    EXPECT_EQ(changes[0].cpu, 1);
    EXPECT_EQ(changes[0].memory, 0.5);
    EXPECT_EQ(changes[1].start, 1.5);
    EXPECT_EQ(changes[1].speed, 0);
    EXPECT_EQ(changes[2].speed, 0.001);
    EXPECT_EQ(changes[2].memory, 0.25);
}

TEST(SpeedTraceReader, SaysWhereAMistakeIs)
{
    EXPECT_EQ(TraceErrorOf(""),
              "t.csv:1:1: found an empty file; accepted: a header with time and speed, then rows");
    EXPECT_EQ(TraceErrorOf("time,speed\n"),
              "t.csv:1:1: found no rows; accepted: one row per change of speed below the header");
    EXPECT_EQ(TraceErrorOf("time,sped\n0,1\n"),
              "t.csv:1:6: found a column 'sped'; did you mean 'speed'? accepted: time, speed, cpu, "
              "memory");
    EXPECT_EQ(TraceErrorOf("time,speed,time\n0,1,0\n"),
              "t.csv:1:12: found a second column 'time'; accepted: each column once");
    EXPECT_EQ(TraceErrorOf("time,cpu\n0,1\n"),
              "t.csv:1:1: found no column 'speed'; accepted: time, speed, and cpu and memory if "
              "known");
    EXPECT_EQ(TraceErrorOf("time,speed\n0,1,1\n"),
              "t.csv:2:1: found a row of 3; accepted: a row of 2, as the header");
    EXPECT_EQ(TraceErrorOf("time,speed\n0,fast\n"),
              "t.csv:2:3: speed: found \"fast\"; accepted: a speed from 0 to 1000");
    EXPECT_EQ(TraceErrorOf("time,speed\n0,-1\n"),
              "t.csv:2:3: speed: found \"-1\"; accepted: a speed from 0 to 1000");
    EXPECT_EQ(TraceErrorOf("time,speed\n0,nan\n"),
              "t.csv:2:3: speed: found \"nan\"; accepted: a speed from 0 to 1000");
    EXPECT_EQ(TraceErrorOf("time,speed,cpu\n0,1,50\n"),
              "t.csv:2:5: cpu: found \"50\"; accepted: a share from 0 to 1");
    EXPECT_EQ(TraceErrorOf("time,speed\n-1,1\n"),
              "t.csv:2:1: time: found \"-1\"; accepted: a number of seconds from 0 to 1000000");
    EXPECT_EQ(TraceErrorOf("speed,time\n1,2\n"),
              "t.csv:2:3: time: found a first time other than 0; accepted: 0");
    EXPECT_EQ(TraceErrorOf("time,speed\n0,1\n3,1\n3,2\n"),
              "t.csv:4:1: time: found no later time than in the row before; accepted: increasing "
              "times");
}

TEST(SpeedTraceReader, RefusesWhatWouldNeverEnd)
{
    EXPECT_EQ(
        TraceErrorOf("time,speed\n0,1\n3,0\n"),
        "t.csv:3:3: speed: found 0 in the last row, so that no work would ever end; accepted: "
        "a speed above 0 there, or a trace that is repeated");
    EXPECT_EQ(TraceErrorOf("time,speed\n0,1\n3,0\n", true), "no error");
    EXPECT_EQ(TraceErrorOf("time,speed\n0,0\n3,0\n", true),
              "t.csv:3:3: speed: found 0 in all rows, so that no work would ever end; accepted: a "
              "speed above 0 in at least one row");
}
