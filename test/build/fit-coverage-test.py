#!/usr/bin/env python3
#
# Copyright (c) 2026 The dml authors
#
# SPDX-License-Identifier: GPL-2.0-only

"""Test of tools/fit-coverage and, by some of its runs, of the intervals that `dml fit-overhead` gives
(DML_PROGRAM): timelines of dml's own runs at a known rate among them."""

import os
import sys
import tempfile
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(ROOT, "tools"))
from fit_coverage import made_up, simulated, table  # pylint: disable=C0413
from fit_coverage.program import Program, Result, RunError  # pylint: disable=C0413

PROGRAM = Program(os.environ["DML_PROGRAM"])

# The link has 1 Gbit/s; messages are parsed between ops of up to 50 ms, which take longer than the
# transfers. A fit that did not know of these ops said 3.9 and 16.9 Gbit/s, with errors below 0.1 %.
BLOCKING = """schema: dml-profile/1
model: blocking
batch_size: 4
source: {made_by: hand}
tensors:
  - {name: a, bytes: 200000}
  - {name: b, bytes: 400000}
  - {name: c, bytes: 800000}
  - {name: d, bytes: 500000}
  - {name: e, bytes: 4000}
ops:
  - {name: pull/a, kind: pull, tensor: a}
  - {name: pull/b, kind: pull, tensor: b}
  - {name: pull/c, kind: pull, tensor: c}
  - {name: pull/d, kind: pull, tensor: d}
  - {name: pull/e, kind: pull, tensor: e}
  - {name: f1, kind: forward, deps: [pull/a], samples: [0.02, 0.023, 0.021]}
  - {name: f2, kind: forward, deps: [f1, pull/b, pull/c], samples: [0.05, 0.052, 0.049]}
  - {name: f3, kind: forward, deps: [f2, pull/d, pull/e], samples: [0.01, 0.012, 0.011]}
"""
SCENARIO = """name: blocking
seed: 3
replications: 1
job: {profile: profile.yaml, workers: 1, steps: 6, warmup: 0}
overhead: {alpha: ALPHA, beta: BETA, parallel: PARALLEL}
network: {rate: 1Gbps, delay: 10us}
output: {timeline: 6, plots: false}
"""


class Blocking(unittest.TestCase):
    """Timelines in which computation delays parsing."""

    def fit(self, alpha, beta, parallel, engine):
        with tempfile.TemporaryDirectory() as folder:
            text = SCENARIO.replace("ALPHA", str(alpha)).replace("BETA", str(beta))
            for name, content in (("profile.yaml", BLOCKING),
                                  ("scenario.yaml", text.replace("PARALLEL", parallel))):
                with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
                    file.write(content)
            results = os.path.join(folder, "results")
            PROGRAM.call("run", os.path.join(folder, "scenario.yaml"), f"--engine={engine}", "--out",
                         results)
            files = sorted(os.listdir(os.path.join(results, "timelines")))
            return PROGRAM.fit({"rate": 1e6, "alpha": alpha, "beta": beta}, "tf-timeline",
                               *(os.path.join(results, "timelines", name) for name in files),
                               "--sizes", os.path.join(folder, "profile.yaml"))

    def test_intervals_hold_the_truth_or_nothing_is_said(self):
        for alpha, beta in ((2e-9, 5e-5), (5e-10, 2e-4), (2e-8, 1e-5)):
            for engine in ("fair-share", "packet"):
                for parallel in ("false", "true"):
                    with self.subTest(alpha=alpha, engine=engine, parallel=parallel):
                        keys = self.fit(alpha, beta, parallel, engine)
                        for key in ("rate", "alpha", "beta"):
                            if parallel == "false":
                                self.assertTrue(keys[key].holds, f"{key}: {keys[key]}")
                            # A few parts of a thousand: frames and acknowledgements.
                            near = keys[key].low * 0.99 <= keys[key].truth <= keys[key].high * 1.01
                            self.assertTrue(near, f"{key}: {keys[key]}")
                        self.assertTrue(keys["alpha"].told)
                        self.assertEqual(keys["parallel"], parallel == "true")


class Coverage(unittest.TestCase):
    """Few runs cannot tell 95 from 90 %, but intervals that are wrong are seen."""

    def test_runs(self):
        results = {}
        for name, run, numbers in (("made-up", made_up.run, range(12)),
                                   ("simulated", simulated.run, range(12))):
            results[name] = []
            for number in numbers:
                with tempfile.TemporaryDirectory() as folder:
                    results[name].append(run(PROGRAM, folder, number))
        self.assertGreaterEqual(table.least(results), 75, results)
        told = sum(run[key].told for runs in results.values() for run in runs
                   for key in table.KEYS if key in run)
        self.assertGreater(told, 40)


class Reading(unittest.TestCase):
    """What the program prints is read rightly."""

    def test_intervals(self):
        found = Result("  alpha: 2   # seconds per byte; 95 %: 1 to 3", 2)
        self.assertEqual((found.low, found.high, found.told, found.holds, found.width),
                         (1, 3, True, True, 1))
        found = Result("# network: {rate: ...}   # 95 %: at least 5 kbit/s", 4)
        self.assertEqual((found.low, found.high, found.told, found.holds),
                         (5, float("inf"), False, False))
        self.assertEqual(Result("  beta: 0   # seconds; 95 %: at most 1e-06", 0).high, 1e-6)
        self.assertEqual(Result("  # beta: ...   # seconds; 95 %: anything", 1).low, 0)
        with self.assertRaises(RunError):
            Result("  beta: 0   # given", 0)

    def test_table(self):
        def result(told, truth):
            line = ("" if told else "# ") + "alpha: 2   # 95 %: 1 to 3"
            return Result(line, truth)
        runs = [{"alpha": result(True, 2), "parallel": True, "truth": True},
                {"alpha": result(True, 4), "parallel": None, "truth": True},
                {"alpha": result(False, 2), "parallel": True, "truth": False}, {"truth": True}]
        # One of two that are told, two of three in all; Wilson's interval of 1/2 is 9 to 91 %.
        self.assertEqual(table.row("x", "alpha", runs),
                         ["x", "alpha", "2", "2", "50.0 %", "9 to 91", "66.7 %", "75 %"])
        self.assertEqual(table.parallel_row("x", runs)[2:5], ["2", "2", "50.0 %"])
        self.assertEqual(table.least({"x": runs}), 50)


if __name__ == "__main__":
    unittest.main()
