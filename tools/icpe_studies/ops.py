#
# Copyright (c) 2026 The dml authors
#
# SPDX-License-Identifier: GPL-2.0-only

"""Turns of transfers and ops of a worker's step, from ops.csv, and how they overlap."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Op:
    """A turn of a transfer, or an op on a device."""

    worker: int
    step: int
    kind: str  # pull, forward, backward, push, update
    name: str  # without the kind
    bytes: int
    start: float  # s
    end: float  # s


def read(folder, engine, workers, replication=0, variant=None):
    """The ops of one replication in the order of the file."""
    wanted = {"engine": engine, "workers": str(workers), "replication": str(replication)}
    if variant:
        wanted["variant"] = variant
    found = []
    for row in folder.select("ops", wanted):
        kind, _, name = row["op"].partition("/")
        if row["parse"] == "0":
            found.append(Op(int(row["worker"]), int(row["step"]), kind, name, int(row["bytes"]),
                            float(row["start"]), float(row["end"])))
    return found


def select(ops, kinds, worker=0, step=None):
    return [op for op in ops if op.kind in kinds and op.worker == worker
            and step in (None, op.step)]


def union(intervals):
    """Disjoint (start, end) with the same points."""
    found = []
    for start, end in sorted(intervals):
        if found and start <= found[-1][1]:
            found[-1] = (found[-1][0], max(end, found[-1][1]))
        else:
            found.append((start, end))
    return found


def length(intervals):
    return sum(end - start for start, end in intervals)


def common(first, second):
    """Length of the time that both have; each is a union."""
    return sum(max(0.0, min(a[1], b[1]) - max(a[0], b[0])) for a in first for b in second)


def busy(ops):
    return union((op.start, op.end) for op in ops)
