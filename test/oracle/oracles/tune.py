# Copyright (c) 2026 The dml authors
#
# SPDX-License-Identifier: GPL-2.0-only

"""`dml tune` on few values, all of which are simulated here (doc/tune.rst): what is said of each trial, and of the best.

Jobs are those of the oracle `collectives`; throughput is that of `throughput`.
"""

import itertools
import re

from oracles import collectives, throughput
from oracles.comparison import compare_numbers, compare_printed
from oracles.program import Outcome, run, write_job
from oracles.simulator import other_orders

NAME = "tune"
TABLES = ()
# Starts the program for every case.
SHARE = 0.2
KEYS = {"job.gradient_groups.count": 5, "job.all_reduce.concurrent": 3}


def draw(random):
    """A job whose steps take time and wait for each other, and ranges of one or two keys."""
    case = draw_job(random)
    keys = random.choice((list(KEYS)[:1], list(KEYS)))
    case["_ranges"] = {key: sorted(random.sample(range(1, KEYS[key] + 1), 2)) for key in keys}
    case["job"]["gradient_groups"] = {"count": random.randint(1, 5)}
    return case


def draw_job(random):
    case = collectives.draw(random)
    while case["_alone"] or len(case["profile"]["tensors"]) > 7 or "find_unused" in case["job"]["gradient_groups"]:
        case = collectives.draw(random)
    case["job"].update(steps=random.randint(2, 4), warmup=random.choice((0, 1)))
    case["job"]["all_reduce"]["barrier"] = True
    for op in case["profile"]["ops"]:
        if op["kind"] == "backward":
            op["samples"] = [value + 0.01 for value in op["samples"]]
    return case


def with_values(case, values):
    """The case with other values of keys."""
    job = {**case["job"], "all_reduce": dict(case["job"]["all_reduce"]), "gradient_groups": dict(case["job"]["gradient_groups"])}
    for key, value in values.items():
        section, name = key.split(".")[1:]
        job[section][name] = value
    return {**case, "job": job}


def predict(case):
    """Samples per second, and whether that does not depend on the order of simultaneous events."""
    found = [throughput_of(case, collectives.AllReduce(case, ties).run())
             for ties in (None, *other_orders(3))]
    return found[0], all(abs(one - found[0]) < 1e-9 * found[0] for one in found)


def throughput_of(case, simulated):
    steps = {(worker, step): (start, end) for worker, step, start, end in simulated.rows}
    return throughput.throughput({**case, "job": {**case["job"], "sync": "bsp"}}, steps)[3]


def expect(case):
    """Throughput by the values of the keys, and of the case as it is."""
    ranges = [range(low, high + 1) for low, high in case["_ranges"].values()]
    grid = {values: predict(with_values(case, dict(zip(case["_ranges"], values)))) for values in itertools.product(*ranges)}
    return grid, predict(case)


def run_cases(folder, cases, _):
    outcomes = []
    for number, case in enumerate(cases):
        name = write_job(folder, number, case)
        keys = ",".join(f"{key}={low}..{high}" for key, (low, high) in case["_ranges"].items())
        outcome = Outcome()
        outcome.text = run(["tune", name, "--keys", keys, "--jobs", "1"], folder)
        outcomes.append(outcome)
    return outcomes


NUMBER = r"([0-9.e+-]+)"


def compare(case, expected, outcome):
    (grid, (before, is_unique)), text = expected, outcome.text
    outcome.unique = is_unique and all(unique for _, unique in grid.values())
    differences = []
    if not outcome.unique:
        return differences
    as_it_is = re.search(rf"as it is: {NUMBER} samples/s", text).group(1)
    compare_printed("as it is", before, as_it_is, differences)
    trials = read_trials(text, len(case["_ranges"]))
    best = 0.0
    for values, found, so_far in trials:
        if values not in grid:
            differences.append(f"trial {values}: out of the ranges")
            continue
        best = max(best, grid[values][0])
        compare_printed(f"trial {values}", grid[values][0], found, differences)
        compare_printed(f"best up to trial {values}", best, so_far, differences)
    if len({values for values, *_ in trials}) != len(trials):
        differences.append("a trial was made twice")
    best = max(value for value, _ in grid.values())
    compare_printed("best of the grid", best, re.search(rf"^best: {NUMBER} samples/s", text, re.MULTILINE).group(1), differences)
    # Nothing is drawn, so other seeds give the same.
    gain = re.search(rf"with other seeds {NUMBER} %", text).group(1)
    compare_numbers("gain, %", 100 * (best / before - 1), gain, differences, rounding=0.00501)
    chosen = tuple(int(re.search(rf"--set {re.escape(key)}=(\d+)", text).group(1)) for key in case["_ranges"])
    compare_numbers(f"values {chosen} that are told", best, grid[chosen][0], differences)
    # Every trial is a run of all steps.
    tried = int(re.search(r"would take (\d+) steps", text).group(1))
    compare_numbers("steps of all trials", len(trials) * case["job"]["steps"], tried, differences)
    return differences


def read_trials(text, keys):
    """Rows (values, samples/s, the best so far)."""
    rows = []
    for line in text.splitlines():
        cells = line.split()
        if len(cells) == keys + 3 and cells[0].isdigit():
            rows.append((tuple(map(int, cells[1:1 + keys])), cells[-2], cells[-1]))
    return rows


def perturb(random, outcome):
    """A throughput with another digit in the third place, or another number of steps."""
    if not outcome.unique:
        return False
    if random.random() < 0.2:
        outcome.text = re.sub(r"take (\d+) steps", lambda match: f"take {int(match.group(1)) + 1} steps", outcome.text)
        return True
    places = list(re.finditer(r"\d+\.?\d*(?= samples/s)|(?<= )\d+\.\d+$", outcome.text, re.MULTILINE))
    place = random.choice(places)
    changed = f"{float(place.group(0)) * 1.01:.6g}"
    outcome.text = outcome.text[:place.start()] + changed + outcome.text[place.end():]
    return True
