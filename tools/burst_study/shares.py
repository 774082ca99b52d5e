#
# Copyright (c) 2026 The dml authors
#
# SPDX-License-Identifier: GPL-2.0-only

"""What connections get of a FIFO port: by packets, by bursts and, in kernel.py, by this machine's kernel.

W workers push to one server, all at the same time, or one of them later than the others. Times are in units of what
the port holds over its rate, its drain time: what TCP does depends on that more than on seconds."""

import os
import statistics
from dataclasses import dataclass

import dml
from burst_study import incast
from matched_study.factors import PORTS
from study_intervals import Mean
from validation_report.tables import simple

SIZES = {"64KB": 64e3, "250KB": 250e3, "1MB": 1e6, "4MB": 4e6}
SCALES = (5, 20, 80)  # drain times over which shares are looked at
DRAINS = 200  # drain times that a push of all workers takes at the port's rate
TENSORS = 100  # of a worker
STEPS = 4  # the first one is of new connections, and not looked at
RUNS = {"packet": 6, "burst": 20, "host": 4}
LONE = 3  # times DRAINS that the others of a late worker push


@dataclass(frozen=True)
class Incast:
    """Workers that push through one port."""

    port: str  # size
    rate: float  # Gbit/s
    workers: int
    queue: str
    tcp: str

    @staticmethod
    def of(port, rate, workers):
        queue, trains = PORTS[port]
        return Incast(port, rate, workers, queue, f"{{trains: {str(trains).lower()}}}")

    @property
    def drain(self):
        """Seconds in which the port sends what it has room for."""
        return SIZES[self.port] * 8 / (self.rate * 1e9)

    @property
    def tensor(self):
        """Bytes."""
        return int(DRAINS * SIZES[self.port] / self.workers / TENSORS)

    @property
    def name(self):
        """Of a folder."""
        return f"{self.port}-{self.rate:g}g-w{self.workers}"

    def write(self, place, tensors):
        """The scenario, in a folder. Returns its path."""
        return incast.write_scenario(place, tensors, self.tensor)

    def settings(self, engine):
        """Values of its keys."""
        own = {} if engine == "burst" else {f"{engine}.replications": RUNS[engine]}
        return {"job.workers": self.workers, "job.sync": "bsp", "replications": RUNS[engine], **own,
                "network.rate": f"{self.rate:g}Gbps", "network.queue": self.queue, "network.tcp": self.tcp}

    def run(self, folder, engine, settings, tensors=TENSORS):
        """Progress of workers by (replication, step), and what the engine counted by replication. Real runs that are there are
        used again, and those that something else has disturbed are left out."""
        place = os.path.join(folder, self.name)
        os.makedirs(place, exist_ok=True)
        scenario = self.write(place, tensors)
        out = os.path.join(place, engine)
        results = dml.Results(out)
        if engine != "host" or not results.finished:
            begun = engine == "host" and os.path.exists(os.path.join(out, "unfinished"))
            dml.run(scenario, out, engine=engine, settings={**self.settings(engine), **settings}, force=not begun, resume=begun)
        case, = results.cases
        return undisturbed(incast.read(out, self.tensor), case["engines"][engine]["replications"])


def undisturbed(progress, runs):
    """Both without the runs that were disturbed, and numbered anew."""
    kept = [number for number, run in enumerate(runs) if not run.get("host", {}).get("disturbed")]
    return ({(kept.index(number), step): workers for (number, step), workers in progress.items() if number in kept},
            [runs[number] for number in kept])


def together(folder, case, engine):
    """By quantity: its value in each replication."""
    progress, runs = case.run(folder, engine, {"job.steps": STEPS, "job.start": "together"})
    found = {}
    for number, run in enumerate(runs):
        steps = [workers for (replication, step), workers in progress.items() if replication == number and step > 0]
        spans = [(max(worker.begin for worker in workers), min(worker.end for worker in workers)) for workers in steps]
        for scale in SCALES:
            parts = sum((incast.squares(workers, *span, scale * case.drain) for workers, span in zip(steps, spans)), [])
            if parts:
                found.setdefault(f"spread in {scale}", []).append(statistics.fmean(parts) ** 0.5)
        times = [[worker.end - min(other.begin for other in workers) for worker in workers] for workers in steps]
        found.setdefault("first done", []).append(statistics.fmean(min(part) / max(part) for part in times))
        found.setdefault("last done", []).append(
            statistics.fmean(max(part) for part in times) / (DRAINS * case.drain))
        for name, key in (("timeouts", "timeouts"), ("recoveries", "fast_recoveries")):
            found.setdefault(name, []).append(run[key] / STEPS)
    return found


def late(folder, case, engine):
    """By time scale: the share of a worker that comes when the others have the port, over an equal one, in each
    replication."""
    wait = DRAINS * case.drain
    starts = ", ".join(["0s"] * (case.workers - 1) + [f"{wait:.9f}s"])
    settings = {"job.steps": 1, "job.start": f"[{starts}]", "job.sync": "async"}
    progress, _ = case.run(os.path.join(folder, "late"), engine, settings, LONE * TENSORS)
    found = {}
    for workers in progress.values():
        begin = workers[-1].begin
        for scale in SCALES:
            end = begin + scale * case.drain
            if min(worker.end for worker in workers) < end:
                continue
            parts = [worker.between(begin, end) for worker in workers]
            found.setdefault(f"share in {scale}", []).append(parts[-1] / sum(parts) * case.workers)
    return found


def difference(measured, predicted, digits=2):
    """Cells of a quantity: the mean of the first sample, and how much larger that of the second one is."""
    if not measured or not predicted:
        return ["-", "-"]
    mean = f"{statistics.fmean(measured):.{digits}f}"
    if min(len(measured), len(predicted)) < 4:
        return [mean, "-"]
    more = Mean.of_difference(predicted, measured)
    return [mean, more.text(digits, 1, "+") + ("" if more.certain else " ?")]


def grid():
    for port, counts in (("64KB", (2, 8, 32)), ("250KB", (2, 8, 32)), ("1MB", (2, 8, 32)), ("4MB", (8,))):
        for rate in (0.1, 1, 10, 25):
            for workers in counts:
                yield Incast.of(port, rate, workers)


def compared(folder, measure, names):
    """Rows of all ports, and how many differences of each quantity are certain."""
    rows, certain, known = [], dict.fromkeys(names, 0), dict.fromkeys(names, 0)
    for case in grid():
        packets, bursts = (measure(folder, case, engine) for engine in ("packet", "burst"))
        row = [case.port, f"{case.rate:g}", str(case.workers)]
        for name in names:
            cells = difference(packets.get(name), bursts.get(name))
            known[name] += cells[1] != "-"
            certain[name] += cells[1] != "-" and not cells[1].endswith("?")
            row += cells
        rows.append(row)
    heading = ["port", "Gbit/s", "W", *(part for name in names for part in (name, "bursts"))]
    return simple(heading, rows), ", ".join(f"{certain[name]} of {known[name]} ({name})" for name in names)


def shares(folder):
    """Packets against bursts: shares by time scale, who is done when, and how losses are repaired."""
    table, certain = compared(folder, together, [*(f"spread in {scale}" for scale in (5, 80)), "first done", "last done",
                                                 "timeouts", "recoveries"])
    return {"shares": table}, {"shares-certain": certain}


def latecomers(folder):
    """Packets against bursts: what one gets that comes late."""
    table, certain = compared(folder, late, [f"share in {scale}" for scale in SCALES])
    return {"late": table}, {"late-certain": certain}
