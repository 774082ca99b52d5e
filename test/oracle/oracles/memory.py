# Copyright (c) 2026 The dml authors
#
# SPDX-License-Identifier: GPL-2.0-only

"""What a training step holds in memory, from the definitions of doc/memory.rst ("What lives when"), by live ranges.

A live range is something with its bytes, and the first and last op while it is there. What is there while an op runs is
the sum of all whose range the op is in.
"""

import os
import re

from oracles import random_jobs
from oracles.comparison import compare_numbers
from oracles.program import Outcome, read_table, run, write_json
from oracles.simulator import COMPUTE, DeviceQueue, Simulator, make_plan

NAME = "memory"
TABLES = ()
PARTS = ("parameters", "optimizer_state", "input", "gradients", "activations", "workspace")
BATCH = 8


def draw(random):
    """A profile whose backward ops wait for the forward op of their layer, and one way to train."""
    profile = {"schema": "dml-profile/3", "model": "random", "batch_size": BATCH, "tensors": [], "ops": [],
               "input_bytes": random.choice((0, bytes_of(random))), "resident_bytes": random.choice((0, 12345))}
    layers = random.randint(2, 7)
    branches = random.random() < 0.4
    forward, backward, pulls = [], [], []
    readers = {layer: [] for layer in range(layers)}
    for layer in range(layers):
        own = [f"t{layer}.{index}" for index in range(random.choice((0, 1, 1, 2)))]
        for name in own:
            profile["tensors"].append({"name": name, "bytes": random.randint(1, 100000)})
            pulls.append({"name": "pull/" + name, "kind": "pull", "tensor": name})
        reads = [layer - 1] if layer else []
        if branches and layer > 1 and random.random() < 0.5:
            reads.append(random.randint(0, layer - 2))
        for other in reads:
            readers[other].append(layer)
        forward.append({"name": f"forward/{layer}", "kind": "forward", "seconds": milliseconds(random),
                        "deps": ["pull/" + name for name in own] + [f"forward/{other}" for other in reads],
                        "activation_bytes": random.choice((8, bytes_of(random))), "output_bytes": bytes_of(random),
                        "workspace_bytes": random.choice((0, bytes_of(random)))})
        after = [f"backward/{reader}" for reader in readers[layer]]
        backward.append((layer, own, after))
    ops = pulls + forward
    for layer, own, _ in reversed(backward):
        after = [f"backward/{reader}" for reader in readers[layer]]
        ops.append({"name": f"backward/{layer}", "kind": "backward", "deps": [f"forward/{layer}"] + after,
                    "seconds": milliseconds(random), "workspace_bytes": random.choice((0, bytes_of(random)))})
        for name in own:
            ops.append({"name": "add/" + name, "kind": "backward", "deps": [f"backward/{layer}"],
                        "seconds": milliseconds(random), "workspace_bytes": random.choice((0, bytes_of(random)))})
            ops.append({"name": "push/" + name, "kind": "push", "tensor": name, "deps": ["add/" + name]})
    if not profile["tensors"]:
        return draw(random)
    profile["ops"] = ops
    case = {"profile": profile, "_batch": BATCH * random.choice((1, 1, 2, 3)), "_passes": 1, "_begins": None,
            "_optimizer": random.choice(("sgd", "momentum", "adam"))}
    way = random.choice(("plain", "passes", "segments"))
    if way == "passes":
        case["_passes"] = random.choice((2, 4))
    elif way == "segments":
        # Those with which all but the first segment begin.
        names = [op["name"] for op in forward[1:]]
        case["_begins"] = sorted(random.sample(names, random.randint(1, len(names))), key=names.index)
    return case


def bytes_of(random):
    """A number that is whole for every batch size in use."""
    return BATCH * random.randint(1, 20000)


def milliseconds(random):
    return random.randint(1, 50) / 1000


def execution_order(profile):
    """Names of the compute ops in the order in which a worker runs them that waits for no network."""
    plan = [op for op in make_plan({**profile, "ops": [without_pulls(op) for op in profile["ops"]
                                                        if op["kind"] in COMPUTE]}, 1)]
    started = []

    class Recorder(Simulator):
        def serve(self, key):
            before = set(map(id, self.running))
            super().serve(key)
            started.extend(one for one in self.running if id(one) not in before)

        def finish_op(self, task, key):
            names.append(task.op.name)
            super().finish_op(task, key)

    names = []
    Recorder(plan, 1, 1, queues=lambda resource: DeviceQueue(), rates=lambda flows: [],
             samples=lambda worker, step: 0).run()
    return names


def without_pulls(op):
    return {**op, "deps": [name for name in op.get("deps", []) if name.split("/")[0] not in ("pull", "push", "update")]}


def expect(case):
    """Rows (part, name, bytes, first, last), the ops in their order, and seconds of compute."""
    profile = case["profile"]
    ops = {op["name"]: op for op in profile["ops"]}
    order = [(name, False) for name in execution_order(profile)]
    segments = segment_of_ops(case, [name for name, _ in order if ops[name]["kind"] == "forward"])
    order = with_recomputation(order, ops, segments)
    place = {}
    for number, one in enumerate(order):
        place[one] = number
    last = len(order) - 1
    scale = case["_batch"] / case["_passes"] / BATCH
    ranges = always(case, scale, last)
    ranges += gradients(case, ops, order, place, last)
    ranges += kept(ops, order, place, segments, scale)
    seconds = 0.0
    for name, again in order:
        time = ops[name]["seconds"]
        # Adding up gradients does not depend on the batch, and is done in every pass.
        seconds += time * (case["_passes"] if name.startswith("add/") else case["_batch"] / BATCH)
    return {"ranges": ranges, "order": order, "seconds": seconds}


def segment_of_ops(case, forward):
    """The number of each forward op's segment; None without recomputation."""
    if case["_begins"] is None:
        return None
    segments, number = {}, 0
    for name in forward:
        if name in case["_begins"]:
            number += 1
        segments[name] = number
    return segments


def backward_ops(ops, name):
    """The backward ops that depend on a forward op."""
    return [op["name"] for op in ops.values() if op["kind"] == "backward" and name in op["deps"]]


def with_recomputation(order, ops, segments):
    """The forward ops of each segment but the last once more, when the backward pass comes to it."""
    if segments is None:
        return order
    final = max(segments.values())
    result, done = [], {final}
    for name, _ in order:
        if ops[name]["kind"] == "backward":
            for other in ops[name]["deps"]:
                segment = segments.get(other)
                if segment is not None and segment not in done:
                    done.add(segment)
                    result += [(one, True) for one, _ in order if segments.get(one) == segment]
        result.append((name, False))
    return result


def always(case, scale, last):
    profile = case["profile"]
    values = {"sgd": 0, "momentum": 1, "adam": 2}[case["_optimizer"]]
    rows = []
    for tensor in profile["tensors"]:
        rows.append(("parameters", tensor["bytes"], 0, last))
        rows.append(("optimizer_state", values * tensor["bytes"], 0, last))
    rows.append(("parameters", profile["resident_bytes"], 0, last))
    rows.append(("input", profile["input_bytes"] * scale, 0, last))
    return rows


def gradients(case, ops, order, place, last):
    """From the first backward op of a layer that reads the parameter to the end of the step."""
    rows = []
    for tensor in case["profile"]["tensors"]:
        layers = [op["name"] for op in ops.values() if op["kind"] == "forward" and "pull/" + tensor["name"] in op["deps"]]
        begin = min(place[name, False] for layer in layers for name in backward_ops(ops, layer))
        if case["_passes"] == 1:
            rows.append(("gradients", tensor["bytes"], begin, last))
        else:
            added = place["add/" + tensor["name"], False]
            rows += [("gradients", tensor["bytes"], 0, last), ("gradients", tensor["bytes"], begin, added)]
    return rows


def kept(ops, order, place, segments, scale):
    """Activations and workspaces."""
    rows = []
    final = max(segments.values()) if segments else None
    for name, again in order:
        op, now = ops[name], place[name, again]
        rows.append(("workspace", op.get("workspace_bytes", 0) * scale, now, now))
        if op["kind"] != "forward":
            continue
        activation = op["activation_bytes"] * scale
        until = max(place[one, False] for one in backward_ops(ops, name))
        if segments is None or segments[name] == final or again:
            rows.append(("activations", activation, now, until))
        else:
            # What it would keep is there while it runs; inputs from its own segment are a part of that.
            inputs = sum(ops[one]["output_bytes"] * scale for one in op["deps"]
                         if segments.get(one) == segments[name])
            rows.append(("workspace", max(0, activation - inputs), now, now))
            inside = [place[one, False] for one in readers(ops, name) if segments[one] == segments[name]]
            if inside and not any(segments[one] > segments[name] for one in readers(ops, name)):
                rows.append(("activations", op["output_bytes"] * scale, now + 1, max(inside)))
        later = [one for one in readers(ops, name) if segments and segments[one] > segments[name]]
        if later and not again:
            # The output that later segments read, from when this op has ended until the segments that read it are done.
            reading = {segments[one] for one in later}
            needed = max(place[one, False] for other in segments if segments[other] in reading
                         for one in backward_ops(ops, other))
            rows.append(("activations", op["output_bytes"] * scale, now + 1, needed))
        if later and again:
            # The gradients of a segment's outputs, beside which its ops run again.
            for one, repeated in order:
                if repeated and segments[one] == segments[name]:
                    rows.append(("workspace", op["output_bytes"] * scale, place[one, True], place[one, True]))
    return rows



def readers(ops, name):
    return [op["name"] for op in ops.values() if op["kind"] == "forward" and name in op["deps"]]


def run_cases(folder, cases, _):
    """The command takes one profile at a time."""
    outcomes = []
    for number, case in enumerate(cases):
        name = f"case{number}"
        write_json(folder, name + ".yaml", case["profile"])
        options = ["--batch", str(case["_batch"]), "--optimizer", case["_optimizer"], "--out", name]
        if case["_passes"] > 1:
            options += ["--accumulate", str(case["_passes"])]
        if case["_begins"]:
            options += ["--recompute", "--segments", ",".join(case["_begins"])]
        outcome = Outcome()
        outcome.text = run(["memory", name + ".yaml", *options], folder)
        for table in ("memory", "live-ranges"):
            outcome.tables[table] = read_table(os.path.join(folder, name, table + ".csv"))
        outcomes.append(outcome)
    return outcomes


def compare(case, expected, outcome):
    differences = []
    rows = outcome.rows("memory")
    found = [(row["op"], row["again"] == "1") for row in rows]
    if found != expected["order"]:
        return [f"order of ops: expected {expected['order']}, found {found}"]
    peak = 0
    for number, row in enumerate(rows):
        total = 0
        for part in PARTS:
            size = sum(size for name, size, first, last in expected["ranges"]
                       if name == part and first <= number <= last)
            compare_numbers(f"{part} while {found[number]} runs", size, row[part], differences)
            total += size
        compare_numbers(f"total while {found[number]} runs", total, row["total"], differences)
        peak = max(peak, total)
    compare_numbers("peak, MB", peak / 1e6, re.search(r"peak ([0-9.]+) MB", outcome.text).group(1), differences,
                    rounding=0.0501)
    compare_numbers("bytes in live-ranges.csv",
                    sum(size * (last - first + 1) for _, size, first, last in expected["ranges"]),
                    sum(int(row["bytes"]) * (int(row["last"]) - int(row["first"]) + 1)
                        for row in outcome.rows("live-ranges")), differences)
    compare_numbers("compute, ms", expected["seconds"] * 1e3, compute_time(case, outcome.text), differences,
                    rounding=0.0501)
    return differences


def compute_time(case, text):
    """The line of the way to train that was asked for."""
    start = "as it is"
    if case["_passes"] > 1:
        start = f"accumulate, {case['_passes']} passes"
    elif case["_begins"]:
        start = f"recompute, {len(case['_begins']) + 1} segments"
    return re.search(rf"^{start}.*%\s+([0-9.]+)\s+\S+ %$", text, re.MULTILINE).group(1)


def perturb(random, outcome):
    """A byte more of one part, or a live range that ends one op later."""
    if random.random() < 0.5:
        row = random.choice(outcome.rows("memory"))
        part = random.choice(PARTS)
        row[part] = str(int(row[part]) + 1)
    else:
        row = random.choice([row for row in outcome.rows("live-ranges") if row["bytes"] != "0"])
        row["last"] = str(int(row["last"]) + 1)
