# Copyright (c) 2026 The dml authors
#
# SPDX-License-Identifier: GPL-2.0-only

"""Replay of a job's global data-flow graph, its critical path, and what slack hides.

Replay: Hu et al., dPRO (MLSys 2022), section 4.3, and doc/replay.rst: a device serves one op at a time, in the order in which
they get ready. Critical path: from a step's end back to what ended last of what an op waited for, its dependencies and the
op before it on its device (doc/why.rst). What shortening ops saves with the order on all devices kept is the change of
the longest paths of that execution graph.
"""

import heapq
import os
import re

from oracles.comparison import compare_numbers, compare_printed, compare_times, move_time
from oracles.program import Outcome, read_table, run, write_json

NAME = "replay"
TABLES = ()
# Steps that are replayed; the first one does not count.
STEPS = 20
COMPUTE = ("forward", "backward", "compute")


def draw(random):
    """A job whose workers are joined by updates on servers, by parameters that wait for all updates, or not at all."""
    workers, servers = random.randint(1, 3), random.randint(1, 2)
    devices, ops = [], []

    def device(name):
        if name not in devices:
            devices.append(name)
        return devices.index(name)

    def add(name, kind, worker, where=None, deps=(), before=(), zero=False):
        op = {"name": name, "kind": kind, "worker": worker, "seconds": 0.0 if zero else duration(random)}
        if where is not None:
            op["device"] = device(where)
        if random.random() < 0.15 and kind != "join":
            op["latency"] = duration(random) / 10
        op["deps"], op["before"] = list(deps), list(before)
        ops.append(op)
        return len(ops) - 1

    begins = [add("step begins", "join", worker, zero=True) for worker in range(workers)]
    shape = [(random.randrange(servers), random.random() < 0.5) for _ in range(random.randint(1, 4))]
    updates = {}
    last = {}
    for worker in range(workers):
        cpus = [f"worker {worker} cpu{index}" for index in range(random.choice((1, 1, 2)))]
        forward = []
        for tensor, (server, _) in enumerate(shape):
            pull = add(f"pull/{tensor}", "pull", worker, f"ps {server} to worker {worker}", [begins[worker]])
            deps = [pull] + random.sample(forward, min(len(forward), random.choice((0, 1, 1, 2))))
            forward.append(add(f"forward/{tensor}", "forward", worker, random.choice(cpus), deps))
        own, before = [], forward[-1]
        for tensor, (server, _) in reversed(list(enumerate(shape))):
            before = add(f"backward/{tensor}", "backward", worker, random.choice(cpus), [before, forward[tensor]])
            push = add(f"push/{tensor}", "push", worker, f"worker {worker} to ps {server}", [before])
            shared = random.random() < 0.5
            where = f"ps {server}" if shared else f"ps {server} for worker {worker}"
            update = add(f"update/{tensor}", "update", worker, where, [push])
            updates.setdefault(tensor, []).append(update)
            own.append(update)
        if random.random() < 0.5:
            own.append(add("metrics", "compute", worker, random.choice(cpus), [before]))
        last[worker] = add("step ends", "join", worker, deps=own, zero=True)
        ops[begins[worker]]["before"] = [last[worker]]
    for op in ops:
        # As in a job whose workers apply a gradient together: nobody pulls before all have updated.
        if op["kind"] == "pull" and shape[int(op["name"][5:])][1]:
            op["before"] = list(updates[int(op["name"][5:])])
    job = {"schema": "dml-job/1", "model": "random", "batch_size": 4, "source": {"by": "an oracle"}, "workers": workers,
           "servers": servers, "steps": 3,
           "measured": [{"step": 1.0, "forward": 0.25, "backward": 0.5}] * workers, "devices": devices,
           "ops": [{key: value for key, value in op.items() if key not in ("seconds", "deps", "before") or value}
                   for op in ops]}
    return {"profile": job}


def duration(random):
    return round(random.uniform(0.01, 1), 6)


class Execution:
    """When each op of each step runs, and what ran before it on its device."""

    def __init__(self, job, steps=STEPS):
        self.ops = job["ops"]
        self.steps = steps
        self.start, self.end, self.previous = {}, {}, {}
        self.order = []
        self.run()

    def waits_for(self, op, step):
        listed = self.ops[op]
        found = [(other, step) for other in listed.get("deps", [])]
        return found + ([(other, step - 1) for other in listed.get("before", [])] if step else [])

    def ready(self, op, step):
        return max([self.end[one] for one in self.waits_for(op, step)], default=0.0) + self.ops[op].get("latency", 0.0)

    def run(self):
        """All ops in the order in which they get ready."""
        waiting, dependents = {}, {}
        for step in range(self.steps):
            for op in range(len(self.ops)):
                needs = self.waits_for(op, step)
                waiting[op, step] = len(needs)
                for one in needs:
                    dependents.setdefault(one, []).append((op, step))
        queues, free, latest, events = {}, {}, {}, []
        for one, count in waiting.items():
            if count == 0:
                heapq.heappush(events, (self.ready(*one), one[1], one[0]))
        while events:
            # Nothing can get ready earlier than this one any more, so it is the next one on its device.
            time, step, op = heapq.heappop(events)
            place = self.ops[op].get("device")
            begin = time if place is None else max(time, free.get(place, 0.0))
            if place is not None:
                self.previous[op, step] = latest.get(place)
                latest[place] = (op, step)
                free[place] = begin + self.ops[op].get("seconds", 0.0)
            self.start[op, step] = begin
            self.end[op, step] = begin + self.ops[op].get("seconds", 0.0)
            self.order.append((op, step))
            for other in dependents.get((op, step), []):
                waiting[other] -= 1
                if waiting[other] == 0:
                    heapq.heappush(events, (self.ready(*other), other[1], other[0]))

    def shortened(self, chosen, factor=0.9):
        """Ends of all ops with some of them shorter and every device's order kept."""
        end = {}
        for one in self.order:
            op, step = one
            begin = max([end[other] for other in self.waits_for(op, step)], default=0.0)
            begin += self.ops[op].get("latency", 0.0)
            if self.previous.get(one):
                begin = max(begin, end[self.previous[one]])
            end[one] = begin + self.ops[op].get("seconds", 0.0) * (factor if chosen(self.ops[op]) else 1)
        return end

    def step(self, worker, step, end=None):
        """Begin and end of a worker's step."""
        end = end or self.end
        first = next(op for op, one in enumerate(self.ops) if one["name"] == "step begins" and one["worker"] == worker)
        last = next(op for op, one in enumerate(self.ops) if one["name"] == "step ends" and one["worker"] == worker)
        return end[first, step], end[last, step]

    def mean_step(self, workers, end=None, steps=range(1, STEPS)):
        spans = [self.step(worker, step, end) for worker in range(workers) for step in steps]
        return sum(last - first for first, last in spans) / len(spans)

    def path(self, worker, step):
        """Segments (start, end, op, step or None for a gap), backwards; None where two candidates end together."""
        begin, _ = self.step(worker, step)
        last = next(op for op, one in enumerate(self.ops) if one["name"] == "step ends" and one["worker"] == worker)
        one, segments = (last, step), []
        while True:
            if self.end[one] > self.start[one]:
                segments.append((max(begin, self.start[one]), self.end[one], *one))
            if self.start[one] <= begin + 1e-12:
                return segments[::-1]
            # What let it start: a dependency's end and the latency after it, or the end of the op before it.
            latency = self.ops[one[0]].get("latency", 0.0)
            before = [(self.end[other] + latency, other) for other in self.waits_for(*one)]
            if self.previous.get(one):
                before.append((self.end[self.previous[one]], self.previous[one]))
            before = sorted(set(before))
            if len(before) > 1 and before[-1][0] - before[-2][0] < 1e-9:
                return None
            last = before[-1][1]
            if self.start[one] - self.end[last] > 1e-12:
                segments.append((max(begin, self.end[last]), self.start[one], None, None))
            if self.end[last] <= begin + 1e-12:
                return segments[::-1]
            one = last


def expect(case):
    return Execution(case["profile"])


def run_cases(folder, cases, _):
    """The commands take one job at a time."""
    outcomes = []
    for number, case in enumerate(cases):
        name = f"job{number}"
        write_json(folder, name + ".yaml", case["profile"])
        outcome = Outcome()
        outcome.replay = run(["replay", name + ".yaml"], folder)
        outcome.why = run(["why", name + ".yaml", "--out", name], folder)
        outcome.tables["path"] = read_table(os.path.join(folder, name, "critical-path.csv"))
        outcomes.append(outcome)
    return outcomes


def compare(case, execution, outcome):
    differences = []
    compare_steps(case["profile"], execution, outcome, differences)
    compare_paths(case["profile"], execution, outcome.rows("path"), differences)
    compare_savings(case["profile"], execution, outcome.why, differences)
    return differences


def compare_steps(job, execution, outcome, differences):
    """The numbers that replay prints."""
    forwards, backwards = [], []
    for worker in range(job["workers"]):
        spans = [execution.step(worker, step) for step in range(1, STEPS)]
        printed(rf"worker {worker}", sum(end - begin for begin, end in spans) / len(spans), outcome.replay, differences)
        for step in range(1, STEPS):
            begin, _ = execution.step(worker, step)
            middle = last_of(execution, "forward", worker, step)
            forwards.append(middle - begin)
            backwards.append(last_of(execution, "backward", worker, step) - middle)
    printed("mean step", execution.mean_step(job["workers"]), outcome.replay, differences)
    printed("mean forward", sum(forwards) / len(forwards), outcome.replay, differences)
    printed("mean backward", sum(backwards) / len(backwards), outcome.replay, differences)


def last_of(execution, kind, worker, step):
    return max(execution.end[op, step] for op, one in enumerate(execution.ops)
               if one["kind"] == kind and one["worker"] == worker)


def printed(name, expected, text, differences):
    found = re.search(rf"^  {name} +\S+ +(\S+)", text, re.MULTILINE).group(1)
    compare_printed(name, expected, found, differences)


def compare_paths(job, execution, rows, differences):
    """Every segment; where two ends are level only that the path has no holes."""
    found = {}
    for row in rows:
        found.setdefault((int(row["worker"]), int(row["step"])), []).append(row)
    for worker in range(job["workers"]):
        for step in range(1, STEPS):
            segments = [row for row in found.get((worker, step), []) if float(row["end"]) - float(row["start"]) > 1.5e-9]
            begin, end = execution.step(worker, step)
            what = f"path of worker {worker}, step {step}"
            if not segments:
                differences.append(f"{what}: missing")
                continue
            compare_times(what + " begin", begin, segments[0]["start"], differences)
            compare_times(what + " end", end, segments[-1]["end"], differences)
            for one, other in zip(segments, segments[1:]):
                compare_times(what + " hole", float(one["end"]), other["start"], differences)
            compare_segments(what, job, execution.path(worker, step), joined(segments), differences)


def joined(segments):
    """Another worker's op, or the gap before it, is cut where the worker's own work begins or ends beside it."""
    result = []
    for row in segments:
        if result and all(row[key] == result[-1][key] for key in ("op", "op_worker", "op_step", "device")):
            result[-1] = {**result[-1], "end": row["end"]}
        else:
            result.append(row)
    return result


def compare_segments(what, job, expected, segments, differences):
    if expected is None:
        return
    expected = [one for one in expected if one[1] - one[0] > 1.5e-9]
    if len(expected) != len(segments):
        differences.append(f"{what}: expected {len(expected)} segments, found {len(segments)}")
        return
    for one, row in zip(expected, segments):
        compare_times(what + " start of " + row["op"], one[0], row["start"], differences)
        if one[2] is None:
            if row["device"]:
                differences.append(f"{what}: expected a gap, found {row['op']}")
        elif (job["ops"][one[2]]["name"], str(job["ops"][one[2]]["worker"]), str(one[3])) != (
                row["op"], row["op_worker"], row["op_step"]):
            differences.append(f"{what}: expected {job['ops'][one[2]]} of step {one[3]}, found {row}")


def compare_savings(job, execution, text, differences):
    """The column "a step, %": what 10 % less time for some ops saves."""
    names = {op["name"] for op in job["ops"]}
    before = execution.mean_step(job["workers"])
    section = text[text.index("10 % less time for"):]
    seen = 0
    for line in section.splitlines()[1:]:
        match = re.match(r"^  (.*?) +([-+]\d+\.\d+)", line)
        if not match:
            continue
        name = match.group(1)
        chosen = choice(name, names)
        if chosen is None:
            continue
        seen += 1
        after = execution.mean_step(job["workers"], execution.shortened(chosen))
        compare_numbers("10 % less time for " + name, (after / before - 1) * 100, match.group(2), differences,
                        rounding=0.00501)
    if not seen:
        differences.append("no row of what shorter ops save")


def choice(name, names):
    if name == "what workers compute":
        return lambda op: op["kind"] in COMPUTE
    if name == "all that is sent":
        return lambda op: op["kind"] in ("pull", "push")
    if name == "all updates":
        return lambda op: op["kind"] == "update"
    match = re.match(r"what worker (\d+) computes$", name)
    if match:
        return lambda op: op["kind"] in COMPUTE and op["worker"] == int(match.group(1))
    return (lambda op: op["name"] == name) if name in names else None


def perturb(random, outcome):
    """Another digit of a saving, a segment of the path that is not there or ends later, or another mean step."""
    change = random.choice(("path", "time", "why", "replay"))
    rows = [row for row in outcome.rows("path") if float(row["end"]) - float(row["start"]) > 1e-3]
    if change == "path":
        outcome.rows("path").remove(random.choice(rows))
    elif change == "time":
        row = random.choice(rows)
        move_time(row, "end")
    elif change == "why":
        outcome.why = re.sub(r"(what workers compute +-?)(\d+\.\d+)", lambda match: match.group(1) +
                             f"{float(match.group(2)) + 0.02:.2f}", outcome.why)
    else:
        outcome.replay = re.sub(r"(mean step +\S+ +)(\d+\.\d+)", lambda match: match.group(1) +
                                f"{float(match.group(2)) * 1.002:.6f}", outcome.replay)
