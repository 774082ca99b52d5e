/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-scratch-folder.h"

#include "ns3/boolean.h"
#include "ns3/data-rate.h"
#include "ns3/dml-plugin-factories.h"
#include "ns3/dml-prepared-case.h"
#include "ns3/dml-scenario-keys.h"
#include "ns3/dml-scenario-reader.h"
#include "ns3/dml-transfer-policy.h"
#include "ns3/uinteger.h"

#include <gtest/gtest.h>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

using namespace ns3;
using namespace ns3::dml;

namespace
{

/// Two layers; b is listed first, a is needed first. Sizes in B, back-propagation of b 2 and 4 s.
const std::string TRANSFERS_PROFILE =
    "schema: dml-profile/1\n"
    "model: test\n"
    "batch_size: 1\n"
    "tensors: [{name: b, bytes: 3000}, {name: a, bytes: 1000}]\n"
    "ops:\n"
    "  - {name: pull/b, kind: pull, tensor: b}\n"
    "  - {name: pull/a, kind: pull, tensor: a}\n"
    "  - {name: forward/a, kind: forward, deps: [pull/a], samples: [1, 1]}\n"
    "  - {name: forward/b, kind: forward, deps: [forward/a, pull/b], samples: [2, 2]}\n"
    "  - {name: backward/b, kind: backward, deps: [forward/b], samples: [2, 4]}\n"
    "  - {name: backward/a, kind: backward, deps: [backward/b], samples: [1, 1]}\n"
    "  - {name: push/b, kind: push, tensor: b, deps: [backward/b]}\n"
    "  - {name: push/a, kind: push, tensor: a, deps: [backward/a]}\n"
    "  - {name: update/a, kind: update, tensor: a, deps: [push/a], samples: [0.1, 0.1]}\n";

/// What a policy is told, by the names of the plan's ops.
template <typename Value>
using ByName = std::map<std::string, Value>;

template <typename Value>
ByName<Value>
NameValues(const StepPlan& plan, const std::vector<Value>& values, Value none)
{
    ByName<Value> named;
    for (OpIndex op = 0; op < values.size(); ++op)
    {
        if (values[op] != none)
        {
            named[plan.names[op]] = values[op];
        }
    }
    return named;
}

class PreparedTransfers : public testing::Test
{
  protected:
    PreparedTransfers()
    {
        folder.Write("p.yaml", TRANSFERS_PROFILE);
    }

    /// @param transfer keys @param job further keys @param rest further sections
    std::string Write(const std::string& transfer,
                      const std::string& job = "",
                      const std::string& rest = "")
    {
        return folder.Write("s.yaml",
                            "job: {profile: p.yaml, steps: 2, warmup: 0" + job + "}\ntransfer: {" +
                                transfer + "}\n" + rest);
    }

    PreparedScenario Prepare(const std::string& transfer,
                             const std::string& job = "",
                             const std::string& rest = "")
    {
        return PrepareScenario(ReadScenario(Write(transfer, job, rest)).front(), true);
    }

    std::string ErrorOf(const std::string& transfer,
                        const std::string& job = "",
                        const std::string& rest = "")
    {
        const std::string file = Write(transfer, job, rest);
        return folder.ErrorOf([&] { PrepareScenario(ReadScenario(file).front(), true); });
    }

    ByName<uint32_t> RanksOf(const std::string& transfer)
    {
        const PreparedScenario prepared = Prepare(transfer);
        const StepPlan& plan = *prepared.GetJob().run.plan;
        return NameValues<uint32_t>(plan, plan.ranks, NO_INDEX);
    }

    ByName<double> GeneratedOf(const std::string& job, const std::string& rest = "")
    {
        const PreparedScenario prepared = Prepare("policy: prophet", job, rest);
        const StepPlan& plan = *prepared.GetJob().run.plan;
        return NameValues<double>(plan, plan.generated, -1);
    }

    ByName<uint32_t> ServersOf(const std::string& job)
    {
        const PreparedScenario prepared =
            Prepare("partition: 2000", ", parameter_servers: 2" + job);
        const StepPlan& plan = *prepared.GetJob().run.plan;
        ByName<uint32_t> servers;
        for (OpIndex op = 0; op < plan.ops.size(); ++op)
        {
            if (plan.ops[op].tensor != NO_INDEX)
            {
                const PlannedResource& resource = plan.resources[plan.ops[op].resource];
                servers[plan.names[op]] = (resource.at == SELF ? resource.to : resource.at).index;
            }
        }
        return servers;
    }

    ScratchFolder folder;
};

} // namespace

TEST_F(PreparedTransfers, WithoutAnOrderThereAreNoRanks)
{
    for (const std::string policy : {"http2-window", "frame-by-frame", "fifo"})
    {
        const PreparedScenario prepared = Prepare("policy: " + policy);
        EXPECT_TRUE(prepared.GetJob().run.plan->ranks.empty()) << policy;
        EXPECT_TRUE(prepared.GetJob().run.plan->generated.empty()) << policy;
    }
}

TEST_F(PreparedTransfers, OrdersRankPullsOnly)
{
    // the first op needs a, all others both: TAC sees the gain, to TIC they are equal
    const ByName<uint32_t> forward{{"pull/a", 0}, {"pull/b", 1}};
    const ByName<uint32_t> listing{{"pull/b", 0}, {"pull/a", 1}};
    EXPECT_EQ(RanksOf("policy: tic"), listing);
    EXPECT_EQ(RanksOf("policy: tac"), forward);
    EXPECT_EQ(RanksOf("policy: reverse"), forward);
    EXPECT_EQ(RanksOf("policy: explicit, order: [b, a]"), listing);
    EXPECT_EQ(RanksOf("policy: shuffled").size(), 2u);
    EXPECT_EQ(RanksOf("policy: random").size(), 2u);
}

TEST_F(PreparedTransfers, SlicesKeepTheirTensorsPlaceInAnExplicitOrder)
{
    EXPECT_EQ(RanksOf("policy: explicit, order: [a, b], partition: 2000"),
              (ByName<uint32_t>{{"pull/a", 0}, {"pull/b/0", 1}, {"pull/b/1", 2}}));
    EXPECT_EQ(RanksOf("policy: explicit, order: [b, a], partition: 2000"),
              (ByName<uint32_t>{{"pull/b/0", 0}, {"pull/b/1", 1}, {"pull/a", 2}}));
}

TEST_F(PreparedTransfers, SlicePoliciesRankPushesLikeThePulls)
{
    for (const std::string policy : {"p3", "bytescheduler", "prophet"})
    {
        EXPECT_EQ(RanksOf("policy: " + policy + ", partition: 2000"),
                  (ByName<uint32_t>{{"pull/a", 0},
                                    {"pull/b/0", 1},
                                    {"pull/b/1", 2},
                                    {"push/a", 0},
                                    {"push/b/0", 1},
                                    {"push/b/1", 2}}))
            << policy;
    }
}

TEST_F(PreparedTransfers, ProphetKnowsWhenGradientsAreGenerated)
{
    // forward 1 + 2 s, backward (2 + 4) / 2 and 1 s
    EXPECT_EQ(GeneratedOf(""), (ByName<double>{{"push/b", 6}, {"push/a", 7}}));
    // in a group, b waits for a
    EXPECT_EQ(GeneratedOf(", gradient_groups: {count: 2}"),
              (ByName<double>{{"push/b", 7}, {"push/a", 7}}));
    // the CPU parses both tensors before anything else, half a second each
    EXPECT_EQ(GeneratedOf("", "overhead: {beta: 0.5}\n"),
              (ByName<double>{{"push/b", 7}, {"push/a", 8}}));
    // half of everything
    EXPECT_EQ(GeneratedOf(", scale: 0.5"), (ByName<double>{{"push/b", 3}, {"push/a", 3.5}}));
    EXPECT_TRUE(Prepare("policy: p3").GetJob().run.plan->generated.empty());
}

TEST_F(PreparedTransfers, SlicesArePlacedAloneUnlessTheirTensorHasItsPlace)
{
    // 1500, 1500, 1000 B in turn to the server with the fewest
    auto servers = ServersOf("");
    EXPECT_EQ(servers.at("pull/b/0"), 0u);
    EXPECT_EQ(servers.at("push/b/1"), 1u);
    EXPECT_EQ(servers.at("pull/a"), 0u);
    servers = ServersOf(", placement: {a: 0, b: 1}");
    EXPECT_EQ(servers.at("pull/b/0"), 1u);
    EXPECT_EQ(servers.at("push/b/1"), 1u);
    EXPECT_EQ(servers.at("update/a"), 0u);
}

TEST_F(PreparedTransfers, FlowControlIsOffWithoutAWindow)
{
    const auto run = [this](const std::string& transfer) {
        return PrepareCase(Prepare(transfer), 1, 3).runs.front();
    };
    EXPECT_EQ(run("policy: tic").windowRule, StreamWindowModel::Rule::UNLIMITED);
    EXPECT_EQ(run("policy: tic").window, 2147483647u);
    EXPECT_EQ(run("policy: fifo, window: off").windowRule, StreamWindowModel::Rule::UNLIMITED);
    EXPECT_EQ(run("policy: tic, window: 1MB").windowRule, StreamWindowModel::Rule::TWO_TURNS);
    EXPECT_EQ(run("policy: tic, window: 1MB").window, 1000000u);
}

TEST_F(PreparedTransfers, FactoriesMakeThePolicies)
{
    const auto make = [this](const std::string& transfer) {
        return PrepareCase(Prepare(transfer), 1, 3).runs.front().policy.Create<TransferPolicy>();
    };
    const auto inner = [](const Ptr<TransferPolicy>& policy) {
        ObjectFactoryValue value;
        policy->GetAttribute("Inner", value);
        return value.Get().GetTypeId().GetName();
    };
    const auto number = [](const Ptr<TransferPolicy>& policy, const std::string& name) {
        UintegerValue value;
        policy->GetAttribute(name, value);
        return value.Get();
    };
    const auto time = [](const Ptr<TransferPolicy>& policy, const std::string& name) {
        ns3::TimeValue value;
        policy->GetAttribute(name, value);
        return value.Get();
    };
    const auto tic = make("policy: tic");
    EXPECT_EQ(tic->GetInstanceTypeId().GetName(), "ns3::dml::OrderedPolicy");
    EXPECT_EQ(inner(tic), "ns3::dml::FifoPolicy");
    EXPECT_EQ(number(tic, "Replication"), 3u); // as every policy that has such an attribute
    BooleanValue shuffle;
    tic->GetAttribute("Shuffle", shuffle);
    EXPECT_FALSE(shuffle.Get());
    EXPECT_EQ(inner(make("policy: tac, window: 28MB")), "ns3::dml::Http2WindowPolicy");
    const auto shuffled = make("policy: shuffled");
    shuffled->GetAttribute("Shuffle", shuffle);
    EXPECT_TRUE(shuffle.Get());
    EXPECT_EQ(number(shuffled, "Replication"), 3u);
    const auto p3 = make("policy: p3, slice_overhead: 2ms");
    EXPECT_EQ(p3->GetInstanceTypeId().GetName(), "ns3::dml::CreditPolicy");
    EXPECT_EQ(number(p3, "Credit"), 0u);
    EXPECT_EQ(time(p3, "Overhead"), MilliSeconds(2));
    EXPECT_EQ(number(make("policy: bytescheduler, partition: 1000"), "Credit"), 4000u);
    const auto prophet = make("policy: prophet, monitor: 2s, slice_overhead: 1ms");
    EXPECT_EQ(prophet->GetInstanceTypeId().GetName(), "ns3::dml::ProphetPolicy");
    EXPECT_EQ(time(prophet, "Interval"), Seconds(2));
    EXPECT_EQ(time(prophet, "Overhead"), MilliSeconds(1));
    DataRateValue rate;
    prophet->GetAttribute("Rate", rate);
    // 1 Gbit/s in packets of 1500 B: below the wire's rate by the headers
    EXPECT_LT(rate.Get().GetBitRate(), 1000000000u);
    EXPECT_GT(rate.Get().GetBitRate(), 900000000u);
}

TEST_F(PreparedTransfers, NamesThatTheProfileDoesNotHaveAreRefused)
{
    EXPECT_EQ(ErrorOf("policy: explicit, order: [a, c]"),
              "s.yaml:2:41: transfer.order[1]: found 'c'; did you mean 'a'? accepted: names of "
              "tensors that p.yaml pulls");
    EXPECT_EQ(ErrorOf("policy: explicit, order: [a, b, a]"),
              "s.yaml:2:44: transfer.order[2]: found 'a' a second time; accepted: each tensor "
              "once");
    EXPECT_EQ(ErrorOf("policy: explicit, order: [b]"),
              "s.yaml:2:37: transfer.order: found no place for tensor 'a'; accepted: a place for "
              "each of the 2 tensors that p.yaml pulls");
    EXPECT_EQ(ErrorOf("policy: fifo", ", gradient_groups: [[a], [b, c]]"),
              "s.yaml:1:72: job.gradient_groups[1][1]: found 'c'; did you mean 'a'? accepted: "
              "names of tensors whose gradients p.yaml pushes");
    EXPECT_EQ(ErrorOf("policy: fifo", ", gradient_groups: [[a], [b, a]]"),
              "s.yaml:1:72: job.gradient_groups[1][1]: found 'a' a second time; accepted: each "
              "tensor once");
}

TEST_F(PreparedTransfers, PullsThatWaitForOthersAreNotShuffled)
{
    folder.Write("p.yaml",
                 "schema: dml-profile/1\nmodel: test\nbatch_size: 1\n"
                 "tensors: [{name: a, bytes: 1}, {name: b, bytes: 1}]\n"
                 "ops:\n"
                 "  - {name: pull/a, kind: pull, tensor: a}\n"
                 "  - {name: x, kind: compute, seconds: 1, deps: [pull/a]}\n"
                 "  - {name: pull/b, kind: pull, tensor: b, deps: [x]}\n"
                 "  - {name: y, kind: compute, seconds: 1, deps: [pull/b]}\n");
    // for the fair-share engine: in the other one no transfer tells the server that x is done
    const auto prepare = [this](const std::string& transfer) {
        const auto scenario = ReadScenario(Write(transfer)).front();
        return folder.ErrorOf([&] { PrepareScenario(scenario, false); });
    };
    EXPECT_EQ(
        prepare("policy: shuffled"),
        "s.yaml:2:20: transfer.policy: found 'shuffled' and pull op 'pull/b', which waits for "
        "others; accepted: another policy, or a profile whose pulls wait for nothing");
    EXPECT_EQ(prepare("policy: random"), "no error");
    EXPECT_EQ(
        prepare("policy: explicit, order: [b, a]"),
        "s.yaml:2:37: transfer.order: order of transfers: found 'b' before 'a', for which its "
        "pull waits; accepted: each of the 2 pulled tensors once, those after which others are "
        "pulled first");
}

TEST_F(PreparedTransfers, GroupsAndSlicesThatCannotBeAreRefused)
{
    folder.Write("p.yaml",
                 "schema: dml-profile/1\nmodel: test\nbatch_size: 1\n"
                 "tensors: [{name: a, bytes: 30000}, {name: b, bytes: 1}, {name: a/1, bytes: 1}]\n"
                 "ops:\n"
                 "  - {name: x, kind: compute, seconds: 1}\n"
                 "  - {name: push/a, kind: push, tensor: a, deps: [x]}\n"
                 "  - {name: push/b, kind: push, tensor: b, deps: [push/a]}\n");
    EXPECT_EQ(ErrorOf("policy: fifo", ", gradient_groups: {count: 2}"),
              "s.yaml:1:62: job.gradient_groups: found groups with which the dependencies form a "
              "cycle: 'push/a' -> 'push/a'; accepted: groups of gradients that do not wait for "
              "each other's transfer");
    EXPECT_EQ(ErrorOf("partition: 1"),
              "s.yaml:2:23: transfer.partition: found \"1\" B, which cuts p.yaml into 30002 "
              "tensors; accepted: a size that gives 20000 tensors at most, or off");
    EXPECT_EQ(ErrorOf("partition: 15000"),
              "s.yaml:2:23: transfer.partition: found slices with which tensor 'a/1' is listed "
              "twice; tensor names must be unique; accepted: a profile without tensors of such "
              "names, or off");
}

TEST_F(PreparedTransfers, TheEchoIsAScenarioAgain)
{
    for (const std::string transfer :
         {"policy: explicit, order: [b, a], window: 1MB",
          "policy: bytescheduler, partition: 2000, credit: 5000, slice_overhead: 1ms",
          "policy: prophet, monitor: 2s",
          "policy: fifo, window: off, partition: off"})
    {
        for (const std::string job : {", gradient_groups: {bytes: 3000}",
                                      ", gradient_groups: [[a, b]], protocol: push-pull",
                                      ", gradient_groups: off"})
        {
            const auto echo = ScenarioToJson(ReadScenario(Write(transfer, job)).front());
            // JSON is YAML; the profile's path is that of this folder already
            const auto again =
                ReadScenario(folder.Write("again.yaml", "job: {profile: p.yaml}\n"),
                             {"transfer=" + echo["transfer"].dump(),
                              "job.protocol=" + echo["job"]["protocol"].dump(),
                              "job.gradient_groups=" + echo["job"]["gradient_groups"].dump()});
            const auto other = ScenarioToJson(again.front());
            EXPECT_EQ(other["transfer"], echo["transfer"]);
            for (const std::string key : {"protocol", "sync", "gradient_groups"})
            {
                EXPECT_EQ(other["job"][key], echo["job"][key]) << key;
            }
        }
    }
}
