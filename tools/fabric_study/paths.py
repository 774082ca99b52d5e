#
# Copyright (c) 2026 The dml authors
#
# SPDX-License-Identifier: GPL-2.0-only

"""What it costs that connections meet on links of a leaf-spine by chance."""

from fabric_study.runs import step_times
from study_intervals import Mean
from validation_report.tables import simple

HASHES = 20  # of fair-share
PACKET_HASHES = 5
GAPS = ("50us", "500us")  # flowlets
LATE = 1.01  # a step that takes so much longer than with even use waits for a collision
PATTERNS = {"8 servers": ("multipath/servers.yaml", {}),
            "ring": ("multipath", {"job.workers": 32, "job.all_reduce.algorithm": "ring"}),
            "halving-doubling": ("multipath", {"job.workers": 32})}
RATIOS = (1, 2)


def listed(choices):
    return "[" + ", ".join(choices) + "]"


def hashes(count):
    return [f"{{ecmp: {seed}}}" for seed in range(1, count + 1)]


def relative(time, base):
    return f"{100 * (time / base - 1):+.1f}"


def spread(times, base):
    """What steps are longer by, in per cent: the mean over hashes with its interval, and the longest."""
    mean = Mean.of(100 * (time / base - 1) for time in times)
    return f"{mean.value:+.1f} ± {mean.half:.1f}", f"{100 * (max(times) / base - 1):+.1f}"


def paths(folder):
    """Times of steps by how paths are chosen."""
    rows = [["job", "ratio", "even", "ECMP", "worst", "late", "packets: ECMP", "worst", "spray",
             *(f"flowlets {gap}" for gap in GAPS), "out of order"]]
    spent = {"fair-share": 0.0, "packet": 0.0}
    late_runs = 0
    for pattern, (scenario, chosen) in PATTERNS.items():
        for ratio in RATIOS:
            name = f"{pattern.replace(' ', '-')}-{ratio}"
            settings = {**chosen, "network.topology.oversubscription": ratio, "replications": 1}
            fair, cpu, _ = step_times(folder, name, scenario, "fair-share",
                                      {**settings, "sweep.network.multipath": listed(["{spray: packet}", *hashes(HASHES)])})
            spent["fair-share"] += cpu
            even, ecmp = fair[0], fair[1:]
            others = ["{spray: packet}", *(f"{{flowlet: {gap}}}" for gap in GAPS)]
            packets, cpu, results = step_times(
                folder, name, scenario, "packet",
                {**settings, "sweep.network.multipath": listed([*hashes(PACKET_HASHES), *others])})
            spent["packet"] += cpu
            late = sum(time > LATE * even for time in ecmp)
            late_runs += late
            sprayed = results.cases[PACKET_HASHES]["engines"]["packet"]["replications"][0]["reordering"]
            rows.append([pattern, f"{ratio}:1", f"{even:.2f}", *spread(ecmp, even), f"{late} of {HASHES}",
                         *spread(packets[:PACKET_HASHES], even),
                         *(relative(time, even) for time in packets[PACKET_HASHES:]),
                         f"{100 * sprayed['reordered'] / sprayed['packets']:.0f} %"])
    return ({"paths": simple(rows[0], rows[1:])},
            {"paths-late": f"{late_runs} of {len(PATTERNS) * len(RATIOS) * HASHES}",
             "paths-cpu": f"{spent['fair-share']:.0f}", "paths-packet-cpu": f"{spent['packet'] / 60:.0f}"})
