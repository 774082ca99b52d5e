# Copyright (c) 2026 The dml authors
#
# SPDX-License-Identifier: GPL-2.0-only

"""`dml import horovod`: buffers that Horovod made of the gradients of each step, from the timeline that it writes.

Cycles and buffers are those of the oracle `horovod`, for one step after the other: what all workers have when a cycle begins is
reduced, successive gradients as one buffer of at most the threshold. The file has the events of Horovod's manual ("Analyze
Performance"): for each tensor the negotiation with a mark for each worker, then ALLREDUCE with what is done in it, the end with
type and shape. All gradients of a buffer begin, wait for data and are copied together. On a GPU what is done is written by another
thread, while the next buffers begin already.
"""

import collections
import json
import os
import random
import re

from oracles.comparison import compare_numbers
from oracles.program import Outcome, run, write_json

NAME = "horovodfiles"
TABLES = ()
# Starts the program for every case.
SHARE = 0.3


def draw(random):  # pylint: disable=W0621
    count = random.randint(1, 7)
    sizes = {f"layer{number}.weight": 4 * random.randint(1, 500_000) for number in range(count)}
    return {"_sizes": sizes, "_workers": random.randint(1, 4), "_steps": random.randint(2, 8),
            "_cycle": random.randint(500, 6000), "_waits": random.random() < 0.5,
            "_threshold": random.choice((0, random.randint(4, 4_000_000), 1 << 27)),
            "_bytes_per_us": random.randint(50, 1000), "_backend": random.choice(("NCCL", "NCCL", "MPI", "GLOO")),
            "_cache": random.random() < 0.5, "_jitter": random.choice((0, 300, 3000)), "_seed": random.randint(0, 1 << 30)}


class Timeline:
    """What Horovod writes, and the buffers that it made."""

    def __init__(self, case):
        self.case = case
        self.random = random.Random(case["_seed"])
        self.events, self.pids = [], {}
        # By step: rows (tensors, us when the last of them was there, when the exchange began, when it ended).
        self.buffers = []
        now = 1000
        for _ in range(case["_steps"]):
            self.buffers.append([])
            now = self.write_step(now) + self.random.randint(5000, 50000)
        self.events.sort(key=lambda event: event[0])

    def put(self, when, tensor, **event):
        """Events of the same time stay in their order."""
        if tensor not in self.pids:
            self.pids[tensor] = len(self.pids) + 1
            self.events.append((when, {"name": "process_name", "ph": "M", "pid": self.pids[tensor], "args": {"name": tensor}}))
        self.events.append((when, {**event, "ts": when, "pid": self.pids[tensor]}))

    def begin(self, when, tensors, name):
        for tensor in tensors:
            self.put(when, tensor, ph="B", name=name)

    def end(self, when, tensors, **more):
        for tensor in tensors:
            self.put(when, tensor, ph="E", **more)

    def write_step(self, now):
        """One step's gradients, in an order that all workers share; returns the time at which the last one is reduced."""
        case, ready, time = self.case, {}, now
        for tensor in case["_sizes"]:
            time += self.random.randint(10, 1500)
            ready[tensor] = [time + self.random.randint(0, case["_jitter"]) for _ in range(case["_workers"])]
        free, begun = now, now
        left = list(ready)
        while left:
            there = [tensor for tensor in left if max(ready[tensor]) <= begun]
            begins = begun
            for tensors in self.fuse(there):
                begins, free = self.write_buffer(tensors, ready, begins, free)
            left = [tensor for tensor in left if tensor not in there]
            begun = max(begun + case["_cycle"], free if case["_waits"] or case["_backend"] != "NCCL" else 0)
        return free

    def fuse(self, tensors):
        buffers = []
        for tensor in tensors:
            held = sum(self.case["_sizes"][one] for one in buffers[-1]) if buffers else 0
            if buffers and held + self.case["_sizes"][tensor] <= self.case["_threshold"]:
                buffers[-1].append(tensor)
            else:
                buffers.append([tensor])
        return buffers

    def write_buffer(self, tensors, ready, begins, free):
        """Returns when the next buffer may begin, and when this one's exchange has ended."""
        case = self.case
        cached = case["_cache"] and len(self.buffers) > 1
        for tensor in tensors:
            self.begin(min(ready[tensor]), [tensor], "NEGOTIATE_ALLREDUCE")
            # What is in the cache of answers is not reported.
            for worker, when in [] if cached else sorted(enumerate(ready[tensor]), key=lambda one: one[1]):
                self.put(when, tensor, ph="X", name=str(worker), dur=0)
            self.end(max(ready[tensor]), [tensor])
        begins += 1
        self.begin(begins, tensors, "ALLREDUCE")
        if case["_backend"] == "NCCL":
            self.begin(begins, tensors, "WAIT_FOR_DATA")
            self.end(begins, tensors)
        start = max(begins, free)
        fused = len(tensors) > 1
        if fused:
            self.begin(start, tensors, "MEMCPY_IN_FUSION_BUFFER")
            start += 7
            self.end(start, tensors)
        end = start + 20 + sum(case["_sizes"][one] for one in tensors) // case["_bytes_per_us"]
        self.begin(start, tensors, case["_backend"] + "_ALLREDUCE")
        self.end(end, tensors)
        over = end
        if fused:
            self.begin(over, tensors, "MEMCPY_OUT_FUSION_BUFFER")
            over += 5
            self.end(over, tensors)
        for tensor in tensors:
            self.end(over, [tensor], args={"dtype": "float32", "shape": f"[{case['_sizes'][tensor] // 4}]"})
        # When the first worker, which writes the file, had all; or any one, where none reports.
        there = max(min(ready[tensor]) if cached else ready[tensor][0] for tensor in tensors)
        self.buffers[-1].append((tuple(tensors), there, start, end))
        # A GPU computes on while it is told more; the others come back when it is done.
        return (begins if case["_backend"] == "NCCL" else over), over


def expect(case):
    return Timeline(case)


def profile_of(case):
    names = list(case["_sizes"])
    ops = [{"name": "pull/" + name, "kind": "pull", "tensor": name} for name in names]
    ops.append({"name": "forward", "kind": "forward", "deps": [op["name"] for op in ops], "seconds": 0.02})
    before = "forward"
    for name in names:
        ops.append({"name": "backward/" + name, "kind": "backward", "deps": [before], "seconds": 0.001})
        ops.append({"name": "push/" + name, "kind": "push", "tensor": name, "deps": ["backward/" + name]})
        before = "backward/" + name
    return {"schema": "dml-profile/1", "model": "random", "batch_size": 8, "ops": ops,
            "tensors": [{"name": name, "bytes": size} for name, size in case["_sizes"].items()]}


def run_cases(folder, cases, _):
    outcomes = []
    for number, case in enumerate(cases):
        write_json(folder, f"profile{number}.yaml", profile_of(case))
        write_json(folder, f"timeline{number}.json", [event for _, event in Timeline(case).events])
        outcome = Outcome()
        outcome.text = run(["import", "horovod", f"timeline{number}.json", "--profile", f"profile{number}.yaml",
                            "-o", f"imported{number}.yaml"], folder)
        with open(os.path.join(folder, f"imported{number}.yaml"), encoding="utf-8") as file:
            outcome.buckets = re.findall(r"- \{bytes: (\d+), tensors: \[([^]]*)\], recorded: \[([^]]*)\], transfer: \[([^]]*)\]",
                                         file.read())
        outcomes.append(outcome)
    return outcomes


def compare(case, timeline, outcome):
    """Buffers are those of most steps, with the times of these steps."""
    differences = []
    steps = [tuple(row[0] for row in rows) for rows in timeline.buffers]
    # In which order buffers come is another thing than what they are.
    counts = collections.Counter(frozenset(buffers) for buffers in steps)
    found = [tuple(name.strip() for name in names.split(",")) for _, names, _, _ in outcome.buckets]
    most = max(counts.values())
    if counts.get(frozenset(found)) != most or len(set(found)) != len(found):
        differences.append(f"buffers: found {found}; there were {counts}")
        return differences
    told = re.search(r"buckets: those of most steps, as Horovod fuses what is\s+ready \((\d+) of (\d+)", " ".join(outcome.text.split()))
    compare_numbers("steps with these buffers", most, told.group(1), differences)
    compare_numbers("steps", len(steps), told.group(2), differences)
    same = [rows for rows, buffers in zip(timeline.buffers, steps) if frozenset(buffers) == frozenset(found)]
    for (size, *_, recorded, transfer), names in zip(outcome.buckets, found):
        compare_numbers(f"bytes of {names}", sum(case["_sizes"][name] for name in names), size, differences)
        rows = [next(row for row in rows if row[0] == names) for rows in same]
        for what, text, expected in (("transfer", transfer, [end - start for _, _, start, end in rows]),
                                     ("recorded", recorded, [end - there for _, there, _, end in rows])):
            values = [float(one) for one in text.split(",")]
            compare_numbers(f"{what} of {names}: values", len(expected), len(values), differences)
            for one, other in zip(expected, values):
                compare_numbers(f"{what} of {names}", one / 1e6, other, differences, rounding=1e-9)
    compare_range(steps, outcome.text, differences)
    return differences


def compare_range(steps, text, differences):
    """Where steps differ, how many buffers they have, and how large the largest is."""
    words = " ".join(text.split())
    told = re.search(r"; all steps: (\d+) to (\d+) buckets", words)
    if len({frozenset(buffers) for buffers in steps}) == 1:
        if told:
            differences.append("a range of buckets where all steps have the same")
        return
    if not told:
        differences.append("no range of buckets, though steps differ")
        return
    counts = [len(buffers) for buffers in steps]
    compare_numbers("fewest buckets", min(counts), told.group(1), differences)
    compare_numbers("most buckets", max(counts), told.group(2), differences)


def perturb(random, outcome):  # pylint: disable=W0621
    """A bucket of another size, or another time."""
    index = random.randrange(len(outcome.buckets))
    size, names, recorded, transfer = outcome.buckets[index]
    if random.random() < 0.5:
        size = str(int(size) + 4)
    else:
        transfer = ",".join(str(float(one) + 1e-6) for one in transfer.split(","))
    outcome.buckets = [*outcome.buckets[:index], (size, names, recorded, transfer), *outcome.buckets[index + 1:]]
    return True
