#
# Copyright (c) 2026 The dml authors
#
# SPDX-License-Identifier: GPL-2.0-only

"""LB-BSP (SoCC 2020), Fig. 11: what it costs to ask for a batch size before each step."""

import os
import statistics
from collections import defaultdict

from study_intervals import Mean
from sync_studies.runs import EngineRun
from testbed_compare.errors import InputError
from testbed_compare.report import quantile
from testbed_compare.tables import read_rows
from validation_report.plots import COLOURS, block, draw
from validation_report.study import ENGINES
from validation_report.tables import simple

NAME = "overhead"
SCENARIO = "lb-bsp/cluster-b.yaml"
WORKERS = (32, 64, 96)
STEPS = 4
REPLICATIONS = 3
SCALE = 0.002  # a tenth of ResNet-32's bytes: at the barrier nothing is sent but batch sizes
CONTROLS = {"off": "off", "on": "{cpu: last}"}
COLUMNS = ("engine", "replication", "worker", "step", "start", "end")


def run_name(control, workers):
    return f"{control}-{workers}"


def make_run(control, workers):
    """Equal workers of 8 cores that all replay the same step, of 1 s."""
    name = run_name(control, workers)
    return EngineRun(name, SCENARIO, (
        f"name={name}", f"job.scale={SCALE}", f"job.devices={{cores-8: {{rate: {128 * SCALE:g}}}}}",
        "job.worker_devices=cores-8", f"job.sampling={[[0]] * workers}", f"job.workers={workers}",
        f"job.steps={STEPS}", "job.warmup=1", f"replications={REPLICATIONS}",
        f"job.batch_control={CONTROLS[control]}"))


RUNS = tuple(make_run(control, workers) for workers in WORKERS for control in CONTROLS)


def read_steps(folder):
    """(start, end), s, by (worker, step): of each engine a list with those of each replication."""
    path, found = os.path.join(folder, "steps.csv"), {}
    for place, row in read_rows(path, COLUMNS):
        try:
            steps = found.setdefault(row["engine"], defaultdict(dict))[int(row["replication"])]
            steps[int(row["worker"]), int(row["step"])] = float(row["start"]), float(row["end"])
        except (TypeError, ValueError) as error:
            raise InputError(f"{place}: found a row that is no step; accepted is "
                             f"{','.join(COLUMNS)}") from error
    return {engine: list(by_replication.values()) for engine, by_replication in found.items()}


def pauses(steps):
    """From the end of each worker's step to the begin of its next one, s."""
    return [steps[worker, step + 1][0] - end for (worker, step), (_, end) in steps.items()
            if (worker, step + 1) in steps]


def iteration(steps):
    """Mean time of the iterations after the first one, s."""
    ends = defaultdict(float)
    for (_, step), (_, end) in steps.items():
        ends[step] = max(ends[step], end)
    return (ends[max(ends)] - ends[0]) / max(ends)


def overheads(results):
    """By number of workers and engine, lists with one of each replication: the iteration without control, s,
    how much longer it is with control, and pauses, s."""
    found = {}
    for workers in WORKERS:
        off, on = (read_steps(os.path.join(results.root, run_name(control, workers)))
                   for control in CONTROLS)
        for engine in ENGINES:
            without, more = ([iteration(steps) for steps in each[engine]] for each in (off, on))
            found[workers, engine] = (without, Mean.of_gains(more, without), list(map(pauses, on[engine])))
    return found


def parts(seconds, waits):
    """(mean, 5th and 95th percentile) of pauses as parts of the iteration, in per mille: the mean of each
    replication as Mean, the percentiles of all."""
    means = Mean.of(1000 * statistics.fmean(each) / time for each, time in zip(waits, seconds, strict=True))
    every = [1000 * wait / time for each, time in zip(waits, seconds) for wait in each]
    return means, *(quantile(every, part) for part in (0.05, 0.95))


def overhead_table(found):
    """Packets: pauses in per mille of the iteration, and what the control adds to it."""
    rows = []
    for workers in WORKERS:
        seconds, more, waits = found[workers, "packet"]
        mean, *percentiles = parts(seconds, waits)
        rows.append([str(workers), Mean.of(seconds).text(4), mean.text(3),
                     *(f"{each:.3f}" for each in percentiles), more.text(3, 1000)])
    return simple(["W", "BSP, s", "pause", "5 %", "95 %", "iteration"], rows)


def draw_pauses(found, path):
    """Packets: pauses over the iteration, with the 5th and the 95th percentile."""
    rows = []
    for w, workers in enumerate(WORKERS):
        seconds, _, waits = found[workers, "packet"]
        mean, *percentiles = parts(seconds, waits)
        rows.append((w, mean.value, *percentiles))
    ticks = ", ".join(f"'{workers}' {w}" for w, workers in enumerate(WORKERS))
    return draw(path, 560, 360, block("d", rows) + f"set xrange [-0.5:{len(WORKERS) - 0.5}]\n"
                f"set yrange [0:*]\nset xtics ({ticks})\nset xlabel 'Workers W'\n"
                "set ylabel 'pause / iteration (per mille)'\nunset key\n"
                f"plot $d using 1:2:(0.5) with boxes fs solid noborder lc rgb '{COLOURS[0]}', "
                "$d using 1:2:3:4 with yerrorbars pt 0 lw 1.5 lc rgb '#000000'\n")


def report(results, picture):
    """(tables, whether each picture was drawn, values); `picture` gives the path of a name."""
    found = overheads(results)
    largest = max(max(each) / time for seconds, _, waits in found.values()
                  for each, time in zip(waits, seconds))
    return ({"pauses": overhead_table(found)}, {"pauses": draw_pauses(found, picture("pauses"))},
            {"largest": f"{100 * largest:.3f}",
             "iteration": f"{statistics.fmean(found[WORKERS[0], 'packet'][0]):.2f}",
             "fair-share": f"{max(max(each) for workers in WORKERS for each in found[workers, 'fair-share'][2]):g}",
             "seeds": str(REPLICATIONS),
             **{f"pause-{workers}": Mean.of(1e6 * statistics.fmean(each)
                                            for each in found[workers, "packet"][2]).text(1)
                for workers in WORKERS}})
