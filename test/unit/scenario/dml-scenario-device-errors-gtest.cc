/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-scenario-mistake.h"

#include <gtest/gtest.h>
#include <string>

using namespace ns3::dml;

namespace
{

/// A mistake in `job`, on the line of its key `sync`.
Mistake
InJob(const std::string& text, const std::string& error)
{
    return {9, "  " + text, "s.yaml:9:" + error};
}

const std::string TIME_FROM_1MS = "a time with a unit (ns, us, ms, s, min, h), such as 10us, from "
                                  "1000us to 1000000s in whole nanoseconds";

class DeviceMistake : public testing::TestWithParam<Mistake>
{
};

} // namespace

TEST_P(DeviceMistake, IsRefusedWithItsPlace)
{
    EXPECT_EQ(ScenarioErrorOf(GetParam()), GetParam().error);
}

INSTANTIATE_TEST_SUITE_P(
    Classes,
    DeviceMistake,
    testing::Values(
        InJob("batch_size: 0",
              "15: job.batch_size: found \"0\"; accepted: an integer from 1 to 1000000000"),
        InJob("devices: fast",
              "12: job.devices: found \"fast\"; accepted: a map of devices by name, such as {V100: "
              "{speed: 2}}"),
        InJob("devices: {V100: 2}",
              "19: job.devices.V100: found \"2\"; accepted: a map with the keys speed, rate, "
              "launch, per_sample, floor, largest_batch, slots, trace, changes, spikes"),
        InJob("devices: {V100: {sped: 2}}",
              "20: job.devices.V100.sped: unknown key 'sped'; did you mean 'speed'? accepted: "
              "speed, rate, launch, per_sample, floor, largest_batch, slots, trace, changes, "
              "spikes"),
        InJob("devices: {V100: {speed: 0}}",
              "27: job.devices.V100.speed: found \"0\"; accepted: a number above 0"),
        InJob("devices: {V100: {speed: 1001}}",
              "27: job.devices.V100.speed: found \"1001\"; accepted: a number of the speed of the "
              "profile's device from 0 to 1000"),
        InJob("devices: {V100: {rate: -1}}",
              "26: job.devices.V100.rate: found \"-1\"; accepted: a number of samples per second "
              "from 0 to 1000000000"),
        InJob("devices: {V100: {speed: 2, rate: 3}}",
              "19: job.devices.V100: found both speed and rate; accepted: speed, or rate, or "
              "launch, per_sample and floor"),
        InJob("devices: {V100: {speed: 2, floor: 3s}}",
              "19: job.devices.V100: found launch, per_sample or floor beside speed or rate; "
              "accepted: speed, or rate, or launch, per_sample and floor"),
        InJob("devices: {V100: {launch: 0s}}",
              "19: job.devices.V100: found a device that takes no time; accepted: a launch, "
              "per_sample or floor above 0s"),
        InJob("devices: {V100: {launch: 3}}",
              "28: job.devices.V100.launch: found \"3\"; accepted: " + TIME_TEXT),
        InJob("devices: {V100: {largest_batch: 0}}",
              "35: job.devices.V100.largest_batch: found \"0\"; accepted: an integer from 1 to "
              "1000000000"),
        InJob("devices: {V100: {slots: 0}}",
              "27: job.devices.V100.slots: found \"0\"; accepted: an integer from 1 to 100000")));

INSTANTIATE_TEST_SUITE_P(
    Speeds,
    DeviceMistake,
    testing::Values(
        InJob("devices: {cpu: {trace: t.csv}}",
              "26: job.devices.cpu.trace: found \"t.csv\", but there is no file t.csv; accepted: "
              "the path of a trace of speeds (a CSV file), relative to the scenario's folder"),
        InJob("devices: {cpu: {trace: {repeat: 3s}}}",
              "26: job.devices.cpu.trace.file: found nothing; accepted: the path of a trace of "
              "speeds (a CSV file)"),
        InJob("devices: {cpu: {trace: {file: p.yaml, repeat: 3us}}}",
              "49: job.devices.cpu.trace.repeat: found \"3us\"; accepted: " + TIME_FROM_1MS),
        InJob("devices: {cpu: {trace: {file: p.yaml, usage: u}}}",
              "48: job.devices.cpu.trace.usage: found \"u\"; accepted: a map of columns, such as "
              "{time: t, cpu: used}"),
        InJob("devices: {cpu: {trace: {file: p.yaml, usage: {cpu: used}}}}",
              "48: job.devices.cpu.trace.usage: found no key time; accepted: a map with the keys "
              "time and cpu at least"),
        InJob("devices: {cpu: {trace: {file: p.yaml, usage: {time: t, cpus: used}}}}",
              "58: job.devices.cpu.trace.usage.cpus: unknown key 'cpus'; did you mean 'cpu'? "
              "accepted: time, cpu, memory, machine, only, unit, whole, least, from"),
        InJob("devices: {cpu: {trace: {file: p.yaml, usage: {time: t, cpu: 2}}}}",
              "63: job.devices.cpu.trace.usage.cpu: found \"2\"; accepted: the name of a column, "
              "as that of time"),
        InJob("devices: {cpu: {trace: {file: p.yaml, usage: {time: 1, cpu: used}}}}",
              "63: job.devices.cpu.trace.usage.cpu: found \"used\"; accepted: the number of a "
              "column, as that of time"),
        InJob("devices: {cpu: {trace: {file: p.yaml, usage: {time: t, cpu: u, only: m}}}}",
              "48: job.devices.cpu.trace.usage: found only alone; accepted: machine, a column, and "
              "only, what it must have, or neither"),
        InJob("devices: {cpu: {trace: {file: p.yaml, usage: {time: t, cpu: u, least: 0}}}}",
              "73: job.devices.cpu.trace.usage.least: found \"0\"; accepted: a number above 0"),
        InJob("devices: {cpu: {trace: {file: p.yaml, usage: {time: t, cpu: u, from: -1s}}}}",
              "72: job.devices.cpu.trace.usage.from: found \"-1s\"; accepted: " + TIME_TEXT),
        InJob("devices: {cpu: {changes: {every: 3s}}}",
              "28: job.devices.cpu.changes: found no key speed; accepted: a map with the keys "
              "every, speed"),
        InJob("devices: {cpu: {changes: {every: 3s, length: 1s, speed: 1}}}",
              "40: job.devices.cpu.changes.length: unknown key 'length'; accepted: every, speed"),
        InJob("devices: {cpu: {changes: {every: 0s, speed: 1}}}",
              "36: job.devices.cpu.changes.every: found \"0s\"; accepted: " + TIME_FROM_1MS),
        InJob("devices: {cpu: {changes: {every: 3s, speed: {min: 0.5}}}}",
              "47: job.devices.cpu.changes.speed: found a map without max; accepted: a number "
              "above 0, or {min: SPEED, max: SPEED}"),
        InJob("devices: {cpu: {changes: {every: 3s, speed: {min: 0.5, max: 0.4}}}}",
              "63: job.devices.cpu.changes.speed.max: found \"0.4\"; accepted: a number from min "
              "on"),
        InJob("devices: {cpu: {spikes: {every: 3s, length: 1s, speed: 2}}}",
              "58: job.devices.cpu.spikes.speed: found \"2\"; accepted: a number of the speed that "
              "the device has otherwise from 0 to 1"),
        InJob("devices: {cpu: {spikes: {every: 3s, speed: 0.5}}}",
              "27: job.devices.cpu.spikes: found no key length; accepted: a map with the keys "
              "every, length, speed")));

INSTANTIATE_TEST_SUITE_P(
    Names,
    DeviceMistake,
    testing::Values(
        InJob("devices: {V100: {}, M60: {}}",
              "12: job.devices: found several devices, but no key worker_devices beside them; "
              "accepted: worker_devices with the name of each worker's"),
        InJob("worker_devices: V100",
              "19: job.worker_devices: found no devices that could be named; accepted: names of "
              "devices that devices beside it has"),
        Mistake{9,
                "  devices: {V100: {}, M60: {}}\n  worker_devices: [V100, V10]",
                "s.yaml:10:26: job.worker_devices[1]: found \"V10\"; did you mean 'V100'? "
                "accepted: M60, V100"},
        Mistake{9,
                "  devices: {V100: {}}\n  worker_devices: []",
                "s.yaml:10:19: job.worker_devices: found an empty list; accepted: names of "
                "devices, first worker or server first"},
        Mistake{9,
                "  devices: {V100: {rate: 3}}\n  server_devices: V100",
                "s.yaml:10:19: job.server_devices: found \"V100\", which has rate; accepted: "
                "devices with speed, trace, changes, spikes only"}));
