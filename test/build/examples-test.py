#!/usr/bin/env python3
#
# Copyright (c) 2026 The dml authors
#
# SPDX-License-Identifier: GPL-2.0-only

"""The examples run as test/examples-to-run.py tells ns-3's test.py, from the folder of a build (DML_BUILD_FOLDER)."""

import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(os.environ.get("DML_ROOT", pathlib.Path(__file__).resolve().parents[2]))
FOLDER = pathlib.Path(os.environ.get("DML_BUILD_FOLDER", ROOT / "build")) / "examples"
NEED_FILES = {"dml", "dml-own-trace-format"}


def read_list():
    """The commands that test.py runs: name and arguments, whether it runs them."""
    found = {}
    exec((ROOT / "test/examples-to-run.py").read_text(), found)  # pylint: disable=W0122
    return [(command.split(), run == "True") for command, run, _ in found["cpp_examples"]]


class Examples(unittest.TestCase):
    """The list, and what is on it."""

    def test_list(self):
        """Every example is on it, but for those that need files."""
        names = {path.stem for path in (ROOT / "examples").glob("*.cc")}
        self.assertEqual({command[0] for command, _ in read_list()}, names - NEED_FILES)

    def test_run(self):
        """Each ends well and prints something; nothing is left in the folder where it runs."""
        for command, run in read_list():
            program = FOLDER / command[0]
            if not run or "csma" in command[0] and not program.exists():  # an ns-3 without CSMA
                continue
            with self.subTest(command[0]), tempfile.TemporaryDirectory() as folder:
                done = subprocess.run([program, *command[1:]], cwd=folder, capture_output=True, text=True,
                                      check=False, timeout=1800)
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertTrue(done.stdout)
                self.assertEqual(os.listdir(folder), [])

    def test_speeds_of_a_trace(self):
        """dml-speed-predictors: a trace of speeds, and one of a cluster with what they leave, say the same."""
        program, tables = FOLDER / "dml-speed-predictors", []
        with tempfile.TemporaryDirectory() as folder:
            speeds, usage = (pathlib.Path(folder, name) for name in ("speeds.csv", "usage.csv"))
            shares = [0.25 + 0.125 * (step * 7 % 6) for step in range(50)]
            speeds.write_text("time,speed,cpu\n" + "".join(f"{9 * at},{share},{share}\n"
                                                           for at, share in enumerate(shares)))
            usage.write_text("t,used\n" + "".join(f"{7 + 9 * at},{100 - 100 * share}\n"
                                                  for at, share in enumerate(shares)))
            for arguments in ([f"--trace={speeds}"], [f"--trace={usage}", "--usage=t,used"]):
                done = subprocess.run([program, "--warmup=100", "--iterations=110", "--replications=1",
                                       *arguments],
                                      capture_output=True, text=True, check=True, timeout=1800)
                tables.append(done.stdout.splitlines()[2:])
            self.assertEqual(len(tables[0]), 6)
            self.assertEqual(*tables)
            done = subprocess.run([program, f"--trace={usage}"], capture_output=True, text=True, check=False,
                                  timeout=1800)
            self.assertEqual(done.returncode, 2)
            self.assertIn("usage.csv:1:1: found a column 't'", done.stderr)

    def test_way_that_goes_down(self):
        """dml-csma-campus: steps before its fast way goes down take a second, the one amid it waits for RIP."""
        program = FOLDER / "dml-csma-campus"
        if not program.exists():
            self.skipTest("an ns-3 without CSMA")
        done = subprocess.run([program, "--steps=4", "--down=12"], capture_output=True, text=True, check=True,
                              timeout=1800)
        seconds = [float(line.split()[-2]) - float(line.split()[-4]) for line in done.stdout.splitlines()]
        self.assertEqual(len(seconds), 3 * 4)
        self.assertLess(seconds[0], 1)
        self.assertGreater(max(seconds), 10)


if __name__ == "__main__":
    sys.exit(77) if not FOLDER.exists() else unittest.main()
