# Copyright (c) 2026 The dml authors
#
# SPDX-License-Identifier: GPL-2.0-only

"""Slices by priority: P3 (Jayarajan et al., MLSys 2019) and ByteScheduler (Peng et al., SOSP 2019).

doc/transfer-order.rst, "Slices by priority": tensors are cut into slices of the same size to the byte; the one whose layer
is needed soonest goes first. P3 has one slice on its way until the receiver has acknowledged it, ByteScheduler as many
as fit into its credit. An acknowledgement comes two one-way delays after the last byte was sent.
"""

from oracles import algorithm31, random_jobs
from oracles.program import goodput
from oracles.simulator import Activity, DeviceQueue, Simulator, make_plan

NAME = "slices"
TABLES = algorithm31.TABLES
RATE = algorithm31.RATE


def draw(random):
    profile = random_jobs.layered(random, largest=600_000)
    workers = random.randint(1, 3)
    start, offsets = random_jobs.starts(random, workers)
    sampling, samples = random_jobs.sampling(random, profile, workers)
    policy = random.choice(("p3", "bytescheduler"))
    partition = random.randint(40_000, 300_000)
    transfer = {"policy": policy, "partition": f"{partition}B"}
    overhead = random.choice((0, 0, 30))
    if overhead:
        transfer["slice_overhead"] = f"{overhead}ms"
    if policy == "bytescheduler":
        transfer["credit"] = f"{random.randint(1, 4) * partition + random.randint(0, 1000)}B"
    delay = random.choice((0, 20, 70))
    job = {"workers": workers, "parameter_servers": 1, "steps": random.randint(1, 3), "warmup": 0,
           "sampling": sampling, "start": start, "step_jitter": "0s", "sync": "async", "protocol": "run-graph"}
    return {"profile": profile, "job": job, "transfer": transfer,
            "network": {"transport": "ideal", "rate": f"{RATE}bps", "delay": "0s", "mtu": 1500, "hosts": {}},
            "fair_share": {"sharing": "equal", "one_way_delay": f"{delay}ms"}, "_starts": offsets,
            "_samples": samples, "_delay": delay / 1000, "_overhead": overhead / 1000}


def cut(profile, partition):
    """The profile with slices in place of tensors, and the tensor of each slice."""
    pieces, whole = {}, {}
    for tensor in profile["tensors"]:
        count = max(1, -(-tensor["bytes"] // partition))
        names = [f"{tensor['name']}/{index}" for index in range(count)] if count > 1 else [tensor["name"]]
        sizes = [tensor["bytes"] // count + (index < tensor["bytes"] % count) for index in range(count)]
        pieces[tensor["name"]] = list(zip(names, sizes))
        whole.update({name: tensor["name"] for name in names})
    result = {**profile, "tensors": [{"name": name, "bytes": size} for tensor in profile["tensors"]
                                     for name, size in pieces[tensor["name"]]], "ops": []}
    parts = {}
    for op in profile["ops"]:
        parts[op["name"]] = [op["name"]]
        if "tensor" in op:
            parts[op["name"]] = [f"{op['kind']}/{name}" for name, _ in pieces[op["tensor"]]]
    for op in profile["ops"]:
        if "tensor" not in op:
            result["ops"].append({**op, "deps": [part for name in op.get("deps", []) for part in parts[name]]})
            continue
        total = sum(size for _, size in pieces[op["tensor"]])
        for index, (name, size) in enumerate(pieces[op["tensor"]]):
            deps = [part for other in op.get("deps", []) for part in
                    (parts[other] if op["kind"] != "update" else [parts[other][index]])]
            piece = {**op, "name": f"{op['kind']}/{name}", "tensor": name, "deps": deps}
            if "samples" in op:
                piece["samples"] = [seconds * size / total if total else seconds for seconds in op["samples"]]
            result["ops"].append(piece)
    return result, whole


def priorities(profile):
    """Tensors by the first op of the listing that waits for their pull."""
    place = {}
    for number, op in enumerate(profile["ops"]):
        for name in op.get("deps", []):
            place.setdefault(name, number)
    pulls = [op for op in profile["ops"] if op["kind"] == "pull"]
    pulls.sort(key=lambda op: place.get(op["name"], len(place)))
    return {op["tensor"]: number for number, op in enumerate(pulls)}


class Priorities:
    """Slices of one worker and server in one direction."""

    def __init__(self, rank, credit):
        self.rank = rank
        self.credit = credit
        self.waiting = []
        self.taken = []
        self.on_their_way = []

    def add(self, task):
        self.waiting.append(task)

    def fill(self):
        """Hands over what the credit allows; one slice always goes."""
        while self.waiting:
            best = min(self.waiting, key=lambda task: self.rank(task.op))
            if self.on_their_way and sum(task.op.size for task in self.on_their_way) + best.op.size > self.credit:
                return
            self.waiting.remove(best)
            self.taken.append(best)
            self.on_their_way.append(best)

    def take(self):
        if not self.taken:
            return None
        task = self.taken.pop(0)
        task.left = 0
        return task, task.op.size

    def ended(self, task):
        pass


class Sliced(Simulator):
    """A sender is busy with a slice for a while before its first byte, and with P3 until it is acknowledged."""

    def __init__(self, case, plan, overhead, **more):
        self.slice_overhead = overhead
        super().__init__(plan, case["job"]["workers"], case["job"]["steps"], samples=case["_samples"],
                         starts=case["_starts"], **more)

    def serve(self, key):
        queue = self.waiting[key]
        if not isinstance(queue, Priorities):
            super().serve(key)
            return
        queue.fill()
        taken = None if self.busy[key] else queue.take()
        if taken is not None:
            self.busy[key] += 1
            if self.slice_overhead:
                self.running.append(Activity(self.slice_overhead, lambda: self.send(taken[0], key, taken[1])))
            else:
                self.send(taken[0], key, taken[1])

    def send(self, task, key, size):
        task.first = self.instant
        self.running.append(Activity(size, lambda: self.finish_chunk(task, key), True, task.worker, task.op.server,
                                     key[1][0]))

    def finish_chunk(self, task, key):
        back = 2 * self.delay(task.worker, task.op.server, task.op.resource[0])
        self.running.append(Activity(back, lambda: self.acknowledged(task, key)))
        super().finish_chunk(task, key)

    def acknowledged(self, task, key):
        self.waiting[key].on_their_way.remove(task)
        self.serve(key)


def expect(case):
    partition = int(case["transfer"]["partition"][:-1])
    profile, whole = cut(case["profile"], partition)
    ranks = priorities(case["profile"])
    plan = make_plan(profile, 1)
    slots = {device["name"]: device["slots"] for device in profile["devices"]}
    credit = int(case["transfer"].get("credit", "-1B")[:-1])
    rate = goodput(RATE)

    def queues(resource):
        if resource[0] in ("downlink", "uplink"):
            return Priorities(lambda op: (ranks[whole[op.tensor]], op.number), credit)
        return DeviceQueue()

    def make():
        return Sliced(case, plan, case["_overhead"], queues=queues,
                      rates=lambda flows: algorithm31.sharing.equal(flows, rate),
                      slots=lambda resource: slots.get(resource[1], 1) if resource[0] == "device" else 1,
                      delay=lambda worker, server, direction: case["_delay"])

    # Workers that are alike may get apart by rounding, which then grows with each round of a credit.
    run, coarse = make().run(), make()
    coarse.tie *= 8
    run.unique = all(abs(one[3] - other[3]) < 1e-9 for one, other in zip(sorted(run.rows), sorted(coarse.run().rows)))
    return run


def compare(case, run, outcome):
    outcome.unique = run.unique
    return algorithm31.compare(case, run, outcome) if run.unique else []


def perturb(random, outcome):
    return algorithm31.perturb(random, outcome) if outcome.unique else False
