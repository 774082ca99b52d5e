#
# Copyright (c) 2026 The dml authors
#
# SPDX-License-Identifier: GPL-2.0-only

"""LB-BSP (SoCC 2020), Figs. 6b, 6c and 7: what four schemes learn per gradient, and per second."""

import os

from study_intervals import Mean
from sync_studies.learn_run import LearnRun, read_curves
from sync_studies.runs import EngineRun
from sync_studies.update_time import SCHEMES
from validation_report.plots import COLOURS, block, draw
from validation_report.tables import simple

NAME = "learning"
WORKERS = 4
BATCH = 32  # samples of a gradient, in the mean of a step
DATA = 2000  # samples of the small problem
REPLICATIONS = 5
TARGET = 0.2
SAME_RATE = 4  # that with which BSP is fastest
# steps until the target is reached with some to spare, while the fastest worker still goes on
STEPS = {"bsp": 120, "asp": 300, "ssp": 140, "lb-bsp": 120}
BEST, SAME = "learn-best", "learn-same"
EPOCHS = 7  # that every scheme gets to


def make_run(scheme):
    how = SCHEMES[scheme]
    return EngineRun(scheme, "lb-bsp", (
        f"name={scheme}", f"job.sync={how.sync}", f"job.batch_control={how.control}",
        f"job.steps={STEPS[scheme]}", f"replications={REPLICATIONS}", "output.versions=true"),
                     engine="fair-share")


RUNS = (*map(make_run, SCHEMES), LearnRun(BEST, tuple(SCHEMES), "mlp", TARGET),
        LearnRun(SAME, tuple(SCHEMES), "mlp", TARGET, SAME_RATE))


def reached(curves):
    """Points at the target by scheme, of each a list by replication."""
    return {scheme: [curve.at_target(TARGET) for curve in curves[scheme]] for scheme in SCHEMES}


def gradients(point):
    return point.samples / BATCH


def per_gradient(point):
    """Seconds."""
    return point.seconds / gradients(point)


MEASURES = {"update-time": per_gradient, "updates": gradients,
            "time": lambda point: point.seconds}


def against_bsp(points, scheme, measure):
    """Mean ratio to BSP and its interval over pairs of replications; None if a run ends before."""
    if None in (*points[scheme], *points["bsp"]):
        return None
    return Mean.of_pairs(*([measure(point) for point in points[each]] for each in (scheme, "bsp")))


def cell(interval):
    return "not reached" if interval is None else interval.text(2)


def target_table(found):
    rows = []
    for run, name in ((BEST, "best"), (SAME, "same")):
        points = reached(found[run])
        for scheme, how in SCHEMES.items():
            cells = [cell(against_bsp(points, scheme, measure)) for measure in MEASURES.values()]
            rows.append([name, how.text, f"{found[run][scheme][0].rate:g}",
                         *(["1"] * len(cells) if scheme == "bsp" else cells)])
    return simple(["rates", "scheme", "rate", "s/gradient", "gradients", "s"], rows)


def loss_after(epochs, curves):
    return Mean.of(curve.at_samples(epochs * DATA).loss for curve in curves).text(3)


def epoch_table(found):
    """Losses after a number of epochs."""
    rows = []
    for run, name in ((BEST, "best"), (SAME, "same")):
        for scheme, how in SCHEMES.items():
            rows.append([name, how.text, *(loss_after(epochs, found[run][scheme])
                                           for epochs in (1, 3, EPOCHS))])
    return simple(["rates", "scheme", "1 epoch", "3 epochs", f"{EPOCHS} epochs"], rows)


def mean_curve(curves, axis, end):
    """(x, mean loss) up to `end`; what a curve has between two points is the loss of the first."""
    rows = []
    for i in range(121):
        at = end * i / 120
        losses = [[point.loss for point in curve.points if axis(point) <= at][-1]
                  for curve in curves]
        rows.append((at, sum(losses) / len(losses)))
    return rows


def draw_curves(found, path):
    """Loss over epochs and over time; above each scheme's best rate, below the same one."""
    commands, panels = "", ""
    axes = (("epochs", lambda point: point.samples / DATA, EPOCHS),
            ("time (s)", lambda point: point.seconds, 150))
    for r, (run, title) in enumerate(((BEST, "the best rate of each"),
                                      (SAME, f"a rate of {SAME_RATE:g}"))):
        for a, (label, axis, end) in enumerate(axes):
            lines = []
            for s, scheme in enumerate(SCHEMES):
                commands += block(f"d{r}{a}{s}", mean_curve(found[run][scheme], axis, end))
                lines.append(f"$d{r}{a}{s} using 1:2 with lines lw 2 lc rgb '{COLOURS[s]}' "
                             f"title '{SCHEMES[scheme].text}'")
            panels += (f"set title '{title}'\nset xlabel '{label}'\nset xrange [0:{end}]\n"
                       + ("set ylabel 'loss / first loss'\n" if a == 0 else "unset ylabel\n")
                       + ("set key top right\n" if r == a == 0 else "unset key\n")
                       + f"plot {', '.join(lines)}, {TARGET} lc rgb '#909090' dt 2 notitle\n")
    return draw(path, 840, 640, commands + "set yrange [0:1.05]\nset multiplot layout 2,2\n"
                + panels + "unset multiplot\n")


def report(results, picture):
    """(tables, whether each picture was drawn, values); `picture` gives the path of a name."""
    found = {run: read_curves(os.path.join(results.root, run)) for run in (BEST, SAME)}
    points = {run: reached(found[run]) for run in found}
    values = {f"{run.removeprefix('learn-')}-{scheme}-{name}": cell(
        against_bsp(points[run], scheme, measure))
              for run in found for scheme in SCHEMES if scheme != "bsp"
              for name, measure in MEASURES.items()}
    values |= {f"{run.removeprefix('learn-')}-{scheme}-loss": loss_after(EPOCHS, curves[scheme])
               for run, curves in found.items() for scheme in SCHEMES}
    return ({"target": target_table(found), "epochs": epoch_table(found)},
            {"curves": draw_curves(found, picture("curves"))}, values)
