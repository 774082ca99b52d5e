#
# Copyright (c) 2026 The dml authors
#
# SPDX-License-Identifier: GPL-2.0-only

"""Fits the server's cost to CM-DARE's curves, and predicts those that were left out."""

import csv
import os
import re
import subprocess

import dml
from server_cost import cluster
from server_cost.models import MODELS


class Study:
    """Scenarios, profiles and points in a folder, and what the program says of them."""

    def __init__(self, program, folder):
        self.program = os.path.abspath(program)
        self.folder = folder
        self.profiles = {}

    def write(self, name, text):
        path = os.path.join(self.folder, name)
        with open(path, "w", encoding="ascii") as file:
            file.write(text)
        return path

    def execute(self, *arguments, accepted=(0,)):
        done = subprocess.run([self.program, *arguments], capture_output=True, text=True, check=False)
        if done.returncode not in accepted:
            raise RuntimeError(f"{' '.join(arguments)}: {done.stderr}")
        return done

    def scenario(self, gpu, model, servers=1):
        """Path of a scenario whose lone worker is as fast as was measured, without a server's cost."""
        if (gpu, model) not in self.profiles:
            lone = cluster.lone_step(gpu, model)
            name = f"{gpu}-{model}"
            self.write(f"{name}.profile.yaml", cluster.profile(model, lone))
            text = cluster.SCENARIO.format(profile=f"{name}.profile.yaml", placement="greedy")
            throughput = self.predict(self.write(f"{name}.yaml", text), [1], {})[1]
            computing = 2 * lone - cluster.BATCH / throughput  # less what the network adds
            self.profiles[gpu, model] = self.write(f"{name}.profile.yaml",
                                                   cluster.profile(model, computing))
        text = cluster.SCENARIO.format(profile=self.profiles[gpu, model],
                                       placement=cluster.placement(model, servers))
        return self.write(f"{gpu}-{model}-{servers}.yaml", text)

    def predict(self, scenario, workers, keys):
        """Throughput of the fair-share engine by number of workers."""
        out = os.path.join(self.folder, "results")
        results = dml.run(scenario, out, "fair-share", force=True, program=self.program, settings={
            **keys, "job.workers": workers, "output.plots": False})
        return {case["workers"]: case["engines"]["fair-share"]["mean"] for case in results.cases}

    def fit(self, gpu, rows, *options):
        """What fit-server says of rows of one GPU."""
        path = os.path.join(self.folder, "points.csv")
        with open(path, "w", encoding="ascii", newline="") as file:
            table = csv.writer(file, lineterminator="\n")
            table.writerow(["workers", "parameter_servers", "throughput", "job.profile",
                            "job.placement"])
            for row in rows:
                servers = int(row["parameter_servers"])
                self.scenario(gpu, row["model"], servers)
                table.writerow([row["workers"], servers,
                                cluster.BATCH * float(row["steps_per_second"]),
                                self.profiles[gpu, row["model"]],
                                cluster.placement(row["model"], servers)])
        first = self.scenario(gpu, rows[0]["model"])
        return Fit(self.execute("fit-server", first, path, *options, accepted=(0, 2)))


class Fit:
    """The output of fit-server."""

    def __init__(self, done):
        self.refused = done.stderr.strip()
        self.text = done.stdout
        mean = re.search(r"^ *mean +(\S+) % +(\S+) % +(\S+) %$", done.stdout, re.M)
        self.before, self.fitted, self.left_out = map(float, mean.groups())
        self.keys = dict(re.findall(r"^ *(alpha|beta|ps_cores): (\S+)", done.stdout, re.M))
        self.errors = dict(re.findall(r"^ *(alpha|beta): .*standard error (\S+)$", done.stdout, re.M))

    def settings(self):
        """The keys of a scenario."""
        return {"overhead.server.alpha": self.keys["alpha"],
                "overhead.server.beta": self.keys["beta"],
                "fair_share.ps_cores": self.keys["ps_cores"]}


def mean_error(study, gpu, rows, keys):
    """Mean size of the relative errors with which rows are predicted, in per cent."""
    errors = []
    for model in MODELS:
        for servers in (1, 2):
            curve = {int(row["workers"]): cluster.BATCH * float(row["steps_per_second"])
                     for row in rows
                     if row["model"] == model and row["parameter_servers"] == str(servers)}
            if curve:
                predicted = study.predict(study.scenario(gpu, model, servers), sorted(curve),
                                          {**keys, "job.parameter_servers": servers})
                errors += [abs(predicted[n] / measured - 1) for n, measured in curve.items()]
    return 100 * sum(errors) / len(errors)
