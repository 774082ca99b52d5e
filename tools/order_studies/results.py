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
    runs: list = field(default_factory=list)  # the replications of summary.json
    ends: dict = field(default_factory=dict)  # s, of the last worker, by (replication, step)
    times: dict = field(default_factory=dict)  # s, of the longest step, by (replication, step)
    own: dict = field(default_factory=dict)  # s, a list: each worker's own work in it, by the same
    steps: dict = field(default_factory=dict)  # s, a list: each worker's step, by the same
    schedule: dict = field(default_factory=dict)  # that of summary.json

    @property
    def iteration(self):
        """Mean time until the slowest worker is done with a step that all start at 0, s."""
        return statistics.fmean(self.ends.values())

    @property
    def throughputs(self):
        """Of each replication, samples/s."""
        return [run.get("throughput") for run in self.runs]

    def each(self, name):
        """Means of the replications' steps or iterations, such as "efficiency"."""
        if any("schedule" not in run for run in self.runs):
            raise InputError(f"found replications of W={self.workers}, {self.engine}, without 'schedule', as older "
                             "programs wrote them; remove these results")
        return [run["schedule"][name] for run in self.runs]


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
            cases[label, str(values["workers"]), engine] = Case(
                variant, values["workers"], values["parameter_servers"], engine,
                throughput(file, key, values, engine),
                values["engines"][engine].get("replications", []),
                schedule=values["engines"][engine].get("schedule") or {})
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
    case.steps.setdefault(place, []).append(end - start)


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
