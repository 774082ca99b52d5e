# Copyright (c) 2026 The dml authors
#
# SPDX-License-Identifier: GPL-2.0-only

"""`dml compare`: the difference of two studies over pairs of replications.

doc/sweeps.rst: replications with the same seed and number are pairs; the difference is the geometric mean of their ratios,
and its interval Student's of the mean logarithm. Fewer than four pairs have the least and the greatest ratio, and are
never significant (doc/dml.rst, Throughput).
"""

import json
import math
import os

from oracles import throughput
from oracles.comparison import compare_numbers
from oracles.program import Outcome, read_table, run, write_json

NAME = "comparisons"
# Three processes for a case.
SHARE = 0.25
TABLES = ()


def draw(random):
    """A job, and another server rate for the same seeds."""
    case = throughput.draw(random)
    case["job"]["warmup"] = 0
    case["job"]["workers"] = random.randint(1, 3)
    case["replications"] = random.randint(2, 8)
    case["_rate"] = f"{random.randint(5, 12)}Mbps"
    return case


def run_cases(folder, cases, _):
    """Two studies for each case."""
    outcomes = []
    for number, case in enumerate(cases):
        write_json(folder, f"profile{number}.yaml", case["profile"])
        scenario = {key: value for key, value in case.items() if key != "profile" and not key.startswith("_")}
        scenario = {"name": "oracle", **scenario, "job": {"profile": f"profile{number}.yaml", **case["job"]},
                    "output": {"plots": False, "trace": False, "transfers": False, "links": False}}
        write_json(folder, f"a{number}.yaml", scenario)
        scenario["network"] = {**scenario["network"], "rate": case["_rate"]}
        write_json(folder, f"b{number}.yaml", scenario)
        outcome = Outcome()
        outcome.sides = []
        for side in "ab":
            name = f"{side}{number}"
            run(["run", name + ".yaml", "--engine=fair-share", "--jobs", "1", "--out", name], folder)
            with open(os.path.join(folder, name, "summary.json"), encoding="utf-8") as file:
                summary = json.load(file)
            outcome.sides.append({(one["seed"], one["replication"]): one["throughput"] for one in
                                  summary["cases"][0]["engines"]["fair-share"]["replications"]})
        run(["compare", f"a{number}", f"b{number}", "-o", f"compare{number}.csv"], folder)
        outcome.tables["compare"] = read_table(os.path.join(folder, f"compare{number}.csv"))
        outcomes.append(outcome)
    return outcomes


def expect(case):
    return case


def compare(_, case, outcome):
    differences = []
    first, second = outcome.sides
    logarithms = [math.log(second[key] / first[key]) for key in sorted(first)
                  if first[key] is not None and second.get(key) is not None]
    rows = outcome.rows("compare")
    if not logarithms:
        return differences
    if len(rows) != 1:
        return [f"compare: expected one row, found {len(rows)}"]
    mean, half = throughput.interval(logarithms)
    low, high = (min(logarithms), max(logarithms)) if half is None else (mean - half, mean + half)
    for name, expected in (("pairs", len(logarithms)), ("difference", math.exp(mean) - 1),
                           ("low", math.exp(low) - 1 if len(logarithms) > 1 else None),
                           ("high", math.exp(high) - 1 if len(logarithms) > 1 else None)):
        # Numbers have nine digits.
        compare_numbers(name, expected, rows[0][name], differences, rounding=1e-12, relative=1e-8)
    compare_numbers("significant", half is not None and abs(mean) > half, rows[0]["significant"], differences)
    for side, name in ((first, "a"), (second, "b")):
        mean, half = throughput.interval([value for value in side.values() if value is not None])
        compare_numbers(name, mean, rows[0][name], differences, relative=1e-8)
        compare_numbers(name + "_half_width", half, rows[0][name + "_half_width"], differences, rounding=1e-9 * mean,
                        relative=1e-7)
        known = [value for value in side.values() if value is not None]
        for end, expected in (("_min", min(known)), ("_max", max(known))):
            compare_numbers(name + end, expected, rows[0][name + end], differences, relative=1e-8)
    return differences


def perturb(random, outcome):
    """A number that is off in its sixth digit."""
    if not outcome.rows("compare") or not float(outcome.rows("compare")[0]["difference"] or 0):
        return False
    row = outcome.rows("compare")[0]
    name = random.choice([one for one in ("a", "b", "difference", "low", "high") if row[one]])
    row[name] = str(float(row[name]) * 1.00001)
    return True
