/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-policy-factory.h"

#include "ns3/boolean.h"
#include "ns3/data-rate.h"
#include "ns3/dml-transfer-policies.h"
#include "ns3/uinteger.h"

#include <cmath>
#include <string>

namespace ns3::dml
{

namespace
{

ObjectFactory
MakeWindowTurns(const TransferSpec& transfer)
{
    ObjectFactory factory = TransferPolicies().MakeFactory({"http2-window", {}});
    factory.Set("RejoinAtStart", BooleanValue(transfer.rejoin == "start"));
    return factory;
}

void
SetOrder(const TransferSpec& transfer, ObjectFactory& factory)
{
    if (TakesWindowTurns(transfer))
    {
        factory.Set("Inner", ObjectFactoryValue(MakeWindowTurns(transfer)));
    }
}

void
SetSlices(const TransferSpec& transfer, double goodput, ObjectFactory& factory)
{
    if (transfer.policy == "prophet")
    {
        constexpr double BITS_PER_BYTE = 8;
        const auto rate = static_cast<uint64_t>(std::llround(BITS_PER_BYTE * goodput));
        factory.Set("Interval", TimeValue(transfer.monitor));
        factory.Set("Rate", DataRateValue(DataRate(rate)));
    }
    else if (transfer.policy == "bytescheduler")
    {
        factory.Set("Credit", UintegerValue(transfer.credit));
    }
    factory.Set("Overhead", TimeValue(transfer.sliceOverhead));
}

} // namespace

ObjectFactory
MakePolicyFactory(const TransferSpec& transfer, uint32_t seed, double goodput)
{
    const std::string& policy = transfer.policy;
    if (policy == "http2-window")
    {
        return MakeWindowTurns(transfer);
    }
    ObjectFactory factory = TransferPolicies().MakeFactory({policy, transfer.policyAttributes});
    if (IsOrderPolicy(policy))
    {
        SetOrder(transfer, factory);
    }
    if (IsSlicePolicy(policy))
    {
        SetSlices(transfer, goodput, factory);
    }
    SetUnlessGiven(factory, transfer.policyAttributes, "Seed", UintegerValue(seed));
    return factory;
}

} // namespace ns3::dml
