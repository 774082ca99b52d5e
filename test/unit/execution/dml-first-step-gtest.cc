/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-profile-builder.h"

#include "ns3/dml-all-reduce-protocol.h"
#include "ns3/dml-step-executor.h"
#include "ns3/dml-stream-window-model.h"
#include "ns3/object-factory.h"

#include <gtest/gtest.h>
#include <memory>
#include <vector>

using namespace ns3;
using namespace ns3::dml;

namespace
{

/// An engine in which nothing happens.
class IdleHost : public StepHost
{
  public:
    double GetNow() const override
    {
        return 0;
    }

    int64_t GetInstant() const override
    {
        return 0;
    }

    void StartTask(DeviceQueue&, const ComputeTask&) override
    {
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

    void StepCompleted(StepExecutor&, uint32_t) override
    {
    }
};

} // namespace

/// A worker that has just come up, and whose answer about its first step is late, may be asked for
/// what it sends in that step by one that knows it; as soon as it has begun, for that step and the
/// next one only.
TEST(DmlFirstStep, MayBeAskedForBeforeItIsKnown)
{
    const Profile profile = ProfileBuilder()
                                .Compute("compute", {1})
                                .Push("t", 4000, {"compute"})
                                .Update("t", 0)
                                .Build();
    const StepPlan plan =
        CreateObject<AllReduceProtocol>()->MakePlan(profile, {{}, 0, {}, false, {0, 0}});
    std::vector<std::unique_ptr<DeviceQueue>> queues;
    std::vector<DeviceQueue*> devices;
    for (const auto& resource : plan.resources)
    {
        queues.push_back(std::make_unique<DeviceQueue>());
        devices.push_back(resource.kind == ResourceKind::CHANNEL ? nullptr : queues.back().get());
    }
    const StreamWindowModel windows(StreamWindowModel::Rule::UNLIMITED, 1, 0);
    ObjectFactory policy("ns3::dml::Http2WindowPolicy");
    IdleHost host;
    StepExecutor executor(0, 0, 2, plan, devices, policy, windows, host, JobRecorder{});
    const OpIndex first = plan.GetMoveNumber(0, 0); // which sends
    EXPECT_FALSE(executor.CanBeRequested(first, 7));
    executor.AwaitFirstStep();
    EXPECT_TRUE(executor.CanBeRequested(first, 7));
    executor.SkipTo(7);
    executor.BeginStep(7, 0);
    EXPECT_FALSE(executor.CanBeRequested(first, 6));
    EXPECT_TRUE(executor.CanBeRequested(first, 7));
    EXPECT_TRUE(executor.CanBeRequested(first, 8));
    EXPECT_FALSE(executor.CanBeRequested(first, 9));
}
