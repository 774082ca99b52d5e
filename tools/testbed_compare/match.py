#
# Copyright (c) 2026 The dml authors
#
# SPDX-License-Identifier: GPL-2.0-only

"""Predicts each measured step from the instant at which it began: `dml match` on a measured run.

The program matches the steps of folders of results. Such a folder is made of the one of a fair-share prediction, which
has the model, and of the steps that were measured, which stand there as those of the host engine."""

import csv
import os
import shutil

import dml
from testbed_compare.convert import sample_rows
from testbed_compare.errors import PredictionError

ENGINE = "host"
MODEL_FILES = ("summary.json", "study.json")
HEADING = ("workers", "engine", "replication", "worker", "step", "start", "end", "batch", "done", "dropped", "sample")
KEYS = ("links_slower_percent", "ci95", "raw_percent", "gain", "overlap_percent", "steps", "undefined_because")


def step_times(run, worker, step):
    """When a step begins and ends, in seconds after the run's start, as the model has it: the last update of the step
    before ends, and its own last update. The profile's requests last from there (convert.request_latency)."""
    def last_update(index):
        ends = [run.gradients[key][2] for key in ((worker, index, tensor) for tensor in range(len(run.tensors)))
                if key in run.gradients]
        return max(ends) if len(ends) == len(run.tensors) else None

    begin, end = last_update(step - 1), last_update(step)
    logged = run.logs[worker].steps[step]
    times = (logged[0] if begin is None else begin, logged[1] if end is None else end)
    return [(time - run.start) / 1e9 for time in times]


def measured_steps(run):
    """Rows of a steps.csv, in the order of ends."""
    rows, _ = sample_rows(run)
    numbers, found = {}, []
    for sample, (worker, step) in enumerate(rows):
        numbers[worker] = numbers.get(worker, -1) + 1
        begin, end = step_times(run, worker, step)
        found.append((end, [run.workers, ENGINE, 0, worker, numbers[worker], f"{begin:.9f}", f"{end:.9f}", 1,
                            f"{end:.9f}", 0, sample]))
    return [row for _, row in sorted(found)]


def match(program, run, folder, prediction):
    """What `dml match` finds of a run, beside the model of a prediction in `folder`; None where workers are missing."""
    if len(run.logs) < run.workers:
        return None
    target = os.path.join(folder, "matched")
    shutil.rmtree(target, ignore_errors=True)
    os.makedirs(target)
    for name in MODEL_FILES:
        shutil.copy(os.path.join(folder, prediction, name), target)
    with open(os.path.join(target, "steps.csv"), "w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(HEADING)
        writer.writerows(measured_steps(run))
    path = os.path.join(target, "matched.csv")
    try:
        dml.execute("match", target, "-o", path, "--force", program=program)
        with open(path, encoding="utf-8", newline="") as file:
            row, = csv.DictReader(file)
    except (dml.Error, OSError, ValueError) as error:
        raise PredictionError(f"{target}: {error}") from error
    return {key: row[key] for key in KEYS if row.get(key)}
