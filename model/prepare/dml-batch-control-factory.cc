/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-batch-control-factory.h"

#include "ns3/dml-analytical-batch-size.h"
#include "ns3/dml-iterative-batch-size.h"
#include "ns3/dml-speed-predictors.h"
#include "ns3/dml-work-shedding.h"
#include "ns3/double.h"
#include "ns3/uinteger.h"

namespace ns3::dml
{

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

} // namespace ns3::dml
