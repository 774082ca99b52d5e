#
# Copyright (c) 2026 The dml authors
#
# SPDX-License-Identifier: GPL-2.0-only

"""LB-BSP (SoCC 2020), Fig. 10: speeds that LB-BSP expects of shared machines, and real ones."""

import math
import os
from collections import defaultdict

from study_intervals import Mean
from sync_studies.runs import EngineRun
from testbed_compare.errors import InputError
from testbed_compare.tables import read_rows
from validation_report.plots import COLOURS, block, draw
from validation_report.tables import simple
from validation_study.settings import PROFILES

NAME = "predictions"
SCENARIO = "lb-bsp/cluster-b.yaml"
WORKERS = 32
REPLICATIONS = 5
TRAINED = 502  # from this iteration on NARX is at work
STEPS = 1300
SHOWN = (1200, 1300)  # the iterations of the picture, as in the paper
MACHINE = 0  # in the picture, an m4.2xlarge
PREDICTORS = {"last": "last", "ema": "EMA", "narx": "NARX"}
# a graph with a tenth of ResNet-50's tensors, as only computing matters; its 4.9 MB take as long as
# 2.0 MB at 10 Gbit/s
GRAPH = ("job.profile=" + os.path.relpath(os.path.join(PROFILES, "alexnet-b4.yaml")),
         "network.rate=24Gbps")
COLUMNS = ("replication", "worker", "step", "start", "batch", "done")


def make_run(predictor):
    return EngineRun(predictor, SCENARIO, (
        f"name={predictor}", *GRAPH, f"job.steps={STEPS}", f"job.warmup={TRAINED}",
        f"replications={REPLICATIONS}", f"job.batch_control={{cpu: {predictor}}}"),
                     engine="fair-share")


RUNS = tuple(map(make_run, PREDICTORS))


def read_speeds(folder):
    """{replication: {step: {worker: (speed, samples)}}}; speeds are in samples/s of work."""
    path = os.path.join(folder, "steps.csv")
    found = defaultdict(lambda: defaultdict(dict))
    for place, row in read_rows(path, COLUMNS):
        try:
            samples, seconds = int(row["batch"]), float(row["done"]) - float(row["start"])
            found[int(row["replication"])][int(row["step"])][int(row["worker"])] = (
                samples / seconds, samples)
        except (TypeError, ValueError, ZeroDivisionError) as error:
            raise InputError(f"{place}: found a row that is no step; accepted is "
                             f"{','.join(COLUMNS)}") from error
    return found


def expected(step, worker):
    """The speed that a worker's batch is right for, if the sum of all speeds was foreseen."""
    total = sum(samples for _, samples in step.values())
    return step[worker][1] / total * sum(speed for speed, _ in step.values())


def errors(steps):
    """expected / real - 1 of all workers, once NARX is at work."""
    return [expected(step, worker) / step[worker][0] - 1
            for number, step in steps.items() if number >= TRAINED for worker in step]


def root_mean_square(values):
    return math.sqrt(sum(value * value for value in values) / len(values))


def slowest(steps):
    """How much longer iterations take than with the right batch sizes, in the mean."""
    found = [max(samples / speed for speed, samples in step.values())
             / (sum(samples for _, samples in step.values())
                / sum(speed for speed, _ in step.values()))
             for number, step in steps.items() if number >= TRAINED]
    return sum(found) / len(found)


MEASURES = {"error": lambda steps: root_mean_square(errors(steps)), "time": slowest}


def measured(found):
    """(mean, ratio to the last speed by pairs of replications) by predictor and measure."""
    cells = {}
    for name, measure in MEASURES.items():
        values = {each: [measure(steps) for steps in found[each].values()] for each in PREDICTORS}
        for each in PREDICTORS:
            cells[each, name] = (Mean.of(values[each]).text(3), "1" if each == "last" else
                                 Mean.of_pairs(values[each], values["last"]).text(2))
    return cells


def error_table(cells):
    rows = [[title, *(part for name in MEASURES for part in cells[predictor, name])]
            for predictor, title in PREDICTORS.items()]
    return simple(["predictor", "error", "over last", "iteration", "over last"], rows)


def draw_speeds(found, path):
    """Speeds of a machine in the first replication, a panel for each predictor."""
    commands, panels = "", ""
    for p, (predictor, name) in enumerate(PREDICTORS.items()):
        steps = found[predictor][0]
        commands += block(f"d{p}", [(k, steps[k][MACHINE][0], expected(steps[k], MACHINE))
                                    for k in range(*SHOWN)])
        panels += (f"set title '{name}'\n"
                   + ("set key top right\n" if p == 0 else "unset key\n")
                   + ("set xlabel 'iteration'\n" if p == len(PREDICTORS) - 1 else "")
                   + f"plot $d{p} using 1:2 with lines lw 2 lc rgb '{COLOURS[0]}' title 'real', "
                   f"$d{p} using 1:3 with lines lw 2 lc rgb '{COLOURS[1]}' title 'expected'\n")
    return draw(path, 800, 720, commands + f"set xrange [{SHOWN[0]}:{SHOWN[1]}]\n"
                "set yrange [0:175]\nset ytics 50\nset ylabel 'samples/s'\n"
                f"set multiplot layout {len(PREDICTORS)},1\n" + panels + "unset multiplot\n")


def report(results, picture):
    """(tables, whether each picture was drawn, values); `picture` gives the path of a name."""
    found = {predictor: read_speeds(os.path.join(results.root, predictor))
             for predictor in PREDICTORS}
    cells = measured(found)
    values = {f"{predictor}-{name}": cells[predictor, name][1] for predictor in ("ema", "narx")
              for name in MEASURES}
    return ({"errors": error_table(cells)}, {"speeds": draw_speeds(found, picture("speeds"))},
            values)
