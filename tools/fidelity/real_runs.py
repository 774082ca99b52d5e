#
# Copyright (c) 2026 The dml authors
#
# SPDX-License-Identifier: GPL-2.0-only

"""Real runs as data, doc/data/real-runs.csv: what processes of the host engine did, in batches that differ by rate, port and
size of the job. A batch whose runs are there is not run again, on whatever machine the others are."""

import collections
import csv
import datetime
import os
import statistics
from dataclasses import dataclass, replace
from typing import Callable

from fidelity import host
from order_studies.runs import Run
from testbed_compare.tables import JsonFile
from validation_report.study import read_cases
from validation_study.settings import ROOT

PATH = os.path.join(ROOT, "doc", "data", "real-runs.csv")
FIELDS = ("measured", "batch", "model", "queue", "servers", "start", "workers", "runs", "disturbed", "samples_per_s", "farthest_percent",
          "cores", "date")
SCALES = {"alexnet": 0.25, "resnet50": 0.5, "vgg11": 0.125}  # 51 to 66 MB of tensors
FAIR = "{fair: 0B}"


def virtual_port(size):
    """The value of network.queue for FIFO ports of a virtual network."""
    return f"{{drop_tail: {size}, whole_bursts: true}}"


def folder_name(*parts):
    """Of results: all that is no letter or digit becomes a dash."""
    return "-".join("".join(letter if letter.isalnum() else "-" for letter in part) for part in parts)


@dataclass(frozen=True)
class Batch:
    """The runs of one rate, port and size of models."""

    name: str
    rate: str
    port: str
    models: tuple
    servers: tuple
    workers: tuple
    steps: int = 12
    scales: dict | None = None  # of the profiles; None: those of the scenarios
    together: bool = False  # whether workers start together only
    runs: int = 2
    extra: tuple = ()  # further settings
    once: tuple = ()  # models that have one run of each case

    def settings(self, model, workers=None, queues=None):
        """KEY=VALUE for the scenario of a model."""
        queues = queues or (FAIR, virtual_port(self.port))
        own = [f"network.rate={self.rate}", f"job.workers={list(workers or self.workers)}", f"job.steps={self.steps}",
               f"sweep.network.queue=[{', '.join(queues)}]", f"sweep.job.parameter_servers={list(self.servers)}"]
        if self.scales:
            own.append(f"job.scale={self.scales[model]}")
        if self.together:
            own.append("sweep.job.start=[together]")
        return (*own, *self.extra)

    def scenario(self, model):
        return f"host-fidelity/{model}.yaml"


BATCHES = (
    Batch("500 Mbit/s, 12 MB", "500Mbps", "1MB", tuple(host.MODELS), (1, 2), (1, 2, 3, 4, 6, 8), runs=3),
    Batch("1 Gbit/s, 51 to 66 MB", "1Gbps", "1MB", tuple(host.MODELS), (1, 2), (2, 4, 8), steps=10, scales=SCALES,
          together=True, once=("vgg11",)),
    Batch("200 Mbit/s, 256 KB ports", "200Mbps", "256KB", ("alexnet",), (1,), (2, 4, 8), together=True),
    Batch("500 Mbit/s, 4 MB ports", "500Mbps", "4MB", ("alexnet",), (1,), (2, 4, 8), together=True),
    Batch("500 Mbit/s, 12 MB, BSP", "500Mbps", "1MB", ("alexnet",), (1,), (2, 4, 8), together=True,
          extra=("job.sync=bsp",)),
)


class Key(collections.namedtuple("Key", "batch model queue servers start workers")):
    """Tells a case from the others, all as texts."""

    @classmethod
    def of(cls, batch, model, case):
        variant = case["variant"]
        return cls(batch, model, host.queue_name("fair" in variant["network.queue"]), str(case["parameter_servers"]),
                   host.start_name(variant["job.start"] == "together"), str(case["workers"]))


Real = collections.namedtuple("Real", "mean farthest runs cores")


def read_rows(path=PATH):
    """The rows of the file; none if there is none."""
    if not os.path.exists(path):
        return []
    with open(path, encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def read(path=PATH):
    """{Key: Real}, in the order of the file."""
    return {Key(*(row[name] for name in Key._fields)):
            Real(float(row["samples_per_s"]), float(row["farthest_percent"]) / 100, int(row["runs"]), int(row["cores"]))
            for row in read_rows(path)}


def farthest(values):
    """How far the value that is farthest from the mean of the others is from it."""
    if len(values) < 2:
        return 0.0
    total = sum(values)
    return max(abs(value * (len(values) - 1) / (total - value) - 1) for value in values)


def is_good(run):
    """Whether nothing else disturbed a real run."""
    return run["throughput"] and not run["host"]["disturbed"]


def rows_of(cases, key_of, date):
    """Rows for the file, of the cases of a summary; without those that have no undisturbed run."""
    for case in cases:
        runs = case["engines"]["host"]["replications"]
        good = [run["throughput"] for run in runs if is_good(run)]
        if good:
            yield dict(zip(FIELDS[1:], (*key_of(case), len(good), len(runs) - len(good), f"{statistics.fmean(good):.4g}",
                                    f"{100 * farthest(good):.1f}", os.cpu_count(), date)))


def keep(name, rows, path=PATH):
    """Puts rows into the file in the place of those of the same measurement; the file is replaced as a whole."""
    kept = [row for row in read_rows(path) if row["measured"] != name]
    with open(path + ".new", "w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, FIELDS, lineterminator="\n")
        writer.writeheader()
        writer.writerows([*kept, *rows])
    os.replace(path + ".new", path)


@dataclass(frozen=True)
class Measured(Run):
    """Real runs for the file: those of a scenario whose cases `key_of` gives keys."""

    batch: str = ""
    key_of: Callable | None = None

    @classmethod
    def of(cls, batch, model):
        """Those of a model in a Batch."""
        settings = (*batch.settings(model), f"replications={1 if model in batch.once else batch.runs}", "output.connections=false",
                    "output.transfers=false")
        return cls(folder_name("real", batch.name, model), batch.scenario(model), settings, "host", batch.name, lambda case: Key.of(batch.name, model, case))

    def do(self, program, root, jobs):
        """Runs what the file lacks."""
        folder = os.path.join(root, self.name)
        if not os.path.exists(folder) and any(row["measured"] == self.name for row in read_rows()):
            print(f"{self.name}: is in {os.path.relpath(PATH)}")
            return
        super().do(program, root, 1)
        found = self.read_cases(root)
        lost = [case for case in found if not any(map(is_good, case["engines"]["host"]["replications"]))]
        for number, case in enumerate(lost):
            settings = (*self.settings, f"job.workers=[{case['workers']}]",
                        *(f"sweep.{key}=[{value}]" for key, value in case["variant"].items()))
            again = replace(self, name=f"{self.name}-again-{number}", settings=settings)
            Run.do(again, program, root, 1)
            found += again.read_cases(root)
        keep(self.name, [{"measured": self.name, **row}
                         for row in rows_of(found, self.key_of, datetime.date.today().isoformat())])

    def read_cases(self, root):
        """What its summary has."""
        file = JsonFile(os.path.join(root, self.name, "summary.json"))
        return [{**case, "variant": variant} for _, case, variant in read_cases(file)]
