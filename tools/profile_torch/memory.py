#
# Copyright (c) 2026 The dml authors
#
# SPDX-License-Identifier: GPL-2.0-only

"""Measures what a training step holds in memory: what layers keep, hand on and need meanwhile.

A tensor that is kept is known by its storage, which counts once, at the first layer that keeps it:
that layer's backward runs last of those that need it. Storages of parameters, buffers and inputs
are no activations. What a layer or a piece of the backward pass needs besides is the highest level
of PyTorch's allocator while it runs, less all that is kept then: on a CPU from the memory events of
torch.profiler, on a GPU from its peak counter."""

import contextlib

import torch

from .recorder import Step

MARK = "dml memory mark"


def storage_of(tensor):
    """Address and bytes of what is behind a tensor, or None where nothing tells."""
    try:
        storage = tensor.untyped_storage() if hasattr(tensor, "untyped_storage") else (
            tensor.storage())
        return storage.data_ptr(), storage.nbytes()
    except (NotImplementedError, RuntimeError):  # sparse, oneDNN's own
        return None


def bytes_of(tensors):
    """Bytes of the storages of tensors, each once."""
    return sum(dict(filter(None, map(storage_of, tensors))).values())


class CpuLevels:
    """Levels of the CPU's allocator between marks, from the profiler's events."""

    def __init__(self, job):
        self.job = job

    @contextlib.contextmanager
    def recording(self):
        self.job.clear_gradients()
        with torch.autograd.profiler.profile(profile_memory=True) as profiler:
            self.job.renew()  # or it would not be known what these take
            yield
        events, stack = [], list(profiler.kineto_results.experimental_event_tree())
        while stack:
            event = stack.pop()
            stack += event.children
            name = event.name() if callable(event.name) else event.name
            if name == MARK or name == "[memory]":
                events.append((event.start_time_ns, None if name == MARK else event.extra_fields))
        level, highest, there = 0, 0, {}
        self.between = []  # highest level before each mark, since the one before it
        for _, block in sorted(events, key=lambda e: e[0]):
            if block is None:
                self.between.append(highest)
                highest = level
            elif block.alloc_size > 0:
                there[block.ptr] = block.alloc_size
                level += block.alloc_size
                highest = max(highest, level)
            else:  # of what was there before, too, which is none of the step's
                level -= there.pop(block.ptr, 0)
        self.between.append(highest)

    def mark(self):
        with torch.autograd.profiler.record_function(MARK):
            pass


class GpuLevels:
    """The same of a GPU, whose allocator knows its peak."""

    def __init__(self, job):
        self.job, self.between = job, []

    @contextlib.contextmanager
    def recording(self):
        self.job.clear_gradients()
        torch.cuda.reset_peak_memory_stats()
        yield
        self.mark()

    def mark(self):
        self.between.append(torch.cuda.max_memory_allocated())
        torch.cuda.reset_peak_memory_stats()


class MemoryClock:
    """Stands in for a Clock: its marks are numbers of levels, with what has been kept so far."""

    def __init__(self, clock, levels):
        self.cuda, self.now, self.wait, self.levels = clock.cuda, clock.now, clock.wait, levels
        self.marks, self.kept = 0, []

    def mark(self):
        self.levels.mark()
        self.marks += 1
        return self.marks - 1, len(self.kept)

    def seconds(self, _start, _end):
        return 0.0

    def pack(self, tensor):
        self.kept.append(storage_of(tensor))
        return tensor

    def highest(self, start, end):
        return max(self.levels.between[start[0] + 1:end[0] + 1])


def measure_peak(job, run):
    """Highest level of PyTorch's allocator while run() goes on."""
    levels = (GpuLevels if job.clock.cuda else CpuLevels)(job)
    with levels.recording():
        run()
    return max(levels.between)


class StepMemory:
    """What one step holds. Bytes by layer and by piece of the backward pass."""

    def __init__(self, job):
        self.peak = measure_peak(job, job.plain_step)
        levels = (GpuLevels if job.clock.cuda else CpuLevels)(job)
        clock, job.clock = job.clock, MemoryClock(job.clock, levels)
        try:
            with levels.recording(), \
                    torch.autograd.graph.saved_tensors_hooks(job.clock.pack, lambda t: t):
                self.step = Step(job)
            self.read(job)
        finally:
            job.clock = clock

    def read(self, job):
        step, clock = self.step, job.clock
        resident = [*job.model.parameters(), *job.model.buffers()]
        inputs = [*job.inputs, *(job.targets or [])]
        self.input = bytes_of(inputs)
        sizes = {n: p.numel() * p.element_size() for n, p in job.model.named_parameters()}
        self.sent = {p: sizes[p] for pulls in step.pulls for p in pulls}
        self.resident = max(0, bytes_of(resident) - sum(self.sent.values()))
        seen = {s[0] for s in map(storage_of, resident + inputs) if s}
        last = {}  # of each layer, its last piece of the backward pass
        for place, (key, _) in enumerate(step.pieces):
            last[key] = place
        self.output, self.activation = step.outputs, []
        for layer, (start, end) in enumerate(zip(step.marks, step.marks[1:])):
            new = {a: b for a, b in filter(None, clock.kept[start[1]:end[1]]) if a not in seen}
            seen |= set(new)
            # what nothing will ask for goes with the layer's output
            self.activation.append(sum(new.values()) if layer in last else 0)
        self.find_workspaces(step, clock, last)

    def find_workspaces(self, step, clock, last):
        """The model of dml memory says what is kept; the rest of the level is workspace."""
        held = sum(self.sent.values()) + self.resident + self.input
        self.workspace = []
        for layer, (start, end) in enumerate(zip(step.marks, step.marks[1:])):
            held += self.activation[layer]
            self.workspace.append(max(0, clock.highest(start, end) - held))
        first = {}  # of each layer, its first piece
        for place, (key, _) in enumerate(step.pieces):
            first.setdefault(key, place)
        born = {}  # of each parameter, the first piece of a layer that reads it
        for layer, pulls in enumerate(step.pulls):
            for parameter in pulls:
                place = min(first.get(layer, len(step.pieces)), first[parameter])
                born[parameter] = min(place, born.get(parameter, place))
        self.piece_workspace = {}
        for place, piece in enumerate(step.pieces):
            held += sum(self.sent[p] for p, b in born.items() if b == place)
            highest = max(clock.highest(*span) for span in step.spans[piece])
            self.piece_workspace[piece] = max(0, highest - held)
            held -= self.activation[piece[0]] if last[piece[0]] == place and (
                isinstance(piece[0], int)) else 0
