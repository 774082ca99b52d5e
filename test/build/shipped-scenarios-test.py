#!/usr/bin/env python3
#
# Copyright (c) 2026 The dml authors
#
# SPDX-License-Identifier: GPL-2.0-only

"""Every scenario of the repository is a study: run by the fair-share engine (DML_PROGRAM) as it is shipped, it has a
number in every cell, and `check` of a scenario that has not says so before."""

import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(os.environ.get("DML_ROOT", pathlib.Path(__file__).resolve().parents[2]))
PROGRAM = os.environ.get("DML_PROGRAM", str(ROOT / "build" / "dml"))
FILES = "--set=output={plots: false, trace: false, transfers: false, links: false}"
# What takes minutes with all replications and variants.
LESS = {"lb-bsp/scaling.yaml": ["--set=replications=1", "--set=job.workers=[2, 4]"],
        "lb-bsp/cluster-b.yaml": ["--set=replications=1"],
        "all-reduce/servers-or-ring.yaml": ["--set=job.steps=3", "--set=job.warmup=1"],
        "all-reduce/thousand-workers.yaml": ["--set=job.workers=[32]", "--set=job.steps=20"],
        "icpe/gpu.yaml": ["--set=replications=1"],
        "multi-ps/full-size.yaml": ["--set=replications=1"]}


def list_scenarios():
    """All YAML files below scenarios/ that have a job."""
    return [path for path in sorted((ROOT / "scenarios").glob("*/*.yaml"))
            if re.search(r"^job:", path.read_text(encoding="utf-8"), re.MULTILINE)]


def call(*arguments):
    return subprocess.run([PROGRAM, *map(str, arguments)], capture_output=True, text=True, check=False,
                          timeout=1200, env={**os.environ, "DML_ROOT": str(ROOT)})


class ShippedScenarios(unittest.TestCase):
    def find_dashes(self, scenario, *settings):
        """The configurations of which nothing is known, of how many."""
        with tempfile.TemporaryDirectory() as folder:
            done = call("run", scenario, "--engine=fair-share", "--out", f"{folder}/results", FILES, *settings)
            self.assertEqual(done.returncode, 0, done.stderr)
            cases = json.loads(pathlib.Path(folder, "results", "summary.json").read_text())["cases"]
        return ([(case["workers"], case["variant"]) for case in cases
                 if case["engines"]["fair-share"]["mean"] is None], len(cases))

    def check(self, scenario, *settings):
        done = call("check", scenario, "--engine=fair-share", *settings)
        self.assertEqual(done.returncode, 0, done.stderr)
        return re.sub(r"\s+", " ", done.stdout)

    def test_every_cell_has_a_number(self):
        scenarios = list_scenarios()
        self.assertGreater(len(scenarios), 20)
        for path in scenarios:
            with self.subTest(str(path.relative_to(ROOT))):
                settings = LESS.get(str(path.relative_to(ROOT / "scenarios")), [])
                dashes, cases = self.find_dashes(path, *settings)
                self.assertGreater(cases, 0)
                self.assertEqual(dashes, [])

    def test_check_warns_of_none(self):
        for path in list_scenarios():
            with self.subTest(str(path.relative_to(ROOT))):
                self.assertNotIn("no throughput", self.check(path))

    def test_check_tells_of_dashes(self):
        """One step and no barrier; and a worker who has not begun when the other has done all its steps."""
        tictac = ROOT / "scenarios" / "tictac"
        single = ("--set=job.sync=async", "--set=replications=1", "--set=sweep={}")
        dashes, cases = self.find_dashes(tictac, *single)
        self.assertEqual(([workers for workers, _ in dashes], cases), ([2, 4], 3))
        text = self.check(tictac, *single)
        self.assertIn("job.steps: found 1, of which 0 warm up", text)
        self.assertIn("no throughput in 2 of 3 configurations", text)
        late = ("--set=job.sync=async", "--set=replications=1", "--set=sweep={}", "--set=job.steps=3",
                "--set=job.workers=2", "--set=job.start=[0s, 100s]")
        self.assertEqual(len(self.find_dashes(tictac, *late)[0]), 1)
        text = self.check(tictac, *late)
        self.assertNotIn("job.steps: found", text)
        self.assertIn("no throughput in 1 of 1 configurations, by a trial", text)
        self.assertIn("before the last worker had started", text)


if __name__ == "__main__":
    sys.exit(unittest.main(verbosity=2))
