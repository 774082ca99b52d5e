#
# Copyright (c) 2026 The dml authors
#
# SPDX-License-Identifier: GPL-2.0-only

"""Jobs whose workers do little but push to one server at the same time, in tensors that are small enough to tell how
far each connection is at any time."""

import itertools
import os
import statistics
from bisect import bisect_right

import dml


def write_scenario(folder, tensors, size, more="", back=False):
    """A step is a short pull, 50 ms of compute, and a push of so many tensors of so many bytes; with `back` also a pull of as
    many, which begins with the push, so that data of others goes the way of its acknowledgements. `more`: lines of the
    scenario. Returns its path."""
    numbers = range(tensors)
    with open(os.path.join(folder, "profile.yaml"), "w", encoding="utf-8") as file:
        file.write("schema: dml-profile/1\nmodel: incast\nbatch_size: 1\nsource: {made: by hand}\ntensors:\n"
                   "  - {name: x, bytes: 1000}\n"
                   + "".join(f"  - {{name: t{i}, bytes: {size}}}\n" for i in numbers)
                   + "ops:\n  - {name: pull/x, kind: pull, tensor: x}\n"
                   "  - {name: f, kind: forward, deps: [pull/x], seconds: 0.05}\n"
                   + "".join(f"  - {{name: push/t{i}, kind: push, tensor: t{i}, deps: [f]}}\n"
                             f"  - {{name: update/t{i}, kind: update, tensor: t{i}, "
                             f"deps: [push/t{i}], seconds: 0}}\n" for i in numbers)
                   + "".join(f"  - {{name: pull/t{i}, kind: pull, tensor: t{i}, deps: [f]}}\n" for i in numbers if back))
    path = os.path.join(folder, "scenario.yaml")
    with open(path, "w", encoding="utf-8") as file:
        file.write("job: {profile: profile.yaml, steps: 1, warmup: 0}\ntransfer: {policy: fifo}\n"
                   "network: {rate: 1Gbps, delay: 10us, queue: 1MB}\n"
                   "output: {trace: false, plots: false}\n" + more)
    return path


class Progress:
    """How many bytes of a worker have come, at any time."""

    def __init__(self, pushes, size):
        """pushes: (first byte, last byte) of tensors of `size` bytes"""
        self.times, self.counts = [], []
        for number, (first, last) in enumerate(sorted(pushes)):
            self.times += [first, last]
            self.counts += [number * size, (number + 1) * size]
        self.times = list(itertools.accumulate(self.times, max))  # the next one may begin before the last one has come

    @property
    def begin(self):
        return self.times[0]

    @property
    def end(self):
        return self.times[-1]

    def at(self, time):
        if time >= self.end:
            return self.counts[-1]
        after = bisect_right(self.times, time)
        if after == 0:
            return 0
        begin, end = self.times[after - 1:after + 1]
        low, high = self.counts[after - 1:after + 1]
        return low + (high - low) * (time - begin) / (end - begin)

    def between(self, begin, end):
        return self.at(end) - self.at(begin)


def read(folder, size):
    """Progress of each worker, by (replication, step) and worker."""
    pushes = {}
    for row in dml.Results(folder).rows("transfers"):
        if row["direction"] == "uplink":
            key = int(row["replication"]), int(row["step"])
            pushes.setdefault(key, {}).setdefault(int(row["worker"]), []).append(
                (float(row["first_byte"]), float(row["last_byte"])))
    return {key: [Progress(found, size) for _, found in sorted(workers.items())] for key, workers in sorted(pushes.items())}


def squares(workers, begin, end, step):
    """Of the parts by which shares differ from equal ones, in each stretch of time in which all push."""
    found = []
    while begin + step <= end:
        parts = [worker.between(begin, begin + step) for worker in workers]
        mean = statistics.fmean(parts)
        if mean > 0:
            found.append(statistics.fmean((part / mean - 1) ** 2 for part in parts))
        begin += step
    return found
