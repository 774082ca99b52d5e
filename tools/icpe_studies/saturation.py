#
# Copyright (c) 2026 The dml authors
#
# SPDX-License-Identifier: GPL-2.0-only

"""Li et al. (ICPE 2020), Figs. 2 and 22: how far GPUs scale by batch size, and what a prediction costs."""

import statistics

from order_studies.runs import Run
from study_intervals import Mean
from sync_studies.scaling import saturation
from validation_report.plots import COLOURS, block, draw
from validation_report.tables import simple

NAME = "saturation"
ENGINE = "fair-share"
WORKERS = tuple(range(1, 11))
# batch: from how many workers on the paper's text says that it saturates
BATCHES = {16: 4, 32: 4, 64: 5, 128: 7}
SHOWN = (1, 2, 4, 5, 7, 10)
LINES = Run("lines", "icpe/gpu.yaml", (
    "name=lines", "replications=3", f"sweep={{job.batch_size: {list(BATCHES)}}}"), ENGINE)
# Fig. 22: what was measured for so many steps is predicted from so many
MEASURED, PREDICTED = 100, 1000
PAPER = (581, 117)  # s, of measuring and of profiling and predicting
GPU = Run("gpu-prediction", "icpe/gpu.yaml", (
    "name=gpu-prediction", "job.batch_size=128", f"job.steps={PREDICTED}", "replications=3",
    f"job.workers={list(WORKERS)}"), ENGINE)
CPU = Run("cpu-prediction", "icpe", (
    "name=cpu-prediction", f"job.steps={PREDICTED}", "job.warmup=50", "replications=3",
    f"job.workers={list(WORKERS[:8])}"), ENGINE)
COSTS = {"Inception-v3, GPU": GPU, "AlexNet, CPU": CPU}
RUNS = (LINES, GPU, CPU)


def lines(results):
    """samples/s by batch, then W: a Mean each."""
    return {batch: {workers: Mean.of(results[LINES.name].throughputs(
        workers, ENGINE, {"job.batch_size": str(batch)})) for workers in WORKERS}
            for batch in BATCHES}


def saturates(found, batch):
    return saturation({workers: mean.value for workers, mean in found[batch].items()})


def line_table(found):
    rows = [[str(batch), *(by_workers[w].text(0) for w in SHOWN),
             str(saturates(found, batch)), str(BATCHES[batch])]
            for batch, by_workers in found.items()]
    return simple(["batch", *(f"W={w}" for w in SHOWN), "from", "paper"], rows)


def costs(folder, workers):
    """Seconds by replication: of measuring all W, of profiling one worker, of predicting the others."""
    engines = {w: folder.case(w)["engines"][ENGINE]["replications"] for w in workers}
    count = len(engines[workers[0]])
    return {"measure": [sum(MEASURED * engines[w][r]["mean_step"] for w in workers)
                        for r in range(count)],
            "profile": [MEASURED * engines[1][r]["mean_step"] for r in range(count)],
            "predict": [sum(engines[w][r]["timing"]["cpu_seconds"] for w in workers if w > 1)
                        for r in range(count)]}


def cost_table(found):
    rows = [[name, *(Mean.of(each[key]).text(1) for key in ("measure", "profile", "predict")),
             Mean.of(measured / seconds for measured, seconds in
                     zip(each["measure"], totals(each))).text(1)] for name, each in found.items()]
    rows.append(["the paper, Inception-v3", str(PAPER[0]), "", "", f"{PAPER[0] / PAPER[1]:.1f}"])
    return simple(["job", "measuring, s", "profiling", "predicting", "factor"], rows)


def totals(each):
    """s of profiling and predicting, by replication."""
    return [profile + predict for profile, predict in zip(each["profile"], each["predict"])]


def draw_lines(found, path):
    """Fig. 2."""
    blocks, plots = "", []
    for i, (batch, by_workers) in enumerate(found.items()):
        blocks += block(f"d{i}", [(w, mean.value, mean.low, mean.high) for w, mean in by_workers.items()])
        plots.append(f"$d{i} using 1:2:3:4 with yerrorlines lw 2 ps 0.7 pt {i + 4} lc rgb "
                     f"'{COLOURS[i]}' title 'batch {batch}'")
    return draw(path, 760, 420, f"{blocks}set xrange [0.5:10.5]\nset xtics 1\nset yrange [0:*]\n"
                "set xlabel 'Workers W'\nset ylabel 'samples/s'\nset key top left Left reverse\n"
                f"plot {', '.join(plots)}\n")


def report(results, picture):
    """(tables, whether each picture was drawn, values); `picture` gives the path of a name."""
    found = lines(results)
    cost = {name: costs(results[run.name], WORKERS if run is GPU else WORKERS[:8])
            for name, run in COSTS.items()}
    gpu = cost["Inception-v3, GPU"]
    values = {f"from-{batch}": str(saturates(found, batch)) for batch in BATCHES}
    values |= {"measure": Mean.of(gpu["measure"]).text(0), "predict": Mean.of(gpu["predict"]).text(0),
               "profile": Mean.of(gpu["profile"]).text(0), "total": Mean.of(totals(gpu)).text(0),
               "measure-off": f"{100 * (statistics.fmean(gpu['measure']) / PAPER[0] - 1):+.0f}"}
    return ({"lines": line_table(found), "costs": cost_table(cost)},
            {"lines": draw_lines(found, picture("lines"))}, values)
