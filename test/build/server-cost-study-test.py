#!/usr/bin/env python3
#
# Copyright (c) 2026 The dml authors
#
# SPDX-License-Identifier: GPL-2.0-only

"""Test of tools/server-cost-study: the networks against what CM-DARE's authors counted, and the profiles
that are made of them with the program's check (DML_PROGRAM)."""

import os
import subprocess
import sys
import tempfile
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
PROGRAM = os.environ.get("DML_PROGRAM")

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(ROOT, "tools"))
from server_cost import cluster, runs  # pylint: disable=C0413
from server_cost.models import MODELS  # pylint: disable=C0413

# Number of parameters, mean and largest tensor in MiB: data/processed_data/speed_data/speed_data_supertable.csv
# of their repository. Its mean for shake-small is of another network: 2926986 * 4 bytes are 276.5 of it.
COUNTED = {"resnet-15": (693818, 0.052934113, 0.5625), "resnet-32": (1857722, 0.068140837, 0.5625),
           "shake-small": (2926986, None, 0.5625), "shake-big": (26204362, 0.462785686, 5.0625)}


class RunsTest(unittest.TestCase):
    def setUp(self):
        holder = tempfile.TemporaryDirectory(prefix="dml-server-runs-")
        self.addCleanup(holder.cleanup)
        self.path = os.path.join(holder.name, "runs.csv")

    def test_go_on(self):
        """Two workers were measured once and disturbed once, four not at all; a process that comes later knows it."""
        made = runs.Runs(self.path)
        self.assertEqual(made.missing([2, 4], 2), [2, 4, 2, 4])
        made.add(2, 50.0, 0.04, False)
        made.add(2, 10.0, 0.04, True)
        again = runs.Runs(self.path)
        self.assertEqual(again.rows, made.rows)
        self.assertEqual(again.missing([2, 4], 2), [4, 2, 4])

    def test_points_leave_out_what_was_disturbed(self):
        made = runs.Runs(self.path)
        made.add(1, 30.0, 0.04, True)
        points = self.path + ".points"
        self.assertEqual(made.write_points(points), 0)  # none that counts
        made.add(2, 50.0, 0.04, False)
        self.assertEqual(made.write_points(points), 1)
        with open(points, encoding="ascii") as file:
            self.assertEqual(file.read(), "workers,throughput\n2,50.000\n")


class ServerCostStudyTest(unittest.TestCase):

    def test_networks_are_as_large_as_was_counted(self):
        for model, (parameters, mean, largest) in COUNTED.items():
            sizes = [size for _, size, trained in MODELS[model] if trained]
            self.assertEqual(sum(sizes), 4 * parameters, model)
            self.assertEqual(max(sizes), largest * 2**20, model)
            if mean:
                self.assertAlmostEqual(sum(sizes) / len(sizes) / 2**20, mean, 6, model)

    def test_round_robin_counts_variables_that_are_not_trained(self):
        # shake-shake has six variables for each convolution, so all kernels are on the first server
        places = cluster.placement("shake-big", 2)
        self.assertIn("layer0/block0/branch0/conv1/kernel: 0,", places)
        self.assertIn("layer2/block3/branch1/conv2/kernel: 0,", places)
        self.assertIn("layer0/block0/branch0/conv1/bias: 1,", places)
        # a resnet has five, so they take turns: initial conv 1 and its normalisation 4, bn1 4
        places = cluster.placement("resnet-15", 2)
        self.assertIn("initial/kernel: 0,", places)
        self.assertIn("layer0/block0/shortcut/kernel: 1,", places)

    def test_points_are_measured_curves(self):
        points = cluster.points("p100", lambda row: row["model"] == "resnet-32")
        self.assertEqual(len(points), 16)
        self.assertEqual({row["parameter_servers"] for row in points}, {"1", "2"})
        self.assertAlmostEqual(cluster.lone_step("p100", "resnet-32"), 1 / 12.114, 6)

    @unittest.skipUnless(PROGRAM, "no program")
    def test_profiles_are_accepted(self):
        with tempfile.TemporaryDirectory() as folder:
            for model in MODELS:
                with open(os.path.join(folder, "p.yaml"), "w", encoding="ascii") as file:
                    file.write(cluster.profile(model, 0.1))
                with open(os.path.join(folder, "s.yaml"), "w", encoding="ascii") as file:
                    file.write(cluster.SCENARIO.format(profile="p.yaml",
                                                       placement=cluster.placement(model, 2)))
                done = subprocess.run([PROGRAM, "check", os.path.join(folder, "s.yaml"),
                                       "--engine=fair-share", "--set=job.parameter_servers=2"],
                                      capture_output=True, text=True, check=False)
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertIn("batch 128", done.stdout)


if __name__ == "__main__":
    unittest.main()
