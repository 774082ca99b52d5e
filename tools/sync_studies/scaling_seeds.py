#
# Copyright (c) 2026 The dml authors
#
# SPDX-License-Identifier: GPL-2.0-only

"""Asynchronous scaling as in the study `scaling`, fair-share, by more replications: how they differ."""

from dataclasses import replace
from operator import attrgetter

from study_intervals import Mean
from sync_studies.scaling import LINES, PACKET_WORKERS, SERVERS, WORKERS, lines, saturation
from validation_report.tables import simple

NAME = "scaling-seeds"
REPLICATIONS = 5
RUNS = (replace(LINES, settings=(*LINES.settings, f"replications={REPLICATIONS}")),)


def saturations(by_workers):
    """Where it saturates: the range over the replications, as text."""
    reached = [saturation(dict(zip(by_workers, values))) for values in zip(*by_workers.values())]
    numbers = [WORKERS[-1] + 1 if at is None else at for at in reached]
    low, high = (str(at) if at in WORKERS else f"> {WORKERS[-1]}" for at in (min(numbers), max(numbers)))
    return low if low == high else f"{low} to {high}"


def speed_up(by_workers, workers):
    """Throughput over that of one worker, by pairs of replications with the same seed."""
    return Mean.of_pairs(by_workers[workers], by_workers[1])


def saturation_table(found):
    rows = []
    for (name, rate, servers), by_workers in found.items():
        ups = [speed_up(by_workers, workers) for workers in PACKET_WORKERS[1:]]
        rows.append([f"{name}, {rate.removesuffix('Gbps')}", str(servers), Mean.of(by_workers[1]).text(1),
                     *(up.text(2 if up.value < 10 else 1) for up in ups), saturations(by_workers)])
    return simple(["GPU, Gbit/s", "M", "W=1", *(f"x, {w}" for w in PACKET_WORKERS[1:]), "from"], rows)


def report(results, _picture):
    """(tables, pictures, values)."""
    found = lines(results, attrgetter("throughputs"))
    one, two = (found["V100", "2.5Gbps", servers] for servers in SERVERS)
    values = {f"second-{workers}": Mean.of_pairs(two[workers], one[workers]).text(2)
              for workers in PACKET_WORKERS[1:]}
    return {"saturation": saturation_table(found)}, {}, values
