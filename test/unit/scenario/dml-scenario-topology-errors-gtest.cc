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

const std::string PACKET_TEXT =
    "at least one packet, 1518 bytes (network.mtu and 18), or 0 for a queue that never drops";

class TopologyMistake : public testing::TestWithParam<Mistake>
{
};

TEST_P(TopologyMistake, IsRefusedWithItsPlace)
{
    EXPECT_EQ(ScenarioErrorOf(GetParam()), GetParam().error);
}

INSTANTIATE_TEST_SUITE_P(
    Network,
    TopologyMistake,
    testing::Values(
        Mistake{17,
                "  topology: {leaves: 2}",
                "s.yaml:17:13: network.topology: found no key type; accepted: type: star, "
                "dumbbell, leaf-spine or explicit"},
        Mistake{17,
                "  topology: {type: ring}",
                "s.yaml:17:20: network.topology.type: found \"ring\"; accepted: star, dumbbell, "
                "leaf-spine, explicit, or the TypeId of a topology"},
        Mistake{17,
                "  topology: {type: star, leaves: 2}",
                "s.yaml:17:26: network.topology.leaves: unknown key 'leaves'; accepted: type"},
        Mistake{17,
                "  topology: {type: dumbbell, oversubscription: 2}",
                "s.yaml:17:30: network.topology.oversubscription: unknown key 'oversubscription'; "
                "accepted: type, trunk"},
        Mistake{17,
                "  topology: {type: leaf-spine, links: []}",
                "s.yaml:17:32: network.topology.links: unknown key 'links'; accepted: type, "
                "trunk, leaves, spines, oversubscription"},
        Mistake{17,
                "  topology: {type: explicit, trunk: {rate: 1Gbps}}",
                "s.yaml:17:30: network.topology.trunk: unknown key 'trunk'; accepted: type, "
                "switches, links"},
        Mistake{17,
                "  topology: {type: dumbbell, trunk: 10Gbps}",
                "s.yaml:17:37: network.topology.trunk: found \"10Gbps\"; accepted: a map with "
                "rate, delay, queue, mtu"},
        Mistake{17,
                "  topology: {type: dumbbell, trunk: {rates: 10Gbps}}",
                "s.yaml:17:38: network.topology.trunk.rates: unknown key 'rates'; did you mean "
                "'rate'? accepted: rate, delay, queue, mtu"},
        Mistake{17,
                "  topology: {type: leaf-spine, leaves: 0}",
                "s.yaml:17:40: network.topology.leaves: found \"0\"; accepted: an integer from 1 "
                "to 1000"},
        Mistake{17,
                "  topology: {type: leaf-spine, spines: 1001}",
                "s.yaml:17:40: network.topology.spines: found \"1001\"; accepted: an integer from "
                "1 to 1000"},
        Mistake{17,
                "  topology: {type: leaf-spine, leaves: 100, spines: 41}",
                "s.yaml:17:13: network.topology: found 100 leaves and 41 spines; accepted: at "
                "most 4096 links between leaves and spines"},
        Mistake{17,
                "  topology: {type: leaf-spine, oversubscription: 0}",
                "s.yaml:17:50: network.topology.oversubscription: found \"0\"; accepted: a number "
                "above 0"},
        Mistake{17,
                "  topology: {type: leaf-spine, oversubscription: 2, trunk: {rate: 1Gbps}}",
                "s.yaml:17:50: network.topology.oversubscription: found together with trunk.rate; "
                "accepted: one of the two, each gives the other"},
        Mistake{17,
                "  topology: {type: leaf-spine, oversubscription: -1}",
                "s.yaml:17:50: network.topology.oversubscription: found \"-1\"; accepted: a "
                "number of bits of a leaf's hosts per bit of its trunk from 0 to 1000"},
        Mistake{17,
                "  topology: {type: leaf-spine, oversubscription: 0.000000001}",
                "s.yaml:17:50: network.topology.oversubscription: found 1e-09, which makes trunks "
                "of 2e+18 bit/s; accepted: a ratio that gives trunks of 1 to 1e+13 bit/s"},
        Mistake{17,
                "  topology: {type: explicit}",
                "s.yaml:17:13: network.topology: found no key links; accepted: links: a list of "
                "maps with between: [NODE, NODE]"},
        Mistake{17,
                "  topology: {type: explicit, links: all}",
                "s.yaml:17:37: network.topology.links: found \"all\"; accepted: a list of maps "
                "with between: [NODE, NODE]"},
        Mistake{17,
                "  topology: {type: explicit, links: [ps0]}",
                "s.yaml:17:38: network.topology.links[0]: found \"ps0\"; accepted: a map with "
                "between: [NODE, NODE] and, if it differs, rate, delay, queue, mtu, metric"},
        Mistake{17,
                "  topology: {type: explicit, links: [{rate: 1Gbps}]}",
                "s.yaml:17:38: network.topology.links[0]: found no key between; accepted: "
                "between: the names of two nodes, [NODE, NODE]"},
        Mistake{17,
                "  topology: {type: explicit, links: [{between: ps0}]}",
                "s.yaml:17:48: network.topology.links[0].between: found \"ps0\"; accepted: the "
                "names of two nodes, [NODE, NODE]"},
        Mistake{17,
                "  topology: {type: explicit, links: [{between: [ps0]}]}",
                "s.yaml:17:48: network.topology.links[0].between: found a list of 1; accepted: "
                "the names of two nodes, [NODE, NODE]"},
        Mistake{17,
                "  topology: {type: explicit, links: [{between: [ps0, [ps1]]}]}",
                "s.yaml:17:54: network.topology.links[0].between[1]: found a list of 1; accepted: "
                "the name of a node"},
        Mistake{17,
                "  topology: {type: explicit, links: [{between: [ps0, ps1], metric: 0}]}",
                "s.yaml:17:68: network.topology.links[0].metric: found \"0\"; accepted: an "
                "integer from 1 to 100"},
        Mistake{17,
                "  topology: {type: explicit, links: [{between: [ps0, ps1], cost: 1}]}",
                "s.yaml:17:60: network.topology.links[0].cost: unknown key 'cost'; accepted: "
                "between, rate, delay, queue, mtu, metric"},
        Mistake{17,
                "  topology: {type: explicit, switches: [a, a], links: []}",
                "s.yaml:17:44: network.topology.switches[1]: found 'a'; accepted: names that no "
                "other node has"},
        Mistake{17,
                "  topology: {type: explicit, switches: [a/b], links: []}",
                "s.yaml:17:41: network.topology.switches[0]: found 'a/b'; accepted: names of at "
                "most 64 letters, digits, '-', '_' and '.'"},
        Mistake{17,
                "  topology: {type: explicit, switches: a, links: []}",
                "s.yaml:17:40: network.topology.switches: found \"a\"; accepted: a list of names"},
        Mistake{17,
                "  topology: {type: explicit, links: [{between: [ps0, b]}]}",
                "s.yaml:17:48: network.topology.links[0].between: found 'b', no such node; "
                "accepted: one of topology.switches, workerN, psN or extra_hosts"},
        Mistake{17,
                "  topology: {type: explicit, links: [{between: [ps0, ps1]}]}",
                "s.yaml:17:37: network.topology.links: found no path from ps0 to worker0; "
                "accepted: links that connect all hosts"},
        Mistake{17,
                "  hosts: {worker0: 1Gbps}",
                "s.yaml:17:20: network.hosts.worker0: found \"1Gbps\"; accepted: a map with rate, "
                "delay, queue, mtu, nics"},
        Mistake{17,
                "  hosts: [worker0]",
                "s.yaml:17:10: network.hosts: found a list of 1; accepted: a map of links by "
                "host; to sweep it, name it under sweep: {network.hosts: [...]}"},
        Mistake{17,
                "  hosts: {worker0: {rat: 1Gbps}}",
                "s.yaml:17:21: network.hosts.worker0.rat: unknown key 'rat'; did you mean 'rate'? "
                "accepted: rate, delay, queue, mtu, nics"},
        Mistake{17,
                "  hosts: {worker0: {nics: 2}}",
                "s.yaml:17:27: network.hosts.worker0.nics: found network cards of a host that "
                "workers do not share; accepted: hostN, jobK.hostN, hosts of several workers "
                "(job.workers_per_host)"},
        Mistake{17,
                "  nics_per_host: 2",
                "s.yaml:17:18: network.nics_per_host: found 2 network cards of hosts with one "
                "worker each, which send over one; accepted: 1, or job.workers_per_host above 1"},
        Mistake{17,
                "  nics_per_host: 0",
                "s.yaml:17:18: network.nics_per_host: found \"0\"; accepted: an integer from 1 to "
                "64"},
        Mistake{17,
                "  hosts: {worker0: {rate: {up: 1Gbps}}}",
                "s.yaml:17:27: network.hosts.worker0.rate: found no key down; accepted: a rate "
                "such as 1Gbps, or {up: RATE, down: RATE}"},
        Mistake{17,
                "  hosts: {worker0: {rate: {up: 1Gbps, dwn: 1Gbps}}}",
                "s.yaml:17:39: network.hosts.worker0.rate.dwn: unknown key 'dwn'; did you mean "
                "'down'? accepted: up, down"},
        Mistake{17,
                "  hosts: {worker0: {rate: {up: 1Gbps, down: 0bps}}}",
                "s.yaml:17:45: network.hosts.worker0.rate.down: found \"0bps\"; accepted: " +
                    RATE_TEXT},
        Mistake{17,
                "  hosts: {worker0: {rate: [1Gbps, 2Gbps]}}",
                "s.yaml:17:27: network.hosts.worker0.rate: found a list of 2; accepted: a rate "
                "such as 1Gbps, or {up: RATE, down: RATE}; to sweep it, name it under sweep: "
                "{network.hosts.worker0.rate: [...]}"},
        Mistake{17,
                "  topology: {type: explicit, links: [{between: [ps0, ps1], rate: [1Gbps]}]}",
                "s.yaml:17:66: network.topology.links[0].rate: found a list of 1; accepted: a rate "
                "such as 1Gbps, or [RATE, RATE], of what each end sends"},
        Mistake{17,
                "  topology: {type: explicit, links: [{between: [ps0, ps1], rate: {up: 1Gbps}}]}",
                "s.yaml:17:66: network.topology.links[0].rate: found a map; accepted: a rate such "
                "as 1Gbps, or [RATE, RATE], of what each end sends"},
        Mistake{17,
                "  topology: {type: explicit, links: [{between: [ps0, ps1], rate: [1Gbps, 1]}]}",
                "s.yaml:17:74: network.topology.links[0].rate[1]: found \"1\"; accepted: " +
                    RATE_TEXT},
        Mistake{17,
                "  hosts: {wroker0: {rate: 1Gbps}}",
                "s.yaml:17:20: network.hosts.wroker0: found no such host; did you mean 'worker0'? "
                "accepted: workerN, psN, jobK.workerN, jobK.psN or one of extra_hosts"},
        Mistake{17,
                "  hosts: {worker0: {queue: 1000B}}",
                "s.yaml:17:28: network.hosts.worker0.queue: found \"1000\"; accepted: " +
                    PACKET_TEXT},
        Mistake{17,
                "  hosts: {worker0: {mtu: 100}}",
                "s.yaml:17:26: network.hosts.worker0.mtu: found \"100\"; accepted: an integer "
                "from 576 to 65535"},
        Mistake{17,
                "  hosts: {worker0: {delay: -1us}}",
                "s.yaml:17:28: network.hosts.worker0.delay: found \"-1us\"; accepted: " +
                    TIME_TEXT},
        Mistake{17,
                "  colocate: worker0",
                "s.yaml:17:13: network.colocate: found \"worker0\"; accepted: a map of hosts, "
                "such as {ps0: worker0}"},
        Mistake{17,
                "  colocate: {ps0: [worker0]}",
                "s.yaml:17:19: network.colocate.ps0: found a list of 1; accepted: the name of a "
                "host; to sweep it, name it under sweep: {network.colocate.ps0: [...]}"},
        Mistake{17,
                "  colocate: {ps0: worker3}",
                "s.yaml:17:19: network.colocate.ps0: found 'worker3', which a cluster of 1 "
                "worker and 2 servers does not have; accepted: a host that every run has"},
        Mistake{17,
                "  colocate: {worker1: worker0}",
                "s.yaml:17:13: network.colocate: found worker1 and worker0 on one host; accepted: "
                "a parameter server with a worker, or hosts of different jobs"},
        Mistake{17,
                "  colocate: {ps0: ps1}",
                "s.yaml:17:13: network.colocate: found ps1 and ps0 on one host; accepted: a "
                "parameter server with a worker, or hosts of different jobs"},
        Mistake{17,
                "  colocate: {ps0: worker0, worker0: ps1}",
                "s.yaml:17:19: network.colocate.ps0: found 'worker0', which lives with another "
                "one itself; accepted: a host with a node of its own"},
        Mistake{17,
                "  extra_hosts: x",
                "s.yaml:17:16: network.extra_hosts: found \"x\"; accepted: a list of names"},
        Mistake{17,
                "  extra_hosts: [x, x]",
                "s.yaml:17:20: network.extra_hosts[1]: found 'x'; accepted: names that no worker, "
                "server or other host has"},
        Mistake{17,
                "  extra_hosts: [switch]",
                "s.yaml:17:17: network.extra_hosts[0]: found 'switch', which a switch is called; "
                "accepted: names that no other node has"},
        Mistake{17,
                "  extra_hosts: [a b]",
                "s.yaml:17:17: network.extra_hosts[0]: found 'a b'; accepted: names of at most 64 "
                "letters, digits, '-', '_' and '.'"},
        Mistake{18,
                "  rate: 20000Gbps",
                "s.yaml:18:9: network.rate: found \"20000Gbps\"; accepted: a rate of at most "
                "10000Gbps"},
        Mistake{21,
                "  queue: {}",
                "s.yaml:21:10: network.queue: found an empty map; accepted: a size, or a map with "
                "one of drop_tail, fair, fq_codel, red, ecn, shared, type"},
        Mistake{21,
                "  queue: {fifo: 1MB}",
                "s.yaml:21:11: network.queue.fifo: unknown key 'fifo'; accepted: drop_tail, fair, "
                "fq_codel, red, ecn, shared, alpha, threshold, mark, whole_bursts, type"},
        Mistake{21,
                "  queue: {fair: 5GB}",
                "s.yaml:21:17: network.queue.fair: found \"5GB\"; accepted: a size from 0 to "
                "4294967295" +
                    SIZE_TEXT},
        Mistake{21,
                "  queue: {red: 1MB, threshold: 1KB}",
                "s.yaml:21:32: network.queue.threshold: found beside another queue than ecn "
                "or shared; accepted: {ecn: SIZE, threshold: SIZE}, {shared: SIZE, threshold: "
                "SIZE}"},
        Mistake{21,
                "  queue: {ecn: 1MB, threshold: 0}",
                "s.yaml:21:32: network.queue.threshold: found \"0\"; accepted: a size from 1 to "
                "4294967295" +
                    SIZE_TEXT + ", or packets of the link's MTU, such as 65 packets"},
        Mistake{21,
                "  queue: {ecn: 100KB, threshold: 100KB}",
                "s.yaml:21:10: network.queue: found a threshold of 100000 bytes; accepted: less "
                "than the queue, 100000 bytes"},
        Mistake{21,
                "  queue: {red: 1MB, mark: maybe}",
                "s.yaml:21:27: network.queue.mark: found \"maybe\"; accepted: true, false"},
        Mistake{21,
                "  host_queue: 1000B",
                "s.yaml:21:15: network.host_queue: found \"1000\"; accepted: " + PACKET_TEXT},
        Mistake{21,
                "  host_queue: [1MB]",
                "s.yaml:21:15: network.host_queue: found a list of 1; accepted: a size from 0 to "
                "4294967295" +
                    SIZE_TEXT + "; to sweep it, name it under sweep: {network.host_queue: [...]}"},
        Mistake{17,
                "  topology: {type: dumbbell, trunk: {queue: 1000B}}",
                "s.yaml:17:45: network.topology.trunk.queue: found \"1000\"; accepted: " +
                    PACKET_TEXT}));

} // namespace
