# Copyright (c) 2026 The dml authors
#
# SPDX-License-Identifier: GPL-2.0-only

"""`dml learn` (doc/learning.rst): which updates of the model there are and when, how stale gradients were, when the target is
reached, and with which learning rate.

What is learnt has numbers that only the program draws. So losses are compared with each other: workers that a barrier keeps in
step, and one alone, learn the same with every update, however fast the network is.
"""

import collections
import math
import os
import random
import re

from oracles import random_jobs, throughput
from oracles.comparison import compare_numbers
from oracles.program import Outcome, read_table, run, write_json

NAME = "learning"
TABLES = ()
# Some five processes for a case.
SHARE = 0.05
RATES = ("8Mbps", "30Mbps")
NUMBER = r"[-+]?[0-9.]+(?:e[-+][0-9]+)?"


def draw(random):  # pylint: disable=W0621
    profile = random_jobs.layered(random, devices=False, largest=300_000, samples=random.randint(1, 3))
    for op in profile["ops"]:
        # Every tensor has a gradient at a time of its own.
        if "samples" in op:
            op["samples"] = [value + random.randint(1, 1000) / 1e5 for value in op["samples"]]
    for tensor in profile["tensors"]:
        tensor["bytes"] += 100
    profile["batch_size"] = random.randint(4, 32)
    workers = random.randint(1, 4)
    sync = random.choice(("async", "bsp", "bsp", {"ssp": 1}, *([{"backup": 1}] if workers > 1 else [])))
    job = {"workers": workers, "parameter_servers": random.choice((1, 1, 2)), "steps": random.randint(30, 60), "warmup": 1,
           "sync": sync, "sampling": "random", "start": "staggered", "step_jitter": "20ms", "protocol": "run-graph"}
    return {"profile": profile, "job": job, "replications": random.choice((1, 3, 4, 5)), "seed": random.randint(1, 1000),
            "transfer": {"policy": "fifo", "window": "off"}, "network": {"transport": "ideal", "delay": "0s"},
            "fair_share": {"sharing": "max-min", "one_way_delay": "0s"},
            "_problem": random.choice(("softmax", "quadratic")), "_target": random.choice((0.5, 0.7))}


def expect(case):
    return case


def run_cases(folder, cases, _):
    """A study of each case with two networks, and what it learns, with half and twice the learning rate, too."""
    outcomes = []
    for number, case in enumerate(cases):
        write_json(folder, f"profile{number}.yaml", case["profile"])
        scenario = {key: value for key, value in case.items() if key != "profile" and not key.startswith("_")}
        scenario = {"name": "oracle", **scenario, "job": {"profile": f"profile{number}.yaml", **case["job"]},
                    "sweep": {"network.rate": list(RATES)},
                    "output": {"plots": False, "trace": False, "transfers": False, "links": False, "versions": True}}
        write_json(folder, f"learn{number}.yaml", scenario)
        name = f"learn{number}"
        run(["run", name + ".yaml", "--engine=fair-share", "--jobs", "1", "--out", name], folder)
        outcome = Outcome()
        options = ["--problem", case["_problem"], "--target", str(case["_target"])]
        outcome.text = run(["learn", name, *options], folder)
        outcome.tables = {table: read_table(os.path.join(folder, name, table + ".csv")) for table in ("versions", "learning")}
        outcome.others = {}
        chosen = {row["rate"] for row in outcome.rows("learning")}
        for rate in {factor * float(one) for one in chosen for factor in (0.5, 2)}:
            run(["learn", name, *options, "--learning-rate", f"{rate:.9g}"], folder)
            outcome.others[rate] = read_table(os.path.join(folder, name, "learning.csv"))
        outcomes.append(outcome)
    return outcomes


def by_run(rows, key):
    """Rows by scheme and replication."""
    found = collections.defaultdict(list)
    for row in rows:
        found[row[key], int(row["replication"])].append(row)
    return found


def updates(rows, tensors, batch):
    """Times of the model's updates and samples until then: as many versions as there are tensors are one update."""
    made = {}
    for row in rows:
        version = (row["tensor"], row["made"])
        made[version] = (float(row["time"]), made.get(version, (0.0, 0))[1] + batch)
    versions, found, samples = sorted(made.values(), key=lambda one: one[0]), [], 0
    for number, (time, drawn) in enumerate(versions, start=1):
        samples += drawn
        if number % tensors == 0:
            found.append((time, samples // tensors))
    return found


def is_due(numbers, count):
    """Whether the loss is measured after each of 50 updates, then whenever there are 2 % more, and after the last one."""
    steps = zip(numbers, numbers[1:])
    return numbers[0] == 0 and numbers[-1] == count and all(
        one < two <= (one + 1 if one < 50 else math.ceil(one * 1.02)) for one, two in steps)


def reached(rows, target):
    """Updates and time of the first loss that is no higher than the target; and whether the last one is not, either."""
    first = next((row for row in rows if float(row["loss"]) <= target), None)
    stays = float(rows[-1]["loss"]) <= target
    return (int(first["updates"]), float(first["time"]), stays) if first else None


def compare(case, _, outcome):
    differences = []
    versions, curves = by_run(outcome.rows("versions"), "variant"), by_run(outcome.rows("learning"), "scheme")
    if versions.keys() != curves.keys():
        return [f"runs: expected {sorted(versions)}, found {sorted(curves)}"]
    for (scheme, replication), rows in curves.items():
        compare_curve(case, f"{scheme}, replication {replication}", versions[scheme, replication], rows, differences)
    schemes = list(dict.fromkeys(scheme for scheme, _ in curves))
    outcome.checked = True
    if case["job"]["sync"] == "bsp" or case["job"]["workers"] == 1:
        compare_losses(schemes, curves, differences)
    for scheme in schemes:
        compare_rate(case, scheme, curves, outcome.others, differences)
    compare_text(case, schemes, versions, curves, outcome.text, differences)
    return differences


def compare_curve(case, what, versions, rows, differences):
    made = updates(versions, len(case["profile"]["tensors"]), case["profile"]["batch_size"])
    found = [int(row["updates"]) for row in rows]
    if not is_due(found, len(made)):
        differences.append(f"{what}: measured after {found[:3]} ... {found[-5:]} of {len(made)} updates")
        return
    for row in rows:
        number = int(row["updates"])
        time, samples = made[number - 1] if number else (0.0, 0)
        compare_numbers(f"{what}: time of update {number}", time, row["time"], differences, rounding=1.1e-9)
        compare_numbers(f"{what}: samples of update {number}", samples, row["samples"], differences)


def compare_losses(schemes, curves, differences):
    """The same learning rate and the same gradients."""
    first, second = ((curves[scheme, 0]) for scheme in schemes)
    if first[0]["rate"] != second[0]["rate"]:
        differences.append(f"learning rates: {first[0]['rate']} and {second[0]['rate']} where all is the same but the time")
        return
    for one, other in zip(first, second):
        compare_numbers(f"loss after update {one['updates']} with another network", float(one["loss"]), other["loss"],
                        differences, relative=1e-6)


def compare_rate(case, scheme, curves, others, differences):
    """Half and twice the rate reach the target no sooner in the first run, or are not there at its end."""
    own = reached(curves[scheme, 0], case["_target"])
    rate = float(curves[scheme, 0][0]["rate"])
    if math.log2(rate) % 1:
        differences.append(f"{scheme}: learning rate {rate}, which is no power of two")
    for other, rows in others.items():
        found = reached(by_run(rows, "scheme")[scheme, 0], case["_target"])
        if found and found[2] and abs(math.log2(other / rate)) == 1 and (own is None or found[1] < own[1]):
            differences.append(f"{scheme}: learning rate {rate} reaches the target {own}, {other} {found}")


def compare_text(case, schemes, versions, curves, text, differences):
    times = {scheme: [] for scheme in schemes}
    for scheme in schemes:
        line = re.search(rf"^{re.escape(scheme)} +({NUMBER}) +({NUMBER}) +(.*)$", text, re.MULTILINE)
        if not line:
            differences.append(f"{scheme}: not in the table")
            continue
        runs = [curves[scheme, replication] for replication in range(case["replications"])]
        compare_numbers(f"{scheme}: learning rate", float(runs[0][0]["rate"]), line.group(1), differences, relative=1e-3)
        gradients = [int(row["made"]) - 1 - int(row["read"]) for replication in range(case["replications"])
                     for row in versions[scheme, replication]]
        compare_numbers(f"{scheme}: stale by", sum(gradients) / len(gradients), line.group(2), differences, rounding=0.0501)
        there = [reached(rows, case["_target"]) for rows in runs]
        if None in there:
            if not re.match(r"- +-", line.group(3)):
                differences.append(f"{scheme}: expected no time, found {line.group(3)}")
            continue
        times[scheme] = [one[1] for one in there]
        mean, half = throughput.interval(times[scheme])
        found = re.match(rf"(\d+) +({NUMBER})(?: \+- +({NUMBER}))?", line.group(3))
        compare_numbers(f"{scheme}: updates", sum(one[0] for one in there) / len(there), found.group(1), differences,
                        rounding=0.501)
        compare_numbers(f"{scheme}: seconds", mean, found.group(2), differences, relative=0.51e-3)
        if half is not None:
            compare_numbers(f"{scheme}: interval", half, found.group(3), differences, rounding=0.51e-3 * mean)
    if all(times.values()):
        ratio = math.exp(sum(math.log(two / one) for one, two in zip(*times.values())) / case["replications"])
        line = re.search(rf"^{re.escape(schemes[1])} .*$", text, re.MULTILINE).group(0)
        against = re.search(r" ([-+][0-9.]+)(?: |\?|$)(?!-)", line)
        if case["replications"] > 1 and against:
            compare_numbers("time against the first, %", 100 * (ratio - 1), against.group(1), differences, rounding=0.501,
                            relative=0.51e-2)


def perturb(random, outcome):  # pylint: disable=W0621
    """An update a microsecond later, or with a sample more; or a gradient that is staler."""
    change = random.choice(("time", "samples"))
    row = random.choice([row for row in outcome.rows("learning") if row["updates"] != "0"])
    row[change] = str(float(row[change]) + (1e-6 if change == "time" else 1))
    return True
