/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-profile-builder.h"

#include "ns3/dml-channel-label.h"
#include "ns3/dml-goodput.h"
#include "ns3/dml-step-plan.h"

#include <gtest/gtest.h>

using namespace ns3;
using namespace ns3::dml;

namespace
{

ProfileBuilder
SmallStep()
{
    ProfileBuilder builder;
    builder.Pull("a", 100)
        .Pull("b", 200)
        .Compute("forward", {1, 2}, {"pull/a", "pull/b"})
        .Push("b", 200, {"forward"})
        .Update("b", 0.5)
        .Push("a", 100, {"forward"})
        .Update("a", 0.25);
    return builder;
}

OpIndex
FindOp(const StepPlan& plan, const std::string& name)
{
    for (OpIndex op = 0; op < plan.names.size(); ++op)
    {
        if (plan.names[op] == name)
        {
            return op;
        }
    }
    throw InputError("no op " + name);
}

} // namespace

TEST(StepPlan, NumbersOpsAsListedAndCountsDependencies)
{
    const auto profile = SmallStep().Build();
    const StepPlan plan = MakeStepPlan(profile, {0, 1}, 2, {});
    ASSERT_EQ(plan.ops.size(), 7u);
    EXPECT_EQ(plan.roots, (std::vector<OpIndex>{0, 1}));
    EXPECT_EQ(plan.ops[2].dependencies, 2u);
    EXPECT_EQ(plan.localOps, 7u);
    const Peer server{Peer::Kind::SERVER, 1};
    const auto& down = plan.resources[plan.ops[FindOp(plan, "pull/b")].resource];
    EXPECT_TRUE(down.kind == ResourceKind::CHANNEL && down.at == server && down.to == SELF);
    const auto& up = plan.resources[plan.ops[FindOp(plan, "push/b")].resource];
    EXPECT_TRUE(up.kind == ResourceKind::CHANNEL && up.at == SELF && up.to == server);
    EXPECT_EQ(plan.GetSeconds(1, FindOp(plan, "forward")), 2.0);
    EXPECT_EQ(plan.GetSeconds(0, FindOp(plan, "update/a")), 0.25);
}

TEST(StepPlan, ParseOpsStandBehindTheirTransfersAndHoldBackWhatWaited)
{
    const auto profile = SmallStep().Build();
    const StepPlan plan = MakeStepPlan(profile, {0, 1}, 2, {0.01, 0.5, false, {}});
    ASSERT_EQ(plan.ops.size(), 11u);
    const OpIndex parse = FindOp(plan, "parse of pull/b");
    EXPECT_EQ(parse, FindOp(plan, "pull/b") + 1);
    EXPECT_DOUBLE_EQ(plan.GetSeconds(0, parse), 2.5); // 0.01 * 200 + 0.5
    const auto isDevice = [&plan](OpIndex op, const Peer& at) {
        const auto& resource = plan.resources[plan.ops[op].resource];
        return resource.kind == ResourceKind::DEVICE && resource.at == at;
    };
    EXPECT_TRUE(isDevice(parse, SELF));
    EXPECT_TRUE(isDevice(FindOp(plan, "parse of push/b"), {Peer::Kind::SERVER, 1}));
    const auto& pull = plan.ops[FindOp(plan, "pull/b")];
    ASSERT_EQ(pull.endDependent - pull.firstDependent, 1u);
    EXPECT_EQ(plan.dependents[pull.firstDependent], parse);
}

TEST(StepPlan, ATransferIsAReceptionAtOneSiteAndASendingAtTheOther)
{
    const auto profile = SmallStep().Build();
    const StepPlan whole = MakeStepPlan(profile, {0, 1}, 2, {});
    const StepPlan worker = RestrictStepPlan(whole, SELF);
    const StepPlan server1 = RestrictStepPlan(whole, {Peer::Kind::SERVER, 1});
    const OpIndex pull = FindOp(whole, "pull/b");
    const OpIndex push = FindOp(whole, "push/b");
    EXPECT_EQ(worker.ops[pull].dispatch, Dispatch::RECEIVE);
    EXPECT_EQ(server1.ops[pull].dispatch, Dispatch::SEND);
    EXPECT_EQ(worker.ops[push].dispatch, Dispatch::SEND);
    EXPECT_EQ(server1.ops[push].dispatch, Dispatch::RECEIVE);
    // server 1 waits for the request of b's pull, and asks for b's push at once
    EXPECT_EQ(server1.ops[pull].dependencies, 1u);
    EXPECT_EQ(server1.roots, (std::vector<OpIndex>{push}));
    // the worker waits for forward and for the request
    EXPECT_EQ(worker.ops[push].dependencies, 2u);
    EXPECT_EQ(worker.localOps, 5u);
    EXPECT_EQ(server1.localOps, 3u);
    EXPECT_EQ(server1.ops[FindOp(whole, "update/a")].dispatch, Dispatch::ELSEWHERE);
}

TEST(StepPlan, APullThatWaitsForTheWorkerIsAskedForLater)
{
    ProfileBuilder builder;
    builder.Compute("x", {1}).Pull("a", 100, {"x"});
    const StepPlan whole = MakeStepPlan(builder.Build(), {0}, 1, {});
    const StepPlan worker = RestrictStepPlan(whole, SELF);
    EXPECT_EQ(worker.roots, (std::vector<OpIndex>{0}));
    EXPECT_EQ(worker.ops[1].dependencies, 1u);
    const StepPlan server = RestrictStepPlan(whole, {Peer::Kind::SERVER, 0});
    EXPECT_EQ(server.ops[1].dependencies, 1u); // the request
}

TEST(Goodput, TakesOffHeadersOfEveryLayer)
{
    // 1460 bytes of 1502 on the wire, 16384 of 16393 in HTTP/2 frames
    EXPECT_NEAR(GetGoodput(DataRate("1Gbps"), GetWireFormat(1500, false)),
                125e6 * 1460 / 1502 * 16384 / 16393,
                1);
    EXPECT_EQ(GetWireFormat(1500, true).segment, 1448u);
    EXPECT_EQ(GetWireFormat(9000, true).wire, 9002u);
}
