/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/dml-job-profile.h"

#include <algorithm>
#include <gtest/gtest.h>

using namespace ns3::dml;

namespace
{

/// A job that is put together op by op.
class DmlJobProfile : public testing::Test
{
  protected:
    /// @return the new op; its device is known by its name, "" is none
    GlobalOp Add(JobOpKind kind,
                 const std::string& name,
                 uint32_t worker,
                 const std::string& device,
                 double seconds,
                 uint64_t bytes = 0)
    {
        MeanOp mean;
        mean.op = {kind, Find(m_job.names, name), worker, 0, bytes};
        mean.op.device = device.empty() ? JobOp::NO_DEVICE : Find(m_job.devices, device);
        mean.seconds = seconds;
        m_job.ops.push_back(mean);
        m_job.workers = std::max(m_job.workers, worker + 1);
        return m_job.ops.size() - 1;
    }

    /// One worker's step with a parameter server: the way of a transfer is an op of its own.
    /// @return its update
    GlobalOp AddStep(uint32_t worker, double forward)
    {
        const std::string own = "worker " + std::to_string(worker) + ", ";
        const auto begins = Add(JobOpKind::JOIN, "step begins", worker, "", 0);
        const auto pull = Add(JobOpKind::PULL, "pull/w", worker, own + "downlink PS 1", 0, 700);
        const auto way = Add(JobOpKind::PULL, "pull/w", worker, own + "downlink PS 1, wire", 3);
        const auto parse = Add(JobOpKind::PARSE, "pull/w", worker, own + "parser", 2);
        const auto compute = Add(JobOpKind::FORWARD, "f", worker, own + "gpu", forward);
        const auto push = Add(JobOpKind::PUSH, "push/w", worker, own + "uplink PS 1", 3, 700);
        const auto update = Add(JobOpKind::UPDATE, "update/w", worker, "PS 1, for " + own, 0.5);
        const auto ends = Add(JobOpKind::JOIN, "step ends", worker, "", 0);
        m_job.inStep.insert(m_job.inStep.end(),
                            {{begins, pull},
                             {pull, way},
                             {way, parse},
                             {parse, compute},
                             {compute, push},
                             {push, update},
                             {update, ends}});
        m_job.toNext.emplace_back(ends, begins);
        m_job.toNext.emplace_back(update, pull);
        m_job.servers = 2;
        m_pulls.push_back(pull);
        return update;
    }

    /// @return name of an op of the profile and those that it waits for, "f < pull/w"
    std::vector<std::string> ListOps(const Profile& profile) const
    {
        std::vector<std::string> ops;
        for (OpIndex op = 0; op < profile.graph.GetSize(); ++op)
        {
            std::vector<std::string> waits;
            for (const OpIndex before : profile.graph.GetDependencies(op))
            {
                waits.push_back(profile.graph.Get(before).name);
            }
            std::sort(waits.begin(), waits.end());
            std::string text = profile.graph.Get(op).name;
            for (const auto& wait : waits)
            {
                text += " < " + wait;
            }
            ops.push_back(text);
        }
        return ops;
    }

    JobStep m_job;                 //!< the job
    std::vector<GlobalOp> m_pulls; //!< by worker

  private:
    static uint32_t Find(std::vector<std::string>& list, const std::string& text)
    {
        const auto found = std::find(list.begin(), list.end(), text);
        const uint32_t place = found - list.begin();
        if (found == list.end())
        {
            list.push_back(text);
        }
        return place;
    }
};

} // namespace

TEST_F(DmlJobProfile, HasAWorkersStepAndTheTimesOfAllWorkers)
{
    AddStep(0, 4);
    AddStep(1, 5);
    const JobProfile made = MakeJobProfile(m_job);
    EXPECT_EQ(
        ListOps(made.profile),
        (std::vector<std::string>{"pull/w", "f < pull/w", "push/w < f", "update/w < push/w"}));
    ASSERT_EQ(made.profile.tensors.size(), 1U);
    EXPECT_EQ(made.profile.tensors[0].name, "w");
    EXPECT_EQ(made.profile.tensors[0].bytes, 700U);
    EXPECT_EQ(made.profile.samples[1], (std::vector<double>{4, 5}));
    EXPECT_EQ(made.profile.samples[3], (std::vector<double>{0.5, 0.5}));
    ASSERT_EQ(made.profile.devices.size(), 1U);
    EXPECT_EQ(made.profile.devices[0].name, "gpu");
    EXPECT_EQ(made.profile.devices[0].slots, 1U);
    EXPECT_EQ(made.servers, std::vector<uint32_t>{1});
    EXPECT_FALSE(made.collective);
    EXPECT_FALSE(made.rounds);
    EXPECT_DOUBLE_EQ(made.parseSecondsPerByte, 2.0 / 1400); // 700 each way
    EXPECT_TRUE(made.parsesInParallel);
}

TEST_F(DmlJobProfile, ParametersThatWaitForAllWorkersMakeRounds)
{
    const auto update = AddStep(0, 4);
    AddStep(1, 5);
    m_job.toNext.emplace_back(update, m_pulls[1]);
    EXPECT_FALSE(MakeJobProfile(m_job).rounds); // worker 0 waits for nobody
    m_job.toNext.emplace_back(m_pulls[1] + 5, m_pulls[0]);
    EXPECT_TRUE(MakeJobProfile(m_job).rounds);
}

TEST_F(DmlJobProfile, PartsOnSeveralServersHaveNoPlacement)
{
    AddStep(0, 4);
    const auto part = Add(JobOpKind::PULL, "pull/w", 0, "worker 0, downlink PS 0", 3, 300);
    m_job.inStep.emplace_back(part, m_pulls[0] + 3);
    const JobProfile made = MakeJobProfile(m_job);
    EXPECT_TRUE(made.servers.empty());
    EXPECT_EQ(made.profile.tensors[0].bytes, 1000U);
}

TEST_F(DmlJobProfile, DevicesOfOneNameAreSlots)
{
    const auto one = Add(JobOpKind::FORWARD, "a", 0, "worker 0, cpu", 1);
    const auto two = Add(JobOpKind::FORWARD, "b", 0, "worker 0, cpu #2", 1);
    m_job.inStep.emplace_back(one, two);
    const JobProfile made = MakeJobProfile(m_job);
    ASSERT_EQ(made.profile.devices.size(), 1U);
    EXPECT_EQ(made.profile.devices[0].name, "cpu");
    EXPECT_EQ(made.profile.devices[0].slots, 2U);
}

// Two collectives; the updates of both wait for the last one, too, and the first op of a step for
// the parameters of one of them. A pull that nothing waits for is waited for by the first ops.
TEST_F(DmlJobProfile, CollectivesAreTensors)
{
    const std::string cpu = "worker 0, cpu";
    const auto first = Add(JobOpKind::FORWARD, "f", 0, cpu, 1);
    const auto back2 = Add(JobOpKind::BACKWARD, "b2", 0, cpu, 2);
    const auto back1 = Add(JobOpKind::BACKWARD, "b1", 0, cpu, 3);
    const auto entry = Add(JobOpKind::JOIN, "push of two", 0, "", 0);
    const auto two = Add(JobOpKind::COLLECTIVE, "two", 0, "worker 0, collectives", 4, 2000);
    const auto one = Add(JobOpKind::COLLECTIVE, "one", 0, "worker 0, collectives", 5, 1000);
    const auto update2 = Add(JobOpKind::UPDATE, "update/two", 0, cpu, 0.25);
    const auto more2 = Add(JobOpKind::UPDATE, "update/two, rest", 0, cpu, 0.5);
    const auto update1 = Add(JobOpKind::UPDATE, "update/one", 0, cpu, 0.125);
    m_job.inStep = {{first, back2},
                    {back2, back1},
                    {back2, entry},
                    {entry, two},
                    {back1, one},
                    {two, one},
                    {two, update2},
                    {one, update2},
                    {two, more2},
                    {one, more2},
                    {one, update1}};
    m_job.toNext = {{update1, first}};
    const JobProfile made = MakeJobProfile(m_job);
    EXPECT_TRUE(made.collective);
    EXPECT_TRUE(made.servers.empty());
    EXPECT_EQ(ListOps(made.profile),
              (std::vector<std::string>{"pull of two",
                                        "pull of one",
                                        "f < pull of one < pull of two",
                                        "b2 < f",
                                        "b1 < b2",
                                        "two < b2",
                                        "one < b1",
                                        "update/two < two",
                                        "update/one < one"}));
    EXPECT_EQ(made.profile.samples[7], std::vector<double>{0.75});
    EXPECT_EQ(made.profile.tensors[0].bytes, 2000U);
}
