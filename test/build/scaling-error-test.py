#!/usr/bin/env python3
# Copyright (c) 2026 The dml authors
#
# SPDX-License-Identifier: GPL-2.0-only

"""Tests of tools/scaling-error."""

import os
import subprocess
import sys
import tempfile
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
TOOL = os.path.join(ROOT, "tools", "scaling-error")

PROFILE = """schema: dml-profile/1
model: small
batch_size: {batch}
ops:
  - {{name: pull/a, kind: pull, tensor: a}}
  - {{name: "f, a", kind: forward, deps: [pull/a], samples: [{forward}, {forward}]}}
  - {{name: backward/a, kind: backward, deps: ["f, a"], seconds: {backward}}}
  - {{name: update/a, kind: update, tensor: a, deps: [push/a], samples: [0.5, 1.5]}}
"""


def run(*values):
    """Status, tables and error text for (batch, forward, backward) of each profile."""
    with tempfile.TemporaryDirectory() as folder:
        paths = []
        for number, (batch, forward, backward) in enumerate(values):
            paths.append(os.path.join(folder, f"{number}.yaml"))
            with open(paths[-1], "w", encoding="utf-8") as file:
                file.write(PROFILE.format(batch=batch, forward=forward, backward=backward))
        result = subprocess.run([sys.executable, TOOL, *paths], capture_output=True, text=True,
                                check=False)
    rows = [line.split() for line in result.stdout.splitlines()]
    return result.returncode, rows, result.stderr


class ScalingErrorTest(unittest.TestCase):
    def test_seconds_of_a_step(self):
        # the mean of 0.5 and 1.5 s on the server is no part of the 3 s on the worker
        _, rows, _ = run((4, 1, 2), (8, 2, 4))
        self.assertIn(["4", "1.0000", "2.0000", "1.0000", "3.0000", "750.0"], rows)

    def test_proportion(self):
        # 2 and 6 s from 1 and 2 s: forward is right, backward 4 instead of 6, 6 of 8 in all; the
        # sum of the ops' errors is 0 + 2 of 8
        _, rows, _ = run((4, 1, 2), (8, 2, 6))
        self.assertIn("8 4 proportion +0.0 % -33.3 % -25.0 % 25.0 %".split(), rows)
        # and back: 1 and 3 s instead of 1 and 2
        self.assertIn("4 8 proportion +0.0 % +50.0 % +33.3 % 33.3 %".split(), rows)

    def test_line(self):
        # 1 + x / 4 seconds at 4 and 8: 5 at 16. The nearer profile, of 1 and 2 s, gives 5/3 and
        # 10/3 instead of 2 and 3: each off by a third of a second.
        _, rows, _ = run((4, 1, 1), (16, 2, 3), (8, 1, 2))
        self.assertIn("16 4 and 8 line -16.7 % +11.1 % +0.0 % 13.3 %".split(), rows)

    def test_bad_input(self):
        for values, text in (([(4, 1, 2)], "at least two"),
                             ([(4, 1, 2), (4, 2, 2)], "one batch size"),
                             ([("many", 1, 2), (4, 2, 2)], "found no batch_size")):
            status, _, error = run(*values)
            self.assertEqual(status, 2)
            self.assertIn(text, error)
        result = subprocess.run([sys.executable, TOOL, "no/such.yaml"], capture_output=True,
                                text=True, check=False)
        self.assertEqual(result.returncode, 2)
        self.assertIn("no/such.yaml", result.stderr)


if __name__ == "__main__":
    unittest.main()
