/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-scratch-folder.h"

#include "ns3/dml-measured-points.h"

#include <gtest/gtest.h>

using namespace ns3::dml;

namespace
{

/// A file of points.
class MeasuredPoints : public testing::Test
{
  protected:
    std::vector<MeasuredPoint> Read(const std::string& text)
    {
        return ReadMeasuredPoints(m_folder.Write("p.csv", text));
    }

    std::string Error(const std::string& text)
    {
        return m_folder.ErrorOf([&] { Read(text); });
    }

    ScratchFolder m_folder; //!< of the file
};

} // namespace

TEST_F(MeasuredPoints, HaveKeysAndThroughputs)
{
    const auto points = Read("workers,job.profile,parameter_servers,throughput,standard_error\n"
                             "1,a.yaml,2,352.5,2\n"
                             "8,,1,1e3,3\n");
    ASSERT_EQ(points.size(), 2U);
    EXPECT_EQ(points[0].settings,
              (std::vector<std::string>{"job.workers=1",
                                        "job.profile=a.yaml",
                                        "job.parameter_servers=2"}));
    EXPECT_EQ(points[0].throughput, 352.5);
    EXPECT_EQ(points[0].error, 2);
    EXPECT_EQ(points[0].line, 2U);
    EXPECT_EQ(points[0].column, 12U);
    EXPECT_EQ(points[1].settings,
              (std::vector<std::string>{"job.workers=8", "job.parameter_servers=1"}));
    EXPECT_EQ(points[1].line, 3U);
    EXPECT_EQ(Read("workers,throughput\n1,2\n").front().error, 0);
}

TEST_F(MeasuredPoints, RefuseMistakesWithTheirPlace)
{
    EXPECT_EQ(Error(""), "p.csv:1:1: found an empty file; accepted: a header and rows");
    EXPECT_EQ(Error("workers,throughput\n"),
              "p.csv:1:1: found no points; accepted: a header and rows");
    EXPECT_EQ(Error("throughput\n1\n"),
              "p.csv:1:1: found no column 'workers'; accepted: columns workers, throughput "
              "(samples/s), parameter_servers, standard_error, and keys of the scenario");
    EXPECT_EQ(Error("workers,throughputs\n1,2\n"),
              "p.csv:1:9: found column 'throughputs'; did you mean 'throughput'? accepted: "
              "workers, throughput, parameter_servers, standard_error, or the path of a key, such "
              "as job.profile");
    EXPECT_EQ(Error("workers,throughput,workers\n1,2,3\n"),
              "p.csv:1:20: found column 'workers' twice; accepted: once");
    EXPECT_EQ(Error("workers,throughput\n1,2\n0,5\n"),
              "p.csv:3:1: workers: found '0'; accepted: an integer, at least 1");
    EXPECT_EQ(Error("workers,throughput\n1,-2\n"),
              "p.csv:2:3: throughput: found '-2'; accepted: a number of samples/s above 0");
    EXPECT_EQ(Error("workers,throughput,standard_error\n1,2,\n"),
              "p.csv:2:5: standard_error: found ''; accepted: a number of samples/s above 0");
    EXPECT_EQ(Error("workers,throughput\n1\n"),
              "p.csv:2:1: found a row of 1; accepted: a row of 2, as the header");
}
