#!/usr/bin/env python3
#
# Copyright (c) 2026 The dml authors
#
# SPDX-License-Identifier: GPL-2.0-only

"""Test of tools/order_studies/coverage.py: what a page says it re-creates of a paper."""

import json
import os
import sys
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(ROOT, "tools"))
from scratch_folder import ScratchFolder  # pylint: disable=C0413
from order_studies import coverage, page  # pylint: disable=C0413
from testbed_compare.errors import InputError  # pylint: disable=C0413
from validation_report import stored  # pylint: disable=C0413


class Coverage(ScratchFolder):
    ROWS = [{"item": "Fig. 1", "shows": "a", "status": "shape", "text": "@x:y@ of @other/z:w@"},
            {"item": "Fig. 2", "shows": "b", "status": "drawing", "text": "none"}]

    def setUp(self):
        super().setUp()
        self.doc = os.path.join(self.root, "page.rst")
        self.path = os.path.join(self.root, "rows.json")
        self.parts = {"x": stored.Part("c", "2026-01-02", {}, {}, {"y": "7", "cpu-minutes": "1.5"})}

    def make(self, rows):
        with open(self.path, "w", encoding="utf-8") as file:
            json.dump({"rows": rows}, file)
        return coverage.make(self.doc, "rows.json", self.parts, ("x", "later"))

    def test_table(self):
        stored.write(os.path.join(self.root, "other.rst"),
                     {"z": stored.Part("c", "2026-01-01", {}, {}, {"w": "8"})})
        text, part = self.make(self.ROWS)
        self.assertIn("Of 2 figures, tables and algorithms: 1 in shape only, 1 is a drawing "
                      "without a result. All of its runs took 1.5 minutes of CPU.", " ".join(text.split()))
        self.assertIn("   * - Fig. 1\n     - a\n     - in shape only\n     - 7 of 8\n", text)
        self.assertEqual(part.date, "2026-01-02")
        self.assertIn("\n".join(part.tables["coverage"]), text)

    def test_not_run(self):
        text, _ = self.make(self.ROWS)
        self.assertIn("7 of (not run)", text)
        text, part = coverage.make(self.doc, "rows.json", {}, ("x",))
        self.assertIn("(not run) of (not run)", text)
        self.assertIsNone(part)

    def test_mistakes(self):
        row = self.ROWS[0]
        for rows, error in (([], "rows.json:1: key 'rows': found \\[\\]; accepted"),
                            ([{**row, "status": "done"}], r"rows\[0\]: status: found 'done'; accepted"),
                            ([{"item": "x"}], r"rows\[0\]: found .*accepted is an object"),
                            ([row, row], r"rows\[1\]: item: found 'Fig. 1' again"),
                            ([{**row, "text": "@x:q@"}],
                             "Fig. 1: there is no value '@x:q@'; accepted is cpu-minutes, y")):
            with self.assertRaisesRegex(InputError, error):
                self.make(rows)

    def test_page(self):
        """A line of a page's template becomes the table, and what is stored has it."""
        with open(self.path, "w", encoding="utf-8") as file:
            json.dump({"rows": self.ROWS[1:]}, file)
        with open(self.doc + ".in", "w", encoding="utf-8") as file:
            file.write("before\n\n.. coverage: rows.json\n\nafter\n")
        stored.write(self.doc, self.parts)
        page.write(self.root, self.doc, {"x": None}, label="page")
        with open(self.doc, encoding="utf-8") as file:
            text = file.read()
        self.assertTrue(text.startswith("before\n\nOf 1 figures"), text)
        self.assertTrue(text.endswith("     - none\n\nafter\n"), text)
        self.assertIn("     - none", stored.read(self.doc)["rows"].tables["coverage"])


if __name__ == "__main__":
    unittest.main()
