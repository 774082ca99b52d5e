#
# Copyright (c) 2026 The dml authors
#
# SPDX-License-Identifier: GPL-2.0-only

"""CM-DARE's clusters as scenarios: a profile of each network, and the points that were measured."""

import csv
import os

from server_cost.models import MODELS

BATCH = 128
FORWARD = 1 / 3  # of the time that a worker computes; the backward pass takes the rest
SPEEDS = os.path.join(os.path.dirname(os.path.abspath(__file__)), *("..",) * 2,
                      "doc", "data", "cm-dare-speeds.csv")

# Google's n1 machines: a server of 4 virtual CPUs has 8 Gbit/s.
SCENARIO = """name: cm-dare
replications: 2
job: {{profile: {profile}, workers: 1, steps: 25, warmup: 5, placement: {placement}}}
network: {{transport: plain, rate: 8Gbps, delay: 75us}}
fair_share: {{one_way_delay: 150us}}
"""


def layers(model):
    """Names of the layers, and the trained variables of each."""
    found = {}
    for name, size, trained in MODELS[model]:
        if trained:
            found.setdefault(name.rsplit("/", maxsplit=1)[0], []).append((name, size))
    return found


def operations(model, seconds):
    """Pulls, passes through all layers, and pushes with updates that take no time of their own."""
    names = layers(model)
    ops, before = [], []
    for layer, variables in names.items():
        pulls = [f"pull/{name}" for name, _ in variables]
        ops += [{"name": pull, "kind": "pull", "tensor": name}
                for pull, (name, _) in zip(pulls, variables)]
        ops.append({"name": f"forward/{layer}", "kind": "forward", "deps": pulls + before,
                    "seconds": FORWARD * seconds / len(names)})
        before = [f"forward/{layer}"]
    for layer, variables in reversed(names.items()):
        ops.append({"name": f"backward/{layer}", "kind": "backward", "deps": before,
                    "seconds": (1 - FORWARD) * seconds / len(names)})
        before = [f"backward/{layer}"]
        for name, _ in variables:
            ops.append({"name": f"push/{name}", "kind": "push", "tensor": name, "deps": before})
            ops.append({"name": f"update/{name}", "kind": "update", "tensor": name, "seconds": 0,
                        "deps": [f"push/{name}"]})
    return ops


def profile(model, seconds):
    """The profile of a network whose step takes a lone worker so long, as YAML."""
    def show(value):
        if isinstance(value, list):
            return "[" + ", ".join(value) + "]"
        return f"{value:.9f}" if isinstance(value, float) else str(value)
    lines = ["schema: dml-profile/1", f"model: {model}", f"batch_size: {BATCH}",
             "source: {made_by: tools/server-cost-study}", "tensors:"]
    lines += [f"  - {{name: {name}, bytes: {size}}}"
              for variables in layers(model).values() for name, size in variables]
    lines += ["ops:"]
    lines += ["  - {" + ", ".join(f"{key}: {show(value)}" for key, value in op.items()) + "}"
              for op in operations(model, seconds)]
    return "\n".join(lines) + "\n"


def placement(model, servers):
    """TensorFlow's round robin, which counts variables that are not trained too."""
    places = {name: i % servers for i, (name, _, trained) in enumerate(MODELS[model]) if trained}
    return "{" + ", ".join(f"{name}: {place}" for name, place in places.items()) + "}"


def speeds(gpu):
    """Rows of a GPU's measurements; those of no servers are lone workers, measured apart."""
    with open(SPEEDS, encoding="ascii") as file:
        return [row for row in csv.DictReader(file) if row["gpu"] == gpu]


def lone_step(gpu, model):
    """Seconds of a step of one worker, in other runs than the curves are of."""
    return next(1 / float(row["steps_per_second"]) for row in speeds(gpu)
                if row["model"] == model and row["parameter_servers"] == "0")


def points(gpu, chosen=lambda row: True):
    """Measured points, in samples/s, of rows that are chosen."""
    return [row for row in speeds(gpu) if row["parameter_servers"] != "0" and chosen(row)]
