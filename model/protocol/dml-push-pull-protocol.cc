/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-push-pull-protocol.h"

#include "dml-push-pull-plan.h"

namespace ns3::dml
{

NS_OBJECT_ENSURE_REGISTERED(PushPullProtocol);

TypeId
PushPullProtocol::GetTypeId()
{
    static TypeId tid = TypeId("ns3::dml::PushPullProtocol")
                            .SetParent<Protocol>()
                            .SetGroupName("Dml")
                            .AddConstructor<PushPullProtocol>();
    return tid;
}

StepPlan
PushPullProtocol::MakePlan(const Profile& profile, const ProtocolSetting& setting) const
{
    return MakePushPullPlan(
        MakeStepPlan(profile, setting.placement, setting.servers, setting.overhead));
}

bool
PushPullProtocol::StepsOverlap() const
{
    return true;
}

} // namespace ns3::dml
