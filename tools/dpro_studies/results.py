#
# Copyright (c) 2026 The dml authors
#
# SPDX-License-Identifier: GPL-2.0-only

"""Reads what the runs of the studies left."""

import os
import re
import statistics
from dataclasses import dataclass

import yaml

from dml import Results as Folder
from testbed_compare.errors import InputError
from testbed_compare.tables import read_rows, read_text
from validation_study.runs import is_finished

TIMES = ("step", "forward", "backward")
NUMBER = r"([-+]?[\d.]+)"
COLUMNS = ("engine", "replication", "step", "end")


@dataclass(frozen=True)
class Replay:
    """A job in both engines, and the replay of its packets; seconds."""

    measured: dict  # by TIMES
    replayed: dict
    fair_share: float  # a step

    @property
    def error(self):
        return self.replayed["step"] / self.measured["step"] - 1


def read_replay(job, path):
    """(measured, replayed), each seconds by TIMES: of a job's file, and of what `dml replay` printed of it,
    whose errors have more digits than its times. A time that was not measured is left out."""
    with open(job, encoding="utf-8") as file:
        workers = yaml.load(file, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))["measured"]
    text, measured, replayed = read_text(path), {}, {}
    for name in TIMES:
        seconds = statistics.fmean(worker.get(name, 0.0) for worker in workers)
        if not seconds:
            continue
        row = re.search(rf"^  mean {name} +{NUMBER} +{NUMBER} +{NUMBER} %$", text, re.MULTILINE)
        if not row:
            raise InputError(f"{path}: there is no row 'mean {name}'; accepted is what dml replay "
                             "prints")
        measured[name], replayed[name] = seconds, seconds * (1 + float(row[3]) / 100)
    return measured, replayed


def mean_step(folder, engine, replication="0"):
    """Seconds from one step's end to the next one's, the first one left out."""
    path, ends = os.path.join(folder, "steps.csv"), {}
    for place, row in read_rows(path, COLUMNS):
        if (row["engine"], row["replication"]) == (engine, replication):
            try:
                step, end = int(row["step"]), float(row["end"])
            except (TypeError, ValueError) as error:
                raise InputError(f"{place}: found a row that is no step; accepted is "
                                 f"{','.join(COLUMNS)}") from error
            ends[step] = max(ends.get(step, 0.0), end)
    if len(ends) < 2:
        raise InputError(f"{path}: found {len(ends)} steps of {engine}; accepted is two or more")
    return (ends[max(ends)] - ends[0]) / max(ends)


class Results:
    """The folders of a study's runs."""

    def __init__(self, root, runs):
        self.root = root
        self.runs = {run.name: run for run in runs}

    def missing(self):
        """Names of the runs that are not finished."""
        return [name for name in self.runs if not is_finished(self.folder(name))]

    def folder(self, run, *more):
        return os.path.join(self.root, run, *more)

    def text(self, run, name):
        """Of a file that a run wrote."""
        return read_text(self.folder(run, name))

    def replay(self, run):
        """Of a JobRun."""
        measured, replayed = read_replay(self.folder(run, "job.yaml"),
                                         self.folder(run, "replay.txt"))
        return Replay(measured, replayed, mean_step(self.folder(run, "results"), "fair-share"))

    def throughputs(self, run, variant, engine):
        """samples/s of each replication of one of a run's variants."""
        return [each["throughput"] for each in
                Folder(self.folder(run, "results", variant)).replications(engine)]
