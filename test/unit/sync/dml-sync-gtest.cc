/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Synchronisation in the fair-share engine, by hand. Each step computes for as many seconds as the
// worker has samples, then pushes 100 bytes over a link of 100 bytes/s; the update takes half a
// second.

#include "dml-fair-share-fixture.h"

#include "ns3/dml-channel-label.h"
#include "ns3/dml-run-graph-protocol.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <limits>
#include <map>
#include <string>
#include <tuple>
#include <vector>

using namespace ns3;
using namespace ns3::dml;

namespace
{

constexpr double NEVER = std::numeric_limits<double>::infinity();

ProfileBuilder
OneTensor()
{
    ProfileBuilder builder;
    builder.Compute("c", {1}).Push("p", 100, {"c"}).Update("p", 0.5);
    return builder;
}

/// A run of workers that compute for these numbers of seconds.
struct SyncCase : FairShareCase
{
    SyncCase(const std::string& policy, std::vector<uint32_t> seconds)
        : FairShareCase(OneTensor()),
          workers(seconds.size())
    {
        run.sync.SetTypeId("ns3::dml::" + policy);
        if (run.sync.Create<SyncPolicy>()->Aggregates())
        {
            protocol = MakeAggregatingPlan;
        }
        for (const uint32_t batch : seconds)
        {
            run.compute.push_back({nullptr, nullptr, batch});
        }
    }

    void RunSteps(uint32_t steps)
    {
        Run(std::vector<double>(workers, 0), steps);
    }

    /// The end of a step, or -1 if the worker did not do it.
    double End(uint32_t worker, uint32_t step) const
    {
        const auto* record = Find(worker, step);
        return record ? record->end : -1;
    }

    const StepRecord* Find(uint32_t worker, uint32_t step) const
    {
        for (const auto& record : recorder.steps)
        {
            if (record.worker == worker && record.step == step)
            {
                return &record;
            }
        }
        return nullptr;
    }

    std::size_t workers;
};

} // namespace

TEST(Sync, PoliciesSayWhetherWorkersGoInRounds)
{
    const auto rounds = [](const std::string& policy, const std::string& name, uint32_t value) {
        ObjectFactory factory("ns3::dml::" + policy);
        if (!name.empty())
        {
            factory.Set(name, UintegerValue(value));
        }
        return factory.Create<SyncPolicy>()->HasRounds();
    };
    EXPECT_FALSE(rounds("AsynchronousSync", "", 0));
    EXPECT_TRUE(rounds("BulkSynchronousSync", "", 0));
    EXPECT_TRUE(rounds("BackupWorkersSync", "Backups", 1));
    EXPECT_TRUE(rounds("StaleSynchronousSync", "Bound", 0)) << "all are in the same step";
    EXPECT_FALSE(rounds("StaleSynchronousSync", "Bound", 1));
}

TEST(Sync, AsynchronousWorkersDoNotWait)
{
    SyncCase run("AsynchronousSync", {1, 3});
    run.RunSteps(2);
    EXPECT_DOUBLE_EQ(run.End(0, 0), 2.5);
    // worker 1 sends alone from 3 to 3.5, then both send at half rate
    EXPECT_DOUBLE_EQ(run.End(1, 0), 5.0);
    EXPECT_DOUBLE_EQ(run.End(0, 1), 5.5);
}

TEST(Sync, BulkSynchronousUpdatesWaitForAll)
{
    SyncCase run("BulkSynchronousSync", {1, 3});
    run.RunSteps(2);
    for (uint32_t worker = 0; worker < 2; ++worker)
    {
        EXPECT_DOUBLE_EQ(run.End(worker, 0), 4.5);
        EXPECT_DOUBLE_EQ(run.End(worker, 1), 9.0);
    }
    EXPECT_DOUBLE_EQ(run.Find(0, 0)->done, 2);
    EXPECT_DOUBLE_EQ(run.Find(1, 0)->done, 4);
    EXPECT_DOUBLE_EQ(run.Find(0, 1)->done, 6.5);
    EXPECT_EQ(run.Find(1, 1)->batch, 3u);
    uint32_t updates = 0;
    for (const auto& chunk : run.recorder.chunks)
    {
        updates += GetLabel(chunk.resource) == ResourceLabel::SERVER ? 1 : 0;
    }
    EXPECT_EQ(updates, 2u) << "one for each step";
}

TEST(Sync, StaleSynchronousWorkersKeepTheBound)
{
    SyncCase lockstep("StaleSynchronousSync", {1, 3});
    lockstep.run.sync.Set("Bound", UintegerValue(0));
    lockstep.RunSteps(1);
    EXPECT_DOUBLE_EQ(lockstep.End(0, 0), 4.5) << "its own update was done at 2.5";
    EXPECT_DOUBLE_EQ(lockstep.End(1, 0), 4.5);

    SyncCase one("StaleSynchronousSync", {1, 10});
    one.run.sync.Set("Bound", UintegerValue(1));
    one.RunSteps(3);
    EXPECT_DOUBLE_EQ(one.End(0, 0), 2.5);
    EXPECT_DOUBLE_EQ(one.Find(0, 1)->done, 4.5);
    EXPECT_DOUBLE_EQ(one.End(0, 1), 11.5) << "when worker 1 has done a step";
    EXPECT_DOUBLE_EQ(one.End(1, 0), 11.5);
    EXPECT_DOUBLE_EQ(one.End(0, 2), 23.0) << "worker 1 computes from 11.5 to 21.5";
}

TEST(Sync, BackupWorkersDropLateGradients)
{
    SyncCase run("BackupWorkersSync", {10, 32});
    run.run.batchSize = 10; // seconds in tenths
    run.RunSteps(3);
    EXPECT_DOUBLE_EQ(run.End(0, 0), 2.5);
    // worker 1 sends from 3.2, worker 0 from 3.5
    EXPECT_DOUBLE_EQ(run.End(1, 0), 4.9) << "dropped in no time";
    EXPECT_EQ(run.Find(1, 0)->dropped, 1u);
    EXPECT_DOUBLE_EQ(run.End(0, 1), 5.7);
    EXPECT_DOUBLE_EQ(run.End(0, 2), 8.2);
    EXPECT_EQ(run.Find(0, 2)->dropped, 0u);
    // worker 1 goes on with step 1, computes to 8.1, and is late again
    EXPECT_DOUBLE_EQ(run.Find(1, 1)->start, 4.9);
    EXPECT_DOUBLE_EQ(run.End(1, 1), 9.1);
    EXPECT_EQ(run.Find(1, 1)->dropped, 1u);
    EXPECT_EQ(run.Find(1, 2), nullptr) << "the others have done step 2 without it";
}

TEST(Sync, BackupWorkersGoOnWhereTheOthersAre)
{
    SyncCase run("BackupWorkersSync", {1, 1, 8});
    run.RunSteps(6);
    // steps 0, 1, 2 of the others: they push together for 2 s each: 3.5, 7.0, 10.5 at the latest
    const auto* second = run.Find(2, 1);
    EXPECT_EQ(second, nullptr);
    uint32_t steps = 0;
    for (const auto& record : run.recorder.steps)
    {
        steps += record.worker == 2 ? 1 : 0;
    }
    EXPECT_LT(steps, 6u);
    EXPECT_GE(steps, 2u);
    EXPECT_NE(run.Find(0, 5), nullptr);
    EXPECT_NE(run.Find(1, 5), nullptr);
}

namespace
{

/// Steps of one worker: number, start, and gradients that came too late.
using Steps = std::vector<std::tuple<uint32_t, double, uint32_t>>;

/// Two workers of which the first gradient makes the update, which takes 10 s; transfers take no
/// time.
struct LongUpdates : SyncCase
{
    LongUpdates(uint32_t first, uint32_t second)
        : SyncCase("BackupWorkersSync", {first, second})
    {
        builder = ProfileBuilder();
        builder.Pull("p", 0).Compute("c", {1}, {"pull/p"}).Push("p", 0, {"c"}).Update("p", 10);
    }

    Steps StepsOf(uint32_t worker) const
    {
        Steps steps;
        for (const auto& step : recorder.steps)
        {
            if (step.worker == worker)
            {
                steps.emplace_back(step.step, step.start, step.dropped);
            }
        }
        return steps;
    }
};

} // namespace

// Both compute for 3 s, worker 1 from 1 s on. Worker 0's gradient comes at 3, its update runs
// until 13. Worker 1's comes at 4, too late, and its token with that of worker 0: at 13 both begin
// step 1, with parameters that have been updated. From then on worker 0's gradient comes 3 s later,
// right before worker 1's, so a step takes 13 s. (A worker 1 that began step 1 at 4 would have its
// gradient there for an update from 13 to 23, and steps would take 10 s: a throughput 30 % too
// high.)
TEST(Sync, ALateWorkerGetsItsTokenAfterTheUpdate)
{
    LongUpdates run(3, 3);
    run.Run({0, 1}, 4);
    EXPECT_EQ(run.StepsOf(0), (Steps{{0, 0, 0}, {1, 13, 0}, {2, 26, 0}, {3, 39, 0}}));
    EXPECT_EQ(run.StepsOf(1), (Steps{{0, 1, 1}, {1, 13, 1}, {2, 26, 1}, {3, 39, 1}}));
    EXPECT_DOUBLE_EQ(run.End(0, 3), 52);
    EXPECT_DOUBLE_EQ(run.Find(1, 0)->done, 4);
    for (const auto& pull : run.recorder.transfers)
    {
        if (GetDirection(pull.channel) == Direction::DOWNLINK && pull.step > 0)
        {
            EXPECT_DOUBLE_EQ(pull.ready, 13 * pull.step) << "when the parameters have been updated";
        }
    }
}

// As before, but the step goes on after its update, with a pull of what has been updated: at 13 for
// both workers, also for the one whose gradient was not in the update.
TEST(Sync, ALateWorkersStepGoesOnAfterTheUpdate)
{
    LongUpdates run(3, 3);
    run.builder = ProfileBuilder();
    run.builder.Compute("c", {1}).Push("p", 0, {"c"}).Update("p", 10).Pull("p", 0, {"update/p"});
    run.Run({0, 1}, 1);
    uint32_t pulls = 0;
    for (const auto& pull : run.recorder.transfers)
    {
        if (GetDirection(pull.channel) == Direction::DOWNLINK)
        {
            EXPECT_DOUBLE_EQ(pull.ready, 13);
            ++pulls;
        }
    }
    EXPECT_EQ(pulls, 2U);
}

// Worker 0's gradients come at 3 + 13 n, and update n runs from then to 13 (n + 1). Worker 1's
// first one comes at 17, after update 0, while update 1 runs (16 to 26): round 1 is full, so it
// waits and begins step 2 at 26. The next one comes at 43, while update 3 runs (42 to 52): it goes
// on with step 4 at 52, of which the gradient comes at 69, after update 4 (55 to 65).
TEST(Sync, ALateWorkerIsNotPutIntoARoundThatIsFull)
{
    LongUpdates run(3, 17);
    run.RunSteps(5);
    EXPECT_EQ(run.StepsOf(1), (Steps{{0, 0, 1}, {2, 26, 1}, {4, 52, 1}}));
    EXPECT_DOUBLE_EQ(run.End(1, 4), 69);
    EXPECT_DOUBLE_EQ(run.End(0, 4), 65);
}

// Worker 1 computes for 15 s. At 15 round 1 has no gradient yet (worker 0's comes at 16), so worker
// 1 begins step 1. At 30 update 2 runs (29 to 39): step 3, at 39. At 54 round 4 is open (until 55).
TEST(Sync, ALateWorkerIsPutIntoARoundThatIsOpen)
{
    LongUpdates run(3, 15);
    run.RunSteps(5);
    EXPECT_EQ(run.StepsOf(1), (Steps{{0, 0, 1}, {1, 15, 1}, {3, 39, 1}, {4, 54, 1}}));
}

// Worker 1 dies at 2 and is back at 5, while update 0 runs (3 to 13): it begins step 1 at 13. With
// BSP the others do not wait for it in step 0 either.
TEST(Sync, AWorkerThatComesBackIsNotPutIntoARoundThatIsFull)
{
    for (const std::string policy : {"BackupWorkersSync", "BulkSynchronousSync"})
    {
        LongUpdates run(3, 3);
        run.run.sync.SetTypeId("ns3::dml::" + policy);
        run.run.crashes = {{1, 2, 5}};
        run.RunSteps(2);
        EXPECT_EQ(run.StepsOf(0), (Steps{{0, 0, 0}, {1, 13, 0}})) << policy;
        ASSERT_EQ(run.StepsOf(1).size(), 1u) << policy;
        EXPECT_EQ(std::get<0>(run.StepsOf(1)[0]), 1u) << policy;
        EXPECT_EQ(std::get<1>(run.StepsOf(1)[0]), 13) << policy;
        ASSERT_EQ(run.recorder.rejoins.size(), 1u);
        EXPECT_EQ(run.recorder.rejoins[0].time, 13) << policy;
        EXPECT_DOUBLE_EQ(run.End(0, 1), 26) << policy;
    }
}

TEST(Sync, ACrashedWorkerIsNotWaitedFor)
{
    SyncCase run("BulkSynchronousSync", {1, 3});
    run.run.crashes = {{1, 3.5, NEVER}};
    run.RunSteps(2);
    EXPECT_DOUBLE_EQ(run.End(0, 0), 4.0) << "the update starts at the crash";
    EXPECT_DOUBLE_EQ(run.End(0, 1), 6.5);
    EXPECT_EQ(run.Find(1, 0), nullptr);
    ASSERT_EQ(run.recorder.crashes.size(), 1u);
    EXPECT_EQ(run.recorder.crashes[0].step, 0u);
    EXPECT_DOUBLE_EQ(run.recorder.crashes[0].start, 0);
    EXPECT_DOUBLE_EQ(run.recorder.crashes[0].time, 3.5);
}

TEST(Sync, AWorkerThatComesBackJoinsTheOthers)
{
    SyncCase run("BulkSynchronousSync", {1, 3});
    run.run.crashes = {{1, 3.5, 5}};
    run.RunSteps(2);
    EXPECT_DOUBLE_EQ(run.End(0, 0), 4.0);
    ASSERT_EQ(run.recorder.rejoins.size(), 1u);
    EXPECT_EQ(run.recorder.rejoins[0].step, 1u);
    EXPECT_DOUBLE_EQ(run.Find(1, 1)->start, 5);
    EXPECT_DOUBLE_EQ(run.End(0, 1), 9.5) << "worker 1 computes to 8, sends to 9";
    EXPECT_DOUBLE_EQ(run.End(1, 1), 9.5);
}

TEST(Sync, AnUpdateUnderWayOutlivesItsWorker)
{
    SyncCase run("BulkSynchronousSync", {1, 3});
    run.run.crashes = {{0, 4.2, NEVER}}; // the update runs from 4 to 4.5
    run.RunSteps(2);
    EXPECT_EQ(run.Find(0, 0), nullptr);
    EXPECT_DOUBLE_EQ(run.End(1, 0), 4.5);
    EXPECT_DOUBLE_EQ(run.End(1, 1), 9.0);
}

TEST(Sync, AnAsynchronousWorkerRepeatsTheStepThatItLost)
{
    SyncCase run("AsynchronousSync", {1, 20});
    run.run.crashes = {{0, 3.0, 6.0}}; // in step 1, which began at 2.5
    run.RunSteps(2);
    EXPECT_DOUBLE_EQ(run.End(0, 0), 2.5);
    EXPECT_DOUBLE_EQ(run.Find(0, 1)->start, 6.0);
    EXPECT_DOUBLE_EQ(run.End(0, 1), 8.5);
}

TEST(Sync, AStaleWorkerThatIsGoneDoesNotHoldTheOthers)
{
    SyncCase run("StaleSynchronousSync", {1, 100});
    run.run.sync.Set("Bound", UintegerValue(0));
    run.run.crashes = {{1, 10, NEVER}};
    run.RunSteps(2);
    EXPECT_DOUBLE_EQ(run.End(0, 0), 10);
    EXPECT_DOUBLE_EQ(run.End(0, 1), 12.5);
}

TEST(Sync, ARunWithoutWorkersEnds)
{
    SyncCase run("BulkSynchronousSync", {1, 1});
    run.run.crashes = {{0, 0.5, NEVER}, {1, 0.7, NEVER}};
    run.RunSteps(3);
    EXPECT_TRUE(run.recorder.steps.empty());
    EXPECT_EQ(run.recorder.crashes.size(), 2u);
}

TEST(Sync, ALateStartIsNoSecondLife)
{
    SyncCase run("AsynchronousSync", {1});
    run.run.crashes = {{0, 1, 2}};
    run.Run({3}, 1); // it would have started at 3, and comes back at 2
    ASSERT_EQ(run.recorder.steps.size(), 1u);
    EXPECT_DOUBLE_EQ(run.End(0, 0), 4.5);
}

// A worker that dies while it waits for its token has not ended its step: it does it again, as one
// in packets does, which has not heard that it may go on.
TEST(Sync, AStaleWorkerThatDiesWaitingRepeatsItsStep)
{
    SyncCase run("StaleSynchronousSync", {1, 10});
    run.run.sync.Set("Bound", UintegerValue(0));
    run.run.crashes = {{0, 5, 6}}; // its update was done at 2.5
    run.RunSteps(2);
    ASSERT_EQ(run.recorder.crashes.size(), 1u);
    EXPECT_EQ(run.recorder.crashes[0].step, 0u);
    EXPECT_DOUBLE_EQ(run.recorder.crashes[0].start, 0);
    EXPECT_DOUBLE_EQ(run.Find(0, 0)->start, 6);
    EXPECT_DOUBLE_EQ(run.End(0, 0), 11.5) << "with worker 1";
}

namespace
{

/// Two tensors on two servers; the update of the first one takes long.
struct TwoServers : FairShareCase
{
    TwoServers(double updateA, std::vector<uint32_t> batches)
        : FairShareCase(ProfileBuilder()
                            .Compute("cb", {0.01})
                            .Push("b", 10, {"cb"})
                            .Update("b", 0.004)
                            .Compute("ca", {1}, {"cb"})
                            .Push("a", 10, {"ca"})
                            .Update("a", updateA))
    {
        servers = 2;
        placement = {1, 0}; // b is listed first
        network.rule = SharingRule::MAX_MIN;
        protocol = MakeAggregatingPlan;
        run.sync.SetTypeId("ns3::dml::BackupWorkersSync");
        for (const uint32_t batch : batches)
        {
            run.compute.push_back({nullptr, nullptr, batch});
        }
    }
};

} // namespace

// An update that is done lets a late worker leave out steps, so that the next update of the same
// tensor can begin before the first one has been told to all its workers.
TEST(Sync, AnUpdateMayBeginWhileAnotherEnds)
{
    TwoServers run(3, {1, 1});
    run.Run({0, 0.2}, 5);
    uint32_t last = 0;
    for (const auto& step : run.recorder.steps)
    {
        last = std::max(last, step.step);
    }
    EXPECT_EQ(last, 4u);
}

// Worker 2 leaves out the last step, and then worker 1 dies: nobody waits for either.
TEST(Sync, AWorkerThatHasLeftOutTheLastStepIsNotWaitedFor)
{
    for (const double crash : {1.7, 1.9, 2.0, 2.1, 2.2})
    {
        TwoServers run(0.004, {1, 1, 1});
        run.run.crashes = {{1, crash, NEVER}};
        run.Run({0, 0, 1.1}, 2);
        EXPECT_FALSE(run.recorder.steps.empty()) << crash;
    }
}

// At 2.12 s worker 2 goes on with step 2, where server 1 is; server 0 is at step 1, for which the
// others would push from 2.22 s on, but they die: server 0 goes on with step 2 as well.
TEST(Sync, AStepThatNobodyDoesAnyMoreIsLeftOut)
{
    TwoServers run(0.004, {1, 1, 2});
    run.run.crashes = {{0, 2.2, NEVER}, {1, 2.2, NEVER}};
    run.Run({0, 0, 0}, 4);
    std::vector<uint32_t> steps;
    for (const auto& step : run.recorder.steps)
    {
        if (step.worker == 2)
        {
            steps.push_back(step.step);
        }
    }
    EXPECT_EQ(steps, (std::vector<uint32_t>{0, 2, 3}));
}

TEST(Sync, APushWithoutAnUpdateIsRefused)
{
    FairShareCase run(ProfileBuilder().Compute("c", {1}).Push("p", 100, {"c"}));
    run.protocol = MakeAggregatingPlan;
    try
    {
        run.Run({0});
        FAIL() << "accepted";
    }
    catch (const InputError& error)
    {
        EXPECT_STREQ(
            error.what(),
            "op 'push/p' has no update that waits for it: workers cannot be synchronised by "
            "it; accepted: one update for each push");
    }
}
