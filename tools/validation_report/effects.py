#
# Copyright (c) 2026 The dml authors
#
# SPDX-License-Identifier: GPL-2.0-only

"""Sizes of effects: errors of groups of cases, and comparisons of pairs of cases."""

import statistics
from dataclasses import dataclass

from testbed_compare.report import quantile
from validation_report.study import RTTS, WINDOW_NAMES


@dataclass
class Spread:
    """Of signed relative numbers: sizes without sign, and the mean with it."""

    count: int
    median: float
    p90: float
    largest: float
    bias: float

    @staticmethod
    def of(values):
        """None if there are no values."""
        values = list(values)
        if not values:
            return None
        sizes = [abs(value) for value in values]
        return Spread(len(values), quantile(sizes, 0.5), quantile(sizes, 0.9), max(sizes),
                      statistics.fmean(values))


@dataclass
class Effect:
    """What one assumption is worth."""

    name: str
    spread: Spread
    worst: float  # signed
    worst_case: object
    changes: list  # (change, case)


def change(before, after):
    return after / before - 1


def paired(study, dimension, before, after, engine="packet", **wanted):
    """(change of an engine's throughput, case after) of all pairs that differ in one dimension."""
    firsts = {case.key(dimension): case for case in study.select(**wanted, **{dimension: before})}
    pairs = []
    for case in study.select(**wanted, **{dimension: after}):
        first = firsts.get(case.key(dimension))
        if first:
            pairs.append((change(getattr(first, engine), getattr(case, engine)), case))
    return pairs


def control_pairs(study, control):
    """(change of packet throughput, case) from a study to the same cases of a control study."""
    firsts = {case.key(): case for case in study.compared}
    return [(change(firsts[case.key()].packet, case.packet), case)
            for case in control.compared if case.key() in firsts]


def effect(name, changes):
    """None if there is no pair."""
    if not changes:
        return None
    worst, case = max(changes, key=lambda pair: abs(pair[0]))
    return Effect(name, Spread.of(value for value, _ in changes), worst, case, changes)


def residue(study, name, **wanted):
    """What fair-share is off where all its assumptions on the network hold."""
    return effect(name, [(-case.error / (1 + case.error), case)
                         for case in study.select(queue="fair", rtt=RTTS[0], **wanted)])


def assumptions(study, control=None):
    """All effects, largest median first; `control` is a study that differs in nothing real."""
    rows = [effect("fair to fifo", paired(study, "queue", "fair", "fifo"))]
    rows.append(effect("fair to shallow", paired(study, "queue", "fair", "shallow")))
    rows.append(effect("fifo to shallow", paired(study, "queue", "fifo", "shallow")))
    for queue in ("fair", "fifo", "shallow"):
        rows.append(effect(f"far: {queue}",
                           paired(study, "rtt", *RTTS, queue=queue)))
    for servers in sorted({case.servers for case in study.compared}):
        rows.append(residue(study, f"the rest, M={servers}", servers=servers))
    if control:
        rows.append(effect("control: 11 us", control_pairs(study, control)))
    return sorted((row for row in rows if row), key=lambda row: -row.spread.median)


def windows(study):
    """Effects of windows by queue and step of the window: (queue, name, packet's, fair-share's)."""
    order = ["off", *(name for name in WINDOW_NAMES if name != "off")]
    rows = []
    for queue in ("fair", "fifo", "shallow"):
        for before, after in zip(order, order[1:]):
            wanted = {"queue": queue, "rtt": RTTS[0]}
            parts = [effect(engine, paired(study, "window", before, after, name, **wanted))
                     for engine, name in (("packet", "packet"), ("fair-share", "fair_share"))]
            if all(parts):
                rows.append((queue, f"{before} to {after}", *parts))
    return rows


def largest_disagreements(study):
    """The case of the largest error of each queue and RTT, largest first."""
    worst = {}
    for case in study.compared:
        group = (case.queue, case.rtt)
        if group not in worst or abs(case.error) > abs(worst[group].error):
            worst[group] = case
    return sorted(worst.values(), key=lambda case: -abs(case.error))
