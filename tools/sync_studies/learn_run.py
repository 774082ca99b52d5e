#
# Copyright (c) 2026 The dml authors
#
# SPDX-License-Identifier: GPL-2.0-only

"""Learning in the order of a study's runs, and the curves of that."""

import json
import os
import resource
import time
from dataclasses import dataclass

from dml import Error, execute
from testbed_compare.errors import InputError, PredictionError
from testbed_compare.tables import read_rows
from validation_study.runs import is_finished

COLUMNS = ("scheme", "replication", "rate", "samples", "time", "loss")


@dataclass(frozen=True)
class LearnRun:
    """One `dml learn` on results of other runs of the study, in a folder of its own. The folder
    gets a summary.json, as other runs have it, with what it cost."""

    name: str
    runs: tuple  # their names
    problem: str
    target: float  # part of the first loss
    rate: float | None = None  # of all; None: each run's best

    def arguments(self, root):
        return ("learn", *(os.path.join(root, name) for name in self.runs),
                f"--problem={self.problem}", f"--target={self.target}",
                *(() if self.rate is None else (f"--learning-rate={self.rate}",)),
                f"--out={os.path.join(root, self.name)}")

    def do(self, program, root, _jobs):
        folder = os.path.join(root, self.name)
        if is_finished(folder):
            print(f"{folder}: done before")
            return
        print(f"{folder} ...", flush=True)
        begin, before = time.monotonic(), resource.getrusage(resource.RUSAGE_CHILDREN)
        try:
            execute(*self.arguments(root), program=program)
        except Error as error:
            raise PredictionError(f"{self.name}: {error}") from error
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        summary = {"timing": {"wall_seconds": time.monotonic() - begin}, "cases": [
            {"workers": 1, "parameter_servers": 1,
             "engines": {"learn": {"timing": {"cpu_seconds": cpu}}}}]}
        with open(os.path.join(folder, "summary.json"), "w", encoding="utf-8") as file:
            json.dump(summary, file)


@dataclass(frozen=True)
class Point:
    """How far learning is."""

    samples: int
    seconds: float
    loss: float  # part of the first one


@dataclass(frozen=True)
class Curve:
    """The loss of one replication of a scheme."""

    rate: float
    points: list

    def at_target(self, target):
        """The first point at which the loss is no more than this, or None."""
        return next((point for point in self.points if point.loss <= target), None)

    def at_samples(self, samples):
        """The last point with no more samples than this."""
        return [point for point in self.points if point.samples <= samples][-1]


def read_curves(folder):
    """Curves by scheme, of each a list by replication, from learning.csv."""
    path, found = os.path.join(folder, "learning.csv"), {}
    for place, row in read_rows(path, COLUMNS):
        try:
            number, rate = int(row["replication"]), float(row["rate"])
            point = Point(int(row["samples"]), float(row["time"]), float(row["loss"]))
        except (TypeError, ValueError) as error:
            raise InputError(f"{place}: found a row that is no point of a curve; accepted is "
                             f"{','.join(COLUMNS)}") from error
        curves = found.setdefault(row["scheme"], {})
        curves.setdefault(number, Curve(rate, [])).points.append(point)
    return {scheme: [curves[number] for number in sorted(curves)]
            for scheme, curves in found.items()}
