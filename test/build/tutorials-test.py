#!/usr/bin/env python3
#
# Copyright (c) 2026 The dml authors
#
# SPDX-License-Identifier: GPL-2.0-only

"""Follows doc/first-hour.rst, doc/cookbook.rst and doc/learning.rst: runs their commands one after the other, and looks for the
lines that they show.

DML_PROGRAM names the program; without it nothing runs (exit code 77). Runs in packets are made small, and
their numbers are not compared, nor any with another ns-3 than the manual's, 3.37."""

import os
import re
import subprocess
import sys
import tempfile
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))


def list_commands(page):
    """Pairs of a command and the lines that follow it."""
    with open(os.path.join(ROOT, "doc", page), encoding="utf-8") as file:
        text = file.read()
    found = []
    for line in text.splitlines():
        if line.startswith("  $ "):
            found.append((line[4:], []))
        elif line.startswith("  ") and found:
            found[-1][1].append(line.strip())
        elif line:
            found.append((None, []))  # what follows is no output
    return [(command, lines) for command, lines in found if command]


class Tutorials(unittest.TestCase):
    def follow(self, page, least):
        commands = list_commands(page)
        self.assertGreaterEqual(len(commands), least)
        version = subprocess.run([os.environ["DML_PROGRAM"], "--version"], text=True,
                                 capture_output=True, check=True).stdout
        same = re.search(r"^ns-3 +3\.37$", version, re.M) is not None
        with tempfile.TemporaryDirectory() as folder:
            os.symlink(os.path.join(ROOT, "scenarios"), os.path.join(folder, "scenarios"))
            os.symlink(os.path.abspath(os.environ["DML_PROGRAM"]), os.path.join(folder, "dml"))
            for command, lines in commands:
                packets = " run " in command and "--engine" not in command
                small = " --set job.scale=0.02" if packets else ""
                done = subprocess.run(["bash", "-c", command + small], cwd=folder, text=True,
                                      stdin=subprocess.DEVNULL, capture_output=True, check=False,
                                      timeout=1800, env={**os.environ, "DML_ROOT": ROOT})
                self.assertEqual(done.returncode, 0, f"{command}: {done.stderr}")
                printed = [re.sub(r"\s+", " ", line.strip()) for line in done.stdout.splitlines()]
                for line in lines if same and not packets else []:
                    self.assertIn(re.sub(r"\s+", " ", line), printed, command)
            for result in os.listdir(os.path.join(folder, "results")):
                self.assertTrue(os.path.exists(os.path.join(folder, "results", result, "report.html")))

    def test_first_hour(self):
        self.follow("first-hour.rst", 8)

    def test_cookbook(self):
        self.follow("cookbook.rst", 8)

    def test_learning(self):
        self.follow("learning.rst", 2)


if __name__ == "__main__":
    if not os.environ.get("DML_PROGRAM"):
        print("skipped: DML_PROGRAM names no program")
        sys.exit(77)
    unittest.main()
