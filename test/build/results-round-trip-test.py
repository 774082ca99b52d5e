#!/usr/bin/env python3
#
# Copyright (c) 2026 The dml authors
#
# SPDX-License-Identifier: GPL-2.0-only

"""Everything that dml writes, dml reads: results go through why, compare, --resume after a kill, import
job and replay, and the scenario that a summary echoes runs as the first one did. What why says is also
compared with the trace, see path_seconds.py.

Without arguments a few scenarios that have one of everything; with --all every scenario of scenarios/, every
example of the manual and sixty random scenarios, those of tools/compare-results; with names, these. DML_PROGRAM
names the program; without it nothing runs (exit code 77)."""

import csv
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
PROGRAM = os.environ.get("DML_PROGRAM")

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(ROOT, "tools"))
from compare_results.manual import manual_studies  # pylint: disable=C0413
from compare_results.random_study import random_studies  # pylint: disable=C0413
from compare_results.shipped import shipped_studies  # pylint: disable=C0413
from compare_results.side import write_files  # pylint: disable=C0413
from path_seconds import Paths  # pylint: disable=C0413

RANDOM = 60
SEED = 1
LIMIT = 600  # s of a command, on a busy machine
# of the scenarios these, and of each page of the manual the first example that has the word
FEW = ("all-reduce/gloo", "icpe/gpu", "tictac/toy", "random-01", "random-06", "random-08", "random-10",
       "random-18", "random-21", "random-22")
WORDS = {"faults.rst": ("loss:", "down:", "rate:", "rejoin"), "all-reduce.rst": ("horovod", "Groups"),
         "networks.rst": ("links:",), "synchronisation.rst": ("crash",), "transfer-order.rst": ("p3",)}
# results of which there is nothing to explain or import, and why
NO_STEP = "accepted is a trace of a run in which a step has ended"
NO_STEP_OF = "has no step of --engine"
FEW_STEPS = "accepted are at least 3 of each worker"


def all_studies():
    return shipped_studies(ROOT) + manual_studies(ROOT) + random_studies(RANDOM, SEED)


def few_studies():
    """One of every kind of section, and of every kind of fault."""
    studies = all_studies()
    chosen = [study for study in studies if study.name in FEW]
    assert len(chosen) == len(FEW)
    for page, words in WORDS.items():
        for word in words:
            chosen.append(next(study for study in studies if study.name.startswith(page) and
                               word in study.files["scenario.yaml"]))
    return chosen


class RoundTrip:
    """A study in a folder of its own."""

    def __init__(self, folder, study):
        self.folder = folder
        write_files(folder, study.files)
        _, self.scenario, *self.options = study.commands[1]
        place = self.options.index("--out")
        self.options[place:place + 2] = []
        self.options += ["--set", "output.trace=true", "--set", "output.plots=false"]

    def path(self, name):
        return os.path.join(self.folder, name)

    def call(self, *arguments, accepted=()):
        """Whether it worked; if not, for one of these reasons."""
        done = subprocess.run([PROGRAM, *arguments], cwd=self.folder, stdin=subprocess.DEVNULL,
                              capture_output=True, text=True, timeout=LIMIT, check=False)
        if done.returncode == 0:
            return True
        if any(reason in done.stderr for reason in accepted):
            return False
        raise AssertionError(f"dml {' '.join(arguments)}: exit code {done.returncode}\n{done.stderr}")

    def run(self):
        self.call("run", self.scenario, *self.options, "--out", "results")

    def why(self):
        if self.call("why", "results", "--check=fair-share", accepted=[NO_STEP]):
            wrong = Paths(self.path("results")).wrong
            assert not wrong, f"{len(wrong)} rows of critical-path.csv are wrong: {wrong[0]}"

    def compare(self):
        self.call("compare", "results", "results")

    def job(self):
        for engine in ("fair-share", "packet"):
            job = f"{engine}.yaml"
            if self.call("import", "job", "results", f"--engine={engine}", "-o", job,
                         accepted=[NO_STEP, NO_STEP_OF, FEW_STEPS]):
                self.call("replay", job)
                self.call("why", job)

    def echo(self):
        """The scenario in summary.json gives the same steps, but for a sweep, of which it is the first."""
        with open(self.path("results/summary.json"), encoding="utf-8") as file:
            scenario = json.load(file)["scenario"]
        with open(self.path("echo.yaml"), "w", encoding="utf-8") as file:
            json.dump(scenario, file)
        self.call("run", "echo.yaml", "--engine=fair-share", "--out", "echo")
        wanted = [row for row in self.steps("results") if row["engine"] == "fair-share"]
        found = self.steps("echo")
        assert found == wanted[:len(found)] and bool(found) == bool(wanted), "the echo of the scenario gives other steps"

    def steps(self, results):
        with open(self.path(os.path.join(results, "steps.csv")), encoding="utf-8") as file:
            rows = list(csv.DictReader(file))
        return [{key: value for key, value in row.items() if key != "variant"} for row in rows]

    def resume(self):
        """A run is killed as soon as it has begun; what goes on writes the same files."""
        command = ["run", self.scenario, *self.options, "--engine=fair-share", "--out"]
        self.call(*command, "whole")
        begun = self.path("killed/unfinished/study.json")
        with subprocess.Popen([PROGRAM, *command, "killed"], cwd=self.folder,
                              stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                              stderr=subprocess.DEVNULL, start_new_session=True) as child:
            while child.poll() is None and not os.path.exists(begun):
                time.sleep(0.001)
            if child.poll() is None:
                os.killpg(child.pid, signal.SIGKILL)
        if os.path.exists(begun):
            self.call(*command, "killed", "--resume")
        for name in ("steps.csv", "trace.json", "throughput.csv"):
            with open(self.path(f"whole/{name}"), "rb") as one, \
                    open(self.path(f"killed/{name}"), "rb") as other:
                assert one.read() == other.read(), f"{name} of the run that was killed differs"


STAGES = (RoundTrip.run, RoundTrip.why, RoundTrip.compare, RoundTrip.job, RoundTrip.echo,
          RoundTrip.resume)


def failures(study):
    """(stage, reason) of a study."""
    with tempfile.TemporaryDirectory() as folder:
        trip = RoundTrip(folder, study)
        found = []
        for stage in STAGES:
            try:
                stage(trip)
            except AssertionError as error:
                found.append((stage.__name__, str(error)))
                if stage is RoundTrip.run:
                    break
        return found


class ResultsRoundTrip(unittest.TestCase):
    def test_results_are_read(self):
        for study in few_studies():
            with self.subTest(study.name):
                self.assertEqual(failures(study), [])


def main(names):
    """Exit code. Prints a line for each study, as they come."""
    studies = [study for study in all_studies() if names == ["--all"] or study.name in names]
    bad = 0
    for study in studies:
        found = failures(study)
        bad += bool(found)
        print("FAILED" if found else "ok", study.name, flush=True)
        for stage, reason in found:
            print(f"  {stage}: {reason}", flush=True)
    print(f"{len(studies) - bad} of {len(studies)} studies went through {len(STAGES)} stages")
    return 1 if bad else 0


if __name__ == "__main__":
    if not PROGRAM:
        sys.exit(77)
    if len(sys.argv) > 1:
        sys.exit(main(sys.argv[1:]))
    unittest.main()
