#!/usr/bin/env python3
#
# Copyright (c) 2026 The dml authors
#
# SPDX-License-Identifier: GPL-2.0-only

"""Test of the studies of tools/sync-studies that read tables of results: times over batches, what is learnt,
predictions, and the cost of asking for batch sizes. The results are made up here."""

import csv
import json
import math
import os
import stat
import sys
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(ROOT, "tools"))
from scratch_folder import ScratchFolder  # pylint: disable=C0413
from order_studies import page as order_page  # pylint: disable=C0413
from study_intervals import Mean, span  # pylint: disable=C0413
from sync_studies import batch_times, learn_run, learning  # pylint: disable=C0413
from sync_studies import overhead, predictions  # pylint: disable=C0413
from sync_studies.results import Results  # pylint: disable=C0413
from testbed_compare.errors import InputError, PredictionError  # pylint: disable=C0413

SUMMARY = {"cases": [{"workers": 1, "parameter_servers": 1,
                      "engines": {"learn": {"timing": {"cpu_seconds": 30}}}}],
           "timing": {"wall_seconds": 60}}


class WithFolder(ScratchFolder):
    def write_table(self, folder, name, header, rows):
        """A table below the root, with a summary beside it."""
        folder = os.path.join(self.root, folder)
        os.makedirs(folder, exist_ok=True)
        with open(os.path.join(folder, name), "w", encoding="utf-8", newline="") as file:
            writer = csv.writer(file)
            writer.writerows([header.split(","), *rows])
        with open(os.path.join(folder, "summary.json"), "w", encoding="utf-8") as file:
            json.dump(SUMMARY, file)
        return folder

    def text(self, study):
        """The study's part of the page, from results in folders of the study's name."""
        doc = os.path.join(ROOT, "doc", "sync-studies.rst")
        results = Results(os.path.join(self.root, study.NAME), study.RUNS)
        self.assertEqual(results.missing(), [])
        part = order_page.make(self.root, study, os.path.join(self.root, "page.rst"), results)
        text = order_page.render(study, doc, {study.NAME: part}, "sync-studies")
        self.assertNotRegex(text, r"@[a-z-]+@")
        rules = [line for line in text.splitlines() if line.startswith("==")]
        self.assertEqual([line for line in rules if len(line) > 80], [])
        return text


class Intervals(unittest.TestCase):
    def test_ratios(self):
        # ratios 1 and 3, twice: mean 2, standard deviation 2 / sqrt(3), 3.182 standard errors of half of that
        mean = Mean.of_pairs([2, 12, 2, 12], [2, 4, 2, 4])
        self.assertAlmostEqual(mean.value, 2, 12)
        self.assertAlmostEqual(mean.half, 3.182 / 3 ** 0.5, 9)
        self.assertEqual(mean.text(), "2.0 +-1.8")
        self.assertEqual(mean.less(1).percent, "+100.0 +-183.7")
        self.assertEqual(Mean.of_pairs([2, 12], [2, 4]).less(1).percent, "+100.0 (+0.0..+200.0)")
        with self.assertRaises(ValueError):
            Mean.of_pairs([2, 12], [2])

    def test_gains(self):
        gain = Mean.of_gains([11.0, 22.0, 33.0, 44.0], [10.0, 20.0, 30.0, 40.0])  # 10 % more each time
        self.assertEqual((gain.percent, gain.certain), ("+10.0 +-0.0", True))
        self.assertFalse(Mean.of_gains([11.0, 22.0, 33.0], [10.0, 20.0, 30.0]).certain)
        mean = Mean.of([1.0, 2.0, 3.0])
        self.assertIsNone(mean.half)
        self.assertEqual((mean.low, mean.high), (1, 3))

    def test_one_replication(self):
        one = Mean.of([0.5])
        self.assertEqual((one.text(2), one.less(1).percent, one.certain), ("0.50", "-50.0", False))

    def test_geometric(self):
        # 2 and 8 times as much: 4 times; the logarithms are ln 2 off their mean
        mean = Mean.of_ratios([2, 16, 2, 16], [1, 2, 1, 2])
        self.assertAlmostEqual(mean.value, 3, 9)
        self.assertAlmostEqual(mean.half, 4 * math.sinh(3.182 * math.log(2) / 3 ** 0.5), 9)

    def test_span(self):
        self.assertEqual((span([17, 15, 16]), span([1.04, 0.96], 1)), ("15 to 17", "1.0"))


class BatchTimes(WithFolder):
    HEADER = "variant,step,start,done"

    def rows(self, times):
        """The first step takes 9 s, those after it as long as `times` has."""
        return [(f"job.batch_size={batch}", step, 10 * step, 10 * step + (seconds if step else 9))
                for batch, seconds in times.items() for step in range(3)]

    def test_report(self):
        for name in batch_times.GPUS:
            self.write_table(f"batch-times/{name}", "steps.csv", self.HEADER,
                       self.rows({batch: batch / 100 for batch in batch_times.gpu_batches(name)}))
        for cores in batch_times.CORES:
            name = batch_times.cpu(cores)
            for kind, more in ((name, 3), (batch_times.alone(name), 0)):
                self.write_table(f"batch-times/{kind}", "steps.csv", self.HEADER, self.rows(
                    {batch: batch / cores + more for batch in batch_times.CPU_BATCHES}))
        text = self.text(batch_times)
        # a K520 holds 32 samples; 8 samples on 8 cores take 1 s, a quarter of 4 s
        self.assertRegex(text, r"K520 +0.010 +0.080 +0.160 +0.320 +- +- +- +-\n")
        self.assertRegex(text, r"\n +8 +1.00 +4.00 +25 ")

    def test_mistakes(self):
        folder = self.write_table("x", "steps.csv", self.HEADER, [("network.rate=1Gbps", 1, 0, 1)])
        with self.assertRaisesRegex(InputError, "steps.csv:2: found a row that is no step of a batch"):
            batch_times.read_times(folder)


class Learning(WithFolder):
    HEADER = "scheme,workers,engine,replication,rate,updates,samples,time,loss"

    def curves(self, losses, seconds, same=False):
        """Five replications, of which each next one takes 10 % longer; a point each 2000 samples."""
        return [(scheme, 4, "fair-share", replication, 4 if same else 1, 0, 2000 * i,
                 seconds[scheme] * i * (1 + 0.1 * replication), loss)
                for scheme in learning.SCHEMES for replication in range(5)
                for i, loss in enumerate(losses[scheme])]

    def test_report(self):
        slow = [1, 0.9, 0.8, 0.7, 0.6, 0.5, 0.4, 0.2]  # reaches 0.2 with 14000 samples
        fast = [1, 0.2, 0.15, 0.14, 0.13, 0.12, 0.11, 0.1]  # with 2000
        never = [1, 2, 3, 4, 5, 6, 7, 8]
        seconds = {"bsp": 4, "asp": 2, "ssp": 3, "lb-bsp": 1}
        self.write_table("learning/learn-best", "learning.csv", self.HEADER, self.curves(
            {"bsp": slow, "asp": fast, "ssp": slow, "lb-bsp": slow}, seconds))
        self.write_table("learning/learn-same", "learning.csv", self.HEADER, self.curves(
            {"bsp": fast, "asp": never, "ssp": slow, "lb-bsp": fast}, seconds, True))
        for scheme in learning.SCHEMES:
            self.write_table(f"learning/{scheme}", "steps.csv", "a", [])
        text = self.text(learning)
        # 2 s instead of 4 s for as many samples; a seventh of the samples; a fourteenth of the time
        self.assertRegex(text, r"best +ASP +1 +0.50 \+-0.00 +0.14 \+-0.00 +0.07 \+-0.00\n")
        self.assertRegex(text, r"same +ASP +4 +not reached +not reached +not reached\n")
        self.assertRegex(text, r"same +SSP, 5 +4 +0.75 \+-0.00 +7.00 \+-0.00 +5.25 \+-0.00\n")
        self.assertRegex(text, r"same +ASP +2.000 \+-0.000 +4.000 \+-0.000 +8.000 \+-0.000\n")

    def test_curves(self):
        folder = self.write_table("x", "learning.csv", self.HEADER, [
            ("a", 4, "packet", 1, 2, 0, 0, 0, 1), ("a", 4, "packet", 1, 2, 1, 64, 0.5, 0.4),
            ("a", 4, "packet", 0, 2, 0, 0, 0, 1), ("a", 4, "packet", 1, 2, 2, 96, 0.7, 0.3)])
        first, second = learn_run.read_curves(folder)["a"]
        self.assertIsNone(first.at_target(0.4))
        self.assertEqual(second.at_target(0.4), learn_run.Point(64, 0.5, 0.4))
        self.assertEqual(second.at_samples(95).loss, 0.4)
        folder = self.write_table("y", "learning.csv", self.HEADER, [("a", 4, "packet", 0, 2, 0, 0, "x", 1)])
        with self.assertRaisesRegex(InputError, "learning.csv:2: found a row that is no point"):
            learn_run.read_curves(folder)

    def test_run(self):
        """It goes through the program once, and says what the program says if that fails."""
        run = learn_run.LearnRun("learnt", ("a", "b"), "mlp", 0.2, 4)
        os.makedirs(os.path.join(self.root, "learnt"))
        path = os.path.join(self.root, "program")
        for code, error in ((2, "learnt: no versions"), (0, None)):
            with open(path, "w", encoding="utf-8") as file:
                file.write(f'#!/bin/sh\necho "$@" >>{self.root}/calls.txt\n'
                           f"echo dml: no versions >&2\nexit {code}\n")
            os.chmod(path, os.stat(path).st_mode | stat.S_IXUSR)
            if error:
                with self.assertRaisesRegex(PredictionError, error):
                    run.do(path, self.root, 1)
        run.do(path, self.root, 1)
        run.do(path, self.root, 1)  # is done before
        with open(os.path.join(self.root, "calls.txt"), encoding="utf-8") as file:
            calls = file.read().splitlines()
        self.assertEqual(calls, [
            f"learn {self.root}/a {self.root}/b --problem=mlp --target=0.2 --learning-rate=4 "
            f"--out={self.root}/learnt"] * 2)
        self.assertEqual(Results(self.root, (run,)).missing(), [])


class Predictions(WithFolder):
    HEADER = "replication,worker,step,start,batch,done"

    def test_errors(self):
        # speeds 30 and 10 samples/s, batches of 60 and 60 samples: those of 20 and 20
        step = {0: (30, 60), 1: (10, 60)}
        self.assertAlmostEqual(predictions.expected(step, 0), 20, 12)
        steps = {0: {0: (1, 1), 1: (9, 1)}, predictions.TRAINED: step}
        found = predictions.errors(steps)
        self.assertAlmostEqual(found[0], -1 / 3, 12)
        self.assertAlmostEqual(found[1], 1, 12)
        self.assertAlmostEqual(predictions.root_mean_square([3, 4]), 12.5 ** 0.5, 12)
        # 6 s, where 120 samples at 40 samples/s take 3 s
        self.assertAlmostEqual(predictions.slowest(steps), 2, 12)

    def test_report(self):
        for predictor in predictions.PREDICTORS:
            wrong = {"last": 2, "ema": 8, "narx": 4}[predictor]
            rows = [(replication, worker, step, step, 16 + (wrong if worker else -wrong), step + (
                16 + (wrong if worker else -wrong)) / 32)
                    for replication in range(5) for step in range(501, predictions.STEPS)
                    for worker in range(2)]
            self.write_table(f"predictions/{predictor}", "steps.csv", self.HEADER, rows)
        text = self.text(predictions)
        # equal speeds, a quarter too much or too little, twice as wrong as an eighth
        self.assertRegex(text, r"NARX +0.250 \+-0.000 +2.00 \+-0.00 ")
        self.assertRegex(text, r"EMA +0.500 \+-0.000 ")

    def test_mistakes(self):
        folder = self.write_table("x", "steps.csv", self.HEADER, [(0, 0, 0, 1, 16, 1)])
        with self.assertRaisesRegex(InputError, "steps.csv:2: found a row that is no step"):
            predictions.read_speeds(folder)


class Overhead(WithFolder):
    HEADER = "engine,replication,worker,step,start,end"

    def test_report(self):
        for workers in overhead.WORKERS:
            for control in overhead.CONTROLS:
                # steps of 1, 2 and 3 s, and pauses of 1 per mille (even workers) or 3 (odd ones) if there is control
                rows = [(engine, replication, worker, step, (replication + 1) * (
                             (1.003 if control == "on" else 1) * step
                             - (0.002 if control == "on" and step and worker % 2 == 0 else 0)),
                         (replication + 1) * ((1.003 if control == "on" else 1) * step + 1))
                        for engine in ("fair-share", "packet") for replication in range(3)
                        for worker in range(workers)
                        for step in range(3)]
                self.write_table(f"overhead/{overhead.run_name(control, workers)}", "steps.csv", self.HEADER,
                           rows)
        text = self.text(overhead)
        self.assertRegex(text, r"\n96 +2.0000 \(1.0000..3.0000\) +2.000( \S+)? +1.000 +3.000 +3.000( \S+)?\n")

    def test_parts(self):
        steps = {(0, 0): (0, 2), (1, 0): (0, 1), (0, 1): (2.5, 4), (1, 1): (2, 6)}
        self.assertEqual(overhead.pauses(steps), [0.5, 1])
        self.assertEqual(overhead.iteration(steps), 4)
        folder = self.write_table("x", "steps.csv", self.HEADER, [("packet", 0, 0, 0, 0, "late")])
        with self.assertRaisesRegex(InputError, "steps.csv:2: found a row that is no step"):
            overhead.read_steps(folder)


if __name__ == "__main__":
    unittest.main()
