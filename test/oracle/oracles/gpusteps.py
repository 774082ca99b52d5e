# Copyright (c) 2026 The dml authors
#
# SPDX-License-Identifier: GPL-2.0-only

"""Lengths of a GPU's steps in traces of PyTorch's profiler, which sees a part of a run only (doc/importing.rst, Steps of a GPU).

A run is simulated from its first step on: a host that loads data, launches kernels and may wait for the GPU, and a GPU with
streams that serve kernels in order. So it is known when the GPU had done each step, also the one before the first that the
trace has. The trace then loses kernels, or has some that are too long.

A step lasts from the end of the last kernel of the step before to the end of its own last kernel, which is exact. Of a step
whose predecessor the trace does not have it is exact if its first kernel had to wait for that, or the last kernel of that can be
seen. Else the trace tells only that the step before had ended; then the step has to begin as other steps of the trace do, neither
sooner nor later than any of them, and at its first kernel at the latest.
"""

import json
import os
import re

from oracles.comparison import compare_numbers
from oracles.program import Outcome, run, write_json

NAME = "gpusteps"
TABLES = ()
SHARE = 0.4  # each case starts the program twice
US = 1000
LATENCY = 8 * US  # ns from a call to the start of its kernel on a free GPU
MAIN, SIDE, COPY, COLLECTIVE, BESIDE = 7, 20, 13, 15, 21


def draw(random):
    """A run, as a list of steps of calls, and what the profiler sees and loses of it."""
    layers = random.randint(1, 4)
    mode = random.choice(("host", "gpu", "gpu", "mixed", "synchronous"))
    forward = [random.randint(500, 4000) for _ in range(layers)]
    update = random.randint(100, 500)
    work = sum(forward) * 3 + update * layers
    case = {
        "mode": mode,
        "layers": layers,
        "forward": forward,
        "update": update,
        "side": mode != "mixed" and random.random() < 0.3,
        "prefetch": random.random() < 0.3,
        "collective": random.choice((0, 0, random.randint(200, 2000))),
        "beside": mode == "gpu" and random.random() < 0.3,
        "jitter": mode == "mixed" or random.random() < 0.5,
        "ahead": random.randint(1, 4),
        "load": random.choice((0, random.randint(100, 3000))),
        "rest": 0,
        "first": random.choice((0, 1, 3, 6)),
        "count": random.randint(4, 7),
        "before": random.random() < 0.2,
        "teardown": random.choice((0, 0, 0, random.randint(1000, 100000))),
        "lost": random.choice(("", "", "", "last", "last half", "first", "long kernel", "overlap")),
        "seed": random.randrange(1 << 30),
    }
    case["skip"] = random.randint(2, case["count"] - 2)
    # What the host does besides: much where it is slower than the GPU, nothing where the GPU is.
    if mode == "host":
        case["rest"] = 2 * work + random.randint(0, 3000)
    elif mode == "mixed":
        case["rest"] = int(work * random.uniform(0.4, 1.2))
    return case


class Recorder:
    """What a profiler writes of a run: times in ns, written as us."""

    def __init__(self):
        self.events = []
        self.kernels = []  # (step, stream, event)

    def host(self, category, name, thread, start, end, **arguments):
        self.events.append({"ph": "X", "cat": category, "name": name, "pid": 9, "tid": thread, "ts": start / 1000,
                            "dur": (end - start) / 1000, "args": arguments})
        return self.events[-1]


class Machine:
    """A host and its GPU. Streams serve in order; a kernel also waits for other kernels that it is told of."""

    def __init__(self, recorder):
        self.recorder = recorder
        self.free = {}
        self.correlation = 100
        self.external = 1

    def op(self, name, thread, start, length, **arguments):
        self.external += 1
        return self.recorder.host("cpu_op", name, thread, start, start + length, **{"External id": self.external}, **arguments)

    def launch(self, step, time, stream, length, name="kernel", waits=(), thread=1):
        """Returns the end of the kernel, ns."""
        self.correlation += 1
        self.recorder.host("cuda_runtime", "cudaLaunchKernel", thread, time, time + 3 * US, correlation=self.correlation)
        start = max([time + LATENCY, self.free.get(stream, 0), *waits])
        event = {"ph": "X", "cat": "kernel", "name": name, "pid": 0, "tid": stream, "ts": start / 1000, "dur": length / 1000,
                 "args": {"device": 0, "stream": stream, "correlation": self.correlation}}
        self.recorder.kernels.append((step, stream, event))
        self.free[stream] = start + length
        return start + length


def simulate(case):
    """Returns the recorder, and for each step when the host began and ended it, and when its last kernel ended."""
    from random import Random
    random = Random(case["seed"])
    recorder = Recorder()
    machine = Machine(recorder)
    host = 5_000_000_000_000
    ready = 0  # when the data of the next step are on the GPU
    steps = []
    for step in range(case["first"] + case["count"]):
        begin = host
        vary = (lambda: random.uniform(0.8, 1.25)) if case["jitter"] else (lambda: 1)
        host += int(case["load"] * US * vary()) + 20 * US
        # The queue of launches is full.
        if step >= case["ahead"]:
            host = max(host, steps[step - case["ahead"]][2])
        done = []
        if case["prefetch"]:
            data, ready = ready, machine.launch(step, host, COPY, 50 * US, "Memcpy HtoD")
            host += 10 * US
        else:
            data = 0
        for layer in range(case["layers"]):
            length = int(case["forward"][layer] * US * vary())
            machine.op("aten::linear", 1, host, 40 * US, **{"Sequence number": 1000 * step + layer, "Fwd thread id": 0,
                                                            "Input Dims": [[8, 16 + layer], [16 + layer, 4], [4]],
                                                            "Input type": ["float", "float", "float"]})
            done.append(machine.launch(step, host + 10 * US, MAIN, length, waits=(data,)))
            if case["side"] and layer == 0:
                # A branch beside the main stream, which what follows waits for.
                data = machine.launch(step, host + 20 * US, SIDE, length // 2, waits=(done[-1],))
                done.append(data)
            host += 50 * US
        for layer in reversed(range(case["layers"])):
            length = int(2 * case["forward"][layer] * US * vary())
            name = "AddmmBackward0"
            arguments = {"Sequence number": 1000 * step + layer, "Fwd thread id": 1}
            machine.op("autograd::engine::evaluate_function: " + name, 2, host, 45 * US, **arguments)
            machine.op(name, 2, host + US, 40 * US, **arguments)
            done.append(machine.launch(step, host + 10 * US, MAIN, length, waits=(data,), thread=2))
            host += 50 * US
            for shape in ([16 + layer, 4], [4]):
                name = "torch::autograd::AccumulateGrad"
                machine.op("autograd::engine::evaluate_function: " + name, 2, host, 8 * US)
                machine.op(name, 2, host + US, 6 * US, **{"Input Dims": [shape], "Input type": ["float"]})
                host += 10 * US
        reduced = 0
        if case["collective"]:
            machine.external += 1
            recorder.host("user_annotation", "nccl:all_reduce", 2, host, host + 20 * US, **{"External id": machine.external})
            reduced = machine.launch(step, host + 10 * US, COLLECTIVE, int(case["collective"] * US * vary()),
                                     "ncclDevKernel_AllReduce_Sum_f32", waits=(done[-1],), thread=2)
            done.append(reduced)
            host += 30 * US
        start = host
        for _ in range(case["layers"]):
            machine.op("aten::add_", 1, host + US, 20 * US)
            done.append(machine.launch(step, host + 5 * US, MAIN, case["update"] * US, waits=(reduced,)))
            host += 30 * US
        recorder.host("user_annotation", "Optimizer.step#SGD.step", 1, start, host)
        if case["beside"]:
            # It takes longer than the host may be late, and so runs beside the next step.
            machine.op("aten::copy_", 1, host, 20 * US)
            length = int(0.8 * (sum(case["forward"]) * 3 + case["update"] * case["layers"])) * US
            machine.launch(step, host + 5 * US, BESIDE, length, "Memcpy DtoH", waits=(done[-1],))
            host += 30 * US
        host += int(case["rest"] * US * vary())
        if case["mode"] == "synchronous":
            host = max(host, max(done) + 5 * US)
        steps.append((begin, host, max(done)))
    return recorder, steps


def damage(case, recorder, steps):
    """Returns the trace, and the steps whose kernels are missing."""
    first, last = case["first"], case["first"] + case["count"] - 1
    begin = steps[first][0]
    events = [event for event in recorder.events if event["ts"] * 1000 >= begin]
    kernels = [one for one in recorder.kernels if one[0] >= first - case["before"]]
    missing = set()
    lost = case["lost"]
    if lost in ("last", "last half", "first"):
        step = first if lost == "first" else last
        missing = {step}
        own = [one for one in kernels if one[0] == step]
        keep = own[:len(own) // 2] if lost == "last half" else []
        kernels = [one for one in kernels if one[0] != step or one in keep]
    if lost == "long kernel":
        # Not the last one of a step, the end of which nothing else tells.
        main = [one for one, following in zip(kernels, kernels[1:]) if one[1] == MAIN and one[0] == following[0] < last]
        main[len(main) // 2][2]["dur"] += 1.6e6
    for step in range(first, last + 1):
        start, end, _ = steps[step]
        end += 1000 if lost == "overlap" and step < last else 0
        end += case["teardown"] * 1000 if step == last else 0
        events.append({"ph": "X", "cat": "user_annotation", "name": f"ProfilerStep#{step}", "pid": 9, "tid": 1,
                       "ts": start / 1000, "dur": (end - start) / 1000, "args": {}})
    trace = {"schemaVersion": 1, "deviceProperties": [{"id": 0, "name": "a GPU"}],
             "traceEvents": events + [one[2] for one in kernels]}
    return trace, missing


def find_bounds(case, recorder, steps, missing, step):
    """Returns when the earliest and the latest `step` may begin whose predecessor the trace does not have."""
    first, last = case["first"], case["first"] + case["count"] - 1
    begin = steps[step][0]
    calls = {event["args"]["correlation"]: event for event in recorder.events if event["cat"] == "cuda_runtime"}
    kernel = min((one[2] for one in recorder.kernels if one[0] == step and one[1] == MAIN), key=lambda event: event["ts"])
    call = calls[kernel["args"]["correlation"]]
    start = round(kernel["ts"] * 1000)
    waited = start - round((call["ts"] + call["dur"]) * 1000)
    if step > 0 and waited > 1_000_000:
        return steps[step - 1][2], steps[step - 1][2]
    if step == first > 0 and case["before"] and steps[step - 1][2] >= begin:
        return steps[step - 1][2], steps[step - 1][2]
    lags = [steps[other - 1][2] - steps[other][0] for other in range(first + 1, last + 1) if other - 1 not in missing]
    if step == first > 0 and case["before"]:
        lags.append(steps[step - 1][2] - begin)
    # The call says when the host had queued the kernel, which the GPU starts some microseconds later.
    latest = start if waited > LATENCY else min(begin + max(lags), start)
    return min(begin + min(lags), start), latest


def expect(case):
    """Steps that count, and the least and the largest mean of their lengths, by the number of steps that are skipped."""
    recorder, steps = simulate(case)
    _, missing = damage(case, *simulate(case))
    first, last = case["first"], case["first"] + case["count"] - 1
    found = {}
    for skip in (0, case["skip"]):
        kept = [step for step in range(first + skip, last + 1) if step not in missing]
        bounds = [find_bounds(case, recorder, steps, missing, step) if step == first or step - 1 in missing
                  else (steps[step - 1][2], steps[step - 1][2]) for step in kept]
        least, most = (sum(steps[step][2] - bound[which] for step, bound in zip(kept, bounds)) / len(kept) / 1e9
                       for which in (1, 0))
        found[skip] = (len(kept), least, most)
    return found


def run_cases(folder, cases, _):
    outcomes = []
    for number, case in enumerate(cases):
        name = f"case{number}.json"
        trace, _ = damage(case, *simulate(case))
        write_json(folder, name, trace)
        outcome = Outcome()
        outcome.tables["steps"] = []
        for skip in (0, case["skip"]):
            text = run(["import", "kineto", name, "-o", "out.yaml", "--force", "--skip", str(skip)], folder)
            text = " ".join(text.split())
            match = re.search(r"steps: (\d+) sampled, (\S+) (ms|s|us) on average", text)
            outcome.tables["steps"].append({"skip": skip, "steps": match[1],
                                            "mean": float(match[2]) * {"us": 1e-6, "ms": 1e-3, "s": 1}[match[3]]})
        os.remove(os.path.join(folder, "out.yaml"))
        outcomes.append(outcome)
    return outcomes


def compare(case, expected, outcome):
    differences = []
    for row in outcome.rows("steps"):
        count, least, most = expected[row["skip"]]
        what = f"{json.dumps(case)}, --skip {row['skip']}"
        if int(row["steps"]) != count:
            differences.append(f"{what}: {count} steps expected, {row['steps']} found")
            continue
        # Times are printed with four digits.
        middle = (least + most) / 2
        compare_numbers(what, middle, row["mean"], differences, rounding=6e-4 * middle + (most - least) / 2)
    return differences


def perturb(random, outcome):
    """Another number of steps, or another length of steps of which the trace has the one before."""
    row = max(outcome.rows("steps"), key=lambda one: one["skip"])
    if random.random() < 0.3:
        row["steps"] = str(int(row["steps"]) + 1)
    else:
        row["mean"] *= random.choice((0.998, 1.002))
