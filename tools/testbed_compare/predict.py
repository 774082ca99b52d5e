#
# Copyright (c) 2026 The dml authors
#
# SPDX-License-Identifier: GPL-2.0-only

"""Runs dml on a converted run and reads when steps and transfers ended."""

import os
from dataclasses import dataclass

import dml
from testbed_compare.convert import steps_needed, write_profile, write_scenario
from testbed_compare.errors import PredictionError

DIRECTIONS = {"downlink": "parameter", "uplink": "gradient"}


@dataclass
class Timeline:
    """Steps and transfers of a run, measured or predicted; seconds after the start."""
    steps: dict      #: (start, end) by (worker, step)
    transfers: dict  #: completion by ("parameter" or "gradient", worker, step, tensor)

    def spans(self):
        workers = {}
        for (worker, _), span in sorted(self.steps.items()):
            workers.setdefault(worker, []).append(span)
        return list(workers.values())


def measured_timeline(run):
    """The timeline that the run's own files have; complete steps only have transfers."""
    seconds = lambda t: (t - run.start) / 1e9
    timeline = Timeline({}, {})
    for worker, log in run.logs.items():
        for step, (start, end) in log.steps.items():
            timeline.steps[worker, step] = (seconds(start), seconds(end))
        for step in run.complete_steps(worker):
            for t, tensor in enumerate(run.tensors):
                timeline.transfers["parameter", worker, step, tensor.name] = \
                    seconds(log.tensors[step, t][1])
                if run.gradients:
                    timeline.transfers["gradient", worker, step, tensor.name] = \
                        seconds(run.gradients[worker, step, t][0])
    return timeline


def read_timeline(folder):
    """The timeline that dml wrote."""
    timeline = Timeline({}, {})
    try:
        results = dml.Results(folder)
        for row in results.rows("steps"):
            timeline.steps[int(row["worker"]), int(row["step"])] = (float(row["start"]),
                                                                    float(row["end"]))
        for row in results.rows("transfers"):
            key = (DIRECTIONS[row["direction"]], int(row["worker"]), int(row["step"]), row["tensor"])
            timeline.transfers[key] = float(row["last_byte"])
    except (OSError, KeyError, TypeError, ValueError) as error:
        raise PredictionError(f"{folder}: the results cannot be read: {error!r}") from error
    if not timeline.steps:
        raise PredictionError(f"{folder}: there are no steps in the results")
    return timeline


def run_dml(program, engine, scenario, folder):
    try:
        dml.run(scenario, folder, engine, jobs=1, force=True, program=program)
    except dml.Error as error:
        raise PredictionError(f"{scenario}: {error}") from error


def predict(program, run, engine, folder, label, offsets, window):
    """The timeline that an engine predicts, if workers start at these offsets (seconds).

    Files lie in the folder; more steps are run until they cover the measured window."""
    profile = "profile.yaml"
    path = os.path.join(folder, f"{label}.yaml")
    steps = steps_needed(run)
    while True:
        write_scenario(run, path, profile, steps, offsets, window)
        results = os.path.join(folder, label)
        run_dml(program, engine, path, results)
        timeline = read_timeline(results)
        covered = min(max(end for _, end in spans) for spans in timeline.spans())
        if run.max_steps or covered >= run.window[1]:
            return timeline
        steps *= 2


def convert(run, folder):
    """Writes the profile of a run into the folder."""
    os.makedirs(folder, exist_ok=True)
    write_profile(run, os.path.join(folder, "profile.yaml"), os.path.join(folder, "samples.csv"),
                  "samples.csv")
