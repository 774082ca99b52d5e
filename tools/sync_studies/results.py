#
# Copyright (c) 2026 The dml authors
#
# SPDX-License-Identifier: GPL-2.0-only

"""Reads the results of a run: summary.json and the batch sizes of steps.csv."""

import os
import statistics
from dataclasses import dataclass, field

from testbed_compare.errors import InputError
from testbed_compare.tables import JsonFile, read_rows
from validation_report.study import ENGINES, read_cases, throughput
from validation_study.runs import is_finished

COLUMNS = ("engine", "replication", "worker", "step", "start", "end", "batch", "done")


@dataclass
class Case:
    """One variant of a run with one number of workers, in one engine."""

    variant: dict
    workers: int
    engine: str
    throughput: float | None  # samples/s
    replications: list  # the object of each

    def each(self, name):
        """Of each replication."""
        return [each["synchronisation"][name] for each in self.replications]

    @property
    def throughputs(self):
        """Of each replication, samples/s."""
        return [each["throughput"] for each in self.replications]

    def mean(self, name):
        """Mean over the replications."""
        return statistics.fmean(self.each(name))

    @property
    def update_time(self):
        """Per-update time, s."""
        return self.mean("update_time")


@dataclass
class Steps:
    """Batch sizes and times of one replication, by (worker, step)."""

    starts: dict = field(default_factory=dict)  # s
    ends: dict = field(default_factory=dict)  # s
    batches: dict = field(default_factory=dict)  # samples
    times: dict = field(default_factory=dict)  # batch processing time, s

    @property
    def workers(self):
        return 1 + max(worker for worker, _ in self.batches)

    @property
    def count(self):
        """Steps that all workers have done."""
        return 1 + min(max(step for worker, step in self.batches if worker == each)
                       for each in range(self.workers))

    def start(self, step):
        """When the first worker begins with a step, s."""
        found = [at for (_, k), at in self.starts.items() if k == step]
        if not found:
            raise InputError(f"found no step {step}; accepted is a run with more than {step} "
                             "steps: was the study changed? Remove its results")
        return min(found)

    def batch(self, step):
        """Batch sizes of all workers."""
        return tuple(self.batches[worker, step] for worker in range(self.workers))

    def mean_batch(self, first, last):
        """Of each worker over the steps [first, last)."""
        return [statistics.fmean(self.batches[worker, step] for step in range(first, last))
                for worker in range(self.workers)]

    def mean_time(self, first, last):
        """Batch processing time of each worker over the steps [first, last), s."""
        return [statistics.fmean(self.times[worker, step] for step in range(first, last))
                for worker in range(self.workers)]

    def iteration(self, first, last):
        """Mean time of the iterations [first, last), s."""
        end = max(self.ends[worker, last - 1] for worker in range(self.workers))
        return (end - self.start(first)) / (last - first)

    def moves(self):
        """(step, samples) where batch sizes changed, with the most that a worker lost or got."""
        found = []
        for step in range(1, self.count):
            change = max(abs(now - before) for now, before in
                         zip(self.batch(step), self.batch(step - 1)))
            if change:
                found.append((step, change))
        return found


def read_steps(folder):
    """Steps of the only engine's first replication."""
    path, steps, engines = os.path.join(folder, "steps.csv"), Steps(), set()
    for place, row in read_rows(path, COLUMNS):
        if row["replication"] == "0":
            add_step(place, row, steps)
            engines.add(row["engine"])
    if len(engines) != 1:
        raise InputError(f"{path}: found {len(engines)} engines; accepted is the steps of one")
    return steps


def add_step(where, row, steps):
    try:
        place = int(row["worker"]), int(row["step"])
        start, end, done = (float(row[name]) for name in ("start", "end", "done"))
        batch = int(row["batch"])
    except (TypeError, ValueError) as error:
        raise InputError(f"{where}: found a row that is no step; accepted is "
                         f"{','.join(COLUMNS)}") from error
    steps.starts[place], steps.ends[place] = start, end
    steps.batches[place], steps.times[place] = batch, done - start


def read_summary(folder):
    """The cases of a run, or None if it is not finished."""
    if not is_finished(folder):
        return None
    file = JsonFile(os.path.join(folder, "summary.json"))
    cases = []
    for key, values, variant in read_cases(file):
        for engine in ENGINES:
            part = (values.get("engines") or {}).get(engine)
            if part is None:
                continue
            try:
                found = [{name: each[name] for name in ("throughput", "synchronisation", "timeouts")}
                         for each in part["replications"]]
            except (KeyError, TypeError) as error:
                raise InputError(f"{file.path}: {key}.engines.{engine}: found a replication "
                                 f"without {error}; accepted is the summary of a run") from error
            cases.append(Case(variant, values["workers"], engine,
                              throughput(file, key, values, engine), found))
    return cases


class Results:
    """The cases of a study's runs."""

    def __init__(self, root, runs):
        self.root = root
        self.by_run = {run.name: read_summary(os.path.join(root, run.name)) for run in runs}
        self.optional = {run.name for run in runs if getattr(run, "is_accepted", None)}

    def missing(self):
        """Names of the runs that are not finished, without those that need not be."""
        return [name for name, cases in self.by_run.items()
                if cases is None and name not in self.optional]

    def case(self, run, engine, workers=None, variant=None):
        """The only case like this, or None if the run is not there."""
        if self.by_run[run] is None:
            return None
        found = [case for case in self.by_run[run] if case.engine == engine
                 and workers in (None, case.workers)
                 and (variant or {}).items() <= case.variant.items()]
        if len(found) != 1:
            raise InputError(f"{run}: found {len(found)} cases of W={workers}, {engine}, "
                             f"{variant}; accepted is one: was the study changed? Remove its results")
        return found[0]

    def steps(self, run):
        return read_steps(os.path.join(self.root, run))
