# Copyright (c) 2026 The dml authors
#
# SPDX-License-Identifier: GPL-2.0-only

"""Timelines of a made-up link and receiver."""

import heapq
import json
import math
import os
import random

WORKER = "/job:worker/replica:0/task:0"
SERVER = "/job:ps/replica:0/task:0"
# Tensor bytes per byte of the capacity of a link of a scenario that says nothing else: segments of
# 1448 bytes in frames of 1502, HTTP/2 frames of 16384 bytes.
PAYLOAD_SHARE = 1448 / 1502 * 16384 / (16384 + 9)
FRAME = 1460  # tensor bytes
EPOCH = 10 ** 15  # microseconds


class Truth:
    """What makes the records of one run."""

    def __init__(self, draw):
        self.rate = 10 ** draw.uniform(7, 9)  # bytes per second
        self.alpha = 10 ** draw.uniform(-1.5, 0.5) / self.rate if draw.random() < 0.9 else 0.0
        self.beta = 10 ** draw.uniform(-5, -3.7)
        self.latency = 10 ** draw.uniform(-5, -3.5)
        self.parallel = draw.random() < 0.5
        self.wire = draw.random() < 0.3
        self.rotates = draw.random() < 0.5
        self.outliers = 0.02 if draw.random() < 0.25 else 0.0
        self.frames = draw.random() < 0.75
        self.noise = 10 ** draw.uniform(-6.5, -4)
        self.steps = draw.randint(1, 20)
        count = draw.randint(6, 30)
        self.sizes = [int(10 ** draw.uniform(2.5, 6.8)) for _ in range(count)]
        transfer = sum(self.sizes) / self.rate
        self.computes = [10 ** draw.uniform(-1.5, 0.5) * transfer / count for _ in range(count)]


class Device:
    """Runs ops first in, first out; with `computes` the forward ops of one step."""

    def __init__(self, truth, seconds):
        self.truth = truth
        self.seconds = seconds

    def run(self, order, last):
        """Ends of parsing by tensor, and start and end of the forward ops."""
        queue = [(last[tensor], i, "parse", tensor) for i, tensor in enumerate(order)]
        heapq.heapify(queue)
        parsed, forward, free = {}, {}, {"own": 0.0, "device": 0.0}
        number, done = len(queue), 0.0
        while queue:
            ready, _, what, tensor = heapq.heappop(queue)
            place = "own" if what == "parse" and self.truth.parallel else "device"
            start = max(ready, free[place])
            length = (self.truth.alpha * self.truth.sizes[tensor] + self.truth.beta
                      if what == "parse" else self.seconds[tensor])
            free[place] = end = start + length
            if what == "parse":
                parsed[tensor] = end
            else:
                forward[tensor], done = (start, end), end
            # A forward op needs its tensor and the op before it, in the order of the model.
            for layer in range(len(self.seconds)):
                if layer in forward:
                    continue
                if layer in parsed and (layer == 0 or layer - 1 in forward) and not any(
                        item[2] == "forward" for item in queue):
                    number += 1
                    heapq.heappush(queue, (max(parsed[layer], done), number, "forward", layer))
                break
        return parsed, forward


def make_step(truth, draw, number):
    """Order, last bytes, ends, and times of the forward ops of one step, in seconds."""
    order = list(range(len(truth.sizes)))
    if truth.rotates and number > 0:
        draw.shuffle(order)
    sent, last = draw.uniform(0, FRAME), {}
    total = sent + sum(truth.sizes)
    for tensor in order:
        sent += truth.sizes[tensor]
        # Only full frames are sent, but for the last one.
        seen = min(total, math.ceil(sent / FRAME) * FRAME) if truth.frames else sent
        last[tensor] = truth.latency + seen / truth.rate
    seconds = [each * draw.uniform(0.9, 1.1) for each in truth.computes]
    parsed, forward = Device(truth, seconds).run(order, last)
    ends = {}
    for tensor in order:
        late = draw.expovariate(1 / (20 * truth.noise + 1e-4)) if draw.random() < truth.outliers else 0
        # No record ends before the last byte has come.
        ends[tensor] = max(last[tensor], parsed[tensor] + draw.gauss(0, truth.noise) + late)
    return order, last, ends, forward


def write_timeline(path, truth, start, step):
    """The step as TensorFlow's timeline writes it, with exact sizes in the labels."""
    order, _, ends, forward = step

    def event(pid, begin, end, args):
        first, second = round(1e6 * begin), round(1e6 * end)
        return {"ph": "X", "cat": "Op", "name": args["op"], "pid": pid, "tid": 0,
                "ts": EPOCH + first, "dur": second - first, "args": args}
    events = [{"name": "process_name", "ph": "M", "pid": pid, "args": {"name": name}}
              for pid, name in ((1, WORKER + "/device:CPU:0 Compute"),
                                (3, SERVER + "/device:CPU:0 Compute"))]
    for tensor in order:
        name = f"t{tensor}"
        events.append(event(3, start, start, {"name": name + "/read", "op": "Identity",
                                              "input0": name}))
        label = (f"[{truth.sizes[tensor]}B] edge_{tensor}_{name}/read from {SERVER}/device:CPU:0 to "
                 f"{WORKER}/device:CPU:0")
        events.append(event(1, start, start + ends[tensor], {
            "name": "RecvTensor", "op": "RecvTensor", "tensor": name + "/read", "label": label}))
    for layer, (begin, end) in sorted(forward.items()):
        args = {"name": f"f{layer}", "op": "MatMul", "input0": f"t{layer}/read"}
        if layer:
            args["input1"] = f"f{layer - 1}"
        events.append(event(1, start + begin, start + end, args))
    with open(path, "w", encoding="utf-8") as file:
        json.dump({"traceEvents": events}, file)


def run(program, folder, number):
    """Make, fit and compare one run."""
    draw = random.Random(1000003 * number + 17)
    truth = Truth(draw)
    wire = os.path.join(folder, "wire.csv")
    files, rows, start = [], ["tensor,direction,step,last_byte"], 0.0
    for step in range(truth.steps):
        made = make_step(truth, draw, step)
        order, last, ends, forward = made
        files.append(os.path.join(folder, f"step{step}.timeline.json"))
        write_timeline(files[-1], truth, start, made)
        # Times of the wire count on the clock of the records, in whole microseconds there.
        begin = EPOCH + round(1e6 * start)
        for tensor in order:
            seen = begin + int(1e6 * last[tensor])
            rows.append(f"t{tensor},downlink,{step},{seen // 10 ** 6}.{seen % 10 ** 6:06d}")
        start += max([*ends.values(), *(end for _, end in forward.values())]) + 0.01
    arguments = ["tf-timeline", *files]
    if truth.wire:
        with open(wire, "w", encoding="utf-8") as file:
            file.write("\n".join(rows) + "\n")
        arguments += ["--wire", wire]
    keys = program.fit({"rate": 8e-3 * truth.rate / PAYLOAD_SHARE, "alpha": truth.alpha,
                        "beta": truth.beta}, *arguments)
    return {**keys, "truth": truth.parallel}
