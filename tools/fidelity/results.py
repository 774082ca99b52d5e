#
# Copyright (c) 2026 The dml authors
#
# SPDX-License-Identifier: GPL-2.0-only

"""Reads the results of the fidelity study: real runs, and what was predicted of them."""

import os
import statistics
from dataclasses import dataclass

from testbed_compare.tables import JsonFile
from validation_report.study import ENGINES, read_cases
from validation_study.runs import is_finished


@dataclass
class Case:
    """One cluster: its repeated real runs, and the predictions. Throughputs in samples/s."""

    study: str  # the name of the run of the study
    variant: dict
    workers: int
    servers: int
    measured: list  # undisturbed ones
    disturbed: int  # real runs in which something else took the CPU
    cores: float  # that the processes of a real run kept busy
    cpu_per_gigabyte: float  # s
    blind: dict  # by engine
    informed: dict  # by engine

    @property
    def mean(self):
        return statistics.fmean(self.measured)

    @property
    def repeats(self):
        """How far each real run is from the mean of the others, relative to that."""
        total = sum(self.measured)
        others = [(total - one) / (len(self.measured) - 1) for one in self.measured]
        return [one / other - 1 for one, other in zip(self.measured, others)]

    def error(self, kind, engine):
        """Of a prediction ("blind" or "informed"), relative to the mean of the real runs."""
        return getattr(self, kind)[engine] / self.mean - 1

    @property
    def fair(self):
        return "fair" in self.variant["network.queue"]

    @property
    def together(self):
        return self.variant["job.start"] == "together"


def throughputs(case, engine):
    runs = case["engines"].get(engine, {}).get("replications", [])
    return [run["throughput"] for run in runs if run["throughput"]]


def predictions(case):
    """The mean throughput of each engine that has one."""
    found = {engine: throughputs(case, engine) for engine in ENGINES}
    return {engine: statistics.fmean(values) for engine, values in found.items() if values}


def read_measured(study, case, variant):
    """A case without informed predictions; None if no real run was good."""
    runs = case["engines"]["host"]["replications"]
    good = [run for run in runs if run["throughput"] and not run["host"]["disturbed"]]
    if not good:
        return None
    seconds = [run["timing"]["cpu_seconds"] for run in good]
    return Case(
        study, variant, case["workers"], case["parameter_servers"],
        [run["throughput"] for run in good], len(runs) - len(good),
        statistics.fmean(s / run["timing"]["wall_seconds"] for s, run in zip(seconds, good)),
        statistics.fmean(s / run["simulated_bytes"] * 1e9 for s, run in zip(seconds, good)),
        predictions(case), {})


class Results:
    """The cases of all real runs of a study."""

    def __init__(self, root, runs):
        self.root = root
        self.lacking = [run.name for run in runs
                        if not is_finished(os.path.join(root, run.name))]

    def missing(self):
        """Names of the runs that are not finished."""
        return self.lacking

    def folder(self, name):
        """Of the results of a run."""
        return os.path.join(self.root, name)

    def raw(self, name):
        """The objects of all cases of a run, as they are in its summary."""
        file = JsonFile(os.path.join(self.folder(name), "summary.json"))
        return [{**case, "variant": variant} for _, case, variant in read_cases(file)]

    def cases(self, name):
        """Of a run with real runs."""
        found = [read_measured(name, case, case["variant"]) for case in self.raw(name)]
        return [case for case in found if case]

    def informed_cases(self, name, informed):
        """The same with the predictions of an Informed."""
        cases = self.cases(name)
        known = {(case["workers"], str(case["variant"])): predictions(case)
                 for case in self.raw(informed)}
        for case in cases:
            case.informed = known[case.workers, str(case.variant)]
        return cases
