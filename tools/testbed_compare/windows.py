#
# Copyright (c) 2026 The dml authors
#
# SPDX-License-Identifier: GPL-2.0-only

"""Reads off a measured run which HTTP/2 windows its connections had, step by step.

gRPC probes bandwidth and delay on every connection; depending on when its PINGs meet full queues
the window WIN doubles from 4 MiB to 32 MiB or stays in between. That cannot be foreseen, but seen: a
stream that is larger than WIN is preempted after WIN bytes, and streams behind it are received
before it."""

# What a connection starts with, and the most that gRPC 1.51 comes to.
FIRST_WINDOW = 4 * 2**20
LAST_WINDOW = 32 * 2**20
# Beside a tensor a message has its prefix and head.
HEAD = 1024
# Less than this part of a stream behind another one is the time to copy it, no second turn.
COPY = 0.05
DIRECTIONS = ("downlink", "uplink")


def transfers(run, worker, step, direction):
    """(ready, received, index) in ns of the step's transfers, in the order in which they queue."""
    log = run.logs[worker]
    if direction == "downlink":
        return sorted((log.tensors[step, t][0], t) + (log.tensors[step, t][1],)
                      for t in range(len(run.tensors)))
    return sorted((log.ops[step, "bwd", tensor.layer][1], t) + (run.gradients[worker, step, t][0],)
                  for t, tensor in enumerate(run.tensors))


def spans(run):
    """(begin, end) in ns by (worker, server, direction): when something was under way."""
    found = {}
    for worker in run.logs:
        for step in run.complete_steps(worker):
            for direction in DIRECTIONS if run.gradients else DIRECTIONS[:1]:
                for ready, t, received in transfers(run, worker, step, direction):
                    key = (worker, run.tensors[t].server, direction)
                    mine = found.setdefault(key, [])
                    if mine and ready <= mine[-1][1]:
                        mine[-1] = (mine[-1][0], max(mine[-1][1], received))
                    else:
                        mine.append((ready, received))
    return found


class Shares:
    """Bytes that a connection can have carried, if those that are busy share links equally."""

    def __init__(self, run, goodput):
        self.goodput = goodput
        self.changes = {}  # sorted (instant, change of the number of busy ones) by link
        for (worker, server, direction), busy in spans(run).items():
            for link in (("server", server, direction), ("worker", worker, direction)):
                self.changes.setdefault(link, []).extend(
                    change for begin, end in busy for change in ((begin, 1), (end, -1)))
        for changes in self.changes.values():
            changes.sort()

    def carried(self, worker, server, direction, begin, end):
        """Bytes from one instant to another (ns)."""
        links = [self.changes["server", server, direction],
                 self.changes["worker", worker, direction]]
        instants = sorted({begin, end, *(t for c in links for t, _ in c if begin < t < end)})
        total = 0.0
        for a, b in zip(instants, instants[1:]):
            most = max(1, *(sum(change for t, change in c if t <= a) for c in links))
            total += (b - a) / 1e9 * self.goodput / most
        return total


def window_of_step(run, shares, worker, server, direction, step):
    """WIN in bytes, as the first stream that was preempted shows it.

    If none was, WIN is the largest of gRPC, or the size of the largest stream if that is more: what
    a receiver grants while a stream is being written adds to the first turn."""
    queue = [e for e in transfers(run, worker, step, direction)
             if run.tensors[e[1]].server == server]
    whole = 0
    for i, (ready, t, received) in enumerate(queue):
        size = run.tensors[t].size
        copy = COPY * size / shares.goodput * 1e9
        before = [e for e in queue[i + 1:] if e[2] < received - copy]
        if size <= FIRST_WINDOW:
            continue
        if not before:
            whole = max(whole, size)
            continue
        first = min(before, key=lambda e: e[2])
        begin = max([ready] + [e[2] for e in queue if e[2] < first[2]])
        found = shares.carried(worker, server, direction, begin, first[2])
        return round(min(max(found - run.tensors[first[1]].size, FIRST_WINDOW), LAST_WINDOW))
    return max(LAST_WINDOW, whole + HEAD)


def read_windows(run, goodput):
    """WIN in bytes for each complete step, by (worker, server, direction).

    `goodput` is in bytes/s. Without the servers' files nothing is known about gradients."""
    shares = Shares(run, goodput)
    return {(worker, server, direction):
            [window_of_step(run, shares, worker, server, direction, step)
             for step in run.complete_steps(worker)]
            for worker, server, direction in sorted(spans(run))}
