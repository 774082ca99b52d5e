#
# Copyright (c) 2026 The dml authors
#
# SPDX-License-Identifier: GPL-2.0-only

"""Cells that packets have run, compared from the same instants: by fair-share's own rule and by bursts."""

import csv
import os
import statistics

import dml
from matched_study import store
from matched_study.cells import mean_of
from matched_study.factors import PORTS
from study_intervals import LEAST_FOR_INTERVAL, Mean
from validation_report.tables import simple

DRAWS = 2  # of bursts, for each run; only the times of acknowledgements are random
SLOWER = "links_slower_percent"
BOUNDS = (2, 5)  # per cent
LEAST_GAIN = 0.1  # where links matter less, their bias is that of something else


def read_rows(path):
    with open(path, encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def match(folder, results, name):
    """The rows of a cell by bursts; those of an earlier call are used again."""
    path = os.path.join(folder, name + ".csv")
    if not os.path.exists(path):
        dml.execute("match", os.path.join(results, name), "--engine=packet", "--set=fair_share.sharing=bursts",
                    f"--set=fair_share.matched.draws={DRAWS}", "-o", path + ".new", "--force")
        os.replace(path + ".new", path)
    return read_rows(path)


def text_of(mean, half):
    if mean is None:
        return "-"
    if half is None:
        return f"{mean:+.2f}"
    return f"{mean:+.2f} +-{half:.2f}" + ("" if abs(mean) > half else " ?")


def gain_of(rows):
    """By how many per cent steps are longer if links are one per cent slower; None where no run says."""
    found = [float(row["gain"]) for row in rows if row["gain"]]
    return statistics.fmean(found) if found else None


def summary_of(name, pairs):
    """A row for cells: the mean over them, which weighs those that are known better, and how many are within bounds, of each
    rule."""
    row = [name, str(len(pairs))]
    for rule in range(2):
        means = [pair[rule] for pair in pairs]
        known = [mean for mean in means if mean.half is not None]
        if len(known) >= LEAST_FOR_INTERVAL:
            mean = Mean.of_studies(known)
            text = text_of(mean.value, mean.half)
        else:
            text = text_of(statistics.fmean(mean.value for mean in means), None)
        sizes = [abs(mean.value) for mean in means]
        row += [text, f"{statistics.median(sizes):.2f}", *(str(sum(size <= bound for size in sizes)) for bound in BOUNDS)]
    return row


def matched(folder):
    """How much slower the links of both models would have to be, in each asynchronous cell. Reads what "tools/matched-study --keep"
    has left in the folder matched-study beside `folder`."""
    results = os.path.join(os.path.dirname(folder), "matched-study")
    rows, groups = [], {}
    for cell in map(store.cell_of, store.read()):
        kept = os.path.join(results, cell.name, "matched.csv")
        if cell.mode != "async" or not os.path.exists(kept):
            continue
        found = [[row for row in read_rows(kept) if row["engine"] == "packet"], match(folder, results, cell.name)]
        biases = [mean_of(each, SLOWER) for each in found]
        gains = [gain for gain in map(gain_of, found) if gain is not None]
        gain = min(gains, default=0)
        rows.append([cell.name, f"{gain:.2f}", *(text_of(*bias) for bias in biases)])
        if gain >= LEAST_GAIN and all(mean is not None for mean, _ in biases):
            pair = [Mean(mean, half, mean, mean) for mean, half in biases]
            groups.setdefault(cell.port, []).append(pair)
    rows.sort()
    within = [f"<= {bound} %" for bound in BOUNDS]
    heading = ["port", "cells", "fair-share", "median", *within, "bursts", "median", *within]
    summary = [summary_of(port, groups[port]) for port in PORTS if port in groups]
    queues = [pair for port in groups if port != "fair" for pair in groups[port]]
    if queues:
        summary.append(summary_of("all FIFO", queues))
    return ({"matched": simple(["cell", "gain", "fair-share", "bursts"], rows), "matched-ports": simple(heading, summary)},
            {"matched-cells": str(len(rows)), "matched-counted": str(sum(map(len, groups.values())))})
