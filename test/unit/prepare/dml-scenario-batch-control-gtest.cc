/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// The key job.batch_control: how it is read, refused, echoed, and what it makes.

#include "dml-one-layer-profile.h"
#include "dml-scenario-mistake.h"

#include "ns3/dml-analytical-batch-size.h"
#include "ns3/dml-arima-speed.h"
#include "ns3/dml-iterative-batch-size.h"
#include "ns3/dml-last-speed.h"
#include "ns3/dml-lstm-speed.h"
#include "ns3/dml-narx-speed.h"
#include "ns3/dml-plugin-factories.h"
#include "ns3/dml-prepared-case.h"
#include "ns3/dml-scenario-keys.h"
#include "ns3/double.h"
#include "ns3/uinteger.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <string>

using namespace ns3;
using namespace ns3::dml;

namespace
{

Scenario
ReadWith(const std::string& control)
{
    const ScratchFolder folder;
    folder.Write("p.yaml", ONE_LAYER_PROFILE);
    const std::string key = control.empty() ? "" : ", batch_control: " + control;
    return ReadScenario(folder.Write("s.yaml", "job: {profile: p.yaml, sync: bsp" + key + "}\n"))
        .front();
}

class BatchControlMistake : public testing::TestWithParam<Mistake>
{
};

/// @return an attribute of an object
template <typename Value>
auto
AttributeOf(const Ptr<Object>& object, const std::string& name)
{
    Value value;
    object->GetAttribute(name, value);
    return value.Get();
}

Ptr<SpeedPredictor>
MakePredictor(const ObjectFactory& control)
{
    const auto object = control.Create<AnalyticalBatchSize>();
    return AttributeOf<ObjectFactoryValue>(object, "Predictor").Create<SpeedPredictor>();
}

} // namespace

TEST(BatchControl, ValuesAndDefaults)
{
    const auto read = [](const std::string& text) { return ReadWith(text).job.batchControl; };
    EXPECT_EQ(read("").rule, "off");
    EXPECT_EQ(read("off").rule, "off");
    EXPECT_EQ(read("cpu").rule, "cpu");
    EXPECT_EQ(read("cpu").predictor, "narx");
    EXPECT_EQ(read("cpu").alpha, 0.2);
    EXPECT_EQ(read("cpu").warmup, 500U);
    EXPECT_EQ(read("{cpu: last}").predictor, "last");
    EXPECT_EQ(read("{cpu: {alpha: 0.5, warmup: 70}}").predictor, "narx");
    EXPECT_EQ(read("{cpu: {alpha: 0.5, warmup: 70}}").alpha, 0.5);
    EXPECT_EQ(read("{cpu: {alpha: 0.5, warmup: 70}}").warmup, 70U);
    EXPECT_EQ(read("gpu").rule, "gpu");
    EXPECT_EQ(read("gpu").step, 5U);
    EXPECT_EQ(read("gpu").window, 5U);
    EXPECT_EQ(read("gpu").fineStep, 1U);
    EXPECT_EQ(read("gpu").fineWindow, 20U);
    EXPECT_EQ(read("gpu").memoryGuard, 0.95);
    const auto gpu =
        read("{gpu: {step: 6, window: 7, fine_step: 2, fine_window: 9, memory_guard: 0.5}}");
    EXPECT_EQ(gpu.step, 6U);
    EXPECT_EQ(gpu.window, 7U);
    EXPECT_EQ(gpu.fineStep, 2U);
    EXPECT_EQ(gpu.fineWindow, 9U);
    EXPECT_EQ(gpu.memoryGuard, 0.5);
}

TEST_P(BatchControlMistake, IsRefusedWithItsPlace)
{
    EXPECT_EQ(ScenarioErrorOf(GetParam()), GetParam().error);
}

INSTANTIATE_TEST_SUITE_P(
    Keys,
    BatchControlMistake,
    testing::Values(
        Mistake{9,
                "  batch_control: cpu",
                "s.yaml:9:18: job.batch_control: found 'cpu' with job.sync async; accepted: off, "
                "or job.sync bsp with job.protocol run-graph, or all-reduce with a barrier"},
        Mistake{9,
                "  batch_control: on",
                "s.yaml:9:18: job.batch_control: found \"on\"; accepted: off, cpu, gpu, or {cpu: "
                "PREDICTOR}, {cpu: {...}}, {gpu: {...}}"},
        Mistake{9,
                "  batch_control: {}",
                "s.yaml:9:18: job.batch_control: found neither cpu nor gpu; accepted: off, cpu, "
                "gpu, or {cpu: PREDICTOR}, {cpu: {...}}, {gpu: {...}}"},
        Mistake{9,
                "  batch_control: {cpu: ema, gpu: {}}",
                "s.yaml:9:18: job.batch_control: found both cpu and gpu; accepted: off, cpu, gpu, "
                "or {cpu: PREDICTOR}, {cpu: {...}}, {gpu: {...}}"},
        Mistake{9,
                "  batch_control: {tpu: {}}",
                "s.yaml:9:19: job.batch_control.tpu: unknown key 'tpu'; did you mean 'cpu'? "
                "accepted: cpu, gpu"},
        Mistake{9,
                "  batch_control: {cpu: gru}",
                "s.yaml:9:24: job.batch_control.cpu: found \"gru\"; accepted: last, ema, arima, "
                "rnn, lstm, narx, or {type: TYPEID, ...}, or a map of predictor, alpha and "
                "warmup"},
        Mistake{9,
                "  batch_control: {cpu: {alfa: 0.2}}",
                "s.yaml:9:25: job.batch_control.cpu.alfa: unknown key 'alfa'; accepted: "
                "predictor, alpha, warmup"},
        Mistake{9,
                "  batch_control: {cpu: {alpha: 1.5}}",
                "s.yaml:9:32: job.batch_control.cpu.alpha: found \"1.5\"; accepted: a number of "
                "shares of the last speed from 0 to 1"},
        Mistake{9,
                "  batch_control: {cpu: {predictor: last, alpha: 0.2}}",
                "s.yaml:9:49: job.batch_control.cpu.alpha: found the key with predictor last; "
                "accepted: it with one of ema, arima, rnn, lstm, narx"},
        Mistake{9,
                "  batch_control: {cpu: {predictor: ema, warmup: 9}}",
                "s.yaml:9:49: job.batch_control.cpu.warmup: found the key with predictor ema; "
                "accepted: it with one of arima, rnn, lstm, narx"},
        Mistake{9,
                "  batch_control: {gpu: 5}",
                "s.yaml:9:24: job.batch_control.gpu: found \"5\"; accepted: a map of step, window, "
                "fine_step, fine_window and memory_guard"},
        Mistake{9,
                "  batch_control: {gpu: {step: 0}}",
                "s.yaml:9:31: job.batch_control.gpu.step: found \"0\"; accepted: an integer from "
                "1 to 1000000"},
        Mistake{9,
                "  batch_control: {gpu: {fine_window: 100001}}",
                "s.yaml:9:38: job.batch_control.gpu.fine_window: found \"100001\"; accepted: an "
                "integer from 1 to 100000"},
        Mistake{9,
                "  batch_control: {gpu: {memory_guard: 95}}",
                "s.yaml:9:39: job.batch_control.gpu.memory_guard: found \"95\"; accepted: a number "
                "of shares of the memory from 0 to 1"}));

/// What summary.json says of the scenario can be read again, and means the same.
TEST(BatchControl, EchoIsAScenario)
{
    for (const std::string text :
         {"off",
          "cpu",
          "{cpu: last}",
          "{cpu: {predictor: ema, alpha: 0.5}}",
          "{cpu: arima}",
          "{cpu: {predictor: lstm, alpha: 0.5, warmup: 70}}",
          "{cpu: {type: ns3::dml::ArimaSpeed, P: 1, D: 0, Q: 1}}",
          "{cpu: {warmup: 70}}",
          "gpu",
          "{gpu: {step: 6, window: 7, fine_step: 2, fine_window: 9, memory_guard: 0.5}}"})
    {
        const auto echo = ScenarioToJson(ReadWith(text))["job"]["batch_control"];
        EXPECT_EQ(ScenarioToJson(ReadWith(echo.dump()))["job"]["batch_control"], echo);
        EXPECT_EQ(echo.is_string(), text == "off");
    }
    EXPECT_EQ(ScenarioToJson(ReadWith("{cpu: rnn}"))["job"]["batch_control"].dump(),
              R"({"cpu":{"predictor":"rnn","alpha":0.2,"warmup":500}})");
    EXPECT_EQ(ScenarioToJson(ReadWith("{cpu: {warmup: 70}}"))["job"]["batch_control"].dump(),
              R"({"cpu":{"predictor":"narx","alpha":0.2,"warmup":70}})");
    EXPECT_EQ(
        ScenarioToJson(ReadWith("{gpu: {step: 6, fine_step: 2}}"))["job"]["batch_control"].dump(),
        R"({"gpu":{"step":6,"window":5,"fine_step":2,"fine_window":20,"memory_guard":0.95}})");
}

TEST(BatchControl, FactoryMakesWhatIsAskedFor)
{
    BatchControlSpec spec;
    EXPECT_FALSE(MakeBatchSizeControl(spec, 1, 0));

    spec.rule = "gpu";
    spec.step = 6;
    spec.window = 7;
    spec.fineStep = 2;
    spec.fineWindow = 9;
    spec.memoryGuard = 0.5;
    const auto gpu = MakeBatchSizeControl(spec, 1, 0)->Create<IterativeBatchSize>();
    ASSERT_TRUE(gpu);
    EXPECT_EQ(AttributeOf<UintegerValue>(gpu, "Step"), 6U);
    EXPECT_EQ(AttributeOf<UintegerValue>(gpu, "Window"), 7U);
    EXPECT_EQ(AttributeOf<UintegerValue>(gpu, "FineStep"), 2U);
    EXPECT_EQ(AttributeOf<UintegerValue>(gpu, "FineWindow"), 9U);
    EXPECT_EQ(AttributeOf<DoubleValue>(gpu, "MemoryGuard"), 0.5);

    spec.rule = "cpu";
    spec.alpha = 0.25;
    spec.warmup = 70;
    const auto narx = MakePredictor(*MakeBatchSizeControl(spec, 5, 3));
    ASSERT_TRUE(DynamicCast<NarxSpeed>(narx));
    EXPECT_EQ(AttributeOf<DoubleValue>(narx, "Alpha"), 0.25);
    EXPECT_EQ(AttributeOf<UintegerValue>(narx, "Warmup"), 70U);
    EXPECT_EQ(AttributeOf<UintegerValue>(narx, "Seed"), 5U);
    EXPECT_EQ(AttributeOf<UintegerValue>(narx, "Replication"), 3U);

    spec.predictor = "lstm";
    const auto lstm = MakePredictor(*MakeBatchSizeControl(spec, 5, 3));
    ASSERT_TRUE(DynamicCast<LstmSpeed>(lstm));
    EXPECT_EQ(AttributeOf<DoubleValue>(lstm, "Alpha"), 0.25);
    EXPECT_EQ(AttributeOf<UintegerValue>(lstm, "Warmup"), 70U);
    EXPECT_EQ(AttributeOf<UintegerValue>(lstm, "Seed"), 5U);
    EXPECT_EQ(AttributeOf<UintegerValue>(lstm, "Replication"), 3U);

    spec.predictor = "arima";
    const auto arima = MakePredictor(*MakeBatchSizeControl(spec, 5, 3));
    ASSERT_TRUE(DynamicCast<ArimaSpeed>(arima));
    EXPECT_EQ(AttributeOf<UintegerValue>(arima, "Warmup"), 70U);
    EXPECT_EQ(AttributeOf<UintegerValue>(arima, "P"), 2U);
    EXPECT_EQ(AttributeOf<UintegerValue>(arima, "D"), 2U);
    EXPECT_EQ(AttributeOf<UintegerValue>(arima, "Q"), 1U);

    spec.predictor = "ema";
    const auto ema = MakePredictor(*MakeBatchSizeControl(spec, 5, 3));
    EXPECT_EQ(ema->GetInstanceTypeId(), EmaSpeed::GetTypeId());
    EXPECT_EQ(AttributeOf<DoubleValue>(ema, "Alpha"), 0.25);

    spec.predictor = "last";
    EXPECT_TRUE(DynamicCast<LastSpeed>(MakePredictor(*MakeBatchSizeControl(spec, 5, 3))));
}

/// The run of a replication has a control with that replication's numbers.
TEST(BatchControl, RunsHaveIt)
{
    const ScratchFolder folder;
    folder.Write("p.yaml", ONE_LAYER_PROFILE);
    const std::string job = "job: {profile: p.yaml, sync: bsp, batch_control: ";
    const auto run = [&](const std::string& control) {
        const auto file = folder.Write("s.yaml", "seed: 5\n" + job + control + "}\n");
        const auto prepared = PrepareScenario(ReadScenario(file).front(), false);
        return PrepareCase(prepared, 2, 3).runs.front();
    };
    EXPECT_FALSE(run("off").batchControl);
    ASSERT_TRUE(run("cpu").batchControl);
    const auto narx = MakePredictor(*run("cpu").batchControl);
    EXPECT_EQ(AttributeOf<UintegerValue>(narx, "Seed"), 5U);
    EXPECT_EQ(AttributeOf<UintegerValue>(narx, "Replication"), 3U);
}
