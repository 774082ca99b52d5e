# Copyright (c) 2026 The dml authors
#
# SPDX-License-Identifier: GPL-2.0-only

"""Algorithm 3.1 of Li et al., "Throughput Prediction of Asynchronous SGD in TensorFlow" (ICPE 2020), by brute force.

After every event all rates are computed anew and all that runs is advanced. What the paper leaves open is settled
by the rules of doc/dml.rst, "What a step is". Whatever takes time is an Activity: a chunk of a transfer, an op on a
device or a server, and the time until a byte arrives.
"""

import collections
import math
import random

TIE = 2.0 ** -36
COMPUTE = ("forward", "backward", "compute")


class Op:
    """An op of a step; the same for all workers and steps."""

    def __init__(self, number, name, kind, resource, tensor=None, server=None, size=0, durations=None):
        self.number = number
        self.name = name
        self.kind = kind
        self.resource = resource
        self.tensor = tensor
        self.server = server
        self.size = size
        self.durations = durations
        self.waits_for = []
        self.dependents = []


def place(tensors, count, placement):
    """Which server holds each tensor."""
    if isinstance(placement, dict):
        return dict(placement)
    held = [0] * count
    places = {}
    for number, tensor in enumerate(tensors):
        server = number % count if placement == "round-robin" else held.index(min(held))
        held[server] += tensor["bytes"]
        places[tensor["name"]] = server
    return places


def make_plan(profile, servers, placement="greedy", overhead=None):
    """Ops of a step in listing order, with parsing as an op behind each transfer."""
    overhead = overhead or {}
    worker_parse = (overhead.get("alpha", 0), overhead.get("beta", 0))
    server_parse = (overhead.get("server", {}).get("alpha", worker_parse[0]),
                    overhead.get("server", {}).get("beta", worker_parse[1]))
    sizes = {tensor["name"]: tensor["bytes"] for tensor in profile["tensors"]}
    places = place(profile["tensors"], servers, placement)
    devices = [device["name"] for device in profile.get("devices", [{"name": "cpu"}])]
    ops, ends = [], {}
    for listed in profile["ops"]:
        kind, tensor = listed["kind"], listed.get("tensor")
        server = places[tensor] if tensor else None
        durations = listed.get("samples", [listed.get("seconds", 0.0)])
        resource = {"pull": ("downlink", server), "push": ("uplink", server), "update": ("ps", server)}.get(
            kind, ("device", listed.get("device", devices[0])))
        op = Op(len(ops), listed["name"], kind, resource, tensor, server, sizes.get(tensor, 0), durations)
        ops.append(op)
        ends[op.name] = op
        alpha, beta = worker_parse if kind == "pull" else server_parse
        if kind in ("pull", "push") and (alpha or beta):
            receiver = ("device", devices[0]) if kind == "pull" else ("ps", server)
            if overhead.get("parallel"):
                receiver = ("parse " + kind, server if kind == "push" else 0)
            parse = Op(len(ops), op.name, "parse", receiver, tensor, server, durations=[alpha * op.size + beta])
            ops.append(parse)
            ends[op.name] = parse
            parse.waits_for.append(op)
            op.dependents.append(parse)
    starts = {op.name: op for op in ops if op.kind != "parse"}
    for listed in profile["ops"]:
        for name in listed.get("deps", []):
            starts[listed["name"]].waits_for.append(ends[name])
            ends[name].dependents.append(starts[listed["name"]])
    for op in ops:
        op.dependents.sort(key=lambda other: other.number)
    return ops


class Task:
    """An op of one worker's step."""

    def __init__(self, op, worker, step, duration):
        self.op = op
        self.worker = worker
        self.step = step
        self.duration = duration
        self.missing = len(op.waits_for)
        self.left = op.size
        self.turns = 0
        self.ready = self.first = self.last = None


class Backwards:
    """In place of random numbers: of simultaneous events that comes first which was started last.

    Two events that make a difference are then seen to do so, which some random orders may leave as they are.
    """

    @staticmethod
    def choice(ties):
        return ties[-1]

    @staticmethod
    def shuffle(ones):
        ones.reverse()


def other_orders(count):
    """In which simultaneous events may come: the opposite one, and `count` random ones."""
    return [Backwards(), *(random.Random(number) for number in range(count))]


class Activity:
    """Something that runs: `left` bytes of a flow, or seconds."""

    def __init__(self, left, done, flow=False, worker=None, server=None, direction=None):
        self.left = left
        self.done = done
        self.flow = flow
        self.worker = worker
        self.server = server
        self.direction = direction


class DeviceQueue:
    """Ops by the time when they became ready, then by the listing."""

    def __init__(self):
        self.tasks = []

    def add(self, task):
        self.tasks.append(task)

    def take(self):
        if not self.tasks:
            return None
        task = min(self.tasks, key=lambda one: (one.ready, one.op.number))
        self.tasks.remove(task)
        return task, None


class Connection:
    """Transfers of one worker and server in one direction.

    `turn(task)` is the most bytes of the task's next turn. `ranks`: an order of tensors; what is ready too early is
    held back until all before it have been handed over.
    """

    def __init__(self, turn, rejoin="end", ranks=None):
        self.streams = collections.deque()
        self.turn = turn
        self.rejoin = rejoin
        self.ranks = ranks
        self.handed = 0
        self.held = {}

    def add(self, task):
        if self.ranks is None:
            self.streams.append(task)
            return
        self.held[self.ranks[task.op.tensor]] = task
        while self.handed in self.held:
            self.streams.append(self.held.pop(self.handed))
            self.handed += 1
        if self.handed == len(self.ranks):
            self.handed = 0

    def take(self):
        if not self.streams:
            return None
        task = self.streams.popleft()
        size = min(task.left, self.turn(task))
        task.turns += 1
        task.left -= size
        if task.left > 0 and self.rejoin == "start":
            self.streams.append(task)
        return task, size

    def ended(self, task):
        if task.left > 0 and self.rejoin == "end":
            self.streams.append(task)


class Simulator:
    """Runs `steps` steps of each worker.

    `queues(resource)` makes the queue of a resource, `rates(flows)` gives the rates of flows, `slots(resource)` how many
    ops a resource serves at a time, `delay(worker, server, direction)` how long a byte is on its way.
    `ties`, of other_orders(), takes simultaneous events in any order instead of that of their starts.
    `samples(worker, step)` is the profiled step that is replayed.
    """

    def __init__(self, plan, workers, steps, *, queues, rates, samples, starts=None, slots=lambda resource: 1,
                 cores=0, delay=lambda worker, server, direction: 0.0, ties=None):
        self.plan = plan
        self.workers = workers
        self.steps = steps
        self.queues = queues
        self.rates = rates
        self.samples = samples
        self.starts = starts or [0.0] * workers
        self.slots = slots
        self.cores = cores
        self.delay = delay
        self.ties = ties
        self.tie = TIE
        self.now = 0.0
        self.instant = 0.0
        self.running = []
        self.busy = collections.Counter()
        self.waiting = {}
        self.tasks = {}
        self.undone = {}
        self.records = []
        self.begins = {}
        self.rows = []

    def run(self):
        for worker, start in enumerate(self.starts):
            self.running.append(Activity(start, lambda worker=worker: self.start_step(worker, 0)))
        while self.running:
            self.advance()
        return self

    def advance(self):
        """One event: of what ends first, what was started first."""
        of_flows = iter(self.rates([one for one in self.running if one.flow]))
        rates = [next(of_flows) if one.flow else 1.0 for one in self.running]
        times = [one.left / rate for one, rate in zip(self.running, rates)]
        passed = max(0.0, min(times))
        self.now += passed
        if self.now - self.instant > self.tie:
            self.instant = self.now
        for one, rate in zip(self.running, rates):
            one.left = one.left - passed * rate if rate < math.inf else 0.0
        ties = [one for one, time in zip(self.running, times) if time - passed <= self.tie]
        first = self.ties.choice(ties) if self.ties else ties[0]
        self.running.remove(first)
        first.done()

    def key(self, worker, resource):
        """Resources are a worker's own but for the cores of a server."""
        return (None if self.cores and resource[0] == "ps" else worker, resource)

    def start_step(self, worker, step):
        self.begins[worker, step] = self.now
        sample = self.samples(worker, step)
        self.tasks[worker, step] = [self.new_task(op, worker, step, None if op.durations is None else
                                                  op.durations[sample % len(op.durations)]) for op in self.plan]
        self.undone[worker, step] = len(self.plan)
        for task in self.tasks[worker, step]:
            if task.missing == 0:
                self.enqueue(task)

    def new_task(self, op, worker, step, duration):
        return Task(op, worker, step, duration)

    def enqueue(self, task):
        task.ready = self.instant
        if task.op.kind in ("pull", "push"):
            self.records.append(task)
        key = self.key(task.worker, task.op.resource)
        if key not in self.waiting:
            self.waiting[key] = self.queues(task.op.resource)
        self.waiting[key].add(task)
        self.serve(key)

    def serve(self, key):
        """Starts what is next where a slot is free."""
        resource = key[1]
        slots = self.cores if key[0] is None else self.slots(resource)
        while self.busy[key] < slots:
            taken = self.waiting[key].take()
            if taken is None:
                return
            self.busy[key] += 1
            task, size = taken
            if task.first is None:
                task.first = self.instant
            if size is None:
                self.running.append(Activity(task.duration, lambda task=task: self.finish_op(task, key)))
            else:
                self.running.append(Activity(size, lambda task=task: self.finish_chunk(task, key), True,
                                             task.worker, task.op.server, resource[0]))

    def finish_op(self, task, key):
        self.complete(task)
        self.busy[key] -= 1
        self.serve(key)
        self.look_for_end(task.worker, task.step)

    def finish_chunk(self, task, key):
        """The connection is busy until what waited for its transfer is in the queues (line 23 before line 30)."""
        self.waiting[key].ended(task)
        delay = self.delay(task.worker, task.op.server, task.op.resource[0])
        whole = task.left == 0
        if whole and delay > 0:
            self.running.append(Activity(delay, lambda: self.arrive(task)))
        elif whole:
            task.last = self.instant
            self.complete(task)
        self.busy[key] -= 1
        self.serve(key)
        self.look_for_end(task.worker, task.step)

    def arrive(self, task):
        task.last = self.instant
        self.complete(task)
        self.look_for_end(task.worker, task.step)

    def complete(self, task):
        """Releases what waited for the op."""
        self.undone[task.worker, task.step] -= 1
        for op in task.op.dependents:
            other = self.tasks[task.worker, task.step][op.number]
            other.missing -= 1
            if other.missing == 0:
                self.enqueue(other)

    def look_for_end(self, worker, step):
        if self.undone[worker, step] > 0 or (worker, step) not in self.begins:
            return
        self.rows.append((worker, step, self.begins.pop((worker, step)), self.now))
        self.next_step(worker, step + 1)

    def next_step(self, worker, step):
        if step < self.steps:
            self.start_step(worker, step)
