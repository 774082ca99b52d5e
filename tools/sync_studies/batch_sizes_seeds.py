#
# Copyright (c) 2026 The dml authors
#
# SPDX-License-Identifier: GPL-2.0-only

"""LB-BSP (SoCC 2020), Fig. 8: what the order of transfers does to batch sizes; in packets only until
the link gets slower, and of fewer seeds."""

from dataclasses import replace

from study_intervals import Mean, span
from sync_studies import batch_sizes
from sync_studies.batch_sizes import AFTER, BEFORE, CLASSES, FALLEN, FAULT, PAPER, VARIANTS, Course
from sync_studies.runs import PACKET_SCALE
from validation_report.tables import simple

NAME = "batch-sizes-seeds"
ENGINE = "fair-share"
SEEDS = (1, 2, 3, 4, 5)
PACKET_SEEDS = SEEDS[:3]
TIME_HEADS = ("last 5", "first 1", "s", "first ten, %", "in the end, %")


def seeded(name, seed):
    return f"{name}-seed{seed}"


def with_seed(run, seed):
    """The run with another seed, which has a run of its own that says when the link gets slower."""
    first = {"first": seeded(run.first, seed)} if hasattr(run, "first") else {}
    return replace(run, name=seeded(run.name, seed), settings=(*run.settings, f"seed={seed}"), **first)


RUNS = (*(with_seed(run, seed) for variant in VARIANTS for seed in SEEDS
          for run in batch_sizes.runs(variant, ENGINE)),
        *(with_seed(batch_sizes.runs("main", "packet")[0], seed) for seed in PACKET_SEEDS))


def courses(results):
    """Of each seed, by variant."""
    return {variant: [Course(results.steps(seeded(batch_sizes.names(variant, ENGINE)[1], seed)), 1.0)
                      for seed in SEEDS] for variant in VARIANTS}


def packet_courses(results):
    """Of each seed, the scenario until its link gets slower."""
    first, _ = batch_sizes.names("main", "packet")
    return [Course(results.steps(seeded(first, seed)), 1 / PACKET_SCALE) for seed in PACKET_SEEDS]


def engine_values(fair_share, packet):
    """The batch sizes of packets, and how far those and the times of fair-share with the same seeds agree."""
    fair_share = fair_share[:len(packet)]
    return {"packet": ", ".join(batch_cells(packet, BEFORE)),
            "same": same_batches(fair_share, packet),
            "packet-time": Mean.of_gains(times(packet, BEFORE), times(fair_share, BEFORE)).text(2, 100)}


def same_batches(fair_share, packet):
    """In how many of the first iterations the engines choose the same batch sizes."""
    return span([sum(one.steps.batch(k) == other.steps.batch(k) for k in range(FAULT))
                 for one, other in zip(fair_share, packet)])


def batches(found, window, worker):
    """Of a worker over the window, of each seed."""
    return [course.batches(window)[worker] for course in found]


def batch_cells(found, window):
    """Of each worker over the window."""
    return [Mean.of(batches(found, window, worker)).text(1) for worker in range(len(CLASSES))]


def times(found, window):
    """Of an iteration, s, of each seed."""
    return [course.iteration(window) for course in found]


def moves(found):
    """When the last move of five samples and the first of fewer were, over all seeds."""
    pairs = [course.last_fast for course in found]
    return [("-" if None in column else span(column)) for column in zip(*pairs)]


def batch_table(found, window):
    rows = [[VARIANTS[variant].text, *batch_cells(each, window)] for variant, each in found.items()]
    return simple(["variant", *CLASSES], rows)


def time_cells(found):
    """Moves, and times of iterations: before, and what the slow link does to them."""
    before = times(found, BEFORE)
    return [*moves(found), Mean.of(before).text(3),
            *(Mean.of_gains(times(found, window), before).percent for window in (FALLEN, AFTER))]


def time_table(found):
    return simple(["variant", *TIME_HEADS],
                  [[VARIANTS[variant].text, *time_cells(each)] for variant, each in found.items()])


def report(results, _picture):
    """(tables, pictures, values)."""
    found = courses(results)
    main = found["main"]
    off = [max(abs(size - paper) for size, paper in zip(course.batches(BEFORE), PAPER)) for course in main]
    values = {"off": span(off, 1), **engine_values(main, packet_courses(results))}
    for variant in ("main", "apart"):
        before = times(found[variant], BEFORE)
        for name, window in (("fallen", FALLEN), ("after", AFTER)):
            values[f"{variant}-{name}"] = Mean.of_gains(times(found[variant], window), before).percent
        values[f"{variant}-given"] = Mean.of(
            before - after for before, after in zip(batches(found[variant], BEFORE, 1),
                                                    batches(found[variant], AFTER, 1))).text(1)
    return ({"before": batch_table(found, BEFORE), "after": batch_table(found, AFTER),
             "times": time_table(found)}, {}, values)
