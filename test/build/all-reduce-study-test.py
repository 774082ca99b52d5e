#!/usr/bin/env python3
#
# Copyright (c) 2026 The dml authors
#
# SPDX-License-Identifier: GPL-2.0-only

"""Test of tools/all-reduce-study: with a program in place of dml whose speeds are known, it names the
winner of each row, and what that waits for."""

import os
import subprocess
import sys
import tempfile
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
TOOL = os.path.join(ROOT, "tools", "all-reduce-study")

# A ring goes as fast as the slower of links and trunks, but not above 20 samples/s; BytePS by
# computing alone, 15 samples/s; halving and doubling as the ring but for a rounding error.
PROGRAM = f"""#!{sys.executable}
import itertools, json, os, sys, yaml
with open(sys.argv[2], encoding="utf-8") as file:
    scenario = yaml.safe_load(file)
networks = scenario["sweep"][0]["sweep"]
compute = scenario["job"]["devices"]["GPU"]["speed"] / 20
variants = [{{"job.parameter_servers": str(n)}} for n in (1, 2, 4)]
colocated = {{"job.parameter_servers": "8", "network.colocate": "x"}}
variants += [colocated, dict(colocated, **{{"job.protocol": "push-pull"}})]
variants += [{{"job.protocol": "all-reduce", "job.all_reduce.algorithm": name}}
             for name in ("ring", "halving-doubling", "hierarchical")]
cases = []
for variant, topology, rate in itertools.product(variants, networks["network.topology"],
                                                 networks["network.rate"]):
    links = float(rate.removesuffix("bps")) / 1e9
    trunks = links if topology == "star" else 2 * links / topology["oversubscription"]
    ring = min(links, trunks, 20)
    algorithm = variant.get("job.all_reduce.algorithm", "")
    speed = {{"ring": ring, "halving-doubling": ring * (1 + 1e-6)}}.get(algorithm, 0.1)
    speed = 15 * compute if variant.get("job.protocol") == "push-pull" else speed
    if speed == 15 * compute and links < 20:
        speed = 0.1
    variant = dict(variant, **{{"network.rate": rate, "network.topology": yaml.safe_dump(
        topology, default_flow_style=True).removesuffix("...\\n").strip()}})
    cases.append({{"workers": 8, "variant": variant,
                  "engines": {{"fair-share": {{"replications": [{{"throughput": speed}}]}}}}}})
out = sys.argv[sys.argv.index("--out") + 1]
os.makedirs(out, exist_ok=True)
with open(os.path.join(out, "summary.json"), "w", encoding="utf-8") as file:
    json.dump({{"cases": cases}}, file)
"""

# W, network, Gbit/s, winner, and what it waits for
ROWS = [
    ("8", "star", "1", "ring", "hosts' links 1.00"),
    ("8", "star", "10", "ring", "hosts' links 1.00"),
    ("8", "star", "25", "ring", "compute 0.00"),  # 20 samples/s: nothing helps
    ("8", "2:1", "1", "ring", "all links 1.00"),  # trunks are as fast as links
    ("8", "2:1", "10", "ring", "all links 1.00"),
    ("8", "2:1", "25", "ring", "compute 0.00"),
    ("8", "4:1", "1", "ring", "trunks 1.00"),
    ("8", "4:1", "10", "ring", "trunks 1.00"),
    ("8", "4:1", "25", "BytePS", "compute 1.00"),  # 15 against 12.5
]


class AllReduceStudy(unittest.TestCase):
    def setUp(self):
        # pylint: disable-next=consider-using-with
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.program = os.path.join(self.folder.name, "dml")

    def run_tool(self, program):
        with open(self.program, "w", encoding="utf-8") as file:
            file.write(program)
        os.chmod(self.program, 0o755)
        return subprocess.run([sys.executable, TOOL, "resnet50-b4", "--program", self.program,
                               "--out", os.path.join(self.folder.name, "out")],
                              capture_output=True, text=True, check=False)

    def test_names_winners_and_what_they_wait_for(self):
        done = self.run_tool(PROGRAM)
        self.assertEqual(done.stderr, "")
        rows = [line for line in done.stdout.splitlines() if line.startswith("8 ")]
        self.assertEqual(len(rows), len(ROWS), done.stdout)
        for row, expected in zip(rows, ROWS):
            cells = [cell for cell in row.split("  ") if cell]
            cells = [cell.strip() for cell in cells]
            self.assertEqual((*cells[:3], *cells[-2:]), expected)

    def test_says_what_dml_said(self):
        done = self.run_tool("#!/bin/sh\necho 'no such thing'\nexit 1\n")
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("all-reduce-study: error: ", done.stderr)
        self.assertIn("no such thing", done.stderr)


if __name__ == "__main__":
    try:
        import yaml  # pylint: disable=unused-import
    except ImportError:
        print("skipped: all-reduce-study needs python3-yaml")
        sys.exit(77)
    unittest.main()
