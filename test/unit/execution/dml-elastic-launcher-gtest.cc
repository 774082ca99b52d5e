/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/dml-elastic-launcher.h"

#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <utility>
#include <vector>

using namespace ns3::dml;

namespace
{

constexpr double NEVER = std::numeric_limits<double>::infinity();

/// Three workers that a launcher starts, and what it wants, as words.
class LaunchedWorkers : private ElasticLauncherHost
{
  public:
    LaunchedWorkers()
        : m_launcher(MakeElasticity(), static_cast<ElasticLauncherHost&>(*this))
    {
    }

    /// What has been wanted since the last call.
    std::string Take()
    {
        return std::exchange(m_words, "");
    }

    ElasticLauncher& Get()
    {
        return m_launcher;
    }

  private:
    /// Any of the workers may be there.
    static std::shared_ptr<const Elasticity> MakeElasticity()
    {
        auto elasticity = std::make_shared<Elasticity>();
        elasticity->rebuild = 7;
        for (const auto& workers :
             std::vector<std::vector<uint32_t>>{{0, 1, 2}, {0, 1}, {0, 2}, {1, 2}, {0}, {1}, {2}})
        {
            elasticity->memberships.push_back({workers, nullptr});
        }
        return elasticity;
    }

    static std::string Join(const std::vector<uint32_t>& workers)
    {
        std::string text;
        for (const uint32_t worker : workers)
        {
            text += std::to_string(worker);
        }
        return text;
    }

    void WakeLauncher(double delay, uint64_t call) override
    {
        EXPECT_EQ(delay, 7);
        m_words += "wake" + std::to_string(call) + " ";
    }

    void EndWorker(uint32_t worker) override
    {
        m_words += "end" + std::to_string(worker) + " ";
    }

    void EndAfterStep(const std::vector<uint32_t>& workers) override
    {
        m_words += "after" + Join(workers) + " ";
    }

    void StartWorkers(const Membership& membership) override
    {
        m_words += "start" + Join(membership.workers) + " ";
    }

    void NothingLeft(uint32_t worker) override
    {
        m_words += "left" + std::to_string(worker) + " ";
        m_launcher.Finished(worker);
    }

    void ModelLost(const std::string& text) override
    {
        m_words += text;
    }

    std::string m_words;        //!< what was wanted
    ElasticLauncher m_launcher; //!< under test
};

} // namespace

TEST(DmlElasticLauncher, ACrashEndsTheOthersAtOnceAndAReturnAfterTheirStep)
{
    LaunchedWorkers workers;
    workers.Get().Crashed(1, 5);
    EXPECT_EQ(workers.Take(), "end0 end2 wake1 ");
    workers.Get().WakeUp(1);
    EXPECT_EQ(workers.Take(), "start02 ");
    workers.Get().Back(1);
    EXPECT_EQ(workers.Take(), "after02 ");
    workers.Get().Stopped(2);
    EXPECT_EQ(workers.Take(), "") << "0 is still in its step";
    workers.Get().Stopped(0);
    EXPECT_EQ(workers.Take(), "end0 end2 wake2 ");
    workers.Get().WakeUp(2);
    EXPECT_EQ(workers.Take(), "start012 ");
}

TEST(DmlElasticLauncher, TheNewestMembersBegin)
{
    LaunchedWorkers workers;
    workers.Get().Crashed(1, 5);
    workers.Take();
    workers.Get().Crashed(2, 6);
    EXPECT_EQ(workers.Take(), "wake2 ") << "the others have been ended before";
    workers.Get().WakeUp(1);
    EXPECT_EQ(workers.Take(), "") << "too early now";
    workers.Get().Back(1);
    EXPECT_EQ(workers.Take(), "wake3 ");
    workers.Get().WakeUp(2);
    EXPECT_EQ(workers.Take(), "");
    workers.Get().WakeUp(3);
    EXPECT_EQ(workers.Take(), "start01 ");
}

TEST(DmlElasticLauncher, ACrashCountsMoreThanAReturn)
{
    LaunchedWorkers workers;
    workers.Get().Crashed(1, 5);
    workers.Get().WakeUp(1);
    workers.Get().Back(1);
    workers.Get().Stopped(0);
    workers.Take();
    workers.Get().Crashed(2, 6);
    EXPECT_EQ(workers.Take(), "end0 wake2 ") << "also who has stopped";
    workers.Get().Stopped(0);
    EXPECT_EQ(workers.Take(), "") << "of the process that has been ended";
    workers.Get().WakeUp(2);
    EXPECT_EQ(workers.Take(), "start01 ");
    workers.Get().Back(2);
    EXPECT_EQ(workers.Take(), "after01 ");
}

TEST(DmlElasticLauncher, SeveralComeBackTogether)
{
    LaunchedWorkers workers;
    workers.Get().Crashed(1, 5);
    workers.Get().Crashed(2, 5);
    workers.Get().WakeUp(2);
    workers.Get().Back(1);
    workers.Take();
    workers.Get().Back(2);
    EXPECT_EQ(workers.Take(), "") << "the step is being ended already";
    workers.Get().Stopped(0);
    workers.Get().WakeUp(3);
    EXPECT_EQ(workers.Take(), "end0 wake3 start012 ");
}

TEST(DmlElasticLauncher, TheModelIsLostWithTheLastOneThatHasIt)
{
    LaunchedWorkers workers;
    workers.Get().Crashed(1, 1);
    workers.Get().Crashed(2, 1);
    workers.Get().WakeUp(2);
    workers.Get().Back(1); // which has not got it yet
    workers.Take();
    workers.Get().Crashed(0, 1.5);
    EXPECT_EQ(workers.Take(),
              "all workers that had the model have crashed by 1.500000 s, so nobody can go on "
              "with it");

    LaunchedWorkers others;
    others.Get().Crashed(1, 1);
    others.Get().Crashed(2, 1);
    others.Get().Back(1);
    others.Get().WakeUp(3); // gets it
    others.Take();
    others.Get().Crashed(0, 1.5);
    EXPECT_EQ(others.Take(), "end1 wake4 ");
}

TEST(DmlElasticLauncher, NobodyIsStartedOnceTheLastStepIsDone)
{
    LaunchedWorkers workers;
    workers.Get().Finished(0);
    EXPECT_EQ(workers.Take(), "") << "the others are about to";
    workers.Get().Crashed(1, 5);
    EXPECT_EQ(workers.Take(), "end2 left2 ");
    workers.Get().Back(1);
    EXPECT_EQ(workers.Take(), "left1 ");

    LaunchedWorkers late;
    late.Get().Crashed(1, 5);
    late.Get().WakeUp(1);
    late.Get().Back(1);
    late.Take();
    late.Get().Finished(2);
    EXPECT_EQ(late.Take(), "left1 ");
}

/// 1 is there until 2 s and from 5 s on, 2 until 3 s, and 0 from 5 s on not.
TEST(DmlElasticity, ListsWhomCrashesLeave)
{
    using Sets = std::vector<std::vector<uint32_t>>;
    EXPECT_EQ(ListMemberSets({{0, 5}, {1, 2, 5}, {2, 3, NEVER}}, 3),
              (Sets{{0, 1, 2}, {0, 2}, {0}, {1}}));
    EXPECT_EQ(ListMemberSets({{0, 1, 2}, {1, 1, 3}}, 2), (Sets{{0, 1}, {0}}))
        << "never nobody, and each once";
    EXPECT_EQ(ListMemberSets({}, 2), (Sets{{0, 1}}));
}
