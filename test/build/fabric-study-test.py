#!/usr/bin/env python3
#
# Copyright (c) 2026 The dml authors
#
# SPDX-License-Identifier: GPL-2.0-only

"""tools/fabric-study says what its runs say, and the page is what it writes."""

import os
import sys
import unittest
from unittest import mock

sys.dont_write_bytecode = True
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, "tools"))

from fabric_study import hosts, paths
from testbed_compare.tables import read_text
from validation_report import document, stored


class Paths(unittest.TestCase):
    def test_steps_are_longer_by_per_cent_of_even_use(self):
        self.assertEqual(paths.relative(11, 10), "+10.0")
        # 100, 110, 120, 110: mean +10, standard deviation sqrt(200/3), t of 4 values 3.182
        self.assertEqual(paths.spread([100, 110, 120, 110], 100), ("+10.0 ± 13.0", "+20.0"))

    def test_counts_seeds_that_are_late(self):
        def times(_folder, _name, _scenario, engine, settings):
            choices = settings["sweep.network.multipath"].count("{")
            if engine == "packet":
                run = {"reordering": {"packets": 200, "reordered": 50}}
                cases = [{"engines": {"packet": {"replications": [run]}}}] * choices
                return [20.0] * choices, 120.0, mock.Mock(cases=cases)
            # even use, then seeds of which 12 are late by more than 1 %
            return [10.0] + [10.09] * 8 + [10.11] * 12, 1.0, None

        with mock.patch.object(paths, "step_times", times):
            tables, values = paths.paths("nowhere")
        self.assertEqual(values, {"paths-late": "72 of 120", "paths-cpu": "6", "paths-packet-cpu": "12"})
        text = "\n".join(tables["paths"])
        self.assertEqual(text.count("12 of 20"), 6)
        self.assertEqual(text.count("25 %"), 6)
        self.assertIn("+100.0", text)


class Hosts(unittest.TestCase):
    def test_has_a_row_for_each_engine(self):
        with mock.patch.object(hosts, "step_times", lambda *_: ([1.0, 2.0, 3.0], 30.0, None)):
            tables, values = hosts.hosts("nowhere")
        self.assertEqual(values, {"hosts-cpu": "3.0"})
        self.assertEqual(sum("1.00" in line for line in tables["hosts"]), 6)


class Page(unittest.TestCase):
    def test_is_what_the_tool_writes(self):
        doc = os.path.join(ROOT, "doc", "fabrics.rst")
        text = document.fill(doc + ".in", read_text(doc + ".in"), *document.joined(stored.read(doc)))
        self.assertMultiLineEqual(read_text(doc), text)


if __name__ == "__main__":
    unittest.main()
