#
# Copyright (c) 2026 The dml authors
#
# SPDX-License-Identifier: GPL-2.0-only

"""Measures what two layers, one behind the other, take as one: compiled together by torch.jit, with
PyTorch's fuser where the device has one."""

import csv
import statistics
from collections import Counter

import torch

REPEATS = 7
# Differences below so many standard errors are none.
ERRORS = 3


class Pair:
    """Two modules of which the second reads the output of the first and nothing else."""

    def __init__(self, job, first, second, inputs):
        self.clock = job.clock
        self.inputs = [t.detach().clone().requires_grad_(t.is_floating_point()) for t in inputs]
        self.apart = torch.nn.Sequential(first, second)
        self.together = torch.jit.trace(self.apart, tuple(self.inputs), check_trace=False)
        for model in (self.apart, self.together):
            for _ in range(2):  # the fuser looks at the first runs
                self.time(model)

    def time(self, model):
        """Seconds of the forward and of the backward pass."""
        marks = [self.clock.mark()]
        output = model(*self.inputs)
        marks.append(self.clock.mark())
        output.backward(torch.ones_like(output))
        marks.append(self.clock.mark())
        self.clock.wait()
        return [self.clock.seconds(a, b) for a, b in zip(marks, marks[1:])]

    def measure(self):
        """Seconds saved forward and backward by running both as one; 0 if that is noise."""
        differences = []
        for _ in range(REPEATS):
            apart, together = self.time(self.apart), self.time(self.together)
            differences.append([a - b for a, b in zip(apart, together)])
        saved = []
        for times in zip(*differences):
            middle = statistics.median(times)
            spread = statistics.median(abs(t - middle) for t in times) * 1.4826
            saved.append(middle if abs(middle) > ERRORS * spread / REPEATS ** 0.5 else 0.0)
        return saved


def catch_inputs(job, names):
    """Inputs of the modules of these names in a step."""
    caught, handles = {}, []
    for name in names:
        def hook(_module, inputs, name=name):
            caught[name] = inputs
        handles.append(job.model.get_submodule(name).register_forward_pre_hook(hook))
    job.model(*job.inputs)
    for handle in handles:
        handle.remove()
    return caught


def find_pairs(job, step):
    """(first, second) places of layers that are modules, each of which runs once."""
    counts, modules = Counter(step.layers), dict(job.model.named_modules())
    for second in range(1, len(step.layers)):
        first = second - 1
        names = [step.layers[first], step.layers[second]]
        if step.inputs[second] == [first] and all(n in modules and counts[n] == 1 for n in names):
            yield first, second


def measure_fused(job, steps, path):
    """Write a table for "dml optimize --fused": first,second,seconds. Returns its number of rows."""
    step, rows = steps[0], []
    mean = statistics.fmean
    pairs = list(find_pairs(job, step))
    inputs = catch_inputs(job, {step.layers[first] for first, _ in pairs})
    behind = dict(zip(step.pieces, list(step.pieces)[1:]))
    parts = Counter(key for key, _ in step.pieces)
    for first, second in pairs:
        names = [step.layers[first], step.layers[second]]
        try:
            forward, backward = Pair(job, *map(job.model.get_submodule, names),
                                     inputs[names[0]]).measure()
        except (RuntimeError, NotImplementedError):
            continue  # PyTorch cannot compile them, or runs them on copies only
        if forward:
            apart = mean(s.forward[first] + s.forward[second] for s in steps)
            rows.append([*(f"forward/{n}" for n in names), max(0.0, apart - forward)])
        pieces = [(second, 1), (first, 1)]
        if backward and behind.get(pieces[0]) == pieces[1] and parts[first] == parts[second] == 1:
            apart = mean(s.pieces[pieces[0]] + s.pieces[pieces[1]] for s in steps)
            rows.append([*(f"backward/{n}" for n in reversed(names)), max(0.0, apart - backward)])
    with open(path, "w", encoding="utf-8", newline="") as output:
        table = csv.writer(output, lineterminator="\n")
        table.writerow(["first", "second", "seconds"])
        table.writerows([a, b, f"{seconds:.9f}"] for a, b, seconds in rows)
    return len(pairs), len(rows)
