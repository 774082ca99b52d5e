#!/usr/bin/env python3
#
# Copyright (c) 2026 The dml authors
#
# SPDX-License-Identifier: GPL-2.0-only

"""Test of tools/dpro-studies: with records and outputs made up here, whose numbers are derived by hand;
with the program (DML_PROGRAM) a small job, and the check of all others."""

import dataclasses
import json
import os
import subprocess
import sys
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
TOOL = os.path.join(ROOT, "tools", "dpro-studies")
PROGRAM = os.environ.get("DML_PROGRAM")

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(TOOL))
from scratch_folder import ScratchFolder  # pylint: disable=C0413

REPLAY = """toy, batch 4, 2 workers; times are means of 7 steps

  s                measured   replayed      error
  worker 0           0.0056     0.0056     -0.06 %
  mean step          0.0056     0.0056     +10.00 %
  mean forward       0.0015     0.0015     -50.00 %
  mean backward           0     0.0028           -
"""
JOB = """schema: dml-job/1
measured:
  - {step: 0.004, forward: 0.002, backward: 0}
  - {step: 0.006, forward: 0.004, backward: 0}
"""


class Settings(unittest.TestCase):
    def test_configurations(self):
        self.assertEqual(set(runs.read_configurations()), {("ring", "RDMA"), ("ring", "TCP"),
                                                           ("BytePS", "RDMA"), ("BytePS", "TCP")})

    def test_scaled(self):
        tcp = {"network.delay": "10us", "network.queue": "1MB", "network.tcp": {"timestamps": True},
               "network.mtu": 1500, "transfer.partition": "4MB"}
        scaled = runs.scaled_network(tcp, 1 / 16)
        self.assertEqual(scaled, {
            "network.delay": "625ns", "fair_share.one_way_delay": "1250ns", "network.queue": "62500B",
            "network.mtu": 1500, "transfer.partition": "250000B",
            # 200 and 40 ms
            "network.tcp": {"timestamps": True, "min_rto": "12500000ns",
                            "delayed_ack_timeout": "2500000ns"}})
        self.assertEqual(runs.scaled_network({**tcp, "network.queue": "0B"}, 0.5)["network.queue"], "0B")

    def test_values_are_yaml(self):
        self.assertEqual(runs.write_settings({"a": "x", "b": {"c": 1}, "d": True}),
                         ("a=x", 'b={"c": 1}', "d=true"))


class Reading(ScratchFolder):
    def test_replay(self):
        measured, replayed = results.read_replay(self.write("job.yaml", JOB),
                                                 self.write("replay.txt", REPLAY))
        # means of both workers; the errors of the text apply to them
        self.assertAlmostEqual(measured["step"], 0.005, 12)
        self.assertAlmostEqual(replayed["step"], 0.0055, 12)
        self.assertAlmostEqual(replayed["forward"], 0.0015, 12)
        self.assertEqual(set(measured), {"step", "forward"})  # no backward pass was measured

    def test_no_replay(self):
        with self.assertRaisesRegex(InputError, "no row 'mean forward'; accepted"):
            results.read_replay(self.write("job.yaml", JOB),
                                self.write("replay.txt", REPLAY.replace("mean forward", "mean")))

    def test_steps(self):
        # the last worker ends step 0 at 2 s, step 2 at 5 s
        self.write("steps.csv", "engine,replication,step,end\npacket,0,0,1\npacket,0,0,2\npacket,0,1,3\n"
                   "packet,0,2,5\npacket,0,2,4\npacket,1,2,9\nfair-share,0,2,7\n")
        self.assertEqual(results.mean_step(self.root, "packet"), 1.5)
        with self.assertRaisesRegex(InputError, "found 1 steps of fair-share; accepted"):
            results.mean_step(self.root, "fair-share")

    def test_strategy(self):
        path = self.write("s.yaml", 'job:\n  gradient_groups: [["a", "b"]]\n  profile: "s"\n')
        self.assertEqual(variants.read_strategy(path), ('job.gradient_groups=[["a", "b"]]',))
        path = self.write("s.yaml", "job:\n  gradient_groups: off\n")
        self.assertEqual(variants.read_strategy(path), ("job.gradient_groups=off",))


def replay_of(measured, replayed, fair_share):
    return results.Replay({"step": measured}, {"step": replayed}, fair_share)


class Cases(unittest.TestCase):
    def test_errors(self):
        case = accuracy.Case([replay_of(1.0, 1.1, 0.9), replay_of(2.0, 2.2, 1.8)], 0.5)
        self.assertAlmostEqual(case.replay.value, 0.1, 9)
        # 1.1 of the other run's 2, and 2.2 of 1
        self.assertAlmostEqual(case.elsewhere.value, ((0.55 - 1) + (2.2 - 1)) / 2, 9)
        self.assertAlmostEqual(case.daydream.value, ((0.5 - 1) + (0.25 - 1)) / 2, 9)
        self.assertAlmostEqual(case.fair_share.value, -0.1, 9)

    def test_the_paper(self):
        """dPRO says that its error in Table 2 is below 5 %, and Daydream's is not."""
        for by_whom in accuracy.PAPER.values():
            truth = by_whom["truth"][0]
            self.assertLess(abs(by_whom["dPRO"][0] / truth - 1), 0.05)
            self.assertGreater(abs(by_whom["Daydream"][0] / truth - 1), 0.2)


EVENTS = [{"name": "process_name", "ph": "M", "pid": 1, "args": {
              "name": "/job:worker/replica:0/task:0/device:CPU:0 Compute"}},
          {"name": "process_name", "ph": "M", "pid": 2, "args": {
              "name": "/job:ps/replica:0/task:1/device:CPU:0 Compute"}},
          {"name": "process_name", "ph": "M", "pid": 3, "args": {"name": "Allocators"}},
          {"name": "a", "ph": "X", "pid": 1, "ts": 10, "dur": 5},
          {"name": "b", "ph": "X", "pid": 2, "ts": 20, "dur": 5},
          {"name": "c", "ph": "X", "pid": 3, "ts": 30, "dur": 5}]


class Clocks(unittest.TestCase):
    def test_split(self):
        found = alignment.split(EVENTS, lambda machine: {("ps", 1): -7}.get(machine, 0))
        times = {machine: [event["ts"] for event in own if "ts" in event]
                 for machine, own in found.items()}
        self.assertEqual(times, {("ps", 1): [13], ("worker", 0): [10]})


class Tool(ScratchFolder):
    def run_tool(self, *arguments):
        return subprocess.run([sys.executable, TOOL, *arguments], text=True, capture_output=True,
                              check=False, cwd=self.root)

    def test_usage(self):
        done = self.run_tool("clock")
        self.assertEqual(done.returncode, 2)
        self.assertIn("found 'clock'; accepted: memory, accuracy, alignment", done.stderr)

    def test_resumes(self):
        """What is done is left alone; what fails says so, and is not done."""
        for servers in (1, 2):
            self.write(f"alignment/servers-{servers}/summary.json", "{}")
        program = self.write("program", "#!/bin/sh\necho \"$*\" >>calls.txt\n"
                             "echo 'no such thing' >&2\nexit 1\n")
        os.chmod(program, 0o755)
        done = self.run_tool("alignment", "--program", program, "--out", self.root)
        self.assertEqual(done.returncode, 1)
        self.assertIn("no such thing", done.stderr)
        with open(os.path.join(self.root, "calls.txt"), encoding="utf-8") as file:
            calls = file.read().splitlines()
        self.assertEqual(len(calls), 1)
        self.assertIn("servers-4", calls[0])
        self.assertEqual(os.listdir(os.path.join(self.root, "alignment", "servers-4")), [])


class Runs(ScratchFolder):
    def test_names(self):
        for study in page.STUDIES.values():
            self.assertEqual(len(study.RUNS), len({run.name for run in study.RUNS}))

    @unittest.skipUnless(PROGRAM, "needs DML_PROGRAM")
    def test_a_job(self):
        """A small job is run, imported and replayed; each way of telling its steps is about the other."""
        run = dataclasses.replace(scale.job(2, 1), scale=1 / 200, steps=4)
        run.do(PROGRAM, self.root, 1)
        found = results.Results(self.root, (run,))
        replay = found.replay(run.name)
        self.assertLess(abs(replay.error), 0.1)
        self.assertLess(abs(replay.fair_share / replay.measured["step"] - 1), 0.2)
        self.assertGreater(order_page.cost(self.root, type("Study", (), {"RUNS": (run,)}))[0], 0)

    @unittest.skipUnless(PROGRAM, "needs DML_PROGRAM")
    def test_runs_are_accepted(self):
        for run in (*accuracy.RUNS, scale.job(8, 1)):
            if run.model == accuracy.FIRST and run.seed == 1:
                done = subprocess.run([PROGRAM, "check", run.path,
                                       *("--set=" + text for text in run.settings)],
                                      text=True, capture_output=True, check=False,
                                      env=dict(os.environ, DML_ROOT=ROOT))
                self.assertEqual(done.returncode, 0, f"{run.name}: {done.stderr}")

    @unittest.skipUnless(PROGRAM, "needs DML_PROGRAM")
    def test_fused_groups_are_accepted(self):
        """In a job with servers: what is fused waits for ops that exist, and lasts."""
        gpu = profiles.speed_up(runs.read_profile("resnet50-b4"), runs.SPEED)
        for groups in servers.GROUPS[1:]:
            path = os.path.join(self.root, "fused.yaml")
            profiles.write_profile(profiles.fuse_groups(gpu, groups), path)
            settings = (*servers.RUNS[0].settings, *servers.DEFAULT, *variants.NO_DEVICES)
            done = subprocess.run([PROGRAM, "check", variants.VariantRun.SCENARIO,
                                   "--set=sweep={}", f"--set=job.profile={path}",
                                   *("--set=" + text for text in settings)], text=True,
                                  capture_output=True, check=False, env=dict(os.environ, DML_ROOT=ROOT))
            self.assertEqual(done.returncode, 0, f"{groups}: {done.stderr}")


if __name__ == "__main__":
    try:
        import yaml  # pylint: disable=unused-import
    except ImportError:
        print("skipped: dpro-studies needs python3-yaml")
        sys.exit(77)
    from dpro_studies import accuracy, alignment, page, profiles, results, runs, scale, servers, variants
    from order_studies import page as order_page
    from testbed_compare.errors import InputError
    unittest.main()
