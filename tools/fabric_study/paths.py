#
# Copyright (c) 2026 The dml authors
#
# SPDX-License-Identifier: GPL-2.0-only

"""What it costs that connections meet on links of a leaf-spine by chance."""

from fabric_study.runs import of_runs, step_times
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
FAIR_SHARE_STEPS = {"job.steps": 60, "job.warmup": 10}
PACKET_STEPS = {"job.steps": 8, "job.warmup": 2}
SPRAYED = {"packets": False, "bursts": True}  # what is sprayed, and network.tcp.trains
SPRAYED_RUNS = {"replications": 4, "packet.replications": 4}
SPRAYED_SCALE = 0.03125  # a quarter of the bytes of the other part
LEARNT = {"job.steps": 6, "job.warmup": 3}  # connections learn in the first steps how late packets may be


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


def of_cell(pattern, chosen, ratio):
    """A name for runs, and their settings."""
    return (f"{pattern.replace(' ', '-')}-{ratio}",
            {**chosen, "network.topology.oversubscription": ratio, "replications": 1})


def paths(folder):
    """Times of steps by how paths are chosen."""
    rows = [["job", "ratio", "even", "ECMP", "worst", "late", "packets: ECMP", "worst", *(f"flowlets {gap}" for gap in GAPS)]]
    spent = {"fair-share": 0.0, "packet": 0.0}
    late_runs = 0
    for pattern, (scenario, chosen) in PATTERNS.items():
        for ratio in RATIOS:
            name, settings = of_cell(pattern, chosen, ratio)
            fair, cpu, _ = step_times(folder, name, scenario, "fair-share",
                                      {**settings, **FAIR_SHARE_STEPS,
                                       "sweep.network.multipath": listed(["{spray: packet}", *hashes(HASHES)])})
            spent["fair-share"] += cpu
            even, ecmp = fair[0], fair[1:]
            others = [f"{{flowlet: {gap}}}" for gap in GAPS]
            packets, cpu, _ = step_times(
                folder, name, scenario, "packet",
                {**settings, **PACKET_STEPS, "sweep.network.multipath": listed([*hashes(PACKET_HASHES), *others])})
            spent["packet"] += cpu
            late = sum(time > LATE * even for time in ecmp)
            late_runs += late
            rows.append([pattern, f"{ratio}:1", f"{even:.2f}", *spread(ecmp, even), f"{late} of {HASHES}",
                         *spread(packets[:PACKET_HASHES], even),
                         *(relative(time, even) for time in packets[PACKET_HASHES:])])
    return ({"paths": simple(rows[0], rows[1:])},
            {"paths-late": f"{late_runs} of {len(PATTERNS) * len(RATIOS) * HASHES}",
             "paths-cpu": f"{spent['fair-share']:.0f}", "paths-packet-cpu": f"{spent['packet'] / 60:.0f}"})


def sprays(folder):
    """What sprayed packets cost, and sprayed bursts, once connections know how late packets may be."""
    rows = [["job", "ratio", "even"]]
    for unit in SPRAYED:
        rows[0] += [unit, "out of order", "sent again"]
    spent = 0.0
    for pattern, (scenario, chosen) in PATTERNS.items():
        for ratio in RATIOS:
            name, settings = of_cell(pattern, chosen, ratio)
            settings = {**settings, "job.scale": SPRAYED_SCALE, "sweep.network.multipath": listed(["{spray: packet}"])}
            even = step_times(folder, name, scenario, "fair-share", {**settings, **FAIR_SHARE_STEPS})[0][0]
            rows.append([pattern, f"{ratio}:1", f"{even:.2f}"])
            for unit, trains in SPRAYED.items():
                _, cpu, results = step_times(folder, f"{name}-{unit.split()[-1]}", scenario, "packet",
                                             {**settings, **LEARNT, **SPRAYED_RUNS, "network.tcp.trains": trains})
                spent += cpu
                case = results.cases[0]
                runs = case["engines"]["packet"]["replications"]
                packets = sum(run["reordering"]["packets"] for run in runs)
                late = sum(run["reordering"]["reordered"] for run in runs)
                again = sum(run["retransmissions"] for run in runs)
                rows[-1] += [spread(of_runs(case, "packet"), even)[0], f"{100 * late / packets:.1f} %",
                             f"{100 * again / packets:.2f} %"]
    return {"sprays": simple(rows[0], rows[1:])}, {"sprays-cpu": f"{spent / 60:.0f}"}
