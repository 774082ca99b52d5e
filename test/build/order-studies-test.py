#!/usr/bin/env python3
#
# Copyright (c) 2026 The dml authors
#
# SPDX-License-Identifier: GPL-2.0-only

"""Test of tools/order-studies: with results made up here, whose numbers are derived by hand, and
with the program's check of every run (DML_PROGRAM)."""

import os
import shutil
import stat
import subprocess
import sys
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
TOOL = os.path.join(ROOT, "tools", "order-studies")

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(TOOL))
from scratch_folder import ScratchFolder  # pylint: disable=C0413
sys.path.insert(0, os.path.join(ROOT, "test", "support"))
from order_study_results import ENGINES, write_run  # pylint: disable=C0413
from order_studies import full_size, page, prophet, results, tictac, transfer_order  # pylint: disable=C0413
from testbed_compare.errors import InputError  # pylint: disable=C0413

def throughput(engine, variant, workers):
    """TIC brings 20 % more without flow control; fair-share promises 5 % more than packet."""
    faster = 1.2 if variant.get("transfer.policy") == "tic" else 1.0
    return 10 * workers * faster * (1.05 if engine == "fair-share" else 1)


def step(_, variant, workers):
    """2 s on average without order, 1.6 s with; TAC gains another 0.1 s with four workers, and a
    window of any size costs 0.04 s."""
    policy = variant.get("transfer.policy")
    mean = 2.0 if policy == "shuffled" else 1.6
    if policy == "tac" and workers == 4:
        mean -= 0.1
    if variant.get("transfer.window", "off") != "off":
        mean += 0.04
    return mean - 0.5, mean + 0.5


class WithStudies(ScratchFolder):
    def make(self, study, only=None):
        for run in study.RUNS:
            if only is None or run.name == only:
                write_run(os.path.join(self.root, study.NAME, run.name), run, throughput, step)
        return results.Results(os.path.join(self.root, study.NAME), study.RUNS)


class Reading(WithStudies):
    RUN = tictac.RUNS[0]

    def setUp(self):
        super().setUp()
        self.make(tictac, self.RUN.name)
        self.folder = os.path.join(self.root, "tictac", self.RUN.name)
        self.steps = os.path.join(self.folder, "steps.csv")

    def test_numbers(self):
        case = results.find(results.read(self.folder), 2, "packet", {"transfer.policy": "tic"})
        # iterations of 1.1 and 2.1 s; worker 0 takes half of that
        self.assertAlmostEqual(case.iteration, 1.6, 9)
        self.assertEqual(list(case.steps.values()), [[0.55, 1.1], [1.05, 2.1]])
        self.assertEqual((case.each("straggler"), case.each("efficiency")), ([0.25, 0.75], [0.5, 0.25]))

    def test_unfinished(self):
        with open(os.path.join(self.folder, "unfinished"), "w", encoding="utf-8"):
            self.assertIsNone(results.read(self.folder))

    def test_other_study(self):
        with self.assertRaisesRegex(InputError, "found 0 cases of W=3"):
            results.find(results.read(self.folder), 3, "packet", {})
        with self.assertRaisesRegex(InputError, "found 3 cases of W=2"):
            results.find(results.read(self.folder), 2, "packet", {})

    def test_wrong_steps(self):
        with open(self.steps, encoding="utf-8") as file:
            text = file.read()
        first = "transfer.policy=shuffled,1,fair-share,0,0,0,0,1.5"
        self.assertIn(first, text)
        for before, after, error in (
                (",end", ",finish", "steps.csv:1: there is no column 'end'"),
                (first, first.replace("shuffled", "tuc"), "steps.csv:2: found '[a-z.]*=tuc'"),
                (first, first.replace("1.5", "late"), "steps.csv:2: .*found '0' and 'late'"),
                (first, first.rpartition(",")[0], "steps.csv:2: .*found '0' and 'None'")):
            with open(self.steps, "w", encoding="utf-8") as file:
                file.write(text.replace(before, after, 1))
            with self.assertRaisesRegex(InputError, error):
                results.read(self.folder)
        with open(self.steps, "w", encoding="utf-8") as file:
            file.write(text.partition("\n")[0])
        with self.assertRaisesRegex(InputError, "there are no steps of '[a-z.]*=shuffled', 1"):
            results.read(self.folder)


class Studies(WithStudies):
    def test_tictac(self):
        found = self.make(tictac)
        gains = tictac.gains(found)
        self.assertEqual(len(gains), 5 * 2 * 5 * 2)  # models, orders, W, engines
        # iterations of 1.5 and 2.5 s become 1.1 and 2.1 s, or 1 and 2 s
        self.assertAlmostEqual(gains["vgg11", "tic", 4, "packet"].value, (1.5 / 1.1 + 2.5 / 2.1) / 2 - 1, 9)
        self.assertAlmostEqual(gains["vgg11", "tac", 4, "packet"].value, (1.5 / 1 + 2.5 / 2) / 2 - 1, 9)
        gains = tictac.async_gains(found)
        self.assertAlmostEqual(gains["resnet50", "together", 8, "packet"].value, 0.2, 9)

    def test_gaps(self):
        found = {key: tictac.Gain(*key, [2.0, 2.0], [1.6, 1.6]) for key in
                 (("vgg11", "tic", w, engine) for w in (1, 2, 4) for engine in ENGINES)}
        key = ("vgg11", "tic", 2, "packet")
        found[key] = tictac.Gain(*key, [2.2, 2.2], [1.6, 1.6])
        # 2.2 / 1.6 - 2 / 1.6 more, as no order takes 10 % longer
        self.assertEqual(tictac.gaps(found)[0], ("vgg11", "tic", 2))
        self.assertAlmostEqual(tictac.gap(found, ("vgg11", "tic", 2)).value, 0.125, 9)
        row = tictac.gap_table(found)[3].split()
        self.assertEqual(row, "vgg11 tic 2 +12.5 +10.0 +0.0".split())

    def test_transfer_order(self):
        found = self.make(transfer_order)
        errors = transfer_order.errors(found)
        self.assertEqual(len(errors), (4 * 2 + 2 + 4 * 2) * 4)
        error, packet = errors["resnet50-b4", "fair", "tic", 8]
        self.assertAlmostEqual(error, 0.05, 9)
        self.assertAlmostEqual(packet, 96, 9)
        effects = transfer_order.window_effects(found, "packet")
        self.assertEqual(len(effects), 4 * 4 * 3)
        slower, gain = effects["vgg11-b4", 28, 2]
        self.assertAlmostEqual(slower, 1.64 / 1.6 - 1, 9)
        self.assertAlmostEqual(gain, 2.04 / 1.64 - 1, 9)

    def test_prophet(self):
        found = self.make(prophet)
        # 3 workers share it
        row = prophet.rates(found, prophet.TABLE, {"network.rate": "3Gbps"})
        packet = throughput("packet", {"transfer.policy": "p3"}, 3)
        self.assertAlmostEqual(row["p3", "packet"], packet / 3, 9)
        self.assertAlmostEqual(prophet.error(row, "p3"),
                               throughput("fair-share", {"transfer.policy": "p3"}, 3) / packet - 1, 9)
        table = prophet.rate_table(
            {rate: prophet.rates(found, prophet.TABLE, {"network.rate": rate})
             for rate in prophet.PAPER})
        self.assertEqual(table[7].split()[0], "4.5")
        self.assertEqual(table[7].split()[3:8:2], ["67.8", "54.1", "69.3"])
        rows = prophet.scaling_table(found)
        self.assertEqual(rows[3].split(), "bytescheduler, fair-share 10.5 10.5 10.5 10.5".split())
        self.assertEqual(rows[6].split(), "prophet, packet 10.0 10.0 10.0 10.0".split())
        self.assertEqual(rows[7].split(), "prophet, the paper 69.9 - - 68.8".split())

    def test_full_size(self):
        found = self.make(full_size)
        # 1.5 / 1.1 and 2.5 / 2.1 more: two have no interval
        gain = full_size.sync_gain(found, "resnet50", "fifo", 8, "packet")
        first, second = 1.5 / 1.1 - 1, 2.5 / 2.1 - 1
        self.assertAlmostEqual(gain.value, (first + second) / 2, 9)
        self.assertAlmostEqual(gain.high - gain.low, first - second, 9)
        self.assertFalse(gain.certain)
        gain = full_size.async_gain(found, "googlenet", "fifo", "together", "fair-share")
        self.assertAlmostEqual(gain.value, 0.2, 9)
        self.assertFalse(gain.certain)
        self.assertEqual(gain.percent, "+20.0")

    def test_page(self):
        for study in page.STUDIES.values():
            self.make(study)
        templates = os.path.join(ROOT, "doc")
        for name in os.listdir(templates):
            if name.startswith("order-studies") and name.endswith((".rst.in",
                                                                       "-coverage.json")):
                with open(os.path.join(templates, name), encoding="utf-8") as source, open(
                        os.path.join(self.root, name), "w", encoding="utf-8") as copy:
                    copy.write(source.read())
        doc = os.path.join(self.root, "order-studies.rst")
        page.write(self.root, doc)
        with open(doc, encoding="utf-8") as file:
            text = file.read()
        # 1.5 / 1.1 and 2.5 / 2.1, 12.706 times 0.0866 apart
        self.assertRegex(text, r"\npacket, tic .*\n.*\n.*\nvgg11( +\+27\.7 \(\+19\.0\.\.\+36\.4\)){5}\n")
        self.assertIn("reverse", text)
        self.assertNotRegex(text, r"@[a-z-]+@")
        # results of all 21 runs, 6 s each
        self.assertIn("2.1 minutes", text)
        self.check_stored(doc, text)

    def check_stored(self, doc, text):
        """The page needs no results again; a study that is not finished is as it was stored."""
        shutil.rmtree(os.path.join(self.root, "prophet", prophet.RUNS[0].name))
        notes = page.write(self.root, doc)
        with open(doc, encoding="utf-8") as file:
            self.assertMultiLineEqual(file.read(), text)
        self.assertEqual(len(notes), 1)
        self.assertRegex(notes[0], r"^prophet: 1 of 5 runs are missing; the page keeps the results of "
                                   r"\d{4}-\d\d-\d\d$")
        with open(os.path.join(self.root, "data", "order-studies.json"), "w",
                  encoding="utf-8") as file:
            file.write('{"prophet": {"comand": "x"}}')
        with self.assertRaisesRegex(InputError, "order-studies.json: found .*comand.*accepted"):
            page.write(self.root, doc)

    def test_not_finished(self):
        self.make(tictac, tictac.RUNS[0].name)
        doc = os.path.join(self.root, "p.rst")
        for line, wanted in ((".. study: tictac", "20 of 21 runs are missing"), ("x", "x")):
            with open(doc + ".in", "w", encoding="utf-8") as file:
                file.write(line)
            page.write(self.root, doc)
            with open(doc, encoding="utf-8") as file:
                self.assertIn(wanted, file.read())
        with open(doc + ".in", "w", encoding="utf-8") as file:
            file.write("\n.. study: tuctuc")
        with self.assertRaisesRegex(InputError, "p.rst.in:2: there is no study 'tuctuc'; accepted"):
            page.write(self.root, doc)


class Program(WithStudies):
    def run_tool(self, *arguments):
        return subprocess.run([sys.executable, TOOL, *arguments], text=True, capture_output=True,
                              check=False, cwd=self.root)

    def test_usage(self):
        done = self.run_tool("tictoc")
        self.assertEqual(done.returncode, 2)
        self.assertIn("found 'tictoc'; accepted: tictac, tictac-workloads", done.stderr)

    def test_resumes(self):
        """What is done is left alone, what was begun is resumed, and the rest is run."""
        self.make(tictac, tictac.RUNS[0].name)
        begun = os.path.join(self.root, "tictac", tictac.RUNS[1].name)
        os.makedirs(begun)
        with open(os.path.join(begun, "unfinished"), "w", encoding="utf-8"):
            pass
        program = os.path.join(self.root, "program")
        with open(program, "w", encoding="utf-8") as file:
            file.write('#!/bin/sh\nout=${3#--out=}\nrm -f "$out/unfinished"\n'
                       'echo "$out $*" >>calls.txt\n'
                       'case $out in *%s) exit 1;; esac\n'
                       'echo \'{"timing": {"wall_seconds": 1}}\' >"$out/summary.json"\n'
                       % tictac.RUNS[3].name)
        os.chmod(program, os.stat(program).st_mode | stat.S_IXUSR)
        done = self.run_tool("tictac", "--program", program, "--out", self.root)
        self.assertEqual(done.returncode, 1)
        self.assertIn(f"{tictac.RUNS[3].name}: stopped with status 1; see log.txt", done.stderr)
        with open(os.path.join(self.root, "calls.txt"), encoding="utf-8") as file:
            calls = file.read().splitlines()
        self.assertEqual([os.path.basename(call.split()[0]) for call in calls],
                         [run.name for run in tictac.RUNS[1:4]])
        self.assertEqual(["--resume" in call for call in calls], [True, False, False])

    @unittest.skipUnless(os.environ.get("DML_PROGRAM"), "needs DML_PROGRAM")
    def test_runs_are_accepted(self):
        names = [(study.NAME, run.name) for study in page.STUDIES.values() for run in study.RUNS]
        self.assertEqual(len(names), len(set(names)))
        for study in page.STUDIES.values():
            for run in study.RUNS:
                done = subprocess.run(
                    [os.environ["DML_PROGRAM"], "check", run.path,
                     *("--set=" + text for text in run.settings)],
                    text=True, capture_output=True, check=False,
                    env=dict(os.environ, DML_ROOT=ROOT))
                self.assertEqual(done.returncode, 0, f"{run.name}: {done.stderr}")


if __name__ == "__main__":
    unittest.main()
