# Copyright (c) 2026 The dml authors
#
# SPDX-License-Identifier: GPL-2.0-only

"""Whether the seconds of a critical path are what a run's trace says happened then.

Reads trace.json and critical-path.csv of a folder of results and nothing else, and shares no code with dml."""

import bisect
import collections
import csv
import json
import os
import sys

ROUNDING = 8e-9  # s: both files have nanoseconds, and a trace rounds a start and a length
COMPUTED = ("forward", "backward", "compute")


class Spans:
    """Stretches of time."""

    def __init__(self, spans=()):
        self._spans = list(spans)
        self._merged = None

    def add(self, start, end):
        self._spans.append((start, end))
        self._merged = None

    def merged(self):
        """In order, none touching the next."""
        if self._merged is None:
            self._merged = []
            for start, end in sorted(self._spans):
                if self._merged and start <= self._merged[-1][1] + ROUNDING:
                    self._merged[-1][1] = max(self._merged[-1][1], end)
                else:
                    self._merged.append([start, end])
        return self._merged

    def overlap(self, start, end):
        """Seconds of start to end that are in them."""
        spans = self.merged()
        total = 0.0
        first = max(0, bisect.bisect_right(spans, [start, float("inf")]) - 1)
        for a, b in spans[first:]:
            if a >= end:
                break
            total += max(0.0, min(b, end) - max(a, start))
        return total


class Run:
    """What a trace has of one run. Keys are (worker, step, op's name)."""

    def __init__(self, engine):
        self.engine = engine
        self.steps = {}
        self.computed = collections.defaultdict(Spans)
        self.updated = collections.defaultdict(Spans)
        self.parsed = collections.defaultdict(Spans)
        self.sent = {}  # from ready, or the first chunk, to the last byte's arrival
        self.entered = {}  # worker's collective: start, end
        self.own = collections.defaultdict(Spans)  # by worker and step: anything of it
        self.channels = collections.defaultdict(Spans)  # by worker and role: a transfer is under way
        self.channel = {}  # of a transfer
        self.chunks = {}  # likewise: start of the first
        self.workers = 0

    def add_sent(self, key, start, end):
        old = self.sent.get(key)
        self.sent[key] = (min(start, old[0]), max(end, old[1])) if old else (start, end)

    def finish(self):
        """By op and step: from when the last worker has entered the collective until each has its result."""
        self.together = {}
        for (worker, step, op), (start, _) in self.entered.items():
            self.together[step, op] = max(self.together.get((step, op), 0), start)
        self.reducing = collections.defaultdict(Spans)  # by worker
        for (worker, step, op), (_, end) in self.entered.items():
            last = min(end, self.together[step, op])
            self.reducing[worker].add(last, end)
            self.own[worker, step].add(last, end)
        for key, start in self.chunks.items():
            self.channels[self.channel[key]].add(start, self.sent[key][1])


def read_runs(path):
    """{(engine, number of workers): Run}. Of several runs of one kind, the last."""
    with open(path, encoding="utf-8") as file:
        events = json.load(file)["traceEvents"]
    processes, lanes, runs = {}, {}, {}
    for event in events:
        if event["ph"] == "M" and event["name"] == "process_name" and "run" in event["args"]:
            args = event["args"]
            run = runs.setdefault(args["run"], Run(args["engine"]))
            processes[event["pid"]] = (run, args.get("worker"))
            run.workers += "worker" in args
        elif event["ph"] == "M" and event["name"] == "thread_name":
            lanes[event["pid"], event["tid"]] = event["args"]["name"]
    for event in events:
        if event["ph"] in "Xi" and event["pid"] in processes:
            run, worker = processes[event["pid"]]
            add_event(run, worker, lanes[event["pid"], event["tid"]], event)
    for run in runs.values():
        run.finish()
    return {(run.engine, run.workers): run for run in runs.values()}


def add_event(run, worker, lane, event):
    args, name = event["args"], event["name"]
    start = event["ts"] / 1e6
    end = start + event.get("dur", 0) / 1e6
    if "step" not in args or lane.startswith("waiting"):
        return
    step = args["step"]
    if lane.startswith("steps"):
        run.steps[worker, step] = (start, end)
        return
    owner = args.get("worker", worker)  # a server's lanes say for whom
    name = name[len("parse "):] if "parse" in args else name
    key = (owner, step, name)
    if event["ph"] == "i":
        ready = args.get("ready")
        begins = ready / 1e6 if ready is not None else start
        if not lane.startswith("peer"):
            run.add_sent(key, begins, start)
        return
    if end > start and not lane.startswith("collectives"):
        run.own[owner, step].add(start, end)
    if lane.startswith("collectives"):
        run.entered[key] = (start, end)
    elif lane.startswith(("peer ", "reducer")):
        pass  # lies inside a collective
    elif "parse" in args:
        run.parsed[key].add(start, end)
    elif lane.startswith(("downlink", "uplink")):
        run.add_sent(key, start, end)
        run.channel[key] = owner, lane.split(" #")[0]
        run.chunks[key] = min(start, run.chunks.get(key, start))
    elif worker is None:
        run.updated[key].add(start, end)
    else:  # a device of the worker, where without servers updates run, too
        run.computed[key].add(start, end)
        run.updated[key].add(start, end)


class Paths:
    """The rows of critical-path.csv, against the trace."""

    def __init__(self, folder, out=None):
        self.runs = read_runs(os.path.join(folder, "trace.json"))
        with open(os.path.join(out or folder, "critical-path.csv"), encoding="utf-8") as file:
            self.rows = list(csv.DictReader(file))
        self.wrong = []
        self.seconds = collections.defaultdict(float)  # by engine and part
        for row in self.rows:
            self.check(row)
        self.check_sums()

    def check(self, row):
        run = self.runs[row["engine"], int(row["workers"])]
        start, end = float(row["start"]), float(row["end"])
        self.seconds[row["engine"], row["part"]] += end - start
        if end - start <= ROUNDING:
            return
        key = (int(row["op_worker"]), int(row["op_step"]), row["op"])
        worker, step = int(row["worker"]), int(row["step"])
        inside = self.explain(run, row, key, start, end)
        if inside is not None and end - start - inside > 2 * ROUNDING:
            self.wrong.append(f"{row['part']} has {end - start - inside:.9f} s in which the trace has "
                              f"none: {row}")
        if row["part"] == "other-worker":
            own = run.own[worker, step].overlap(start, end)
            if own > 4 * ROUNDING:
                self.wrong.append(f"its own step runs for {own:.9f} s: {row}")
        if row["part"] == "gap":
            self.check_gap(run, row, start, end)

    @staticmethod
    def explain(run, row, key, start, end):
        """Seconds in which that happened."""
        part, kind = row["part"], row["kind"]
        if part == "compute" or (part == "other-worker" and kind in COMPUTED):
            return run.computed[key].overlap(start, end)
        if part == "update":
            whole = Spans()
            for worker in range(run.workers):  # one may do it for all
                for span in run.updated[worker, key[1], key[2]].merged():
                    whole.add(*span)
            return whole.overlap(start, end)
        if part == "parse" or (part == "other-worker" and kind == "parse"):
            return run.parsed[key].overlap(start, end)
        if part in ("pull", "push") or (part == "other-worker" and kind in ("pull", "push")):
            spans = Spans([run.sent[key]] if key in run.sent else [])
            for span in run.channels[run.channel.get(key)].merged():
                spans.add(*span)
            return spans.overlap(start, end)
        if part == "collective":
            spans = Spans(run.entered[worker, key[1], key[2]] for worker in range(run.workers)
                          if (worker, key[1], key[2]) in run.entered)
            for span in run.reducing[int(row["worker"])].merged():
                spans.add(*span)
            return spans.overlap(start, end)
        return None

    def check_gap(self, run, row, start, end):
        key = (int(row["op_worker"]), int(row["op_step"]), row["op"])
        if row["kind"] not in ("pull", "push"):
            inside = run.reducing[int(row["worker"])].overlap(start, end)
            if inside > 4 * ROUNDING:
                self.wrong.append("gap, while its worker is in a collective that all have entered for "
                                  f"{inside:.9f} s: {row}")
        elif key in run.channel:
            inside = run.channels[run.channel[key]].overlap(start, end)
            if inside > 4 * ROUNDING:
                self.wrong.append("gap, while its channel has a transfer under way for "
                                  f"{inside:.9f} s: {row}")
        if row["kind"] in COMPUTED:
            inside = run.computed[key].overlap(start, end)
            if inside > 4 * ROUNDING:
                self.wrong.append(f"gap, while its op runs for {inside:.9f} s: {row}")

    def check_sums(self):
        """Paths cover their steps without holes."""
        paths = collections.defaultdict(list)
        for row in self.rows:
            paths[row["engine"], int(row["workers"]), int(row["worker"]), int(row["step"])].append(row)
        for (engine, workers, worker, step), rows in paths.items():
            start, end = self.runs[engine, workers].steps[worker, step]
            if abs(float(rows[0]["start"]) - start) > ROUNDING or abs(float(rows[-1]["end"]) - end) > ROUNDING:
                self.wrong.append(f"path of step {step} of worker {worker} does not cover it")
            for one, next_one in zip(rows, rows[1:]):
                if one["end"] != next_one["start"]:
                    self.wrong.append(f"hole after {one}")

    def share(self, engine, part):
        """Of all steps' time."""
        total = sum(seconds for (name, _), seconds in self.seconds.items() if name == engine)
        return self.seconds[engine, part] / total if total else 0


def main():
    """Prints what folders have that the command line names."""
    for folder in sys.argv[1:]:
        paths = Paths(folder)
        for engine, part in sorted(paths.seconds):
            print(f"{folder}: {engine} {part} {100 * paths.share(engine, part):.2f} %")
        print(*paths.wrong, f"{len(paths.wrong)} wrong", sep="\n")


if __name__ == "__main__":
    main()
