# Copyright (c) 2026 The dml authors
#
# SPDX-License-Identifier: GPL-2.0-only

"""Batch sizes by speed: Algorithms 1 and 2 of Chen et al., "Semi-Dynamic Load Balancing" (LB-BSP, SoCC 2020).

What the paper leaves open is settled by doc/batch-size-control.rst; how long a step takes by doc/devices.rst. A worker's
time is that until it has nothing left to do itself: from then on it waits for others.
"""

import math

from oracles import random_jobs
from oracles.comparison import compare_numbers, compare_rows, move_time
from oracles.simulator import COMPUTE, Activity, other_orders
from oracles.synchronisation import RATE, Synchronised

NAME = "batches"
TABLES = ("steps",)


def draw(random):
    profile = random_jobs.layered(random, devices=False, largest=300_000)
    for op in profile["ops"]:
        # Steps without computing have no speed.
        if op["kind"] in COMPUTE:
            op["samples"] = [time or 0.125 for time in op["samples"]]
    profile["batch_size"] = random.randint(4, 64)
    workers, servers = random.randint(2, 5), random.choice((1, 1, 2))
    start, offsets = random_jobs.starts(random, workers)
    sampling, samples = random_jobs.sampling(random, profile, workers)
    gpu = random.random() < 0.5
    classes = [draw_class(random, gpu, profile["batch_size"]) for _ in range(workers)]
    control = draw_gpu(random) if gpu else draw_cpu(random)
    job = {"workers": workers, "parameter_servers": servers, "steps": random.randint(4, 14), "warmup": 0,
           "sampling": sampling, "start": start, "step_jitter": "0s", "sync": "bsp", "protocol": "run-graph",
           "placement": "round-robin", "batch_control": control,
           "devices": {f"class{index}": write_class(one) for index, one in enumerate(classes)},
           "worker_devices": [f"class{index}" for index in range(workers)]}
    return {"profile": profile, "job": job, "transfer": {"policy": "fifo", "window": "off"},
            "network": {"transport": "ideal", "rate": f"{RATE}bps", "delay": "0s", "mtu": 1500},
            "fair_share": {"sharing": "equal", "one_way_delay": "0s"}, "_starts": offsets, "_samples": samples,
            "_classes": classes}


def draw_class(random, gpu, batch):
    """How a worker's time follows from its samples."""
    one = {"largest_batch": batch + random.choice((random.randint(0, 9), random.randint(0, 2 * batch)))} \
        if random.random() < 0.5 else {}
    if gpu and random.random() < 0.7:
        one.update(launch=random.randint(0, 2000) / 1000, per_sample=random.randint(1, 200) / 1000)
        if random.random() < 0.5:
            one["floor"] = random.randint(1, 4000) / 1000
    else:
        # Where steps are compared no two workers are alike: rounding would say who is faster.
        one["speed"] = random.randint(20, 300) / 100 if gpu else random.choice((1, 1, 2, random.randint(2, 30) / 10))
    return one


def write_class(one):
    return {key: f"{round(value * 1000)}ms" if key in ("launch", "per_sample", "floor") else value
            for key, value in one.items()}


def draw_cpu(random):
    if random.random() < 0.2:
        return random.choice(("cpu", {"cpu": "last"}, {"cpu": "ema"}))
    options = {"predictor": random.choice(("last", "ema", "ema", "arima", "rnn", "lstm", "narx"))}
    if options["predictor"] != "last":
        options["alpha"] = random.randint(0, 20) / 20
    if options["predictor"] not in ("last", "ema"):
        # Those that are trained are moving averages until then.
        options["warmup"] = random.choice((100, 500))
    return {"cpu": options}


def draw_gpu(random):
    if random.random() < 0.2:
        return "gpu"
    return {"gpu": {"step": random.randint(1, 6), "window": random.randint(1, 4), "fine_step": random.randint(1, 2),
                    "fine_window": random.randint(1, 6), "memory_guard": random.choice((0.95, 0.8, 0.5))}}


class ByPrediction:
    """Algorithm 1, with the last speed or its moving average."""

    def __init__(self, options, limits):
        if options == "cpu":
            options = {"cpu": {}}
        options = options["cpu"] if isinstance(options["cpu"], dict) else {"predictor": options["cpu"]}
        self.alpha = 1.0 if options.get("predictor", "narx") == "last" else options.get("alpha", 0.2)
        self.limits = limits
        self.tied = False
        self.speeds = [None] * len(limits)

    def update(self, batches, seconds):
        predicted = []
        for worker, (batch, time) in enumerate(zip(batches, seconds)):
            last, before = batch / time, self.speeds[worker]
            self.speeds[worker] = last if before is None else self.alpha * last + (1 - self.alpha) * before
            predicted.append(min(20 * last, max(last / 20, self.speeds[worker])))
        return self.divide(sum(batches), predicted) or batches

    def divide(self, samples, speeds):
        """Samples in proportion to speeds, at least one for each and at most its limit; None if that cannot be."""
        if samples < len(speeds) or samples > sum(self.limits):
            return None
        fixed = {}
        while True:
            left = samples - sum(fixed.values())
            free = [worker for worker in range(len(speeds)) if worker not in fixed]
            total = sum(speeds[worker] for worker in free)
            shares = {worker: left * speeds[worker] / total for worker in free}
            over = [worker for worker in free if shares[worker] > self.limits[worker]]
            under = [worker for worker in free if shares[worker] < 1]
            if not over and not under:
                break
            for worker in over or under:
                fixed[worker] = self.limits[worker] if over else 1
        sizes = {worker: math.floor(share) for worker, share in shares.items()}
        rest = left - sum(sizes.values())
        remainders = {worker: shares[worker] - sizes[worker] for worker in free}
        order = sorted(free, key=lambda one: (-remainders[one], one))
        if 0 < rest < len(order):
            self.tied |= abs(remainders[order[rest - 1]] - remainders[order[rest]]) < 1e-9
        for worker in order[:rest]:
            sizes[worker] += 1
        return [fixed[worker] if worker in fixed else sizes[worker] for worker in range(len(speeds))]


class StepByStep:
    """Algorithm 2."""

    def __init__(self, options, limits):
        options = {} if options == "gpu" else options["gpu"]
        self.step, self.window = options.get("step", 5), options.get("window", 5)
        self.fine = (options.get("fine_step", 1), options.get("fine_window", 20))
        self.guard = options.get("memory_guard", 0.95)
        self.limits = limits
        self.history, self.tied = [], False

    def update(self, batches, seconds):
        ordered = sorted(seconds)
        self.tied |= any(two - one < 1e-9 for one, two in zip(ordered, ordered[1:]))
        self.history.append(list(seconds))
        workers = range(len(batches))
        room = [worker for worker in workers if batches[worker] / self.limits[worker] <= self.guard
                and batches[worker] + self.step <= self.limits[worker]]
        if not room:
            return batches
        leader = min(room, key=lambda worker: (seconds[worker], worker))
        straggler = min(workers, key=lambda worker: (-seconds[worker], worker))
        if leader == straggler or batches[straggler] <= self.step:
            return batches
        recent = self.history[-self.window:]
        if len(recent) == self.window and all(times[leader] < times[straggler] for times in recent):
            batches = list(batches)
            batches[leader] += self.step
            batches[straggler] -= self.step
        elif any(times[leader] > times[straggler] for times in self.history):
            self.step, self.window = self.fine
        return batches


class Controlled(Synchronised):
    """Bulk-synchronous workers whose batch sizes change after each step."""

    def __init__(self, case, ties=None):
        job, profile = case["job"], case["profile"]
        self.classes = case["_classes"]
        self.profiled = profile["batch_size"]
        self.batches = [self.profiled] * job["workers"]
        limits = [one.get("largest_batch", math.inf) for one in self.classes]
        self.waits = "cpu" in job["batch_control"]
        self.control = (ByPrediction if self.waits else StepByStep)(job["batch_control"], limits)
        self.used, self.reports = {}, {}
        compute = [op["samples"] for op in profile["ops"] if op["kind"] in COMPUTE]
        self.mean = sum(map(sum, compute)) / len(compute[0])
        super().__init__(case, ties)

    def time_of(self, worker, batch):
        """Seconds of computing in a step of the class (doc/devices.rst, Models)."""
        one = self.classes[worker]
        if "speed" in one:
            return self.mean * batch / (one["speed"] * self.profiled)
        return max(one.get("floor", 0.0), one["launch"] + one["per_sample"] * batch)

    def start_step(self, worker, step):
        self.used[worker, step] = self.batches[worker]
        super().start_step(worker, step)

    def new_task(self, op, worker, step, duration):
        if op.kind in COMPUTE:
            duration *= self.time_of(worker, self.used[worker, step]) / self.mean
        return super().new_task(op, worker, step, duration)

    def next_step(self, worker, step):
        begin = self.opened[worker]
        self.reports.setdefault(step - 1, {})[worker] = self.done[worker, step - 1] - begin
        reports = self.reports[step - 1]
        if len(reports) == self.workers:
            seconds = [reports[one] for one in range(self.workers)]
            if self.waits:
                self.decide(seconds)
            else:
                # Nobody waits for the answer: all begin the next step with what they have.
                self.running.append(Activity(0.0, lambda: self.decide(seconds)))
        super().next_step(worker, step)

    def decide(self, seconds):
        self.batches = self.control.update(self.batches, seconds)

    def release(self):
        """With predictions, workers wait for their batch sizes."""
        if not self.waits or all(len(reports) == self.workers for reports in self.reports.values()):
            super().release()


def expect(case):
    run = Controlled(case).run()
    # Rounding decides between workers that are alike.
    run.unique = not run.control.tied and all(alike(run, Controlled(case, ties=ties).run())
                                              for ties in other_orders(6))
    return run


def alike(run, other):
    return run.used == other.used and all(
        abs(one - two) < 1e-10 for first, second in zip(sorted(run.rows), sorted(other.rows))
        for one, two in zip(first, second))


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
        compare_numbers(f"batch of {key}", run.used.get(key), row["batch"], differences)
    return differences


def perturb(random, outcome):
    """Another time of a step, or a sample more."""
    if not outcome.unique:
        return False
    row = random.choice(outcome.rows("steps"))
    change = random.choice(("start", "end", "done", "batch"))
    if change == "batch":
        row[change] = str(int(row["batch"]) + 1)
    else:
        move_time(row, change)
    return True
