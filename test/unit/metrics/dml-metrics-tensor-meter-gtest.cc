/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-channel-words.h"

#include "ns3/dml-result-summary.h"
#include "ns3/dml-summary-json.h"
#include "ns3/dml-tensor-meter.h"

#include <cmath>
#include <gtest/gtest.h>
#include <limits>

using namespace ns3::dml;

namespace
{

/// @return a transfer of which the meter reads only these
TransferRecord
Transfer(uint32_t worker, uint32_t step, uint32_t tensor, Direction direction, double lastByte)
{
    return {MakeChannel(direction, 0, worker), step, 0, tensor, 0, 0, lastByte};
}

/// @return engine with one replication that measured these
EngineSummary
Engine(const std::vector<double>& completions, double step, uint32_t replication = 0)
{
    EngineSummary engine;
    ReplicationSummary run;
    run.replication = replication;
    run.completions = completions;
    run.completionStep = step;
    engine.replications = {run};
    return engine;
}

} // namespace

// Steps after a warm-up of one: worker 0's step 1 from 10 to 14, worker 1's from 11 to 17: mean 5.
// Tensor 0 down after 1 and 2 s: mean 1.5; tensor 1 up after 3 s (worker 0) and 5 s: mean 4.
TEST(DmlTensorMeter, CountsFromTheStartOfTheStep)
{
    TensorMeter meter(2, 2, 1);
    meter.On(Transfer(0, 0, 0, DOWN, 3));
    meter.On(StepRecord{0, 0, 0, 0, 10});
    meter.On(StepRecord{1, 0, 0, 0, 11});
    meter.On(Transfer(0, 1, 0, DOWN, 11));
    meter.On(Transfer(1, 1, 0, DOWN, 13));
    meter.On(Transfer(0, 1, 1, UP, 13));
    meter.On(Transfer(0, 2, 0, DOWN, 100)); // of a step that never ends
    meter.On(StepRecord{0, 1, 0, 10, 14});
    meter.On(Transfer(1, 1, 1, UP, 16));
    meter.On(StepRecord{1, 1, 0, 11, 17});
    meter.On(Transfer(2, 1, 0, DOWN, 50)); // of another job
    meter.On(StepRecord{2, 1, 0, 0, 50});
    EXPECT_DOUBLE_EQ(meter.GetMeanStep(), 5);
    const auto means = meter.GetMeanCompletions();
    ASSERT_EQ(means.size(), 4u);
    EXPECT_DOUBLE_EQ(means[0], 1.5);
    EXPECT_TRUE(std::isnan(means[1])) << "tensor 0 was never pushed";
    EXPECT_TRUE(std::isnan(means[2]));
    EXPECT_DOUBLE_EQ(means[3], 4);
    EXPECT_TRUE(std::isnan(TensorMeter(1, 1, 0).GetMeanStep()));
}

// Step 2 s; errors 0.1, -0.2, (none), 0.05 of a step.
TEST(DmlTensorError, IsRelativeToTheStep)
{
    const double none = std::numeric_limits<double>::quiet_NaN();
    CaseSummary item;
    EXPECT_FALSE(ComputeTensorError(item, MAIN_COMPARISON));
    item.engines[EngineKind::FAIR_SHARE] = Engine({0.6, 1.0, none, 1.9}, 1.9);
    EXPECT_FALSE(ComputeTensorError(item, MAIN_COMPARISON));
    item.engines[EngineKind::PACKET] = Engine({0.4, 1.4, none, 1.8}, 2);
    const auto error = ComputeTensorError(item, MAIN_COMPARISON);
    ASSERT_TRUE(error);
    EXPECT_EQ(error->pairs, 1u);
    EXPECT_NEAR(error->median, 0.1, 1e-12);
    EXPECT_NEAR(error->p90, 0.2, 1e-12);
    EXPECT_NEAR(error->max, 0.2, 1e-12);
    EXPECT_NEAR(error->worst, -0.2, 1e-12);
    EXPECT_NEAR(error->bias, (0.1 - 0.2 + 0.05) / 3, 1e-12);
    EXPECT_EQ(error->worstTensor, 0u);
    EXPECT_EQ(error->worstDirection, UP);

    item.tensors = {"weight", "bias"};
    RunSummary summary;
    summary.cases = {item};
    const auto json = ToJson(summary)["cases"][0]["tensor_error"];
    EXPECT_NEAR(json["max"].get<double>(), 0.2, 1e-12);
    EXPECT_EQ(json["worst"]["tensor"], "weight");
    EXPECT_EQ(json["worst"]["direction"], "uplink");
    EXPECT_NEAR(json["worst"]["error"].get<double>(), -0.2, 1e-12);
    EXPECT_EQ(json["pairs"], 1);
}

// Replications 0 and 1 with errors +0.1 and -0.3 of the only transfer: -0.1 in the mean.
TEST(DmlTensorError, AveragesOverPairs)
{
    CaseSummary item;
    item.engines[EngineKind::FAIR_SHARE] = Engine({1.1}, 1);
    item.engines[EngineKind::FAIR_SHARE].replications.push_back(
        Engine({0.7}, 1, 1).replications[0]);
    item.engines[EngineKind::FAIR_SHARE].replications.push_back(
        Engine({9}, 1, 2).replications[0]); // has no partner
    item.engines[EngineKind::PACKET] = Engine({1}, 1);
    item.engines[EngineKind::PACKET].replications.push_back(Engine({1}, 1, 1).replications[0]);
    const auto error = ComputeTensorError(item, MAIN_COMPARISON);
    ASSERT_TRUE(error);
    EXPECT_EQ(error->pairs, 2u);
    EXPECT_NEAR(error->worst, -0.1, 1e-12);
    item.engines[EngineKind::PACKET].replications[0].completionStep =
        std::numeric_limits<double>::quiet_NaN();
    EXPECT_NEAR(ComputeTensorError(item, MAIN_COMPARISON)->worst, -0.3, 1e-12);
}
