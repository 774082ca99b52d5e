#!/usr/bin/env python3
#
# Copyright (c) 2026 The dml authors
#
# SPDX-License-Identifier: GPL-2.0-only

"""Test of tools/icpe-studies: with results made up here, whose numbers are derived by hand, and with the
program (DML_PROGRAM): a check of every run, and the streams of Fig. 12."""

import csv
import json
import math
import os
import subprocess
import sys
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
TOOL = os.path.join(ROOT, "tools", "icpe-studies")

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(TOOL))
from scratch_folder import ScratchFolder  # pylint: disable=C0413
from icpe_studies import accuracy, cloud, end_times, one_step, ops, page  # pylint: disable=C0413
from icpe_studies import phases, saturation, small_model  # pylint: disable=C0413
from icpe_studies.results import Folder, Results  # pylint: disable=C0413
from order_studies import coverage  # pylint: disable=C0413
from study_intervals import Mean  # pylint: disable=C0413
from testbed_compare.errors import InputError  # pylint: disable=C0413
from validation_report import stored  # pylint: disable=C0413

ENGINES = ("fair-share", "packet")


def write_json(path, value):
    with open(path, "w", encoding="utf-8") as file:
        json.dump(value, file)


def write_table(folder, name, header, rows):
    os.makedirs(folder, exist_ok=True)
    with open(os.path.join(folder, name + ".csv"), "w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(header.split(","))
        writer.writerows(rows)


def case(workers, throughputs, variant=None, **more):
    """A case of summary.json with these throughputs of each engine's replications."""
    return {"workers": workers, "variant": variant or {}, "engines": {
        engine: {"replications": [{"throughput": value, **more} for value in values]}
        for engine, values in throughputs.items()}}


class WithFolder(ScratchFolder):
    def make_summary(self, name, cases):
        os.makedirs(os.path.join(self.root, name), exist_ok=True)
        write_json(os.path.join(self.root, name, "summary.json"), {"cases": cases})

    def results(self, *runs):
        return Results(self.root, runs)


class Intervals(unittest.TestCase):
    def test_mean(self):
        # standard deviation sqrt(5 / 3), t(3) = 3.182
        mean = Mean.of([1, 2, 3, 4])
        self.assertAlmostEqual(mean.value, 2.5)
        self.assertAlmostEqual(mean.half, 3.182 * (5 / 3) ** 0.5 / 2)
        self.assertEqual(mean.text(2), "2.50 +-2.05")
        self.assertAlmostEqual(mean.high - mean.low, 2 * mean.half)
        self.assertEqual(Mean(0.1234, 0.01, 0.1134, 0.1334).percent, "+12.3 +-1.0")

    def test_few_values_have_no_interval(self):
        mean = Mean.of([1, 2, 6])
        self.assertEqual((mean.half, mean.low, mean.high), (None, 1, 6))
        self.assertEqual(mean.text(1), "3.0 (1.0..6.0)")
        self.assertFalse(Mean.of([1, 1.1, 1.2]).certain)
        self.assertEqual(Mean.of([3]).text(), "3.0")

    def test_ratios(self):
        # 2 and 8 times as much: 4 in the geometric mean
        mean = Mean.of_ratios([2, 24, 2, 24], [1, 3, 1, 3])
        self.assertAlmostEqual(mean.value, 3)
        self.assertGreater(mean.half, 4)
        few = Mean.of_ratios([2, 24], [1, 3])
        self.assertIsNone(few.half)
        self.assertAlmostEqual(few.low, 1)
        self.assertAlmostEqual(few.high, 7)


class Coverage(unittest.TestCase):
    def test_paper(self):
        """All 25 figures, the table and the algorithm have a row; every value is there."""
        path = os.path.join(ROOT, "doc", "icpe-studies-coverage.json")
        rows = coverage.read(path)
        wanted = {*(f"Fig. {n}" for n in range(1, 26)), "Table 1", "Alg. 3.1"}
        self.assertEqual({row["item"] for row in rows}, wanted)
        parts = stored.read(os.path.join(ROOT, "doc", "icpe-studies.rst"))
        self.assertNotIn("(not run)", "\n".join(parts["coverage"].tables["coverage"]))


class Ops(WithFolder):
    def test_overlap(self):
        found = ops.union([(3, 6), (0, 1), (0.5, 2), (4, 5)])
        self.assertEqual(found, [(0, 2), (3, 6)])
        self.assertEqual(ops.length(found), 5)
        self.assertEqual(ops.common(found, [(1, 3.5), (8, 9)]), 1.5)

    def write(self, rows):
        write_table(os.path.join(self.root, "run"), "ops",
                    "workers,engine,replication,worker,step,op,resource,index,parse,bytes,start,end",
                    rows)
        return Folder(os.path.join(self.root, "run"))

    def test_step(self):
        """Two seconds of downlink, half of it with computing; a second of uplink without."""
        rows, sent, links = [], [], []
        for step in (0, 1, 2):
            at = 10 * step
            rows += [(1, "packet", 0, 0, step, *op) for op in (
                ("pull/b", "downlink", 0, 1, 5000, at + 2, at + 9),  # parsing
                ("forward/a", "device", 0, 0, 0, at + 1, at + 3))]
            sent += [(1, "packet", 0, 0, step, *transfer) for transfer in (
                ("downlink", at, at + 1), ("downlink", at + 0.5, at + 2), ("uplink", at + 3, at + 4))]
            links += [("packet", 0, direction, at + 1.5, share)
                      for direction, share in (("downlink", 0.5), ("uplink", 0))]
        write_table(os.path.join(self.root, "run"), "transfers",
                    "workers,engine,replication,worker,step,direction,first_byte,last_byte", sent)
        write_table(os.path.join(self.root, "run"), "links",
                    "engine,replication,direction,time,utilisation", links)
        folder = self.write(rows)
        overlap = one_step.Overlap.of(*one_step.read_step(folder, "packet"))
        self.assertEqual((overlap.down, overlap.down_computing, overlap.up, overlap.up_computing,
                          overlap.step), (2, 1, 1, 0, 4))
        # half of 10 Gbit/s, 1.5 s after the step's start
        self.assertEqual(one_step.bandwidth(folder, "downlink", 10, 14), [(1.5, 5)])

    def test_turns(self):
        rows = [(1, "packet", 0, 0, 0, "pull/A", "downlink", 0, 0, 3000000, 0, 1),
                (1, "packet", 0, 0, 0, "pull/D", "downlink", 0, 0, 25, 1, 1),
                (1, "packet", 0, 0, 0, "pull/A", "downlink", 0, 0, 2000025, 1, 2)]
        self.assertEqual(small_model.turns(ops.read(self.write(rows), "packet", 1)), "A:3 A:2")

    def test_rule(self):
        """TURNS is what the rule says: up to a window each, then the rest."""
        first = [f"{name}:{min(size, small_model.WINDOW_MB)}"
                 for name, size in small_model.STREAMS.items()]
        rest = [f"{name}:{size - small_model.WINDOW_MB}"
                for name, size in small_model.STREAMS.items() if size > small_model.WINDOW_MB]
        self.assertEqual(small_model.TURNS, " ".join(first + rest))

    def test_shares(self):
        rows = [(3, "fair-share", 0, worker, 0, "pull/A", "downlink", 0, 0, 5000, start, end)
                for worker, start, end in ((0, 0, 4), (1, 1, 2), (2, 6, 7))]
        steps = small_model.share_steps(ops.read(self.write(rows), "fair-share", 3))
        self.assertEqual(steps, [(0, [1, 0, 0]), (1, [0.5, 0.5, 0]), (2, [1, 0, 0]), (4, [0, 0, 0]),
                                 (6, [0, 0, 1]), (7, [0, 0, 0])])
        write_table(os.path.join(self.root, "run"), "shares", "engine,replication,active,share",
                    [("packet", 0, 2, 0.6), ("packet", 0, 2, 0.4), ("packet", 0, 1, 0.5),
                     ("packet", 1, 4, 0.25)])
        self.assertEqual([round(value, 9) for value in small_model.share_errors(
            Folder(os.path.join(self.root, "run")))], [0.2, 0])

    def test_partition(self):
        rows = [(1, "fair-share", 0, 0, 0, "pull/a", "downlink", 0, 0, 7000000, 0, 1),
                (1, "fair-share", 0, 0, 0, "pull/b", "downlink", 1, 0, 1000000, 0, 1),
                (1, "fair-share", 0, 0, 0, "pull/c", "downlink", 1, 0, 2000000, 0, 1),
                (1, "fair-share", 0, 0, 0, "push/d", "uplink", 0, 0, 7000000, 0, 1)]
        self.write(rows)
        os.rename(os.path.join(self.root, "run"), os.path.join(self.root, "partition"))
        found = cloud.partition(self.results(cloud.PARTITION))
        self.assertEqual(found, [(7000000, ["a"]), (3000000, ["c", "b"])])


class Studies(WithFolder):
    def test_accuracy(self):
        """Half the size: rates are halved; fair-share promises 10 % more with several workers, Lin et
        al. half."""
        job = accuracy.Job("j", "alexnet-b8", 0.5)
        self.make_summary("j", [
            {**case(w, {"packet": [10.0 * w, 20.0 * w],
                        "fair-share": [10.0, 20.0] if w == 1 else [11.0 * w, 22.0 * w]}),
             "baselines": {"lin": 7.5 * w, "cynthia": 30.0 * w}} for w in job.workers])
        found = accuracy.points(self.results(job), (job,))
        point = found["j", 4]
        self.assertAlmostEqual(point.throughput["packet"].value, 30)
        self.assertAlmostEqual(point.error.value, 0.1)
        self.assertIsNone(point.error.half)
        # 3.75 w samples/s instead of 5 w and 10 w: the geometric mean of 0.75 and 0.375, whose
        # logarithms are half a ln 2 off their mean; two have no interval
        self.assertAlmostEqual(point.off("lin").value, 0.75 / 2 ** 0.5 - 1)
        self.assertAlmostEqual(point.off("lin").low, 0.375 - 1)
        self.assertAlmostEqual(point.off("lin").high, 0.75 - 1)
        values = accuracy.values(found, "p-")
        self.assertEqual((values["p-cases"], values["p-within-20"], values["p-many-mean"],
                          values["p-cynthia-mean"]),
                         # Cynthia is 200 % off in one replication, 50 % in the other
                         ("4", "4", "10.0", "125 (50..200)"))
        with self.assertRaisesRegex(InputError, "found 0 cases of W=3"):
            self.results(job)["j"].case(3)

    def test_sure_errors(self):
        """Both are +4 %: one of 1.2 and 0.9 times as much, which says nothing, one surely."""
        job = accuracy.Job("j", "alexnet-b8", 1.0, workers=(1, 2))
        self.make_summary("j", [
            {**case(w, {"packet": [10.0, 20.0], "fair-share": values}),
             "baselines": {"lin": 15.0, "cynthia": 15.0}}
            for w, values in ((1, [12.0, 18.0]), (2, [10.4, 20.8]))])
        values = accuracy.values(accuracy.points(self.results(job), (job,)))
        self.assertEqual((values["within-20"], values["surely-20"]), ("2", "0"))

    def test_workers(self):
        """The paper's text names 14 CPUs in Fig. 20, up to 4 GPUs in Fig. 21, 9 in Fig. 25 and 10 in Fig. 22;
        two servers are compared with one."""
        self.assertEqual(max(cloud.CPU_WORKERS), 14)
        self.assertEqual(max(cloud.GPU_WORKERS), 10)
        kinds = {job.name: job.workers for job in (*cloud.CPU_JOBS, *cloud.GPU_JOBS, *cloud.TWO_JOBS)}
        self.assertEqual(len(kinds), 9)
        for name, workers in kinds.items():
            self.assertEqual(workers, cloud.CPU_WORKERS if name.startswith("cpu-") else cloud.GPU_WORKERS)
        self.assertEqual((cloud.LARGER.scale, cloud.LARGER.workers), (1 / 16, (14,)))

    def test_gains(self):
        """The second server brings W % in packets, and nothing in fair-share."""
        for model in cloud.SHARED:
            for kind, more in (("gpu", 0), ("gpu-2", 1)):
                self.make_summary(f"{kind}-{model}", [
                    case(w, {"packet": [each * (1 + more * w / 100) for each in (2.0, 4.0)],
                             "fair-share": [2.0, 4.0]}) for w in cloud.GPU_WORKERS])
        found = cloud.gains(self.results(*(job.run for job in (*cloud.GPU_JOBS, *cloud.TWO_JOBS))))
        self.assertEqual(found["vgg11", "packet", 10].percent, "+10.0")
        table = cloud.gain_table(found)
        self.assertEqual(table[1].split("  ")[1:3], ["vgg11, packet", "fair-share"])
        rows = [line.split() for line in table[3:-1]]
        self.assertEqual([row[0] for row in rows], [str(w) for w in cloud.GPU_WORKERS])
        for w, *cells in rows:
            gain = f"+{w}.0"
            self.assertEqual(cells, 2 * [gain, "+0.0"])

    def test_end_times(self):
        """Steps begin at 1 s; b ends after 2 s in packets, after 3 s in fair-share."""
        for engine, end in (("packet", 3), ("fair-share", 4)):
            folder = os.path.join(self.root, engine)
            write_table(folder, "steps", "engine,replication,start", [(engine, r, 1) for r in (0, 1)])
            write_table(folder, "transfers", "engine,replication,direction,tensor,last_byte",
                        [(engine, r, *row) for r in (0, 1) for row in (
                            ("downlink", "a", 1.5), ("downlink", "b", end), ("uplink", "b", 9))])
        real, predicted = (end_times.ends(Folder(os.path.join(self.root, engine)), engine)
                           for engine in ("packet", "fair-share"))
        self.assertEqual(real, {0: {"a": 0.5, "b": 2}, 1: {"a": 0.5, "b": 2}})
        errors = end_times.errors(predicted, real)
        self.assertEqual(errors, [[0, 0.5], [0, 0.5]])
        # of another replication the largest error is 1
        average, median, high, most = end_times.summaries([[0, 0.5], [0, 0.5, 1]])
        self.assertEqual((average.value, median.value, high.value, most.value), (0.375, 0.25, 0.75, 0.75))
        self.assertEqual((most.low, most.high), (0.5, 1))
        self.assertEqual(end_times.largest([[0, 0.5], [0, 0.5, 1]]), 1)
        found = {("a", "1g"): [most], ("b", "1g"): [most], ("b", "10g"): [most]}
        largest = {("a", "1g"): 1, ("b", "1g"): 0.8, ("b", "10g"): 0.9}  # less 0.75
        self.assertEqual([end_times.above(found, largest, [model]) for model in "ab"], ["25.0", "15.0"])

    def test_phases(self):
        """The first step takes 8 s, the others 4 s: 3 and 6 samples/s."""
        rows = [("packet", r, w, step, 0, 8 if step == 0 else 4)
                for r in (0, 1) for w in range(3) for step in range(5)]
        write_table(os.path.join(self.root, "run"), "steps", "engine,replication,worker,step,start,end",
                    rows)
        found = phases.rates(Folder(os.path.join(self.root, "run")), "packet")
        self.assertEqual(found, {(0, 1): [3, 3], (1, 5): [6, 6]})

    def test_saturation(self):
        """A worker brings 10 up to 4 of them, then 1."""
        found = {16: {w: Mean.of([10.0 * min(w, 4) + max(0, w - 4)]) for w in saturation.WORKERS}}
        # slopes over two workers: 5.5 at the fourth, 1 at the fifth
        self.assertEqual(saturation.saturates(found, 16), 5)

    def test_costs(self):
        """Steps of W seconds; predicting takes 2 s of CPU for each W."""
        self.make_summary("run", [case(w, {"fair-share": [1, 1]}, mean_step=w,
                                       timing={"cpu_seconds": 2}) for w in (1, 2, 3)])
        found = saturation.costs(Folder(os.path.join(self.root, "run")), (1, 2, 3))
        self.assertEqual(found, {"measure": [600, 600], "profile": [100, 100], "predict": [4, 4]})
        self.assertEqual(saturation.totals(found), [104, 104])


class Program(WithFolder):
    def test_usage(self):
        done = subprocess.run([sys.executable, TOOL, "fig-2"], text=True, capture_output=True,
                              check=False, cwd=self.root)
        self.assertEqual(done.returncode, 2)
        self.assertIn("found 'fig-2'; accepted: saturation, one-step", done.stderr)

    @unittest.skipUnless(os.environ.get("DML_PROGRAM"), "needs DML_PROGRAM")
    def test_runs_are_accepted(self):
        runs = [(study.NAME, run) for study in page.STUDIES.values() for run in study.RUNS]
        self.assertEqual(len(runs), len({(study, run.name) for study, run in runs}))
        for study, run in runs:
            done = subprocess.run(
                [os.environ["DML_PROGRAM"], "check", run.path, "--engine=fair-share",
                 *("--set=" + text for text in run.settings)],
                text=True, capture_output=True, check=False, env=dict(os.environ, DML_ROOT=ROOT))
            self.assertEqual(done.returncode, 0, f"{study}, {run.name}: {done.stderr}")

    @unittest.skipUnless(os.environ.get("DML_PROGRAM"), "needs DML_PROGRAM")
    def test_streams(self):
        """The program's turns are those by hand, in both engines."""
        small_model.STREAM.do(os.environ["DML_PROGRAM"], self.root, 1)
        folder = self.results(small_model.STREAM)[small_model.STREAM.name]
        for engine in ENGINES:
            self.assertEqual(small_model.turns(ops.read(folder, engine, 1)), small_model.TURNS, engine)


if __name__ == "__main__":
    unittest.main()
