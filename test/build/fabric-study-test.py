#!/usr/bin/env python3
#
# Copyright (c) 2026 The dml authors
#
# SPDX-License-Identifier: GPL-2.0-only

"""tools/fabric-study says what its runs say, and the page is what it writes."""

import os
import re
import subprocess
import sys
import tempfile
import unittest
from unittest import mock

sys.dont_write_bytecode = True
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, "tools"))

from fabric_study import dpro, hosts, nics, paths, size
from study_memory import peak_memory
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
                return [20.0] * choices, 120.0, None
            # even use, then seeds of which 12 are late by more than 1 %
            return [10.0] + [10.09] * 8 + [10.11] * 12, 1.0, None

        with mock.patch.object(paths, "step_times", times):
            tables, values = paths.paths("nowhere")
        self.assertEqual(values, {"paths-late": "72 of 120", "paths-cpu": "6", "paths-packet-cpu": "12"})
        text = "\n".join(tables["paths"])
        self.assertEqual(text.count("12 of 20"), 6)
        self.assertIn("+100.0", text)

    def test_tells_sprayed_packets_from_sprayed_bursts(self):
        def times(_folder, _name, _scenario, engine, settings):
            self.assertEqual(settings["sweep.network.multipath"], "[{spray: packet}]")
            if engine == "fair-share":
                return [10.0], 1.0, None
            trains = settings["network.tcp.trains"]
            self.assertEqual(settings["packet.replications"], 4)
            runs = [{"reordering": {"packets": 200, "reordered": 50 if trains else 5}, "retransmissions": 3, "throughput": 1000 / time}
                    for time in ((15.0,) * 4 if trains else (10.0, 11.0, 12.0, 11.0))]
            case = {"workers": 1, "batch_size": 1, "engines": {"packet": {"replications": runs}}}
            return [], 90.0, mock.Mock(cases=[case])

        with mock.patch.object(paths, "step_times", times):
            tables, values = paths.sprays("nowhere")
        self.assertEqual(values, {"sprays-cpu": "18"})
        row = next(line.split() for line in tables["sprays"] if line.startswith("ring "))
        self.assertEqual(row, "ring 1:1 10.00 +10.0 ± 13.0 2.5 % 1.50 % +50.0 ± 0.0 25.0 % 1.50 %".split())


class Hosts(unittest.TestCase):
    def test_has_a_row_for_each_engine(self):
        with mock.patch.object(hosts, "step_times", lambda *_: ([1.0, 2.0, 3.0], 30.0, None)):
            tables, values = hosts.hosts("nowhere")
        self.assertEqual(values, {"hosts-cpu": "3.0"})
        self.assertEqual(sum("1.00" in line for line in tables["hosts"]), 6)


class Nics(unittest.TestCase):
    def test_puts_times_where_their_cards_are_and_finds_the_largest_difference(self):
        def times(_folder, name, _scenario, engine, settings):
            self.assertEqual(settings["sweep"], {"network.nics_per_host": [1, 2, 4, 8]})
            own = [8.0, 4.0, 2.0, 1.0]
            if engine == "burst" and name == "nics-8-servers":
                own[2] = 1.9  # 5 % less than packets
            return own, 5.0, None

        with mock.patch.object(nics, "step_times", times):
            tables, values = nics.nics("nowhere")
        self.assertEqual(values, {"nics-cpu": "1.0", "nics-off": "5.0"})
        rows = [line.split() for line in tables["nics"][3:-1]]
        self.assertEqual([row[0] for row in rows], ["1"] * 3 + ["2"] * 3 + ["4"] * 3 + ["8"] * 3)
        self.assertEqual(rows[7], ["4", "burst", "2.00", "2.00", "2.00", "1.90"])


class Dpro(unittest.TestCase):
    def test_compares_bytes_of_a_card_with_the_formula(self):
        results = mock.Mock()
        with tempfile.TemporaryDirectory() as folder:
            results.path = lambda name: os.path.join(folder, name)
            with open(results.path("network.csv"), "w", encoding="utf-8") as file:
                file.write("link,replication,bytes\n")
                for sent in (2000e6, 1000e6, 8000e6):
                    for link, replication in (("host0->switch", 0), ("switch->host0", 0), ("host0->switch", 1)):
                        file.write(f"{link},{replication},{int(sent if replication == 0 else 1)}\n")
            with mock.patch.object(dpro, "step_times", lambda *_: ([1.0, 2.0, 3.0], 30.0, results)):
                tables, values = dpro.dpro("nowhere")
        self.assertEqual(values, {"dpro-cpu": "5.0"})  # 10 engines and rates
        rows = [line.split() for line in tables["dpro-sent"][3:-1]]
        # 102.228128 MB times 1502 / 1448: 106.04 MB; a ring of 16 sends 15/8 of it, 16 workers with servers 8 times it
        self.assertEqual(rows, [["ring", "1.875", "198.8", "200.0", "200.0"],
                                ["hierarchical", "1", "106.0", "100.0", "100.0"],
                                ["servers", "8", "848.3", "800.0", "800.0"]])
        self.assertEqual(len(tables["dpro-times"]), 10 + 4)


class Size(unittest.TestCase):
    def test_is_of_a_step(self):
        run = {"simulated_bytes": 4e9, "timing": {"cpu_seconds": 30.0}}
        results = mock.Mock(cases=[{"engines": {"packet": {"replications": [run]}}}])
        with mock.patch.object(size, "peak_memory", lambda _: 123.4), mock.patch.object(size.dml, "Results", lambda _: results):
            tables, _ = size.size("nowhere")
        self.assertEqual(tables["size"][3].split(), ["8", "servers", "64", "2.00", "15.0", "123"])

    def test_memory_is_that_of_what_was_done(self):
        spent = peak_memory(lambda: len(b"x" * 200000000))
        self.assertGreater(spent, 200)
        self.assertLess(spent, 600)


class Page(unittest.TestCase):
    def test_is_what_the_tool_writes(self):
        doc = os.path.join(ROOT, "doc", "fabrics.rst")
        text = document.fill(doc + ".in", read_text(doc + ".in"), *document.joined(stored.read(doc)))
        self.assertMultiLineEqual(read_text(doc), text)

    def test_parts_of_the_page_are_those_of_the_tool(self):
        tool = os.path.join(ROOT, "tools", "fabric-study")
        doc = os.path.join(ROOT, "doc", "fabrics.rst")
        named = re.search(r"\$ tools/fabric-study (.*)", read_text(doc)).group(1).split()
        shown = subprocess.run([tool, "--help"], capture_output=True, text=True, check=True).stdout
        self.assertIn("made anew: " + ", ".join(named), " ".join(shown.split()))
        self.assertEqual(set(named), set(stored.read(doc)))


if __name__ == "__main__":
    unittest.main()
