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

const std::string FAULT_TEXT =
    "{loss: PROBABILITY, link}, {down: DURATION, at, link}, {rate: RATE, at, for, link}, {slow: "
    "HOST, to: FACTOR, at, for} or {crash: HOST, at, rejoin}";
const std::string LENGTH_TEXT =
    "a time with a unit (ns, us, ms, s, min, h), such as 10us, from 1us "
    "to 1000000s in whole nanoseconds";
const std::string FACTOR_TEXT = "a number of times the speed that it has from 0 to 1000";
const std::string LIVES_TEXT =
    "accepted: crashes of a worker one after the other; that of a server is one of all workers";
const std::string PROCESS_TEXT =
    "workerN or psN; of other jobs than the first, jobK.workerN or jobK.psN";

class FaultMistake : public testing::TestWithParam<Mistake>
{
};

TEST_P(FaultMistake, IsRefusedWithItsPlace)
{
    EXPECT_EQ(ScenarioErrorOf(GetParam()), GetParam().error);
}

INSTANTIATE_TEST_SUITE_P(
    Links,
    FaultMistake,
    testing::Values(
        Mistake{
            26,
            "faults: [{}]",
            "s.yaml:26:10: faults[0]: found none of loss, down, rate, slow and crash; accepted: " +
                FAULT_TEXT},
        Mistake{26,
                "faults: [loss]",
                "s.yaml:26:10: faults[0]: found \"loss\"; accepted: " + FAULT_TEXT},
        Mistake{26,
                "faults: [{loss: 0.1, down: 1s}]",
                "s.yaml:26:10: faults[0]: found both loss and down; accepted: " + FAULT_TEXT},
        Mistake{26,
                "faults: [{loss: 1.5}]",
                "s.yaml:26:17: faults[0].loss: found \"1.5\"; accepted: a number of losses per "
                "packet from 0 to 1"},
        Mistake{26,
                "faults: [{loss: 0.1, at: 1s}]",
                "s.yaml:26:26: faults[0].at: found beside loss; accepted: beside down, rate, "
                "slow, crash"},
        Mistake{26,
                "faults: [{down: 0s}]",
                "s.yaml:26:17: faults[0].down: found \"0s\"; accepted: a time with a unit (ns, "
                "us, ms, s, min, h), such as 10us, from 1us to 1000000s in whole nanoseconds"},
        Mistake{
            26,
            "faults: [{down: 1s, when: 1s}]",
            "s.yaml:26:21: faults[0].when: unknown key 'when'; accepted: loss, down, rate, slow, "
            "crash, at, for, link, to, rejoin"},
        Mistake{26,
                "faults: [{down: 1s, at: -1s}]",
                "s.yaml:26:25: faults[0].at: found \"-1s\"; accepted: " + TIME_TEXT},
        Mistake{26,
                "faults: [{down: 1s, link: {a: b}}]",
                "s.yaml:26:27: faults[0].link: found a map; accepted: a host, or two nodes with a "
                "link between them"},
        Mistake{26,
                "faults: [{down: 1s, link: switch}]",
                "s.yaml:26:27: faults[0].link: found no such link; accepted: a host, or two nodes "
                "with a link between them"},
        Mistake{26,
                "faults: [{down: 1s, link: [ps0, ps1]}]",
                "s.yaml:26:27: faults[0].link: found no such link; accepted: a host, or two nodes "
                "with a link between them"},
        Mistake{26,
                "faults: [{down: 1s, link: worker1}]",
                "s.yaml:26:27: faults[0].link: found 'worker1', no such node; accepted: a host, "
                "or two neighbours"},
        Mistake{26,
                "faults: [{rate: 1Gbps, down: 1s}]",
                "s.yaml:26:10: faults[0]: found both down and rate; accepted: " + FAULT_TEXT},
        Mistake{26,
                "faults: [{rate: 0bps}]",
                "s.yaml:26:17: faults[0].rate: found \"0bps\"; accepted: " + RATE_TEXT},
        Mistake{26,
                "faults: [{loss: 0.1}, {rate: 1Gbps, for: 0s}]",
                "s.yaml:26:42: faults[1].for: found \"0s\"; accepted: " + LENGTH_TEXT},
        Mistake{26,
                "faults: [{down: 1s, for: 1s}]",
                "s.yaml:26:26: faults[0].for: found beside down; accepted: beside rate, slow"},
        Mistake{26,
                "faults: [{slow: worker0, to: 1}, {rate: 1Gbps, link: worker3}]",
                "s.yaml:26:54: faults[1].link: found 'worker3', no such node; accepted: a host, "
                "or two neighbours"}));

INSTANTIATE_TEST_SUITE_P(
    Processes,
    FaultMistake,
    testing::Values(
        Mistake{26,
                "faults: [{slow: worker0}]",
                "s.yaml:26:10: faults[0]: found no key to; accepted: " + FAULT_TEXT},
        Mistake{
            26,
            "faults: [{slow: [worker0], to: 1}]",
            "s.yaml:26:17: faults[0].slow: found a list of 1; accepted: the name of a worker or "
            "parameter server"},
        Mistake{26,
                "faults: [{slow: worker0, to: -0.5, for: 1s}]",
                "s.yaml:26:30: faults[0].to: found \"-0.5\"; accepted: " + FACTOR_TEXT},
        Mistake{26,
                "faults: [{slow: worker0, to: 0, at: 1s}]",
                "s.yaml:26:30: faults[0].to: found 0 for good, with which nothing would ever end; "
                "accepted: a number above 0, or 0 with for"},
        Mistake{26,
                "faults: [{slow: worker0, to: 0.5, link: ps0}]",
                "s.yaml:26:41: faults[0].link: found beside slow; accepted: beside loss, down, "
                "rate"},
        Mistake{26,
                "faults: [{slow: switch, to: 0.5}]",
                "s.yaml:26:17: faults[0].slow: found 'switch', no such worker or server in a "
                "cluster of 1 worker; accepted: " +
                    PROCESS_TEXT},
        Mistake{26,
                "faults: [{down: 1s}, {slow: worker2, to: 0.5}]", // it exists with 4 workers only
                "s.yaml:26:29: faults[1].slow: found 'worker2', no such worker or server in a "
                "cluster of 1 worker; accepted: " +
                    PROCESS_TEXT},
        Mistake{26,
                "faults: [{slow: job1.ps0, to: 0.5}]",
                "s.yaml:26:17: faults[0].slow: found 'job1.ps0', no such worker or server in a "
                "cluster of 1 worker; accepted: " +
                    PROCESS_TEXT},
        Mistake{26,
                "faults: [{crash: 3}]",
                "s.yaml:26:18: faults[0].crash: found '3', no such worker or server in a cluster "
                "of 1 worker; accepted: " +
                    PROCESS_TEXT},
        Mistake{26,
                "faults: [{crash: worker0, for: 1s}]",
                "s.yaml:26:32: faults[0].for: found beside crash; accepted: beside rate, slow"},
        Mistake{26,
                "faults: [{crash: worker0, rejoin: 0s}]",
                "s.yaml:26:35: faults[0].rejoin: found \"0s\"; accepted: " + LENGTH_TEXT},
        Mistake{26,
                "faults: [{crash: ps1}]",
                "s.yaml:26:18: faults[0].crash: found a server, 'ps1', without which nothing goes "
                "on; accepted: rejoin: DURATION with it"},
        Mistake{26,
                "faults: [{crash: ps1, at: 1s, rejoin: 2s}, {crash: worker0, at: 2s}]",
                "s.yaml:26:52: faults[1].crash: found 'worker0', whose crash overlaps another "
                "one; " +
                    LIVES_TEXT},
        Mistake{26,
                "faults: [{crash: ps1, at: 1s, rejoin: 2s}, {crash: ps0, at: 500ms, rejoin: 1s}]",
                "s.yaml:26:52: faults[1].crash: found 'ps0', whose crash overlaps another one; " +
                    LIVES_TEXT},
        Mistake{26,
                "other_jobs: [{profile: p.yaml}]\nfaults: [{crash: job1.worker0}]",
                "s.yaml:27:18: faults[0].crash: found 'job1.worker0'; accepted: a worker or "
                "server of the first job, workerN or psN"},
        Mistake{26,
                "faults: [{crash: worker0, at: 1s}, {crash: worker0, at: 2s}]",
                "s.yaml:26:44: faults[1].crash: found 'worker0', which has crashed already and not "
                "rejoined by then; " +
                    LIVES_TEXT},
        Mistake{26,
                "faults: [{crash: worker0, at: 1s}, {crash: worker0, at: 1s}]",
                "s.yaml:26:44: faults[1].crash: found 'worker0', which has crashed already and not "
                "rejoined by then; " +
                    LIVES_TEXT},
        Mistake{26, // it is back just when it is to crash again
                "faults: [{crash: worker0, at: 2s}, {crash: worker0, at: 1s, rejoin: 1s}]",
                "s.yaml:26:44: faults[1].crash: found 'worker0', which has crashed already and not "
                "rejoined by then; " +
                    LIVES_TEXT}));

} // namespace

TEST(ScenarioFaults, NoWorkerCrashesWhereStepsOverlap)
{
    const ScratchFolder folder;
    folder.Write("p.yaml", "");
    for (const std::string keys : {"push-pull", "all-reduce, all_reduce: {barrier: false}"})
    {
        const auto file = folder.Write("s.yaml",
                                       "job: {profile: p.yaml, protocol: " + keys +
                                           "}\nfaults: [{crash: worker0, at: 1s}]\n");
        EXPECT_EQ(folder.ErrorOf([&] { ReadScenario(file); }),
                  "s.yaml:2:18: faults[0].crash: found a crash with job.protocol " +
                      keys.substr(0, keys.find(',')) +
                      ", whose steps overlap; accepted: crashes with job.protocol run-graph, or "
                      "with all-reduce and job.all_reduce.barrier: true");
    }
}

TEST(ScenarioFaults, AllKindsAreRead)
{
    const ScratchFolder folder;
    folder.Write("p.yaml", "");
    const auto file =
        folder.Write("s.yaml",
                     ReplaceLine(VALID_SCENARIO,
                                 26,
                                 "faults:\n"
                                 "  - {crash: worker0, at: 3s}\n"
                                 "  - {rate: 250Mbps, at: 1s, for: 2s, link: [ps0, switch]}\n"
                                 "  - {slow: ps1, to: 0, for: 1ms}\n"
                                 "  - {crash: worker0, rejoin: 2s}\n"
                                 "  - {rate: 2Gbps}\n"));
    const Scenario scenario = ReadScenario(file).front();
    const auto& links = scenario.network.faults;
    ASSERT_EQ(links.size(), 2u);
    EXPECT_EQ(links[0].kind, FaultSpec::Kind::RATE);
    EXPECT_EQ(links[0].key, "faults[1]");
    EXPECT_EQ(links[0].rate, ns3::DataRate("250Mbps"));
    EXPECT_EQ(links[0].start, ns3::Seconds(1));
    EXPECT_EQ(links[0].duration, ns3::Seconds(2));
    EXPECT_EQ(links[0].link, (std::vector<std::string>{"ps0", "switch"}));
    EXPECT_EQ(links[1].start, ns3::Time(0));
    EXPECT_EQ(links[1].duration, ns3::Time::Max());
    EXPECT_TRUE(links[1].link.empty());
    const auto& processes = scenario.processFaults;
    ASSERT_EQ(processes.size(), 3u);
    EXPECT_EQ(processes[0].kind, ProcessFaultSpec::Kind::CRASH);
    EXPECT_EQ(processes[0].host, "worker0");
    EXPECT_EQ(processes[0].start, ns3::Seconds(3));
    EXPECT_EQ(processes[0].duration, ns3::Time::Max());
    EXPECT_EQ(processes[1].kind, ProcessFaultSpec::Kind::SLOW);
    EXPECT_EQ(processes[1].host, "ps1");
    EXPECT_EQ(processes[1].factor, 0);
    EXPECT_EQ(processes[1].duration, ns3::MilliSeconds(1));
    EXPECT_EQ(processes[1].key, "faults[2]");
    EXPECT_EQ(processes[2].duration, ns3::Seconds(2));
}
