# Copyright (c) 2026 The dml authors
#
# SPDX-License-Identifier: GPL-2.0-only

"""The push-pull protocol: synchronous training with a barrier for each tensor, whose steps overlap.

doc/transfer-order.rst, "The protocol": a pull waits for its tensor's update of the step before and nothing else. A worker's ops of
a step begin when those of the step before are done, and each when its own pulls are. A tensor is updated once for all workers
when all gradients are there, on the server's resource of worker 0 and with the time in its sample. A step in the results begins
with the worker's ops and ends with the last update.
"""

from oracles import algorithm31, random_jobs, sharing
from oracles.comparison import compare_rows, move_time
from oracles.program import goodput
from oracles.simulator import COMPUTE, Connection, DeviceQueue, Simulator, make_plan, other_orders

NAME = "pushpull"
TABLES = ("steps", "transfers")
RATE = 8_000_000


def draw(random):
    profile = random_jobs.layered(random, devices=False)
    workers, servers = random.randint(1, 4), random.choice((1, 1, 2))
    start, offsets = random_jobs.starts(random, workers)
    sampling, samples = random_jobs.sampling(random, profile, workers)
    job = {"workers": workers, "parameter_servers": servers, "steps": random.randint(2, 5), "warmup": 0,
           "sampling": sampling, "start": start, "step_jitter": "0s", "protocol": "push-pull", "placement": "round-robin"}
    window = random.choice(("off", f"{random.randint(50_000, 2_000_000)}B"))
    transfer = {"policy": "http2-window", "window": window}
    if window != "off":
        transfer["grant"] = random.choice(("message", "consume"))
    return {"profile": profile, "job": job, "transfer": transfer,
            "network": {"transport": "ideal", "rate": f"{RATE}bps", "delay": "0s", "mtu": 1500},
            "fair_share": {"sharing": "equal", "one_way_delay": "0s"}, "_starts": offsets, "_samples": samples}


class PushPull(Simulator):
    """Tasks of a step are made early, as its pulls go before it begins."""

    def __init__(self, case, ties=None):
        job = case["job"]
        rate = goodput(RATE)
        turn = algorithm31.turn_rule(case["transfer"])
        self.computing, self.arrived = {}, {}
        super().__init__(make_plan(case["profile"], job["parameter_servers"], job["placement"]), job["workers"],
                         job["steps"], queues=lambda resource: DeviceQueue() if resource[0] in ("device", "ps") else
                         Connection(turn), rates=lambda flows: sharing.equal(flows, rate), samples=case["_samples"],
                         starts=case["_starts"], ties=ties)

    def tasks_of(self, worker, step):
        if (worker, step) not in self.tasks:
            sample = self.samples(worker, step)
            self.tasks[worker, step] = [self.new_task(op, worker, step, None if op.durations is None else
                                                      op.durations[sample % len(op.durations)]) for op in self.plan]
            self.undone[worker, step] = len(self.plan)
            self.computing[worker, step] = sum(op.kind in COMPUTE for op in self.plan)
        return self.tasks[worker, step]

    def new_task(self, op, worker, step, duration):
        """Pulls wait for updates, and compute ops for the step's begin."""
        task = super().new_task(op, worker, step, duration)
        task.missing += op.kind in COMPUTE or (op.kind == "pull")
        return task

    def start_step(self, worker, step):
        self.begins[worker, step] = self.now
        for task in self.tasks_of(worker, step):
            if task.op.kind in COMPUTE or (task.op.kind == "pull" and step == 0):
                self.release(task)

    def release(self, task):
        task.missing -= 1
        if task.missing == 0:
            self.enqueue(task)

    def enqueue(self, task):
        if task.op.kind == "update":
            arrived = self.arrived.setdefault((task.op.number, task.step), [])
            arrived.append(task)
            if len(arrived) < self.workers:
                return
            task = self.tasks[0, task.step][task.op.number]
        super().enqueue(task)

    def finish_op(self, task, key):
        if task.op.kind == "update":
            for worker in range(self.workers):
                self.complete(self.tasks[worker, task.step][task.op.number])
                if task.step + 1 < self.steps:
                    for other in self.tasks_of(worker, task.step + 1):
                        if other.op.kind == "pull" and other.op.tensor == task.op.tensor:
                            self.release(other)
            self.busy[key] -= 1
            self.serve(key)
            for worker in range(self.workers):
                self.look_for_end(worker, task.step)
            return
        super().finish_op(task, key)
        if task.op.kind in COMPUTE:
            self.computing[task.worker, task.step] -= 1
            if self.computing[task.worker, task.step] == 0 and task.step + 1 < self.steps:
                self.start_step(task.worker, task.step + 1)

    def next_step(self, worker, step):
        """Steps overlap: the next one has begun."""


def expect(case):
    run = PushPull(case).run()
    run.unique = all(alike(run, PushPull(case, ties=ties).run()) for ties in other_orders(6))
    return run


def alike(run, other):
    one, two = ([time for row in sorted(each.rows) for time in row] for each in (run, other))
    return len(one) == len(two) and all(abs(first - second) < 1e-10 for first, second in zip(one, two))


def compare(_, run, outcome):
    differences = []
    outcome.unique = run.unique
    if run.unique:
        compare_rows("steps.csv", algorithm31.step_times(run), outcome.rows("steps"), ("worker", "step"),
                     ("start", "end"), differences)
    return differences


def perturb(random, outcome):
    """A step that begins or ends 5 ns later."""
    if not outcome.unique:
        return False
    row = random.choice(outcome.rows("steps"))
    column = random.choice(("start", "end"))
    move_time(row, column)
    return True
