/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-scratch-folder.h"

#include "ns3/dml-scenario-check.h"
#include "ns3/dml-scenario-checks.h"

#include <cstdint>
#include <gtest/gtest.h>
#include <string>

using namespace ns3::dml;

namespace
{

/// Text of CheckScenario()'s error for a scenario built in a program.
std::string
CheckError(const Scenario& scenario)
{
    return ScratchFolder().ErrorOf([&] { CheckScenario(scenario); });
}

/// Two tensors, one op with three samples.
Profile
SmallProfile()
{
    Profile profile;
    profile.tensors = {{"a", 10}, {"b", 20}};
    profile.devices = {{"cpu", 1}};
    profile.graph.Add({"forward", OpKind::FORWARD, 0, NO_INDEX});
    profile.samples = {{1, 2, 3}};
    return profile;
}

std::string
ProfileCheckError(const Scenario& scenario)
{
    return ScratchFolder().ErrorOf([&] { CheckAgainstProfile(scenario, 0, SmallProfile()); });
}

// Networks that differ only by the number of workers that nobody names are alike.
TEST(ScenarioCheck, UnlikeClusters)
{
    Scenario scenario;
    scenario.job.workers = {5, 1, 2, 3, 4, 6, 7, 8, 9};
    const auto list = [&] { return ListUnlikeClusters(scenario); };
    // the first, and always the smallest and the largest
    EXPECT_EQ(list(), (std::vector<uint32_t>{5, 1, 9}));
    // worker6 is there from 7 workers on, worker2 from 3; ps8 and worker x are no workers
    scenario.network.hosts["worker6"] = {};
    scenario.network.hosts["ps8"] = {};
    scenario.network.colocate = {{"ps0", "worker2"}};
    EXPECT_EQ(list(), (std::vector<uint32_t>{5, 1, 7, 9}));
    scenario.network.colocate = {{"worker1", "ps0"}};
    EXPECT_EQ(list(), (std::vector<uint32_t>{5, 1, 7, 9}));
    FaultSpec fault;
    fault.link = {"worker3"};
    scenario.network.faults = {fault};
    EXPECT_EQ(list(), (std::vector<uint32_t>{5, 1, 2, 7, 9}));
    // the last of 5, 1 and 9 workers is at the same of four leaves, that of 2 and 6 at another, ...
    scenario.network = {};
    scenario.network.topology.type = "leaf-spine";
    scenario.network.topology.leaves = 4;
    EXPECT_EQ(list(), (std::vector<uint32_t>{5, 1, 2, 3, 4, 9}));
}

TEST(ScenarioCheck, DefaultsPass)
{
    EXPECT_EQ(CheckError(Scenario()), "no error");
    EXPECT_EQ(ProfileCheckError(Scenario()), "no error");
}

TEST(ScenarioCheck, ErrorsTellTheNearestPlaceThatWasGiven)
{
    Scenario scenario;
    const auto text = [&](const std::string& key) {
        return std::string(ScenarioError(scenario, key, "1", "2").what());
    };
    EXPECT_EQ(text("job.workers[2]"), "job.workers[2]: found 1; accepted: 2");
    scenario.file = "s.yaml";
    EXPECT_EQ(text("job.workers[2]"), "s.yaml: job.workers[2]: found 1; accepted: 2");
    scenario.locations = {{"", "s.yaml:1:1"}, {"job", "s.yaml:3:3"}, {"job.workers", "s.yaml:4:9"}};
    EXPECT_EQ(text("job.workers[2]"), "s.yaml:4:9: job.workers[2]: found 1; accepted: 2");
    EXPECT_EQ(text("job.placement.a.b"), "s.yaml:3:3: job.placement.a.b: found 1; accepted: 2");
    EXPECT_EQ(text("network.rate"), "s.yaml:1:1: network.rate: found 1; accepted: 2");
}

TEST(ScenarioCheck, StepsExceedWarmup)
{
    Scenario scenario;
    scenario.job.steps = 50;
    EXPECT_EQ(CheckError(scenario),
              "job.warmup: found \"50\"; accepted: an integer less than job.steps, which is 50");
    scenario.job.steps = 51;
    EXPECT_EQ(CheckError(scenario), "no error");
}

TEST(ScenarioCheck, WorkersOfAProgram)
{
    Scenario scenario;
    scenario.job.workers = {};
    EXPECT_EQ(CheckError(scenario),
              "job.workers: found an empty list; accepted: an integer of at least 1, or a list of "
              "them");
}

TEST(ScenarioCheck, BuffersAgainstMtuAndEachOther)
{
    Scenario scenario;
    scenario.network.mtu = 9000;
    scenario.network.tcp.sendBuffer = 17999; // two packets are 18000
    EXPECT_EQ(CheckError(scenario),
              "network.tcp.send_buffer: found \"17999\"; accepted: at least two packets of "
              "network.mtu, 18000 bytes");
    scenario.network.tcp.sendBuffer = 18000;
    scenario.network.tcp.receiveBuffer = 35999;
    EXPECT_EQ(CheckError(scenario),
              "network.tcp.send_buffer: found \"18000\"; accepted: at most half of "
              "network.tcp.receive_buffer, 17999 bytes");
    scenario.network.tcp.receiveBuffer = 36000;
    EXPECT_EQ(CheckError(scenario), "no error");
}

TEST(ScenarioCheck, TheQueueHoldsAPacketOrNeverDrops)
{
    Scenario scenario;
    scenario.network.queue.bytes = 1517; // mtu 1500 and 18
    EXPECT_EQ(CheckError(scenario),
              "network.queue: found \"1517\"; accepted: at least one packet, 1518 bytes "
              "(network.mtu and 18), or 0 for a queue that never drops");
    scenario.network.queue.bytes = 1518;
    scenario.network.transport = "ideal";
    EXPECT_EQ(CheckError(scenario),
              "network.queue: found \"1518\" beside transport: ideal, which is without losses; "
              "accepted: 0B or {fair: 0B} there, or transport: plain");
    scenario.network.transport = "plain";
    EXPECT_EQ(CheckError(scenario), "no error");
    scenario.network.queue.bytes = 0;
    EXPECT_EQ(CheckError(scenario), "no error");
}

TEST(ScenarioCheck, PortsOfASwitchShareOneMemory)
{
    Scenario scenario;
    scenario.network.queue = {QueueSpec::Kind::SHARED, 1000000};
    EXPECT_EQ(CheckError(scenario), "no error");
    QueueSpec other = scenario.network.queue;
    other.alpha = 8;
    scenario.network.hosts["ps0"].queue = other;
    EXPECT_EQ(CheckError(scenario), "no error");
    other.bytes = 2000000;
    scenario.network.hosts["ps0"].queue = other;
    EXPECT_EQ(CheckError(scenario),
              "network.queue: found one switch that has 2000000 shared bytes for switch->ps0 and "
              "1000000 for switch->worker0; accepted: the same size for all ports of a switch that "
              "share its memory; alpha may differ");
    scenario.network.hosts.clear();
    scenario.packet.fastForward.on = true;
    EXPECT_EQ(CheckError(scenario),
              "network.queue: found a shared buffer beside packet.fast_forward; accepted: "
              "packet.fast_forward: false with it");
    scenario.packet.fastForward.on = false;
    scenario.network.tcp.trains = true;
    EXPECT_EQ(CheckError(scenario),
              "network.queue: found a queue that drops or marks single packets beside "
              "network.tcp.trains; accepted: {drop_tail: SIZE, whole_bursts: true}, the same with "
              "shared, 0B or {fair: 0B}");
    scenario.network.queue.wholeBursts = true;
    EXPECT_EQ(CheckError(scenario), "no error");
    EXPECT_FALSE(scenario.network.IsVirtual()) << "a switch of hardware";
}

TEST(ScenarioCheck, SampleIndicesAgainstTheProfile)
{
    Scenario scenario;
    scenario.job.sampling.rule = "explicit";
    scenario.job.sampling.lists = {{0, 1}, {2, 2}};
    EXPECT_EQ(ProfileCheckError(scenario), "no error");
    scenario.job.sampling.lists = {{0, 1}, {2, 3}};
    scenario.locations = {{"job.sampling[1][1]", "s.yaml:8:20"}};
    EXPECT_EQ(ProfileCheckError(scenario),
              "s.yaml:8:20: job.sampling[1][1]: found \"3\"; accepted: an integer from 0 to 2 (the "
              "profile has 3 measured steps)");
}

TEST(ScenarioCheck, PlacementAgainstTheProfile)
{
    Scenario scenario;
    scenario.job.profile = "p.yaml";
    scenario.job.parameterServers = 2;
    scenario.job.placement.rule = "explicit";
    scenario.job.placement.table = {{"a", 0}, {"b", 1}};
    EXPECT_EQ(ProfileCheckError(scenario), "no error");
    scenario.job.placement.table = {{"a", 0}};
    EXPECT_EQ(ProfileCheckError(scenario),
              "job.placement: found no server for tensor 'b'; accepted: a server for each of the "
              "profile's 2 tensors");
    scenario.job.placement.table = {{"a", 0}, {"b", 1}, {"c", 1}};
    EXPECT_EQ(ProfileCheckError(scenario),
              "job.placement.c: found a tensor that the profile does not have; accepted: names of "
              "tensors in p.yaml");
    scenario.job.placement.table = {{"a", 0}, {"b", 2}};
    EXPECT_EQ(CheckError(scenario),
              "job.placement.b: found \"2\"; accepted: an integer from 0 to 1 "
              "(job.parameter_servers is 2)");
}

TEST(ScenarioCheck, TensorsThatNoMessageHolds)
{
    Scenario scenario;
    scenario.locations = {{"job.profile", "s.yaml:2:12"}};
    Profile profile = SmallProfile();
    profile.tensors[1].bytes = 4294967231; // 2^32 - 1 - 64
    const auto error = [&] {
        return ScratchFolder().ErrorOf([&] { CheckForPacketEngine(scenario, 0, profile); });
    };
    EXPECT_EQ(error(), "no error");
    profile.tensors[1].bytes = 4294967232;
    EXPECT_EQ(error(),
              "s.yaml:2:12: job.profile: found tensor 'b' of 4294967232 bytes; accepted: tensors "
              "of at most 4294967231 bytes in the packet engine (a gRPC message has a length of 32 "
              "bits)");
}

} // namespace
