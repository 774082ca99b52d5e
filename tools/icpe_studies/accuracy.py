#
# Copyright (c) 2026 The dml authors
#
# SPDX-License-Identifier: GPL-2.0-only

"""Predictions of throughput over W beside packets, which stand for the paper's measured runs."""

import math
import os
import statistics
from dataclasses import dataclass

from order_studies.runs import Run, scaled_window
from study_intervals import Mean
from validation_report.plots import COLOURS, block, draw
from validation_report.study import ENGINES
from validation_report.tables import simple
from validation_study.settings import (DELAYED_ACK, LEAST_RTO, MIN_RTO, PROFILES, STEP_JITTER,
                                       nanoseconds)

WINDOW = 28  # MB, of the full-size job
BASELINES = ("lin", "cynthia")
PANELS = 4  # in a row


@dataclass(frozen=True)
class Job:
    """A job at a scale that packets can afford; numbers are those of the full-size one."""

    name: str
    profile: str
    scale: float
    scenario: str = "icpe"
    settings: tuple = ()
    servers: int = 1
    workers: tuple = (1, 2, 4, 8)
    replications: int = 3

    @property
    def run(self):
        return Run(self.name, self.scenario, (
            f"name={self.name}", f"replications={self.replications}", f"job.workers={list(self.workers)}",
            f"job.profile={os.path.relpath(os.path.join(PROFILES, self.profile + '.yaml'))}",
            f"job.scale={self.scale!r}", f"job.parameter_servers={self.servers}",
            "job.steps=8", "job.warmup=2",
            f"job.step_jitter={nanoseconds(STEP_JITTER * self.scale)}",
            f"transfer.window={scaled_window(WINDOW, self.scale)}", "packet.fast_forward=false",
            "network.tcp={trains: true, min_rto: %s, delayed_ack_timeout: %s}" % (
                nanoseconds(max(MIN_RTO * self.scale, LEAST_RTO)),
                nanoseconds(DELAYED_ACK * self.scale)), *self.settings))


@dataclass(frozen=True)
class Point:
    """A job with W workers."""

    job: str
    workers: int
    runs: dict  # samples/s of the full-size job by engine, a list with those of each replication
    baselines: dict  # samples/s of the full-size job by name

    @property
    def throughput(self):
        """By engine."""
        return {engine: Mean.of(values) for engine, values in self.runs.items()}

    def predicted(self, name):
        """samples/s in each replication; a model from the literature says always the same."""
        return self.runs.get(name) or [self.baselines[name]] * len(self.runs["packet"])

    def off(self, name):
        """Of a prediction against packets."""
        return Mean.of_ratios(self.predicted(name), self.runs["packet"])

    @property
    def error(self):
        """Of fair-share against packets."""
        return self.off("fair-share")

    def surely_within(self, limit):
        """Whether the error's whole interval is."""
        return self.error.half is not None and max(-self.error.low, self.error.high) <= limit

    def sizes(self, name):
        """Of the error in each replication."""
        return [abs(value / real - 1) for value, real in zip(self.predicted(name), self.runs["packet"])]


def points(results, jobs):
    """By (job, W)."""
    found = {}
    for job in jobs:
        folder = results[job.name]
        for workers in job.workers:
            runs = {engine: [value * job.scale for value in folder.throughputs(workers, engine)]
                    for engine in ENGINES}
            baselines = folder.case(workers)["baselines"]
            found[job.name, workers] = Point(
                job.name, workers, runs, {name: baselines[name] * job.scale for name in BASELINES})
    return found


def table(found):
    """A row for each job and W."""
    rows = []
    for (job, workers), point in found.items():
        digits = max(0, 2 - math.floor(math.log10(point.throughput["packet"].value)))
        rows.append([job, str(workers), point.throughput["packet"].text(digits), point.error.percent,
                     *(point.off(name).percent for name in BASELINES)])
    return simple(["job", "W", "packets", "fair-share, %", "Lin, %", "Cynthia, %"], rows)


def worst(found):
    return max(found.values(), key=lambda point: abs(point.error.value))


def values(found, prefix=""):
    """What the text and the paper's coverage say. A mean size is that of all cases in a replication."""
    def mean_size(points_of, name, digits):
        by_case = [point.sizes(name) for point in points_of]
        return Mean.of(map(statistics.fmean, zip(*by_case, strict=True))).text(digits, 100)

    errors = [abs(point.error.value) for point in found.values()]
    many = [point for point in found.values() if point.workers > 1]
    most = worst(found)
    return {prefix + "cases": str(len(found)),
            prefix + "within-10": str(sum(error <= 0.1 for error in errors)),
            prefix + "within-20": str(sum(error <= 0.2 for error in errors)),
            prefix + "surely-20": str(sum(point.surely_within(0.2) for point in found.values())),
            prefix + "worst": most.error.percent,
            prefix + "worst-case": f"{most.job}, W={most.workers}",
            prefix + "mean": mean_size(found.values(), "fair-share", 1),
            **{f"{prefix}{name}-mean": mean_size(many, name, 0) for name in BASELINES},
            prefix + "many-mean": mean_size(many, "fair-share", 1)}


def legend():
    """Names in the colours of their lines, above all panels."""
    return "".join(f"set label '{name}' at screen {0.2 + 0.2 * i},0.97 center tc rgb '{COLOURS[i]}'\n"
                   for i, name in enumerate(("packets", "fair-share", "Lin et al.", "Cynthia")))


def draw_jobs(found, jobs, path):
    """samples/s over W, a panel for each job."""
    commands, rows = "", -(-len(jobs) // PANELS)
    plots = ""
    for j, job in enumerate(jobs):
        mine = [found[job.name, workers] for workers in job.workers]
        lines = []
        commands += block(f"m{j}", [(p.workers, p.throughput["packet"].value,
                                     p.throughput["packet"].low,
                                     p.throughput["packet"].high) for p in mine])
        lines.append(f"$m{j} using 1:2:3:4 with yerrorlines lw 2 pt 7 ps 0.5 lc rgb '{COLOURS[0]}' "
                     "notitle")
        series = [[p.throughput["fair-share"].value for p in mine],
                  *([p.baselines[name] for p in mine] for name in BASELINES)]
        for s, ys in enumerate(series, 1):
            commands += block(f"s{j}x{s}", [(w, y) for w, y in zip(job.workers, ys)])
            lines.append(f"$s{j}x{s} using 1:2 with linespoints lw 2 dt {s + 1} pt {s + 4} ps 0.6 "
                         f"lc rgb '{COLOURS[s]}' notitle")
        top = 1.25 * max(p.throughput["packet"].high for p in mine)
        plots += (f"set title '{job.name}'\nset yrange [0:{top:.4g}]\n"
                  + (legend() if j == 0 else "unset label\n")
                  + ("set ylabel 'samples/s'\n" if j % PANELS == 0 else "unset ylabel\n")
                  + "plot " + ", ".join(lines) + "\n")
    return draw(path, 900, 240 * rows + 40,
                f"{commands}set xrange [0.5:{jobs[0].workers[-1] + 0.5}]\n"
                f"set xtics ({', '.join(map(str, jobs[0].workers))})\n"
                f"set multiplot layout {rows},{min(PANELS, len(jobs))} title ' '\n{plots}"
                "unset multiplot\n")
