#!/usr/bin/env python3
#
# Copyright (c) 2026 The dml authors
#
# SPDX-License-Identifier: GPL-2.0-only

"""The Python package: runs, reads and compares small studies, and runs every cell of the notebook.

DML_PROGRAM names the program; without it nothing runs (exit code 77). What needs pandas is skipped
without it."""

import csv
import importlib.util
import json
import os
import re
import shutil
import statistics
import sys
import tempfile
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
NEEDS_PANDAS = unittest.skipUnless(importlib.util.find_spec("pandas"), "there is no pandas")
TINY = os.path.join(ROOT, "test", "data", "tiny.yaml")

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(ROOT, "python"))
import dml  # pylint: disable=C0413


class Package(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.holder = tempfile.TemporaryDirectory()
        cls.folder = cls.holder.name
        cls.one = dml.run(TINY, cls.path("one"), engine="fair-share",
                          settings={"job.workers": [1, 3], "replications": 4,
                                    "sweep": {"network.rate": ["1Gbps", "10Gbps"]}})

    @classmethod
    def tearDownClass(cls):
        cls.holder.cleanup()

    @classmethod
    def path(cls, name):
        return os.path.join(cls.folder, name)

    @NEEDS_PANDAS
    def test_table_has_what_the_summary_has(self):
        table = self.one.table("throughput")
        self.assertEqual(len(table), 2 * 2 * 4)
        means = table.pivot_table("throughput", ["network.rate", "workers"])["throughput"]
        for case in self.one.cases:
            place = case["variant"]["network.rate"], case["workers"]
            self.assertAlmostEqual(means[place], case["engines"]["fair-share"]["mean"], places=5)
        self.assertTrue(table["drops"].isna().all())  # of the fair-share engine nothing is known

    def test_chooses_replications(self):
        runs = self.one.replications("fair-share", 3, network__rate="10Gbps")
        self.assertEqual([run["replication"] for run in runs], [0, 1, 2, 3])
        self.assertEqual(len(self.one.replications("fair-share")), 16)
        self.assertEqual(self.one.replications("packet"), [])
        with self.assertRaises(KeyError):
            self.one.replications("fair-share", network__delay="1ms")
        with self.assertRaisesRegex(ValueError, "network.rate: found 1 Gbps; accepted: 10Gbps, 1Gbps"):
            self.one.replications("fair-share", network__rate="1 Gbps")
        with self.assertRaisesRegex(ValueError, "workers: found '3'; accepted: 1, 3"):
            self.one.replications("fair-share", "3")

    def test_chooses_by_values_of_python(self):
        swept = dml.run(TINY, self.path("swept"), engine="fair-share",
                        settings={"job.workers": 2, "replications": 1,
                                  "sweep": {"job.sync": ["bsp", {"ssp": 3}],
                                                              "network.tcp.sack": [True, False]}})
        for sync in ("bsp", {"ssp": 3}):
            self.assertEqual(len(swept.replications("fair-share", job__sync=sync, network__tcp__sack=True)), 1)

    def test_reads_lines_without_pandas(self):
        steps = list(self.one.rows("steps"))
        self.assertEqual(steps[0]["engine"], "fair-share")
        # in each of 4 replications of 2 rates, 1 worker and 3 workers do 6 steps
        self.assertEqual(len(steps), 4 * 2 * (1 + 3) * 6)

    def read_evil_names(self):
        """Names that spreadsheets, terminals and readers of CSV could take for something else, and results with them."""
        names = {"conv/weight": "=1+1", "conv/bias": "@SUM(A1,\"A2\")", "fc/weight": "-x\t\\n\n\\",
                 "empty": "''+\x1b[2J\x9b \u00e9"}
        with open(os.path.join(os.path.dirname(TINY), "tiny.profile.yaml"), encoding="utf-8") as file:
            profile = re.sub(r"(pull/|push/|update/)?\b(" + "|".join(names) + r")\b",
                             lambda match: json.dumps(("=" + match[1] if match[1] else "") + names[match[2]]), file.read())
        folder = self.path("evil")
        os.makedirs(folder, exist_ok=True)
        with open(os.path.join(folder, "tiny.profile.yaml"), "w", encoding="utf-8") as file:
            file.write(profile)  # a string of JSON is one of YAML
        shutil.copy(TINY, folder)
        return set(names.values()), dml.run(os.path.join(folder, "tiny.yaml"), self.path("evil-out"), engine="fair-share",
                                            settings={"job.workers": 1, "replications": 1,
                                                      "output": {"ops": True, "versions": True}})

    def test_reads_names_as_they_were(self):
        names, results = self.read_evil_names()
        self.assertEqual({row["tensor"] for row in results.rows("transfers")}, names)
        self.assertLess({"=pull/" + name for name in names}, {row["op"] for row in results.rows("ops")})
        for table in ("transfers", "ops", "versions"):
            with open(results.path(table + ".csv"), encoding="utf-8", newline="") as file:
                for row in csv.reader(file):
                    self.assertFalse([cell for cell in row if re.search(r"^[=+@-]|[\x00-\x1f\x7f-\x9f]", cell)], table)
        self.assertEqual([dml.results.read_name(text) for text in ("a\\", "\\x1", "'", "'a", "-1.5")],
                         ["a\\", "x1", "'", "'a", "-1.5"])

    @NEEDS_PANDAS
    def test_reads_names_in_tables(self):
        names, results = self.read_evil_names()
        self.assertEqual(set(results.table("transfers")["tensor"]), names)

    def test_writes_values_as_yaml(self):
        for value, text in ((True, "true"), (range(1, 3), "[1, 2]"), ("a: b", "a: b"), (None, "null"),
                            ({"name": "\U0001F600"}, '{"name": "\U0001F600"}')):
            self.assertEqual(dml.program.write_value(value), text)

    def test_knows_when_it_is_done(self):
        self.assertTrue(self.one.finished)
        self.assertFalse(dml.Results(self.path("nowhere")).finished)

    @NEEDS_PANDAS
    def test_compares(self):
        other = dml.run(TINY, self.path("other"), "fair-share",
                        {"job.workers": [3], "replications": 4, "network.rate": "10Gbps"})
        table = dml.compare(self.one, other.folder)
        self.assertEqual(list(table["variant_a"]), ["network.rate=1Gbps", "network.rate=10Gbps"])
        self.assertEqual(list(table["significant"]), [True, False])
        slow = statistics.geometric_mean(
            run["throughput"] for run in self.one.replications("fair-share", 3,
                                                               network__rate="1Gbps"))
        quick = statistics.geometric_mean(
            run["throughput"] for run in other.replications("fair-share"))
        self.assertAlmostEqual(table["difference"][0], quick / slow - 1, places=6)
        self.assertAlmostEqual(table["difference"][1], 0, places=9)

    def test_says_what_the_program_says(self):
        with self.assertRaisesRegex(dml.Error, 'network.rate: found "fast"; accepted: ') as caught:
            dml.run(TINY, self.path("bad"), settings={"network.rate": "fast"})
        self.assertEqual(caught.exception.code, 2)
        with self.assertRaisesRegex(dml.Error, "nowhere: cannot be run"):
            dml.execute("help", program="nowhere")
        with self.assertRaisesRegex(dml.Error, "this one"):
            dml.run(TINY, self.path("one"), settings={"seed": 99})
        again = dml.run(TINY, self.path("again"), "fair-share", {"output.trace": False, "seed": 99})
        self.assertEqual(again.summary["scenario"]["seed"], 99)

    @NEEDS_PANDAS
    def test_runs_the_notebook(self):
        path = os.path.join(ROOT, "python", "examples", "first-study.ipynb")
        with open(path, encoding="utf-8") as file:
            cells = json.load(file)["cells"]
        names = {}
        for cell in cells:
            if cell["cell_type"] == "code":
                exec(compile("".join(cell["source"]), cell["id"], "exec"), names)  # pylint: disable=W0122
        means = names["means"]
        self.assertEqual(list(means.columns), ["1Gbps", "10Gbps", "25Gbps"])
        self.assertTrue((means["25Gbps"] > means["1Gbps"]).all())
        self.assertIn("<svg", names["results"].picture("sweep")._repr_svg_())
        self.assertEqual(len(names["gains"]), 12)


if __name__ == "__main__":
    if not os.environ.get("DML_PROGRAM"):
        print("skipped: DML_PROGRAM names no program")
        sys.exit(77)
    unittest.main()
