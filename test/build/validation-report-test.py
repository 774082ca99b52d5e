#!/usr/bin/env python3
#
# Copyright (c) 2026 The dml authors
#
# SPDX-License-Identifier: GPL-2.0-only

"""Test of tools/validation-report with a study made up here, whose numbers are derived by hand."""

import json
import os
import subprocess
import sys
import tempfile
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
TOOL = os.path.join(ROOT, "tools", "validation-report")

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(TOOL))
from validation_report import effects, tables  # pylint: disable=C0413
from validation_report.study import Study, measured  # pylint: disable=C0413

# samples/s by queue and (W, far): fair-share, packet
NUMBERS = {"fair": {(1, False): (100, 100), (2, False): (198, 180), (1, True): (100, 80),
                    (2, True): (198, 200)},
           "fifo": {(1, False): (100, 100), (2, False): (198, 90)}}


def case(workers, far, fair_share, packet):
    return {"variant": {"job.parameter_servers": "1", "transfer.window": "437500B",
                        "network.hosts": "{worker0: {delay: 1ns}}" if far else "{}"},
            "workers": workers, "parameter_servers": 1,
            "engines": {"fair-share": {"mean": fair_share,
                                       "replications": [{"simulated_bytes": 40000000 * workers}]},
                        "packet": {"mean": packet, "replications": [{"drops": 0}]}}}


def make_study(root):
    for queue, numbers in NUMBERS.items():
        folder = os.path.join(root, f"alexnet-{queue}")
        os.makedirs(folder)
        with open(os.path.join(folder, "summary.json"), "w", encoding="utf-8") as file:
            json.dump({"schema": "dml-summary/1", "batch_size": 8, "timing": {"wall_seconds": 60},
                       "scenario": {"job": {"scale": 0.015625, "steps": 5, "warmup": 1},
                                    "network": {"tcp": {"variant": "cubic", "send_buffer": 65536,
                                                        "receive_buffer": 1048576}}},
                       "cases": [case(*key, *value) for key, value in numbers.items()]}, file,
                      indent=1)


class WithStudy(unittest.TestCase):
    def setUp(self):
        self.temporary = tempfile.TemporaryDirectory()
        self.addCleanup(self.temporary.cleanup)
        self.root = os.path.join(self.temporary.name, "study")
        make_study(self.root)
        self.summary = os.path.join(self.root, "alexnet-fifo", "summary.json")

    def run_tool(self, template, *arguments):
        doc = os.path.join(self.temporary.name, "v.rst")
        with open(doc + ".in", "w", encoding="utf-8") as file:
            file.write(template)
        return doc, subprocess.run([sys.executable, TOOL, *(arguments or [self.root]), "--doc", doc],
                                   text=True, capture_output=True, check=False)


class Numbers(WithStudy):
    def test_errors(self):
        spread = effects.Spread.of(c.error for c in Study([self.root]).select(queue="fair"))
        # errors 0, +10, +25 and -1 %: the nearest rank of sizes 0, 1, 10, 25
        self.assertEqual(spread.count, 4)
        for found, wanted in ((spread.median, 0.01), (spread.p90, 0.25), (spread.bias, 0.085)):
            self.assertAlmostEqual(found, wanted, 9)

    def test_few_steps_measure_nothing(self):
        # two workers that ended three steps in two replications: less than one each
        short = case(2, False, 100, 90)
        short["engines"]["packet"]["replications"] = [{"steps": 1}, {"steps": 2}]
        short["engines"]["fair-share"]["replications"] = [{"steps": 2}, {"steps": 2}]
        self.assertIsNone(measured(None, "", short, "packet"))
        self.assertEqual(measured(None, "", short, "fair-share"), 100)

    def test_ranking(self):
        rows = effects.assumptions(Study([self.root]))
        # fair to fifo: 0 and -50 %; far: -20 and +11.1 %; the rest: 0 and 180 / 198 - 1
        self.assertEqual([row.name for row in rows],
                         ["far: fair", "fair to fifo",
                          "the rest, M=1"])
        self.assertAlmostEqual(rows[0].spread.median, 1 / 9, 9)
        self.assertAlmostEqual(rows[1].worst, -0.5, 9)
        self.assertEqual(rows[1].worst_case.label, "alexnet W=2 M=1 28 MB")
        self.assertAlmostEqual(rows[2].worst, 180 / 198 - 1, 9)

    def test_largest(self):
        found = effects.largest_disagreements(Study([self.root]))
        self.assertEqual([(c.queue, c.rtt, c.workers) for c in found],
                         [("fifo", "equal", 2), ("fair", "far", 1), ("fair", "equal", 2)])

    def test_differences(self):
        study = Study([self.root])
        [found] = study.select(queue="fair", workers=2, rtt="equal")
        self.assertEqual(tables.difference(found), "-", "one replication has no interval")
        found.values["relative_error"] = {"estimate": 0.1, "low95": -0.06, "high95": 0.24,
                                          "significant": False}
        self.assertEqual(tables.difference(found), "+10.0 +-15.0 ?")
        found.values["relative_error"].update(low95=0.02, high95=0.22, significant=True)
        self.assertEqual(tables.difference(found), "+10.0 +-10.0")
        found.rtt = "far"  # so that each cell is of one case
        rows = tables.differences(study)
        self.assertEqual(rows[1].split(), ["port", "M", "model", "W", "=", "1", "W", "=", "2"])

    def test_tables(self):
        study = Study([self.root])
        self.assertIn("alexnet   1/64    256.0       4.00      8", tables.models(study))
        for name, lines in tables.all_tables(study, [], None).items():
            self.assertTrue(all(len(line) <= 80 for line in lines), name)


class Document(WithStudy):
    def test_parts(self):
        doc, done = self.run_tool("a @cases@\n\n.. table: losses\n\n.. figure: shares x\n\n@missing@")
        self.assertEqual(done.returncode, 0, done.stderr)
        with open(doc, encoding="utf-8") as file:
            text = file.read()
        self.assertIn("a 6\n\n*This part of the study has no results yet.*\n\n*There is no picture",
                      text)
        self.assertIn("vgg11-fair", text)

    def test_one_part_at_a_time(self):
        """What is not run again stays as it was."""
        self.run_tool("@cases@")
        doc, done = self.run_tool("@cases@ @linux-cases@ @linux-fair-median@\n\n.. table: linux-error",
                                  "--linux", self.root)
        self.assertEqual(done.returncode, 0, done.stderr)
        with open(doc, encoding="utf-8") as file:
            text = file.read()
        # errors of equal round-trip times: 0 and 10 %, the nearest rank of two is the first
        self.assertIn("6 6 0.0 %\n\n====", text)
        self.assertIn("fifo  equal  1      2     0.0  120.0  120.0  +60.0", text)

    def expect(self, template, *texts):
        _, done = self.run_tool(template)
        self.assertEqual(done.returncode, 2, done.stderr)
        for text in texts:
            self.assertIn(text, done.stderr)

    def test_template(self):
        self.expect("\n@nope@", "v.rst.in:2: there is no value '@nope@'; accepted is batch"[:45])
        self.expect(".. table: nope", "v.rst.in:1: there is no table 'nope'; accepted is cost")

    def test_broken_json(self):
        with open(self.summary, "r+", encoding="utf-8") as file:
            file.truncate(40)
        self.expect("", "summary.json:", "is not JSON", "truncated?")

    def test_wrong_values(self):
        with open(self.summary, encoding="utf-8") as file:
            text = file.read()
        for before, after, error in (
                ('"workers": 1', '"workers": 0', "key 'cases[0].workers': found 0; accepted is an"),
                ("437500B", "wide", "found \"wide\"; accepted is bytes"),
                ("dml-summary/1", "x", "key 'schema': found \"x\"; accepted is \"dml-summary/1\""),
                ('"mean": 90', '"mean": "fast"', "engines.packet.mean': found \"fast\"")):
            with open(self.summary, "w", encoding="utf-8") as file:
                file.write(text.replace(before, after))
            self.expect("", "summary.json:", error)

    def test_no_study(self):
        self.root = self.temporary.name
        self.expect("", "no case was run with both engines")


if __name__ == "__main__":
    unittest.main()
