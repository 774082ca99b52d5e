#!/usr/bin/env python3
#
# Copyright (c) 2026 The dml authors
#
# SPDX-License-Identifier: GPL-2.0-only

"""Test of tools/phase-study: its law against hand-derived lags and against the program, and its page."""

import math
import os
import sys
import tempfile
import unittest
from unittest import mock

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(ROOT, "tools"))
from phase_study import contention, host, job, parts  # pylint: disable=C0413
from study_intervals import Mean  # pylint: disable=C0413
from testbed_compare.tables import read_text  # pylint: disable=C0413
from validation_report import document, stored  # pylint: disable=C0413


class Law(unittest.TestCase):
    """With a capacity of 1 byte/s."""

    def test_two_servers(self):
        """30 and 20 bytes: lags up to 20 s are halved, up to 40 s they lose 10 s; of 45 s, the first worker has 15
        bytes of the big tensor left for the second one's start, and ends at 55 s, that one at 95 s."""
        for lag, expected in ((0, 0), (8, 4), (20, 10), (30, 20), (40, 30), (45, 40), (50, 50), (60, 60)):
            self.assertEqual(parts.next_lag(lag, 30, 20, 1), expected, lag)

    def test_small_second_tensor(self):
        """40 and 10 bytes: of more than 20 s the second worker gains the 10 bytes of the small tensor, and no more."""
        for lag, expected in ((8, 4), (20, 10), (30, 20), (40, 30), (45, 40)):
            self.assertEqual(parts.next_lag(lag, 40, 10, 1), expected, lag)

    def test_one_bottleneck(self):
        for lag in (0, 1, 25, 49, 60):
            self.assertEqual(parts.next_lag(lag, 50, 0, 1), lag)
            self.assertEqual(parts.next_lag(lag, 25, 25, 1), lag)

    def test_engine(self):
        if not os.environ.get("DML_PROGRAM"):
            raise unittest.SkipTest("needs DML_PROGRAM")
        with tempfile.TemporaryDirectory() as folder:
            for big, small, lag in ((30e6, 20e6, 0.1), (30e6, 20e6, 0.39), (45e6, 5e6, 0.2), (25e6, 25e6, 0.3)):
                expected = [lag]
                for _ in range(parts.LAW_STEPS):
                    expected.append(parts.next_lag(parts.next_lag(expected[-1], big, small), big, small))
                for found, known in zip(parts.law_lags(folder, big, small, lag), expected, strict=True):
                    self.assertAlmostEqual(found, known, 6)


class Order(unittest.TestCase):
    def test_phases(self):
        """Two vectors at an angle of x have a mean of length cos(x / 2)."""
        def steps(start):
            return [(start + at, start + at + 1) for at in range(6)]
        for lag, expected in ((0, 1), (0.25, math.sqrt(0.5)), (0.5, 0)):
            self.assertAlmostEqual(job.order_parameter({0: steps(0), 1: steps(lag)}, 1), expected, 9)
        self.assertTrue(math.isnan(job.order_parameter({0: steps(0), 1: steps(9)}, 1)))


class Limits(unittest.TestCase):
    def test_efficiency(self):
        """A worker alone has 2 samples/s and takes 40 % of the busiest link: at most 5 samples/s."""
        self.assertAlmostEqual(parts.efficiency(3, 2, 2, 0.4), 0.75)
        self.assertAlmostEqual(parts.efficiency(3, 8, 2, 0.4), 0.6)

    def test_speed(self):
        """MobileNet's 14 019 488 bytes go there and back in 0.224311808 s; its step computes 5.547 s."""
        self.assertIn("{speed: 49.4579}", job.settings("mobilenet-v2", 2, 1, "fair", 2)["job.devices"])


class Results:
    """What a study has of its runs."""

    def __init__(self, tables, replications):
        self.tables = tables
        self.cases = [{"engines": {"host": {"replications": replications}}}]

    def rows(self, name):
        return self.tables[name]


class Host(unittest.TestCase):
    def test_lags(self):
        """Worker 1 begins its pull 0.5 s late and ends it 0.25 s late; its push begins 0.25 s late and ends with the other's."""
        def row(worker, direction, tensor, ready, end):
            return {"engine": "host", "replication": "0", "worker": worker, "step": "0", "direction": direction,
                    "tensor": tensor, "ready": ready, "last_byte": end}

        rows = [row(0, "downlink", "a", 1, 2), row(0, "downlink", "b", 1.1, 3), row(1, "downlink", "a", 1.6, 3.25),
                row(1, "downlink", "b", 1.5, 2.5), row(0, "uplink", "a", 4, 6), row(1, "uplink", "a", 4.25, 6)]
        results = Results({"transfers": rows + [dict(rows[0], engine="packet", ready=0)]}, [])
        with mock.patch.object(host, "LAW_STEPS", 1):
            self.assertEqual(list(host.phase_lags(results, "host", 0)), [(0.5, 0.25), (0.25, 0)])

    def test_throughput(self):
        """One step is warm-up, which the second worker ends at 2 s; the first worker stops at 6 s. In between end
        steps at 2.5, 4, 4 and 6 s, of 3 samples each. Timers of a run that was disturbed count, too."""
        rows = [{"engine": "host", "replication": "0", "worker": worker, "start": end - 1, "end": end, "done": end - 0.1,
                 "batch": "3"} for worker, ends in enumerate(((1, 2.5, 4, 6), (2, 4, 7, 8))) for end in ends]
        replications = [{"replication": None, "throughput": None, "host": {"largest_lateness": 0.002, "disturbed": True}}]
        speeds, orders, lateness = host.throughputs_of(Results({"steps": rows}, replications), "host", 1)
        self.assertEqual(speeds, [3 * 4 / 4])
        self.assertEqual(len(orders), 1)
        self.assertEqual(lateness, 0.002)

    def test_similar(self):
        """All times of a step are an eighth: 1/32 of the bytes at a quarter of the rate, and devices eight times as fast."""
        settings = host.vgg_settings(4)
        self.assertEqual([settings[key] for key in ("job.scale", "network.rate", "job.devices", "transfer.window",
                                                    "network.queue", "job.step_jitter")],
                         [1 / 32, "250Mbps", "{cpu: {speed: 8}}", "875000B", "{fair: 125000B}", "375us"])


class Contention(unittest.TestCase):
    def test_difference(self):
        """Variances of the means 5/12 and 20/12: 4.4 degrees of freedom (Welch), so t = 2.776."""
        found = Mean.of_difference([1, 2, 3, 4], [2, 4, 6, 8])
        self.assertEqual(found.value, -2.5)
        self.assertAlmostEqual(found.half, 2.776 * math.sqrt(25 / 12), 9)
        self.assertEqual(Mean.of_difference([1] * 4, [2] * 4).half, 0)
        with self.assertRaises(ValueError):
            Mean.of_difference([1, 2, 3], [1, 2, 3, 4])

    def test_control(self):
        """Pairs differ by 1, 1, 2, 2 (s = sqrt(1/3)); the eight cheap ones have a mean of 4.5 and s^2 = 6."""
        found = Mean.of_controlled([2, 3, 5, 6], [1, 2, 3, 4, 5, 6, 7, 8])
        self.assertEqual(found.value, 6)
        self.assertAlmostEqual(found.half, math.hypot(3.182 * math.sqrt(1 / 3) / 2, 2.365 * math.sqrt(6 / 8)), 9)
        less = found.less_independent(Mean(1, 0.3, 0.7, 1.3))
        self.assertEqual((less.value, less.half), (5, math.hypot(found.half, 0.3)))

    def test_studies(self):
        """Two studies of equal intervals: half of 1.96, so variances of 1. The mean is 3; the squares of what differs from it are
        2 * 4, of which 7 are more than chance; over 2 - 2 / 2 = 1 that is the variance between them. So each has 1 + 7, the mean 4, and t = 12.706."""
        found = Mean.of_studies([Mean(1, 1.96, 0, 0), Mean(5, 1.96, 0, 0)])
        self.assertAlmostEqual(found.value, 3)
        self.assertAlmostEqual(found.half, 12.706 * 2)
        same = Mean.of_studies([Mean(1, 1.96, 0, 0), Mean(1, 0.98, 0, 0)])
        self.assertAlmostEqual(same.value, 1)
        self.assertAlmostEqual(same.half, 12.706 / math.sqrt(1 + 4))
        # the second study is known twice as well: weights 1 and 4, mean 4.6; 1 * 2.56 + 4 * 0.16 = 3.2, excess 2.2 over
        # 5 - 17 / 5 = 1.6, so 1.375 between them: weights 1 / 2.375 and 1 / 1.625
        unlike = Mean.of_studies([Mean(3, 1.96, 0, 0), Mean(5, 0.98, 0, 0)])
        self.assertAlmostEqual(unlike.value, (3 / 2.375 + 5 / 1.625) / (1 / 2.375 + 1 / 1.625))

    def test_sentences(self):
        """Nothing is said of which 0 is in the interval."""
        self.assertEqual(contention.told("Here", Mean(1, 2, -1, 3)),
                         "Here, neither one server nor four are faster for certain (+1.000 +-2.000 samples/s).")
        self.assertEqual(contention.told("Here", Mean(2, 1, 1, 3)), "Here, four servers are faster than one by 2.000 +-1.000 samples/s.")
        self.assertEqual(contention.told("Here", Mean(-2, 1, -3, -1)), "Here, four servers are slower than one by 2.000 +-1.000 samples/s.")
        sure, unsure = Mean(1, 0.5, 0.5, 1.5), Mean(1, 2, -1, 3)
        self.assertEqual(contention.placement_said([("a", sure), ("b", unsure), ("c", sure)]),
                         "In packets slices are faster (a; c), neither faster nor slower for certain (b).")

    def test_kept_results(self):
        """Results are not made again where settings are the same, and are where they are not."""
        class Finished:
            finished = True

        with tempfile.TemporaryDirectory() as folder, mock.patch.object(job, "run") as run, \
                mock.patch.object(job.dml, "Results", return_value=Finished()):
            for settings, runs in (({"a": 1}, 1), ({"a": 1}, 1), ({"a": 2}, 2)):
                job.run_once(folder, "x", settings, "both")
                self.assertEqual(run.call_count, runs)

    def test_placements(self):
        for sliced in (False, True):
            settings = contention.placed("fair", sliced, True)
            self.assertEqual(settings.get("transfer.partition"), "500000B" if sliced else None)
            self.assertEqual(settings["network.colocate"], "{ps0: worker0, ps1: worker1, ps2: worker2, ps3: worker3}")
            self.assertEqual(settings["job.devices"], "{cpu: {speed: 8}}")
        self.assertNotIn("network.colocate", contention.placed("FIFO", False, False))
        self.assertEqual(contention.variant_name({"job.parameter_servers": "2", "network.queue": "{fair: 0B}"}),
                         ("own", "whole", "2", "fair"))
        self.assertEqual(contention.variant_name({"network.colocate": "{ps0: worker0}", "transfer.partition": "4MB",
                                                  "network.queue": "{drop_tail: 1MB}"}), ("workers'", "slices", "4", "FIFO"))


class Page(unittest.TestCase):
    def test_is_what_the_tool_writes(self):
        doc = os.path.join(ROOT, "doc", "phase-locking.rst")
        text = document.fill(doc + ".in", read_text(doc + ".in"), *document.joined(stored.read(doc)))
        self.assertMultiLineEqual(read_text(doc), text)


if __name__ == "__main__":
    unittest.main()
