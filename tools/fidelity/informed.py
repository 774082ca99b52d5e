#
# Copyright (c) 2026 The dml authors
#
# SPDX-License-Identifier: GPL-2.0-only

"""Predicts real runs again, with the HTTP/2 windows that each of them had."""

import json
import os
import shutil
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import dml
from fidelity import windows
from testbed_compare.errors import InputError, PredictionError
from testbed_compare.tables import JsonFile
from validation_report.study import label_of, read_cases
from validation_study.runs import is_finished


@dataclass(frozen=True)
class Informed:
    """The predictions of all real runs of a Run; its folder gets a summary.json like a study's.

    The packet engine predicts the first replication only, as without the windows."""

    name: str
    of: object  # the Run

    def do(self, program, root, jobs):
        """Runs what is left of it."""
        folder = os.path.join(root, self.name)
        if is_finished(folder):
            print(f"{folder}: done before")
            return
        print(f"{folder} ...", flush=True)
        os.makedirs(folder, exist_ok=True)
        begin = time.monotonic()
        measured = os.path.join(root, self.of.name)
        known = windows.read(measured)
        cases = list(read_cases(JsonFile(os.path.join(measured, "summary.json"))))
        with ThreadPoolExecutor(jobs) as pool:
            tasks = [pool.submit(self.predict, program, folder, i, case, variant, known)
                     for i, (_, case, variant) in enumerate(cases)]
            try:
                predicted = [task.result() for task in tasks]
            finally:
                pool.shutdown(cancel_futures=True)
        wall = time.monotonic() - begin
        with open(os.path.join(folder, "summary.json"), "w", encoding="utf-8") as file:
            json.dump({"cases": predicted, "timing": {"wall_seconds": wall}}, file, indent=1)
        print(f"  {wall:.0f} s")

    def predict(self, program, folder, number, case, variant, known):
        """The summary of a case, with the predictions of its replications one after the other."""
        path = os.path.join(folder, f"case{number}.json")
        if os.path.exists(path):
            with open(path, encoding="utf-8") as file:
                return json.load(file)
        label = label_of(variant)
        engines = {}
        for replication in range(len(case["engines"]["host"]["replications"])):
            connections = known.get((label, case["workers"], replication))
            if connections is None:
                raise InputError(f"{folder}: found no steps of W={case['workers']}, {label}, "
                                 f"replication {replication}; accepted are results with steps.csv")
            out = os.path.join(folder, f"case{number}.results")
            self.run(program, out, "both" if replication == 0 else "fair-share",
                     [*(f"{name}={value}" for name, value in variant.items()),
                      f"job.workers={case['workers']}", *self.windows_keys(connections)])
            add(engines, os.path.join(out, "summary.json"))
            shutil.rmtree(out)
        summary = {key: case[key] for key in ("workers", "parameter_servers")}
        summary.update(variant=variant, engines=engines)
        with open(path + ".part", "w", encoding="utf-8") as file:
            json.dump(summary, file)
        os.replace(path + ".part", path)
        return summary

    @staticmethod
    def windows_keys(connections):
        """gRPC lets a stream have its window and 1 MiB beyond what has arrived."""
        if not connections:
            return []
        window = {"default": "4MiB", "connections": connections}
        return ["transfer.grant=capped", f"transfer.window={json.dumps(window)}"]

    def run(self, program, out, engine, settings):
        settings = (*self.of.settings, "replications=1", "output.connections=false",
                    "output.transfers=false", *settings)
        try:
            dml.execute("run", self.of.path, f"--engine={engine}", "--out", out, "--force", "--jobs=1",
                        *("--set=" + text for text in settings), program=program)
        except dml.Error as error:
            raise PredictionError(f"{self.of.path}: {error}") from error


def add(engines, path):
    """Adds the replication of a run to those that are there."""
    for _, case, _ in read_cases(JsonFile(path)):
        for engine, values in case["engines"].items():
            known = engines.setdefault(engine, {"replications": [], "timing": {"cpu_seconds": 0}})
            known["replications"] += values["replications"]
            known["timing"]["cpu_seconds"] += values["timing"]["cpu_seconds"]
