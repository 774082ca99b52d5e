#
# Copyright (c) 2026 The dml authors
#
# SPDX-License-Identifier: GPL-2.0-only

"""Fig. 8: errors of replays with the clocks of machines aligned, and as recorded, by number of machines."""

import json
import os
import random
from dataclasses import dataclass

from dpro_studies.results import COLUMNS, read_replay
from dpro_studies.runs import FOUR, MeasuredRun, dml, profile_path
from study_intervals import Mean
from testbed_compare.errors import InputError
from testbed_compare.tables import JsonFile, read_rows
from validation_report.plots import COLOURS, block, draw
from validation_report.tables import simple
from validation_study.settings import ROOT

NAME = "alignment"
MODEL = "resnet50-b4"
SERVERS = (1, 2, 4, 8)  # machines but the worker's
SPREADS = (0, 1, 10)  # ms, the standard deviation of their clocks
DRAWS = 5
STEP = 2  # that is looked at
CLOCKS = ("aligned", "recorded")


def split(events, skew):
    """{machine: its events}, with its clock moved by skew(machine) us. A machine is (job, task)."""
    names = {event["pid"]: event["args"]["name"] for event in events
             if event["name"] == "process_name"}
    machines = {}
    for pid, name in names.items():
        if name.startswith("/job:"):
            job, _, task = name.split("/")[1:4]
            machines[pid] = job.removeprefix("job:"), int(task.removeprefix("task:"))
    found = {machine: [] for machine in sorted(set(machines.values()))}
    for event in events:
        if event["pid"] not in machines:
            continue
        machine = machines[event["pid"]]
        if "ts" in event:
            event = {**event, "ts": event["ts"] + skew(machine)}
        found[machine].append(event)
    return found


@dataclass(frozen=True)
class ClockRun(MeasuredRun):
    """A worker with servers on machines of their own, whose record is replayed with clocks moved."""

    servers: int

    @property
    def name(self):
        return f"servers-{self.servers}"

    def record(self, program, folder, jobs):
        """The events of a step of the worker, as TensorFlow's timeline has them."""
        results = os.path.join(folder, "results")
        settings = ("sweep={}", "replications=1", "job.steps=4", "job.workers=1",
                    f"job.parameter_servers={self.servers}", "network.rate=10Gbps", "network.mtu=9000",
                    f"output.timeline={STEP + 1}", f"job.profile={profile_path(MODEL)}")
        dml(program, "run", os.path.join(ROOT, "scenarios", FOUR), "--engine=packet",
            f"--out={results}", "--force", f"--jobs={jobs}", *("--set=" + text for text in settings))
        path = os.path.join(results, "timelines", f"W1-packet-worker0-step{STEP}.timeline.json")
        return JsonFile(path).get("traceEvents")

    def work(self, program, folder, jobs):
        events, rows = self.record(program, folder, jobs), []
        for spread in SPREADS:
            for number in range(DRAWS if spread else 1):
                draws = random.Random(f"{self.servers} {spread} {number}")
                skews = {("ps", i): round(draws.gauss(0, 1e3 * spread)) for i in range(self.servers)}
                files = []
                for machine, own in split(events, lambda m, skews=skews: skews.get(m, 0)).items():
                    files.append(os.path.join(folder, "%s%d.json" % machine))
                    with open(files[-1], "w", encoding="utf-8") as file:
                        json.dump({"traceEvents": own}, file)
                rows += [{"spread": spread, "clocks": clocks,
                          "seconds": self.replay(program, folder, files, clocks)} for clocks in CLOCKS]
        with open(os.path.join(folder, "replays.json"), "w", encoding="utf-8") as file:
            json.dump({"replays": rows}, file, indent=1)

    @staticmethod
    def replay(program, folder, files, clocks):
        """Seconds of a step of what these records say."""
        job = os.path.join(folder, "job.yaml")
        dml(program, "import", "job", *files, "-o", job, "--force", "--clocks", clocks, "--batch-size",
            "4", "--sizes", profile_path(MODEL))
        path = os.path.join(folder, "replay.txt")
        with open(path, "w", encoding="utf-8") as file:
            file.write(dml(program, "replay", job))
        return read_replay(job, path)[1]["step"]


RUNS = tuple(map(ClockRun, SERVERS))


def true_step(folder):
    """Seconds of the worker's step, which no clock of a machine changes."""
    path = os.path.join(folder, "steps.csv")
    for _, row in read_rows(path, (*COLUMNS, "start")):
        if row["step"] == str(STEP):
            return float(row["end"]) - float(row["start"])
    raise InputError(f"{path}: there is no step {STEP}; accepted is a run with more than {STEP} steps")


def read(results):
    """Errors by (servers, spread, clocks)."""
    found = {}
    for run in RUNS:
        true = true_step(results.folder(run.name, "results"))
        for row in JsonFile(results.folder(run.name, "replays.json")).get("replays"):
            found.setdefault((run.servers, row["spread"], row["clocks"]), []).append(
                row["seconds"] / true - 1)
    return found


def error_table(found):
    rows = [[str(1 + servers), *(Mean.of(found[servers, spread, clocks]).text(2, 100)
                                 for spread in SPREADS for clocks in CLOCKS)] for servers in SERVERS]
    heads = {"aligned": "aligned", "recorded": "as is"}
    return simple(["machines", *(f"{heads[clocks]} {spread}" for spread in SPREADS
                                 for clocks in CLOCKS)], rows)


def size(errors):
    """Mean of the absolute errors."""
    return sum(map(abs, errors)) / len(errors)


def draw_errors(found, path):
    commands, lines = "", []
    for s, spread in enumerate(SPREADS):
        for c, clocks in enumerate(CLOCKS):
            commands += block(f"d{s}{c}", [(1 + servers, 100 * size(found[servers, spread, clocks]))
                                           for servers in SERVERS])
            lines.append(f"$d{s}{c} using 1:2 with linespoints lw 2 ps 0.8 pt {s + 4} dt {2 - c} lc rgb "
                         f"'{COLOURS[c]}' title '{clocks}, {spread} ms'")
    commands += ("set xlabel 'machines'\nset ylabel 'mean |error| of a step (%)'\nset yrange [0:*]\n"
                 f"set xtics {tuple(1 + servers for servers in SERVERS)}\nset key outside right\n"
                 "plot " + ", ".join(lines) + "\n")
    return draw(path, 760, 380, commands)


def report(results, picture):
    """(tables, whether each picture was drawn, values); `picture` gives the path of a name."""
    found = read(results)
    steps = [1e3 * true_step(results.folder(run.name, "results")) for run in RUNS]
    values = {"draws": str(DRAWS), "step": f"{min(steps):.0f} to {max(steps):.0f}",
              "machines": str(1 + SERVERS[-1])}
    for clocks in CLOCKS:
        for spread in SPREADS:
            most = max(size(found[servers, spread, clocks]) for servers in SERVERS)
            values[f"{clocks}-{spread}"] = f"{100 * most:.2f}"
    return {"errors": error_table(found)}, {"errors": draw_errors(found, picture("errors"))}, values
