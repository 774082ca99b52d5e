#
# Copyright (c) 2026 The dml authors
#
# SPDX-License-Identifier: GPL-2.0-only

"""Virtual networks: how connections share a FIFO port of one, while some leave it and come back, as real processes and by
bursts, with and without what the links of such networks have."""

import os
import statistics

import dml
from burst_study.incast import Progress
from validation_report.tables import simple

TENSORS, SIZE = 64, 1_000_000  # bytes
JOB = {"job.workers": [4, 8], "job.steps": 10, "job.warmup": 2}
WIDTH = 0.05  # seconds in which a share is measured
LONG = 16  # of these, for spreads of averages
LAGS = (2, 8, 16)  # of these, after which shares are compared
AGES = ((0.1, 0.4), (0.4, 0.8))  # seconds since a connection has come back
QUANTILES = (0.1, 0.5, 0.9)
SLOW = {"network.tcp.ack_jitter": "100us"}
NO_BUCKET = {"network.token_bucket": "0B"}
ROWS = {  # engine, replications, settings
    "real processes": ("host", 2, {}),
    "bursts": ("burst", 8, {}),
    "- no token buckets": ("burst", 8, NO_BUCKET),
    "- nor ACKs at once": ("burst", 8, {**NO_BUCKET, **SLOW}),
}


def write_scenario(folder):
    """A job of many equal tensors, so that how far each connection is can be told at any time. Returns its path."""
    numbers = range(TENSORS)
    pulls = ", ".join(f"pull/t{i}" for i in numbers)
    with open(os.path.join(folder, "profile.yaml"), "w", encoding="utf-8") as file:
        file.write("schema: dml-profile/1\nmodel: many\nbatch_size: 1\nsource: {made: by hand}\ntensors:\n"
                   + "".join(f"  - {{name: t{i}, bytes: {SIZE}}}\n" for i in numbers) + "ops:\n"
                   + "".join(f"  - {{name: pull/t{i}, kind: pull, tensor: t{i}}}\n" for i in numbers)
                   + f"  - {{name: forward, kind: forward, deps: [{pulls}], seconds: 0.1}}\n"
                   + "".join(f"  - {{name: push/t{i}, kind: push, tensor: t{i}, deps: [forward]}}\n" for i in numbers)
                   + "".join(f"  - {{name: update/t{i}, kind: update, tensor: t{i}, deps: [push/t{i}], seconds: 0}}\n"
                             for i in numbers))
    path = os.path.join(folder, "scenario.yaml")
    with open(path, "w", encoding="utf-8") as file:
        file.write("job: {profile: profile.yaml, parameter_servers: 1, start: together}\n"
                   "transfer: {policy: http2-window, grant: bdp}\n"
                   "network: {rate: 1Gbps, queue: {drop_tail: 1MB, whole_bursts: true}}\n"
                   "output: {trace: false, plots: false, links: false}\n")
    return path


def read_pushes(results):
    """{workers: pushes of each replication, as Progress, without those of first steps}"""
    found = {}
    for row in results.rows("transfers"):
        if row["direction"] == "uplink" and int(row["step"]) > 0:
            key = int(row["workers"]), int(row["replication"]), int(row["worker"]), int(row["step"])
            found.setdefault(key, []).append((float(row["first_byte"]), float(row["last_byte"])))
    pushes = {}
    for (workers, replication, *_), transfers in sorted(found.items()):
        pushes.setdefault(workers, {}).setdefault(replication, []).append(Progress(transfers, SIZE))
    return {workers: list(runs.values()) for workers, runs in pushes.items()}


def compare_with_older(pushes, first, last):
    """What each push gets between two ages, relative to the mean of those that were there when it began and still are; where
    there are two of these at least."""
    shares = []
    for push in pushes:
        begin, end = push.begin + first, push.begin + last
        older = [other for other in pushes if other.begin < push.begin and other.end >= end]
        if len(older) >= 2 and push.end >= end:
            shares.append(push.between(begin, end) / statistics.fmean(other.between(begin, end) for other in older))
    return shares


def share_series(pushes, least):
    """{interval: share relative to the mean} of each push, in intervals in which so many pushes are under way."""
    series = [{} for _ in pushes]
    for number in range(int(max(push.end for push in pushes) / WIDTH)):
        begin, end = number * WIDTH, (number + 1) * WIDTH
        active = [(one, push) for one, push in zip(series, pushes) if push.begin <= begin and push.end >= end]
        rates = [push.between(begin, end) for _, push in active]
        if len(active) >= least and sum(rates) > 0:
            for (one, _), rate in zip(active, rates):
                one[number] = rate * len(rates) / sum(rates)
    return series


def spread(series, length):
    """Standard deviation of shares that are averaged over so many intervals in a row."""
    means = []
    for one in series:
        numbers = sorted(one)
        for at in range(0, len(numbers) - length + 1, length):
            part = numbers[at:at + length]
            if part[-1] - part[0] == length - 1:
                means.append(statistics.fmean(one[number] for number in part))
    return statistics.pstdev(means)


def correlation(series, lag):
    """Of shares so many intervals apart."""
    squares = [(value - 1) ** 2 for one in series for value in one.values()]
    products = [(one[number] - 1) * (one[number + lag] - 1) for one in series for number in one if number + lag in one]
    return statistics.fmean(products) / statistics.fmean(squares)


def row_of(runs, workers):
    """Cells for the pushes of each replication."""
    cells = []
    for first, last in AGES:
        shares = sorted(share for pushes in runs for share in compare_with_older(pushes, first, last))
        cells += [str(len(shares)), f"{statistics.fmean(shares):.2f}"]
        if (first, last) == AGES[0]:
            cells += [f"{shares[int(part * len(shares))]:.2f}" for part in QUANTILES]
    series = [one for pushes in runs for one in share_series(pushes, max(2, workers // 2))]
    cells += [f"{spread(series, length):.2f}" for length in (1, LONG)]
    return cells + [f"{correlation(series, lag):.2f}" for lag in LAGS]


def virtual(folder):
    """Shares of those that come back, and of all, by real processes and bursts. Real runs that are there are used again."""
    scenario = write_scenario(folder)
    found = {}
    for name, (engine, runs, settings) in ROWS.items():
        out = os.path.join(folder, name.replace(" ", "-").strip("-"))
        if engine != "host" or not dml.Results(out).finished:
            dml.run(scenario, out, engine=engine, settings={**JOB, "replications": runs, **settings}, force=True)
        found[name] = read_pushes(dml.Results(out))
    rows = [[str(workers), name, *row_of(found[name][workers], workers)] for workers in JOB["job.workers"] for name in ROWS]
    head = ["W", "by", "n", "0.1 s", "10 %", "50 %", "90 %", "n", "0.4 s", "50 ms", "0.8 s", "0.1", "0.4", "0.8"]
    return {"virtual": simple(head, rows)}, {}
