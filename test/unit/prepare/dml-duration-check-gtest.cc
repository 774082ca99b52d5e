/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Ops without end are refused when a scenario is read, as far as it says so.

#include "dml-scratch-folder.h"

#include "ns3/dml-prepared-scenario.h"
#include "ns3/dml-scenario-reader.h"

#include <gtest/gtest.h>
#include <ostream>
#include <string>

using namespace ns3::dml;

namespace
{

// The longest op of a worker takes 0.4 s, the update 9 s.
const std::string PROFILE = "schema: dml-profile/1\n"
                            "model: test\n"
                            "batch_size: 4\n"
                            "tensors: [{name: a, bytes: 1000}]\n"
                            "ops:\n"
                            "  - {name: pull/a, kind: pull, tensor: a}\n"
                            "  - {name: f, kind: forward, deps: [pull/a], samples: [0.4, 0.1]}\n"
                            "  - {name: push/a, kind: push, tensor: a, deps: [f]}\n"
                            "  - {name: u, kind: update, tensor: a, deps: [push/a], seconds: 9}\n";

const std::string ACCEPTED = "; accepted: a number with which ops take 1000000 s at most";

/// Keys behind `job: {profile: p.yaml, workers: 3}`, which is lines 1 to 3, and the error.
struct DurationCase
{
    std::string keys;  //!< from line 4 on
    std::string error; //!< without the file; empty: none
};

void
PrintTo(const DurationCase& value, std::ostream* out)
{
    *out << value.keys;
}

class Durations : public testing::TestWithParam<DurationCase>
{
};

} // namespace

TEST_P(Durations, WithoutEndAreRefused)
{
    const ScratchFolder folder;
    folder.Write("p.yaml", PROFILE);
    folder.Write("still.csv", "time,speed\n0,1\n2,1e-320\n");
    folder.Write("crawl.csv", "time,speed\n0,1e-9\n0.5,0\n");
    const auto file =
        folder.Write("s.yaml", "job:\n  profile: p.yaml\n  workers: 3\n" + GetParam().keys);
    const std::string error =
        folder.ErrorOf([&] { PrepareScenario(ReadScenario(file).front(), true); });
    const bool wrong = !GetParam().error.empty();
    EXPECT_EQ(error, wrong ? "s.yaml:" + GetParam().error : "no error");
}

INSTANTIATE_TEST_SUITE_P(
    Keys,
    Durations,
    testing::Values(
        // 0.4 s / 10^-300, 0.4 s / 10^-13, 9 s / 10^-6
        DurationCase{"faults: [{slow: worker1, to: 1e-300}]\n",
                     "4:30: faults[0].to: found 1e-300, with which an op takes 4e+299 s" +
                         ACCEPTED},
        DurationCase{"faults: [{slow: worker1, to: 1e-13}]\n",
                     "4:30: faults[0].to: found 1e-13, with which an op takes 4e+12 s" + ACCEPTED},
        DurationCase{"faults: [{slow: ps0, to: 1e-6}]\n",
                     "4:26: faults[0].to: found 1e-06, with which an op takes 9e+06 s" + ACCEPTED},
        DurationCase{"faults: [{slow: worker1, to: 1e-6}]\n", ""},
        DurationCase{"faults: [{slow: worker1, to: 1e-300, for: 2s}]\n", ""},
        DurationCase{"faults: [{slow: worker1, to: 1e-300}, {crash: worker1, at: 5s}]\n", ""},
        DurationCase{"  devices: {d: {trace: still.csv}}\n",
                     "4:24: job.devices.d.trace: found 9.99989e-321, with which an op takes inf s" +
                         ACCEPTED},
        // half of the time at 10^-9
        DurationCase{"  devices: {d: {trace: {file: crawl.csv, repeat: 1s}}}\n",
                     "4:24: job.devices.d.trace: found 5e-10, with which an op takes 8e+08 s" +
                         ACCEPTED},
        DurationCase{"  devices: {d: {changes: {every: 20s, speed: {min: 1e-9, max: 3e-9}}}}\n",
                     "4:26: job.devices.d.changes: found 2e-09, with which an op takes 2e+08 s" +
                         ACCEPTED},
        // 4000 s with a change every 2 ms
        DurationCase{"  devices: {d: {changes: {every: 2ms, speed: 1e-4}}}\n",
                     "4:26: job.devices.d.changes: found 500 changes of speed per second, 2e+06 "
                     "in an op of 4000 s; accepted: at most 1000000 in an op"},
        DurationCase{"  devices: {d: {changes: {every: 5ms, speed: 1e-4}}}\n", ""},
        DurationCase{"  devices: {d: {}, e: {speed: 1e-6}}\n  worker_devices: d\n"
                     "  server_devices: e\n",
                     "4:31: job.devices.e.speed: found 1e-06, with which an op takes 9e+06 s" +
                         ACCEPTED},
        DurationCase{"overhead: {alpha: 1, beta: 999500}\n",
                     "4:28: overhead.beta: found 999500, with which an op takes 1.0005e+06 s" +
                         ACCEPTED},
        DurationCase{"overhead: {server: {alpha: 1, beta: 999500}}\n",
                     "4:37: overhead.server.beta: found 999500, with which an op takes "
                     "1.0005e+06 s" +
                         ACCEPTED},
        DurationCase{"overhead: {alpha: 1, beta: 1000}\n", ""}));
