#
# Copyright (c) 2026 The dml authors
#
# SPDX-License-Identifier: GPL-2.0-only

"""Runs of the studies of dPRO's paper: jobs that are recorded and replayed, and other commands of dml."""

import importlib.machinery
import importlib.util
import json
import os
import resource
import time
from dataclasses import dataclass, field

import yaml

from dml import Error, execute
from testbed_compare.errors import PredictionError
from validation_study.runs import is_finished
from validation_study.settings import DELAYED_ACK, MIN_RTO, PROFILES, ROOT, nanoseconds

FOUR = "all-reduce/four-configurations.yaml"
NAMES = {"all-reduce": "ring", "push-pull": "BytePS"}
RATE = "25Gbps"
BANDWIDTH = 25e9 / 8  # bytes/s
SPEED = 20  # of a device, in CPUs of the profiles
SLICE = 4_000_000  # bytes, of BytePS in that scenario
PORT = 1_000_000  # bytes that wait there at a port
DELAY = 10e-6  # s, of a link of TCP there


def load_tool(name):
    """A tool of this folder that is no module by its name."""
    path = os.path.join(ROOT, "tools", name)
    loader = importlib.machinery.SourceFileLoader(name.replace("-", "_") + "_tool", path)
    tool = importlib.util.module_from_spec(importlib.util.spec_from_loader(loader.name, loader))
    loader.exec_module(tool)
    return tool


def dml(program, *arguments):
    """What a command of the program printed; PredictionError if it failed."""
    try:
        return execute(*arguments, program=program)
    except Error as error:
        raise PredictionError(f"dml {' '.join(map(str, arguments))}: {error}") from error


def read_profile(model):
    """A profile of scenarios/profiles."""
    with open(profile_path(model), encoding="utf-8") as file:
        return yaml.load(file, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))


def profile_path(model):
    return os.path.join(PROFILES, model + ".yaml")


def read_configurations():
    """{(gradients, network): {key: value}} of the scenario of dPRO's Fig. 1."""
    with open(os.path.join(ROOT, "scenarios", FOUR), encoding="utf-8") as file:
        sweep = yaml.safe_load(file)["sweep"]
    found = {}
    for kind in sweep:
        own = {key: value for key, value in kind.items() if key != "sweep"}
        for network in kind["sweep"]:
            name = "RDMA" if network["network.queue"] == "0B" else "TCP"
            found[NAMES[own["job.protocol"]], name] = {**own, **network}
    return found


def scaled_network(settings, scale):
    """These settings for a job at a scale: what lasts and what is counted in bytes shrink with it, but
    headers, packets and first windows do not."""
    found = dict(settings)
    tcp = dict(found["network.tcp"])
    delay = float(found["network.delay"].removesuffix("us")) * 1e-6 * scale
    found["network.delay"] = nanoseconds(delay)
    found["fair_share.one_way_delay"] = nanoseconds(2 * delay)
    if found["network.queue"] != "0B":
        found["network.queue"] = f"{round(PORT * scale)}B"
    if "transfer.partition" in found:
        found["transfer.partition"] = f"{round(SLICE * scale)}B"
    tcp["min_rto"] = nanoseconds(MIN_RTO * scale)
    tcp["delayed_ack_timeout"] = nanoseconds(DELAYED_ACK * scale)
    found["network.tcp"] = tcp
    return found


def write_settings(settings):
    """KEY=VALUE; a value that is no text as JSON, which is YAML."""
    return tuple(f"{key}={value if isinstance(value, str) else json.dumps(value)}"
                 for key, value in settings.items())


class Meter:
    """Measures what a run takes, and leaves it in its folder where and as page.cost() finds it."""

    def __init__(self, folder):
        self.path = os.path.join(folder, "summary.json")

    def __enter__(self):
        self.begin = self.now()
        return self

    @staticmethod
    def now():
        used = resource.getrusage(resource.RUSAGE_CHILDREN)
        return used.ru_utime + used.ru_stime, time.monotonic()

    def __exit__(self, kind, *_):
        if kind is None:
            cpu, wall = (after - before for after, before in zip(self.now(), self.begin))
            part = {"timing": {"cpu_seconds": cpu}}
            with open(self.path, "w", encoding="utf-8") as file:
                json.dump({"timing": {"wall_seconds": wall}, "cases": [{"engines": {"all": part}}]}, file)


class MeasuredRun:
    """A run whose folder has summary.json when it is finished; subclasses have `name` and work()."""

    def do(self, program, root, jobs):
        """Runs it into its folder below `root` unless that has been done."""
        folder = os.path.join(root, self.name)
        if is_finished(folder):
            print(f"{folder}: done before")
            return
        print(f"{folder} ...", flush=True)
        os.makedirs(folder, exist_ok=True)
        with Meter(folder):
            self.work(program, folder, jobs)


@dataclass(frozen=True)
class JobRun(MeasuredRun):
    """A job of four-configurations.yaml in both engines, whose packets are recorded and replayed."""

    name: str
    model: str
    gradients: str
    network: str
    workers: int
    seed: int
    steps: int
    scale: float
    more: tuple = field(default=())  # KEY=VALUE

    @property
    def path(self):
        return os.path.join(ROOT, "scenarios", FOUR)

    @property
    def settings(self):
        """KEY=VALUE of everything that the scenario does not say."""
        network = scaled_network(read_configurations()[self.gradients, self.network], self.scale)
        if self.gradients == "BytePS":
            network["job.parameter_servers"] = self.workers
            network["network.colocate"] = {f"ps{i}": f"worker{i}" for i in range(self.workers)}
        return ("sweep={}", f"name={self.name}", f"seed={self.seed}", "replications=1",
                f"job.profile={os.path.relpath(profile_path(self.model))}",
                f"job.scale={self.scale!r}", f"job.workers={self.workers}",
                f"job.steps={self.steps}", "output.trace=true", *write_settings(network), *self.more)

    def work(self, program, folder, jobs):
        results = os.path.join(folder, "results")
        dml(program, "run", self.path, "--engine=both", f"--out={results}", "--force", f"--jobs={jobs}",
            *("--set=" + text for text in self.settings))
        job = os.path.join(folder, "job.yaml")
        dml(program, "import", "job", results, "--engine=packet", "-o", job, "--force")
        with open(os.path.join(folder, "replay.txt"), "w", encoding="utf-8") as file:
            file.write(dml(program, "replay", job))
