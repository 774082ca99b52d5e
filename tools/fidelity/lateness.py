#
# Copyright (c) 2026 The dml authors
#
# SPDX-License-Identifier: GPL-2.0-only

"""Laws of by how much steps begin late, and their constants, fitted to some cases."""

import statistics
from dataclasses import dataclass
from typing import Callable

MEANS = (0.0, 1.0, 2.0, 3.0, 5.0, 8.0, 12.0, 20.0)  # ms of all steps that predictions are made with
OF_PROCESSES = (0.5, 1.0, 1.5, 2.0, 3.0, 4.0, 6.0)  # ms for each process of a core, and five times as much of first steps
DEFAULT = 2.0  # of these


@dataclass(frozen=True)
class Law:
    """`mean` gives the lateness of a case in ms, as it was predicted with, from a constant."""

    name: str
    mean: Callable
    constants: tuple  # that are tried; one if there is nothing to fit
    predicted: str = "late"  # the predictions of a case that it is about


def processes(case):
    """Of a real run: workers and servers."""
    return int(case.key.workers) + int(case.key.servers)


QUARTERS = tuple(quarter / 4 for quarter in range(49))
LAWS = (
    Law("none", lambda case, constant: 0.0, (0.0,)),
    Law("fitted", lambda case, constant: constant, QUARTERS),
    Law("fitted, by processes for each core", lambda case, constant: constant * processes(case) / case.real.cores, QUARTERS),
    Law("fitted, by processes for each core, first steps later", lambda case, constant: constant, QUARTERS[2:25], "crowded"),
)


def interpolate(predicted, mean):
    """The throughput at a lateness between those of `predicted`, {ms: samples/s}; beyond the last one that of the last."""
    known = sorted(predicted)
    for low, high in zip(known, known[1:]):
        if mean <= high:
            part = (mean - low) / (high - low)
            return predicted[low] * (1 - part) + predicted[high] * part
    return predicted[known[-1]]


def error(case, engine, law, constant):
    """Of the prediction, relative to the real runs."""
    return interpolate(getattr(case, law.predicted)[engine], law.mean(case, constant)) / case.real.mean - 1


def mean_size(cases, engine, law, constant):
    return statistics.fmean(abs(error(case, engine, law, constant)) for case in cases)


def fit(cases, engine, law):
    """The constant with the least mean size of errors."""
    return min(law.constants, key=lambda constant: mean_size(cases, engine, law, constant))


def leave_out(cases, engine, law, group_of):
    """{group: (constant fitted on all other groups, errors of the group with it)}; `group_of` a case."""
    found = {}
    for group in sorted({group_of(case) for case in cases}):
        rest = [case for case in cases if group_of(case) != group]
        constant = fit(rest, engine, law)
        found[group] = (constant, [error(case, engine, law, constant) for case in cases if group_of(case) == group])
    return found
