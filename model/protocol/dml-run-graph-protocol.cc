/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-run-graph-protocol.h"

#include "dml-aggregating-plan.h"

namespace ns3::dml
{

NS_OBJECT_ENSURE_REGISTERED(RunGraphProtocol);

TypeId
RunGraphProtocol::GetTypeId()
{
    static TypeId tid = TypeId("ns3::dml::RunGraphProtocol")
                            .SetParent<Protocol>()
                            .SetGroupName("Dml")
                            .AddConstructor<RunGraphProtocol>();
    return tid;
}

StepPlan
RunGraphProtocol::MakePlan(const Profile& profile, const ProtocolSetting& setting) const
{
    const StepPlan plan =
        MakeStepPlan(profile, setting.placement, setting.servers, setting.overhead);
    return setting.joint ? MakeAggregatingPlan(plan) : plan;
}

} // namespace ns3::dml
