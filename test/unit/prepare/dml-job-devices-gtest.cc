/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-scratch-folder.h"

#include "ns3/dml-prepared-case.h"
#include "ns3/dml-scenario-keys.h"
#include "ns3/dml-scenario-reader.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

using namespace ns3::dml;

namespace
{

// Four samples per step, 0.5 s of compute.
const std::string DEVICES_PROFILE =
    "schema: dml-profile/1\n"
    "model: test\n"
    "batch_size: 4\n"
    "tensors: [{name: a, bytes: 1000}]\n"
    "ops:\n"
    "  - {name: pull/a, kind: pull, tensor: a}\n"
    "  - {name: f, kind: forward, deps: [pull/a], samples: [0.3, 0.1]}\n"
    "  - {name: b, kind: backward, deps: [f], samples: [0.4, 0.2]}\n"
    "  - {name: push/a, kind: push, tensor: a, deps: [b]}\n"
    "  - {name: u, kind: update, tensor: a, deps: [push/a], seconds: 9}\n";

/// A scenario whose job has further keys.
class JobDevicesTest : public testing::Test
{
  protected:
    /// @param keys of the job, a line each @return the scenario
    Scenario Read(const std::string& keys) const
    {
        m_folder.Write("p.yaml", DEVICES_PROFILE);
        m_folder.Write("t.csv", "time,speed,cpu\n0,1,1\n2,0.5,0.6\n");
        const auto file =
            m_folder.Write("s.yaml", "job:\n  profile: p.yaml\n  workers: 3\n" + keys);
        return ReadScenario(file).front();
    }

    /// @return the runs of a replication
    std::vector<TrainingRun> Make(const std::string& keys, uint32_t replication = 0) const
    {
        return PrepareCase(PrepareScenario(Read(keys), false), 3, replication).runs;
    }

    /// @return the error of preparing it
    std::string ErrorOf(const std::string& keys) const
    {
        return m_folder.ErrorOf([&] { PrepareScenario(Read(keys), false); });
    }

    ScratchFolder m_folder; //!< with the files
};

} // namespace

TEST_F(JobDevicesTest, WithoutKeysAllIsAsInTheProfile)
{
    const TrainingRun run = Make("").front();
    ASSERT_EQ(run.compute.size(), 3U);
    EXPECT_EQ(run.batchSize, 4U);
    for (const auto& compute : run.compute)
    {
        EXPECT_EQ(compute.batch, 4U);
        EXPECT_EQ(compute.slots, 0U);
        EXPECT_EQ(compute.speed, nullptr);
        EXPECT_EQ(compute.model->GetScale(4), 1);
        EXPECT_EQ(compute.model->GetScale(6), 1.5);
    }
    EXPECT_TRUE(run.serverSpeeds.empty());
}

TEST_F(JobDevicesTest, ClassesGoRoundTheWorkers)
{
    const TrainingRun run = Make("  batch_size: 8\n"
                                 "  devices:\n"
                                 "    fast: {speed: 2, slots: 3}\n"
                                 "    gpu: {launch: 100ms, per_sample: 50ms, floor: 400ms}\n"
                                 "  worker_devices: [fast, gpu]\n")
                                .front();
    // Twice the samples at twice the speed; the GPU needs 0.1 + 8 * 0.05 s, but at least 0.4 s.
    EXPECT_EQ(run.compute[0].model->GetScale(8), 1);
    EXPECT_EQ(run.compute[0].slots, 3U);
    EXPECT_DOUBLE_EQ(run.compute[1].model->GetScale(8), 0.5 / 0.5);
    EXPECT_DOUBLE_EQ(run.compute[1].model->GetScale(2), 0.4 / 0.5);
    EXPECT_EQ(run.compute[1].slots, 0U);
    EXPECT_EQ(run.compute[2].model->GetScale(8), 1);
    EXPECT_EQ(run.compute[2].batch, 8U);
    EXPECT_EQ(run.batchSize, 4U);
}

TEST_F(JobDevicesTest, WorkersOfOneClassShareItsModelAndTrace)
{
    const TrainingRun run = Make("  devices: {a: {trace: t.csv}, b: {trace: t.csv}}\n"
                                 "  worker_devices: [a, a, b]\n")
                                .front();
    EXPECT_EQ(run.compute[0].model, run.compute[1].model);
    EXPECT_EQ(run.compute[0].speed, run.compute[1].speed);
    EXPECT_NE(run.compute[0].model, run.compute[2].model);
    EXPECT_NE(run.compute[0].speed, run.compute[2].speed);
}

TEST_F(JobDevicesTest, DevicesShrinkWithTheJob)
{
    // At 40 samples/s the profile's four take 0.1 s instead of 0.5, whatever the job's scale.
    for (const char* scale : {"1", "0.01"})
    {
        const auto run =
            Make("  devices: {cpu: {rate: 40}}\n  scale: " + std::string(scale) + "\n");
        EXPECT_DOUBLE_EQ(run.front().compute[0].model->GetScale(4), 0.2) << scale;
    }
}

TEST_F(JobDevicesTest, ATraceIsThatOfTheClass)
{
    const TrainingRun run = Make("  devices: {cpu: {trace: {file: t.csv, repeat: 4s}}}\n").front();
    for (const auto& compute : run.compute)
    {
        EXPECT_EQ(compute.speed->At(1).end, 2);
        EXPECT_EQ(compute.speed->At(7).speed, 0.5);
        EXPECT_EQ(compute.speed->At(7).cpu, 0.6);
        EXPECT_EQ(compute.speed->At(7).end, 8);
    }
    EXPECT_EQ(Make("  devices: {cpu: {trace: t.csv}}\n").front().compute[0].speed->At(9).speed,
              0.5);
}

/// Others use 40 % from the first row on and all from 3 s after it; the run begins at 1 s, and the
/// trace again after 4 s. What the scenario's echo says is the same trace.
TEST_F(JobDevicesTest, ATraceMayBeWhatOthersUse)
{
    m_folder.Write("u.csv", "at,machine,used\n1000000,b,0\n1000000,a,4\n4000000,a,10\n");
    const std::string keys = "  devices: {cpu: {trace: {file: u.csv, repeat: 4s, usage: {time: at, "
                             "cpu: used, machine: machine, only: a, unit: 1us, whole: 10, least: "
                             "0.1, from: 1s}}}}\n";
    const TrainingRun run = Make(keys).front();
    const auto& speed = run.compute[2].speed;
    EXPECT_DOUBLE_EQ(speed->At(0).speed, 0.6);
    EXPECT_DOUBLE_EQ(speed->At(0).cpu, 0.6);
    EXPECT_EQ(speed->At(0).memory, 1);
    EXPECT_DOUBLE_EQ(speed->At(0).end, 2);
    EXPECT_DOUBLE_EQ(speed->At(3).speed, 0.1);
    EXPECT_DOUBLE_EQ(speed->At(5).speed, 0.6);
    EXPECT_EQ(ErrorOf("  devices: {cpu: {trace: {file: u.csv, usage: {time: at, cpu: use}}}}\n"),
              "u.csv:1:1: found no column 'use'; did you mean 'used'? accepted: at, machine, used "
              "(in the file of job.devices.cpu.trace)");
    const auto echo = ScenarioToJson(Read(keys))["job"]["devices"]["cpu"]["trace"];
    EXPECT_EQ(echo["usage"].dump(),
              R"({"time":"at","cpu":"used","machine":"machine","only":"a","unit":"1000ns",)"
              R"("whole":10.0,"least":0.1,"from":"1000000000ns"})");
    EXPECT_EQ(Read("  devices: {cpu: {trace: " + echo.dump() + "}}\n")
                  .job.devices.at("cpu")
                  .trace.usage.unit,
              1e-6);
}

TEST_F(JobDevicesTest, RandomChangesAreOfTheWorkerAndReplication)
{
    const std::string keys = "  devices:\n"
                             "    cpu:\n"
                             "      changes: {every: 1s, speed: {min: 0.2, max: 0.8}}\n"
                             "      spikes: {every: 1s, length: 10ms, speed: 0.5}\n";
    const auto first = Make(keys).front().compute;
    const auto again = Make(keys).front().compute;
    for (double time = 0; time < 30; time += 0.1)
    {
        for (uint32_t worker = 0; worker < 3; ++worker)
        {
            ASSERT_EQ(first[worker].speed->At(time).end, again[worker].speed->At(time).end);
            ASSERT_EQ(first[worker].speed->At(time).speed, again[worker].speed->At(time).speed);
        }
        // a spike is no resource that is short
        const SpeedPhase phase = first[0].speed->At(time);
        const double share = std::min(phase.cpu, phase.memory);
        ASSERT_TRUE(phase.speed == share || phase.speed == share * 0.5) << time;
    }
    for (const std::string key : {"changes: {every: 1s, speed: {min: 0.2, max: 0.8}}",
                                  "spikes: {every: 1s, length: 10ms, speed: 0.5}"})
    {
        const std::string alone = "  devices: {cpu: {" + key + "}}\n";
        const auto run = Make(alone).front().compute;
        EXPECT_NE(run[0].speed->At(0).end, run[1].speed->At(0).end) << key;
        EXPECT_NE(run[0].speed->At(0).end, Make(alone, 1).front().compute[0].speed->At(0).end)
            << key;
    }
}

TEST_F(JobDevicesTest, ServersHaveSpeedsToo)
{
    const TrainingRun run = Make("  parameter_servers: 3\n"
                                 "  devices: {old: {speed: 0.5, trace: t.csv}, new: {}}\n"
                                 "  worker_devices: new\n"
                                 "  server_devices: [old, new]\n")
                                .front();
    ASSERT_EQ(run.serverSpeeds.size(), 3U);
    EXPECT_EQ(run.serverSpeeds[0]->At(0).speed, 0.5);
    EXPECT_EQ(run.serverSpeeds[0]->At(3).speed, 0.25);
    EXPECT_EQ(run.serverSpeeds[1], nullptr);
    EXPECT_EQ(run.serverSpeeds[2]->At(3).speed, 0.25);
}

TEST_F(JobDevicesTest, MistakesHaveTheirPlace)
{
    EXPECT_EQ(ErrorOf("  batch_size: 65\n  devices: {V100: {largest_batch: 64}}\n"),
              "s.yaml:4:15: job.batch_size: found \"65\", more samples than the memory of 'V100' "
              "holds; accepted: an integer from 1 to 64");
    EXPECT_EQ(ErrorOf("  batch_size: 64\n  devices: {V100: {largest_batch: 64}}\n"), "no error");
    EXPECT_EQ(ErrorOf("  batch_size: 10000000\n  devices: {cpu: {speed: 0.5}}\n"),
              "s.yaml:4:15: job.batch_size: found \"10000000\", with which an op takes 2e+06 s; "
              "accepted: one with which ops take 1000000 s at most");
    EXPECT_EQ(ErrorOf("  devices: {cpu: {trace: {file: t.csv, repeat: 2s}}}\n"),
              "s.yaml:4:48: job.devices.cpu.trace.repeat: found a time at which the trace has not "
              "ended; accepted: a time after that of the last row, 2 s");
    EXPECT_EQ(
        ErrorOf(
            "other_jobs: [{profile: p.yaml, batch_size: 9, devices: {a: {largest_batch: 8}}}]\n"),
        "s.yaml:4:44: other_jobs[0].batch_size: found \"9\", more samples than the memory of "
        "'a' holds; accepted: an integer from 1 to 8");
    EXPECT_EQ(ErrorOf("other_jobs: [{profile: p.yaml, devices: {a: {launch: 1s}}}]\n"), "no error");
    m_folder.Write("bad.csv", "time,speed\n0,x\n");
    EXPECT_EQ(ErrorOf("  devices: {cpu: {trace: bad.csv}}\n"),
              "bad.csv:2:3: speed: found \"x\"; accepted: a speed from 0 to 1000 "
              "(in the file of job.devices.cpu.trace)");
}

TEST_F(JobDevicesTest, TheScenarioIsEchoed)
{
    const auto job = ScenarioToJson(Read("  batch_size: 8\n"
                                         "  devices:\n"
                                         "    a: {rate: 3, largest_batch: 9, slots: 2}\n"
                                         "    b: {launch: 1ms, spikes: {every: 1s, length: 2ms, "
                                         "speed: 0.5}}\n"
                                         "  worker_devices: [b, a]\n"))["job"];
    EXPECT_EQ(job["batch_size"], 8);
    EXPECT_EQ(job["devices"]["a"].dump(), R"({"rate":3.0,"largest_batch":9,"slots":2})");
    EXPECT_EQ(job["devices"]["b"].dump(),
              R"({"launch":"1000000ns","per_sample":"0ns","floor":"0ns","spikes":{"every":)"
              R"("1000000000ns","length":"2000000ns","speed":{"min":0.5,"max":0.5}}})");
    EXPECT_EQ(job["worker_devices"].dump(), R"(["b","a"])");
    EXPECT_FALSE(ScenarioToJson(Read(""))["job"].contains("devices"));
}
