#!/usr/bin/env python3
#
# Copyright (c) 2026 The dml authors
#
# SPDX-License-Identifier: GPL-2.0-only

"""Test of tools/burst-study: its errors against hand-derived ones, a cell that the program runs, and its page."""

import math
import os
import re
import sys
import tempfile
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(ROOT, "tools"))
from burst_study import errors, incast, kernel, law, parts, shares  # pylint: disable=C0413
from matched_study.factors import Cell  # pylint: disable=C0413
from testbed_compare.tables import read_text  # pylint: disable=C0413
from validation_report import document, stored  # pylint: disable=C0413
from validation_report.tables import simple  # pylint: disable=C0413


class Errors(unittest.TestCase):
    def test_shift(self):
        """Logarithms 0.1 apart, each sample a hundredth off: variances of means 4e-4 / 12, six degrees of freedom,
        t = 2.447."""
        measured = [-0.01, -0.01, 0.01, 0.01]
        error, low, high = errors.mean_error([0.1 + value for value in measured], measured)
        half = 2.447 * math.sqrt(2 * 4e-4 / 12)
        self.assertAlmostEqual(error, 100 * (math.exp(0.1) - 1))
        self.assertAlmostEqual(low, 100 * (math.exp(0.1 - half) - 1), 2)
        self.assertAlmostEqual(high, 100 * (math.exp(0.1 + half) - 1), 2)

    def test_certain_sample(self):
        """One sample does not vary: three degrees of freedom of the other one, t = 3.182."""
        error, _, high = errors.mean_error([0, 0, 0, 0], [-0.01, -0.01, 0.01, 0.01])
        self.assertAlmostEqual(error, 0)
        self.assertAlmostEqual(high, 100 * (math.exp(3.182 * math.sqrt(4e-4 / 12)) - 1), 3)

    def test_text(self):
        self.assertEqual(errors.text_of(1.25, 0.25, 2.26), "+1.2 (+0.2..+2.3)")
        self.assertEqual(errors.text_of(-0.5, -1.5, 0.5), "-0.5 (-1.5..+0.5) ?")


class Shares(unittest.TestCase):
    def test_progress(self):
        """Tensors of 100 bytes, of which the second one begins while the first one comes."""
        worker = incast.Progress([(1, 3), (2, 5), (7, 8)], 100)
        found = [worker.at(time) for time in (0, 1, 2, 3, 4, 5, 6, 7.5, 8, 9)]
        self.assertEqual(found, [0, 0, 50, 100, 150, 200, 200, 250, 300, 300])
        self.assertEqual((worker.begin, worker.end), (1, 8))
        self.assertEqual(worker.between(2, 4), 100)

    def test_squares(self):
        """Three fourths and a fourth of a port are half more and half less than an equal share."""
        workers = [incast.Progress([(0, 1), (1, 2)], 75), incast.Progress([(0, 1), (1, 2)], 25)]
        self.assertEqual(incast.squares(workers, 0, 2, 1), [0.25, 0.25])
        self.assertEqual(incast.squares(workers, 0, 2, 2), [0.25])
        self.assertEqual(incast.squares(workers, 0, 1.5, 2), [])

    def test_difference(self):
        """Variances of means 1/3 and 1/16, whose sum is 0.629 squared; four degrees of freedom (4.09), t = 2.776."""
        self.assertEqual(shares.difference([1, 1, 1, 1], [3, 3, 3, 3]), ["1.00", "+2.00 +-0.00"])
        self.assertEqual(shares.difference([1, 3, 1, 3], [2, 2, 2, 3]), ["2.00", "+0.25 +-1.75 ?"])
        self.assertEqual(shares.difference([1, 3], [2, 2, 2, 3]), ["2.00", "-"])
        self.assertEqual(shares.difference(None, [2]), ["-", "-"])

    def test_runs(self):
        """Two workers share a fair port equally, and send all in the time that the port takes, headers included."""
        if not os.environ.get("DML_PROGRAM"):
            raise unittest.SkipTest("needs DML_PROGRAM")
        case = shares.Incast("64KB", 1, 2, "{fair: 0B}", "{trains: true}")
        with tempfile.TemporaryDirectory() as folder:
            found = shares.together(folder, case, "burst")
        self.assertLess(max(found["spread in 80"]), 0.05)
        self.assertEqual(set(found["timeouts"]), {0})
        for part in found["last done"]:
            self.assertAlmostEqual(part, 1538 / 1448, 1)


class Kernel(unittest.TestCase):
    def test_disturbed_runs_are_left_out(self):
        """The second of three, so that the third one is the second."""
        runs = [{"timeouts": i, "host": {"disturbed": i == 1}} for i in range(3)]
        progress, kept = shares.undisturbed({(i, step): [i] for i in range(3) for step in range(2)}, runs)
        self.assertEqual(progress, {(0, 0): [0], (0, 1): [0], (1, 0): [2], (1, 1): [2]})
        self.assertEqual([run["timeouts"] for run in kept], [0, 2])
        simulated = [{"timeouts": 3}]
        self.assertEqual(shares.undisturbed({(0, 1): [7]}, simulated), ({(0, 1): [7]}, simulated))

    def test_acknowledgements_meet_data(self):
        """Ports to four workers at 0.8 of what each gets of the server's 200 Mbit/s; bursts are those of a virtual network."""
        case = kernel.Virtual.at("64KB", 0.2, 4, gso="16KB", back="ports")
        settings = case.settings("burst")
        self.assertEqual(settings["network.hosts"]["worker3"]["rate"], {"up": "0.2Gbps", "down": "0.04Gbps"})
        self.assertEqual(settings["network.tcp"], {"trains": False, "gso": "16KB"})
        self.assertEqual(kernel.Virtual.at("64KB", 0.2, 4).settings("packet")["network.tcp"], {"trains": True})
        self.assertEqual(case.name, "64KB-0.2g-w4-16KB-ports")
        with tempfile.TemporaryDirectory() as folder:
            case.write(folder, 3)
            text = read_text(os.path.join(folder, "profile.yaml"))
        self.assertEqual(re.findall("pull/t(.), kind: pull, tensor: t(.), deps: .f.", text), [("0", "0"), ("1", "1"), ("2", "2")])

    def test_runs(self):
        """Whoever pushes while as much is pulled still pushes all, and so much is pulled as well."""
        if not os.environ.get("DML_PROGRAM"):
            raise unittest.SkipTest("needs DML_PROGRAM")
        case = kernel.Virtual.at("64KB", 1, 2, back="queue")
        with tempfile.TemporaryDirectory() as folder:
            found = kernel.measure(folder, case, "burst")
            run, = (each["engines"]["burst"]["replications"][0] for each in
                    shares.dml.Results(os.path.join(folder, case.name, "burst")).cases)
        self.assertEqual(run["simulated_bytes"], 2 * shares.STEPS * (1000 * 1 + 2 * shares.TENSORS * case.tensor))
        self.assertGreater(min(found["last done"]), 1)


class Law(unittest.TestCase):
    def test_persistence(self):
        """An Ornstein-Uhlenbeck process of 100 drain times: of the variance, the mean over 5 drain times has
        2 (20 - 400 (1 - exp(-0.05))) = 0.9835, over 80 it has 2 (1.25 - 1.5625 (1 - exp(-0.8))) = 0.7792."""
        self.assertAlmostEqual(law.averaged(5, 100), 0.9835, 4)
        self.assertAlmostEqual(law.averaged(80, 100), 0.7792, 4)
        port = law.Shares("1MB", 1, 2, {scale: 0.05 * law.averaged(scale, 100) for scale in (5, 20, 80)})
        self.assertAlmostEqual(port.spread(5), math.sqrt(0.1 * 0.9835), 4)
        self.assertLess(abs(math.log(port.persistence / 100)), math.log(1.1))

    def test_powers(self):
        """Spreads of 0.3 W^0.5 size^-0.25, of which one is off."""
        try:
            import numpy  # noqa: F401 # pylint: disable=C0415,W0611
        except ImportError as error:
            raise unittest.SkipTest(f"the law needs numpy, which python3-pandas has: {error}") from error
        ports = [law.Shares(port, 1, workers, {5: 0.09 * workers * (law.SIZES[port] / 1e6) ** -0.5 * (workers - 1) / workers})
                 for port in ("64KB", "1MB", "4MB") for workers in (2, 4, 8)]
        powers = law.Powers(ports, lambda port: port.spread(5))
        for found, right in zip(powers.coefficients, (math.log(0.3), 0.5, -0.25), strict=True):
            self.assertAlmostEqual(found, right)
        self.assertAlmostEqual(powers.at("4MB", 8), 0.3 * 8 ** 0.5 * 4 ** -0.25)
        self.assertLess(powers.deviation, 1e-9)

    def test_judged(self):
        """Packets of a table, beside powers that are constants."""
        class Constant:
            def __init__(self, value):
                self.at = lambda port, workers: value
        table = simple(["port", "Gbit/s", "W", "spread in 5", "bursts", "spread in 80", "bursts"],
                       [["1MB", "1", "2", "0.20", "-0.10 +-0.04", "0.10", "-"], ["64KB", "10", "32", "-", "-", "-", "-"]])
        rows = law.judged(table, Constant(0.4 * math.sqrt(2)), Constant(1e6))
        self.assertEqual([row[:3] for row in rows], [["powers, 5", "1", "+100"], ["powers, 80", "1", "+300"],
                                                     ["constant, 5", "1", "-15"], ["bursts, 5", "1", "-50"]])


    def test_rule_has_the_table(self):
        """What the page says of ports is what the rule drop-tail has."""
        table = stored.read(os.path.join(ROOT, "doc", "bursts.rst"))["law"].tables["law-spreads"]
        page = [line.split()[2:2 + len(law.RATES)] for line in table[3:-1]]
        source = read_text(os.path.join(ROOT, "model", "fairshare", "dml-port-shares.cc"))
        rule = [row.split(", ") for row in re.findall(r"\{\{([\d., ]+)\}\}", source)]
        self.assertEqual(len(rule), len(law.SIZES) * len(law.WORKERS))
        for row, wanted in zip(rule, page, strict=True):
            self.assertEqual([cell for cell, want in zip(row, wanted, strict=True) if want != "-"],
                             [want for want in wanted if want != "-"])


class Runs(unittest.TestCase):
    def test_cell(self):
        if not os.environ.get("DML_PROGRAM"):
            raise unittest.SkipTest("needs DML_PROGRAM")
        cell = Cell("mobilenet-v2", "ring", 2, 1, 1, 0.25, "fair", "equal")
        with tempfile.TemporaryDirectory() as folder:
            settings = {"replications": 2, "job.steps": 3, "job.warmup": 1}
            runs = parts.engine_runs(folder, "run", cell, "burst", settings)
            fair = parts.engine_runs(folder, "run", cell, "fair-share", settings)
        self.assertEqual(len(runs), 2)
        for run, rule in zip(runs, fair):
            self.assertAlmostEqual(run["throughput"] / rule["throughput"], 1, 2)


class Page(unittest.TestCase):
    def test_is_of_its_data(self):
        doc = os.path.join(ROOT, "doc", "bursts.rst")
        text = document.fill(doc + ".in", read_text(doc + ".in"), *document.joined(stored.read(doc)))
        self.assertEqual(text, read_text(doc), "run tools/burst-study")


if __name__ == "__main__":
    unittest.main()
