#
# Copyright (c) 2026 The dml authors
#
# SPDX-License-Identifier: GPL-2.0-only

"""Records one training step: which layers and functions ran, for how long, and what they read."""

import time
from collections import Counter

import torch
from torch.overrides import TorchFunctionMode


def tensors_in(value):
    """All tensors in a tensor, or in a nest of tuples, lists and dictionaries."""
    if isinstance(value, torch.Tensor):
        return [value]
    if not isinstance(value, (dict, list, tuple)):
        return []
    items = value.values() if isinstance(value, dict) else value
    return [t for item in items for t in tensors_in(item)]


class Clock:
    """Time stamps in the order of the device's work."""

    def __init__(self, device, cpu_time):
        self.cuda = device.type == "cuda"
        self.now = time.thread_time if cpu_time else time.perf_counter

    def mark(self):
        if not self.cuda:
            return self.now()
        event = torch.cuda.Event(enable_timing=True)
        event.record()
        return event

    def wait(self):
        if self.cuda:
            torch.cuda.synchronize()

    def seconds(self, start, end):
        """Time between two marks, which wait() has made available."""
        return max(start.elapsed_time(end) / 1e3 if self.cuda else end - start, 0.0)


class ForwardRecorder(TorchFunctionMode):
    """Notes every call of a leaf module, and of a function outside of leaf modules, as it ends."""

    def __init__(self, model, clock):
        super().__init__()
        self.clock, self.scope, self.inside, self.calls = clock, [], 0, []
        self.handles = []
        for name, module in model.named_modules():
            leaf = next(module.children(), None) is None
            self.handles.append(module.register_forward_pre_hook(self.entering(name, leaf)))
            self.handles.append(module.register_forward_hook(self.leaving(name, leaf)))

    def entering(self, name, leaf):
        def hook(_module, _inputs):
            self.inside += leaf
            self.scope.append(name)
        return hook

    def leaving(self, name, leaf):
        def hook(_module, _inputs, output):
            if leaf and self.inside == 1:
                self.note(name or "model", output)
            self.inside -= leaf
            self.scope.pop()
        return hook

    def note(self, name, output):
        made = [t for t in tensors_in(output) if t.grad_fn is not None]
        if made:
            size = sum(t.numel() * t.element_size() for t in made)
            self.calls.append((name, [t.grad_fn for t in made], size, self.clock.mark()))

    def __torch_function__(self, function, types, args=(), kwargs=None):
        self.inside += 1
        output = function(*args, **(kwargs or {}))
        if self.inside == 1:
            name = getattr(function, "__name__", "function").strip("_")
            self.note(".".join([s for s in self.scope[-1:] if s] + [name]), output)
        self.inside -= 1
        return output

    def close(self):
        for handle in self.handles:
            handle.remove()


class Step:
    """One measured step: what ran, for how long, and what waited for what."""

    def __init__(self, job):
        recorder = ForwardRecorder(job.model, job.clock)
        job.clear_gradients()
        job.clock.wait()
        start = job.clock.mark()
        with recorder:
            output = job.model(*job.inputs)
            recorder.scope.append("loss")
            loss = job.loss(output)
        recorder.close()
        self.parameters = job.parameters
        self.layers, self.inputs, self.pulls = [], [], []
        self.outputs = []  # bytes that each layer hands on
        self.marks = [start]  # then the end of each layer's forward
        self.owner = {}  # layer of every autograd node
        for name, nodes, size, mark in recorder.calls:
            self.add_layer(name, nodes, size, mark)
        self.loss_layer = self.owner[loss.grad_fn]
        events = self.run_backward(loss, job.clock)
        job.clock.wait()
        self.forward = [job.clock.seconds(a, b) for a, b in zip(self.marks, self.marks[1:])]
        self.find_pieces(events, job.clock)
        self.update = job.time_updates()
        self.owner = None  # frees the autograd graph

    def add_layer(self, name, nodes, size, mark):
        """A layer owns the nodes behind its outputs that no layer before it owns."""
        layer, reads, pulls, found = len(self.layers), set(), [], False
        stack = [n for n in nodes if n not in self.owner]
        while stack:
            node = stack.pop()
            if node in self.owner:
                continue
            self.owner[node], found = layer, True
            for following, _ in node.next_functions:
                parameter = self.parameter_of(following)
                if parameter:
                    pulls += [parameter] if parameter not in pulls else []
                elif following in self.owner:
                    reads.add(self.owner[following])
                elif following is not None:
                    stack.append(following)
        if found:  # else it changed nothing: its time counts to the next layer
            self.layers.append(name)
            self.inputs.append(sorted(reads - {layer}))
            self.pulls.append(pulls)
            self.outputs.append(size)
            self.marks.append(mark)

    def parameter_of(self, node):
        """Name of the parameter whose gradient the node accumulates, if that is what it does."""
        return self.parameters.get(id(getattr(node, "variable", None)))

    def run_backward(self, loss, clock):
        """Returns [what, end mark] of every autograd node in the order in which they ran."""
        events = [(None, clock.mark())]
        hooked = set()

        def watch(node, what):
            if node not in hooked:
                hooked.add(node)
                node.register_hook(lambda *_: events.append((what, clock.mark())))

        for node in self.owner:
            watch(node, node)
            for following, _ in node.next_functions:
                if self.parameter_of(following):
                    watch(following, self.parameter_of(following))
        loss.backward()
        return events

    def find_pieces(self, events, clock):
        """Join consecutive nodes of one layer; a piece lasts from the end of the one before it."""
        self.pieces = {}  # (layer or parameter, part) -> seconds, in the order in which they ran
        self.waits = {}  # the same -> pieces it waits for
        self.spans = {}  # the same -> marks before and after each of its nodes
        part, piece_of, previous = Counter(), {}, (None, 0)
        for (_, before), (what, end) in zip(events, events[1:]):
            key = what if isinstance(what, str) else self.owner[what]
            if key != previous[0]:
                part[key] += 1
                previous = (key, part[key])
                self.pieces[previous] = 0.0
                self.waits[previous] = {(key, part[key] - 1)} if part[key] > 1 else set()
            self.pieces[previous] += clock.seconds(before, end)
            self.spans.setdefault(previous, []).append((before, end))
            piece_of[what] = previous
        for node, piece in piece_of.items():
            for following, _ in getattr(node, "next_functions", ()):
                after = piece_of.get(self.parameter_of(following) or following)
                if after and after != piece:
                    self.waits[after].add(piece)

    def structure(self):
        """What must be the same in all steps of a profile; the order of pieces may differ."""
        waits = sorted((str(p), sorted(map(str, w))) for p, w in self.waits.items())
        return str((self.layers, self.inputs, self.pulls, waits))
