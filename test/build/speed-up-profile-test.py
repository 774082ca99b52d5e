#!/usr/bin/env python3
# Copyright (c) 2026 The dml authors
#
# SPDX-License-Identifier: GPL-2.0-only

"""Tests of tools/speed-up-profile."""

import os
import re
import subprocess
import sys
import tempfile
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
TOOL = os.path.join(ROOT, "tools", "speed-up-profile")

PROFILE = """schema: dml-profile/1
model: small
batch_size: 4
source:
  cpu: some
devices:
  - {name: cpu, slots: 1}
tensors:
  - {name: a, bytes: 100}
ops:
  - {name: pull/a, kind: pull, tensor: a}
  - {name: forward/a, kind: forward, device: cpu, deps: [pull/a], samples: [1, 3]}
  - {name: backward/a, kind: backward, device: cpu, deps: [forward/a], seconds: 6}
  - {name: push/a, kind: push, tensor: a, deps: [backward/a]}
  - {name: update/a, kind: update, tensor: a, deps: [push/a], samples: [0.5, 1.5]}
"""


def run(text, *options):
    """Status, error text and the profile written, or None."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "in.yaml")
        output = os.path.join(folder, "out.yaml")
        with open(path, "w") as file:
            file.write(text)
        result = subprocess.run(
            [sys.executable, TOOL, path, "-o", output] + list(options),
            stderr=subprocess.PIPE,
            universal_newlines=True,
        )
        if not os.path.exists(output):
            return result.returncode, result.stderr, None
        with open(output) as file:
            return result.returncode, result.stderr, file.read()


class SpeedUpProfileTest(unittest.TestCase):
    def test_worker_ops_add_up_and_updates_stay(self):
        # means: forward 2 s, backward 6 s, so of 4 s they get 1 and 3; the update keeps its mean
        status, _, text = run(PROFILE, "--seconds=4", "--batch=64", "--note=why")
        self.assertEqual(status, 0)
        self.assertEqual(
            re.findall(r"seconds: ([0-9.]+)", text), ["1.000000000", "3.000000000", "1.000000000"]
        )
        self.assertNotIn("samples", text)
        self.assertIn("batch_size: 64\n", text)
        self.assertIn('source:\n  rescaled: "why; worker ops times 0.500000"\n  cpu: some\n', text)

    def test_transfers_and_graph_stay(self):
        _, _, text = run(PROFILE, "--seconds=4", "--batch=64")
        for line in PROFILE.splitlines():
            if "kind: pu" in line or "bytes:" in line:
                self.assertIn(line + "\n", text)

    def test_bad_input(self):
        for options in (["--seconds=0", "--batch=4"], ["--seconds=1", "--batch=0"],
                        ["--seconds=1", "--batch=1", '--note=a"b']):
            status, error, text = run(PROFILE, *options)
            self.assertEqual(status, 2)
            self.assertIn("accepted: seconds above 0", error)
            self.assertIsNone(text)
        status, error, text = run("nothing\n", "--seconds=1", "--batch=1")
        self.assertEqual(status, 1)
        self.assertIn("found no seconds of the worker's ops", error)
        self.assertIsNone(text)


if __name__ == "__main__":
    unittest.main()
