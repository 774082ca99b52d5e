#
# Copyright (c) 2026 The dml authors
#
# SPDX-License-Identifier: GPL-2.0-only

"""What connections get of a FIFO port of this machine's kernel, beside packets and bursts: as it is, while others send the
other way, by the size of bursts, and by rate. Each part takes five to ten minutes of an idle machine with two cores."""

import os
import statistics
from dataclasses import dataclass

import dml
from burst_study import incast
from burst_study.shares import SCALES, TENSORS, Incast, late, together
from study_intervals import Mean
from validation_report.tables import simple

ENGINES = ("host", "packet", "burst")
NAMES = (*(f"spread in {scale}" for scale in (5, 80)), "first done", "last done", "timeouts", "recoveries",
         *(f"share in {scale}" for scale in SCALES))
LATENESS = "late, ms"  # of timers of real processes: says whether the machine carries a case
TOO_SLOW = "this machine cannot give the link"
WHOLE, SINGLE = "{trains: true}", "{trains: false, gso: 0B}"
KERNEL = [*(Incast("64KB", 0.2, workers, "{drop_tail: 64KB, whole_bursts: true}", WHOLE) for workers in (2, 4, 8)),
          *(Incast("250KB", 0.5, workers, "{drop_tail: 250KB, whole_bursts: true}", WHOLE) for workers in (2, 4, 8)),
          *(Incast("64KB", 0.2, workers, "{drop_tail: 64KB}", SINGLE) for workers in (2, 4, 8))]
SLOWER = 0.8  # of its share of what the server sends: the rate of the link to a worker whose port is to be full


@dataclass(frozen=True)
class Virtual(Incast):
    """An incast over ports and links of a virtual network, as the kernel's are: bursts know them, packets have whole bursts."""

    gso: str = ""  # largest burst; empty: the default of the rate
    back: str = ""  # where acknowledgements meet as much data that goes the other way: in the server's "queue", or in its queue
    # and in full "ports" to the workers, too; empty: there is none

    @staticmethod
    def at(port, rate, workers, **more):
        return Virtual(port, rate, workers, f"{{drop_tail: {port}, whole_bursts: true}}", "", **more)

    @property
    def name(self):
        return "-".join(part for part in (super().name, self.gso, self.back) if part)

    def write(self, place, tensors):
        return incast.write_scenario(place, tensors, self.tensor, back=bool(self.back))

    def settings(self, engine):
        tcp = {"trains": engine == "packet", **({"gso": self.gso} if self.gso else {})}
        slow = f"{SLOWER * self.rate / self.workers:g}Gbps"
        links = {f"worker{i}": {"rate": {"up": f"{self.rate:g}Gbps", "down": slow}} for i in range(self.workers)}
        hosts = {"network.hosts": links} if self.back == "ports" else {}
        return {**super().settings(engine), "network.tcp": tcp, **hosts}


def lateness(folder, case):
    """Mean lateness of the timers of real runs that have ended, ms."""
    runs = (run for part in ("", "late") for each in dml.Results(os.path.join(folder, part, case.name, "host")).cases
            for run in each["engines"]["host"]["replications"])
    return [1e3 * run["host"]["mean_lateness"] for run in runs if not run["host"]["disturbed"]]


def measure(folder, case, engine):
    """By quantity: its values; nothing if this machine is too slow for the links."""
    try:
        found = {**together(folder, case, engine), **late(folder, case, engine)}
    except dml.Error as error:
        if engine == "host" and TOO_SLOW in str(error):
            return {}
        raise
    return {**found, LATENESS: lateness(folder, case)} if engine == "host" else found


def text_of(values):
    """A cell."""
    return Mean.of(values).text(2) if len(values) > 1 else f"{statistics.fmean(values):.2f}" if values else "-"


def rows_of(folder, cases, names=(*NAMES, LATENESS)):
    """Cells of each case, a pair of a place and an Incast, by each engine: its name first."""
    for place, case in cases:
        for engine in ENGINES:
            found = measure(os.path.join(folder, place), case, engine)
            yield case, engine, [text_of(found.get(name, ())) for name in names]


def kernel_shares(folder):
    """The kernel against packets and bursts."""
    cases = [("single" if case.tcp == SINGLE else "whole", case) for case in KERNEL]
    rows = [["segments" if case.tcp == SINGLE else "bursts", case.port, f"{case.rate:g}", str(case.workers), engine, *cells]
            for case, engine, cells in rows_of(folder, cases, NAMES)]
    return {"kernel-shares": simple(["dropped", "port", "Gbit/s", "W", "engine", *NAMES], rows)}, {}


def table(folder, name, cases, head, label):
    """A part whose rows are told apart by `label`, under `head`."""
    rows = [[*label(case), case.port, f"{case.rate:g}", str(case.workers), engine, *cells]
            for case, engine, cells in rows_of(folder, [("", case) for case in cases])]
    return {name: simple([*head, "port", "Gbit/s", "W", "engine", *NAMES, LATENESS], rows)}, {}


def kernel_reverse(folder):
    """While the server sends as much to the workers: acknowledgements of what they push meet data in its own queue, which is fair, or
    in FIFO ports, too."""
    cases = [Virtual.at("64KB", 0.2, workers, back=back) for back in ("", "queue", "ports") for workers in (2, 4, 8)]
    return table(folder, "kernel-reverse", cases, ["acknowledgements meet data in"], lambda case: [case.back or "nothing"])


def kernel_bursts(folder):
    """Bursts of 16 and of 64 KB."""
    cases = [Virtual.at("250KB", 0.5, workers, gso=gso) for gso in ("16KB", "64KB") for workers in (2, 4, 8)]
    cases += [Virtual.at("1MB", 1, workers, gso=gso) for gso in ("16KB", "64KB") for workers in (4, 8)]
    return table(folder, "kernel-bursts", cases, ["burst"], lambda case: [case.gso])


RATES = (("64KB", 0.05), ("250KB", 1), ("1MB", 2), ("1MB", 3))  # Gbit/s; two cores carry up to the third or the fourth


def kernel_rates(folder):
    """From 50 Mbit/s to what this machine carries."""
    cases = [Virtual.at(port, rate, workers) for port, rate in RATES for workers in (2, 4, 8)]
    return table(folder, "kernel-rates", cases, [], lambda case: [])


PARTS = {"kernel-shares": kernel_shares, "kernel-reverse": kernel_reverse, "kernel-bursts": kernel_bursts, "kernel-rates": kernel_rates}
