#
# Copyright (c) 2026 The dml authors
#
# SPDX-License-Identifier: GPL-2.0-only

"""TicTac (MLSys 2019), Fig. 8: loss over iterations, with an order of transfers and without."""

import os
from dataclasses import dataclass

import dml
from order_studies.runs import Run, full_profile
from study_intervals import Mean
from testbed_compare.errors import InputError, PredictionError
from validation_report.plots import COLOURS, block, draw
from validation_report.tables import simple

NAME = "tictac-learning"
MODEL = "inception-v3"
WORKERS = 2
ORDERS = ("shuffled", "tic", "tac")
STEPS = 500  # as in the figure
REPLICATIONS = 3
TABLE = "learning"  # .csv
PROBLEM = "mlp"
RATE = 0.25  # of learning: slow enough that the loss still falls at the end


@dataclass(frozen=True)
class LearnRun(Run):
    """A run, and `dml learn` on its results."""

    def do(self, program, root, jobs):
        super().do(program, root, jobs)
        folder = os.path.join(root, self.name)
        if not os.path.exists(os.path.join(folder, TABLE + ".csv")):
            try:
                dml.execute("learn", folder, "--problem", PROBLEM, "--learning-rate", RATE, program=program)
            except dml.Error as error:
                raise PredictionError(str(error)) from error


LEARNT = LearnRun("loss", "tictac", ("name=loss", *full_profile(MODEL), f"job.workers=[{WORKERS}]",
                                     "job.sync=bsp", f"job.steps={STEPS}", "job.warmup=1",
                                     f"replications={REPLICATIONS}", "output.versions=true",
                                     f"sweep={{transfer.policy: [{', '.join(ORDERS)}]}}"), "fair-share")
RUNS = (LEARNT,)


def curves(rows):
    """{(order, replication): [(update, s, loss)]} of learning.csv."""
    found = {}
    for row in rows:
        key = row["scheme"].partition("=")[2], row["replication"]
        found.setdefault(key, []).append((float(row["updates"]), float(row["time"]), float(row["loss"])))
    return found


def replications(found):
    return sorted({replication for _, replication in found})


def difference(found, order):
    """The largest difference of two losses after the same update, with the order and without, as part of
    the loss."""
    worst = 0.0
    for replication in replications(found):
        before, after = found[ORDERS[0], replication], found[order, replication]
        if [update for update, _, _ in before] != [update for update, _, _ in after]:
            raise InputError(f"{TABLE}.csv: {order}, replication {replication}: found losses after other "
                             f"updates; accepted are those of {ORDERS[0]}")
        worst = max(worst, *(abs(b[2] / a[2] - 1) for a, b in zip(before, after)))
    return worst


def ends(found, order, column):
    """Of each replication, the time or the loss of its last point."""
    return [found[order, replication][-1][column] for replication in replications(found)]


def seconds_text(values):
    return Mean.of(values).text(0)


def difference_text(found, order):
    worst = difference(found, order)
    return f"{worst:.0e}" if worst else "0"


def faster(found, order):
    """Than the first order, as text."""
    return Mean.of_gains(*(ends(found, each, 1) for each in (ORDERS[0], order))).percent


def table(found):
    rows = []
    for order in ORDERS:
        last = ends(found, order, 2)
        gain = "-" if order == ORDERS[0] else faster(found, order)
        rows.append([order, Mean.of(last).text(4),
                     "-" if order == ORDERS[0] else difference_text(found, order),
                     seconds_text(ends(found, order, 1)), gain])
    return simple(["order", "loss at the end", "differs by", "s", "faster, %"], rows)


def draw_loss(found, path):
    """The first replication over updates and over time; lines of the same course are made of dashes."""
    first = replications(found)[0]
    commands, panels = "", ([], [])
    for o, order in enumerate(ORDERS):
        points = found[order, first]
        commands += block(f"d{o}", points)
        for panel, column in enumerate((1, 2)):
            panels[panel].append(f"$d{o} using {column}:3 with lines lw {6 - 2 * o} "
                                 f"lc rgb '{COLOURS[o]}' title '{order}'")
    commands += "set multiplot layout 1,2\nset yrange [0:1.02]\nset ylabel 'loss / the first one'\n"
    for label, lines in zip(("iteration", "time (s)"), panels):
        commands += f"set xlabel '{label}'\nplot " + ", ".join(lines) + "\n"
    return draw(path, 800, 380, commands + "unset multiplot\n")


def report(results, picture):
    """(tables, whether each picture was drawn, values); `picture` gives the path of a name."""
    found = curves(results.rows(LEARNT.name, TABLE))
    values = {f"differs-{order}": difference_text(found, order) for order in ORDERS[1:]}
    values["faster-tic"] = faster(found, "tic")
    return {"loss": table(found)}, {"loss": draw_loss(found, picture("loss"))}, values
