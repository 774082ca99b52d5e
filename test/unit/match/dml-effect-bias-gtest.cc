/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// The bias of a model, divided among parts of the steps' time: parts add up, and what is slower is
// found where it is.

#include "dml-matched-study.h"

#include "ns3/dml-match-effects.h"
#include "ns3/dml-ratio-interval.h"

#include <cmath>
#include <gtest/gtest.h>
#include <map>
#include <set>
#include <string>
#include <vector>

using namespace ns3::dml;
using namespace ns3::dml::matched;

namespace
{

/// By effect and part.
using Effects = std::map<std::pair<std::string, std::string>, EffectBias>;

/// @param truth what is run @param change of its network @return what the model, on links of 1
/// Gbit/s, makes of it
std::vector<EffectBias>
FindEffects(const Question& truth,
            uint32_t replication,
            const std::function<void(FairShareNetwork&)>& change = {})
{
    Question model = truth;
    model.rate = "1Gbps";
    std::string obstacle;
    const auto found =
        Record(Prepare(truth), truth.workers, replication, change)
            .MatchEffects(Prepare(model), truth.workers, replication, std::nullopt, obstacle);
    EXPECT_EQ(obstacle, "");
    return found;
}

/// @param links of servers that become slower @param factor of their rate
std::function<void(FairShareNetwork&)>
Slow(AccessLink::Way way, double factor)
{
    return [=](FairShareNetwork& network) {
        for (const auto& link : network.links.serverLinks)
        {
            network.links.capacities[link.link] *= link.access.way == way ? factor : 1;
        }
    };
}

/// Jobs with one and two servers, with and without rounds, with shares that are drawn and not.
const std::vector<Question> JOBS{
    {"", "network: {queue: {fair: 0B}}", 4, "980Mbps"},
    {", parameter_servers: 2", "network: {queue: {fair: 0B}}", 3, "950Mbps"},
    {"", "network: {queue: 300KB}", 4, "900Mbps"},
    {", sync: bsp", "network: {queue: {fair: 0B}, delay: 1ms}", 4, "980Mbps"},
    {"",
     "network: {queue: {fair: 0B}}\nfair_share: {one_way_delay: 0s, sharing: equal}",
     3,
     "970Mbps"},
};

// The parts of each effect, with what is in none of them, have all seconds and all of the bias.
TEST(EffectBias, PartsAddUp)
{
    for (const auto& question : JOBS)
    {
        SCOPED_TRACE(question.job + " " + question.rest);
        std::map<std::string, EffectBias> sums;
        std::set<std::string> rests;
        const auto effects = FindEffects(question, 0);
        ASSERT_FALSE(effects.empty());
        const EffectBias& whole = effects.front();
        EXPECT_EQ(whole.effect, "");
        ASSERT_TRUE(whole.slower);
        EXPECT_GT(*whole.slower, 1);
        for (const auto& bias : effects)
        {
            if (bias.effect.empty() || !bias.obstacle.empty())
            {
                continue;
            }
            EffectBias& sum = sums[bias.effect];
            sum.recorded += bias.recorded;
            sum.predicted += bias.predicted;
            sum.slower = sum.slower.value_or(0) + bias.slower.value();
            if (bias.part.empty())
            {
                rests.insert(bias.effect);
            }
        }
        EXPECT_EQ(sums.size(), 5U); // losses were not recorded
        EXPECT_EQ(rests.size(), 5U);
        for (const auto& [effect, sum] : sums)
        {
            SCOPED_TRACE(effect);
            EXPECT_NEAR(sum.recorded, whole.recorded, 1e-9 * whole.recorded);
            EXPECT_NEAR(sum.predicted, whole.predicted, 1e-9 * whole.predicted);
            EXPECT_NEAR(*sum.slower, *whole.slower, 1e-9);
        }
    }
}

/// @return by effect and part, what each run of a group adds
std::map<std::pair<std::string, std::string>, std::vector<std::pair<double, std::optional<double>>>>
FindInGroup(const Question& truth,
            uint32_t group,
            const std::function<void(FairShareNetwork&)>& change = {})
{
    constexpr uint32_t RUNS = 5;
    std::map<std::pair<std::string, std::string>,
             std::vector<std::pair<double, std::optional<double>>>>
        runs;
    for (uint32_t run = 0; run < RUNS; ++run)
    {
        for (const auto& bias : FindEffects(truth, RUNS * group + run, change))
        {
            if (bias.slower)
            {
                auto& values = runs[{bias.effect, bias.part}];
                values.resize(run, {0, 0}); // of runs that have no such part
                values.emplace_back(*bias.slower, bias.halfWidth);
            }
        }
    }
    for (auto& [key, values] : runs)
    {
        values.resize(RUNS, {0, 0});
    }
    return runs;
}

// The link that is 5 % slower carries pulls, or pushes: the bias is theirs, and none the others'.
TEST(EffectBias, FindsTheSlowerDirection)
{
    for (const bool pull : {true, false})
    {
        for (uint32_t group = 0; group < 3; ++group)
        {
            const auto runs =
                FindInGroup({"", "network: {queue: {fair: 0B}}", 4, "1Gbps"},
                            group,
                            Slow(pull ? AccessLink::Way::OUT : AccessLink::Way::IN, 0.95));
            const auto slower = CombineRuns(runs.at({"direction", pull ? "pulls" : "pushes"}));
            const auto other = CombineRuns(runs.at({"direction", pull ? "pushes" : "pulls"}));
            EXPECT_GT(*slower.mean, 1);
            EXPECT_NEAR(*other.mean, 0, 1e-4);
            EXPECT_FALSE(IsCertainBias(other));
            EXPECT_TRUE(IsCertainBias(slower));
            const auto port = CombineRuns(runs.at({"port", pull ? "ps0, out" : "ps0, in"}));
            EXPECT_TRUE(IsCertainBias(port));
        }
    }
}

// Shares that are drawn differ from those of the model, but by luck only: rows of groups of five
// runs have 0 in their intervals, but for one in twenty or so.
TEST(EffectBias, FindsNothingWhereThereIsNothing)
{
    constexpr uint32_t GROUPS = 20;
    uint32_t rows = 0;
    uint32_t falseAlarms = 0;
    for (uint32_t group = 0; group < GROUPS; ++group)
    {
        for (const auto& [key, values] :
             FindInGroup({"", "network: {queue: 300KB}", 4, "1Gbps"}, group))
        {
            const auto slower = CombineRuns(values);
            ASSERT_TRUE(slower.halfWidth);
            ++rows;
            falseAlarms += IsCertainBias(slower) ? 1 : 0;
        }
    }
    EXPECT_GT(rows, 10 * GROUPS);
    EXPECT_LT(falseAlarms, rows / 10);
}

/// @return parts of an effect, by its name
EffectParts
Divide(const std::string& effect, const RecordedRun& run)
{
    for (const auto& known : GetMatchEffects())
    {
        if (known.name == effect)
        {
            return known.divide(run);
        }
    }
    ADD_FAILURE() << effect;
    return {};
}

/// @return name of the part that a transfer belongs to, or "rest"
std::string
NamePart(const EffectParts& parts, std::size_t step, const StepTransfer& transfer)
{
    const auto part = parts.find(step, transfer);
    return part ? parts.names.at(*part) : "rest";
}

/// Steps of three workers. Pulls last from 0 to 2 s, from 1 to 3 s and from 5 to 6 s; all steps end
/// at 8 s. Tensor 0 has 10 kB, tensor 1 has 20 MB.
RecordedRun
MakeRun()
{
    RecordedRun run;
    run.links = MakeStarFlowNetwork({{3, 1}, {}}, 1e6, 1e6);
    run.tensors = {10000, 20000000};
    const std::vector<std::pair<double, double>> pulls{{0, 2}, {1, 3}, {5, 6}};
    for (uint32_t worker = 0; worker < 3; ++worker)
    {
        const auto& [begin, end] = pulls[worker];
        run.steps.push_back({worker, 0, 0, begin, 8});
        run.transfers.push_back({{{0, 0, true}, begin, end - 0.5},
                                 {{1, 0, true}, begin, end},
                                 {{1, 0, false}, end + 0.5, 8}});
    }
    return run;
}

TEST(MatchEffects, TellDirectionsAndSizesApart)
{
    const RecordedRun run = MakeRun();
    const auto direction = Divide("direction", run);
    EXPECT_EQ(NamePart(direction, 0, {0, 0, true}), "pulls");
    EXPECT_EQ(NamePart(direction, 0, {1, 0, false}), "pushes");
    const auto size = Divide("size", run);
    EXPECT_EQ(NamePart(size, 0, {0, 0, true}), "10 to 100 kB"); // 10 kB are not below
    EXPECT_EQ(NamePart(size, 2, {1, 0, false}), "10 to 100 MB");
}

// The first pull begins alone, the second beside the first, the third alone beside two pushes; the
// pushes begin at 2 s beside a pull, at 3 s beside a push, at 6 s beside two pushes.
TEST(MatchEffects, CountOtherWorkers)
{
    const RecordedRun run = MakeRun();
    const auto others = Divide("others", run);
    EXPECT_EQ(NamePart(others, 0, {0, 0, true}), "pulls beside pulls: 0");
    EXPECT_EQ(NamePart(others, 1, {0, 0, true}), "pulls beside pulls: 1");
    EXPECT_EQ(NamePart(others, 2, {1, 0, true}), "pulls beside pulls: 0");
    EXPECT_EQ(NamePart(others, 0, {1, 0, false}), "pushes beside pushes: 0");
    EXPECT_EQ(NamePart(others, 1, {1, 0, false}), "pushes beside pushes: 1");
    EXPECT_EQ(NamePart(others, 2, {1, 0, false}), "pushes beside pushes: 2");
    const auto acks = Divide("acks", run);
    EXPECT_EQ(NamePart(acks, 0, {0, 0, true}), "pulls beside pushes: 0");
    EXPECT_EQ(NamePart(acks, 2, {0, 0, true}), "pulls beside pushes: 2");
    EXPECT_EQ(NamePart(acks, 0, {1, 0, false}), "pushes beside pulls: 1");
    EXPECT_EQ(NamePart(acks, 1, {1, 0, false}), "pushes beside pulls: 0");
}

// Two workers that pull at once share the server's link; one alone has as much of its own. Where a
// worker's own link is slow, that is the limit beside another one, too.
TEST(MatchEffects, FindTheLinkThatLeavesLeast)
{
    RecordedRun run = MakeRun();
    auto port = Divide("port", run);
    EXPECT_EQ(NamePart(port, 0, {1, 0, true}), "ps0, out");
    EXPECT_EQ(NamePart(port, 2, {1, 0, true}), "several links alike");
    EXPECT_EQ(NamePart(port, 0, {1, 0, false}), "ps0, in");
    EXPECT_EQ(NamePart(port, 0, {0, 0, false}), "rest"); // was not recorded
    for (std::size_t flow = 0; flow < run.links.training.size(); ++flow)
    {
        const auto& [from, to] = run.links.training[flow];
        if (to.role == Role::WORKER && to.index == 0)
        {
            run.links.capacities[run.links.flows[flow].forward.back()] = 0.4e6;
        }
    }
    port = Divide("port", run);
    EXPECT_EQ(NamePart(port, 0, {1, 0, true}), "a worker's own");
    EXPECT_EQ(NamePart(port, 1, {1, 0, true}), "ps0, out");
}

// Between 1 and 2 s, the server sent something to worker 1 again.
TEST(MatchEffects, TellLossesApart)
{
    RecordedRun run = MakeRun();
    EXPECT_NE(Divide("loss", run).obstacle.find("connections.csv"), std::string::npos);
    run.hasResends = true;
    run.resends = {{1, 0, true, 1, 2}};
    const auto loss = Divide("loss", run);
    EXPECT_EQ(NamePart(loss, 1, {1, 0, true}), "something sent again");
    EXPECT_EQ(NamePart(loss, 1, {1, 0, false}), "nothing sent again");
    EXPECT_EQ(NamePart(loss, 0, {1, 0, true}), "nothing sent again");
}

/// Hears of a run in which parameters without bytes arrive 5 ms later than in truth, as those of
/// real processes may.
class LateEmptyPulls : public RunListener<LateEmptyPulls>
{
  public:
    static constexpr uint32_t EMPTY = 2; //!< number of the tensor

    void On(const StepRecord& record)
    {
        listener.On(record);
    }

    void On(TransferRecord record)
    {
        const bool late = record.tensor == EMPTY && record.channel.to.role == Role::WORKER;
        record.lastByte += late ? 0.005 : 0;
        listener.On(record);
    }

    StepListener listener; //!< is told
};

// A tensor without bytes that arrives last is no link that stands still.
TEST(EffectBias, TakesTensorsWithoutBytes)
{
    std::string profile = MATCHED_PROFILE;
    const auto insert = [&](const std::string& before, const std::string& text) {
        profile.insert(profile.find(before), text);
    };
    insert("]\nops:", ", {name: c, bytes: 0}");
    insert("  - {name: fa,", "  - {name: pull/c, kind: pull, tensor: c}\n");
    insert("  - {name: update/b,", "  - {name: push/c, kind: push, tensor: c, deps: [bb]}\n");
    profile += "  - {name: update/c, kind: update, tensor: c, deps: [push/c], seconds: 0}\n";
    const ScratchFolder folder;
    folder.Write("p.yaml", profile);
    const auto file = folder.Write("s.yaml",
                                   "job: {profile: p.yaml, steps: 12, warmup: 1, workers: 3}\n"
                                   "network: {rate: 980Mbps, queue: {fair: 0B}}\n");
    const auto truth = PrepareScenario(ReadScenario(file).front(), false);
    const auto model = PrepareScenario(ReadScenario(file, {"network.rate=1Gbps"}).front(), false);
    auto runs = SettleWindows(truth.scenario.transfer, PrepareCase(truth, 3, 0).runs);
    LateEmptyPulls late;
    FairShareEngine engine(std::move(runs), truth.MakeFairShareNetwork(3, 0), &late);
    engine.Run();
    std::string obstacle;
    const MatchRecorder& recorder = late.listener.recorder;
    EXPECT_FALSE(recorder.MatchEffects(model, 3, 0, std::nullopt, obstacle).empty());
    EXPECT_EQ(obstacle, "");
    EXPECT_FALSE(recorder.MatchPhases(model, 3, 0, std::nullopt, obstacle).empty());
    EXPECT_EQ(obstacle, "");
}

} // namespace
