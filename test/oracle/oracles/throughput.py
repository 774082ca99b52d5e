# Copyright (c) 2026 The dml authors
#
# SPDX-License-Identifier: GPL-2.0-only

"""Throughput of replications, its mean and 95 % interval, from steps.csv as doc/dml.rst ("Throughput") defines them.

Student's quantiles come from the distribution's integral, by Simpson's rule and bisection.
"""

import math

from oracles import random_jobs
from oracles.comparison import compare_numbers

NAME = "throughput"
TABLES = ("steps",)


def draw(random):
    profile = random_jobs.layered(random, devices=False, samples=random.randint(2, 4))
    for op in profile["ops"]:
        if op["kind"] in ("forward", "backward"):
            op["samples"] = [value + 0.01 for value in op["samples"]]
    workers = random.randint(1, 4)
    sync = random.choice(("async", "async", "bsp", {"ssp": 2}))
    job = {"workers": workers, "parameter_servers": random.randint(1, 2), "steps": random.randint(2, 9),
           "sampling": "random", "start": "staggered", "step_jitter": random.choice(("0s", "100ms")), "sync": sync}
    job["warmup"] = random.randint(0, job["steps"] - 1)
    return {"profile": profile, "job": job, "replications": random.choice((1, 2, 3, 4, 5, 7)),
            "seed": random.randint(1, 100000), "transfer": {"policy": "fifo", "window": "off"},
            "network": {"transport": "ideal", "rate": "8Mbps", "delay": "0s"},
            "fair_share": {"sharing": "equal", "one_way_delay": "0s"}}


def window(case, steps):
    """t0 and t1: of rounds where there is a barrier, of single workers otherwise."""
    job = case["job"]
    workers, last = range(job["workers"]), job["steps"] - 1
    if job["sync"] == "bsp":
        if last > job["warmup"]:
            return max(steps[worker, job["warmup"]][0] for worker in workers), max(steps[worker, last][0] for worker in workers)
        # A single step is measured from the end of the one before to its own.
        begin = max(min(steps[worker, last][0], steps.get((worker, last - 1), (0, math.inf))[1]) for worker in workers)
        return begin, max(steps[worker, last][1] for worker in workers)
    begins = [steps[worker, job["warmup"] - 1][1] if job["warmup"] else steps[worker, 0][0] for worker in workers]
    return max(begins), min(steps[worker, last][1] for worker in workers)


def throughput(case, steps):
    """t0, t1, the number of steps in between, and samples per second or None."""
    job = case["job"]
    begin, end = window(case, steps)
    if job["sync"] == "bsp":
        # Whole rounds: from the first step after the warm-up to the one before the last.
        counted = [one for one in steps if job["warmup"] <= one[1] < max(job["steps"] - 1, job["warmup"] + 1)]
    else:
        counted = [one for one, (_, ended) in steps.items() if begin + 1e-12 < ended <= end + 1e-12]
    defined = end > begin and (job["sync"] == "bsp" or len(counted) >= job["workers"])
    return begin, end, len(counted), case["profile"]["batch_size"] * len(counted) / (end - begin) if defined else None


def student(degrees, probability=0.975):
    """The quantile of Student's distribution."""
    constant = math.exp(math.lgamma((degrees + 1) / 2) - math.lgamma(degrees / 2)) / math.sqrt(degrees * math.pi)

    def density(value):
        return constant * (1 + value * value / degrees) ** (-(degrees + 1) / 2)

    def distribution(value, count=2000):
        width = value / count
        total = density(0) + density(value)
        total += sum((4 if index % 2 else 2) * density(index * width) for index in range(1, count))
        return 0.5 + total * width / 3

    low, high = 0.0, 50.0
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if distribution(middle) < probability else (low, middle)
    return low


QUANTILES = {}


def interval(values):
    """Mean and half-width of the 95 % interval of the mean, which fewer than four values do not have."""
    mean = sum(values) / len(values)
    if len(values) < 4:
        return mean, None
    degrees = len(values) - 1
    if degrees not in QUANTILES:
        QUANTILES[degrees] = student(degrees)
    variance = sum((value - mean) ** 2 for value in values) / degrees
    return mean, QUANTILES[degrees] * math.sqrt(variance / len(values))


def expect(case):
    return case


def compare(_, case, outcome):
    differences = []
    engine = outcome.summary["engines"]["fair-share"]
    found = {}
    for row in outcome.rows("steps"):
        found.setdefault(int(row["replication"]), {})[int(row["worker"]), int(row["step"])] = (
            float(row["start"]), float(row["end"]))
    compare_numbers("replications", case["replications"], len(engine["replications"]), differences)
    values = []
    for number, replication in enumerate(engine["replications"]):
        begin, end, count, value = throughput(case, found[number])
        what = f"replication {number}: "
        if value is None:
            if replication["throughput"] is not None:
                differences.append(f"{what}throughput: expected none, found {replication['throughput']}")
            continue
        compare_numbers(what + "t0", begin, replication["t0"], differences, rounding=1e-9)
        compare_numbers(what + "t1", end, replication["t1"], differences, rounding=1e-9)
        compare_numbers(what + "steps", count, replication["steps"], differences)
        compare_numbers(what + "throughput", value, replication["throughput"], differences,
                        rounding=value * 2e-9 / (end - begin))
        # The mean is that of the exact values, so that the rounding of steps.csv does not add up.
        if replication["throughput"] is not None:
            values.append(replication["throughput"])
    compare_numbers("undefined_replications", len(found) - len(values), engine["undefined_replications"], differences)
    if values:
        mean, half = interval(values)
        compare_numbers("mean", mean, engine["mean"], differences)
        compare_numbers("ci95", half, engine["ci95"], differences, rounding=1e-9 * mean, relative=1e-8)
        compare_numbers("min", min(values), engine["min"], differences)
        compare_numbers("max", max(values), engine["max"], differences)
    elif engine["mean"] is not None:
        differences.append(f"mean: expected none, found {engine['mean']}")
    return differences


def perturb(random, outcome):
    """A throughput, mean or interval that is a little off, or a step more."""
    engine = outcome.summary["engines"]["fair-share"]
    if engine["mean"] is None or not engine["ci95"]:
        return False
    change = random.choice(("mean", "ci95", "min", "max", "throughput", "steps"))
    if change in engine:
        engine[change] *= 1 + 1e-6
    else:
        row = random.choice([one for one in engine["replications"] if one["throughput"] is not None])
        row[change] = row[change] + 1 if change == "steps" else row[change] * 1.001
    return True
