/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-profile-builder.h"

#include "ns3/dml-version-meter.h"

#include <gtest/gtest.h>
#include <string>
#include <vector>

using namespace ns3;
using namespace ns3::dml;

namespace
{

constexpr OpIndex PULL = 0;
constexpr OpIndex PUSH = 2;
constexpr OpIndex UPDATE = 3;

/// One tensor: pulled, computed on, pushed, and updated if @p updated.
Profile
MakeProfile(bool updated)
{
    ProfileBuilder builder;
    builder.Pull("a", 100).Compute("work", {1}, {"pull/a"}).Push("a", 100, {"work"});
    return updated ? builder.Update("a", 0.1).Build() : builder.Build();
}

/// @return "worker.step"; "-" of a checkpoint
std::string
NameOf(const AppliedGradient& gradient)
{
    return gradient.worker == NO_INDEX
               ? "-"
               : std::to_string(gradient.worker) + "." + std::to_string(gradient.step);
}

/// What a meter tells, as "worker.step:read>made@time".
class VersionMeterTest : public testing::Test
{
  protected:
    void Make(const Profile& profile,
              ParameterCopies copies = ParameterCopies::ON_SERVERS,
              const std::vector<ServerCrash>& crashes = {})
    {
        m_profile = profile;
        m_meter = std::make_unique<VersionMeter>(
            m_profile,
            copies,
            crashes,
            [this](const AppliedGradient& gradient) {
                told.push_back(NameOf(gradient) + ":" + std::to_string(gradient.read) + ">" +
                               std::to_string(gradient.made) + "@" +
                               std::to_string(static_cast<int>(gradient.time)));
            });
    }

    void Pull(uint32_t worker, uint32_t step, double first, double last)
    {
        const TransferChannel channel{{Role::SERVER, 0}, {Role::WORKER, worker}};
        m_meter->On(TransferRecord{channel, step, PULL, 0, first, first, last});
    }

    void Push(uint32_t worker, uint32_t step, double last)
    {
        const TransferChannel channel{{Role::WORKER, worker}, {Role::SERVER, 0}};
        m_meter->On(TransferRecord{channel, step, PUSH, 0, last, last, last});
    }

    void Update(uint32_t worker, uint32_t step, double end)
    {
        const Resource server{ResourceKind::DEVICE, {Role::SERVER, 0}, {}, 0};
        m_meter->On(ChunkRecord{worker, step, UPDATE, false, server, 0, end - 0.1, end});
    }

    std::unique_ptr<VersionMeter> m_meter; //!< tested
    std::vector<std::string> told;         //!< by it

  private:
    Profile m_profile; //!< of the job
};

using Told = std::vector<std::string>;

// Worker 1 pulls between the updates of workers 0 and 2, and is the third to be applied.
TEST_F(VersionMeterTest, ReadsWhatTheServerHadWhenTheFirstByteLeft)
{
    Make(MakeProfile(true));
    Pull(0, 0, 0, 1);
    Pull(2, 0, 0, 1);
    Update(0, 0, 5);
    Pull(1, 0, 6, 8); // the update at 7 is too late for it
    Update(2, 0, 7);
    Update(1, 0, 9);
    EXPECT_EQ(told, (Told{"0.0:0>1@5", "2.0:0>2@7", "1.0:1>3@9"}));
}

TEST_F(VersionMeterTest, APullThatIsToldLateStillHasItsOldVersion)
{
    Make(MakeProfile(true));
    Pull(0, 0, 0, 1);
    Update(0, 0, 5);
    Pull(1, 0, 4, 6); // began before the update, ended after it
    Update(1, 0, 8);
    EXPECT_EQ(told.back(), "1.0:0>2@8");
}

TEST_F(VersionMeterTest, APullInTheMomentOfAnUpdateHasIt)
{
    Make(MakeProfile(true));
    Pull(0, 0, 0, 1);
    Update(0, 0, 5);
    Pull(0, 1, 5, 6);
    Update(0, 1, 9);
    EXPECT_EQ(told.back(), "0.1:1>2@9");
}

// Workers 0 and 2 are taken, 1 is dropped; its next gradient is on the new version.
TEST_F(VersionMeterTest, AJointUpdateMakesOneVersionOfTheGradientsThatItTakes)
{
    Make(MakeProfile(true));
    for (const uint32_t worker : {0, 1, 2})
    {
        Pull(worker, 0, 0, 1);
    }
    m_meter->On(GradientRecord{0, 0, UPDATE, 4});
    m_meter->On(GradientRecord{2, 0, UPDATE, 4});
    Update(0, 0, 5);
    Pull(1, 1, 6, 7);
    m_meter->On(GradientRecord{1, 1, UPDATE, 8});
    Update(1, 1, 9);
    EXPECT_EQ(told, (Told{"0.0:0>1@5", "2.0:0>1@5", "1.1:1>2@9"}));
}

TEST_F(VersionMeterTest, WithoutAnUpdateAGradientIsAppliedOnArrival)
{
    Make(MakeProfile(false));
    Pull(0, 0, 0, 1);
    Push(0, 0, 3);
    Pull(0, 1, 4, 5);
    Push(0, 1, 6);
    EXPECT_EQ(told, (Told{"0.0:0>1@3", "0.1:1>2@6"}));
}

// Version 1 is saved at 5, versions 2 and 3 are lost at 10, when 3 is being made. So version 3 is
// version 1.
TEST_F(VersionMeterTest, ACrashOfAServerBringsTheCheckpointBack)
{
    Make(MakeProfile(true), ParameterCopies::ON_SERVERS, {{0, 10, 12, 5}});
    Pull(0, 0, 0, 1);
    Update(0, 0, 4);
    Pull(0, 1, 4, 5);
    Update(0, 1, 7);
    Pull(0, 2, 7, 8);
    m_meter->On(ServerCrashRecord{10});
    Update(0, 2, 10.05); // began at 9.95
    Pull(0, 2, 12, 13);
    Update(0, 2, 14);
    EXPECT_EQ(told, (Told{"0.0:0>1@4", "0.1:1>2@7", "-:1>3@10", "0.2:3>4@14"}));
}

// A joint update that begins in the moment of the crash is lost with its gradients, which are in no
// later one.
TEST_F(VersionMeterTest, WhatIsUpdatedWhenAServerCrashesIsLost)
{
    Make(MakeProfile(true), ParameterCopies::ON_SERVERS, {{0, 10, 12, 0}});
    m_meter->On(ServerCrashRecord{10});
    m_meter->On(GradientRecord{0, 0, UPDATE, 10});
    Update(0, 0, 10.1);
    m_meter->On(GradientRecord{1, 0, UPDATE, 13});
    Update(1, 0, 14);
    EXPECT_EQ(told, (Told{"-:0>1@10", "1.0:0>2@14"}));
}

TEST_F(VersionMeterTest, CopiesOnWorkersGoStepByStep)
{
    Make(MakeProfile(true), ParameterCopies::ON_WORKERS);
    Update(0, 0, 5);
    m_meter->On(StepRecord{0, 0, 0, 0, 6});
    m_meter->On(StepRecord{1, 0, 0, 0, 7});
    m_meter->On(StepRecord{1, 1, 0, 7, 9});
    EXPECT_EQ(told, (Told{"0.0:0>1@6", "1.0:0>1@7", "1.1:1>2@9"}));
}

} // namespace
