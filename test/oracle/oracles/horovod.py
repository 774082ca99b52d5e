# Copyright (c) 2026 The dml authors
#
# SPDX-License-Identifier: GPL-2.0-only

"""Horovod's cycles, from doc/all-reduce.rst ("Buckets") and Sergeev and Del Balso, "Horovod: fast and easy distributed
deep learning in TensorFlow" (2018), sections 3 and 4.

In a cycle every worker tells the first one which gradients it has, and gets the answer when all have: those that all workers
have, in the order in which they were generated, successive ones as one buffer of at most `threshold` bytes. A worker's cycles
begin a cycle's time after each other, and not before the answer of the one before; with `waits`, nor before what was agreed on
is reduced.
"""

from oracles import collectives, random_jobs
from oracles.collectives import RATE, WHOLE, alike, compare_bytes, compare_run, in_order
from oracles.simulator import COMPUTE, Activity, other_orders

NAME = "horovod"
TABLES = ("steps", "transfers", "ops")


def draw(random):
    profile = random_jobs.layered(random, devices=False, largest=600_000)
    profile["ops"] = in_order(profile["ops"])
    for tensor in profile["tensors"]:
        tensor["bytes"] = max(1, tensor["bytes"] // WHOLE) * WHOLE
    for op in profile["ops"]:
        # A gradient that takes no time is generated when a cycle begins that has waited for the step before it.
        if op["kind"] in COMPUTE:
            op["samples"] = [time or round(random.uniform(0.01, 1), 6) for time in op["samples"]]
    workers = random.randint(1, 5)
    start, offsets = random_jobs.starts(random, workers)
    sampling, samples = random_jobs.sampling(random, profile, workers)
    algorithm = random.choice(("ring", "ring", "halving-doubling", "recursive-doubling"))
    cycle = random.randint(30_000, 1_500_000)
    some = random.sample(profile["tensors"], random.randint(1, len(profile["tensors"])))
    threshold = random.choice((0, random.randint(1000, 1_000_000), sum(tensor["bytes"] for tensor in some), 10_000_000))
    job = {"workers": workers, "parameter_servers": 0, "steps": random.randint(1, 3), "warmup": 0,
           "protocol": "all-reduce", "sampling": sampling, "start": start, "step_jitter": "0s",
           "gradient_groups": {"horovod": {"cycle": f"{cycle}us", "threshold": f"{threshold}B",
                                           "cache": random.random() < 0.5, "waits": random.random() < 0.5}},
           "all_reduce": {"algorithm": algorithm, "reduction": random.choice((0.0, 2e-7)), "ranks": "listed",
                          "concurrent": random.choice((1, 1, 2)), "barrier": random.random() < 0.6}}
    delay = random.choice((0, 0, 20, 250))
    return {"profile": profile, "job": job, "transfer": {"transport": "tcp"},
            "network": {"transport": "ideal", "rate": f"{RATE}bps", "delay": "0s", "mtu": 1500},
            "fair_share": {"sharing": "max-min", "one_way_delay": f"{delay}ms"},
            "_starts": offsets, "_samples": samples, "_algorithm": algorithm, "_delay": delay / 1000,
            "_cycle": cycle / 1e6, "_threshold": threshold}


class Horovod(collectives.AllReduce):
    """All-reduce of what workers agree on in cycles."""

    def __init__(self, case, ties=None):
        self.cycle = case["_cycle"]
        self.threshold = case["_threshold"]
        self.waits = case["job"]["gradient_groups"]["horovod"]["waits"]
        workers = case["job"]["workers"]
        # Gradients (step, tensor) of each worker that are not agreed on yet, in the order in which they were generated.
        self.have = [[] for _ in range(workers)]
        self.told = {}
        self.agreed = [[] for _ in range(workers)]
        self.cycles = [0] * workers
        self.begun = [0.0] * workers
        self.answered = [True] * workers
        super().__init__(case, ties)
        # Buffers take the place of buckets, of which there was one for each gradient.
        self.names, self.buckets = [], []

    def run(self):
        for worker, start in enumerate(self.starts):
            self.running.append(Activity(start, lambda worker=worker: self.begin_cycle(worker)))
        return super().run()

    def is_over(self):
        return len(self.rows) == self.workers * self.steps

    def have_gradient(self, task):
        self.have[task.worker].append((task.step, task.op.tensor))

    def call_delay(self, worker):
        """The first worker tells itself."""
        return self.transfer_delay if worker > 0 else 0.0

    def begin_cycle(self, worker):
        if self.is_over():
            return
        number = self.cycles[worker]
        self.cycles[worker] += 1
        self.begun[worker] = self.now
        self.answered[worker] = False
        names = list(self.have[worker])
        self.running.append(Activity(self.call_delay(worker), lambda: self.tell(number, worker, names)))

    def tell(self, number, worker, names):
        """A worker's call is with the first one."""
        told = self.told.setdefault(number, {})
        told[worker] = names
        if len(told) < self.workers:
            return
        buffers = self.fuse([name for name in told[0] if all(name in others for others in told.values())])
        indices = []
        for step, tensors in buffers:
            indices.append((step, len(self.buckets)))
            self.buckets.append(tensors)
            self.names.append(tensors[0])
        order = list(range(self.workers))
        if self.ties:
            self.ties.shuffle(order)
        for one in order:
            self.running.append(Activity(self.call_delay(one), lambda one=one: self.answer(one, indices)))

    def fuse(self, gradients):
        """Successive gradients as one buffer while they fit."""
        buffers = []
        for step, tensor in gradients:
            held = sum(self.sizes[one] for one in buffers[-1][1]) if buffers else 0
            if buffers and buffers[-1][0] == step and held + self.sizes[tensor] <= self.threshold:
                buffers[-1][1].append(tensor)
            else:
                buffers.append((step, [tensor]))
        return buffers

    def answer(self, worker, indices):
        self.answered[worker] = True
        for step, index in indices:
            for tensor in self.buckets[index]:
                self.have[worker].remove((step, tensor))
        self.agreed[worker] += indices
        self.enter(worker)
        self.plan_cycle(worker)

    def plan_cycle(self, worker):
        """The next cycle, when this one is over."""
        if not self.answered[worker] or (self.waits and len(self.agreed[worker]) > self.finished_ones(worker)):
            return
        self.answered[worker] = False
        wait = max(0.0, self.begun[worker] + self.cycle - self.now)
        self.running.append(Activity(wait, lambda: self.begin_cycle(worker)))

    def finished_ones(self, worker):
        return sum(one == worker for _, one in self.over)

    def next_collective(self, worker):
        agreed = self.agreed[worker]
        return agreed[self.entered[worker]] if self.entered[worker] < len(agreed) else None

    def look_if_over(self, key, worker):
        before = self.finished_ones(worker)
        super().look_if_over(key, worker)
        if self.finished_ones(worker) > before:
            self.plan_cycle(worker)


def expect(case):
    """The run, and whether it is the same in any order of simultaneous events."""
    run = Horovod(case).run()
    run.unique = all(alike(run, Horovod(case, ties=ties).run()) for ties in other_orders(6))
    return run


def compare(_, run, outcome):
    differences = []
    outcome.unique = run.unique
    if run.unique:
        compare_bytes(run, outcome, differences)
        compare_run(run, outcome, differences)
        # A message is named after the first gradient of its buffer.
        expected = sorted((key[0], message.receiver, message.sender, run.names[key[1]]) for key, message, *_ in run.messages)
        found = sorted((int(row["step"]), int(row["worker"]), int(row["ps"]), row["tensor"])
                       for row in outcome.rows("transfers"))
        if expected != found:
            differences.append("first gradients of buffers: " + "; ".join(
                map(str, sorted(set(expected) ^ set(found))[:3])))
    return differences


def perturb(random, outcome):
    """Another time or size of a message, another time of a step, or another name."""
    if not outcome.unique:
        return False
    if outcome.rows("transfers") and random.random() < 0.2:
        random.choice(outcome.rows("transfers"))["tensor"] = "another"
        return True
    return collectives.perturb(random, outcome)
