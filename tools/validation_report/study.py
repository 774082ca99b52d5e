#
# Copyright (c) 2026 The dml authors
#
# SPDX-License-Identifier: GPL-2.0-only

"""Reads the results of the validation study: folders MODEL-QUEUE with a summary.json each."""

import math
import os
from dataclasses import dataclass, field

from testbed_compare.errors import InputError
from testbed_compare.tables import MISSING, JsonFile
from validation_study.settings import LARGEST_WINDOW, MODELS, QUEUES, WINDOWS

ENGINES = ("fair-share", "packet")
RTTS = ("equal", "far")
SERVERS_KEY = "job.parameter_servers"
WINDOW_KEY = "transfer.window"
HOSTS_KEY = "network.hosts"


def window_name(size):
    """A window of the full-size job, 0 for none, as the tables call it."""
    return f"{size / 1e6:.3g} MB" if size else "off"


WINDOW_NAMES = tuple(window_name(size) for size in WINDOWS)


@dataclass
class Case:
    """One model, queue, M, window and round-trip time with one number of workers."""

    model: str
    queue: str
    workers: int
    servers: int
    window: str
    rtt: str
    values: dict
    fair_share: float | None  # samples/s
    packet: float | None  # samples/s

    @property
    def error(self):
        """Relative error of fair-share against packet, None if one of them is not known."""
        if not self.fair_share or not self.packet:
            return None
        return self.fair_share / self.packet - 1

    @property
    def label(self):
        far = " far" if self.rtt == "far" else ""
        return f"{self.model} W={self.workers} M={self.servers} {self.window}{far}"

    def key(self, *without):
        """What tells it from others, less these."""
        names = ("model", "queue", "workers", "servers", "window", "rtt")
        return tuple(getattr(self, name) for name in names if name not in without)

    def losses(self, name):
        """Losses of this name, per replication of the packet engine."""
        runs = (self.values.get("engines") or {}).get("packet", {}).get("replications", [])
        return sum(run.get(name) or 0 for run in runs) / max(1, len(runs))


@dataclass
class Folder:
    """What is known of one model with one queue."""

    model: str
    queue: str
    finished: bool = False
    megabytes: float = math.nan  # of the scaled job's tensors
    batch: int = 0
    wall: float = 0.0  # s
    cpu: float = 0.0  # s, of both engines
    scenario: dict = field(default_factory=dict)  # the summary's echo
    cases: list = field(default_factory=list)


def throughput(file, key, case, engine):
    """Mean throughput of an engine; None if it has none."""
    part = (case.get("engines") or {}).get(engine)
    value = part.get("mean") if isinstance(part, dict) else None
    if value is not None and (isinstance(value, bool) or not isinstance(value, (int, float))
                              or not value >= 0):
        file.fail(f"{key}.engines.{engine}.mean", value, "samples/s, or null")
    return value


def measured(file, key, case, engine):
    """The throughput; None also if the workers ended less than a step each while it was measured:
    it then says how short that was, not how fast the job is."""
    part = (case.get("engines") or {}).get(engine) or {}
    steps = [run["steps"] for run in part.get("replications") or [] if "steps" in run]
    if steps and sum(steps) < case["workers"] * len(steps):
        return None
    return throughput(file, key, case, engine)


def read_cases(file):
    """The objects of the cases, checked; yields (key, case, variant)."""
    cases = file.get("cases")
    if not isinstance(cases, list):
        file.fail("cases", cases, "a list")
    for i, case in enumerate(cases):
        key = f"cases[{i}]"
        if not isinstance(case, dict):
            file.fail(key, case, "an object")
        for name, least in (("workers", 1), ("parameter_servers", 0)):
            value = case.get(name, MISSING)
            if not isinstance(value, int) or value < least:
                file.fail(f"{key}.{name}", value, f"an integer from {least}")
        variant = case.get("variant") or {}
        if not isinstance(variant, dict):
            file.fail(f"{key}.variant", variant, "an object")
        yield key, case, variant


def label_of(variant):
    """How the CSV files of the results call a variant."""
    return ", ".join(f"{name}={value}" for name, value in variant.items())


def read_window(file, key, text, scale):
    """The name of a scaled window, such as '437500B'."""
    digits = text[:-1] if isinstance(text, str) and text.endswith("B") else ""
    if not digits.isdigit():
        file.fail(f"{key}.variant.{WINDOW_KEY}", text, "bytes, such as '437500B'")
    size = int(digits)
    if size == LARGEST_WINDOW:
        return window_name(0)
    near = min((w for w in WINDOWS if w), key=lambda w: abs(w * scale - size))
    return window_name(near)


def simulated_megabytes(case, steps):
    """MB of the job's tensors: every worker pulls and pushes them in every step."""
    for engine in ENGINES:
        runs = (case.get("engines") or {}).get(engine, {}).get("replications") or []
        if runs and steps:
            return runs[0].get("simulated_bytes", math.nan) / (2e6 * case["workers"] * steps)
    return math.nan


def read_folder(root, model, queue):
    """The folder of one model and one queue; without cases if there is none yet."""
    folder = Folder(model, queue)
    path = os.path.join(root, f"{model}-{queue}", "summary.json")
    if not os.path.exists(path):
        return folder
    folder.finished = not os.path.exists(os.path.join(os.path.dirname(path), "unfinished"))
    file = JsonFile(path)
    schema = file.get("schema")
    if schema != "dml-summary/1":
        file.fail("schema", schema, '"dml-summary/1"')
    scale = file.number("scenario.job.scale", 1e-9, 1e9)
    steps = file.number("scenario.job.steps", 1, 1e9, whole=True)
    folder.batch = file.number("batch_size", 1, 1e9, whole=True)
    folder.wall = file.number("timing.wall_seconds", 0, 1e12)
    folder.scenario = file.get("scenario")
    for key, case, variant in read_cases(file):
        hosts = variant.get(HOSTS_KEY, "{}")
        values = {engine: measured(file, key, case, engine) for engine in ENGINES}
        folder.cases.append(Case(
            model, queue, case["workers"], case["parameter_servers"],
            read_window(file, key, variant.get(WINDOW_KEY), scale),
            RTTS[0] if hosts == "{}" else RTTS[1], case,
            values["fair-share"], values["packet"]))
        for engine in ENGINES:
            timing = (case.get("engines") or {}).get(engine, {}).get("timing") or {}
            folder.cpu += timing.get("cpu_seconds") or 0.0
    if folder.cases:
        folder.megabytes = simulated_megabytes(folder.cases[0].values, steps)
    return folder


class Study:
    """All folders of a study."""

    def __init__(self, roots):
        """A folder that the first of the roots lacks is that of the next."""
        self.folders = {}
        for queue in QUEUES:
            for model in MODELS:
                found = [read_folder(root, model, queue) for root in roots]
                self.folders[model, queue] = next((f for f in found if f.cases), found[0])
        self.cases = [case for folder in self.folders.values() for case in folder.cases]
        self.compared = [case for case in self.cases if case.error is not None]
        if not self.compared:
            raise InputError(f"{roots[0]}: no case was run with both engines; accepted is a folder "
                             "of tools/validation-study")

    def select(self, **wanted):
        """The compared cases with these values."""
        return [case for case in self.compared
                if all(getattr(case, name) == value for name, value in wanted.items())]

    def missing(self):
        """Names of the folders that are missing or not finished."""
        return [f"{model}-{queue}" for (model, queue), folder in self.folders.items()
                if not folder.finished]
