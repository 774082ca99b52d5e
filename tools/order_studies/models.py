#
# Copyright (c) 2026 The dml authors
#
# SPDX-License-Identifier: GPL-2.0-only

"""TicTac (MLSys 2019), Fig. 1: a good and a bad order of a toy graph; and Table 1: the models."""

import os
import re

from order_studies.results import find
from order_studies.runs import Run
from testbed_compare.errors import InputError
from testbed_compare.tables import read_text
from validation_report.study import ENGINES
from validation_report.tables import simple
from validation_study.settings import PROFILES

NAME = "tictac-models"
TOY = Run("toy", "tictac/toy.yaml")
RUNS = (TOY,)
TOY_ORDERS = {"[recv1, recv2]": "recv1, recv2", "[recv2, recv1]": "recv2, recv1"}
# the figure's graph with a second for each op and transfer: op1 runs beside recv2, or alone
BY_HAND = {"[recv1, recv2]": 3, "[recv2, recv1]": 4}
# profile: the paper's name, parameters, MiB, ops of inference and of training, batch; None: not there
PAPER = {
    "alexnet-b8": ("AlexNet v2", 16, 191.89, 235, 483, 512),
    "googlenet-b8": ("Inception v1", 116, 25.24, 1114, 2246, 128),
    "inception-v3-b4": ("Inception v3", 196, 103.54, 1904, 3672, 32),
    "resnet50-b4": ("ResNet-50 v1", 108, 97.39, 1114, 2096, 32),
    "vgg11-b4": None,
}
TENSOR = re.compile(r"^  - \{name: \S+, bytes: (\d+)\}", re.MULTILINE)
KIND = re.compile(r"^  - \{name: \S+, kind: (\w+)", re.MULTILINE)
BATCH = re.compile(r"^batch_size: (\d+)$", re.MULTILINE)
INFERENCE = ("pull", "forward")


def characteristics(path):
    """(tensors, MiB, ops of inference, ops of training, batch) of a profile."""
    text = read_text(path)
    sizes, kinds, batch = TENSOR.findall(text), KIND.findall(text), BATCH.search(text)
    if not sizes or not kinds or not batch:
        raise InputError(f"{path}: found no tensors, ops or batch size; accepted is a profile of dml")
    return (len(sizes), sum(map(int, sizes)) / 2**20, sum(kind in INFERENCE for kind in kinds),
            len(kinds), int(batch[1]))


def model_table():
    rows = []
    for profile, paper in PAPER.items():
        tensors, size, inference, training, batch = characteristics(
            os.path.join(PROFILES, profile + ".yaml"))
        rows.append([profile, str(tensors), f"{size:.2f}", f"{inference}/{training}", str(batch)])
        if paper:
            name, tensors, size, inference, training, batch = paper
            rows.append([f"{name}, the paper", str(tensors), f"{size:.2f}",
                         f"{inference}/{training}", str(batch)])
    return simple(["model", "tensors", "MiB", "ops, inference/training", "batch"], rows)


def toy_times(results):
    """s, by (order, engine)."""
    cases = results.cases([TOY.name])
    return {(order, engine): find(cases, 1, engine, {"transfer.order": order}).iteration
            for order in TOY_ORDERS for engine in ENGINES}


def toy_table(times):
    rows = [[text, str(BY_HAND[order]), *(f"{times[order, engine]:.2f}" for engine in ENGINES)]
            for order, text in TOY_ORDERS.items()]
    return simple(["order", "by hand, s", *(f"{engine}, s" for engine in ENGINES)], rows)


def report(results, _picture):
    """(tables, pictures, values)."""
    times = toy_times(results)
    off = max(abs(seconds / BY_HAND[order] - 1) for (order, _), seconds in times.items())
    return {"toy": toy_table(times), "models": model_table()}, {}, {"off": f"{100 * off:.1f}"}
