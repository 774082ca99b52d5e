#
# Copyright (c) 2026 The dml authors
#
# SPDX-License-Identifier: GPL-2.0-only

"""The tables of the page."""

import math
import statistics

from matched_study.factors import (FAR_DELAY, MODELS, MODES, PORTS, RATES, RATIOS, SERVERS, WORKERS)
from study_intervals import LEAST_FOR_INTERVAL
from study_table import half_interval
from validation_report.tables import simple

LIMITS = (2, 5, 10)  # per cent
FACTORS = {
    "model": MODELS, "mode": MODES, "workers": WORKERS, "servers": SERVERS, "rate": RATES, "ratio": RATIOS,
    "port": PORTS, "rtt": FAR_DELAY,
}
NAMES = {"workers": "W", "servers": "M", "rate": "Gbit/s", "ratio": "communication / compute", "rtt": "round trips"}
# What readers ask first: ports, then distances and rates.
REGIONS = (
    ("fair ports", "equal", lambda cell: cell.port == "fair" and cell.rtt == "equal"),
    ("fair ports", "far", lambda cell: cell.port == "fair" and cell.rtt == "far"),
    ("FIFO, 1 Gbit/s", "equal", lambda cell: cell.port != "fair" and cell.rtt == "equal" and cell.rate == 1),
    ("FIFO, 1 Gbit/s", "far", lambda cell: cell.port != "fair" and cell.rtt == "far" and cell.rate == 1),
    ("FIFO, 10 and 25 Gbit/s", "equal", lambda cell: cell.port != "fair" and cell.rtt == "equal" and cell.rate > 1),
    ("FIFO, 10 and 25 Gbit/s", "far", lambda cell: cell.port != "fair" and cell.rtt == "far" and cell.rate > 1),
)
MEASURES = ("raw", "free")


def median_bounds(values):
    """Ends of the 95 % interval of the median: two values in the order of all, by the sign test (such as W. J. Conover:
    Practical Nonparametric Statistics, 1999, section 3.2); None with fewer than six."""
    ordered, count = sorted(values), len(values)
    tail, outside = 0.0, 0  # probability that at most so many values are below the median
    for below in range(count // 2):
        tail += math.comb(count, below) / 2 ** count
        if 2 * tail > 0.05:
            break
        outside = below + 1
    return (ordered[outside - 1], ordered[count - outside]) if outside else None


def median(values, sign="+"):
    """Such as "+3.1 (+1.2..+5.0)"."""
    values = list(values)
    if not values:
        return "-"
    bounds = median_bounds(values)
    text = f"{statistics.median(values):{sign}.1f}"
    return text + (f" ({bounds[0]:{sign}.1f}..{bounds[1]:{sign}.1f})" if bounds else "")


def values_of(outcomes, measure):
    return [getattr(each, measure).value for each in outcomes if getattr(each, measure).value is not None]


def within(values):
    """How many are within the limits, as "9 12 15"."""
    return [str(sum(abs(value) <= limit for value in values)) for limit in LIMITS]


def summary_cells(outcomes):
    """Columns of a row about some cells: their number, then for both measures median and largest size of the bias, and
    how many are within the limits."""
    row = [str(len(outcomes))]
    for measure in MEASURES:
        values = values_of(outcomes, measure)
        sizes = [abs(value) for value in values]
        row += ([median(sizes, ""), f"{max(sizes):.1f}", *within(values)] if values else ["-"] * (2 + len(LIMITS)))
    return row


HEAD = ["cells", "steps, %: median", "max", *(f"<= {limit}" for limit in LIMITS),
        "throughput, %: median", "max", *(f"<= {limit}" for limit in LIMITS)]


def regions(outcomes):
    rows = [["ports", "round trips", *HEAD]]
    for name, rtt, belongs in REGIONS:
        chosen = [each for each in outcomes if belongs(each.cell)]
        if chosen:
            rows.append([name, rtt, *summary_cells(chosen)])
    return simple(rows[0], rows[1:])


def levels(outcomes):
    rows = [["factor", "level", *HEAD]]
    for factor, known in FACTORS.items():
        for level in known:
            chosen = [each for each in outcomes if getattr(each.cell, factor) == level
                      and not (factor == "servers" and each.cell.collective)]
            if chosen:
                rows.append([NAMES.get(factor, factor), str(level), *summary_cells(chosen)])
    return simple(rows[0], rows[1:])


def cells(outcomes):
    rows = [["model", "mode", "W", "M", "Gbit/s", "ratio", "port", "round trips", "links %", "steps %", "throughput %",
             "timeouts"]]
    for each in sorted(outcomes, key=lambda each: (each.cell.port != "fair", each.cell.rtt, each.cell.rate,
                                                   each.cell.name)):
        cell = each.cell
        rows.append([cell.model, cell.mode, str(cell.workers), "-" if cell.collective else str(cell.servers),
                     str(cell.rate), str(cell.ratio), cell.port, cell.rtt, each.links.text(), each.raw.text(),
                     each.free.text(), str(sum(run["timeouts"] for run in each.record["runs"]))])
    return simple(rows[0], rows[1:])


def kinds_of_ports(outcomes):
    """(name, outcomes) of asynchronous workers that share something."""
    shared = [each for each in outcomes if each.cell.mode == "async" and each.cell.workers > 1]
    return (("fair", [each for each in shared if each.cell.port == "fair"]),
            ("FIFO", [each for each in shared if each.cell.port != "fair"]))


def horizons(outcomes):
    """By how much packets take longer than the model after so many steps on its own."""
    rows = [["ports", "cells", "1 step", "2 steps", "4 steps", "8 steps"]]
    for name, chosen in kinds_of_ports(outcomes):
        found = [{steps: value for steps, value, _ in each.record.get("horizons", [])} for each in chosen]
        whole = [by_steps for by_steps in found if None not in by_steps.values() and len(by_steps) == 4]
        if whole:
            rows.append([name, str(len(whole)), *(median(each[steps] for each in whole)
                                                  for steps in (1, 2, 4, 8))])
    return simple(rows[0], rows[1:])


def phases(outcomes):
    """Pulls and pushes by the number of other workers in the same phase: medians over cells."""
    rows = [["ports", "phase", "others", "cells", "% longer"]]
    for name, chosen in kinds_of_ports(outcomes):
        groups = {}
        for each in chosen:
            for group, value, _ in each.record.get("phases", []):
                phase, least, most = group.split()
                if value is not None:
                    groups.setdefault((phase, int(least), int(most)), []).append(value)
        for (phase, least, most), values in sorted(groups.items()):
            rows.append([name, phase, str(least) if least == most else f"{least} to {most}", str(len(values)),
                         median(values)])
    return simple(rows[0], rows[1:])


def spreads(outcomes):
    """How much more packet runs spread than fair-share's, and how runs of one seed go together."""
    rows = [["ports", "cells", "spread of packets / fair-share's", "correlation of pairs"]]
    for name, chosen in kinds_of_ports(outcomes):
        ratios = [math.log(each.spread) for each in chosen if each.spread]
        pairs = [each.correlation for each in chosen if each.correlation is not None]
        if len(ratios) < LEAST_FOR_INTERVAL or len(pairs) < LEAST_FOR_INTERVAL:
            continue
        ratio, half = statistics.fmean(ratios), half_interval(ratios)
        correlation = statistics.fmean(pairs)
        rows.append([name, str(len(chosen)),
                     f"{math.exp(ratio):.2f} ({math.exp(ratio - half):.2f}..{math.exp(ratio + half):.2f})",
                     f"{correlation:+.2f} +-{half_interval(pairs):.2f}"])
    return simple(rows[0], rows[1:])
