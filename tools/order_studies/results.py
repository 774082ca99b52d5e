#
# Copyright (c) 2026 The dml authors
#
# SPDX-License-Identifier: GPL-2.0-only

"""Reads the results of a run: summary.json and the steps of steps.csv."""

import os
import statistics
from dataclasses import dataclass, field

import dml
from testbed_compare.errors import InputError
from testbed_compare.report import quantile
from testbed_compare.tables import JsonFile, read_rows
from validation_report.study import ENGINES, label_of, read_cases, throughput
from validation_study.runs import is_finished

STEP_COLUMNS = ("variant", "workers", "engine", "replication", "step", "start", "end")


@dataclass
class Case:
    """One variant of a run with one number of workers, in one engine."""

    variant: dict
    workers: int
    servers: int
    engine: str
    throughput: float | None  # samples/s
    straggler: float | None  # mean over iterations
    efficiency: float | None  # mean over steps
    throughputs: list = field(default_factory=list)  # samples/s, of each replication
    ends: dict = field(default_factory=dict)  # s, of the last worker, by (replication, step)
    times: dict = field(default_factory=dict)  # s, of the longest step, by (replication, step)
    own: dict = field(default_factory=dict)  # s, a list: each worker's own work in it, by the same
    steps: list = field(default_factory=list)  # s, of every worker
    schedule: dict = field(default_factory=dict)  # that of summary.json

    @property
    def iteration(self):
        """Mean time until the slowest worker is done with a step that all start at 0, s."""
        return statistics.fmean(self.ends.values())

    @property
    def slow_step(self):
        """95 % of the steps take no longer than this, s."""
        return quantile(self.steps, 0.95)


def read(folder):
    """The cases of a run, or None if it is not finished."""
    if not is_finished(folder):
        return None
    file = JsonFile(os.path.join(folder, "summary.json"))
    cases = {}
    for key, values, variant in read_cases(file):
        label = label_of(variant)
        for engine in ENGINES:
            if engine not in values.get("engines", {}):
                continue
            schedule = values["engines"][engine].get("schedule") or {}
            cases[label, str(values["workers"]), engine] = Case(
                variant, values["workers"], values["parameter_servers"], engine,
                throughput(file, key, values, engine),
                (schedule.get("straggler") or {}).get("mean"),
                (schedule.get("efficiency") or {}).get("mean"),
                [run.get("throughput") for run in values["engines"][engine].get("replications", [])],
                schedule=schedule)
    read_steps(os.path.join(folder, "steps.csv"), cases)
    return list(cases.values())


def read_steps(path, cases):
    """Adds the steps to the cases, by (variant, workers, engine)."""
    for place, row in read_rows(path, STEP_COLUMNS):
        add_step(place, row, cases)
    for (label, workers, engine), case in cases.items():
        if not case.steps:
            raise InputError(f"{path}: there are no steps of '{label}', {workers} workers, "
                             f"{engine}")


def add_step(where, row, cases):
    key = row["variant"], row["workers"], row["engine"]
    if key not in cases:
        raise InputError(f"{where}: found '{key[0]}', {key[1]} workers, {key[2]}; accepted is a "
                         "case of summary.json")
    try:
        start, end = float(row["start"]), float(row["end"])
    except (TypeError, ValueError) as error:
        raise InputError(f"{where}: columns 'start' and 'end': found '{row['start']}' and "
                         f"'{row['end']}'; accepted is seconds") from error
    case = cases[key]
    place = row["replication"], row["step"]
    case.ends[place] = max(case.ends.get(place, 0.0), end)
    case.times[place] = max(case.times.get(place, 0.0), end - start)
    case.own.setdefault(place, []).append(float(row.get("done") or end) - start)
    case.steps.append(end - start)


class Results:
    """The cases of a study's runs."""

    def __init__(self, root, runs):
        self.root = root
        self.by_run = {run.name: read(os.path.join(root, run.name)) for run in runs}

    def missing(self):
        """Names of the runs that are not finished."""
        return [name for name, cases in self.by_run.items() if cases is None]

    def cases(self, runs):
        """All cases of these runs."""
        return [case for name in runs for case in self.by_run[name]]

    def rows(self, run, name):
        """The lines of a table of a run, such as "ops", as dicts of text."""
        return dml.Results(os.path.join(self.root, run)).rows(name)


def find(cases, workers, engine, variant):
    """The only case like this; `variant` may leave keys out."""
    found = [case for case in cases if case.workers == workers and case.engine == engine
             and variant.items() <= case.variant.items()]
    if len(found) != 1:
        raise InputError(f"found {len(found)} cases of W={workers}, {engine}, {variant}; accepted "
                         "is one: was the study changed? Remove its results")
    return found[0]
