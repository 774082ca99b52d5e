# Copyright (c) 2026 The dml authors
#
# SPDX-License-Identifier: GPL-2.0-only

"""`dml optimize` with a parameter server (doc/optimize.rst): what it says of TensorFlow's order, of fifo, TIC and TAC, and of
BytePS's slices is what Algorithm 3.1 and the oracle `slices` say, its best is the best of the table, and it is what is written.
"""

import os
import random
import re

from oracles import algorithm31, slices, throughput, tune
from oracles.comparison import compare_numbers
from oracles.optimize import read_rows
from oracles.program import Outcome, run, write_job

NAME = "optimize_servers"
TABLES = ()
# Starts the program for every case.
SHARE = 0.1
ORDERS = {"TensorFlow": "http2-window", "fifo": "fifo", "tic": "tic", "tac": "tac"}


def draw(random):  # pylint: disable=W0621
    """A job that has a throughput as it is."""
    while True:
        case = draw_any(random)
        if throughput_of(case, simulate(case, case["transfer"])):
            return case


def draw_any(random):  # pylint: disable=W0621
    case = slices.draw(random)
    while len(case["profile"]["tensors"]) < 2:
        case = slices.draw(random)
    for tensor in case["profile"]["tensors"]:
        tensor["bytes"] *= random.choice((1, 3, 9))
    for op in case["profile"]["ops"]:
        if op["kind"] == "backward":
            op["samples"] = [value + 0.4 for value in op["samples"]]
    case["job"].update(steps=random.randint(3, 4), warmup=random.choice((0, 1)), placement="greedy")
    case["_starts"] = [milliseconds / 1000 for milliseconds in random.sample(range(300), case["job"]["workers"])]
    case["job"]["start"] = [f"{1000 * start:.0f}ms" for start in case["_starts"]]
    case["transfer"] = {"policy": random.choice(tuple(ORDERS.values())), "window": "off"}
    case["fair_share"].update(sharing="equal", ps_cores=0)
    return {**case, "overhead": {}, "_overhead": 0.0}


def throughput_of(case, simulated):
    steps = {(worker, step): (start, end) for worker, step, start, end in simulated.rows}
    return throughput.throughput(case, steps)[3]


def settled(case, run_of):
    """Throughput, or None where workers that are alike but for rounding drift apart: where 0.1 ns more at the start matter."""
    workers = case["job"]["workers"]
    one, *others = (throughput_of(case, run_of({**case, "_starts": starts})) for starts in (
        case["_starts"], [start + worker * 1e-10 for worker, start in enumerate(case["_starts"])],
        [start + (workers - worker) * 1e-10 for worker, start in enumerate(case["_starts"])]))
    return one if one and all(two and abs(one - two) < 1e-6 * one for two in others) else None


def simulate(case, transfer):
    return algorithm31.simulate({**case, "transfer": transfer}, delay=lambda *_: case["_delay"])


def with_order(case, policy):
    return settled(case, lambda one: simulate(one, {"policy": policy, "window": "off"}))


def with_slices(case, size, credit):
    cut = {"policy": "bytescheduler", "partition": f"{size}B", "credit": f"{size * credit}B"}
    return settled(case, lambda one: slices.expect({**one, "transfer": cut}))


def expect(case):
    """Samples per second of the orders."""
    return {name: with_order(case, policy) for name, policy in ORDERS.items()}


def run_cases(folder, cases, _):
    outcomes = []
    for number, case in enumerate(cases):
        name, strategy = write_job(folder, number, case), f"strategy{number}.yaml"
        outcome = Outcome()
        outcome.text = run(["optimize", name, "--check=none", "--jobs", "1", "-o", strategy], folder)
        with open(os.path.join(folder, strategy), encoding="utf-8") as file:
            outcome.strategy = file.read()
        outcomes.append(outcome)
    return outcomes


def value_of_row(case, expected, name):
    sliced = re.fullmatch(r"BytePS, ([0-9.]+) MB, credit (\d+)", name)
    if sliced:
        return with_slices(case, round(float(sliced.group(1)) * 1e6), int(sliced.group(2)))
    return expected.get(name)


def value_of_strategy(case, expected, text):
    """What the written scenario gives; None for other policies."""
    policy = re.search(r"policy: (\S+)|$", text).group(1)
    sliced = re.search(r"partition: (\d+)B?\s", text)
    if policy == "bytescheduler" and sliced:
        credit = int(re.search(r"credit: (\d+)", text).group(1))
        return with_slices(case, int(sliced.group(1)), credit // int(sliced.group(1)))
    return None if sliced else {ORDERS[name]: value for name, value in expected.items()}.get(policy)


def compare(case, expected, outcome):
    differences = []
    rows = read_rows(outcome.text)
    outcome.looked_at = []
    before = expected[next(name for name, policy in ORDERS.items() if policy == case["transfer"]["policy"])]
    for name, (found, gain) in rows.items():
        value = value_of_row(case, expected, name)
        if value is not None:
            outcome.looked_at.append(name)
            tune.compare_printed(name, value, found, differences)
            if before is not None:
                compare_numbers(f"gain of {name}, %", 100 * (value / before - 1), gain, differences, rounding=0.00501)
    told = re.search(r"best: (.*)$", outcome.text, re.MULTILINE).group(1)
    if told not in rows or float(rows[told][0]) < max(float(found) for found, _ in rows.values()):
        differences.append(f"best: found {told}, which is not the best of the table")
    written = value_of_strategy(case, expected, outcome.strategy)
    if written is not None and told in rows:
        tune.compare_printed("strategy that is written", written, rows[told][0], differences)
    return differences


def perturb(random, outcome):  # pylint: disable=W0621
    """Another throughput of a strategy."""
    if not outcome.looked_at:
        return False
    found = read_rows(outcome.text)[random.choice(outcome.looked_at)][0]
    outcome.text = outcome.text.replace(f" {found} ", f" {float(found) * 1.01:.6g} ")
