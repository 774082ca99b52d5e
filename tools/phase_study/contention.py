#
# Copyright (c) 2026 The dml authors
#
# SPDX-License-Identifier: GPL-2.0-only

"""The parts of the study about VGG-11: one server against four, and where tensors and servers are placed."""

import csv
import os

import dml
from matched_study.factors import ROOT
from phase_study import job
from study_intervals import Mean
from validation_report.tables import simple

MULTI_PS = os.path.join(ROOT, "scenarios", "multi-ps", "full-size.yaml")
MODEL_RUNS = 200
STEPS = {"job.steps": 14, "job.warmup": 6}
# What is checked in packets at full size: ports, W, replications by the number of servers. Those of one server differ
# more from each other.
FULL_SIZE = (("fair", 4, {1: 6, 4: 4}),)
HORIZONS = (2, 4)

PLACED_SCALE = 1 / 8  # of the bytes and of the time of computing
PLACED_WORKERS = PLACED_SERVERS = 4
# Whole tensors on workers' hosts make one worker, which has most of them at hand, several times as fast as the others.
UNEQUAL_STEPS = {"job.steps": 40, "job.warmup": 4}
PLACED_RUNS = 4
SLICE = 4e6  # bytes, at full size
PLACEMENTS = (("whole", False), ("slices", True))
HOSTS = (("own", False), ("workers'", True))


def burst_ports(port):
    """Ports that packets pass in bursts."""
    return "{drop_tail: 1MB, whole_bursts: true}" if port == "FIFO" else job.PORTS[port]


def of_profile(workers, servers, port):
    """VGG-11 at full size on the devices of its profile."""
    return {**job.settings("vgg11", workers, servers, port, 1), "job.devices": "{cpu: {speed: 1}}",
            "job.server_devices": "cpu", "network.queue": burst_ports(port), "network.tcp.trains": True}


def throughputs_of(results, engine):
    """Samples/s of the replications, and their order parameters."""
    case, = results.cases
    runs = [run for run in case["engines"][engine]["replications"] if run["throughput"]]
    steps = job.steps_of(results, engine)
    return ([run["throughput"] for run in runs],
            [job.order_parameter(steps[run["replication"]], run["t0"]) for run in runs])


def match_table(results, *options):
    """The rows that dml match writes."""
    path = results.path("matched-again.csv")
    dml.execute("match", results.folder, *options, "--force", "-o", path)
    with open(path, encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def compared(found, engine):
    """Cells of a row: samples/s with one server and with four, their difference, and both order parameters."""
    (few, few_orders), (many, many_orders) = (found[engine, servers] for servers in (1, 4))
    return [Mean.of(few).text(3), Mean.of(many).text(3), Mean.of_difference(many, few).text(3, sign="+"),
            Mean.of(few_orders).text(2), Mean.of(many_orders).text(2)]


def controlled(found):
    """Means of packets with one server and with four, with fair-share's runs as control variates."""
    return [Mean.of_controlled(found["packet", servers][0], found["fair-share", servers][0]) for servers in (1, 4)]


def told(where, found):
    """A sentence on by how much four servers are faster than one, in samples/s."""
    if not found.certain:
        return f"{where}, neither one server nor four are faster for certain ({found.text(3, sign='+')} samples/s)."
    return (f"{where}, four servers are {'faster' if found.value > 0 else 'slower'} than one by {abs(found.value):.3f} "
            f"+-{found.half:.3f} samples/s.")


HEADING = ["M = 1", "M = 4", "difference", "order, M = 1", "order, M = 4"]


def full_size(folder):
    """One server against four at full size, in both engines, and each packet step from when it began."""
    rows, matched, values, said = [], [], {}, []
    for port, workers, runs in FULL_SIZE:
        found = {}
        for servers, count in runs.items():
            settings = {**of_profile(workers, servers, port), **STEPS, "replications": MODEL_RUNS,
                        "packet.replications": count}
            results = job.run_once(folder, f"full-{port}-{servers}", settings, "both")
            for engine in ("fair-share", "packet"):
                found[engine, servers] = throughputs_of(results, engine)
            print(port, workers, servers, found["packet", servers], flush=True)
            bias = [float(row["raw_percent"]) for row in match_table(results)]
            drifts = match_table(results, "--horizon=" + ",".join(map(str, HORIZONS)))
            later = {steps: [float(row["longer_percent"]) for row in drifts
                             if int(row["horizon"]) == steps and row["longer_percent"]] for steps in HORIZONS}
            matched.append([port, str(workers), str(servers), Mean.of(bias).text(2, sign="+"),
                            *(Mean.of(later[steps]).text(2, sign="+") if later[steps] else "-" for steps in HORIZONS)])
            print(*matched[-1], flush=True)
        for engine in ("fair-share", "packet"):
            rows.append([port, str(workers), engine, *compared(found, engine)])
            print(*rows[-1], flush=True)
        difference = Mean.of_difference(found["packet", 4][0], found["packet", 1][0])
        if port == "fair":  # runs of one seed go together there, as shares are not random
            few, many = controlled(found)
            difference = many.less_independent(few)
            rows.append([port, str(workers), "controlled", *(each.text(3) for each in (few, many)),
                         difference.text(3, sign="+"), "", ""])
        values.update(zip((f"full-{port.lower()}-{name}" for name in ("one", "four", "difference")), rows[-1][3:6]))
        said.append(told(f"In packets of {workers} workers on {port} ports", difference))
    values["full-size-said"] = " ".join(said)
    return {"full-size": simple(["ports", "W", "engine", *HEADING], rows),
            "full-size-matched": simple(["ports", "W", "M", "steps % longer",
                                         *(f"after {steps}" for steps in HORIZONS)], matched)}, values


def placed(port, sliced, colocated):
    """VGG-11 with an eighth of its bytes and devices that are eight times as fast."""
    settings = {**of_profile(PLACED_WORKERS, PLACED_SERVERS, port), "job.scale": PLACED_SCALE,
                **(UNEQUAL_STEPS if colocated and not sliced else STEPS),
                "job.devices": f"{{cpu: {{speed: {1 / PLACED_SCALE:g}}}}}", "transfer.window": f"{28e6 * PLACED_SCALE:.0f}B",
                "job.step_jitter": f"{3e3 * PLACED_SCALE:g}us", "job.placement": "greedy"}
    if sliced:
        settings["transfer.partition"] = f"{SLICE * PLACED_SCALE:.0f}B"
    if colocated:
        settings["network.colocate"] = "{" + ", ".join(f"ps{i}: worker{i}" for i in range(PLACED_SERVERS)) + "}"
    return settings


def placement(folder):
    """Whole tensors against slices of them, and servers on hosts of their own against on those of workers."""
    rows, found, faster = [], {}, []
    for port in job.PORTS:
        for hosts, colocated in HOSTS:
            for tensors, sliced in PLACEMENTS:
                settings = {**placed(port, sliced, colocated), "replications": MODEL_RUNS,
                            "packet.replications": PLACED_RUNS}
                results = job.run_once(folder, f"placed-{port}-{colocated:d}-{sliced:d}", settings, "both")
                row = [port, hosts, tensors]
                for engine in ("fair-share", "packet"):
                    runs, orders = throughputs_of(results, engine)
                    found[port, colocated, sliced, engine] = [value * PLACED_SCALE for value in runs]
                    row += [Mean.of(found[port, colocated, sliced, engine]).text(3), f"{sum(orders) / len(orders):.2f}"]
                gain = None
                if sliced:
                    gain = Mean.of_difference(*(found[port, colocated, each, "packet"] for each in (True, False)))
                    faster.append((f"{port} ports, servers on {hosts} hosts", gain))
                rows.append([*row, "" if gain is None else gain.text(3, sign="+")])
                print(*rows[-1], flush=True)
    heading = ["ports", "hosts", "tensors", "fair-share", "order", "packets", "order", "slices less whole"]
    return {"placement": simple(heading, rows)}, {"placement-said": placement_said(faster)}


def placement_said(gains):
    """A sentence about (where, by how much slices are faster) in packets."""
    kinds = (("faster", lambda gain: gain.certain and gain.value > 0),
             ("slower", lambda gain: gain.certain and gain.value < 0),
             ("neither faster nor slower for certain", lambda gain: not gain.certain))
    told_kinds = [f"{name} ({'; '.join(where for where, gain in gains if belongs(gain))})"
                  for name, belongs in kinds if any(belongs(gain) for _, gain in gains)]
    return "In packets slices are " + ", ".join(told_kinds) + "."


def variant_name(variant):
    """What the scenario of several servers varies, as cells of a row."""
    return ("workers'" if "network.colocate" in variant else "own",
            "slices" if variant.get("transfer.partition", "off") != "off" else "whole",
            variant.get("job.parameter_servers", str(PLACED_SERVERS)),
            "fair" if "fair" in variant["network.queue"] else "FIFO")


def multi_ps(folder):
    """The whole scenario of several servers, in fair-share."""
    results = dml.run(MULTI_PS, os.path.join(folder, "run"), engine="fair-share", jobs=1, force=True)
    found, workers = {}, sorted({case["workers"] for case in results.cases})
    for case in results.cases:
        runs = [run["throughput"] for run in case["engines"]["fair-share"]["replications"] if run["throughput"]]
        found.setdefault(variant_name(case["variant"]), {})[case["workers"]] = Mean.of(runs).text(3)
    rows = [[*name, *(cells.get(count, "-") for count in workers)] for name, cells in found.items()]
    return {"multi-ps": simple(["hosts", "tensors", "M", "ports", *(f"W = {count}" for count in workers)], rows)}, {}
