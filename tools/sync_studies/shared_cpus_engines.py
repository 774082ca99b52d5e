#
# Copyright (c) 2026 The dml authors
#
# SPDX-License-Identifier: GPL-2.0-only

"""The schemes of LB-BSP's section 5.3 (SoCC 2020) in both engines: the first iterations."""

from sync_studies.shared_cpus import SCHEMES, iteration, make_run
from validation_report.study import ENGINES
from validation_report.tables import signed, simple

NAME = "shared-cpus-engines"
# The first iterations of the first replication
SHORT = ("job.steps=16", "job.warmup=4", "replications=1")
COMPARED = tuple(scheme for scheme, how in SCHEMES.items() if how.packet)


def run_name(scheme):
    return f"both-{scheme}"


RUNS = tuple(make_run(scheme, run_name(scheme), SHORT, "both") for scheme in COMPARED)


def iterations(results):
    """Mean time of an iteration, s, by scheme and engine; None without a case."""
    found = {}
    for scheme in COMPARED:
        for engine in ENGINES:
            seconds = iteration(results.case(run_name(scheme), engine))
            found[scheme, engine] = None if seconds is None else seconds[0]
    return found


def engine_table(found):
    rows = []
    for scheme in COMPARED:
        fair_share, packet = (found[scheme, engine] for engine in ENGINES)
        if packet is not None:
            rows.append([SCHEMES[scheme].text, f"{packet:.3f}", f"{fair_share:.3f}",
                         signed(fair_share / packet - 1),
                         *(f"{found[scheme, engine] / found['bsp', engine]:.3f}"
                           for engine in reversed(ENGINES))])
    return simple(["scheme", "packet, s", "f.-share, s", "%", "over BSP", "over BSP"], rows)


def report(results, _picture):
    """(tables, pictures, values)."""
    found = iterations(results)
    errors = [found[scheme, "fair-share"] / found[scheme, "packet"] - 1 for scheme in COMPARED
              if found[scheme, "packet"] is not None]
    return {"engines": engine_table(found)}, {}, {"largest": signed(max(errors, key=abs))}
