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
# Packet replications by the number of servers: those of one server differ more from each other.
FULL_WORKERS, FULL_RUNS = 4, {1: 6, 4: 4}
FIFO_WORKERS, FIFO_RUNS = 2, {1: 12, 4: 6}
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


def versus(folder, name, settings, runs):
    """Samples/s and order parameters of both engines by (engine, servers), and the results by servers. `settings` gives
    those of a number of servers, `runs` packet replications."""
    found, kept = {}, {}
    for servers, count in runs.items():
        kept[servers] = job.run_once(folder, f"{name}-{servers}", {**settings(servers), **STEPS, "replications": MODEL_RUNS,
                                                                   "packet.replications": count}, "both")
        for engine in ("fair-share", "packet"):
            found[engine, servers] = throughputs_of(kept[servers], engine)
    return found, kept


def matched_row(servers, results):
    """By how much packets' steps take longer than the model's: each from when it began, and after some steps more."""
    drifts = match_table(results, "--horizon=" + ",".join(map(str, HORIZONS)))
    values = [[float(row["raw_percent"]) for row in match_table(results)],
              *([float(row["longer_percent"]) for row in drifts if int(row["horizon"]) == steps and row["longer_percent"]]
                for steps in HORIZONS)]
    return [str(servers), *(Mean.of(each).text(2, sign="+") if each else "-" for each in values)]


def full_size(folder):
    """One server against four at full size on fair ports, in both engines, and each packet step from when it began."""
    found, kept = versus(folder, "full-fair", lambda servers: of_profile(FULL_WORKERS, servers, "fair"), FULL_RUNS)
    rows = [[engine, *compared(found, engine)] for engine in ("fair-share", "packet")]
    few, many = controlled(found)  # runs of one seed go together, as shares are not random
    difference = many.less_independent(few)
    rows.append(["controlled", *(each.text(3) for each in (few, many)), difference.text(3, sign="+"), "", ""])
    values = dict(zip((f"full-fair-{name}" for name in ("one", "four", "difference")), rows[-1][1:4]))
    values["full-size-said"] = told(f"In packets of {FULL_WORKERS} workers on fair ports", difference)
    matched = [matched_row(servers, results) for servers, results in kept.items()]
    return {"full-size": simple(["engine", *HEADING], rows),
            "full-size-matched": simple(["M", "steps % longer", *(f"after {steps}" for steps in HORIZONS)], matched)}, values


def fifo(folder):
    """One server against four on FIFO ports, made smaller."""
    found, _ = versus(folder, "fifo", lambda servers: made_smaller(of_profile(FIFO_WORKERS, servers, "FIFO")), FIFO_RUNS)
    found = {key: ([value * PLACED_SCALE for value in speeds], orders) for key, (speeds, orders) in found.items()}
    rows = [[engine, *compared(found, engine)] for engine in ("fair-share", "packet")]
    said = told(f"In packets of {FIFO_WORKERS} workers on FIFO ports",
                Mean.of_difference(found["packet", 4][0], found["packet", 1][0]))
    return {"fifo": simple(["engine", *HEADING], rows)}, {"fifo-said": said}


def made_smaller(settings):
    """An eighth of the bytes, and devices that are eight times as fast."""
    return {**settings, "job.scale": PLACED_SCALE, "job.devices": f"{{cpu: {{speed: {1 / PLACED_SCALE:g}}}}}",
            "transfer.window": f"{28e6 * PLACED_SCALE:.0f}B", "job.step_jitter": f"{3e3 * PLACED_SCALE:g}us"}


def placed(port, sliced, colocated):
    """VGG-11 made smaller, with as many servers as workers."""
    settings = {**made_smaller(of_profile(PLACED_WORKERS, PLACED_SERVERS, port)), "job.placement": "greedy",
                **(UNEQUAL_STEPS if colocated and not sliced else STEPS)}
    if sliced:
        settings["transfer.partition"] = f"{SLICE * PLACED_SCALE:.0f}B"
    if colocated:
        settings["network.colocate"] = "{" + ", ".join(f"ps{i}: worker{i}" for i in range(PLACED_SERVERS)) + "}"
    return settings


def placement(folder):
    """Whole tensors against slices of them, and servers on hosts of their own against on those of workers."""
    rows, found, faster, inside = [], {}, [], 0
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
                model, packets = (Mean.of(found[port, colocated, sliced, engine]) for engine in ("fair-share", "packet"))
                inside += packets.low <= model.value <= packets.high
                gain = None
                if sliced:
                    gain = Mean.of_difference(*(found[port, colocated, each, "packet"] for each in (True, False)))
                    faster.append((f"{port} ports, servers on {hosts} hosts", gain))
                rows.append([*row, "" if gain is None else gain.text(3, sign="+")])
                print(*rows[-1], flush=True)
    heading = ["ports", "hosts", "tensors", "fair-share", "order", "packets", "order", "slices less whole"]
    return {"placement": simple(heading, rows)}, {
        "placement-said": placement_said(faster), "placement-inside": str(inside), "placement-rows": str(len(rows))}


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
