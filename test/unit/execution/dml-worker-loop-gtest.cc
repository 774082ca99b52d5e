/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-profile-builder.h"

#include "ns3/dml-step-executor.h"
#include "ns3/dml-stream-window-model.h"
#include "ns3/dml-worker-loop.h"

#include <cmath>
#include <gtest/gtest.h>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace ns3::dml
{
namespace
{

/// A worker whose steps are one op of one second, and whatever its loop asks of its engine, as
/// words.
class WorkerLife : public StepHost, public WorkerHost, public RunListener<WorkerLife>
{
  public:
    WorkerLife(uint32_t steps,
               uint32_t answers,
               BatchSizes sizes = BatchSizes::KEPT,
               bool overlaps = false,
               bool late = false)
        : m_plan(MakeStepPlan(ProfileBuilder().Compute("op", {1}).Build(), {}, 1, {}))
    {
        m_plan.overlaps = overlaps;
        WorkerSettings settings;
        settings.number = 7;
        settings.worker = 2;
        settings.steps = steps;
        settings.sampler = StepSampler(std::vector<uint32_t>{0});
        settings.profiled = 10;
        settings.batchSizes = sizes;
        if (late)
        {
            settings.jitter = StepJitter(0.003, 1, 0, 2);
        }
        m_loop.emplace(std::move(settings), answers, *this, JobRecorder{this});
        Renew();
    }

    /// A new executor, as after a crash.
    void Renew()
    {
        m_devices.clear();
        std::vector<DeviceQueue*> queues;
        for (const auto& resource : m_plan.resources)
        {
            const bool computes = resource.kind == ResourceKind::DEVICE && resource.at == SELF;
            m_devices.push_back(computes ? std::make_unique<DeviceQueue>() : nullptr);
            queues.push_back(m_devices.back().get());
        }
        m_executors.push_back(std::make_unique<StepExecutor>(m_executors.size(),
                                                             7,
                                                             8,
                                                             m_plan,
                                                             queues,
                                                             ObjectFactory(),
                                                             m_windows,
                                                             *this,
                                                             JobRecorder{}));
        m_loop->SetExecutor(*m_executors.back());
    }

    /// The op under way ends.
    void EndOp()
    {
        const auto [task, start] = *std::exchange(m_task, std::nullopt);
        m_now = start + task.seconds;
        m_executors[task.owner]->TaskEnded(task, start);
    }

    /// What has been asked since the last call.
    std::string Take()
    {
        return std::exchange(m_words, "");
    }

    /// The one that works.
    const StepExecutor& GetExecutor() const
    {
        return *m_executors.back();
    }

    std::optional<WorkerLoop> m_loop; //!< under test
    double m_now{0};                  //!< seconds

    double GetNow() const override
    {
        return m_now;
    }

    int64_t GetInstant() const override
    {
        return static_cast<int64_t>(m_now * 1e9);
    }

    void CallLater(uint32_t, double, uint32_t call) override
    {
        m_words += "late" + std::to_string(call) + " ";
    }

    void StartTask(DeviceQueue&, const ComputeTask& task) override
    {
        m_task = {task, m_now};
    }

    void StartTurn(StepExecutor&, uint32_t, const Turn&) override
    {
    }

    void WakeUp(StepExecutor&, uint32_t, double) override
    {
    }

    void RequestTransfer(StepExecutor&, OpIndex) override
    {
    }

    void StepEnded(uint32_t number, const StepRecord&) override
    {
        EXPECT_EQ(number, 7U);
    }

    void On(const StepRecord& record)
    {
        EXPECT_EQ(record.worker, 2U);
        m_words += "ended" + std::to_string(record.step) + "/" + std::to_string(record.batch) +
                   "-" + std::to_string(record.dropped) + " ";
    }

    void On(const CrashRecord& record)
    {
        m_words += (record.ended ? "was-ended" : "crashed") + std::to_string(record.step) +
                   (record.start == UNKNOWN_TIME ? "idle " : " ");
    }

    void On(const RejoinRecord& record)
    {
        m_words += "rejoined" + std::to_string(record.step) + " ";
    }

    double GetStepStart(uint32_t, uint32_t step) const override
    {
        return m_start[step % 2];
    }

    void StepBegins(uint32_t number, uint32_t step, uint32_t) override
    {
        EXPECT_EQ(number, 7U);
        m_start[step % 2] = m_now;
        m_words += "begins" + std::to_string(step) + " ";
    }

    void AskForBatchSize(uint32_t, uint32_t step, const WorkerReport& report) override
    {
        m_words += "asks" + std::to_string(step) + "/" + std::to_string(report.batch) + "@" +
                   std::to_string(report.seconds).substr(0, 3) + " ";
    }

    void ReportProgress(uint32_t, const SampleReport&) override
    {
    }

    void GiveSamples(uint32_t, uint32_t, uint32_t) override
    {
    }

    void StepsSkipped(uint32_t, uint32_t from) override
    {
        m_words += "skipped" + std::to_string(from) + " ";
    }

    void WorkerLeaves(uint32_t, bool early) override
    {
        m_words += early ? "leaves-early " : "leaves ";
    }

    void WorkerDied(uint32_t) override
    {
        m_words += "died ";
    }

    void WorkerFinished(uint32_t) override
    {
        m_words += "finished ";
    }

    void WorkerStopped(uint32_t) override
    {
        m_words += "stopped ";
    }

  private:
    StepPlan m_plan;                                                       //!< one op of one second
    StreamWindowModel m_windows{StreamWindowModel::Rule::TWO_TURNS, 1, 0}; //!< not used
    std::vector<std::unique_ptr<DeviceQueue>> m_devices;                   //!< by resource
    std::vector<std::unique_ptr<StepExecutor>> m_executors;                //!< one a life
    std::optional<std::pair<ComputeTask, double>> m_task;                  //!< under way, since
    double m_start[2]{};                                                   //!< of steps
    std::string m_words;                                                   //!< what was asked
};

TEST(DmlWorkerLoop, AStepEndsWithItsOpsAndAllItsAnswers)
{
    WorkerLife life(2, 2);
    life.m_loop->Start();
    life.m_loop->Start();
    EXPECT_EQ(life.Take(), "begins0 ");
    life.m_loop->Answer(0, 0, 1); // an answer may come before the ops are done
    life.EndOp();
    EXPECT_EQ(life.m_loop->GetUnanswered(0), 1U);
    EXPECT_EQ(life.Take(), "");
    life.m_loop->Answer(0, 1, 2);
    // 1 + 2 gradients were dropped
    EXPECT_EQ(life.Take(), "ended0/0-3 begins1 ");
    life.EndOp();
    life.m_loop->Answer(1, 0, 0);
    life.m_loop->Answer(1, 0, 0);
    EXPECT_EQ(life.Take(), "ended1/0-0 leaves finished ");
    EXPECT_EQ(life.m_loop->GetCount(), 2U);
}

/// Each step begins when it is called back, once.
TEST(DmlWorkerLoop, StepsMayBeginLate)
{
    WorkerLife life(3, 1, BatchSizes::KEPT, false, true);
    life.m_loop->Start();
    EXPECT_EQ(life.Take(), "late1 ");
    life.m_loop->BeginLate(1);
    life.m_loop->BeginLate(1);
    EXPECT_EQ(life.Take(), "begins0 ");
    life.EndOp();
    life.m_loop->Answer(0, 0, 0);
    EXPECT_EQ(life.Take(), "ended0/0-0 late2 ");
    life.m_loop->NextStepAllowed(0);
    EXPECT_EQ(life.Take(), "") << "it is on its way already";
    life.m_loop->Crash(false); // before the call
    life.m_loop->BeginLate(2);
    EXPECT_EQ(life.Take(), "crashed1idle died ");
    EXPECT_TRUE(life.m_loop->Rejoin());
    life.Renew();
    life.m_loop->Return(1);
    EXPECT_EQ(life.Take(), "skipped0 rejoined1 late3 ");
    life.m_loop->Hold();
    life.m_loop->BeginLate(3);
    EXPECT_EQ(life.Take(), "") << "held while it was late";
}

/// The mean is that of the exponential distribution within four standard errors, 4/sqrt(n).
TEST(DmlStepJitter, HasItsMean)
{
    constexpr int DRAWS = 100000;
    StepJitter jitter(0.003, 1, 0, 5);
    StepJitter again(0.003, 1, 0, 5);
    double sum = 0;
    for (int i = 0; i < DRAWS; ++i)
    {
        const double late = jitter.Next();
        ASSERT_GE(late, 0);
        ASSERT_EQ(late, again.Next());
        sum += late;
    }
    EXPECT_NEAR(sum / DRAWS / 0.003, 1, 4 / std::sqrt(DRAWS));
}

TEST(DmlStepJitter, MayBeLargerInTheFirstStep)
{
    StepJitter jitter(0.003, 1, 0, 5);
    StepJitter cold(0.003, 1, 0, 5, 4);
    EXPECT_DOUBLE_EQ(cold.Next(), 4 * jitter.Next());
    EXPECT_DOUBLE_EQ(cold.Next(), jitter.Next());
}

TEST(DmlWorkerLoop, AllAnswersDoNotEndAStepWhoseOpsAreNotDone)
{
    WorkerLife life(2, 1);
    life.m_loop->Start();
    life.m_loop->Answer(0, 0, 0);
    EXPECT_EQ(life.Take(), "begins0 ");
    life.EndOp();
    EXPECT_EQ(life.Take(), "ended0/0-0 begins1 ");
}

TEST(DmlWorkerLoop, TwoStepsMayOverlapAndNoMore)
{
    WorkerLife life(3, 1, BatchSizes::KEPT, true);
    life.m_loop->Start();
    life.m_loop->NextStepAllowed(0);
    EXPECT_EQ(life.Take(), "begins0 begins1 ");
    life.EndOp();
    life.EndOp();
    life.m_loop->NextStepAllowed(1);
    EXPECT_EQ(life.Take(), "") << "the answer of the first is missing";
    life.m_loop->Answer(1, 0, 0);
    EXPECT_EQ(life.Take(), "") << "as before";
    life.m_loop->Answer(0, 0, 0);
    EXPECT_EQ(life.Take(), "ended0/0-0 ended1/0-0 begins2 ");
    life.m_loop->NextStepAllowed(2);
    EXPECT_EQ(life.Take(), "") << "there are three";
    life.EndOp();
    life.m_loop->Answer(2, 0, 0);
    EXPECT_EQ(life.Take(), "ended2/0-0 finished ");
}

TEST(DmlWorkerLoop, FinishesOnceWhenItsLastTwoStepsEndTogether)
{
    WorkerLife life(2, 1, BatchSizes::KEPT, true);
    life.m_loop->Start();
    life.m_loop->NextStepAllowed(0);
    life.EndOp();
    life.EndOp();
    life.m_loop->Answer(1, 0, 0);
    life.Take();
    life.m_loop->Answer(0, 0, 0);
    EXPECT_EQ(life.Take(), "ended0/0-0 ended1/0-0 finished ");
}

TEST(DmlWorkerLoop, NothingComesFromALifeThatIsOver)
{
    WorkerLife life(3, 1);
    EXPECT_FALSE(life.m_loop->Rejoin()) << "it lives";
    life.m_loop->Start();
    life.m_loop->Crash(false);
    EXPECT_TRUE(life.GetExecutor().IsAbandoned());
    life.Take();
    life.EndOp();
    EXPECT_EQ(life.Take(), "") << "an op that was under way";
    EXPECT_TRUE(life.m_loop->Rejoin());
    life.Renew();
    life.m_loop->Return(0);
    life.EndOp();
    life.Take();
    life.m_loop->Crash(false);
    life.Take();
    life.m_loop->Answer(0, 0, 0);
    EXPECT_EQ(life.Take(), "") << "an answer that comes too late";
}

TEST(DmlWorkerLoop, LeavesOutStepsThatOthersHaveDone)
{
    WorkerLife life(10, 1);
    life.m_loop->Start();
    life.EndOp();
    life.Take();
    life.m_loop->Answer(0, 4, 0);
    EXPECT_EQ(life.Take(), "ended0/0-0 skipped1 begins4 ");
    life.EndOp();
    life.m_loop->Answer(4, 12, 0); // beyond the last one
    EXPECT_EQ(life.Take(), "ended4/0-0 leaves-early finished ");
    EXPECT_EQ(life.m_loop->GetCount(), 2U) << "steps left out are not done";
}

TEST(DmlWorkerLoop, ACrashLosesTheStepAndAReturnGoesOnWhereTheOthersAre)
{
    WorkerLife life(5, 1);
    life.m_loop->Start();
    life.Take();
    life.m_loop->Crash(false);
    EXPECT_EQ(life.Take(), "crashed0 died ");
    life.m_loop->Crash(false);
    EXPECT_EQ(life.Take(), "") << "it is dead already";
    EXPECT_TRUE(life.m_loop->Rejoin());
    EXPECT_TRUE(life.m_loop->IsReturning());
    life.Renew();
    life.m_loop->Return(3);
    EXPECT_EQ(life.Take(), "skipped0 rejoined3 begins3 ");
    EXPECT_FALSE(life.m_loop->IsReturning());
    life.m_loop->Crash(true);
    EXPECT_EQ(life.Take(), "crashed3 died finished ");
}

TEST(DmlWorkerLoop, EndsAfterAStepThatOthersHaveBegun)
{
    WorkerLife life(9, 1);
    const auto end = [&life](uint32_t step) {
        life.EndOp();
        life.m_loop->Answer(step, 0, 0);
    };
    life.m_loop->Start();
    life.m_loop->Hold();
    end(0);
    EXPECT_EQ(life.Take(), "begins0 ended0/0-0 ") << "it does not know what others are in";
    life.m_loop->EndAfter(2);
    EXPECT_EQ(life.Take(), "begins1 ");
    end(1);
    EXPECT_EQ(life.Take(), "ended1/0-0 stopped ");
    life.m_loop->End();
    EXPECT_EQ(life.Take(), "was-ended2idle died ");
    EXPECT_TRUE(life.m_loop->IsReturning());
    EXPECT_FALSE(life.m_loop->IsDown());
    life.Renew();
    life.m_loop->Restart(2);
    EXPECT_EQ(life.Take(), "skipped0 rejoined2 begins2 ");
    end(2);
    EXPECT_EQ(life.Take(), "ended2/0-0 begins3 ") << "that was the last time";
    life.m_loop->EndAfter(4);
    EXPECT_EQ(life.Take(), "") << "it is in step 3";
    end(3);
    EXPECT_EQ(life.Take(), "ended3/0-0 stopped ");
}

TEST(DmlWorkerLoop, AnEndBeforeItsStartIsOne)
{
    WorkerLife life(9, 1);
    life.m_loop->EndAfter(1);
    EXPECT_EQ(life.Take(), "") << "it has to do step 0 with the others";
    life.m_loop->EndAfter(0);
    EXPECT_EQ(life.Take(), "stopped ");
    life.m_loop->End();
    life.m_loop->Start();
    EXPECT_EQ(life.Take(), "was-ended0idle died ") << "it begins with the others";
    life.m_loop->End();
    EXPECT_EQ(life.Take(), "died ") << "nothing has happened since";
}

TEST(DmlWorkerLoop, WhatACrashedWorkerHasLearntIsLost)
{
    WorkerLife life(4, 1);
    life.m_loop->Start();
    life.EndOp();
    life.m_loop->Answer(0, 0, 0);
    EXPECT_EQ(life.m_loop->GetLearnt(), 1U);
    life.m_loop->End();
    EXPECT_EQ(life.m_loop->GetLearnt(), 1U) << "others hand it on";
    life.m_loop->Crash(false);
    EXPECT_EQ(life.m_loop->GetLearnt(), 0U);
    life.m_loop->Rejoin();
    EXPECT_EQ(life.m_loop->GetLearnt(), 0U);
    life.Take();
    life.Renew();
    life.m_loop->Restart(0); // those who are left had not done step 0
    EXPECT_EQ(life.Take(), "rejoined0 begins0 ");
    life.m_loop->End();
    life.Take();
    life.m_loop->Restart(4);
    EXPECT_EQ(life.Take(), "leaves-early finished ") << "others have done the last one";
}

TEST(DmlWorkerLoop, ACrashBeforeTheFirstStepLosesNone)
{
    WorkerLife life(5, 1);
    life.m_loop->Crash(false);
    EXPECT_EQ(life.Take(), "crashed0idle died ");
    life.m_loop->Start();
    EXPECT_EQ(life.Take(), "") << "a dead process starts nothing";
    EXPECT_TRUE(life.m_loop->Rejoin());
    life.Renew();
    life.m_loop->Start();
    EXPECT_EQ(life.Take(), "") << "it begins with Return()";
    life.m_loop->Return(5);
    EXPECT_EQ(life.Take(), "leaves-early finished ") << "the others have done all steps";
}

TEST(DmlWorkerLoop, WaitsForABatchSizeOrAsksAhead)
{
    WorkerLife first(3, 1, BatchSizes::ASKED_FIRST);
    first.m_loop->Start();
    first.EndOp();
    first.Take();
    first.m_loop->Answer(0, 0, 0);
    // the step took a second, with the profile's 10 samples
    EXPECT_EQ(first.Take(), "ended0/0-0 asks1/10@1.0 ");
    first.m_loop->SetBatchSize(20);
    EXPECT_EQ(first.Take(), "begins1 ");
    first.EndOp();
    EXPECT_EQ(first.m_now, 3) << "twice the samples take twice the time";
    first.m_loop->Answer(1, 0, 0);
    EXPECT_EQ(first.Take(), "ended1/20-0 asks2/20@2.0 ");

    WorkerLife ahead(3, 1, BatchSizes::ASKED_AHEAD);
    ahead.m_loop->Start();
    ahead.EndOp();
    ahead.Take();
    ahead.m_loop->Answer(0, 0, 0);
    EXPECT_EQ(ahead.Take(), "ended0/0-0 begins1 asks2/10@1.0 ");
    ahead.m_loop->SetBatchSize(20);
    ahead.EndOp();
    EXPECT_EQ(ahead.m_now, 2) << "the answer is for the step after";
    ahead.m_loop->Answer(1, 0, 0);
    EXPECT_EQ(ahead.Take(), "ended1/0-0 begins2 asks3/20@1.0 ");
}

TEST(DmlWorkerLoop, BeginsNothingOnceStopped)
{
    WorkerLife life(3, 1);
    life.m_loop->Start();
    life.m_loop->Stop();
    life.EndOp();
    life.m_loop->Answer(0, 0, 0);
    EXPECT_EQ(life.Take(), "begins0 ended0/0-0 ");
}

} // namespace
} // namespace ns3::dml
