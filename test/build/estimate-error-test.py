#!/usr/bin/env python3
# Copyright (c) 2026 The dml authors
#
# SPDX-License-Identifier: GPL-2.0-only

"""Tests of tools/estimate-error, with a program that takes at least the time it is told to, and with times
that were not measured."""

import contextlib
import importlib.machinery
import importlib.util
import io
import os
import subprocess
import sys
import tempfile
import unittest
from unittest import mock

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
TOOL = os.path.join(ROOT, "tools", "estimate-error")

PROGRAM = """#!/bin/sh
case $1 in
check) cat "$2" ;;
run) sh -c 'i=0; while [ $i -lt 200000 ]; do i=$((i + 1)); done'; sleep 1.2; test "$3" = --out ;;
esac
"""
COST = """  cluster     1 parameter server, about 7 s of CPU
  full run    MTU 1500
              about 5 min 20 s of CPU
  cost        about {cpu} of CPU
              {wall} on the clock with 2 runs at a time
"""


def run(text, program=PROGRAM):
    """Status, table and error text for what check prints."""
    with tempfile.TemporaryDirectory() as folder:
        path, scenario = os.path.join(folder, "dml"), os.path.join(folder, "scenario.yaml")
        for name, content in ((path, program), (scenario, text)):
            with open(name, "w", encoding="utf-8") as file:
                file.write(content)
        os.chmod(path, 0o755)
        result = subprocess.run([sys.executable, TOOL, path, scenario], capture_output=True, text=True,
                                check=False)
    return result.returncode, [line.split() for line in result.stdout.splitlines()], result.stderr


def verdict(cpu, wall, took):
    """Status for these estimates of a program that takes so many seconds of CPU, and of the clock."""
    sys.path.insert(0, os.path.dirname(TOOL))
    loader = importlib.machinery.SourceFileLoader("estimate_error", TOOL)
    tool = importlib.util.module_from_spec(importlib.util.spec_from_loader(loader.name, loader))
    loader.exec_module(tool)
    with tempfile.TemporaryDirectory() as folder:
        path, scenario = os.path.join(folder, "dml"), os.path.join(folder, "scenario.yaml")
        for name, content in ((path, PROGRAM), (scenario, COST.format(cpu=cpu, wall=wall))):
            with open(name, "w", encoding="utf-8") as file:
                file.write(content)
        os.chmod(path, 0o755)
        with mock.patch.object(tool, "measure", return_value=took), \
                mock.patch.object(sys, "argv", [TOOL, path, scenario]), \
                contextlib.redirect_stdout(io.StringIO()):
            return tool.main()


class EstimateErrorTest(unittest.TestCase):
    def test_table(self):
        """Estimates add up; the time on the clock has the wait, the CPU time has the child's."""
        _, rows, _ = run(COST.format(cpu="fair-share 1.5 ms, packet 1 h 2 min, plots 500 us",
                                     wall="1 min 2 s"))
        _, cpu, cpu_took, _, wall, wall_took, _ = rows[1]
        self.assertEqual((cpu, wall), ("3720.00", "62.00"))
        self.assertGreater(float(cpu_took), 0.02)
        self.assertGreaterEqual(float(wall_took), 1.2)
        self.assertLess(float(cpu_took), float(wall_took) - 1)  # a program that sleeps takes no CPU

    def test_verdict(self):
        """Wrong by more than two, but for what is over in less than a second."""
        self.assertEqual(verdict("packet 2 ms", "1.4 s", (0.5, 2.8)), 0)
        self.assertEqual(verdict("packet 2 ms", "1.4 s", (0.5, 2.9)), 1)
        self.assertEqual(verdict("packet 2 s", "1.4 s", (0.9, 1.4)), 1)
        self.assertEqual(verdict("packet 2 s", "5 min", (1.1, 151)), 0)

    def test_mistakes(self):
        """A check without a cost, and a run that fails."""
        status, _, errors = run("nothing\n")
        self.assertEqual((status, "dml check printed no cost: 'nothing'" in errors), (2, True))
        status, _, errors = run(COST.format(cpu="packet 2 s", wall="2 s"),
                                PROGRAM.replace("test ", "echo no; false "))
        self.assertEqual((status, errors.strip().endswith(": no")), (2, True))


if __name__ == "__main__":
    unittest.main()
