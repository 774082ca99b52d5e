/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-plugin-factories.h"

#include "ns3/boolean.h"
#include "ns3/data-rate.h"
#include "ns3/dml-analytical-batch-size.h"
#include "ns3/dml-iterative-batch-size.h"
#include "ns3/dml-speed-predictors.h"
#include "ns3/dml-transfer-policies.h"
#include "ns3/dml-work-shedding.h"
#include "ns3/double.h"
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
MakeSpeedPredictor(const BatchControlSpec& spec, uint32_t seed, uint32_t replication)
{
    const PluginAttributes& given = spec.predictorAttributes;
    ObjectFactory factory = SpeedPredictors().MakeFactory({spec.predictor, given});
    if (SpeedPredictors().HasName(spec.predictor))
    {
        SetUnlessGiven(factory, given, "Alpha", DoubleValue(spec.alpha));
        SetUnlessGiven(factory, given, "Warmup", UintegerValue(spec.warmup));
    }
    SetUnlessGiven(factory, given, "Seed", UintegerValue(seed));
    SetUnlessGiven(factory, given, "Replication", UintegerValue(replication));
    return factory;
}

std::optional<ObjectFactory>
MakeBatchSizeControl(const BatchControlSpec& spec, uint32_t seed, uint32_t replication)
{
    ObjectFactory factory;
    if (spec.rule == "cpu")
    {
        factory.SetTypeId(AnalyticalBatchSize::GetTypeId());
        factory.Set("Predictor", ObjectFactoryValue(MakeSpeedPredictor(spec, seed, replication)));
        return factory;
    }
    if (spec.rule == "gpu")
    {
        factory.SetTypeId(IterativeBatchSize::GetTypeId());
        factory.Set("Step", UintegerValue(spec.step));
        factory.Set("Window", UintegerValue(spec.window));
        factory.Set("FineStep", UintegerValue(spec.fineStep));
        factory.Set("FineWindow", UintegerValue(spec.fineWindow));
        factory.Set("MemoryGuard", DoubleValue(spec.memoryGuard));
        return factory;
    }
    return {};
}

std::optional<ObjectFactory>
MakeWorkShedding(const SheddingSpec& spec)
{
    if (!spec.on)
    {
        return {};
    }
    ObjectFactory factory(WorkShedding::GetTypeId().GetName());
    factory.Set("Checks", UintegerValue(spec.checks));
    factory.Set("Lag", DoubleValue(spec.lag));
    factory.Set("Share", DoubleValue(spec.share));
    factory.Set("Cost", DoubleValue(spec.cost.GetSeconds()));
    return factory;
}

ObjectFactory
MakePolicyFactory(const TransferSpec& transfer, uint32_t seed, double goodput)
{
    const std::string& policy = transfer.policy;
    if (policy == "http2-window")
    {
        return MakeWindowTurns(transfer);
    }
    ObjectFactory factory = TransferPolicies().MakeFactory({policy, transfer.policyAttributes});
    if (IsOrderPolicy(policy) && TakesWindowTurns(transfer))
    {
        factory.Set("Inner", ObjectFactoryValue(MakeWindowTurns(transfer)));
    }
    if (IsSlicePolicy(policy))
    {
        SetSlices(transfer, goodput, factory);
    }
    SetUnlessGiven(factory, transfer.policyAttributes, "Seed", UintegerValue(seed));
    return factory;
}

} // namespace ns3::dml
