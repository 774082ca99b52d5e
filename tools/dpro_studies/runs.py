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
from dpro_studies import profiles
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


BUCKETS = "all-reduce/buckets.yaml"
HOROVOD = ("job.gradient_groups={horovod: {}}",)
# Fewer and larger packets than of real links, so that models run at full size.
LARGE = ("network.mtu=65535", f"network.rate={RATE}", "fair_share.one_way_delay=20us")
NO_DEVICES = ("job.devices={gpu: {speed: 1}}",)  # profiles have the device's times
SEARCH = ("sweep={}", "replications=1", "packet.replications=0", "job.steps=4", "job.warmup=1")


@dataclass(frozen=True)
class StrategyRun(MeasuredRun):
    """Searches for the best strategies of a job on a ring, and runs them beside the defaults.

    A strategy is a folder of results below `results`: see VARIANTS."""

    name: str
    model: str
    workers: int
    engine: str
    replications: int = 3
    steps: int = 6

    VARIANTS = ("XLA", "Horovod", "ops", "tensors", "both")

    def search(self, program, folder, name, jobs, *more):
        """KEY=VALUE of the best strategy, and what the command printed."""
        path = os.path.join(folder, name + ".yaml")
        text = dml(program, "optimize", os.path.join(ROOT, "scenarios", BUCKETS), "-o", path,
                   "--check=none", f"--jobs={jobs}", *more,
                   *(f"--set={each}" for each in (*SEARCH, *LARGE, *NO_DEVICES,
                                                  f"job.workers={self.workers}",
                                                  f"job.profile={folder}/gpu.yaml")))
        with open(os.path.join(folder, name + ".txt"), "w", encoding="utf-8") as file:
            file.write(text)
        return read_strategy(path)

    def work(self, program, folder, jobs):
        gpu = profiles.speed_up(read_profile(self.model), SPEED)
        profiles.write_profile(gpu, os.path.join(folder, "gpu.yaml"))
        profiles.write_profile(profiles.fuse_all(gpu), os.path.join(folder, "xla.yaml"))
        tensors = self.search(program, folder, "tensors", jobs)
        both = self.search(program, folder, "both", jobs, f"--fused={profiles.LAUNCH * 1e6:.0f}us")
        fused = os.path.join(folder, "both.profile.yaml")
        fused = fused if os.path.exists(fused) else os.path.join(folder, "gpu.yaml")
        gpu, xla = (os.path.join(folder, name + ".yaml") for name in ("gpu", "xla"))
        chosen = ((xla, HOROVOD), (gpu, HOROVOD), (fused, HOROVOD), (gpu, tensors), (fused, both))
        for variant, (profile, settings) in zip(self.VARIANTS, chosen, strict=True):
            run_variant(program, os.path.join(ROOT, "scenarios", BUCKETS),
                        os.path.join(folder, "results", variant), self.engine, jobs,
                        ("sweep={}", f"replications={self.replications}",
                         f"packet.replications={self.replications}", f"job.steps={self.steps}",
                         "job.warmup=1", f"job.workers={self.workers}", f"job.profile={profile}",
                         *LARGE, *NO_DEVICES, *settings))


def run_variant(program, scenario, folder, engine, jobs, settings):
    """Runs a scenario into a folder, without pictures."""
    dml(program, "run", scenario, f"--engine={engine}", f"--out={folder}", "--force", f"--jobs={jobs}",
        "--set=output.plots=false", *("--set=" + text for text in settings))


def read_strategy(path):
    """KEY=VALUE of what dml optimize wrote, but for its profile; all values are texts, `off` is too."""
    with open(path, encoding="utf-8") as file:
        found = yaml.load(file, Loader=yaml.BaseLoader)
    return write_settings({f"{section}.{key}": value for section, values in found.items()
                           for key, value in values.items() if key != "profile"})
