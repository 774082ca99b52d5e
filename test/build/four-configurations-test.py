#!/usr/bin/env python3
#
# Copyright (c) 2026 The dml authors
#
# SPDX-License-Identifier: GPL-2.0-only

"""Tests of tools/four-configurations: the estimate of Daydream in cases worked out by hand, and the table
that comes of a program in place of dml whose speeds are known."""

import os
import subprocess
import sys
import tempfile
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
TOOL = os.path.join(ROOT, "tools", "four-configurations")
sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(ROOT, "tools"))
from four_configurations import daydream  # pylint: disable=C0413


def profile(b_bytes):
    """Two layers: forward 2 s, backward of b 2 s, then of a 4 s; updates of b 0.5 s, of a 0.25 s."""
    return {
        "tensors": [{"name": "a", "bytes": 2000}, {"name": "b", "bytes": b_bytes}],
        "devices": [{"name": "cpu", "slots": 1}],
        "ops": [
            {"name": "pull/a", "kind": "pull", "tensor": "a"},
            {"name": "pull/b", "kind": "pull", "tensor": "b"},
            {"name": "forward", "kind": "forward", "deps": ["pull/a", "pull/b"], "samples": [1, 3]},
            {"name": "backward/b", "kind": "backward", "deps": ["forward"], "seconds": 2},
            {"name": "backward/a", "kind": "backward", "deps": ["backward/b"], "seconds": 4},
            {"name": "push/a", "kind": "push", "tensor": "a", "deps": ["backward/a"]},
            {"name": "push/b", "kind": "push", "tensor": "b", "deps": ["backward/b"]},
            {"name": "update/a", "kind": "update", "tensor": "a", "deps": ["push/a"],
             "seconds": 0.25},
            {"name": "update/b", "kind": "update", "tensor": "b", "deps": ["push/b"],
             "seconds": 0.5},
        ]}


def ends(b_bytes):
    """When push/a, push/b, update/a and update/b end: 4 workers, 1000 B/s, a device of speed 2."""
    listed = daydream.list_ops(profile(b_bytes), 4, 1000.0, 2.0)
    return dict(zip(("push/a", "push/b", "update/a", "update/b"), daydream.run(listed)[-4:]))


class Daydream(unittest.TestCase):
    def test_bytes_of_a_gradient(self):
        # a ring of 4: 3 rounds of a quarter, twice
        self.assertEqual(daydream.bytes_moved(1000, 4), 1500)
        self.assertEqual(daydream.bytes_moved(1000, 1), 0)

    def test_communication_hides_behind_computing(self):
        # Forward ends at 1, backward of b at 2, of a at 4. b's 1000 B take 1.5 s: 2-3.5; a's 3 s: 4-7.
        # The device is busy until 4: update/b 4-4.5, although its gradient is there at 3.5.
        self.assertEqual(ends(1000), {"push/a": 7, "push/b": 3.5, "update/a": 7.25, "update/b": 4.5})
        self.assertEqual(daydream.estimate(profile(1000), 4, 1000.0, 2.0), 7.25)

    def test_the_link_takes_what_is_ready_first(self):
        # b's 4000 B take 6 s: 2-8. a is ready at 4 and listed first, and waits: 8-11.
        self.assertEqual(ends(4000), {"push/a": 11, "push/b": 8, "update/a": 11.25, "update/b": 8.5})

    def test_the_order_is_that_of_readiness(self):
        # The link is busy 0-5. The second op is ready at 1, the first one at 3: 5-6 and 6-7.
        ops = [("link", 1.0, [2]), ("link", 1.0, [3]), ("cpu", 2.0, [3]), ("cpu", 1.0, []),
               ("link", 5.0, [])]
        self.assertEqual(daydream.run(ops), [7, 6, 3, 1, 5])

    def test_one_worker_only_computes(self):
        # nothing to send: 4 s of computing, both updates behind it
        self.assertEqual(daydream.estimate(profile(1000), 1, 1000.0, 2.0), 4.75)

    def test_a_cycle_is_refused(self):
        with self.assertRaisesRegex(ValueError, "cycle"):
            daydream.run([("cpu", 1.0, [1]), ("cpu", 1.0, [0])])


# Three steps of two workers. The step of warm-up ends at 1 s. Over RDMA the last one ends at 1.2 s: 100 ms a
# step; in the second run at 1.22: 110 ms; the mean is 105. Over TCP in
# packets it ends at 1.4 s: 200 ms a step.
PROGRAM = f"""#!{sys.executable}
import csv, os, sys, yaml
with open(sys.argv[2], encoding="utf-8") as file:
    scenario = yaml.safe_load(file)
out = sys.argv[sys.argv.index("--out") + 1]
os.makedirs(out)
with open(os.path.join(out, "steps.csv"), "w", encoding="utf-8", newline="") as file:
    table = csv.writer(file)
    table.writerow("variant,workers,engine,replication,worker,step,start,end".split(","))
    for kind in scenario["sweep"]:
        for network in kind["sweep"]:
            queue = network["network.queue"]
            variant = f"job.protocol={{kind['job.protocol']}}, network.queue={{queue}}"
            for engine in ("fair-share", "packet"):
                for run in range(1 + (queue == "0B")):
                    last = (1.4 if queue != "0B" and engine == "packet" else 1.2) + 0.02 * run
                    for worker, early in ((0, 0.0), (1, 0.05)):
                        for step, end in ((0, 1.0), (1, 1.1), (2, last)):
                            table.writerow([variant, 2, engine, run, worker, step, 0, end - early])
"""


class Table(unittest.TestCase):
    def run_tool(self, program):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "dml")
            with open(path, "w", encoding="utf-8") as file:
                file.write(program)
            os.chmod(path, 0o755)
            return subprocess.run([sys.executable, TOOL, "--program", path, "--out",
                                   os.path.join(folder, "out")],
                                  capture_output=True, text=True, check=False)

    def test_four_rows(self):
        done = self.run_tool(PROGRAM)
        self.assertEqual(done.stderr, "")
        rows = [[cell.strip() for cell in line.split("  ") if cell]
                for line in done.stdout.splitlines()[3:-1]]
        rdma = ["RDMA", "105.0 (100.0..110.0)", "105.0 (100.0..110.0)"]
        tcp = ["TCP", "100.0", "200.0"]
        self.assertEqual([[row[0], row[1], row[3], row[4]] for row in rows],
                         [["ring", *rdma], ["ring", *tcp], ["BytePS", *rdma], ["BytePS", *tcp]])
        self.assertEqual(len({row[2] for row in rows}), 1)  # Daydream's cannot tell them apart
        for row in rows:
            packet = float(row[4].split()[0])
            self.assertAlmostEqual(float(row[5]), 100 * (float(row[2]) / packet - 1), delta=0.11)

    def test_says_what_dml_said(self):
        done = self.run_tool("#!/bin/sh\necho 'no such thing'\nexit 1\n")
        self.assertEqual(done.returncode, 1)
        self.assertIn("four-configurations: error: ", done.stderr)
        self.assertIn("no such thing", done.stderr)


if __name__ == "__main__":
    try:
        import yaml  # pylint: disable=unused-import
    except ImportError:
        print("skipped: four-configurations needs python3-yaml")
        sys.exit(77)
    unittest.main()
