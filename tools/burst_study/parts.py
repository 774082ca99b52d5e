#
# Copyright (c) 2026 The dml authors
#
# SPDX-License-Identifier: GPL-2.0-only

"""The parts of the study: cells that packets have run, the flagship at full size, and speed. Each gives tables and
values."""

import math
import os
import statistics

import dml
from burst_study import kernel as kernel_ports
from burst_study.errors import logarithms, mean_error, text_of
from burst_study.full_size import full_size
from burst_study.law import law
from burst_study.lb_bsp import lb_bsp
from burst_study.matched import matched
from burst_study.shares import latecomers, shares
from burst_study.virtual import virtual
from matched_study import store
from matched_study.cells import SCENARIO
from matched_study.factors import PORTS, PROFILES, ROOT
from study_intervals import LEAST_FOR_INTERVAL
from validation_report import stored
from validation_report.tables import simple

RUNS = 20  # of bursts, a cell
PAGE = os.path.join(ROOT, "doc", "bursts.rst")
FLAGSHIP = os.path.join(ROOT, "scenarios", "alexnet-1gbps", "scenario.yaml")


def engine_runs(folder, name, cell, engine, settings):
    """The replications of a cell by an engine."""
    chosen = {**cell.settings(), "replications": RUNS, **settings}
    chosen.pop("packet.replications", None)
    results = dml.run(SCENARIO, os.path.join(folder, name), engine=engine, settings=chosen, force=True)
    case, = results.cases
    return case["engines"][engine]["replications"]


def cells(folder):
    """Throughputs of the cells of doc/validation.rst, by fair-share's rules and by bursts, against packets."""
    rows, groups, spent, packets_spent = [], {}, 0.0, 0.0
    for record in store.read():
        cell = store.cell_of(record)
        packets = logarithms(record["runs"])
        if len(packets) < LEAST_FOR_INTERVAL:
            continue
        found = {}
        for rule, engine, settings in (("max-min", "fair-share", {"fair_share.sharing": "max-min"}),
                                       ("drop-tail", "fair-share", {"fair_share.sharing": "drop-tail"}),
                                       ("bursts", "burst", {})):
            runs = engine_runs(folder, "run", cell, engine, settings)
            sample = logarithms(runs)
            found[rule] = mean_error(sample, packets) if len(sample) >= LEAST_FOR_INTERVAL else (math.nan,) * 3
            if engine == "burst":
                spent += sum(run["timing"]["cpu_seconds"] for run in runs)
        packets_spent += record["cpu_seconds"]
        rows.append([cell.name, *(text_of(*found[rule]) for rule in found)])
        groups.setdefault(cell.port, []).append(found)
    rows.sort()
    summary = []
    for port in PORTS:
        members = groups.get(port, [])
        if not members:
            continue
        row = [port, str(len(members))]
        for rule in ("max-min", "drop-tail", "bursts"):
            errors = sorted(abs(found[rule][0]) for found in members)
            row += [f"{statistics.median(errors):.1f}", f"{errors[-1]:.1f}"]
        summary.append(row)
    heading = ["cell", "max-min", "drop-tail", "bursts"]
    by_port = ["port", "cells", "max-min: median", "largest", "drop-tail: median", "largest", "bursts: median", "largest"]
    return ({"cells": simple(heading, rows), "ports": simple(by_port, summary)},
            {"cells": str(len(rows)), "cells-cpu": f"{spent:.0f}", "packets-cpu": f"{packets_spent / 60:.0f}"})


def flagship(folder):
    """The flagship with 100 steps, 50 of them warm-up, at full size."""
    settings = {"job.steps": 100, "job.warmup": 50, "replications": 5, "output.plots": False}
    results = dml.run(FLAGSHIP, os.path.join(folder, "full"), engine="fair-share,burst", settings=settings, force=True)
    rows, spent, moved = [], 0.0, 0.0
    for case in results.cases:
        row = [str(case["workers"])]
        for engine in ("fair-share", "burst"):
            found = case["engines"][engine]
            row += [f"{found['mean']:.3f}", f"{found['ci95']:.3f}"]
        burst = case["engines"]["burst"]["replications"]
        seconds = sum(run["timing"]["cpu_seconds"] for run in burst)
        size = sum(run["simulated_bytes"] for run in burst)
        spent, moved = spent + seconds, moved + size
        rows.append([*row, f"{seconds:.1f}", f"{size / seconds / 1e9:.0f}"])
    heading = ["W", "drop-tail", "+-", "bursts", "+-", "CPU, s", "GB/s"]
    return {"flagship": simple(heading, rows)}, {"flagship-cpu": f"{spent:.0f}",
                                                 "flagship-speed": f"{moved / spent / 1e9:.0f}"}


def packets(folder):
    """The flagship in packets, with fewer steps and runs."""
    rows, spent = [], 0.0
    for workers in (2, 4):
        settings = {"job.workers": workers, "job.steps": 30, "job.warmup": 12, "replications": 4, "output.plots": False,
                    "output.trace": False}
        results = dml.run(FLAGSHIP, os.path.join(folder, str(workers)), engine="packet", settings=settings, force=True)
        case, = results.cases
        found = case["engines"]["packet"]
        spent += sum(run["timing"]["cpu_seconds"] for run in found["replications"])
        rows.append([str(workers), f"{found['mean']:.3f}", f"{found['ci95']:.3f}"])
    return {"packets": simple(["W", "packets", "+-"], rows)}, {"flagship-packets": f"{spent / 60:.0f}"}


SMALL_PORT = {
    "job.profile": os.path.join(PROFILES, "mobilenet-v2-b8.yaml"), "job.scale": 0.25, "job.workers": 16, "job.steps": 12,
    "job.warmup": 2, "job.start": "staggered", "network.rate": "200Mbps", "replications": 2, "packet.replications": 2,
    "host.replications": 2, "output.plots": False}
# What leaves a host together, the engines that can do so, and how ports drop it.
SENT_TOGETHER = {
    "bursts": ("burst,packet,host", "{drop_tail: 64KB, whole_bursts: true}", "{trains: true}"),
    "segments": ("burst,packet,host", "{drop_tail: 64KB}", "{trains: false, gso: 0B}"),
    "segments of bursts": ("burst,packet", "{drop_tail: 64KB}", "{trains: false}"),
}
COUNTS = ("timeouts", "fast_recoveries", "retransmissions", "drops")


def kernel(folder):
    """How connections on a small port repair losses: by this machine's kernel, by packets, and by bursts."""
    rows = []
    for name, (engines, queue, tcp) in SENT_TOGETHER.items():
        settings = {**SMALL_PORT, "network.queue": queue, "network.tcp": tcp}
        results = dml.run(SCENARIO, os.path.join(folder, name.replace(" ", "-")), engine=engines, settings=settings, force=True)
        case, = results.cases
        for engine in reversed(engines.split(",")):
            runs = case["engines"][engine]["replications"]
            rows.append([name, engine, *(", ".join(str(run[key]) for run in runs) for key in COUNTS)])
    heading = ["dropped at ports", "engine", "timeouts", "recoveries", "retransmissions", "drops"]
    return {"kernel": simple(heading, rows)}, {}


def law_of_shares(folder):
    """How unequally a port is shared, judged by the packets that the part "shares" has kept."""
    return law(folder, stored.read(PAGE)["shares"].tables["shares"])


PARTS = {"cells": cells, "matched": matched, "flagship": flagship, "packets": packets, "kernel": kernel,
         "shares": shares, "late": latecomers, **kernel_ports.PARTS, "law": law_of_shares, "full-size": full_size, "lb-bsp": lb_bsp, "virtual": virtual}
