#
# Copyright (c) 2026 The dml authors
#
# SPDX-License-Identifier: GPL-2.0-only

"""A measured run: parameters, model, and what workers and servers logged (one clock, ns)."""

import math
import os
from dataclasses import dataclass, field

from testbed_compare.errors import InputError
from testbed_compare.tables import JsonFile, read_table, read_text

SERIES = 10**6  # no run has more workers, steps or servers


@dataclass
class Layer:
    """A layer; both durations in microseconds."""
    name: str
    forward: float
    backward: float


@dataclass
class Tensor:
    """A tensor, its layer and server by index; `update` in microseconds."""
    layer: int
    name: str
    size: int
    update: float
    server: int


@dataclass
class Worker:
    """What a worker logged; instants in ns."""
    steps: dict = field(default_factory=dict)    #: (start, end) by step
    tensors: dict = field(default_factory=dict)  #: (requested, received) by (step, tensor)
    ops: dict = field(default_factory=dict)      #: (start, end) by (step, "fwd" or "bwd", layer)


@dataclass
class Run:
    """A measured run. Times in ns are of `start`'s clock; the window in seconds from `start`."""
    name: str
    path: str
    model_name: str
    workers: int
    servers: int
    max_steps: int
    update_slots: int
    stagger: float       #: seconds
    start: int           #: ns
    window: tuple        #: seconds after the start
    rate: float          #: bits/s of a link
    mtu: int
    qdisc: str
    switch_queue: int    #: bytes
    congestion: str
    summary: object      #: steps/s as the run's own summary has it, or None
    layers: list
    tensors: list
    logs: dict           #: Worker by index; workers without files are missing
    arrivals: dict       #: when the server got the request, by (worker, step, tensor)
    gradients: dict      #: (received, update start, update end) by (worker, step, tensor)
    notes: list

    def complete_steps(self, worker):
        """The steps of a worker of which everything was logged, in order."""
        log = self.logs[worker]
        keys = [(worker, t) for t in range(len(self.tensors))]
        return [k for k in sorted(log.steps)
                if all((k, t) in log.tensors for _, t in keys)
                and all((k, kind, i) in log.ops for i in range(len(self.layers))
                        for kind in ("fwd", "bwd"))
                and (not self.gradients or all((w, k, t) in self.gradients for w, t in keys))
                and (not self.arrivals or all((w, k, t) in self.arrivals for w, t in keys))]

    def throughput(self, spans, window=None):
        """Steps/s in the window (seconds after the start), partly done steps counted in part.

        `spans` has per worker the (start, end) of each step, in seconds. This is the definition of
        the runs' own summary. The window ends with the first worker's steps, if that is before."""
        begin, end = window or self.window
        end = min([end] + [max(e for _, e in steps) for steps in spans])
        if end <= begin:
            return 0.0
        return sum(max(0.0, min(e, end) - max(s, begin)) / (e - s)
                   for steps in spans for s, e in steps if e > s) / (end - begin)

    def spans(self):
        """(start, end) in seconds after the start of each step of each worker with files."""
        return [[((s - self.start) / 1e9, (e - self.start) / 1e9)
                 for _, (s, e) in sorted(log.steps.items())] for log in self.logs.values()]


def read_model(path, servers):
    """Layers and tensors of a .model file."""
    layers, tensors = [], []

    def number(line, text, what, kind=float, low=0.0, high=1e15):
        try:
            value = kind(text)
        except ValueError:
            value = math.nan
        if not low <= value <= high:
            raise InputError(f"{path}:{line}: {what}: found '{text[:100]}'; accepted is "
                             f"{'an integer' if kind is int else 'a number'} from {low:g} to {high:g}")
        return value

    for line, text in enumerate(read_text(path).splitlines(), 1):
        words = text.split()
        if not words:
            continue
        if words[0] == "layer" and len(words) == 4:
            layers.append(Layer(words[1], number(line, words[2], "forward microseconds"),
                                number(line, words[3], "backward microseconds")))
        elif words[0] == "tensor" and len(words) == 6:
            layer = number(line, words[1], "layer of the tensor", int, 0, max(0, len(layers) - 1))
            tensors.append(Tensor(layer, words[2], number(line, words[3], "bytes", int, 1),
                                  number(line, words[4], "update microseconds"),
                                  number(line, words[5], "server", int, 0, servers - 1)))
        else:
            raise InputError(f"{path}:{line}: found '{text[:100]}'; accepted is 'layer NAME "
                             "FORWARD_US BACKWARD_US' or 'tensor LAYER NAME BYTES UPDATE_US SERVER' "
                             "(truncated?)")
    if not layers or not tensors:
        raise InputError(f"{path}: there is no {'layer' if not layers else 'tensor'}")
    for kind, names in (("layer", [l.name for l in layers]), ("tensor", [t.name for t in tensors])):
        for i, name in enumerate(names):
            if name in names[:i]:
                raise InputError(f"{path}: two {kind}s are named '{name}'")
    return layers, tensors


class _Logs:
    """Reads the CSV files of a run."""

    def __init__(self, stem, workers, layers, tensors):
        self.stem, self.workers = stem, workers
        self.layers, self.tensors = layers, tensors

    def rows(self, suffix, columns, **limits):
        """Checked rows; `limits` has for a column the number of values it may have."""
        path = f"{self.stem}.{suffix}"
        for line, row in read_table(path, columns):
            for name, limit in limits.items():
                if not 0 <= row[name] < limit:
                    raise InputError(f"{path}:{line}: column '{name}': found {row[name]}; accepted "
                                     f"is 0 to {limit - 1}")
            yield f"{path}:{line}", row

    @staticmethod
    def put(table, where, key, *instants):
        """Stores instants, which must not go back; a zero was not reached before the run ended."""
        if 0 in instants:
            return
        if any(b < a for a, b in zip(instants, instants[1:])):
            raise InputError(f"{where}: times go back: {', '.join(map(str, instants))}")
        if key in table:
            raise InputError(f"{where}: appears twice: {key}")
        table[key] = instants if len(instants) > 1 else instants[0]

    def worker(self, index):
        log, suffix = Worker(), f"w{index}"
        common = {"worker": int, "step": int}
        limits = {"worker": self.workers, "step": SERIES}
        for where, row in self.rows(f"{suffix}.step.csv",
                                    {**common, "t_start_ns": int, "t_end_ns": int}, **limits):
            self.put(log.steps, where, row["step"], row["t_start_ns"], row["t_end_ns"])
        for where, row in self.rows(f"{suffix}.tensor.csv",
                                    {**common, "tensor": int, "ps": int, "t_param_req_ns": int,
                                     "t_param_recv_ns": int}, **limits, tensor=len(self.tensors)):
            expected = self.tensors[row["tensor"]].server
            if row["ps"] != expected:
                raise InputError(f"{where}: column 'ps': found {row['ps']}; the model has tensor "
                                 f"'{self.tensors[row['tensor']].name}' on server {expected}")
            self.put(log.tensors, where, (row["step"], row["tensor"]), row["t_param_req_ns"],
                     row["t_param_recv_ns"])
        for where, row in self.rows(f"{suffix}.op.csv",
                                    {**common, "kind": {"fwd", "bwd"}, "layer": int,
                                     "t_start_ns": int, "t_end_ns": int}, **limits,
                                    layer=len(self.layers)):
            self.put(log.ops, where, (row["step"], row["kind"], row["layer"]), row["t_start_ns"],
                     row["t_end_ns"])
        return log

    def server(self, index, arrivals, gradients):
        common = {"worker": int, "step": int, "tensor": int}
        limits = {"worker": self.workers, "step": SERIES, "tensor": len(self.tensors)}
        for where, row in self.rows(f"ps{index}.param.csv", {**common, "t_req_arrive_ns": int},
                                    **limits):
            self.put(arrivals, where, (row["worker"], row["step"], row["tensor"]),
                     row["t_req_arrive_ns"])
        for where, row in self.rows(f"ps{index}.grad.csv",
                                    {**common, "t_recv_ns": int, "t_update_start_ns": int,
                                     "t_update_end_ns": int}, **limits):
            self.put(gradients, where, (row["worker"], row["step"], row["tensor"]),
                     row["t_recv_ns"], row["t_update_start_ns"], row["t_update_end_ns"])


def _present(stem, suffixes, what):
    """Whether the files are there; all or none must be."""
    found = [s for s in suffixes if os.path.exists(f"{stem}.{s}")]
    if found and len(found) < len(suffixes):
        lost = next(s for s in suffixes if s not in found)
        raise InputError(f"{stem}.{lost}: there is no such file, but there is {found[0]}; {what} "
                         "needs all of its files, or none")
    return bool(found)


def read_run(path):
    """Reads the run that a .json file describes, with the files beside it."""
    if not path.endswith(".json"):
        raise InputError(f"{path}: is not a run; accepted is the .json file of a run")
    stem, data, notes = path[:-len(".json")], JsonFile(path), []
    workers = data.number("workers", 1, 10000, whole=True)
    servers = data.number("nps", 1, 1000, 1, whole=True)
    start = data.number("start", 0, 1e9)
    window = data.get("window")
    if not (isinstance(window, list) and len(window) == 2
            and all(isinstance(t, (int, float)) and math.isfinite(t) for t in window)
            and start <= window[0] < window[1]):
        data.fail("window", window, "[begin, end] in seconds, after the start")
    layers, tensors = read_model(stem + ".model", servers)
    logs, files = _Logs(stem, workers, layers, tensors), {}
    for w in range(workers):
        if _present(stem, [f"w{w}.{s}.csv" for s in ("step", "tensor", "op")], f"worker {w}"):
            files[w] = logs.worker(w)
        else:
            notes.append(f"there are no files of worker {w}: it repeats the steps of the others "
                         "and starts where the stagger has it")
    if not files:
        raise InputError(f"{stem}.w0.step.csv: there is no such file, nor any of another worker")
    arrivals, gradients = {}, {}
    present = [_present(stem, [f"ps{p}.{s}.csv" for s in ("param", "grad")], f"server {p}")
               for p in range(servers)]
    for p in range(servers):
        if all(present):
            logs.server(p, arrivals, gradients)
        elif not present[p] and p in {t.server for t in tensors}:
            notes.append(f"there are no files of server {p}: updates last as the model says, "
                         "requests take no time, gradients are not compared")
    summary = data.get("summary.throughput_steps_s", None)
    run = Run(name=os.path.basename(stem), path=path, model_name=data.string("model", "unknown"),
              workers=workers, servers=servers,
              max_steps=data.number("max_steps", 0, SERIES, 0, True),
              update_slots=data.number("update_slots", 0, 10000, 1, True),
              stagger=data.number("stagger_ms", 0, 1e9, 0) / 1e3, start=round(start * 1e9),
              window=(window[0] - start, window[1] - start),
              rate=data.number("net.rate_mbit", 1e-3, 1e7) * 1e6,
              mtu=data.number("net.mtu", 576, 65535, 1500, True),
              qdisc=data.string("net.qdisc", "unknown"),
              switch_queue=data.number("net.limit_sw", 0, 1e15, 0, True),
              congestion=data.string("net.cc", "cubic"),
              summary=summary if isinstance(summary, (int, float)) else None, layers=layers,
              tensors=tensors, logs=files, arrivals=arrivals, gradients=gradients, notes=notes)
    for w in files:
        if not run.complete_steps(w):
            raise InputError(f"{stem}.w{w}.step.csv: worker {w} has no step of which all tensors, "
                             "ops and updates were logged")
    return run
