#!/usr/bin/env python3
#
# Copyright (c) 2026 The dml authors
#
# SPDX-License-Identifier: GPL-2.0-only

"""The block "All keys with their defaults" of the manual runs, and says what the program's defaults are.

A scenario with the whole block and one with only what it must have leave the same echo in summary.json. DML_PROGRAM names the program; without it nothing runs
(exit code 77)."""

import json
import os
import re
import shutil
import subprocess
import sys
import unittest

from scratch_folder import ScratchFolder

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
PROGRAM = os.environ.get("DML_PROGRAM")
PROFILE = os.path.join(ROOT, "scenarios", "profiles", "alexnet-b8.yaml")
LEAST = "job: {profile: ../profiles/alexnet-b8.yaml}\n"


def read_block():
    with open(os.path.join(ROOT, "doc", "scenario-keys.rst"), encoding="utf-8") as file:
        text = file.read()
    start = text.index("All keys with their defaults")
    found = re.search(r"::\n\n((?:  .*\n|\n)+)", text[start:])
    return "".join(line[2:] if line.strip() else "\n" for line in found[1].splitlines(keepends=True))


class Defaults(ScratchFolder):
    maxDiff = None

    def setUp(self):
        super().setUp()
        os.makedirs(os.path.join(self.root, "profiles"))
        os.makedirs(os.path.join(self.root, "mine"))
        shutil.copy(PROFILE, os.path.join(self.root, "profiles"))

    def run_dml(self, command, text, *options):
        scenario = os.path.join(self.root, "mine", "scenario.yaml")
        with open(scenario, "w", encoding="utf-8") as file:
            file.write(text)
        return subprocess.run([PROGRAM, command, scenario, *options], stdin=subprocess.DEVNULL,
                              cwd=self.root, capture_output=True, text=True, check=False)

    def echo(self, text, name):
        out = os.path.join(self.root, name)
        # in one engine, and without pictures: what is compared is the question, not the answer
        done = self.run_dml("run", text, "--engine=fair-share", "--out", out,
                            "--set", "output.plots=false")
        self.assertEqual(done.returncode, 0, done.stderr)
        with open(os.path.join(out, "summary.json"), encoding="utf-8") as file:
            return json.load(file)["scenario"]

    def test_block_checks(self):
        done = self.run_dml("check", read_block())
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertNotIn("warning", done.stdout)

    def test_defaults_are_the_programs(self):
        self.assertEqual(self.echo(read_block(), "block"), self.echo(LEAST, "least"))

    def test_commented_keys_are_keys(self):
        """What is a comment as it goes with other policies has the stated default there."""
        block = read_block()
        keys = re.findall(r"^ *# (credit|slice_overhead|monitor): (\S+)", block, re.MULTILINE)
        self.assertEqual([key for key, _ in keys], ["credit", "slice_overhead", "monitor"])
        for policy, taken in (("bytescheduler", ["credit", "slice_overhead"]),
                              ("prophet", ["slice_overhead", "monitor"])):
            plain = LEAST + f"transfer: {{policy: {policy}}}\n"
            given = "".join(f", {key}: {value}" for key, value in keys if key in taken)
            full = LEAST + f"transfer: {{policy: {policy}, partition: 4MB{given}}}\n"
            self.assertEqual(self.echo(full, "full"), self.echo(plain, "plain"))
            shutil.rmtree(os.path.join(self.root, "full"))
            shutil.rmtree(os.path.join(self.root, "plain"))


if __name__ == "__main__":
    if not PROGRAM:
        sys.exit(77)
    unittest.main()
