#
# Copyright (c) 2026 The dml authors
#
# SPDX-License-Identifier: GPL-2.0-only

"""TicTac (MLSys 2019), Fig. 12: what the scheduling efficiency says of the time of a step, and how
much steps differ."""

import statistics

from order_studies.runs import Run, full_profile
from study_intervals import Mean
from testbed_compare.report import quantile
from validation_report.plots import COLOURS, block, draw
from validation_report.tables import simple

NAME = "tictac-consistency"
MODEL = "inception-v3"  # the paper: Inception v2
WORKLOADS = ("training", "inference")
ORDERS = ("shuffled", "tac")
STEPS = 100
REPLICATIONS = 5
POINTS = 150  # of each order in the picture
PAPER_SLOW = {"shuffled": 0.634, "tac": 0.998}  # normalised steps, inference
PAPER_R2 = 0.98


def run_name(workload):
    return f"steps-{workload}"


def make_run(workload):
    name = run_name(workload)
    return Run(name, "tictac", (f"name={name}", *full_profile(MODEL), f"job.workload={workload}",
                                "job.workers=[1]", f"job.steps={STEPS}",
                                f"replications={REPLICATIONS}", "output.ops=true",
                                f"sweep={{transfer.policy: [{', '.join(ORDERS)}]}}"), "fair-share")


RUNS = tuple(make_run(workload) for workload in WORKLOADS)


class Step:
    """One step of the only worker."""

    def __init__(self):
        self.begin, self.end = float("inf"), 0.0
        self.used = {}  # s, by resource

    def add(self, resource, begin, end):
        self.begin, self.end = min(self.begin, begin), max(self.end, end)
        self.used[resource] = self.used.get(resource, 0.0) + end - begin

    @property
    def seconds(self):
        return self.end - self.begin

    @property
    def efficiency(self):
        """E = (U - m) / (U - L), equation 3; None where one resource has all the work."""
        total, most = sum(self.used.values()), max(self.used.values())
        return (total - self.seconds) / (total - most) if total > most else None


def read_steps(rows):
    """Steps by (order, replication), from the rows of ops.csv."""
    found = {}
    for row in rows:
        order = row["variant"].partition("=")[2]
        steps = found.setdefault((order, row["replication"]), {})
        step = steps.setdefault(row["step"], Step())
        step.add(row["resource"], float(row["start"]), float(row["end"]))
    return {key: list(steps.values()) for key, steps in found.items()}


def r_squared(points):
    """Of the least-squares line through (x, y)."""
    x, y = zip(*points)
    mean_x, mean_y = statistics.fmean(x), statistics.fmean(y)
    both = sum((a - mean_x) * (b - mean_y) for a, b in points)
    return both ** 2 / (sum((a - mean_x) ** 2 for a in x) * sum((b - mean_y) ** 2 for b in y))


def mean_text(values, digits=3):
    return Mean.of(values).text(digits)


def replications(steps):
    return sorted({replication for _, replication in steps})


def shortest(steps):
    """The shortest step of a workload, s, in whatever order."""
    return min(step.seconds for group in steps.values() for step in group)


def regression(steps):
    """R^2 of each replication, both orders together."""
    best = shortest(steps)
    return [r_squared([(step.efficiency, best / step.seconds) for order in ORDERS
                       for step in steps[order, replication]]) for replication in replications(steps)]


def own_regression(steps):
    """The same against the least time of each step's own ops, L, instead of the shortest step."""
    return [r_squared([(step.efficiency, max(step.used.values()) / step.seconds) for order in ORDERS
                       for step in steps[order, replication]]) for replication in replications(steps)]


def slow(steps, order):
    """Of each replication: the shortest step over the one that 95 % do not exceed."""
    best = shortest(steps)
    return [best / quantile([step.seconds for step in steps[order, replication]], 0.95)
            for replication in replications(steps)]


def deviation(steps, order):
    """Standard deviation of a replication's steps over their mean, in per cent."""
    times = [[step.seconds for step in steps[order, replication]]
             for replication in replications(steps)]
    return [100 * statistics.stdev(each) / statistics.fmean(each) for each in times]


def efficiencies(steps, order):
    return [statistics.fmean(step.efficiency for step in steps[order, replication])
            for replication in replications(steps)]


def table(found):
    rows = []
    for workload in WORKLOADS:
        steps = found[workload]
        for order in ORDERS:
            rows.append([workload, order, mean_text(efficiencies(steps, order)),
                         mean_text(deviation(steps, order), 1), mean_text(slow(steps, order))])
    rows += [["the paper, inference", order, "", "", f"{PAPER_SLOW[order]:.3f}"] for order in ORDERS]
    return simple(["workload", "order", "E", "deviation, %", "normalised step, 95 %"], rows)


def draw_steps(found, path):
    """Fig. 12: E and the normalised step to the left (training), their distribution to the right
    (inference)."""
    commands, lines = "", {workload: [] for workload in WORKLOADS}
    for workload in WORKLOADS:
        steps = found[workload]
        best = shortest(steps)
        for o, order in enumerate(ORDERS):
            group = [step for replication in replications(steps) for step in steps[order, replication]]
            name = f"{workload}{o}"
            if workload == "training":
                points = [(step.efficiency, best / step.seconds)
                          for step in group[::max(1, len(group) // POINTS)]]
                style = f"with points pt {o + 6} ps 0.4"
            else:
                times = sorted(best / step.seconds for step in group)
                points = [(each, (at + 1) / len(times)) for at, each in enumerate(times)]
                style = "with steps lw 2"
            commands += block(name, points)
            lines[workload].append(f"${name} using 1:2 {style} lc rgb '{COLOURS[o]}' title "
                                   f"'{'no order' if order == 'shuffled' else order}'")
    commands += ("set multiplot layout 1,2\nset key top left Left reverse\n"
                 "set title 'training'\nset xlabel 'scheduling efficiency E'\n"
                 "set ylabel 'shortest step / step'\nset xrange [0:1.02]\nplot "
                 + ", ".join(lines["training"])
                 + "\nset title 'inference'\nset xlabel 'shortest step / step'\nset xrange [0:1.02]\n"
                 "set ylabel 'part of the steps'\nset yrange [0:1.02]\nplot "
                 + ", ".join(lines["inference"]) + "\nunset multiplot\n")
    return draw(path, 800, 400, commands)


def report(results, picture):
    """(tables, whether each picture was drawn, values); `picture` gives the path of a name."""
    found = {workload: read_steps(results.rows(run_name(workload), "ops")) for workload in WORKLOADS}
    values = {"iterations": str(STEPS * REPLICATIONS), "paper-r2": f"{PAPER_R2:.2f}"}
    for workload in WORKLOADS:
        values[f"r2-{workload}"] = mean_text(regression(found[workload]))
        values[f"r2-own-{workload}"] = mean_text(own_regression(found[workload]))
        for order in ORDERS:
            values[f"{order}-{workload}"] = mean_text(slow(found[workload], order))
    return {"steps": table(found)}, {"steps": draw_steps(found, picture("steps"))}, values
