#
# Copyright (c) 2026 The dml authors
#
# SPDX-License-Identifier: GPL-2.0-only

"""LB-BSP (SoCC 2020), Fig. 8, with a job of full size between hosts of Linux."""

from sync_studies import batch_sizes
from sync_studies.runs import EngineRun, RateRun
from validation_report.study import ENGINES
from validation_report.tables import percent, simple
from validation_study.settings import FULL_QUEUES

NAME = "full-size"
NETWORK = ("network.transport=linux", "network.mtu=1500", f"network.queue={FULL_QUEUES['fifo']}",
           "network.tcp={trains: true}")
FIRST, COURSE = "batch-sizes-first", "batch-sizes"


def named(run, engine):
    return f"{run}-{engine}"


def batch_runs(engine):
    first, then = named(FIRST, engine), named(COURSE, engine)
    return (EngineRun(first, "lb-bsp", (f"name={first}", f"job.steps={batch_sizes.FAULT + 1}",
                                        *NETWORK), engine=engine),
            RateRun(then, "lb-bsp", (f"name={then}", f"job.steps={batch_sizes.STEPS}", *NETWORK),
                    engine=engine, first=first, step=batch_sizes.FAULT, link=batch_sizes.SLOW,
                    rate="2.5Gbps"))


RUNS = tuple(run for engine in ENGINES for run in batch_runs(engine))


def course_table(found):
    """Batch sizes before the link gets slower and in the end, and times of an iteration, s."""
    windows = (batch_sizes.BEFORE, batch_sizes.FALLEN, batch_sizes.AFTER)
    rows = []
    for engine, course in found.items():
        fast, _ = course.last_fast
        rows.append([engine, batch_sizes.iteration_cell(fast),
                     batch_sizes.comma(course.batches(windows[0]), 1),
                     batch_sizes.comma(course.batches(windows[2]), 1),
                     *(f"{course.iteration(window):.2f}" for window in windows)])
    return simple(["engine", "last 5", "before", "after", "s", "s", "s"], rows)


def report(results, _picture):
    """(tables, pictures, values)."""
    courses = {engine: batch_sizes.Course(results.steps(named(COURSE, engine)), 1.0)
               for engine in ENGINES}
    same = sum(courses[ENGINES[0]].steps.batch(k) == courses[ENGINES[1]].steps.batch(k)
               for k in range(batch_sizes.FAULT))
    values = {
        "same": str(same), "of": str(batch_sizes.FAULT),
        "iterations": percent(max(abs(courses["packet"].iteration(window)
                                      / courses["fair-share"].iteration(window) - 1)
                                  for window in (batch_sizes.BEFORE, batch_sizes.AFTER))),
    }
    return {"courses": course_table(courses)}, {}, values
