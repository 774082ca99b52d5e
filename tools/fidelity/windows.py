#
# Copyright (c) 2026 The dml authors
#
# SPDX-License-Identifier: GPL-2.0-only

"""Which HTTP/2 windows the connections of real runs had, step by step: from connections.csv."""

import os
from bisect import bisect_right

from testbed_compare.errors import InputError
from testbed_compare.tables import read_rows

STEPS = ("variant", "workers", "engine", "replication", "worker", "step", "start", "end")
CONNECTIONS = ("variant", "workers", "engine", "replication", "from", "to", "time", "stream_window")


def complete_rows(path, columns):
    """The rows of a CSV file of results. @raise InputError as read_rows(), and if a row is cut off"""
    for place, row in read_rows(path, columns):
        if None in row.values():
            raise InputError(f"{place}: found too few fields; accepted is {len(row)}")
        yield row


def run_of(row):
    """What tells the runs of a folder apart: (variant, W, replication)."""
    return row["variant"], int(row["workers"]), int(row["replication"])


def read_spans(folder):
    """(start, end) of the steps of each worker, in s, by run and worker."""
    spans = {}
    for row in complete_rows(os.path.join(folder, "steps.csv"), STEPS):
        if row["engine"] == "host":
            spans.setdefault(run_of(row), {}).setdefault(int(row["worker"]), []).append(
                (float(row["start"]), float(row["end"])))
    return spans


def read_announced(folder):
    """([time in s], [bytes]) of each connection that told its window, by run and (from, to)."""
    announced = {}
    for row in complete_rows(os.path.join(folder, "connections.csv"), CONNECTIONS):
        if row["engine"] == "host" and row["stream_window"]:
            times, sizes = announced.setdefault(run_of(row), {}).setdefault(
                (row["from"], row["to"]), ([], []))
            times.append(float(row["time"]))
            sizes.append(int(row["stream_window"]))
    return announced


def at(samples, time):
    """The window at a time; before the first sample, the first one."""
    times, sizes = samples
    return sizes[max(0, bisect_right(times, time) - 1)]


def of_run(spans, announced):
    """The value of transfer.window.connections for a run, from its part of both files.

    Streams of parameters open when a step starts. Those of gradients open then, too, but nothing is
    sent on them before the middle of the step, and what is announced meanwhile counts."""
    servers = sorted({place[2:] for pair in announced for place in pair if place.startswith("ps")},
                     key=int)
    connections = []
    for worker, steps in sorted(spans.items()):
        for server in servers:
            down = announced.get((f"ps{server}", f"worker{worker}"))
            up = announced.get((f"worker{worker}", f"ps{server}"))
            connection = {"worker": worker, "server": int(server)}
            if down:
                connection["downlink"] = [f"{at(down, start)}B" for start, _ in steps]
            if up:
                connection["uplink"] = [f"{at(up, (start + end) / 2)}B" for start, end in steps]
            if down or up:
                connections.append(connection)
    return connections


def read(folder):
    """The values of transfer.window.connections of all real runs in a folder, by run."""
    spans, announced = read_spans(folder), read_announced(folder)
    return {run: of_run(spans[run], announced.get(run, {})) for run in spans}


def read_last(folder):
    """(variant, W, whether it carries parameters, bytes) of each connection: what was announced last."""
    return [(variant, workers, sender.startswith("ps"), sizes[-1])
            for (variant, workers, _), connections in read_announced(folder).items()
            for (sender, _), (_, sizes) in connections.items()]
