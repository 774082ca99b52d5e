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
from study_intervals import LEAST_FOR_INTERVAL
from study_table import half_interval
from validation_report.tables import simple

DRAWS = 2  # of bursts, for each run; only the times of acknowledgements are random
SLOWER = "links_slower_percent"
BOUNDS = (2, 5)  # per cent


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


def summary_of(port, pairs):
    """A row for the cells of a port: the mean over cells, and how many are within bounds, of each rule."""
    row = [port, str(len(pairs))]
    for rule in range(2):
        values = [pair[rule] for pair in pairs]
        half = half_interval(values) if len(values) >= LEAST_FOR_INTERVAL else None
        row += [text_of(statistics.fmean(values), half), f"{statistics.median(map(abs, values)):.2f}",
                *(str(sum(abs(value) <= bound for value in values)) for bound in BOUNDS)]
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
        rule = mean_of([row for row in read_rows(kept) if row["engine"] == "packet"], SLOWER)
        bursts = mean_of(match(folder, results, cell.name), SLOWER)
        rows.append([cell.name, text_of(*rule), text_of(*bursts)])
        if rule[0] is not None and bursts[0] is not None:
            groups.setdefault(cell.port, []).append((rule[0], bursts[0]))
    rows.sort()
    within = [f"<= {bound} %" for bound in BOUNDS]
    heading = ["port", "cells", "fair-share", "median", *within, "bursts", "median", *within]
    summary = [summary_of(port, groups[port]) for port in PORTS if port in groups]
    return ({"matched": simple(["cell", "fair-share", "bursts"], rows), "matched-ports": simple(heading, summary)},
            {"matched-cells": str(len(rows))})
