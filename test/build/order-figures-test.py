#!/usr/bin/env python3
#
# Copyright (c) 2026 The dml authors
#
# SPDX-License-Identifier: GPL-2.0-only

"""Test of the studies of tools/order-studies that make TicTac's and Prophet's other figures again: with
results made up (test/support/order_study_results.py), whose numbers are derived by hand."""

import contextlib
import os
import subprocess
import sys
import tempfile
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(ROOT, "tools"))
sys.path.insert(0, os.path.join(ROOT, "test", "support"))
from order_study_results import write_run  # pylint: disable=C0413
from order_studies import (consistency, learning, models, page, prophet_gradients,  # pylint: disable=C0413
                           prophet_jobs, prophet_models, prophet_slices, results, workloads)
from testbed_compare.errors import InputError, PredictionError  # pylint: disable=C0413


def throughput(engine, variant, workers):
    """A worker has 10 samples/s; Prophet brings 20 % more, and each MB of a partition a sample more."""
    rate = 12 if variant.get("transfer.policy") == "prophet" else 10
    partition = variant.get("transfer.partition")
    if partition:
        rate += prophet_slices.megabytes(partition)
    return rate * workers * (1.05 if engine == "fair-share" else 1)


def step(_, variant, workers):
    """Two iterations of 2 and 3 s, without an order twice as long; twice the workers take a second more."""
    factor = 2 if variant.get("transfer.policy") == "shuffled" else 1
    more = 1 if workers == 8 else 0
    return factor * (2 + more), factor * (3 + more)


class Figures(unittest.TestCase):
    def make(self, study):
        with tempfile.TemporaryDirectory() as root:
            for run in study.RUNS:
                write_run(os.path.join(root, run.name), run, throughput, step)
            found = results.Results(root, study.RUNS)
            tables = {(run.name, name): list(found.rows(run.name, name)) for run in study.RUNS
                      for name in ("ops", "transfers", "learning")
                      if os.path.exists(os.path.join(root, run.name, name + ".csv"))}
        found.rows = lambda run, name: iter(tables[run, name])
        return found

    def test_workloads(self):
        found = self.make(workloads)
        gains = workloads.scale_gains(found)
        self.assertEqual(len(gains), 5 * 2 * 6)  # models, workloads, (servers, W)
        self.assertAlmostEqual(gains["vgg11", "inference", 4, 16].value, 1, 9)
        # Two replications have no interval.
        self.assertIsNone(workloads.batch_gains(found)["resnet50", "training", 2].half)
        self.assertEqual(len(workloads.packet_gains(found)), 2 * 5)
        case = workloads.pair(found, "sync-vgg11-m1", 8, workload="training")[0]
        # iterations of 6 and 8 s, of which worker 0 waits for half
        self.assertEqual([case.times[place] for place in workloads.counted(case)], [6, 8])
        self.assertEqual(workloads.waits(case), [0.5, 0.5])
        self.assertEqual(workloads.mean_text([0.1, 0.3]), "20.0 (10.0..30.0)")

    def test_warm_up_does_not_count(self):
        case = results.Case({}, 1, 1, "packet", None, None, None)
        case.times = {("0", str(at)): float(at) for at in range(12)}
        self.assertEqual(workloads.counted(case), [("0", str(at)) for at in range(2, 12)])

    def test_efficiency(self):
        """4 s of a downlink and 3 s of the device. They end after 5 s: U = 7, L = 4."""
        each = consistency.Step()
        each.add("downlink", 10, 14)
        each.add("device", 12, 15)
        self.assertEqual(each.seconds, 5)
        self.assertAlmostEqual(each.efficiency, (7 - 5) / (7 - 4), 9)
        alone = consistency.Step()
        alone.add("device", 0, 1)
        self.assertIsNone(alone.efficiency)

    def test_regression(self):
        # around means of 1: S_xy = 1, S_xx = 2, S_yy = 2
        self.assertAlmostEqual(consistency.r_squared([(0, 0), (1, 2), (2, 1)]), 1 / 4, 9)
        self.assertAlmostEqual(consistency.r_squared([(0, 3), (1, 2), (3, 0)]), 1, 9)

    def test_consistency(self):
        steps = consistency.read_steps(self.make(consistency).rows("steps-training", "ops"))
        # with TAC 5, 5.5 and 6 s in both replications, without 1 or 2 s more
        self.assertEqual(consistency.shortest(steps), 5)
        for value in consistency.slow(steps, "tac"):
            self.assertAlmostEqual(value, 5 / 6, delta=0.01)
        self.assertEqual([each.seconds for each in steps["shuffled", "1"]], [7, 7.5, 8])

    def test_learning(self):
        found = learning.curves(self.make(learning).rows("loss", "learning"))
        self.assertEqual(learning.difference(found, "tic"), 0)
        self.assertEqual(learning.difference_text(found, "tic"), "0")
        # 3 s an update without an order, 2 with one
        self.assertEqual(learning.ends(found, "tac", 1), [8, 8])
        self.assertEqual(learning.table(found)[4].split()[-1], "+50.0")
        found["tic", "1"][1] = (2.0, 4.0, 0.5)  # it was 1/3
        self.assertAlmostEqual(learning.difference(found, "tic"), 0.5, 9)
        found["tic", "1"][1] = (3.0, 4.0, 0.5)
        with self.assertRaisesRegex(InputError, "tic, replication 1: found losses after other updates"):
            learning.difference(found, "tic")

    def test_learning_fails(self):
        """What the program says is the error."""
        with tempfile.TemporaryDirectory() as root:
            write_run(os.path.join(root, "loss"), learning.LEARNT, throughput, step)
            os.remove(os.path.join(root, "loss", "learning.csv"))
            program = os.path.join(root, "program")
            with open(program, "w", encoding="utf-8") as file:
                file.write("#!/bin/sh\necho dml: no $* >&2\nexit 2\n")
            os.chmod(program, 0o755)
            with contextlib.redirect_stdout(None), self.assertRaisesRegex(
                    PredictionError, "no learn .*loss --problem mlp --learning-rate 0.25"):
                learning.LEARNT.do(program, root, 1)

    def test_models(self):
        with tempfile.TemporaryDirectory() as root:
            path = os.path.join(root, "p.yaml")
            with open(path, "w", encoding="utf-8") as file:
                file.write("batch_size: 3\ntensors:\n  - {name: a, bytes: 1048576}\n"
                           "ops:\n  - {name: pull/a, kind: pull, tensor: a}\n"
                           "  - {name: f, kind: forward, seconds: 1}\n"
                           "  - {name: b, kind: backward, seconds: 1}\n")
            self.assertEqual(models.characteristics(path), (1, 1, 2, 3, 3))
            with open(path, "w", encoding="utf-8") as file:
                file.write("batch_size: 3\n")
            with self.assertRaisesRegex(InputError, "p.yaml: found no tensors, ops or batch size; accepted"):
                models.characteristics(path)
        times = models.toy_times(self.make(models))
        self.assertEqual(times["[recv2, recv1]", "packet"], 2.5)

    def test_prophet_models(self):
        found = self.make(prophet_models)
        # a worker has 12 and 10 samples/s, 5 % more in fair-share; replications are 10 % apart from that
        self.assertEqual([round(each, 9) for each in prophet_models.rates(found, "resnet18", 16, "prophet")],
                         [11.34, 13.86])
        for engine in ("fair-share", "packet"):
            self.assertAlmostEqual(prophet_models.gain(found, *prophet_models.PACKET, engine).value, 0.2, 9)
        self.assertEqual(len(prophet_models.places()), 8)
        row = prophet_models.batch_table(found)[4].split()
        self.assertEqual(row, "resnet18 16 the paper 32.5 29.1 +11.7".split())

    @unittest.skipUnless(os.environ.get("DML_PROGRAM") and os.environ.get("DML_SHARED_PROFILES"),
                         "needs DML_PROGRAM and DML_SHARED_PROFILES")
    def test_profile(self):
        """scenarios/prophet/resnet18-b8.yaml is the import of the measured layers, to the byte."""
        layers = os.path.join(os.environ["DML_SHARED_PROFILES"], "torch-cpu", "resnet18_b8.layers.json")
        with tempfile.TemporaryDirectory() as root:
            path = os.path.join(root, "profile.yaml")
            subprocess.run([os.environ["DML_PROGRAM"], "import", "torch-layers", layers, "-o", path],
                           check=True, stdout=subprocess.DEVNULL)
            with open(path, encoding="utf-8") as fresh, open(prophet_jobs.JOBS["resnet18"].path,
                                                             encoding="utf-8") as kept:
                self.assertEqual(fresh.read(), kept.read())

    def test_slices(self):
        found = self.make(prophet_slices)
        self.assertEqual([prophet_slices.megabytes(text) for text in ("250KB", "16MB")], [0.25, 16])
        rates = prophet_slices.rates(found, prophet_slices.PANELS[0], "10Gbps")
        self.assertAlmostEqual(sum(rates["8MB"]) / 2, 1.05 * 18, 9)
        self.assertEqual(prophet_jobs.rate_text([9, 11]), "10.0 (9.0..11.0)")

    def test_gradients(self):
        transfers = prophet_gradients.Transfers(
            self.make(prophet_gradients).rows("gradients", "transfers"))
        group, names = transfers.found["prophet", "packet"], prophet_gradients.gradient_names()
        self.assertEqual(names[0], "conv1.weight")
        # ready at 2 or 1 s, slices of 3 to 4 s and 4 to 5 s, or 6
        self.assertEqual(group["1", "0", "6", names[0]], (2, 3, 6))
        picks = prophet_gradients.PICKS
        self.assertEqual(prophet_gradients.mean_times(group, {names[0]}, picks["wait"]), [1000, 1000])
        self.assertEqual(prophet_gradients.mean_times(group, {names[1]}, picks["both"]), [4000, 5000])
        self.assertEqual(prophet_gradients.blocks(group), 2)

    def test_use(self):
        use = prophet_gradients.Use()
        for row in (("0", "3", "device", 0, 0, 9), ("0", "4", "device", 10, 14, 0),
                    ("1", "4", "device", 12, 20, 0), ("0", "4", "downlink", 4.05, 4.25, 40_000_000),
                    ("1", "3", "downlink", 4, 5, 10), ("0", "4", "server", 0, 99, 7)):
            use.add(dict(zip(("worker", "step", "resource", "start", "end", "bytes"), row)))
        # 12 s of three devices, and 40 MB of three workers, in 10 s
        self.assertAlmostEqual(use.gpu, 12 / 3 / 10, 9)
        self.assertAlmostEqual(use.rate, 4e6 / 3, 6)
        bins = use.over_time(True)
        # 200 MB/s from the middle of the first bin of 0.1 s to that of the third
        self.assertEqual([round(value, 6) for _, value in bins[:4]], [100, 200, 100, 0])  # of worker 0

    def test_pages_coverage(self):
        """A line may name the studies whose cost is told; what is stored is under the file's own name."""
        with tempfile.TemporaryDirectory() as root:
            doc = os.path.join(root, "p.rst")
            with open(os.path.join(root, "p-x-coverage.json"), "w", encoding="utf-8") as file:
                file.write('{"rows": [{"item": "Fig. 1", "shows": "a", "status": "not", "text": "b"}]}')
            self.assertEqual(page.coverage.part_name(doc, "p-x-coverage.json"), "x-coverage")
            self.assertEqual(page.coverage.part_name(doc, "p-coverage.json"), "coverage")
            with open(doc + ".in", "w", encoding="utf-8") as file:
                file.write(".. coverage: p-x-coverage.json tuctuc\n")
            with self.assertRaisesRegex(InputError, "there is no study 'tuctuc'; accepted is tictac"):
                page.write(root, doc)


if __name__ == "__main__":
    unittest.main()
