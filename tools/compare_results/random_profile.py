# Copyright (c) 2026 The dml authors
#
# SPDX-License-Identifier: GPL-2.0-only

"""Random profiles of training jobs that take some ten milliseconds a step."""

import dataclasses

from compare_results.yaml_text import document, flow

SHAPES = ("layers", "layers", "branches", "two-devices", "without-update", "late-pull")


@dataclasses.dataclass
class RandomProfile:
    """A profile, and what scenarios must know of it."""

    shape: str
    tensors: list  # names, all of them pulled and pushed
    samples: int  # of each op
    text: str


class Writer:
    """Collects tensors and ops."""

    def __init__(self, decks, samples):
        self._decks = decks
        self._samples = samples
        self.tensors = []
        self.ops = []

    def pull(self, tensor, size, deps=()):
        self.tensors.append({"name": tensor, "bytes": size})
        return self.add(f"pull/{tensor}", "pull", deps, tensor=tensor)

    def compute(self, name, kind, deps, device):
        return self.add(name, kind, deps, device=device, samples=[
            round(self._decks.random.uniform(0.0003, 0.004), 6) for _ in range(self._samples)])

    def push(self, tensor, deps, update):
        pushed = self.add(f"push/{tensor}", "push", deps, tensor=tensor)
        if update:
            self.add(f"update/{tensor}", "update", [pushed], tensor=tensor,
                     seconds=self._decks.pick((0, 1e-5, 1e-4, 5e-4)))

    def shuffle_pulls(self):
        """Those that wait for nothing come first, in an order that nobody made for a purpose."""
        first = [op for op in self.ops if op["kind"] == "pull" and not op["deps"]]
        others = [op for op in self.ops if op not in first]
        self._decks.random.shuffle(first)
        self.ops = first + others

    def add(self, name, kind, deps, **keys):
        self.ops.append({"name": name, "kind": kind, "deps": list(deps), **keys})
        return name


def draw(decks, shape):
    """A profile that a scenario of this shape can run."""
    shapes = list(SHAPES)
    if shape.sync not in ("async", "ssp"):
        shapes.remove("without-update")
    if shape.sync == "push-pull" or shape.policy == "shuffled":
        shapes.remove("late-pull")
    kind = decks.draw(f"profile {shapes}", shapes)
    writer = Writer(decks, decks.integer(1, 3))
    devices = [{"name": "cpu", "slots": 1}]
    if kind == "two-devices":
        devices = [{"name": "cpu", "slots": 2}, {"name": "gpu", "slots": 1}]
    layers = decks.integer(2, 4)
    last = add_forward(decks, writer, layers, kind, devices)
    add_backward(writer, layers, kind, devices, last)
    writer.shuffle_pulls()
    ops = "".join(f"  - {flow({key: part for key, part in op.items() if part != []})}\n"
                  for op in writer.ops)
    text = document({"schema": "dml-profile/1", "model": kind, "batch_size": 8,
                     "source": {"made_by": "compare-results"}, "devices": devices,
                     "tensors": writer.tensors}) + "ops:\n" + ops
    samples = max(len(op.get("samples", [])) for op in writer.ops)
    return RandomProfile(kind, [tensor["name"] for tensor in writer.tensors], samples, text)


def add_forward(decks, writer, layers, kind, devices):
    """Layers with a weight and a bias each. @return the last op"""
    before, branches = [], []
    for layer in range(layers):
        late = before if kind == "late-pull" else []
        pulls = [writer.pull(f"w{layer}", 1000 * decks.integer(4, 120), late),
                 writer.pull(f"b{layer}", decks.pick((0, 64, 1500, 4096)))]
        device = devices[layer % len(devices)]["name"]
        before = [writer.compute(f"forward/{layer}", "forward", [*before, *pulls], device)]
        if kind == "branches" and layer == 0:
            branches = [writer.compute("forward/side", "forward", pulls, device)]
    return writer.compute("loss", "compute", before + branches, devices[0]["name"])


def add_backward(writer, layers, kind, devices, last):
    """The layers the other way round."""
    for layer in reversed(range(layers)):
        device = devices[layer % len(devices)]["name"]
        last = writer.compute(f"backward/{layer}", "backward", [last], device)
        for tensor in (f"w{layer}", f"b{layer}"):
            writer.push(tensor, [last], update=kind != "without-update")
