/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// What every synchronisation policy keeps, on random steps with slow, crashed and returning
// workers.

#include "dml-fair-share-fixture.h"
#include "dml-random-step.h"

#include "ns3/dml-channel-label.h"
#include "ns3/dml-run-graph-protocol.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <limits>
#include <map>
#include <numeric>
#include <random>
#include <set>

using namespace ns3;
using namespace ns3::dml;

namespace
{

constexpr uint32_t STEPS = 8;
constexpr uint32_t PULLS = 4;

/// What one random run was.
struct RandomRun
{
    RandomRun(uint32_t seed, const std::string& policy, uint32_t value, bool faults)
        : run(Build(seed))
    {
        std::mt19937 random(seed);
        const auto draw = [&random](uint32_t most) {
            return static_cast<uint32_t>(random() % most);
        };
        workers = 2 + draw(4);
        run.servers = 1 + draw(2);
        run.network.rule = run.servers > 1 ? SharingRule::MAX_MIN : SharingRule::EQUAL;
        run.run.sync.SetTypeId("ns3::dml::" + policy);
        if (policy == "StaleSynchronousSync")
        {
            run.run.sync.Set("Bound", UintegerValue(value));
        }
        if (policy == "BackupWorkersSync")
        {
            run.run.sync.Set("Backups", UintegerValue(std::min(value, workers - 1)));
        }
        aggregates = run.run.sync.Create<SyncPolicy>()->Aggregates();
        if (aggregates)
        {
            run.protocol = MakeAggregatingPlan;
        }
        std::vector<double> offsets;
        for (uint32_t worker = 0; worker < workers; ++worker)
        {
            offsets.push_back(draw(100) / 10.0);
            run.run.compute.push_back({nullptr, nullptr, 1 + draw(5)});
            if (faults && draw(2) == 0)
            {
                const double at = draw(4000) / 10.0;
                const bool back = draw(3) > 0;
                run.run.crashes.push_back(
                    {worker,
                     at,
                     back ? at + draw(2000) / 10.0 : std::numeric_limits<double>::infinity()});
            }
        }
        run.Run(offsets, STEPS);
    }

    static ProfileBuilder Build(uint32_t seed)
    {
        std::vector<uint32_t> listing(PULLS);
        std::iota(listing.begin(), listing.end(), 0);
        return RandomStep(seed, RandomStep::Shape::CHAIN, PULLS).Build(listing);
    }

    /// Whether a worker crashed and never came back.
    bool Died(uint32_t worker) const
    {
        return std::any_of(run.recorder.crashes.begin(),
                           run.recorder.crashes.end(),
                           [this, worker](const CrashRecord& crash) {
                               return crash.worker == worker && !CameBack(crash);
                           });
    }

    bool CameBack(const CrashRecord& crash) const
    {
        return std::any_of(run.recorder.rejoins.begin(),
                           run.recorder.rejoins.end(),
                           [&crash](const RejoinRecord& rejoin) {
                               return rejoin.worker == crash.worker && rejoin.time >= crash.time;
                           });
    }

    FairShareCase run;
    uint32_t workers;
    bool aggregates;
};

struct PolicyCase
{
    const char* policy;
    uint32_t value;
};

void
PrintTo(const PolicyCase& value, std::ostream* os)
{
    *os << value.policy << " " << value.value;
}

class SyncProperty : public testing::TestWithParam<PolicyCase>
{
};

/// Steps of a worker go up, and a worker that lives ends with the last step or beyond it.
void
CheckSteps(const RandomRun& random)
{
    std::map<uint32_t, int64_t> last;
    for (const auto& step : random.run.recorder.steps)
    {
        const auto [it, first] = last.emplace(step.worker, -1);
        EXPECT_GT(step.step, it->second);
        it->second = step.step;
        EXPECT_LE(step.start, step.done);
        EXPECT_LE(step.done, step.end);
        EXPECT_LT(step.step, STEPS);
        (void)first;
    }
}

/// Each tensor is updated at most once per step, and its update takes gradients of that step only.
void
CheckJointUpdates(const RandomRun& random)
{
    std::set<std::pair<uint32_t, uint32_t>> updates; // op and step
    for (const auto& chunk : random.run.recorder.chunks)
    {
        if (GetLabel(chunk.resource) == ResourceLabel::SERVER && !chunk.parse)
        {
            EXPECT_TRUE(updates.insert({chunk.op, chunk.step}).second) << "updated twice";
        }
    }
}

} // namespace

TEST_P(SyncProperty, RunsEndAndCountEachGradientOnce)
{
    uint64_t everDropped = 0;
    for (uint32_t seed = 1; seed <= 60; ++seed)
    {
        SCOPED_TRACE("seed " + std::to_string(seed));
        const RandomRun random(seed, GetParam().policy, GetParam().value, false);
        CheckSteps(random);
        uint64_t pushed = 0;
        uint64_t dropped = 0;
        uint64_t steps = 0;
        for (const auto& transfer : random.run.recorder.transfers)
        {
            pushed += GetDirection(transfer.channel) == Direction::UPLINK ? 1 : 0;
        }
        for (const auto& step : random.run.recorder.steps)
        {
            dropped += step.dropped;
            ++steps;
        }
        EXPECT_EQ(pushed, steps * PULLS);
        if (random.aggregates)
        {
            CheckJointUpdates(random);
        }
        if (std::string(GetParam().policy) != "BackupWorkersSync")
        {
            EXPECT_EQ(dropped, 0u);
            EXPECT_EQ(steps, random.workers * STEPS);
            continue;
        }
        const uint32_t backups = std::min(GetParam().value, random.workers - 1);
        EXPECT_EQ(pushed - dropped, STEPS * PULLS * (random.workers - backups));
        everDropped += dropped;
    }
    EXPECT_EQ(everDropped > 0, std::string(GetParam().policy) == "BackupWorkersSync");
}

TEST_P(SyncProperty, RunsEndWhateverCrashes)
{
    uint32_t crashes = 0;
    uint32_t rejoins = 0;
    for (uint32_t seed = 1; seed <= 150; ++seed)
    {
        SCOPED_TRACE("seed " + std::to_string(seed));
        const RandomRun random(seed, GetParam().policy, GetParam().value, true);
        CheckSteps(random);
        if (random.aggregates)
        {
            CheckJointUpdates(random);
        }
        for (uint32_t worker = 0; worker < random.workers; ++worker)
        {
            const auto& steps = random.run.recorder.steps;
            const bool did = std::any_of(steps.begin(), steps.end(), [worker](const auto& step) {
                return step.worker == worker && step.step + 1 == STEPS;
            });
            if (!random.aggregates && std::string(GetParam().policy) == "AsynchronousSync")
            {
                EXPECT_TRUE(did || random.Died(worker));
            }
        }
        crashes += random.run.recorder.crashes.size();
        rejoins += random.run.recorder.rejoins.size();
    }
    EXPECT_GT(crashes, 50u);
    EXPECT_GT(rejoins, 20u);
}

INSTANTIATE_TEST_SUITE_P(Policies,
                         SyncProperty,
                         testing::Values(PolicyCase{"AsynchronousSync", 0},
                                         PolicyCase{"BulkSynchronousSync", 0},
                                         PolicyCase{"StaleSynchronousSync", 0},
                                         PolicyCase{"StaleSynchronousSync", 1},
                                         PolicyCase{"StaleSynchronousSync", 3},
                                         PolicyCase{"BackupWorkersSync", 1},
                                         PolicyCase{"BackupWorkersSync", 2}));

/// At any time, a worker has begun at most as many steps more than the slowest has completed as the
/// bound allows; those that are gone do not count.
TEST(SyncProperty, StalenessIsBounded)
{
    for (uint32_t bound = 0; bound <= 2; ++bound)
    {
        uint32_t reached = 0;
        for (uint32_t seed = 1; seed <= 60; ++seed)
        {
            SCOPED_TRACE("seed " + std::to_string(seed));
            const RandomRun random(seed, "StaleSynchronousSync", bound, false);
            for (const auto& step : random.run.recorder.steps)
            {
                // by the start of a step every worker has completed step - bound steps
                for (uint32_t worker = 0; worker < random.workers && step.step > bound; ++worker)
                {
                    const auto& steps = random.run.recorder.steps;
                    const auto completed =
                        std::find_if(steps.begin(), steps.end(), [&](const auto& other) {
                            return other.worker == worker && other.step == step.step - bound - 1;
                        });
                    ASSERT_NE(completed, steps.end());
                    // its updates were done then; its token may have come later
                    EXPECT_LE(completed->done, step.start);
                    reached += completed->end > step.start - 1e-9 ? 1 : 0;
                }
            }
        }
        EXPECT_GT(reached, 0u) << "the bound held nobody";
    }
}
