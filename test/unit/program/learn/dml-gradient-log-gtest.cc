/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-scratch-folder.h"

#include "ns3/dml-gradient-log.h"

#include <gtest/gtest.h>
#include <string>

using namespace ns3::dml;

namespace
{

const std::string STEPS = "workers,engine,replication,worker,step,start,end,batch,done,dropped\n";
const std::string VERSIONS = "workers,engine,replication,worker,step,tensor,bytes,read,made,time\n";

/// A folder with these rows.
class GradientLogTest : public testing::Test
{
  protected:
    std::vector<GradientLog> Read(const std::string& steps, const std::string& versions)
    {
        m_folder.Write("steps.csv", STEPS + steps);
        m_folder.Write("versions.csv", VERSIONS + versions);
        return ReadGradientLogs(m_folder.GetPath(""));
    }

    std::string ErrorOf(const std::string& steps, const std::string& versions)
    {
        return m_folder.ErrorOf([&] { Read(steps, versions); });
    }

    ScratchFolder m_folder; //!< of the files
};

TEST_F(GradientLogTest, ReadsRunsWithTheirBatches)
{
    const auto logs = Read("2,packet,0,0,0,0.0,1.0,4,1.0,0\n"
                           "2,packet,0,1,0,0.0,1.5,6,1.5,0\n"
                           "2,packet,1,0,0,0.0,1.0,5,1.0,0\n",
                           "2,packet,0,0,0,a,100,0,1,1.0\n"
                           "2,packet,0,1,0,a,100,0,2,1.5\n"
                           "2,packet,1,0,0,\"b,c\",8,0,1,1.0\n");
    ASSERT_EQ(logs.size(), 2U);
    EXPECT_EQ(logs[0].workers, 2U);
    EXPECT_EQ(logs[0].engine, "packet");
    ASSERT_EQ(logs[0].gradients.size(), 2U);
    EXPECT_EQ(logs[0].gradients[1].worker, 1U);
    EXPECT_EQ(logs[0].gradients[1].batch, 6U);
    EXPECT_EQ(logs[0].tensors, std::vector<uint64_t>{100});
    EXPECT_DOUBLE_EQ(logs[0].GetMeanStaleness(), 0.5); // 0 and 1
    EXPECT_EQ(logs[1].replication, 1U);
    EXPECT_EQ(logs[1].tensors, std::vector<uint64_t>{8});
}

// Step 0 of the worker was lost when it crashed at 0.8, and again at 1.8, and done from 2 on.
TEST_F(GradientLogTest, AStepThatWasLostHasGradientsOfItsOwn)
{
    const auto logs = Read("1,packet,0,0,0,2.0,3.0,4,3.0,0\n",
                           "1,packet,0,0,0,a,100,0,1,0.7\n"
                           "1,packet,0,0,0,a,100,1,2,1.7\n"
                           "1,packet,0,0,0,b,100,0,1,2.9\n"
                           "1,packet,0,0,0,a,100,2,3,3.0\n");
    const auto& updates = logs[0].updates;
    ASSERT_EQ(logs[0].gradients.size(), 3U);
    EXPECT_NE(updates[0].gradient, updates[1].gradient);
    EXPECT_NE(updates[1].gradient, updates[2].gradient);
    EXPECT_EQ(updates[2].gradient, updates[3].gradient);
    EXPECT_EQ(logs[0].gradients[0].batch, 4U);
}

TEST_F(GradientLogTest, ACheckpointIsNoGradient)
{
    const auto logs = Read("1,packet,0,0,0,0.0,1.0,4,1.0,0\n",
                           "1,packet,0,0,0,a,100,0,1,1.0\n"
                           "1,packet,0,,,a,100,0,2,1.5\n");
    ASSERT_EQ(logs[0].updates.size(), 2U);
    EXPECT_EQ(logs[0].gradients[logs[0].updates[1].gradient].batch, 0U);
    EXPECT_DOUBLE_EQ(logs[0].GetMeanStaleness(), 0);
}

TEST_F(GradientLogTest, RefusesWhatIsNoLog)
{
    const std::string step = "1,packet,0,0,0,0.0,1.0,4,1.0,0\n";
    EXPECT_NE(ErrorOf(step, "1,packet,0,0,0,a,100,1,1,1.0\n")
                  .find("versions.csv:2:24: found version 1, made of a gradient on version 1"),
              std::string::npos);
    EXPECT_NE(ErrorOf(step, "1,packet,0,0,0,a,100,0,x,1.0\n")
                  .find(":2:24: found 'x'; accepted: an integer"),
              std::string::npos);
    EXPECT_NE(ErrorOf(step, "1,packet,0,7,0,a,100,0,1,1.0\n")
                  .find(":2:12: found worker 7; accepted: one of 1, from 0"),
              std::string::npos);
    EXPECT_NE(ErrorOf(step, "1,packet,0,0,0,a,100,0,1,nan\n").find(":2:26: found 'nan'"),
              std::string::npos);
    EXPECT_NE(ErrorOf(step, "1,packet,0,0,0,a,100,0,1,inf\n").find(":2:26: found 'inf'"),
              std::string::npos);
    EXPECT_NE(
        ErrorOf(step, "4294967297,packet,0,0,0,a,100,0,1,1\n").find(":2:1: found '4294967297'"),
        std::string::npos);
    EXPECT_NE(ErrorOf(step, "2,packet,0,1,0,a,100,0,1,1\n")
                  .find(":2:12: found worker 1, of which steps.csv"),
              std::string::npos);
    EXPECT_NE(ErrorOf("1,packet,0,0,0,0.0,1.0,0,1.0,0\n", "")
                  .find("steps.csv:2:24: found a batch of 0 samples; accepted: from 1 to 100000"),
              std::string::npos);
    EXPECT_NE(
        ErrorOf("1,packet,0,0,0,0.0,1.0,100001,1.0,0\n", "").find("a batch of 100001 samples"),
        std::string::npos);
    EXPECT_NE(ErrorOf(step + step, "").find("steps.csv:3:14: found the step of a worker again"),
              std::string::npos);
    // of replication 1 no gradient, where the engine logs them
    EXPECT_NE(
        ErrorOf(step + "1,packet,1,0,0,0.0,1.0,4,1.0,0\n", "1,packet,0,0,0,a,100,0,1,1\n")
            .find("versions.csv: has no gradients of replication 1, 1 workers, packet, of which"),
        std::string::npos);
}

TEST_F(GradientLogTest, SaysHowToWriteOne)
{
    const std::string error = m_folder.ErrorOf([&] { ReadGradientLogs(m_folder.GetPath("")); });
    EXPECT_NE(error.find("output.versions=true"), std::string::npos) << error;
}

} // namespace
