# Copyright (c) 2026 The dml authors
#
# SPDX-License-Identifier: GPL-2.0-only

"""`dml order`: the order of TIC or TAC with the properties of each pull, and what an order is worth.

Hashemi et al., TicTac (MLSys 2019): Algorithms 1 to 3, and section 3.2 with the bounds U and L of a step, the efficiency E and
the speed-up S; doc/order-efficiency.rst. The steps are those of one worker by Algorithm 3.1.
"""

import math
import re

from oracles import order, random_jobs
from oracles.comparison import compare_numbers
from oracles.program import Outcome, run, write_json
from oracles.simulator import Connection, DeviceQueue, Simulator, make_plan

NAME = "orders"
TABLES = ()
RATE = 8_000_000
# With the TCP timestamps of a scenario that does not set them.
GOODPUT = RATE / 8 * 1448 / 1502 * 16384 / 16393


def draw(random):
    profile = random.choice((random_jobs.layered(random, devices=False), random_jobs.any_graph(random)))
    profile["devices"] = [{"name": "cpu", "slots": 1}]
    for op in profile["ops"]:
        if "device" in op:
            op["device"] = "cpu"
        if "samples" in op:
            op["samples"] = [value + random.randint(1, 1000) / 1e5 for value in op["samples"]]
    for tensor in profile["tensors"]:
        tensor["bytes"] = tensor["bytes"] + 1000
    return {"profile": profile, "_policy": random.choice(("tic", "tac"))}


def step_time(profile, tensors):
    """Seconds of a step whose pulls come in that order."""
    shortest = {**profile, "ops": [{**op, "samples": [min(op["samples"])]} if "samples" in op else op
                                   for op in profile["ops"]]}
    plan = make_plan(shortest, 1)
    ranks = {name: place for place, name in enumerate(tensors)}

    def queues(resource):
        if resource[0] in ("downlink", "uplink"):
            return Connection(lambda task: task.left, ranks=ranks if resource[0] == "downlink" else None)
        return DeviceQueue()

    done = Simulator(plan, 1, 1, queues=queues, rates=lambda flows: [GOODPUT / len({flow.worker for flow in flows
                     if flow.direction == one.direction}) for one in flows], samples=lambda worker, step: 0).run()
    return done.rows[0][3]


def choices(profile, tensors, time):
    """P, M and M+ of each pull when it is chosen, the pulls before it being there."""
    pulls = {op["tensor"]: op["name"] for op in profile["ops"] if op["kind"] == "pull"}
    waits_for = order.dependencies(profile["ops"])
    outstanding, rows = list(pulls.values()), []
    for tensor in tensors:
        load, impending = order.properties(profile["ops"], outstanding, time, waits_for)
        name = pulls[tensor]
        rows.append((tensor, load[name], time({"kind": "pull", "name": name}), impending[name]))
        outstanding.remove(name)
    return rows


def expect(case):
    profile, ops = case["profile"], case["profile"]["ops"]
    sizes = {tensor["name"]: tensor["bytes"] for tensor in profile["tensors"]}
    by_name = {op["name"]: op for op in ops}

    def time(op):
        op = by_name[op["name"]]
        return sizes[op["tensor"]] / GOODPUT if op["kind"] in ("pull", "push") else min(op["samples"])

    tic, tac = order.tic(ops), order.tac(ops, sizes, GOODPUT)
    orders = {"tac": tac, "tic": tic}
    chosen = orders[case["_policy"]]
    resources = {}
    for op in ops:
        resource = op["kind"] if op["kind"] in ("pull", "push", "update") else "device"
        resources[resource] = resources.get(resource, 0.0) + time(op)
    steps = {case["_policy"]: step_time(profile, chosen),
             "as listed": step_time(profile, [op["tensor"] for op in ops if op["kind"] == "pull"]),
             "reverse of tic": step_time(profile, tic[::-1])}
    return {"chosen": chosen, "rows": choices(profile, chosen, time), "all": sum(resources.values()),
            "busiest": max(resources.values()), "steps": steps}


def run_cases(folder, cases, _):
    """The command takes one profile at a time."""
    outcomes = []
    for number, case in enumerate(cases):
        write_json(folder, f"profile{number}.yaml", case["profile"])
        outcome = Outcome()
        outcome.text = run(["order", f"profile{number}.yaml", "--policy=" + case["_policy"], f"--rate={RATE}bps"], folder)
        outcomes.append(outcome)
    return outcomes


def digits(text):
    return math.inf if text == "infinite" else float(text)


def compare_digits(what, expected, text, differences):
    """Half a unit of the last digit that is printed."""
    if math.isinf(expected) or math.isinf(digits(text)):
        if expected != digits(text):
            differences.append(f"{what}: expected {expected}, found {text}")
        return
    unit = 10.0 ** -len(text.partition(".")[2])
    compare_numbers(what, expected, digits(text), differences, rounding=0.501 * unit)


def compare(case, expected, outcome):
    differences = []
    text = outcome.text
    rows = re.findall(r"^ *(\d+) (\S+) +(\d+) +(?:(\S+) +(\S+) +)?(\S+)$", text, re.MULTILINE)
    if [row[1] for row in rows] != expected["chosen"]:
        return [f"order: expected {expected['chosen']}, found {[row[1] for row in rows]}"]
    if case["_policy"] == "tac":
        for row, (tensor, *values) in zip(rows, expected["rows"]):
            for name, value, found in zip(("P", "M", "M+"), values, row[3:]):
                compare_digits(f"{name} of {tensor}, ms", value * 1e3, found, differences)
    whole, busiest = expected["all"], expected["busiest"]
    compare_digits("U, ms", whole * 1e3, re.search(r"^U = (\S+) ms", text, re.MULTILINE).group(1), differences)
    compare_digits("L, ms", busiest * 1e3, re.search(r"^L = (\S+) ms", text, re.MULTILINE).group(1), differences)
    compare_digits("S", (whole - busiest) / busiest, re.search(r"^S = (\S+)", text, re.MULTILINE).group(1), differences)
    for name, seconds in expected["steps"].items():
        found = re.search(rf"^ +{name} +(\S+) +(\S+)$", text, re.MULTILINE)
        compare_digits(f"step of {name}, ms", seconds * 1e3, found.group(1), differences)
        compare_digits(f"E of {name}", (whole - seconds) / (whole - busiest), found.group(2), differences)
    return differences


def perturb(random, outcome):
    """One of the numbers, changed in its third digit."""
    pattern = random.choice((r"(^U = )(\S+)", r"(^L = )(\S+)", r"(^S = )(\S+)", r"(^ +as listed +)(\S+)",
                             r"(^ +reverse of tic +)(\S+)"))
    outcome.text = re.sub(pattern, lambda match: match.group(1) + str(float(match.group(2)) * 1.01), outcome.text,
                          flags=re.MULTILINE)
