# Copyright (c) 2026 The dml authors
#
# SPDX-License-Identifier: GPL-2.0-only

"""How workers wait for each other, from doc/synchronisation.rst and its sources.

`async` and stale-synchronous workers (Ho et al., NIPS 2013) apply each gradient alone; bulk-synchronous ones, also with
backup workers (Chen et al., 2016), apply those of a round together, once for each tensor.
"""

from oracles import random_jobs, sharing
from oracles.comparison import compare_numbers, compare_rows, move_time
from oracles.program import goodput
from oracles.simulator import COMPUTE, Connection, DeviceQueue, Simulator, make_plan, other_orders

NAME = "synchronisation"
TABLES = ("steps", "transfers")
RATE = 8_000_000


def draw(random):
    profile = random_jobs.layered(random, devices=False)
    workers, servers = random.randint(2, 5), random.choice((1, 1, 2, 3))
    sync = random.choice(("async", "bsp", "bsp", {"ssp": random.randint(0, 3)},
                          {"backup": random.randint(1, workers - 1)}))
    start, offsets = random_jobs.starts(random, workers)
    sampling, samples = random_jobs.sampling(random, profile, workers)
    job = {"workers": workers, "parameter_servers": servers, "steps": random.randint(2, 6), "warmup": 0,
           "sampling": sampling, "start": start, "step_jitter": "0s", "sync": sync, "protocol": "run-graph",
           "placement": "round-robin"}
    return {"profile": profile, "job": job, "transfer": {"policy": "fifo", "window": "off"},
            "network": {"transport": "ideal", "rate": f"{RATE}bps", "delay": "0s", "mtu": 1500},
            "fair_share": {"sharing": "equal", "one_way_delay": "0s"}, "_starts": offsets, "_samples": samples}


class Synchronised(Simulator):
    """Workers and servers with a rule of synchronisation."""

    def __init__(self, case, ties=None):
        job = case["job"]
        self.sync = job["sync"]
        self.completed = [0] * job["workers"]
        self.waiting_workers = {}
        # Of each tensor, by the number of its update: the round that is open, and gradients that have come for it.
        self.round = {}
        self.gradients = {}
        self.updated = set()
        self.late = {}
        self.dropped = {}
        self.opened = {}
        self.done = {}
        rate = goodput(RATE)
        plan = make_plan(case["profile"], job["parameter_servers"], job["placement"])
        self.updates = [op for op in plan if op.kind == "update"]
        self.quorum = job["workers"]
        if isinstance(self.sync, dict):
            self.quorum -= self.sync.get("backup", 0)
        self.aggregates = self.sync == "bsp" or "backup" in self.sync
        super().__init__(plan, job["workers"], job["steps"],
                         queues=lambda resource: DeviceQueue() if resource[0] in ("device", "ps") else
                         Connection(lambda task: task.left), rates=lambda flows: sharing.equal(flows, rate),
                         samples=case["_samples"], starts=case["_starts"], ties=ties)

    def enqueue(self, task):
        if not (self.aggregates and task.op.kind == "update"):
            super().enqueue(task)
            return
        number, step = task.op.number, task.step
        if step < self.round.get(number, 0):
            # Too late to count; the worker goes on when the update of its round is done.
            self.dropped[task.worker, step] = self.dropped.get((task.worker, step), 0) + 1
            if (number, step) in self.updated:
                self.complete(task)
            else:
                self.late.setdefault((number, step), []).append(task)
            return
        arrived = self.gradients.setdefault((number, step), [])
        arrived.append(task)
        if len(arrived) == self.quorum:
            self.round[number] = step + 1
            super().enqueue(min(arrived, key=lambda one: one.worker))

    def finish_op(self, task, key):
        if task.op.kind in COMPUTE:
            self.done[task.worker, task.step] = self.instant
        if not (self.aggregates and task.op.kind == "update"):
            super().finish_op(task, key)
            return
        number, step = task.op.number, task.step
        self.updated.add((number, step))
        served = self.gradients[number, step] + self.late.get((number, step), [])
        served.sort(key=lambda one: one.worker)
        for one in served:
            self.complete(one)
        self.busy[key] -= 1
        self.serve(key)
        for one in served:
            self.look_for_end(one.worker, step)
        self.release()

    def finish_chunk(self, task, key):
        if task.left == 0 and task.op.kind == "push":
            self.done[task.worker, task.step] = self.instant
        super().finish_chunk(task, key)

    def next_step(self, worker, step):
        # The row of the step is written when the worker goes on: until then it waits.
        self.completed[worker] = step
        self.waiting_workers[worker] = step
        self.rows.pop()
        self.release()

    def look_for_end(self, worker, step):
        self.opened[worker] = self.begins.get((worker, step))
        super().look_for_end(worker, step)

    def release(self):
        """Lets those go on that may. A step lasts until then."""
        workers = list(self.waiting_workers)
        if self.ties:
            self.ties.shuffle(workers)
        for worker in workers:
            step = self.first_open(worker) if self.aggregates else self.waiting_workers[worker]
            if self.may_begin(step):
                before = self.waiting_workers.pop(worker) - 1
                self.rows.append((worker, before, self.opened[worker], self.now))
                super().next_step(worker, step)

    def open_rounds(self):
        """Of each server, the first round that has not all its gradients."""
        rounds = {}
        for op in self.updates:
            rounds[op.server] = min(rounds.get(op.server, self.steps), self.round.get(op.number, 0))
        return rounds

    def first_open(self, worker):
        """The worker's next step, or the open round of the server that is ahead."""
        return max(self.waiting_workers[worker], *self.open_rounds().values(), 0)

    def may_begin(self, step):
        """With joint updates, when none of a round before that one is being done."""
        if self.aggregates:
            return all((op.number, before) in self.updated for op in self.updates
                       for before in range(min(step, self.round.get(op.number, 0))))
        if self.sync == "async":
            return True
        return min(self.completed) >= step - self.sync["ssp"]


def expect(case):
    """The run, and whether it is the same in any order of simultaneous events."""
    run = Synchronised(case).run()
    run.unique = all(alike(run, Synchronised(case, ties=ties).run()) for ties in other_orders(10))
    return run


def alike(run, other):
    one, two = times(run), times(other)
    return len(one) == len(two) and all(abs(first - second) < 1e-10 for first, second in zip(one, two))


def times(run):
    rows = [time for row in sorted(run.rows) for time in row]
    return rows + [number for key in sorted(run.dropped) for number in (*key, run.dropped[key])]


def compare(_, run, outcome):
    differences = []
    outcome.unique = run.unique
    if not run.unique:
        return differences
    expected = {(str(worker), str(step)): (start, end, run.done[worker, step])
                for worker, step, start, end in run.rows}
    compare_rows("steps.csv", expected, outcome.rows("steps"), ("worker", "step"), ("start", "end", "done"),
                 differences)
    for row in outcome.rows("steps"):
        key = (int(row["worker"]), int(row["step"]))
        compare_numbers(f"gradients of {key} that were dropped", run.dropped.get(key, 0), row["dropped"], differences)
    return differences


def perturb(random, outcome):
    """Another time of a step, a gradient more that was dropped, or a step less."""
    if not outcome.unique:
        return False
    rows = outcome.rows("steps")
    row = random.choice(rows)
    change = random.choice(("start", "end", "done", "dropped", "step"))
    if change == "step":
        rows.remove(row)
    elif change == "dropped":
        row["dropped"] = str(int(row["dropped"]) + 1)
    else:
        move_time(row, change)
    return True
