#
# Copyright (c) 2026 The dml authors
#
# SPDX-License-Identifier: GPL-2.0-only

"""The estimate of Daydream, as dPRO's authors state it (MLSys 2022, sections 2.2 and 7.1).

The graph is that of one worker, with one communication op for each gradient, whose time is bytes over
bandwidth. All of them share one link, which takes them one after another in the order in which they
are ready; so does the worker's device with its ops. An update waits for its gradient's communication."""

import heapq

LINK = "link"


def bytes_moved(size, workers):
    """Bytes of a gradient over a worker's network interface, each way.

    A ring sends as much, and so do as many servers on the workers' hosts: 1 / N of the gradients to
    the worker's own server needs no network, and the parameters come back likewise."""
    return 2 * (workers - 1) / workers * size


def seconds_of(op):
    """The mean of an op's measured times."""
    given = op.get("samples", op.get("seconds", 0))
    return sum(given) / len(given) if isinstance(given, list) else float(given)


def list_ops(profile, workers, bandwidth, speed):
    """(resource, seconds, indices of what it waits for) of each op of a profile; bandwidth in bytes/s.

    `speed` is that of the worker's device; updates do not depend on it, as in dml. Parameters are on the
    worker: nothing pulls them."""
    sizes = {tensor["name"]: tensor["bytes"] for tensor in profile["tensors"]}
    devices = profile.get("devices") or [{"name": "cpu"}]
    ops = [op for op in profile["ops"] if op["kind"] != "pull"]
    indices = {op["name"]: index for index, op in enumerate(ops)}
    listed = []
    for op in ops:
        deps = [indices[name] for name in op.get("deps", ()) if name in indices]
        if op["kind"] == "push":
            seconds = bytes_moved(sizes[op["tensor"]], workers) / bandwidth
            listed.append((LINK, seconds, deps))
        else:
            factor = 1 if op["kind"] == "update" else speed
            device = op.get("device", devices[0]["name"])
            listed.append((device, seconds_of(op) / factor, deps))
    return listed


def run(ops):
    """When each op ends. A resource runs one op at a time, by the time at which it was ready."""
    left = [len(deps) for _, _, deps in ops]
    followers = [[] for _ in ops]
    for index, (_, _, deps) in enumerate(ops):
        for before in deps:
            followers[before].append(index)
    queues = {resource: [] for resource, _, _ in ops}
    ends = [None] * len(ops)
    running = []  # (end, op)
    busy = set()
    for index, count in enumerate(left):
        if count == 0:
            heapq.heappush(queues[ops[index][0]], (0.0, index))

    def start(now):
        for resource, queue in queues.items():
            if queue and resource not in busy:
                _, index = heapq.heappop(queue)
                busy.add(resource)
                heapq.heappush(running, (now + ops[index][1], index))

    start(0.0)
    while running:
        now, index = heapq.heappop(running)
        ends[index] = now
        busy.remove(ops[index][0])
        for after in followers[index]:
            left[after] -= 1
            if left[after] == 0:
                heapq.heappush(queues[ops[after][0]], (now, after))
        if not running or running[0][0] > now:  # all that ends now has ended
            start(now)
    if None in ends:
        raise ValueError("found a cycle of dependencies; accepted: a profile of dml")
    return ends


def estimate(profile, workers, bandwidth, speed=1.0):
    """Seconds of a step, until the last op ends."""
    return max(run(list_ops(profile, workers, bandwidth, speed)))
