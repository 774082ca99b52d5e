#!/usr/bin/env python3
#
# Copyright (c) 2026 The dml authors
#
# SPDX-License-Identifier: GPL-2.0-only

"""What `dml why` says of each second of a critical path is what the run's trace says happened then, and
what it says that less time would save is what a run saves, or is marked.

Every protocol, order of transfers, synchronisation and algorithm runs in both simulating engines, small;
results-round-trip-test.py has every scenario. DML_PROGRAM names the program; without it nothing runs
(exit code 77)."""

import os
import re
import subprocess
import sys
import unittest

sys.dont_write_bytecode = True

from path_seconds import Paths  # pylint: disable=C0413
from scratch_folder import ScratchFolder  # pylint: disable=C0413

HERE = os.path.dirname(os.path.abspath(__file__))
PROFILE = os.path.join(os.path.dirname(HERE), "data", "tiny.profile.yaml")
PROGRAM = os.environ.get("DML_PROGRAM")
TOLERANCE = 1.0  # per cent of a step, as the table says
ROW = re.compile(r"^  (\S.*?) +([-+][0-9.]+)   ([-+][0-9.]+)(?: \(([-+0-9.]+)\.\.([-+0-9.]+)\))?( \?)?( !)?$",
                 re.MULTILINE)
BASE = ["replications=1", "network.rate=300Mbps", "output.plots=false"]
LOCKSTEP = ["job.start=together", "job.step_jitter=0s", "job.sampling=in-order",
            "fair_share.one_way_delay=0s",
            # shares that are drawn would be others in a run whose transfers are shorter
            "fair_share.sharing={type: ns3::dml::DropTailSharingPolicy, Spread: 0}"]
RING = ["job.protocol=all-reduce"]
SERVERS = ["job.parameter_servers=2"]
SLICES = ["transfer.partition=50KB"]

# all in lockstep, so that a graph and a run have to agree
REDUCED = {
    "buckets": ["job.gradient_groups={ddp: 200KB, first: 50KB}"],
    "each alone": ["job.gradient_groups=off"],
    "two at a time": ["job.gradient_groups=off", "job.all_reduce.concurrent=2"],
    "halving-doubling": ["job.gradient_groups=off", "job.all_reduce.algorithm=halving-doubling"],
    "recursive-doubling": ["job.all_reduce.algorithm=recursive-doubling"],
    "tree": ["job.all_reduce.algorithm=tree"],
    "hierarchical": ["job.all_reduce.algorithm=hierarchical"],
    "adding up": ["job.gradient_groups=off", "job.all_reduce.reduction=5e-9"],
    "no barrier": ["job.gradient_groups=off", "job.all_reduce.barrier=false"],
}
OTHERS = {
    "horovod": [*RING, "job.gradient_groups={horovod: {cycle: 1ms, threshold: 100KB}}"],
    "horovod that waits": [*RING, "job.gradient_groups={horovod: {cycle: 1ms, waits: true}}"],
    "horovod in order": [*RING, *SLICES, "job.gradient_groups={horovod: {threshold: 0B}}",
                         "job.all_reduce.barrier=false", "transfer.policy=bytescheduler"],
    "asynchronous": SERVERS,
    "parsing": [*SERVERS, "overhead.alpha=5e-9", "overhead.beta=1e-5", "job.sync=bsp"],
    "bsp": [*SERVERS, "job.sync=bsp"],
    "ssp": [*SERVERS, "job.sync={ssp: 0}"],
    "backup": [*SERVERS, "job.sync={backup: 1}"],
    "push-pull": [*SERVERS, "job.protocol=push-pull"],
    "p3": [*SERVERS, *SLICES, "job.protocol=push-pull", "transfer.policy=p3"],
    "bytescheduler": [*SERVERS, *SLICES, "job.protocol=push-pull",
                      "transfer.policy=bytescheduler"],
    "tic": [*SERVERS, "transfer.policy=tic"],
    "windows": [*SERVERS, "transfer.window=30KB", "transfer.grant=capped"],
    "shared processors": [*SERVERS, "fair_share.ps_cores=1"],
    "plain TCP": [*SERVERS, "transfer.transport=tcp"],
}


def options(settings):
    return [part for setting in settings for part in ("--set", setting)]


@unittest.skipUnless(PROGRAM, "no program")
class PathSeconds(ScratchFolder):
    def call(self, *arguments):
        done = subprocess.run([PROGRAM, *arguments], cwd=self.root, stdin=subprocess.DEVNULL,
                              capture_output=True, text=True, timeout=1800, check=False)
        self.assertEqual(done.returncode, 0, (arguments, done.stderr))
        return done.stdout

    def explain(self, settings, check="none"):
        """Paths of a run, and what `why` prints."""
        self.write("scenario.yaml",
                   f"job: {{profile: {PROFILE}, workers: 4, parameter_servers: 0, steps: 6, warmup: 1}}\n")
        self.call("run", "scenario.yaml", "--out", "results", "--force", *options(settings))
        text = self.call("why", "results", f"--check={check}")
        paths = Paths(os.path.join(self.root, "results"))
        self.assertEqual(paths.wrong, [])
        self.assertEqual({engine for engine, _ in paths.seconds}, {"fair-share", "packet"})
        return paths, text

    def test_collectives(self):
        for name, settings in REDUCED.items():
            with self.subTest(name):
                paths, text = self.explain([*BASE, *LOCKSTEP, *RING, *settings], "fair-share")
                self.assertGreater(paths.share("fair-share", "collective"), 0.2)
                # nothing is waited for but what runs; packets have messages that ask for others
                self.assertLess(paths.share("fair-share", "gap"), 1e-6)
                self.assertLess(paths.share("packet", "gap"), 0.02)
                self.agrees(text)

    def agrees(self, text):
        """What is sent and what is computed save in a run what the graph says."""
        rows = {row[1]: row for row in ROW.finditer(text)}
        for name in ("all that is sent", "what workers compute"):
            self.assertIn(name, rows, text)
            self.assertAlmostEqual(float(rows[name][2]), float(rows[name][3]), delta=TOLERANCE, msg=text)

    def test_everything_else(self):
        for name, settings in OTHERS.items():
            with self.subTest(name):
                self.explain([*BASE, *settings])

    def test_rows_that_do_not_agree_are_marked(self):
        # without lockstep a change of any time changes who shares a link with whom
        _, text = self.explain([*BASE, *SERVERS, "fair_share.ps_cores=1", "replications=3"],
                               "fair-share")
        rows = list(ROW.finditer(text))
        self.assertGreaterEqual(len(rows), 2, text)
        for row in rows:
            graph, value = float(row[2]), float(row[3])
            low, high = (float(row[4]), float(row[5])) if row[4] else (value, value)
            apart = max(low - graph, graph - high)
            if abs(apart - TOLERANCE) > 0.02:  # printed are two decimals
                self.assertEqual(apart > TOLERANCE, bool(row[7]), row[0])
        self.assertEqual("\n  !: " in text, any(row[7] for row in rows), text)


if __name__ == "__main__":
    if not PROGRAM:
        sys.exit(77)
    unittest.main()
