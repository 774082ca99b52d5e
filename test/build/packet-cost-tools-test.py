#!/usr/bin/env python3
#
# Copyright (c) 2026 The dml authors
#
# SPDX-License-Identifier: GPL-2.0-only

"""Test of tools/late-shares, fast-forward-study and scale-study with the program (DML_PROGRAM), made small."""

import os
import re
import subprocess
import sys
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
PROGRAM = os.environ.get("DML_PROGRAM")


@unittest.skipUnless(PROGRAM, "DML_PROGRAM is not set")
class Tools(unittest.TestCase):
    def run_tool(self, name, *arguments):
        """@return the table's rows after its head, as lists of cells, and the output"""
        done = subprocess.run([sys.executable, os.path.join(ROOT, "tools", name), "--program", PROGRAM,
                               *arguments], capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        lines = done.stdout.splitlines()
        borders = [at for at, line in enumerate(lines) if line.startswith("=")]
        return [re.split(r"  +", line.strip()) for line in lines[borders[1] + 1:borders[2]]], done.stdout

    def test_newcomers_of_the_fair_share_engine_have_the_weight_that_they_are_given(self):
        equal = "fair_share.sharing={{type: ns3::dml::DropTailSharingPolicy, Spread: 0, Newcomer: {}}}"
        for newcomer, expected in ((0.25, ["20", "11"]), (1, ["50", "33"])):  # 1/4 of 5/4, and of 9/4
            rows, text = self.run_tool("late-shares", "--engine=fair-share", "--workers", "2", "3",
                                       "--runs=2", "--set", equal.format(newcomer))
            self.assertEqual([row[2] for row in rows], expected, text)
            weight = float(re.search(r"weight in all: ([\d.]+),", text)[1])
            self.assertAlmostEqual(weight, newcomer, delta=0.03, msg=text)

    def test_trains_and_skips_of_one_worker(self):
        rows, text = self.run_tool("fast-forward-study", "--scale=0.05", "--steps=2", "--only=W = 1,")
        self.assertEqual([row[1] for row in rows], ["skip", "trains", "both"], text)
        for row in rows:
            self.assertGreater(float(row[4]), 1, text)  # the factor of CPU
            self.assertLess(abs(float(row[5])), 1, text)  # the end, in per cent

    def test_throughput_with_and_without_skips(self):
        rows, text = self.run_tool("fast-forward-study", "--throughput", "--scale=0.002", "--steps=4",
                                   "--only=W = 4, fair")
        self.assertEqual([row[:2] for row in rows], [["W = 4, fair, plain", "skip"]], text)
        for row in rows:
            self.assertAlmostEqual(100 * (float(row[6]) / float(row[5]) - 1), float(row[7].split()[0]),
                                   delta=0.01, msg=text)
            self.assertGreaterEqual(float(row[7].split("+-")[1]), 0, text)

    def test_cost_against_workers(self):
        rows, text = self.run_tool("scale-study", "--scale=0.005", "--workers", "2")
        self.assertEqual([row[:3] for row in rows],
                         [[job, "2", what] for job in ("servers", "ring")
                          for what in ("trains", "trains, skips")], text)
        self.assertTrue(all(float(row[6]) > 10 for row in rows), text)  # MB of memory


if __name__ == "__main__":
    unittest.main()
