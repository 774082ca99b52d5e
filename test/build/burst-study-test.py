#!/usr/bin/env python3
#
# Copyright (c) 2026 The dml authors
#
# SPDX-License-Identifier: GPL-2.0-only

"""Test of tools/burst-study: its errors against hand-derived ones, a cell that the program runs, and its page."""

import math
import os
import sys
import tempfile
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(ROOT, "tools"))
from burst_study import parts  # pylint: disable=C0413
from matched_study.factors import Cell  # pylint: disable=C0413
from testbed_compare.tables import read_text  # pylint: disable=C0413
from validation_report import document, stored  # pylint: disable=C0413


class Errors(unittest.TestCase):
    def test_shift(self):
        """Logarithms 0.1 apart, each sample -1, 0, 1 hundredths: standard errors of 0.01 / sqrt(3), four degrees of
        freedom, t = 2.776."""
        measured = [-0.01, 0, 0.01]
        error, low, high = parts.mean_error([0.1 + value for value in measured], measured)
        half = 2.776 * 0.01 * math.sqrt(2 / 3)
        self.assertAlmostEqual(error, 100 * (math.exp(0.1) - 1))
        self.assertAlmostEqual(low, 100 * (math.exp(0.1 - half) - 1), 2)
        self.assertAlmostEqual(high, 100 * (math.exp(0.1 + half) - 1), 2)

    def test_certain_sample(self):
        """One sample does not vary: two degrees of freedom of the other one, t = 4.303."""
        error, _, high = parts.mean_error([0, 0, 0, 0], [-0.01, 0, 0.01])
        self.assertAlmostEqual(error, 0)
        self.assertAlmostEqual(high, 100 * (math.exp(4.303 * 0.01 / math.sqrt(3)) - 1), 3)

    def test_text(self):
        self.assertEqual(parts.text_of(1.25, 0.25, 2.26), "+1.2 (+0.2..+2.3)")
        self.assertEqual(parts.text_of(-0.5, -1.5, 0.5), "-0.5 (-1.5..+0.5) ?")


class Runs(unittest.TestCase):
    def test_cell(self):
        if not os.environ.get("DML_PROGRAM"):
            raise unittest.SkipTest("needs DML_PROGRAM")
        cell = Cell("mobilenet-v2", "ring", 2, 1, 1, 0.25, "fair", "equal")
        with tempfile.TemporaryDirectory() as folder:
            settings = {"replications": 2, "job.steps": 3, "job.warmup": 1}
            runs = parts.engine_runs(folder, "run", cell, "burst", settings)
            fair = parts.engine_runs(folder, "run", cell, "fair-share", settings)
        self.assertEqual(len(runs), 2)
        for run, rule in zip(runs, fair):
            self.assertAlmostEqual(run["throughput"] / rule["throughput"], 1, 2)


class Page(unittest.TestCase):
    def test_is_of_its_data(self):
        doc = os.path.join(ROOT, "doc", "bursts.rst")
        text = document.fill(doc + ".in", read_text(doc + ".in"), *document.joined(stored.read(doc)))
        self.assertEqual(text, read_text(doc), "run tools/burst-study")


if __name__ == "__main__":
    unittest.main()
