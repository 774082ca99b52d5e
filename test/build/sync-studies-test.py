#!/usr/bin/env python3
#
# Copyright (c) 2026 The dml authors
#
# SPDX-License-Identifier: GPL-2.0-only

"""Test of tools/sync-studies: with results made up here, whose numbers are derived by hand, and
with the program (DML_PROGRAM): a check of every run, and a small one whose link gets slower."""

import csv
import itertools
import json
import os
import re
import shutil
import statistics
import stat
import subprocess
import sys
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
TOOL = os.path.join(ROOT, "tools", "sync-studies")

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(TOOL))
from scratch_folder import ScratchFolder  # pylint: disable=C0413
from order_studies import page as order_page  # pylint: disable=C0413
from sync_studies import batch_sizes, batch_sizes_seeds, full_size, full_size_schemes, page, runs  # pylint: disable=C0413
from sync_studies import scaling, shared_cpus, shared_cpus_engines  # pylint: disable=C0413
from sync_studies import update_time  # pylint: disable=C0413
from sync_studies.learn_run import LearnRun  # pylint: disable=C0413
from sync_studies.results import Results, Steps, read_steps  # pylint: disable=C0413
from testbed_compare.errors import InputError, PredictionError  # pylint: disable=C0413

ENGINES = ("fair-share", "packet")
# those that have results here; the test sync-figures has the others
STUDIES = (batch_sizes, batch_sizes_seeds, update_time, shared_cpus,
           shared_cpus_engines, scaling, full_size, full_size_schemes)
BATCHES = {0: (32, 32, 32, 32), 20: (62, 27, 22, 17), 40: (63, 27, 22, 16), 100: (89, 21, 12, 6)}


def lists(run, key, default):
    found = [text.partition("=")[2] for text in run.settings if text.startswith(key + "=")]
    return json.loads(found[0]) if found else default


def variants(run):
    """All combinations of what the run sweeps."""
    if run.name == "lines":
        keys = {"job.worker_devices": scaling.CLASSES, "network.rate": scaling.RATES,
                "job.parameter_servers": map(str, scaling.SERVERS)}
    else:
        text = next((text for text in run.settings if text.startswith("sweep=")), "")
        keys = {key: values.split(", ")
                for key, values in re.findall(r"([\w.]+): \[([^\]]*)\]", text)}
    for values in itertools.product(*keys.values()):
        yield dict(zip(keys, values))


def write_summary(folder, run, values):
    """values(run, engine, variant, workers) makes the update time (s) and throughput."""
    os.makedirs(folder, exist_ok=True)
    workers = lists(run, "job.workers", list(scaling.WORKERS) if run.name == "lines" else 4)
    cases = []
    for variant in variants(run):
        for count in workers if isinstance(workers, list) else [workers]:
            engines = {}
            for engine in ENGINES if run.engine == "both" else (run.engine,):
                update, throughput = values(run, engine, variant, count)
                engines[engine] = {"mean": throughput, "timing": {"cpu_seconds": 3},
                                   "replications": [
                    {"throughput": throughput, "timeouts": 320,
                     "synchronisation": {"update_time": update + more * min(1, update), "waiting_share": 0.25,
                                         "workers": [{"mean_step": 1 + worker} for worker in range(8)]}}
                    for more in (-0.01, 0.01)]}
            cases.append({"variant": variant, "workers": count, "parameter_servers": 1,
                          "engines": engines})
    with open(os.path.join(folder, "summary.json"), "w", encoding="utf-8") as file:
        json.dump({"cases": cases, "timing": {"wall_seconds": 6}}, file, indent=1)


def change_lines(folder, variant, throughput):
    """Gives the last replication of a line other throughputs, by workers."""
    path = os.path.join(folder, "lines", "summary.json")
    with open(path, encoding="utf-8") as file:
        summary = json.load(file)
    changed = [case for case in summary["cases"] if tuple(case["variant"].values()) == variant]
    assert len(changed) == len(scaling.WORKERS), variant
    for case in changed:
        case["engines"]["fair-share"]["replications"][-1]["throughput"] = throughput(case["workers"])
    with open(path, "w", encoding="utf-8") as file:
        json.dump(summary, file)


def write_steps(folder, engine="fair-share", count=batch_sizes.STEPS, scale=1.0, slow=3, moves=None):
    """Iterations of 2 s, from iteration 150 on 3 s (`slow`); worker w is done 0.1 w s before. Worker 0
    begins 0.5 s later than the others."""
    os.makedirs(folder, exist_ok=True)
    now, batches = 0.0, None
    with open(os.path.join(folder, "steps.csv"), "w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(("workers", "engine", "replication", "worker", "step", "start", "end", "batch",
                         "done", "dropped"))
        for step in range(count):
            batches, end = (moves or BATCHES).get(step, batches), now + (2 if step < 150 else slow)
            for worker in range(4):
                start = now + 0.5 * (worker == 0)
                writer.writerow((4, engine, 0, worker, step, scale * start, scale * end,
                                 batches[worker], scale * (end - 0.1 * worker), 0))
            now = end


def make_values(run, engine, variant, workers):
    """Per-update time in s, of packets 1/64 with another one per cent; samples/s."""
    name = run.name
    if name.startswith(("all-", "no-v100-", "common-")):
        time = 4.0 if "-bsp" in name and "lb-bsp" not in name else 1.0 if "asp" in name else 3.0
        return (time * 1.01 / 64 if engine == "packet" else time), 1
    if "job.parameter_servers" in variant:
        servers = int(variant["job.parameter_servers"])
        faster = 1.1 if engine == "packet" and workers == 16 else 1
        return 1, faster * 10 * min(workers, 4 * servers)
    return (2.0 if name.endswith("bsp") or name.startswith("bsp-") else 1.1 if name.startswith("lb-bsp-") else 1.0), 1


def make(root, study, without=()):
    """All results of a study."""
    for run in study.RUNS:
        if run.name not in without:
            folder = os.path.join(root, study.NAME, run.name)
            write_summary(folder, run, make_values)
            if study in (batch_sizes, batch_sizes_seeds) or run.name.startswith(full_size.COURSE):
                engine = "packet" if "packet" in run.name else "fair-share"
                scaled = engine == "packet" and study is not full_size
                write_steps(folder, engine, scale=1 / 32 if scaled else 1)
    return Results(os.path.join(root, study.NAME), study.RUNS)


class Reading(ScratchFolder):
    def test_steps(self):
        write_steps(self.root)
        steps = read_steps(self.root)
        self.assertEqual((steps.workers, steps.count), (4, 300))
        self.assertAlmostEqual(steps.start(150), 300, 9)
        # worker 0 begins 0.5 s late; the others take 2 s less what they are done before
        self.assertEqual([round(x, 9) for x in steps.mean_time(0, 10)], [1.5, 1.9, 1.8, 1.7])
        self.assertAlmostEqual(steps.iteration(140, 160), 2.5, 9)
        # ten of 27 and ten of 21
        self.assertAlmostEqual(steps.mean_batch(90, 110)[1], 24, 9)
        self.assertEqual(steps.moves(), [(20, 30), (40, 1), (100, 26)])
        with self.assertRaisesRegex(InputError, "found no step 300"):
            steps.start(300)

    def test_wrong_steps(self):
        path = os.path.join(self.root, "steps.csv")
        write_steps(self.root)
        with open(path, encoding="utf-8") as file:
            text = file.read()
        for before, after, error in ((",done", ",over", "steps.csv:1: there is no column 'done'"),
                                     (",0,0,0,0.5,", ",0,0,0,late,", "steps.csv:2: found a row"),
                                     ("fair-share", "packet", "found 2 engines")):
            self.assertIn(before, text)
            with open(path, "w", encoding="utf-8") as file:
                file.write(text.replace(before, after, 1))
            with self.assertRaisesRegex(InputError, error):
                read_steps(self.root)

    def test_wrong_summary(self):
        study = os.path.join(self.root, "shared-cpus")
        make(self.root, shared_cpus)
        path = os.path.join(study, "bsp", "summary.json")
        with open(path, encoding="utf-8") as file:
            text = file.read()
        with open(path, "w", encoding="utf-8") as file:
            file.write(text.replace("synchronisation", "synchronization", 1))
        with self.assertRaisesRegex(InputError, "cases.0..engines.fair-share: .*'synchronisation'"):
            Results(study, shared_cpus.RUNS)


class Studies(ScratchFolder):
    def test_course(self):
        steps = Steps()
        for step, batches in enumerate([(32, 32)] * 3 + [(37, 27)] * 2
                                       + [(42, 22), (41, 23), (46, 18)]):
            for worker, batch in enumerate(batches):
                steps.batches[worker, step] = batch
        # moves of five at 3, 5 and, after the first one of a single sample at 6, at 7
        self.assertEqual(batch_sizes.Course(steps, 1.0).last_fast, (7, 6))

    def test_batch_sizes(self):
        found = batch_sizes.courses(make(self.root, batch_sizes))
        course = found["main", "packet"]
        self.assertEqual(course.batches(batch_sizes.BEFORE), [89, 21, 12, 6])
        self.assertAlmostEqual(course.iteration(batch_sizes.BEFORE), 2, 9)
        self.assertAlmostEqual(course.iteration(batch_sizes.AFTER), 3, 9)
        row = next(line for line in batch_sizes.fault_table(found) if line.startswith("listed"))
        self.assertEqual(row.split()[-3:], ["2.00", "3.00", "3.00"])

    def test_seeds(self):
        results = make(self.root, batch_sizes_seeds)
        # of one seed iterations take 10 % longer: 2.04 s in the mean of 2, 2, 2, 2 and 2.2, whose
        # standard error is 0.04
        write_steps(os.path.join(results.root, "apart-fair-share-seed3"), scale=1.1)
        # and in another one iterations from 150 on take half of 3 s
        write_steps(os.path.join(results.root, "listed-fair-share-seed2"), slow=1.5)
        write_steps(os.path.join(results.root, "main-packet-first-seed3"), "packet", 151, 1.3 / 32)
        write_steps(os.path.join(results.root, "main-packet-first-seed1"), "packet", 151, 1 / 32,
                    moves={24 if step == 20 else step: sizes for step, sizes in BATCHES.items()})
        tables, _, values = batch_sizes_seeds.report(results, None)
        rows = {row.split()[0]: row.split() for row in tables["times"][3:]}
        self.assertEqual(rows["apart"][1:], ["100", "40", "2.040", "+-0.111", *("+50.0", "+-0.0") * 2])
        # changes of 50 % four times, and -25 %: 35 %, whose standard error is 15 %
        self.assertEqual(rows["listed"][5:7], ["+35.0", "+-41.6"])
        self.assertEqual(tables["before"][3].split(),
                         ["scenario", "89.0", "+-0.0", "21.0", "+-0.0", "12.0", "+-0.0", "6.0", "+-0.0"])
        self.assertEqual((values["off"], values["main-given"]), ("0.0", "0.0 +-0.0"))
        # in packets 2 s of three seeds in 1/32, one of which takes 30 % longer: 10 % in the mean; with another one the first move is four iterations late
        self.assertEqual((values["packet-time"], values["same"]), ("10.00 (0.00..30.00)", "146 to 150"))
        self.assertEqual(values["packet"], "89.0, 21.0, 12.0, 6.0")

    def test_each_seed_has_its_own_fault(self):
        found = [run for run in batch_sizes_seeds.RUNS if hasattr(run, "first")]
        self.assertEqual(len({run.first for run in found}), 25)
        self.assertEqual(sum("packet" in run.name for run in batch_sizes_seeds.RUNS), 3)
        for run in found:
            other = next(each for each in batch_sizes_seeds.RUNS if each.name == run.first)
            self.assertEqual(other.settings[-1], run.settings[-1])

    def test_fault_when_the_step_begins(self):
        run = next(run for run in batch_sizes.RUNS if run.name == "1gbps-fair-share")
        write_steps(os.path.join(self.root, run.first), count=151)
        self.assertEqual(run.all_settings(self.root)[-1],
                         "faults=[{rate: 1Gbps, at: 300000000000ns, link: worker1}]")

    def test_update_time(self):
        results = make(self.root, update_time)
        found = update_time.update_times(results)
        self.assertAlmostEqual(statistics.fmean(found["all", "packet", "bsp"]), 4.04, 9)
        # BSP's 4 s become 3: 2.99 / 3.99 and 3.01 / 4.01
        self.assertAlmostEqual(update_time.over(found, "common", "fair-share", "ssp").value, 0.75, 4)
        row = update_time.paper_table(found)[5].split()
        self.assertEqual(row[-2:], ["-25.0", "(-25.1..-24.9)"])
        # 3.99 and 4.01 s of BSP; ASP's 0.99 and 1.01 s are 0.248120 and 0.251870 of it
        row = update_time.time_table(found)[3].split()
        self.assertEqual(row[:6], ["16", "workers", "4000.0", "(3990.0..4010.0)", "25.0", "(24.8..25.2)"])
        # packets' replications are 1 % below and above
        self.assertEqual(update_time.time_table(found)[4].split()[:5], ["16", "workers,", "packet", "4040.0", "(3999.6..4080.4)"])
        # 2.99 / 0.99 and 3.01 / 1.01
        values = update_time.report(results, lambda name: os.path.join(self.root, name))[2]
        self.assertEqual(values["all-asp"], "+200.0 (+198.0..+202.0)")

    def test_full_size(self):
        results = make(self.root, full_size)
        # times are those of a job of full size; of one seed in packets they are 10 % longer, and its first
        # move is four iterations late
        write_steps(os.path.join(results.root, "batch-sizes-packet-seed2"), "packet", scale=1.1,
                    moves={24 if step == 20 else step: sizes for step, sizes in BATCHES.items()})
        tables, _, values = full_size.report(results, None)
        fair_share, packet = (row.split() for row in tables["times"][3:5])
        self.assertEqual(fair_share[1:5], ["100", "40", "2.000", "+-0.000"])
        # 2.04 s, whose standard error is 0.04
        self.assertEqual(packet[1:], ["100", "40", "2.040", "+-0.111", *("+50.0", "+-0.0") * 2])
        self.assertEqual(tables["sizes"][5].split(),
                         ["packet", "before", "89.0", "+-0.0", "21.0", "+-0.0", "12.0", "+-0.0", "6.0", "+-0.0"])
        self.assertEqual((values["same"], values["before-time"]), ("146 to 150", "+2.0 +-5.6"))
        # three samples more of the V100 in the last 50 iterations of one seed: 0.6 in the mean
        write_steps(os.path.join(results.root, "batch-sizes-packet-seed2"), "packet",
                    moves={**BATCHES, 250: (92, 18, 12, 6)})
        self.assertEqual(full_size.report(results, None)[2]["sizes"], "+0.6 +-1.7")

    def test_full_size_schemes(self):
        tables, _, values = full_size_schemes.report(make(self.root, full_size_schemes), None)
        # 2 s of BSP, 1.1 s of LB-BSP, 1 s of the others; 10 ms below and above
        self.assertEqual(tables["schemes"][3].split()[1:],
                         ["2000.0", "(1990.0..2010.0)", "50.0", "(49.7..50.2)", "50.0", "(49.7..50.2)", "55.0",
                          "(54.8..55.2)", "+10.0", "(+9.9..+10.1)"])
        self.assertEqual((values["error-asp"], values["lb-bsp-to"]), ("+0.0", "160"))
        # workers 0 and 4; 320 timeouts in 16 times 40 steps
        self.assertEqual((values["fastest-packet"], values["timeouts-asp"]), ("3.000", "0.500"))

    def test_shared_cpus(self):
        results = make(self.root, shared_cpus, without=("flexrr", "flexrr-cost"))
        self.assertEqual(results.missing(), [])
        long = shared_cpus.iterations(results)
        self.assertIsNone(long["flexrr"])
        self.assertAlmostEqual(sum(long["bsp"]) / 2, 64, 9)
        table = shared_cpus.time_table(results, long)
        self.assertIn("has no FlexRR", shared_cpus.flexrr_text(long))
        self.assertEqual(next(x for x in table if x.startswith("FlexRR")).split()[1:3], ["-", "-"])
        # the replications are 10 ms below and above: 0.99 / 1.99 and 1.01 / 2.01
        self.assertIn(f" 0.500 ({0.99 / 1.99:.3f}..{1.01 / 2.01:.3f}) ",
                      next(x for x in table if "NARX" in x))
        results = make(self.root, shared_cpus)
        long = shared_cpus.iterations(results)
        self.assertIn("FlexRR takes 1.000 of the time", shared_cpus.flexrr_text(long))
        table = shared_cpus.time_table(results, long)
        self.assertIn("0.500", next(x for x in table if "FlexRR" in x))

    def test_shared_cpus_engines(self):
        results = make(self.root, shared_cpus_engines, without=("both-flexrr",))
        tables, _, values = shared_cpus_engines.report(results, None)
        self.assertEqual((len(tables["engines"]), values["largest"]), (4 + 5, "+0.0"))
        results = make(self.root, shared_cpus_engines)
        found = shared_cpus_engines.iterations(results)
        self.assertEqual(len(shared_cpus_engines.engine_table(found)), 4 + 6)
        found["ssp", "fair-share"] = [1.1 * time for time in found["ssp", "fair-share"]]
        row = next(row for row in shared_cpus_engines.engine_table(found) if row.startswith("SSP"))
        # 32 gradients of 0.99 and of 1.01 s, where BSP's take 1.99 and 2.01 s
        self.assertEqual(row.split()[2:], ["32.00", "(31.68..32.32)", "35.20", "(34.85..35.55)", "+10.0",
                                           "0.50", "0.55"])

    def test_saturation(self):
        # three workers bring 10 each; the slopes at 3 and 4 are 5 and 0
        self.assertEqual(scaling.saturation({w: 10.0 * min(w, 3) for w in range(1, 9)}), 4)
        # one at which it rises again does not count: at 4 the slope is 10 once more
        again = {1: 10, 2: 20, 3: 20, 4: 20, 5: 40, 6: 40, 7: 40}
        self.assertEqual(scaling.saturation(again), 6)
        self.assertIsNone(scaling.saturation({w: 10.0 * w for w in range(1, 9)}))

    def test_scaling(self):
        results = make(self.root, scaling)
        found, both = scaling.lines(results), scaling.points(results)
        self.assertEqual(scaling.saturations(found["V100", "10Gbps", 1]), "5")
        self.assertAlmostEqual(scaling.error(both, "K520", 2, 16).value, 1 / 1.1 - 1, 9)
        self.assertAlmostEqual(scaling.error(both, "K520", 2, 8).value, 0, 9)

    def test_scaling_over_replications(self):
        folder = make(self.root, scaling).root
        # instead of 10 W up to 4 workers, and up to 8 with two servers
        change_lines(folder, ("V100", "10Gbps", "1"), lambda workers: 20 * min(workers, 3))
        change_lines(folder, ("K520", "10Gbps", "2"), lambda workers: 10 * workers)
        change_lines(folder, ("V100", "2.5Gbps", "2"), lambda workers: 7 * min(workers, 8))
        tables, _, values = scaling.report(Results(folder, scaling.RUNS), lambda name: os.path.join(folder, name + ".svg"))
        rows = {tuple(row.split()[:3]): row.split()[3:] for row in tables["saturation"][3:]}
        # 10 and 20; 2 by pairs in both, then 4 and 3, where the means have 50 / 15
        self.assertEqual(rows["V100,", "10", "1"], [
            "15.0", "(10.0..20.0)", "2.00", *("3.50", "(3.00..4.00)") * 3, "4", "to", "5"])
        # 8 and 16; it saturates at 9, or never
        self.assertEqual(rows["K520,", "10", "2"][-6:], ["12.0", "(8.0..16.0)", "9", "to", ">", "16"])
        self.assertEqual(rows["K520,", "2.5", "1"][-3:], ["4.00", "4.00", "5"])
        # two workers: 20 and 14 instead of 20; 16 of them: 80 and 56 instead of 40
        self.assertEqual((values["second-2"], values["second-16"]), ("0.85 (0.70..1.00)", "1.70 (1.40..2.00)"))

    def test_page(self):
        for study in STUDIES:
            make(self.root, study)
        for name in os.listdir(os.path.join(ROOT, "doc")):
            if name.startswith("sync-studies") and name.endswith((".rst.in", ".json")):
                shutil.copy(os.path.join(ROOT, "doc", name), self.root)
        doc = os.path.join(self.root, "sync-studies.rst")
        order_page.write(self.root, doc, page.STUDIES, Results, page.LABEL)
        with open(doc, encoding="utf-8") as file:
            text = file.read()
        self.assertIn("89.0 21.0 12.0 6.0", text)
        self.assertNotRegex(text, r"@[a-z-]+@")
        self.assertEqual(text.count("is not finished"), len(page.STUDIES) - len(STUDIES))
        self.assertRegex(text, r"\n   \* - Fig. 9\n(.*\n)*?.* redundant execution 0.500 \(0.497..0.502\), ")
        rules = [line for line in text.splitlines() if re.fullmatch(r"[= ]*=====[= ]*", line)]
        self.assertEqual([line for line in rules if len(line) > 130], [])


class Program(ScratchFolder):
    def write_program(self, text):
        path = os.path.join(self.root, "program")
        with open(path, "w", encoding="utf-8") as file:
            file.write("#!/bin/sh\n" + text)
        os.chmod(path, os.stat(path).st_mode | stat.S_IXUSR)
        return path

    def test_usage(self):
        done = subprocess.run([sys.executable, TOOL, "sync"], text=True, capture_output=True,
                              check=False, cwd=self.root)
        self.assertEqual(done.returncode, 2)
        self.assertIn("sync-studies: error: found 'sync'; accepted: batch-times, batch-sizes",
                      done.stderr)

    def test_optional(self):
        """A run whose key is not known is left out; another failure is one."""
        run = runs.OptionalRun("new", "lb-bsp", ("job.new=1",), engine="fair-share")
        log = os.path.join(self.root, "calls.txt")
        for status, calls in ((2, ["check"]), (0, ["check", "run"])):
            program = self.write_program(
                f'echo "$1 $4" >>{log}\n[ $1 = check ] && exit {status}\n'
                'echo \'{"timing": {"wall_seconds": 1}}\' >"${3#--out=}/summary.json"\n')
            run.do(program, self.root, 1)
            with open(log, encoding="utf-8") as file:
                self.assertEqual([line.split()[0] for line in file], calls)
            os.remove(log)
        shutil.rmtree(os.path.join(self.root, "new"))
        with self.assertRaisesRegex(PredictionError, "new: the check stopped with status 1"):
            run.do(self.write_program("exit 1\n"), self.root, 1)

    @unittest.skipUnless(os.environ.get("DML_PROGRAM"), "needs DML_PROGRAM")
    def test_runs_are_accepted(self):
        for study in page.STUDIES.values():
            self.assertEqual(len({run.name for run in study.RUNS}), len(study.RUNS))
            for run in study.RUNS:
                if isinstance(run, LearnRun):
                    continue  # reads what others have written
                if re.search(r"-seed(?!1$)\d+$", run.name):
                    continue  # differs from that with seed 1 in the seed only
                settings = [*run.settings, *([run.fault(1.0)] if hasattr(run, "fault") else [])]
                done = subprocess.run(
                    [os.environ["DML_PROGRAM"], "check", run.path,
                     *("--set=" + text for text in settings)],
                    text=True, capture_output=True, check=False,
                    env=dict(os.environ, DML_ROOT=ROOT))
                if isinstance(run, runs.OptionalRun) and done.returncode == 2:
                    self.assertIn("unknown key 'shedding'", done.stderr)
                else:
                    self.assertEqual(done.returncode, 0, f"{run.name}: {done.stderr}")

    @unittest.skipUnless(os.environ.get("DML_PROGRAM"), "needs DML_PROGRAM")
    def test_slower_link(self):
        """The link that gets slower when step 2 begins leaves step 1 as it was."""
        small = ("job.steps=5", "job.scale=0.03125")
        first = runs.EngineRun("first", "lb-bsp", small, engine="fair-share")
        then = runs.RateRun("then", "lb-bsp", small, engine="fair-share", first="first", step=2,
                            link="worker1", rate="100Mbps")
        for run in (first, then):
            run.do(os.environ["DML_PROGRAM"], self.root, 1)
        before, after = (read_steps(os.path.join(self.root, name)) for name in ("first", "then"))
        self.assertEqual(after.ends[0, 1], before.ends[0, 1])
        # 1/32 of 108.6 MB, 3/4 of it over the slow link in both directions: 0.2 s at the least,
        # where a step takes less than 0.1 s
        self.assertLess(before.ends[0, 2] - before.starts[0, 2], 0.1)
        self.assertGreater(after.ends[0, 2] - after.starts[0, 2], 0.2)


if __name__ == "__main__":
    unittest.main()
