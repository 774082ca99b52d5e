#!/usr/bin/env python3
#
# Copyright (c) 2026 The dml authors
#
# SPDX-License-Identifier: GPL-2.0-only

"""Runs every YAML example of the manual that is part of a scenario, in both engines.

An example without `job` goes with the first one of its page, which has only a job. DML_PROGRAM names
the program; without it nothing runs (exit code 77)."""

import os
import shutil
import subprocess
import sys
import tempfile
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
PROFILE = os.path.join(ROOT, "test", "data", "tiny.profile.yaml")
PROGRAM = os.environ.get("DML_PROGRAM")

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(ROOT, "tools"))
from compare_results import manual  # pylint: disable=C0413


class DocExamples(unittest.TestCase):
    def run_page(self, page):
        found = manual.blocks(ROOT, page)
        self.assertGreaterEqual(len(found), manual.PAGES[page], page)
        self.assertTrue(found[0][1].startswith("job:"), page)
        with tempfile.TemporaryDirectory() as folder:
            shutil.copy(PROFILE, os.path.join(folder, "profile.yaml"))
            for line, text in manual.examples(ROOT, page):
                with self.subTest(page=page, line=line):
                    scenario = os.path.join(folder, f"{line}.yaml")
                    with open(scenario, "w", encoding="utf-8") as file:
                        file.write(text)
                    done = subprocess.run(
                        [PROGRAM, "run", scenario, "--out", os.path.join(folder, str(line)),
                         "--set", "output.plots=false", "--set", "output.trace=false"],
                        stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=1800,
                        check=False)
                    self.assertEqual(done.returncode, 0, done.stderr)

    def test_networks(self):
        self.run_page("networks.rst")

    def test_all_reduce(self):
        self.run_page("all-reduce.rst")

    def test_sharded(self):
        self.run_page("sharded.rst")

    def test_faults(self):
        self.run_page("faults.rst")

    def test_transports(self):
        self.run_page("transports.rst")

    def test_tcp(self):
        self.run_page("tcp.rst")

    def test_flow_control(self):
        self.run_page("flow-control.rst")

    def test_transfer_order(self):
        self.run_page("transfer-order.rst")

    def test_synchronisation(self):
        self.run_page("synchronisation.rst")

    def test_devices(self):
        self.run_page("devices.rst")


if __name__ == "__main__":
    if not PROGRAM:
        sys.exit(77)
    unittest.main()
