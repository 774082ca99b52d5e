/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Small cases whose every time is derived by hand in the comment. Links carry 100 bytes/s.

#include "dml-fair-share-fixture.h"

#include "ns3/dml-cpu-batch-model.h"
#include "ns3/dml-error.h"
#include "ns3/dml-resource-changes.h"
#include "ns3/dml-speed-trace.h"

#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <vector>

using namespace ns3;
using namespace ns3::dml;

namespace
{

/// pull 100 B, forward 2 s, push 100 B, update 0.5 s: nothing overlaps.
FairShareCase
SerialCase()
{
    ProfileBuilder builder;
    builder.Pull("a", 100)
        .Compute("forward", {2}, {"pull/a"})
        .Push("a", 100, {"forward"})
        .Update("a", 0.5);
    FairShareCase serial(builder);
    serial.run.batchSize = 4;
    return serial;
}

std::shared_ptr<const DeviceSpeed>
MakeTrace(const std::vector<SpeedChange>& changes)
{
    return std::make_shared<SpeedTrace>(changes);
}

} // namespace

TEST(FairShareDevices, AnOpGoesOnAtTheNewSpeed)
{
    // pull 0-1; forward does 1 of its 2 s until 2, nothing until 3, and the rest at 0.5 until 5;
    // push 5-6; the server's half a second takes 1 s at its speed of 0.5
    FairShareCase c = SerialCase();
    c.run.compute = {{nullptr, MakeTrace({{0, 1}, {2, 0}, {3, 0.5}})}};
    c.run.serverSpeeds = {MakeTrace({{0, 0.5}})};
    c.Run();
    EXPECT_NEAR(c.Chunk("forward").start, 1, 1e-9);
    EXPECT_NEAR(c.Chunk("forward").end, 5, 1e-9);
    EXPECT_NEAR(c.Arrival("push/a"), 6, 1e-9);
    EXPECT_NEAR(c.recorder.steps.at(0).end, 7, 1e-9);
}

TEST(FairShareDevices, ALargerBatchTakesLonger)
{
    // worker 0 has 8 samples instead of 4 on a device twice as fast: 2 s, as worker 1, whose device
    // is the profile's; worker 2 has 6 of them there: 3 s. All pull until 3; 0 and 1 push alone for
    // a second, 50 B each, then the three of them
    FairShareCase c = SerialCase();
    c.run.compute = {{std::make_shared<CpuBatchModel>(8), nullptr, 8},
                     {nullptr, nullptr, 0},
                     {std::make_shared<CpuBatchModel>(4), nullptr, 6}};
    c.Run({0, 0, 0});
    EXPECT_NEAR(c.Chunk("forward", 0).end, 5, 1e-9);
    EXPECT_NEAR(c.Chunk("forward", 1).end, 5, 1e-9);
    EXPECT_NEAR(c.Chunk("forward", 2).end, 6, 1e-9);
    EXPECT_NEAR(c.Arrival("push/a", 0), 7.5, 1e-9);
    EXPECT_NEAR(c.Arrival("push/a", 2), 8, 1e-9);
}

TEST(FairShareDevices, SlotsAreTheWorkersOwn)
{
    // two ops of 2 s: one after the other on worker 0, at once on worker 1
    ProfileBuilder builder;
    builder.Compute("f", {2}).Compute("g", {2});
    FairShareCase c(builder);
    c.run.compute = {{nullptr, nullptr, 0, 1}, {nullptr, nullptr, 0, 2}};
    c.Run({0, 0});
    EXPECT_NEAR(c.Chunk("g", 0).end, 4, 1e-9);
    EXPECT_NEAR(c.Chunk("g", 1).end, 2, 1e-9);
}

namespace
{

/// @return why a run of two workers ends; empty: all is well
std::string
EndOf(FairShareCase& c)
{
    try
    {
        c.Run({0, 0}, 2);
    }
    catch (const RunError& error)
    {
        return error.what();
    }
    return "";
}

/// @return what makes a device very slow from 1.5 s on
std::shared_ptr<const DeviceSpeed>
MakeSlow(double speed)
{
    const auto slow =
        std::make_shared<SpeedTrace>(std::vector<SpeedChange>{{0, 1, 1, 1}, {1.5, speed, 1, 1}});
    slow->SetKey("faults[0].to");
    return slow;
}

} // namespace

TEST(FairShareDevices, AnOpWithoutEndEndsTheRun)
{
    // both pull until 2; then worker 1's device is too slow, be it by numbers that overflow or not
    for (const double speed : {1e-320, 1e-300, 1e-13, 1e-8})
    {
        FairShareCase c = SerialCase();
        c.run.compute = {{nullptr, nullptr, 0}, {nullptr, MakeSlow(speed), 0}};
        EXPECT_EQ(
            EndOf(c),
            "worker 1: op forward of step 0 begins at 2 s and takes 2 s at full speed; at that "
            "of its device it has not ended within 10^8 simulated seconds, or 1000000 changes "
            "of speed, where a run ends; what makes the device slow: faults[0].to");
    }
    FairShareCase c = SerialCase();
    c.run.compute = {{nullptr, nullptr, 0}, {nullptr, MakeSlow(2.1e-8), 0}}; // 9.5e7 s
    EXPECT_EQ(EndOf(c).substr(0, 30), "worker 1: op forward of step 1")
        << "of which the end is too late";
}

TEST(FairShareDevices, AnOpThatChangesOfSpeedDoNotEndEndsTheRun)
{
    const auto changes =
        std::make_shared<ResourceChanges>(0.001, SpeedRange{1e-300, 1e-300}, RngStream(1, 1, 0));
    changes->SetKey("job.devices.d.changes");
    FairShareCase c = SerialCase();
    c.run.compute = {{nullptr, changes, 0}, {nullptr, nullptr, 0}};
    const std::string end = EndOf(c);
    EXPECT_EQ(end.substr(0, 40), "worker 0: op forward of step 0 begins at");
    EXPECT_NE(end.find("slow: job.devices.d.changes"), std::string::npos) << end;
}

TEST(FairShareDevices, OpsThatAreTooLongInAllEndTheRun)
{
    ProfileBuilder builder;
    builder.Compute("forward", {6e7});
    FairShareCase c(builder);
    EXPECT_EQ(
        EndOf(c),
        "worker 0: op forward of step 1 begins at 6e+07 s and takes 6e+07 s at full speed; it "
        "would end after 10^8 simulated seconds, where a run ends");
}

TEST(FairShareDevices, AnOpWithoutEndIsNoErrorWhereItsWorkerDies)
{
    // worker 1 hangs from 1.5 on and is restarted at 20, where it would hang again
    FairShareCase c = SerialCase();
    c.run.compute = {{nullptr, nullptr, 0}, {nullptr, MakeSlow(1e-300), 0}};
    c.run.crashes = {{1, 10}};
    EXPECT_EQ(EndOf(c), "");
    EXPECT_EQ(c.recorder.steps.size(), 2U) << "those of worker 0";
    c.run.crashes = {{1, 10, 20}};
    EXPECT_EQ(EndOf(c).substr(0, 45), "worker 1: op forward of step 0 begins at 21 s");
}
