/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Values that cannot be read, and what was probably meant by them.

#include "dml-scenario-mistake.h"

#include "ns3/dml-yaml-mistake.h"

#include <gtest/gtest.h>
#include <string>
#include <utility>
#include <vector>

using namespace ns3::dml;

namespace
{

const std::string WORKERS = "accepted: an integer from 1 to 100000, or a list of them";
const std::string MICRO = "\xC2\xB5"; // U+00B5
const std::string MU = "\xCE\xBC";    // U+03BC

class Slip : public testing::TestWithParam<Mistake>
{
};

TEST_P(Slip, TellsWhatWasMeant)
{
    EXPECT_EQ(ScenarioErrorOf(GetParam()), GetParam().error);
}

INSTANTIATE_TEST_SUITE_P(
    Values,
    Slip,
    testing::Values(
        Mistake{18,
                "  rate: 1 Gbps",
                "s.yaml:18:9: network.rate: found \"1 Gbps\"; did you mean '1Gbps'? accepted: " +
                    RATE_TEXT},
        Mistake{18,
                "  rate: 1gbps",
                "s.yaml:18:9: network.rate: found \"1gbps\"; did you mean '1Gbps'? accepted: " +
                    RATE_TEXT},
        Mistake{18,
                "  rate: 2.5Gbit/s",
                "s.yaml:18:9: network.rate: found \"2.5Gbit/s\"; did you mean '2.5Gbps'? "
                "accepted: " +
                    RATE_TEXT},
        Mistake{19,
                "  delay: 10" + MICRO + "s",
                "s.yaml:19:10: network.delay: found \"10" + MICRO +
                    "s\"; did you mean '10us'? accepted: " + TIME_TEXT},
        Mistake{19,
                "  delay: 10 " + MU + "s",
                "s.yaml:19:10: network.delay: found \"10 " + MU +
                    "s\"; did you mean '10us'? accepted: " + TIME_TEXT},
        Mistake{19,
                "  delay: 5 seconds",
                "s.yaml:19:10: network.delay: found \"5 seconds\"; did you mean '5s'? accepted: " +
                    TIME_TEXT},
        // what would be refused itself is not proposed
        Mistake{19,
                "  delay: -5 S",
                "s.yaml:19:10: network.delay: found \"-5 S\"; accepted: " + TIME_TEXT},
        Mistake{14,
                "transfer: {policy: fifo, window: 28 mb}",
                "s.yaml:14:34: transfer.window: found \"28 mb\"; did you mean '28MB'? accepted: a "
                "size from 1 to 2147483647" +
                    SIZE_TEXT + ", or off"},
        Mistake{26,
                "faults: [{loss: 0.1%}]",
                "s.yaml:26:17: faults[0].loss: found \"0.1%\"; did you mean '0.001'? accepted: a "
                "number of losses per packet from 0 to 1"},
        Mistake{26,
                "faults: [{loss: 200%}]",
                "s.yaml:26:17: faults[0].loss: found \"200%\"; accepted: a number of losses per "
                "packet from 0 to 1"},
        Mistake{6,
                "  workers: 1-8",
                "s.yaml:6:12: job.workers: found \"1-8\"; did you mean '[1, 2, 3, 4, 5, 6, 7, "
                "8]'? " +
                    WORKERS},
        Mistake{6,
                "  workers: 1, 2, 4",
                "s.yaml:6:12: job.workers: found \"1, 2, 4\"; did you mean '[1, 2, 4]'? " +
                    WORKERS},
        Mistake{6, "  workers: many", "s.yaml:6:12: job.workers: found \"many\"; " + WORKERS}));

INSTANTIATE_TEST_SUITE_P(
    Hosts,
    Slip,
    testing::Values(
        Mistake{26,
                "faults: [{down: 1s, link: Worker0}]",
                "s.yaml:26:27: faults[0].link: found 'Worker0', no such node; did you mean "
                "'worker0'? accepted: a host, or two neighbours"},
        Mistake{26,
                "faults: [{slow: PS1, to: 0.5}]",
                "s.yaml:26:17: faults[0].slow: found 'PS1', no such worker or server in a cluster "
                "of 1 worker; did you mean 'ps1'? accepted: workerN or psN; of other jobs than "
                "the first, jobK.workerN or jobK.psN"},
        // one of another number was never meant
        Mistake{26,
                "faults: [{slow: worker7, to: 0.5}]",
                "s.yaml:26:17: faults[0].slow: found 'worker7', no such worker or server in a "
                "cluster of 1 worker; accepted: workerN or psN; of other jobs than the first, "
                "jobK.workerN or jobK.psN"},
        Mistake{23,
                "  hosts: {Worker0: {mtu: 9000}}",
                "s.yaml:23:20: network.hosts.Worker0: found no such host; did you mean 'worker0'? "
                "accepted: workerN, psN, jobK.workerN, jobK.psN or one of extra_hosts"},
        Mistake{23,
                "  background: [{from: wroker0, to: ps0, bulk: true}]",
                "s.yaml:23:23: network.background[0].from: found 'wroker0', no such host in a "
                "cluster of 1 worker; did you mean 'worker0'? accepted: workerN, psN or one of "
                "network.extra_hosts"},
        Mistake{23,
                "  colocate: {ps0: Worker0}",
                "s.yaml:23:19: network.colocate.ps0: found 'Worker0', no such host; did you mean "
                "'worker0'? accepted: workerN, psN, jobK.workerN, jobK.psN or one of "
                "extra_hosts"}));

TEST(UnitSuggestion, KnowsWhatPeopleWrite)
{
    using Pairs = std::vector<std::pair<std::string, std::string>>;
    for (const auto& [text, meant] : Pairs{{"1G", "1Gbps"},
                                           {"100 Mbit", "100Mbps"},
                                           {"25GbE", "25Gbps"},
                                           {"1 GByte/s", "1GB/s"},
                                           {"1 GB/s", "1GB/s"},
                                           {"1Gbps", ""},
                                           {"0 gbps", ""},
                                           {"fast", ""}})
    {
        EXPECT_EQ(SuggestRate(text), meant) << text;
    }
    for (const auto& [text, meant] :
         Pairs{{"10 MS", "10ms"}, {"2 Min", "2min"}, {"10", ""}, {"1m", ""}, {"s", ""}})
    {
        EXPECT_EQ(SuggestTime(text), meant) << text;
    }
    for (const auto& [text, meant] :
         Pairs{{"1 MiB", "1MiB"}, {"28M", "28MB"}, {"3 gib", "3GiB"}, {"28 megs", ""}})
    {
        EXPECT_EQ(SuggestSize(text), meant) << text;
    }
    for (const auto& [text, meant] :
         Pairs{{"2 %", "0.02"}, {"0,5", "0.5"}, {"0.5", ""}, {"half", ""}, {"%", ""}})
    {
        EXPECT_EQ(SuggestNumber(text), meant) << text;
    }
    // doubles of the first between the ends of a long range
    for (const auto& [text, meant] : Pairs{{"2..4", "[2, 3, 4]"},
                                           {"1-64", "[1, 2, 4, 8, 16, 32, 64]"},
                                           {"3-40", "[3, 6, 12, 24, 40]"},
                                           {"8-1", ""},
                                           {"-8", ""},
                                           {"0-8", ""}})
    {
        EXPECT_EQ(SuggestIntegers(text), meant) << text;
    }
}

} // namespace
