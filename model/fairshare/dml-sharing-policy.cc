/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-sharing-policy.h"

#include "dml-rate-sharing.h"

namespace ns3::dml
{

NS_OBJECT_ENSURE_REGISTERED(SharingPolicy);
NS_OBJECT_ENSURE_REGISTERED(RateSharingPolicy);

TypeId
SharingPolicy::GetTypeId()
{
    static TypeId tid = TypeId("ns3::dml::SharingPolicy").SetParent<Object>().SetGroupName("Dml");
    return tid;
}

TypeId
RateSharingPolicy::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::dml::RateSharingPolicy").SetParent<SharingPolicy>().SetGroupName("Dml");
    return tid;
}

std::unique_ptr<BandwidthSharing>
RateSharingPolicy::MakeSharing(const FairShareNetwork& network, RunObserver* observer) const
{
    return std::make_unique<RateSharing>(network.links, MakeSolver(network), observer);
}

} // namespace ns3::dml
