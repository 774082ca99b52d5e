# Copyright (c) 2026 The dml authors
#
# SPDX-License-Identifier: GPL-2.0-only

"""Crashes of workers that all-reduce, from doc/all-reduce.rst, "When a worker crashes".

With `stop` nothing ends after the crash. With `rebuild` those who are left abandon their step, and begin together that long
after the last change with the step after the last one that one of them has completed. Who is back joins them that long after
they have ended the step that the first of them is in.
"""

from oracles import collectives, random_jobs
from oracles.collectives import RATE, WHOLE, in_order
from oracles.comparison import compare_numbers, compare_times, move_time
from oracles.simulator import Activity, other_orders

NAME = "elastic"
TABLES = ("steps", "transfers")


def draw(random):
    """A job and its crashes, none of which takes the model with it or hits who has not begun."""
    while True:
        case = draw_any(random)
        if Elastic(case).run().defined:
            return case


def draw_any(random):
    profile = random_jobs.layered(random, devices=False, largest=600_000)
    profile["ops"] = in_order(profile["ops"])
    for tensor in profile["tensors"]:
        tensor["bytes"] = max(1, tensor["bytes"] // WHOLE) * WHOLE
    workers = random.randint(2, 5)
    start, offsets = random_jobs.starts(random, workers)
    sampling, samples = random_jobs.sampling(random, profile, workers)
    algorithm = random.choice(("ring", "ring", "halving-doubling", "recursive-doubling", "auto"))
    rebuild = random.choice((None, *(random.randint(1000, 4_000_000) for _ in range(5))))
    faults = draw_faults(random, workers, int(max(offsets) * 1e6), rebuild is None)
    job = {"workers": workers, "parameter_servers": 0, "steps": random.randint(2, 6), "warmup": 0,
           "protocol": "all-reduce", "sampling": sampling, "start": start, "step_jitter": "0s",
           "gradient_groups": random.choice(("off", {"count": 2}, {"ddp": "500KB", "first": "100KB"})),
           "all_reduce": {"algorithm": algorithm, "reduction": random.choice((0.0, 2e-7)),
                          "concurrent": random.choice((1, 1, 2)), "barrier": True,
                          "on_crash": "stop" if rebuild is None else {"rebuild": f"{rebuild}us"}}}
    delay = random.choice((0, 0, 20, 250))
    return {"profile": profile, "job": job, "transfer": {"transport": "tcp"},
            "network": {"transport": "ideal", "rate": f"{RATE}bps", "delay": "0s", "mtu": 1500},
            "fair_share": {"sharing": "max-min", "one_way_delay": f"{delay}ms"},
            "faults": [write_fault(*fault) for fault in faults],
            "_starts": offsets, "_samples": samples, "_algorithm": algorithm, "_delay": delay / 1000,
            "_rebuild": None if rebuild is None else rebuild / 1e6, "_faults": faults}


def draw_faults(random, workers, earliest, stops):
    """Crashes (worker, time, time until it is back or None) in microseconds, after all workers have started."""
    faults, there_from = [], {worker: earliest for worker in range(workers)}
    for _ in range(1 if stops else random.randint(1, 3)):
        left = [one for one, time in there_from.items() if time is not None]
        if len(left) < 2:
            break
        worker = random.choice(left)
        time = there_from[worker] + random.randint(1, 15_000_000)
        back = None if stops or random.random() < 0.3 else random.randint(1, 8_000_000)
        there_from[worker] = None if back is None else time + back
        faults.append((worker, time, back))
    return faults


def write_fault(worker, time, back):
    return {"crash": f"worker{worker}", "at": f"{time}us", **({} if back is None else {"rejoin": f"{back}us"})}


class Elastic(collectives.AllReduce):
    """All-reduce among those who are there."""

    def __init__(self, case, ties=None):
        self.rebuild = case["_rebuild"]
        self.faults = case["_faults"]
        workers = case["job"]["workers"]
        self.members = set(range(workers))
        self.with_model = set(self.members)
        self.completed = {worker: -1 for worker in self.members}
        # Who has come back, and begins with the others; the step after which these stop; and those who have.
        self.returned, self.limit, self.stopped = set(), None, set()
        self.restart = None
        self.stopped_for_good = False
        # Whether the manual says what happens.
        self.defined = True
        self.crashes = []
        super().__init__(case, ties)

    def run(self):
        for worker, time, back in self.faults:
            self.later(time / 1e6, lambda worker=worker: self.crash(worker))
            if back is not None:
                self.later((time + back) / 1e6, lambda worker=worker: self.come_back(worker))
        return super().run()

    def later(self, seconds, done):
        """Something that no crash takes away."""
        activity = Activity(seconds, done)
        activity.stays = True
        self.running.append(activity)
        return activity

    def is_over(self):
        return self.stopped_for_good or not self.defined or (
            self.restart is None and all(self.completed[worker] == self.steps - 1 for worker in self.members))

    def has_ended(self, worker):
        """Whether it has done the last step. No process is started once a worker has."""
        return self.completed[worker] == self.steps - 1

    def crash(self, worker):
        if self.is_over() or self.has_ended(worker):
            return
        if self.rebuild is None:
            self.end_processes(self.members, worker)
            self.end()
            return
        if worker in self.returned:
            self.defined = False
            self.end()
            return
        self.end_processes([worker] if self.restart is not None else self.members, worker)
        self.members.discard(worker)
        self.with_model.discard(worker)
        self.abandon()
        if any(self.has_ended(one) for one in self.members):
            self.end()
            return
        self.begin_later()

    def end_processes(self, workers, cause):
        """Rows of summary.json, about those whose processes end, whoever is the cause."""
        steps = {worker: (step, time) for (worker, step), time in self.begins.items()}
        for one in sorted(one for one in workers if not self.has_ended(one)):
            step, begin = steps.get(one, (self.completed[one] + 1, self.now))
            self.crashes.append({"worker": one, "time": self.now, "step": step, "lost_seconds": self.now - begin,
                                 "back": None, "back_with_step": None, "ended": one != cause})

    def come_back(self, worker):
        if self.is_over():
            return
        self.returned.add(worker)
        if self.restart is not None:
            self.begin_later()
            return
        if self.limit is None:
            self.limit = min(self.steps - 1, max(self.completed[one] for one in self.members) + 1)
            self.stopped = {one for one in self.members if self.completed[one] >= self.limit}

    def abandon(self):
        self.running = [one for one in self.running if getattr(one, "stays", False)]
        for state in (self.busy, self.waiting, self.tasks, self.undone, self.begins, self.collectives, self.channels,
                      self.adding, self.ready, self.under_way, self.reduced, self.over, self.used, self.stopped):
            state.clear()

    def end(self):
        self.stopped_for_good = True
        self.abandon()
        self.running = []

    def begin_later(self):
        """Those who are there, and `rebuild` later; a change before that counts anew."""
        if self.restart is not None and self.restart in self.running:
            self.running.remove(self.restart)
        self.members |= self.returned
        self.returned = set()
        self.limit = None
        if not self.members & self.with_model:
            self.defined = False
            self.end()
            return
        self.restart = self.later(self.rebuild, self.begin_together)

    def begin_together(self):
        self.restart = None
        self.abandon()
        step = max(self.completed[one] for one in self.members & self.with_model) + 1
        self.with_model |= self.members
        if step >= self.steps:
            self.end()
            return
        order = sorted(self.members)
        if self.ties:
            self.ties.shuffle(order)
        for worker in order:
            self.completed[worker] = step - 1
            self.entered[worker] = step * len(self.buckets)
        # Who crashed once more before it was back came back from the last crash.
        for row in {row["worker"]: row for row in self.crashes}.values():
            if row["worker"] in self.members and row["back"] is None:
                row.update(back=self.now, back_with_step=step)
        for worker in order:
            self.start_step(worker, step)

    def participants(self):
        return sorted(self.members)

    def next_step(self, worker, step):
        self.completed[worker] = step - 1
        if self.limit is None or step <= self.limit:
            super().next_step(worker, step)
            return
        self.stopped.add(worker)
        if self.stopped == self.members and step < self.steps:
            self.end_processes(self.members, None)
            self.begin_later()


def expect(case):
    """The run, and whether it is the same in any order of simultaneous events."""
    run = Elastic(case).run()
    run.unique = all(alike(run, Elastic(case, ties=ties).run()) for ties in other_orders(6))
    return run


def alike(run, other):
    one, two = sorted(run.rows), sorted(other.rows)
    return len(one) == len(two) and all(
        first[:2] == second[:2] and abs(first[2] - second[2]) + abs(first[3] - second[3]) < 1e-10
        for first, second in zip(one, two))


def compare(_, run, outcome):
    differences = []
    outcome.unique = run.unique
    if not run.unique:
        return differences
    expected = sorted(run.rows)
    found = sorted((int(row["worker"]), int(row["step"]), float(row["start"]), float(row["end"]))
                   for row in outcome.rows("steps"))
    compare_numbers("rows of steps.csv", len(expected), len(found), differences)
    for one, other in zip(expected, found):
        if one[:2] != other[:2]:
            differences.append(f"step: expected {one}, found {other}")
            break
        for column, time, seen in zip(("start", "end"), one[2:], other[2:]):
            compare_times(f"worker and step {one[:2]}: {column}", time, seen, differences)
    compare_crashes(run, outcome, differences)
    return differences


def crashes_of(outcome):
    (replication,) = outcome.summary["engines"]["fair-share"]["replications"]
    return replication.get("crashes", [])


def compare_crashes(run, outcome, differences):
    """Processes that ended, in summary.json."""
    def place(row):
        return (row["time"], row["worker"])

    found = sorted(crashes_of(outcome), key=place)
    compare_numbers("processes that ended", len(run.crashes), len(found), differences)
    for one, other in zip(sorted(run.crashes, key=place), found):
        what = f"process of worker {one['worker']} that ended at {one['time']:.9f}"
        for key in ("worker", "time", "step", "lost_seconds", "back", "back_with_step"):
            compare_numbers(f"{what}: {key}", one[key], other[key], differences, rounding=1e-10)
        if one["ended"] != other.get("ended", False):
            differences.append(f"{what}: expected ended {one['ended']}, found {other.get('ended', False)}")


def perturb(random, outcome):
    """Another time of a step, a step less, or another row about a process that ended."""
    rows, crashes = outcome.rows("steps"), crashes_of(outcome)
    if not outcome.unique or not rows + crashes:
        return False
    if not rows or (crashes and random.random() < 0.4):
        row = random.choice(crashes)
        change = random.choice(("lost_seconds", "back", "ended", "none"))
        if change == "none":
            crashes.remove(row)
        elif change == "ended":
            row["ended"] = not row.get("ended", False)
        else:
            row[change] = (row[change] or 0.0) + 1e-6
        return True
    if random.random() < 0.2:
        rows.remove(random.choice(rows))
        return True
    row, column = random.choice(rows), random.choice(("start", "end"))
    move_time(row, column)
    return True
