# Copyright (c) 2026 The dml authors
#
# SPDX-License-Identifier: GPL-2.0-only

"""`dml optimize` on jobs of few gradients, all of whose buckets are simulated here (doc/optimize.rst).

What it says of each strategy is what a run gives, its best is as good as any buckets of neighbours, and the
strategy that it writes gives what was said. Jobs are those of the oracle `tune`; Horovod's cycles are those of `horovod`.
"""

import itertools
import json
import os
import re

from oracles import collectives, horovod, tune
from oracles.comparison import compare_numbers
from oracles.program import Outcome, goodput, run, write_job
from oracles.simulator import Backwards

NAME = "optimize"
TABLES = ()
# Some dozens of strategies are simulated here for every case.
SHARE = 0.05
MEBI = 1 << 20


def draw(random):
    case = tune.draw_job(random)
    while len(case["profile"]["tensors"]) > 5 or case["job"]["workers"] > 5:
        case = tune.draw_job(random)
    # Large enough for buckets of several sizes; two gradients of one size leave open what the sizes of a run tell.
    for tensor in case["profile"]["tensors"]:
        tensor["bytes"] *= random.choice((1, 2, 5))
    case["job"].update(steps=3, gradient_groups=random.choice(("off", {"count": 2})))
    # Thousands of cycles take a second here.
    case["_cycles"] = random.choice(("32 MiB, 1 ms", "2 MiB, 5 ms", "8 MiB, 5 ms")) if random.random() < 0.2 else None
    return case


def with_buckets(case, buckets):
    """The case with buckets of these tensors."""
    return {**case, "job": {**case["job"], "gradient_groups": buckets}}


def neighbours(names):
    """All ways to cut a list."""
    for cuts in itertools.product((False, True), repeat=len(names) - 1):
        made = [[names[0]]]
        for name, cut in zip(names[1:], cuts):
            if cut:
                made.append([])
            made[-1].append(name)
        yield made


def ddp(case, bytes_of, first):
    """Buckets that are closed when they have so many bytes, the first one `first`."""
    sizes = {tensor["name"]: tensor["bytes"] for tensor in case["profile"]["tensors"]}
    made, full = [], True
    for name in generated(case):
        if full:
            made.append([])
        made[-1].append(name)
        full = sum(sizes[one] for one in made[-1]) >= (first if len(made) == 1 else bytes_of)
    return made


def generated(case):
    """Tensors in the order in which their gradients are generated."""
    return [name for (name,) in collectives.buckets(case["profile"], "off")]


def in_cycles(case, mebibytes, milliseconds):
    """Throughput with Horovod's cycles, or None where it depends on the order of simultaneous events."""
    groups = {"horovod": {"waits": False}}
    other = {**with_buckets(case, groups), "_cycle": milliseconds / 1000, "_threshold": mebibytes * MEBI}
    one, two = (tune.throughput_of(other, horovod.Horovod(other, ties).run()) for ties in (None, Backwards()))
    return one if abs(one - two) < 1e-9 * one else None


class Expected:
    """Throughput of the case as it is, and by its buckets, of all buckets of neighbours; when gradients are there."""

    def __init__(self, case):
        self.grid = {json.dumps(buckets): tune.predict(with_buckets(case, buckets)) for buckets in neighbours(generated(case))}
        self.before, unique = tune.predict(case)
        self.unique = unique and all(one for _, one in self.grid.values())
        self.best = max(value for value, _ in self.grid.values())


expect = Expected


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


def read_rows(text):
    """Samples per second and gain in per cent, by strategy."""
    rows = re.findall(r"^  (\S.*?) {2,}([0-9.e+]+) +([+-][0-9.]+) %", text, re.MULTILINE)
    return {name: (found, gain) for name, found, gain in rows}


def value_of_row(case, expected, name):
    """What a row should say; None for passes of which the name does not say what they propose."""
    if name == "each gradient alone":
        return expected.grid[json.dumps([[one] for one in generated(case)])][0]
    size = re.fullmatch(r"DDP, (\d+) MiB", name)
    if size:
        return expected.grid[json.dumps(ddp(case, int(size.group(1)) * MEBI, MEBI))][0]
    cycles = re.fullmatch(r"Horovod, (\d+) MiB, (\d+) ms", name)
    return in_cycles(case, *map(int, cycles.groups())) if cycles and case["_cycles"] and case["_cycles"] in name else None


def buckets_of_strategy(case, text):
    """The buckets that the written scenario asks for; None for Horovod's."""
    if "horovod" in text:
        return None
    if re.search(r"gradient_groups: off", text):
        return [[one] for one in generated(case)]
    size = re.search(r"ddp: (\d+)MiB, first: (\d+)MiB", text)
    if size:
        return ddp(case, int(size.group(1)) * MEBI, int(size.group(2)) * MEBI)
    named = [re.findall(r"t\d+\.\d+|(?<=\[)t(?=\])", part) for part in re.findall(r"(\[[^\[\]]+\])", text)]
    listed = {name for names in named for name in names}
    order = generated(case)
    every = named + [[name] for name in order if name not in listed]
    return sorted(every, key=lambda names: max(order.index(name) for name in names))


def compare(case, expected, outcome):
    text = outcome.text
    outcome.unique = expected.unique
    differences = []
    if not outcome.unique:
        return differences
    count = int(re.search(r"^(\d+) gradient", text, re.MULTILINE).group(1))
    compare_numbers("gradients", len(generated(case)), count, differences)
    rows = read_rows(text)
    for name, (found, gain) in rows.items():
        value = value_of_row(case, expected, name)
        if value is not None:
            tune.compare_printed(name, value, found, differences)
            compare_numbers(f"gain of {name}, %", 100 * (value / expected.before - 1), gain, differences, rounding=0.00501)
    compare_fit(case, text, differences)
    compare_best(case, expected, rows, outcome, differences)
    return differences


def compare_fit(case, text, differences):
    """A ring's time is 2 (N - 1) (delay + S / N / rate) where all enter it together and nothing is added up."""
    workers = case["job"]["workers"]
    sizes = {tensor["bytes"] for tensor in case["profile"]["tensors"] if tensor["name"] in generated(case)}
    job = {**case["job"], **case["job"]["all_reduce"]}
    samples = max(len(op.get("samples", [0])) for op in case["profile"]["ops"])
    if case["_algorithm"] != "ring" or job["start"] != "together" or samples > 1 or workers == 1 or job["reduction"] or job["concurrent"] > 1 or len(sizes) < 2:
        return
    found = re.search(rf"takes {tune.NUMBER} ms \+ B / {tune.NUMBER} MB/s", text)
    rounds = 2 * (workers - 1)
    compare_numbers("latency, ms", 1000 * rounds * case["_delay"], found.group(1), differences, relative=0.51e-3, rounding=1e-3)
    rate = goodput(collectives.RATE, transport="tcp") * workers / rounds / 1e6
    tune.compare_printed("rate, MB/s", rate, found.group(2), differences)


def compare_best(case, expected, rows, outcome, differences):
    told = re.search(r"best: (.*)$", outcome.text, re.MULTILINE).group(1)
    highest = max(float(found) for found, _ in rows.values())
    if told not in rows or float(rows[told][0]) < highest:
        differences.append(f"best: found {told}, which is not the best of the table")
        return
    buckets = buckets_of_strategy(case, outcome.strategy)
    if buckets is None:
        if highest < expected.best * (1 - 1e-3):
            differences.append(f"best: found {highest}, but buckets have {expected.best}")
        return
    tune.compare_printed("best", expected.best, rows[told][0], differences)
    written = expected.grid[json.dumps(buckets)][0]
    compare_numbers(f"strategy that is written, {buckets}", expected.best, written, differences)


def perturb(random, outcome):
    """Another throughput of a strategy, or another strategy that is the best."""
    if not outcome.unique:
        return False
    rows = [name for name in read_rows(outcome.text) if name == "each gradient alone" or name.startswith("DDP")]
    if not rows:
        return False
    found = read_rows(outcome.text)[random.choice(rows)][0]
    outcome.text = outcome.text.replace(f" {found} ", f" {float(found) * 1.01:.6g} ")
    return True
