/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-fair-share-fixture.h"

#include "ns3/boolean.h"
#include "ns3/dml-batch-size-manager.h"
#include "ns3/dml-batch-size-service.h"
#include "ns3/dml-gpu-batch-model.h"
#include "ns3/dml-run-graph-protocol.h"
#include "ns3/dml-speed-trace.h"

#include <cmath>
#include <gtest/gtest.h>
#include <limits>
#include <map>
#include <vector>

using namespace ns3;
using namespace ns3::dml;

namespace
{

/// Moves one sample from the last worker that is there to the first one.
class ShiftOne : public BatchSizeControl
{
  public:
    static TypeId GetTypeId()
    {
        static TypeId tid = TypeId("ns3::dml::test::ShiftOne")
                                .SetParent<BatchSizeControl>()
                                .AddConstructor<ShiftOne>()
                                .AddAttribute("Blocking",
                                              "",
                                              BooleanValue(true),
                                              MakeBooleanAccessor(&ShiftOne::m_blocking),
                                              MakeBooleanChecker());
        return tid;
    }

    bool IsBlocking() const override
    {
        return m_blocking;
    }

    std::vector<uint32_t> Update(const std::vector<WorkerReport>& given) override
    {
        reports = given;
        std::vector<uint32_t> batches;
        std::vector<uint32_t> present;
        for (uint32_t worker = 0; worker < given.size(); ++worker)
        {
            batches.push_back(given[worker].present ? given[worker].batch : 0);
            if (given[worker].present)
            {
                present.push_back(worker);
            }
        }
        if (present.size() > 1)
        {
            ++batches[present.front()];
            --batches[present.back()];
        }
        return batches;
    }

    std::vector<WorkerReport> reports; //!< of the last call

  private:
    bool m_blocking{true};
};

NS_OBJECT_ENSURE_REGISTERED(ShiftOne);

struct Answers : BatchSizeListener
{
    void SetBatchSize(uint32_t worker, uint32_t batch) override
    {
        batches[worker] = batch;
    }

    std::map<uint32_t, uint32_t> batches;
};

WorkerReport
ReportOf(uint32_t batch)
{
    WorkerReport report;
    report.batch = batch;
    report.seconds = 1;
    return report;
}

/// Computes one second per sample (the profile's batch size is 1), pushes 100 bytes in a second.
FairShareCase
MakeCase(bool blocking, const std::vector<uint32_t>& batches)
{
    FairShareCase run(ProfileBuilder().Compute("c", {1}).Push("p", 100, {"c"}).Update("p", 0));
    run.protocol = MakeAggregatingPlan;
    run.run.sync.SetTypeId("ns3::dml::BulkSynchronousSync");
    run.run.batchControl.emplace();
    run.run.batchControl->SetTypeId(ShiftOne::GetTypeId());
    run.run.batchControl->Set("Blocking", BooleanValue(blocking));
    for (const uint32_t batch : batches)
    {
        run.run.compute.push_back({nullptr, nullptr, batch});
    }
    return run;
}

/// Holds 32 samples.
struct SmallMemory : BatchModel
{
    double GetScale(uint32_t) const override
    {
        return 1;
    }

    uint32_t GetLargestBatch() const override
    {
        return 32;
    }
};

std::vector<uint32_t>
BatchesOf(const FairShareCase& run, uint32_t worker)
{
    std::vector<uint32_t> batches;
    for (const auto& step : run.recorder.steps)
    {
        if (step.worker == worker)
        {
            batches.push_back(step.batch);
        }
    }
    return batches;
}

using Batches = std::vector<uint32_t>;

} // namespace

TEST(BatchSizeManager, AnswersWhenAllHaveReported)
{
    Answers answers;
    const auto control = CreateObject<ShiftOne>();
    BatchSizeManager manager(control, 3, answers);
    manager.Report(0, 1, ReportOf(4));
    manager.Report(2, 1, ReportOf(6));
    EXPECT_TRUE(answers.batches.empty());
    manager.Report(1, 1, ReportOf(5));
    EXPECT_EQ(answers.batches, (std::map<uint32_t, uint32_t>{{0, 5}, {1, 5}, {2, 5}}));
    EXPECT_EQ(control->reports[1].batch, 5u);
    answers.batches.clear();
    manager.Report(0, 2, ReportOf(5));
    EXPECT_TRUE(answers.batches.empty()) << "each step needs new reports";
}

TEST(BatchSizeManager, DoesNotWaitForWorkersThatAreGone)
{
    Answers answers;
    const auto control = CreateObject<ShiftOne>();
    BatchSizeManager manager(control, 3, answers);
    manager.Report(0, 1, ReportOf(4));
    manager.Report(2, 1, ReportOf(6));
    manager.Leave(1);
    EXPECT_EQ(answers.batches, (std::map<uint32_t, uint32_t>{{0, 5}, {2, 5}}));
    EXPECT_FALSE(control->reports[1].present);
}

// It took part in step 3, so all three ask for step 4: whoever comes first, nobody waits for ever.
TEST(BatchSizeManager, AWorkerThatIsBackMayAskFirstOrLast)
{
    for (const bool first : {true, false})
    {
        Answers answers;
        BatchSizeManager manager(CreateObject<ShiftOne>(), 3, answers);
        manager.Leave(1);
        if (first)
        {
            manager.Report(1, 4, ReportOf(7));
            EXPECT_TRUE(answers.batches.empty());
        }
        manager.Report(0, 4, ReportOf(5));
        manager.Report(2, 4, ReportOf(5));
        EXPECT_EQ(answers.batches.at(0), 6u);
        EXPECT_EQ(answers.batches.at(2), 4u);
        if (!first)
        {
            manager.Report(1, 4, ReportOf(7));
        }
        EXPECT_EQ(answers.batches.at(1), 7u);
        answers.batches.clear();
        manager.Report(0, 5, ReportOf(6));
        manager.Report(2, 5, ReportOf(4));
        EXPECT_TRUE(answers.batches.empty()) << "it is there";
        manager.Report(1, 5, ReportOf(7));
        EXPECT_EQ(answers.batches, (std::map<uint32_t, uint32_t>{{0, 7}, {1, 7}, {2, 3}}));
    }
}

TEST(BatchSizeManager, NobodyIsLeft)
{
    Answers answers;
    BatchSizeManager manager(CreateObject<ShiftOne>(), 2, answers);
    manager.Report(0, 1, ReportOf(1));
    manager.Leave(0);
    manager.Leave(1);
    EXPECT_TRUE(answers.batches.empty());
}

TEST(BatchSizeManager, AStepWaitsForABlockingControl)
{
    FairShareCase run = MakeCase(true, {2, 6});
    run.Run({0, 0}, 4);
    EXPECT_EQ(BatchesOf(run, 0), (Batches{2, 3, 4, 5}));
    EXPECT_EQ(BatchesOf(run, 1), (Batches{6, 5, 4, 3}));
    // 7 + 6 + (both push 100 bytes from 4 to 6) + 6: worker 0 computes 5 s in the last step
    EXPECT_DOUBLE_EQ(run.recorder.steps.back().end, 7 + 6 + 6 + 6);
}

TEST(BatchSizeManager, AnswersToAskingAheadComeOneStepLater)
{
    FairShareCase run = MakeCase(false, {2, 6});
    run.Run({0, 0}, 5);
    EXPECT_EQ(BatchesOf(run, 0), (Batches{2, 2, 3, 4, 5}));
    EXPECT_EQ(BatchesOf(run, 1), (Batches{6, 6, 5, 4, 3}));
}

TEST(BatchSizeManager, CrashesAndReturnsKeepTheSumOfThoseThere)
{
    for (const bool blocking : {true, false})
    {
        FairShareCase run = MakeCase(blocking, {2, 6, 9});
        run.run.crashes = {{1, 12, 40}};
        run.Run({0, 0, 0}, 8);
        std::map<uint32_t, uint32_t> sums;
        std::map<uint32_t, uint32_t> members;
        for (const auto& step : run.recorder.steps)
        {
            sums[step.step] += step.batch;
            ++members[step.step];
        }
        ASSERT_EQ(run.recorder.rejoins.size(), 1u);
        EXPECT_EQ(sums.at(0), 17u);
        EXPECT_EQ(members.at(7), 3u);
        EXPECT_EQ(sums.at(7), 17u) << "it comes back with the samples that it had";
        EXPECT_GT(members.size(), 7u);
    }
}

TEST(WorkerReport, SaysWhatTheDeviceHas)
{
    WorkerCompute compute;
    compute.speed = std::make_shared<SpeedTrace>(
        std::vector<SpeedChange>{{0, 1, 0.9, 0.8}, {10, 0.5, 0.4, 0.7}});
    const WorkerReport cpu = MakeWorkerReport(compute, 8, 2.5, 11);
    EXPECT_EQ(cpu.batch, 8u);
    EXPECT_EQ(cpu.seconds, 2.5);
    EXPECT_EQ(cpu.cpu, 0.4);
    EXPECT_EQ(cpu.memory, 0.7);
    EXPECT_EQ(cpu.used, 0) << "samples set no limit";
    EXPECT_EQ(cpu.largest, std::numeric_limits<uint32_t>::max());

    WorkerCompute limited;
    limited.model = std::make_shared<SmallMemory>();
    const WorkerReport gpu = MakeWorkerReport(limited, 8, 2.5, 11);
    EXPECT_EQ(gpu.largest, 32u);
    EXPECT_EQ(gpu.used, 0.25);
}

TEST(WorkerReport, SurvivesItsMessage)
{
    WorkerReport report = ReportOf(12);
    report.seconds = 0.1;
    report.cpu = 1.0 / 3;
    report.memory = 0;
    report.largest = std::numeric_limits<uint32_t>::max();
    RunGraphRequest request;
    request.stepId = 5;
    request.graphHandle = BATCH_GRAPH;
    request.send = ToValues(report);
    const auto decoded = RunGraphRequest::Decode(request.Encode());
    ASSERT_TRUE(decoded);
    const auto read = ReportFromValues(decoded->send);
    ASSERT_TRUE(read);
    EXPECT_EQ(read->batch, 12u);
    EXPECT_EQ(read->seconds, 0.1);
    EXPECT_EQ(read->cpu, 1.0 / 3);
    EXPECT_EQ(read->memory, 0);
    EXPECT_EQ(read->largest, report.largest);
}

TEST(WorkerReport, BadValuesAreNoReport)
{
    const NamedValues good = ToValues(ReportOf(3));
    EXPECT_TRUE(ReportFromValues(good));
    for (const auto& [name, value] : {std::pair<const char*, double>{"batch", 0},
                                      {"batch", 1.5},
                                      {"batch", 1e10},
                                      {"seconds", -1},
                                      {"seconds", std::nan("")},
                                      {"largest", 0}})
    {
        NamedValues values = good;
        values[name] = value;
        EXPECT_FALSE(ReportFromValues(values)) << name << " " << value;
        values.erase(name);
        EXPECT_FALSE(ReportFromValues(values)) << name;
    }
}
