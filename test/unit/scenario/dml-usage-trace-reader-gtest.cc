/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// What others use of a machine, in files as public traces of clusters have them.

#include "dml-scratch-folder.h"

#include "ns3/dml-usage-trace-reader.h"

#include <boost/iostreams/filter/gzip.hpp>
#include <boost/iostreams/filtering_stream.hpp>
#include <gtest/gtest.h>
#include <sstream>
#include <string>

using namespace ns3::dml;

namespace
{

/// As in Alibaba's trace of 2018, with a header: machine_usage.csv has per cent and seconds.
const std::string PERCENT = "machine_id,time_stamp,cpu_util_percent,mem_util_percent,mem_gps\n"
                            "m_1,386640,20,70,\n"
                            "m_2,386640,90,10,1.5\n"
                            "m_1,386670,,75,\n"
                            "m_1,386700,99,80,\n"
                            "m_2,386700,50,10,1.5\n";

UsageTraceFormat
PercentFormat()
{
    UsageTraceFormat format;
    format.time = "time_stamp";
    format.cpu = "cpu_util_percent";
    format.memory = "mem_util_percent";
    format.machine = "machine_id";
    format.only = "m_1";
    return format;
}

/// @param text of a file @return the error that it gives
std::string
UsageErrorOf(const std::string& text, const UsageTraceFormat& format)
{
    const ScratchFolder folder;
    const std::string file = folder.Write("u.csv", text);
    return folder.ErrorOf([&] { ReadUsageTrace(file, format); });
}

} // namespace

/// What is left of m_1's processor: 80 %, then not measured, then 1 %, where at least 5 % are left.
TEST(UsageTraceReader, LeavesWhatOthersDoNotUse)
{
    const ScratchFolder folder;
    const auto changes = ReadUsageTrace(folder.Write("u.csv", PERCENT), PercentFormat());
    ASSERT_EQ(changes.size(), 3U);
    EXPECT_EQ(changes[0].start, 0);
    EXPECT_DOUBLE_EQ(changes[0].speed, 0.8);
    EXPECT_DOUBLE_EQ(changes[0].cpu, 0.8);
    EXPECT_DOUBLE_EQ(changes[0].memory, 0.3);
    EXPECT_EQ(changes[1].start, 30);
    EXPECT_DOUBLE_EQ(changes[1].speed, 0.8);
    EXPECT_DOUBLE_EQ(changes[1].memory, 0.25);
    EXPECT_EQ(changes[2].start, 60);
    EXPECT_DOUBLE_EQ(changes[2].speed, 0.05);
    EXPECT_DOUBLE_EQ(changes[2].cpu, 0.05);
    EXPECT_DOUBLE_EQ(changes[2].memory, 0.2);
}

/// Shares and microseconds, as Google's traces have them; no header and no memory here.
TEST(UsageTraceReader, TakesColumnsByNumber)
{
    const ScratchFolder folder;
    UsageTraceFormat format;
    format.time = "2";
    format.cpu = "3";
    format.unit = 1e-6;
    format.whole = 1;
    format.least = 0.5;
    const auto changes =
        ReadUsageTrace(folder.Write("u.csv", "x,300000000,0.25\nx,600000000,0.75\n"), format);
    ASSERT_EQ(changes.size(), 2U);
    EXPECT_EQ(changes[0].start, 0);
    EXPECT_DOUBLE_EQ(changes[0].speed, 0.75);
    EXPECT_EQ(changes[0].memory, 1);
    EXPECT_DOUBLE_EQ(changes[1].start, 300);
    EXPECT_DOUBLE_EQ(changes[1].speed, 0.5);
}

/// A run that begins 40 s after the first row: in the second one, 20 s before the third.
TEST(UsageTraceReader, BeginsLater)
{
    const ScratchFolder folder;
    auto format = PercentFormat();
    format.from = 40;
    const auto changes = ReadUsageTrace(folder.Write("u.csv", PERCENT), format);
    ASSERT_EQ(changes.size(), 2U);
    EXPECT_EQ(changes[0].start, 0);
    EXPECT_DOUBLE_EQ(changes[0].memory, 0.25);
    EXPECT_EQ(changes[1].start, 20);
    EXPECT_DOUBLE_EQ(changes[1].memory, 0.2);
    format.from = 61;
    EXPECT_EQ(UsageErrorOf(PERCENT, format),
              "u.csv:6:1: found a trace that ends 60 s after its first row, before the run begins; "
              "accepted: a longer one, or an earlier start of the run");
}

TEST(UsageTraceReader, UnpacksFiles)
{
    std::stringstream plain(PERCENT);
    std::ostringstream packed;
    boost::iostreams::filtering_istream gzip;
    gzip.push(boost::iostreams::gzip_compressor());
    gzip.push(plain);
    packed << gzip.rdbuf();
    const ScratchFolder folder;
    EXPECT_EQ(ReadUsageTrace(folder.Write("u.csv.gz", packed.str()), PercentFormat()).size(), 3U);
    EXPECT_EQ(UsageErrorOf(packed.str().substr(0, 60), PercentFormat()),
              "u.csv:1:1: the gzipped file is damaged or ends too early; accepted: a complete one");
}

TEST(UsageTraceReader, SaysWhereAMistakeIs)
{
    const auto format = PercentFormat();
    const std::string header = "machine_id,time_stamp,cpu_util_percent,mem_util_percent\n";
    EXPECT_EQ(UsageErrorOf("", format),
              "u.csv:1:1: found an empty file; accepted: rows of a machine's use");
    EXPECT_EQ(UsageErrorOf("machine_id,time,cpu_util_percnt\n", format),
              "u.csv:1:1: found no column 'time_stamp'; accepted: machine_id, time, "
              "cpu_util_percnt");
    EXPECT_EQ(UsageErrorOf("machine_id,time_stamp,cpu_util_percnt\n", format),
              "u.csv:1:1: found no column 'cpu_util_percent'; did you mean 'cpu_util_percnt'? "
              "accepted: machine_id, time_stamp, cpu_util_percnt");
    EXPECT_EQ(UsageErrorOf(header + "m_2,1,2,3\n", format),
              "u.csv:2:1: found no row of \"m_1\" in column 'machine_id'; accepted: a machine that "
              "the file has");
    EXPECT_EQ(UsageErrorOf(header + "m_1,1,2\n", format),
              "u.csv:2:1: found a row of 3; accepted: a row of 4, as the header");
    EXPECT_EQ(UsageErrorOf(header + "m_1,noon,2,3\n", format),
              "u.csv:2:5: time: found \"noon\"; accepted: a number");
    EXPECT_EQ(UsageErrorOf(header + "m_1,1,,3\n", format),
              "u.csv:2:7: cpu: found \"\"; accepted: a use from 0 to 100");
    EXPECT_EQ(UsageErrorOf(header + "m_1,1,2,3\nm_1,2,101,3\n", format),
              "u.csv:3:7: cpu: found \"101\"; accepted: a use from 0 to 100, or nothing where it "
              "was not measured");
    EXPECT_EQ(UsageErrorOf(header + "m_1,1,2,-1\n", format),
              "u.csv:2:9: memory: found \"-1\"; accepted: a use from 0 to 100");
    EXPECT_EQ(UsageErrorOf(header + "m_1,1,2,3\nm_2,1,2,3\nm_1,1,2,3\n", format),
              "u.csv:4:5: time: found no later time than in the machine's row before; accepted: "
              "increasing times of one machine");
    EXPECT_EQ(UsageErrorOf(header + "m_1,1,2,3\nm_1,1000002,2,3\n", format),
              "u.csv:3:5: time: found \"1000002\", more than 1000000 s after the first row; "
              "accepted: a shorter trace");
    auto numbers = format;
    numbers.time = "5";
    EXPECT_EQ(UsageErrorOf("m_1,1,2,3\n", numbers),
              "u.csv:1:1: found no column 5; accepted: 1 to 4");
}
