#
# Copyright (c) 2026 The dml authors
#
# SPDX-License-Identifier: GPL-2.0-only

"""LB-BSP (SoCC 2020), Fig. 8, with a job of full size between hosts of Linux."""

from study_intervals import Mean
from sync_studies.batch_sizes import AFTER, BEFORE, CLASSES, FAULT, SLOW, STEPS, Course
from sync_studies.batch_sizes_seeds import (SEEDS, TIME_HEADS, batch_cells, batches, same_batches,
                                            seeded, time_cells, times, with_seed)
from sync_studies.runs import EngineRun, RateRun
from validation_report.study import ENGINES
from validation_report.tables import simple
from validation_study.settings import FULL_QUEUES

NAME = "full-size"
NETWORK = ("network.transport=linux", "network.mtu=1500", f"network.queue={FULL_QUEUES['fifo']}",
           "network.tcp={trains: true}")
FIRST, COURSE = "batch-sizes-first", "batch-sizes"


def named(run, engine):
    return f"{run}-{engine}"


def batch_runs(engine):
    first, then = named(FIRST, engine), named(COURSE, engine)
    return (EngineRun(first, "lb-bsp", (f"name={first}", f"job.steps={FAULT + 1}", *NETWORK),
                      engine=engine),
            RateRun(then, "lb-bsp", (f"name={then}", f"job.steps={STEPS}", *NETWORK),
                    engine=engine, first=first, step=FAULT, link=SLOW, rate="2.5Gbps"))


RUNS = tuple(with_seed(run, seed) for engine in ENGINES for seed in SEEDS
             for run in batch_runs(engine))


def courses(results, engine):
    """Of each seed."""
    return [Course(results.steps(seeded(named(COURSE, engine), seed)), 1.0)
            for seed in SEEDS]


def batch_table(found):
    """Before the link gets slower and in the end."""
    rows = [[engine, when, *batch_cells(each, window)]
            for engine, each in found.items() for when, window in (("before", BEFORE), ("in the end", AFTER))]
    return simple(["engine", "", *CLASSES], rows)


def time_table(found):
    return simple(["engine", *TIME_HEADS],
                  [[engine, *time_cells(each)] for engine, each in found.items()])


def size_errors(fair_share, packet):
    """By how many samples packets give each worker more, before the link gets slower and in the end."""
    return [Mean.of(more - less for less, more in zip(batches(fair_share, window, worker),
                                                      batches(packet, window, worker)))
            for window in (BEFORE, AFTER) for worker in range(len(CLASSES))]


def report(results, _picture):
    """(tables, pictures, values)."""
    found = {engine: courses(results, engine) for engine in ENGINES}
    fair_share, packet = found.values()
    values = {
        "same": same_batches(fair_share, packet),
        "of": str(FAULT),
        "sizes": max(size_errors(fair_share, packet), key=lambda error: abs(error.value)).text(1, sign="+"),
        **{f"{name}-time": Mean.of_gains(times(packet, window), times(fair_share, window)).percent
           for name, window in (("before", BEFORE), ("after", AFTER))},
        "seeds": str(len(SEEDS)),
    }
    return {"sizes": batch_table(found), "times": time_table(found)}, {}, values
