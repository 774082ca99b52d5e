#!/usr/bin/env python3
#
# Copyright (c) 2026 The dml authors
#
# SPDX-License-Identifier: GPL-2.0-only

"""Test of what tools/fidelity-study holds out: rows of real runs, constants that are fitted without the group that they are
judged on, and that what the program says of expected errors is what the page has."""

import os
import re
import sys
import tempfile
import unittest
from dataclasses import replace

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(ROOT, "tools"))
from burst_study import virtual  # pylint: disable=C0413
from burst_study.incast import Progress  # pylint: disable=C0413
from fidelity import collectives, exchanges, held_out, lateness, real_runs  # pylint: disable=C0413
from validation_report import stored  # pylint: disable=C0413

PROGRAM_TABLE = os.path.join(ROOT, "model", "report", "dml-expected-error.cc")


def host_case(workers, *throughputs):
    """A case of a summary; a negative throughput is of a run that was disturbed."""
    runs = [{"throughput": None if value < 0 else value, "host": {"disturbed": value < 0}} for value in throughputs]
    return {"variant": {"network.queue": "{fair: 0B}", "job.start": "together"}, "workers": workers,
            "parameter_servers": 1, "engines": {"host": {"replications": runs}}}


class RealRuns(unittest.TestCase):
    def setUp(self):
        holder = tempfile.TemporaryDirectory(prefix="dml-held-out-")
        self.addCleanup(holder.cleanup)
        self.path = os.path.join(holder.name, "runs.csv")

    @staticmethod
    def key_of(case):
        return real_runs.Key.of("batch", "alexnet", case)

    def test_farthest(self):
        self.assertEqual(real_runs.farthest([7.0]), 0)
        # 100 beside the mean of 102 and 98, 102 beside 99, 98 beside 101
        self.assertAlmostEqual(real_runs.farthest([100, 102, 98]), 102 / 99 - 1)

    def test_rows_leave_out_what_was_disturbed(self):
        rows = list(real_runs.rows_of([host_case(2, 10.0, 12.0, -1), host_case(4, -1, -1)], self.key_of, "2026-11-30"))
        self.assertEqual([(row["workers"], row["runs"], row["disturbed"], row["samples_per_s"]) for row in rows],
                         [("2", 2, 1, "11")])

    def test_a_measurement_takes_the_place_of_itself(self):
        def rows(name, throughput):
            return [{"measured": name, **row} for row in real_runs.rows_of([host_case(2, throughput)], self.key_of, "d")]
        self.assertEqual(real_runs.read(self.path), {})
        real_runs.keep("a", rows("a", 1.0), self.path)
        real_runs.keep("b", rows("b", 2.0), self.path)
        real_runs.keep("a", rows("a", 3.0), self.path)
        self.assertEqual([row["samples_per_s"] for row in real_runs.read_rows(self.path)], ["2", "3"])
        key = real_runs.Key("batch", "alexnet", "fair", "1", "together", "2")
        self.assertEqual(real_runs.read(self.path)[key].mean, 3.0)

    def test_every_batch_has_rows(self):
        found = {row["measured"] for row in real_runs.read_rows()}
        wanted = {run.name for run in (*held_out.MEASURED, *collectives.MEASURED)}
        self.assertLessEqual(wanted, found)
        self.assertLessEqual(found, wanted | {run.name for run in exchanges.MEASURED})  # these may be measured later


class Exchanges(unittest.TestCase):
    def setUp(self):
        self.batch = exchanges.Batch("10 MB", 0.1, 200, ("256KB", "fair"), ("ring", "recursive-doubling"), 6)

    def test_key_has_the_port(self):
        case = {"variant": {"network.queue": "{drop_tail: 256KB, whole_bursts: true}", exchanges.ALGORITHM: "ring"}, "workers": 8}
        self.assertEqual(self.batch.key_of(case),
                         ("10 MB, 200 Mbit/s, N = 8, 256KB", "ring", "FIFO", "0", "together", "8"))
        case["variant"]["network.queue"] = "{fair: 0B}"
        self.assertEqual(self.batch.key_of(case)[:3], ("10 MB, 200 Mbit/s, N = 8, fair", "ring", "fair"))

    def test_table(self):
        """A ring sends 1.75 buffers in 0.726 s of 192.8 Mbit/s, recursive doubling three in 1.245 s. A step of 1.492 s, of which
        0.04 s are computing, is twice as long as a ring at full rate; the prediction has a tenth more steps/s."""
        self.assertAlmostEqual(exchanges.full_rate(self.batch, "ring"), 0.7261, 4)
        self.assertAlmostEqual(exchanges.full_rate(self.batch, "recursive-doubling"), 1.2448, 4)
        self.assertIsNone(exchanges.full_rate(self.batch, "tree"))
        speed = 8 / (2 * exchanges.full_rate(self.batch, "ring") + 0.04)
        case = held_out.Case(None, real_runs.Real(speed, 0, 1, 2), {"burst": 1.1 * speed})
        row = exchanges.cases_table([(self.batch, "256KB", "ring", case)])[3]
        self.assertEqual(row.split(), ["ring", "10", "MB", "200", "256KB", "1.45", "2.00", "-", "+10.0"])


def case_of(group, real, late, workers="1"):
    """A case whose predicted throughput is 1 + its lateness in ms."""
    predicted = {mean: 1 + mean for mean in lateness.MEANS}
    key = real_runs.Key(group, "alexnet", "fair", "1", "together", workers)
    return held_out.Case(key, real_runs.Real(real, 0, 1, 2), {}, {"burst": predicted | late})


class LatenessTest(unittest.TestCase):
    def test_interpolates(self):
        self.assertAlmostEqual(lateness.interpolate({0.0: 10, 2.0: 14, 4.0: 10}, 0.5), 11)
        self.assertAlmostEqual(lateness.interpolate({0.0: 10, 2.0: 14, 4.0: 10}, 3), 12)
        self.assertEqual(lateness.interpolate({0.0: 10, 2.0: 14}, 9), 14)

    def test_fits_without_what_it_is_judged_on(self):
        """Two groups are met with 2 ms, the third with 6: without it 2 is fitted, which gives 3 instead of 7."""
        law = lateness.LAWS[1]
        cases = [case_of("a", 3.0, {}), case_of("b", 3.0, {}), case_of("c", 7.0, {})]
        self.assertEqual(law.name, "fitted")
        found = lateness.leave_out(cases, "burst", law, lambda case: case.key.batch)
        self.assertEqual(found["c"][0], 2.0)
        self.assertAlmostEqual(found["c"][1][0], 3 / 7 - 1)
        self.assertEqual(found["a"][0], 2.0)
        self.assertAlmostEqual(found["a"][1][0], 0)

    def test_law_by_processes(self):
        """Three workers and a server on two cores: twice the constant."""
        law = lateness.LAWS[2]
        self.assertEqual(law.mean(case_of("a", 1.0, {}, "3"), 1.5), 3.0)
        self.assertAlmostEqual(lateness.error(case_of("a", 2.0, {}, "3"), "burst", law, 1.5), 1.0)


    def test_law_of_crowded_cores_has_predictions_of_its_own(self):
        law = lateness.LAWS[3]
        case = case_of("a", 3.0, {})
        case.crowded["burst"] = {1.0: 2.0, 3.0: 4.0}
        self.assertAlmostEqual(lateness.error(case, "burst", law, 2.0), 0)
        self.assertEqual(law.constants[0], lateness.OF_PROCESSES[0])
        self.assertEqual(law.constants[-1], lateness.OF_PROCESSES[-1])

    def test_real_runs_were_on_so_many_cores(self):
        self.assertEqual({row["cores"] for row in real_runs.read_rows()}, {str(held_out.CORES)})


class Expected(unittest.TestCase):
    def test_program_says_what_the_page_has(self):
        parts = stored.read(os.path.join(ROOT, "doc", "fidelity.rst"))
        lines = [line for name in (held_out.NAME, collectives.NAME) for line in parts[name].tables["expected"][3:-1]]
        page = [re.split(r"  +", line.strip()) for line in lines]
        with open(PROGRAM_TABLE, encoding="utf-8") as file:
            rows = re.findall(r'\{"([^"]+)", (\d+), \{(.*)\}\},', file.read())
        found = []
        for name, cases, errors in rows:
            sizes = {engine: size for engine, *size in re.findall(r"\{(\w+), \{([\d.]+), ([\d.]+), (\d+)\}\}", errors)}
            for engine in ("FAIR_SHARE", "BURST"):
                self.assertEqual(sizes[engine].pop(), cases)
            mean, largest, packets = sizes["PACKET"]
            found.append([name, cases, *sizes["FAIR_SHARE"], *sizes["BURST"], packets, mean, largest])
        self.assertEqual(found, page)


class Virtual(unittest.TestCase):
    """Pushes whose bytes come at constant rates."""

    @staticmethod
    def push(begin, end, tensors):
        step = (end - begin) / tensors
        return Progress([(begin + i * step, begin + (i + 1) * step) for i in range(tensors)], virtual.SIZE)

    def test_a_push_is_compared_with_older_ones_that_are_still_there(self):
        # the last one gets half of what the others do; one has gone
        pushes = [self.push(0, 10, 100), self.push(0, 10, 100), self.push(0, 1.2, 12), self.push(1, 11, 50)]
        self.assertEqual(len(virtual.compare_with_older(pushes, 0.1, 0.4)), 1)
        self.assertAlmostEqual(virtual.compare_with_older(pushes, 0.1, 0.4)[0], 0.5)
        self.assertEqual(virtual.compare_with_older(pushes[:2], 0.1, 0.4), [])

    def test_spread_and_correlation(self):
        # shares of 2/3 and 4/3 for ever
        series = virtual.share_series([self.push(0, 10, 50), self.push(0, 10, 100)], 2)
        self.assertAlmostEqual(virtual.spread(series, 1), 1 / 3)
        self.assertAlmostEqual(virtual.spread(series, 16), 1 / 3)
        self.assertAlmostEqual(virtual.correlation(series, 8), 1)

    def test_intervals_in_which_few_push_do_not_count(self):
        series = virtual.share_series([self.push(0, 10, 50), self.push(4, 5, 100)], 2)
        self.assertEqual(sorted(series[0]), list(range(80, 100)))


class Batches(unittest.TestCase):
    def test_settings(self):
        batch = replace(real_runs.BATCHES[1], name="x")
        self.assertIn("job.scale=0.25", batch.settings("alexnet"))
        self.assertIn("network.rate=1Gbps", batch.settings("alexnet"))
        single = batch.settings("alexnet", (8,), held_out.queues_of(batch, ("FIFO",), True))
        self.assertIn("sweep.network.queue=[1MB]", single)
        self.assertIn("job.workers=[8]", single)


if __name__ == "__main__":
    unittest.main()
