/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_SCENARIO_MISTAKE_H
#define DML_SCENARIO_MISTAKE_H

#include "dml-mistake.h"
#include "dml-scratch-folder.h"

#include "ns3/dml-scenario-reader.h"

#include <string>
#include <vector>

/// A valid scenario with every section; the test cases replace one of its lines.
inline const std::vector<std::string> VALID_SCENARIO{
    "name: valid",                             // line 1
    "seed: 1",                                 // 2
    "replications: 3",                         // 3
    "job:",                                    // 4
    "  profile: p.yaml",                       // 5
    "  workers: [1, 2, 4]",                    // 6
    "  parameter_servers: 2",                  // 7
    "  placement: {a.weight: 0, b.weight: 1}", // 8
    "  sync: async",                           // 9
    "  steps: 20",                             // 10
    "  warmup: 5",                             // 11
    "  sampling: random",                      // 12
    "  start: [0s, 1s, 2s, 3s]",               // 13
    "transfer: {policy: fifo, window: 28MB}",  // 14
    "overhead: {alpha: 0, beta: 0}",           // 15
    "network:",                                // 16
    "  topology: star",                        // 17
    "  rate: 1Gbps",                           // 18
    "  delay: 10us",                           // 19
    "  mtu: 1500",                             // 20
    "  queue: 1MB",                            // 21
    "  tcp: {send_buffer: 256KiB}",            // 22
    "  background: []",                        // 23
    "fair_share: {sharing: auto}",             // 24
    "packet: {replications: 1}",               // 25
    "faults: []",                              // 26
    "output: {pcap: false}",                   // 27
    "sweep: {}",                               // 28
};

/// Keys of a scenario that an error lists.
inline const std::string TOP_KEYS =
    "name, seed, replications, job, other_jobs, transfer, overhead, "
    "network, fair_share, packet, host, faults, output, sweep";

/// What the error about a size ends with.
inline const std::string SIZE_TEXT =
    " bytes: an integer, or a number with a unit (B, KB, MB, GB, KiB, MiB, "
    "GiB), such as 28MB";

/// What the error about a rate ends with.
inline const std::string RATE_TEXT =
    "a rate above 0 with a unit as ns-3 writes it (bps, kbps, Mbps, Gbps, "
    "b/s, kb/s, Mb/s, Gb/s, B/s, kB/s, MB/s, GB/s, KiB/s, MiB/s, GiB/s), "
    "such as 10Gbps";

/// What the error about a time from 0 ends with.
inline const std::string TIME_TEXT =
    "a time with a unit (ns, us, ms, s, min, h), such as 10us, from 0us to "
    "1000000s in whole nanoseconds";

/// @param mistake change to VALID_SCENARIO; @return the error that it gives, or "no error"
inline std::string
ScenarioErrorOf(const Mistake& mistake)
{
    const ScratchFolder folder;
    folder.Write("p.yaml", "");
    const auto file =
        folder.Write("s.yaml", ReplaceLine(VALID_SCENARIO, mistake.line, mistake.text));
    return folder.ErrorOf([&] { ns3::dml::ReadScenario(file); });
}

#endif /* DML_SCENARIO_MISTAKE_H */
