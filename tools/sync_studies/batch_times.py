#
# Copyright (c) 2026 The dml authors
#
# SPDX-License-Identifier: GPL-2.0-only

"""LB-BSP (SoCC 2020), Figs. 1 and 4: the time of a step over its batch, with and without others."""

import os
import statistics

from sync_studies.runs import EngineRun, same_step
from testbed_compare.errors import InputError
from testbed_compare.tables import read_rows
from validation_report.plots import COLOURS, block, draw
from validation_report.tables import simple

NAME = "batch-times"
COLUMNS = ("variant", "step", "start", "done")
KEY = "job.batch_size"
GPU_BATCHES = (1, 8, 16, 32, 48, 64, 96, 128)
GPUS = {"V100": 128, "M60": 64, "K80": 96, "K520": 32}  # samples that they hold
CPU_BATCHES = (8, 32, 128, 512)
CORES = (4, 8, 16)
WORKERS = 32  # with CPUs, beside one server
STEPS = 3


def cpu(cores):
    return f"cores-{cores}"


def alone(name):
    return f"{name}-alone"


def gpu_batches(name):
    return [batch for batch in GPU_BATCHES if batch <= GPUS[name]]


def make_run(name, workers, colocate, batches, *settings):
    """Of equal workers with one server, for each of the batches."""
    return EngineRun(name, "lb-bsp", (
        f"name={name}", "job.batch_control=off", f"job.steps={STEPS}", f"job.workers={workers}",
        "job.parameter_servers=1", same_step(workers), f"network.colocate={colocate}", *settings,
        f"sweep={{{KEY}: {list(batches)}}}"), engine="fair-share")


def gpu_run(name):
    return make_run(name, 1, "{ps0: worker0}", gpu_batches(name), f"job.worker_devices={name}")


def cpu_runs(cores):
    """A worker beside its server, then many with a server on a host of its own. All their cores are
    like the one on which the profile was measured."""
    name = cpu(cores)
    settings = (f"job.devices={{{name}: {{speed: {cores}}}}}", f"job.worker_devices={name}")
    return (make_run(alone(name), 1, "{ps0: worker0}", CPU_BATCHES, *settings),
            make_run(name, WORKERS, "{}", CPU_BATCHES, *settings))


RUNS = (*map(gpu_run, GPUS), *(run for cores in CORES for run in cpu_runs(cores)))


def read_times(folder):
    """Mean batch processing time of the steps after the first one, s, by batch."""
    path, found = os.path.join(folder, "steps.csv"), {}
    for place, row in read_rows(path, COLUMNS):
        try:
            batch = int(row["variant"].removeprefix(KEY + "="))
            seconds = float(row["done"]) - float(row["start"])
        except (TypeError, ValueError) as error:
            raise InputError(f"{place}: found a row that is no step of a batch; accepted is "
                             f"{','.join(COLUMNS)}, with a variant {KEY}=NUMBER") from error
        if row["step"] != "0":
            found.setdefault(batch, []).append(seconds)
    return {batch: statistics.fmean(values) for batch, values in found.items()}


def gpu_table(found):
    rows = [[name, *(f"{found[name][batch]:.3f}" if batch in found[name] else "-"
                     for batch in GPU_BATCHES)] for name in GPUS]
    return simple(["GPU", *map(str, GPU_BATCHES)], rows)


def share(found, cores, batch):
    """Of the batch processing time that computing takes, per cent."""
    return 100 * found[alone(cpu(cores))][batch] / found[cpu(cores)][batch]


def cpu_table(found):
    """Batch processing times, s, and shares."""
    rows = [[str(cores), *(part for batch in CPU_BATCHES for part in (
        f"{found[alone(cpu(cores))][batch]:.2f}", f"{found[cpu(cores)][batch]:.2f}",
        f"{share(found, cores, batch):.0f}"))] for cores in CORES]
    head = [part for batch in CPU_BATCHES for part in (f"{batch}: 1", str(WORKERS), "%")]
    return simple(["cores", *head], rows)


def draw_times(found, path):
    """Batch processing time over the batch: CPUs on the left, GPUs on the right."""
    commands, panels = "", ""
    for title, names in (("CPUs: one worker (dashed), 32 (solid)", [cpu(n) for n in CORES]),
                         ("GPUs: one worker", list(GPUS))):
        lines = []
        for d, name in enumerate(names):
            for kind, style in ((name, "linespoints lw 2 pt 7 ps 0.6"),
                                (alone(name), "lines lw 2 dt 2")):
                if kind not in found:
                    continue
                label = kind.replace("-", "_")
                commands += block(label, sorted(found[kind].items()))
                lines.append(f"${label} using 1:2 with {style} lc rgb '{COLOURS[d]}' "
                             + (f"title '{name.replace('cores-', 'cores: ')}'" if kind == name
                                else "notitle"))
        last = max(batch for name in names for batch in found[name])
        panels += (f"set title '{title}'\nset xrange [0:{last}]\nplot {', '.join(lines)}\n"
                   "unset ylabel\n")
    return draw(path, 840, 400, commands + "set xlabel 'batch'\nset yrange [0:*]\n"
                "set ylabel 'batch processing time (s)'\nset key top left Left reverse\n"
                "set multiplot layout 1,2\n" + panels + "unset multiplot\n")


def report(results, picture):
    """(tables, whether each picture was drawn, values); `picture` gives the path of a name."""
    found = {run.name: read_times(os.path.join(results.root, run.name)) for run in RUNS}
    values = {f"share-{batch}": f"{share(found, 8, batch):.0f}" for batch in CPU_BATCHES}
    values["shortest"] = f"{min(min(found[cpu(cores)].values()) for cores in CORES):.1f}"
    return ({"gpus": gpu_table(found), "cpus": cpu_table(found)},
            {"times": draw_times(found, picture("times"))}, values)
