#
# Copyright (c) 2026 The dml authors
#
# SPDX-License-Identifier: GPL-2.0-only

"""Runs of one scenario by both engines, and the time that a step takes in each of its variants."""

import os
import statistics

import dml
from matched_study.factors import ROOT

SCENARIOS = os.path.join(ROOT, "scenarios")
# Steps of samples that each worker draws.
DRAWN = {"job.steps": 24, "job.warmup": 4}
# After the warm-up each of the eight steps that ResNet-50's profile has is there once.
EACH_PROFILED = {"job.steps": 10, "job.warmup": 2, "job.sampling": "in-order"}
SHOWN = {"output.trace": False, "output.plots": False}  # nothing of a run is looked at but its numbers


def of_runs(case, engine):
    """Mean time of a step after the warm-up, in ms, of each run of a variant."""
    return [case["workers"] * case["batch_size"] / run["throughput"] * 1000
            for run in case["engines"][engine]["replications"]]


def step_times(folder, name, scenario, engine, settings):
    """Mean time of a step after the warm-up, in ms, by variant in the order of the sweep, and the CPU seconds of all."""
    results = dml.run(os.path.join(SCENARIOS, scenario), os.path.join(folder, f"{name}-{engine}"), engine=engine,
                      settings={**SHOWN, **settings}, force=True)
    times, spent = [], 0.0
    for case in results.cases:
        times.append(statistics.fmean(of_runs(case, engine)))
        spent += sum(run["timing"]["cpu_seconds"] for run in case["engines"][engine]["replications"])
    return times, spent, results
