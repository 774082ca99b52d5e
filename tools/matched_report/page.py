#
# Copyright (c) 2026 The dml authors
#
# SPDX-License-Identifier: GPL-2.0-only

"""The page on validation: its tables, values and picture."""

import os

from matched_report import elsewhere, regression, tables, trust
from matched_report.outcome import outcome_of
from matched_study import store
from testbed_compare.errors import InputError
from testbed_compare.tables import read_text
from validation_report import document
from validation_report.plots import COLOURS, block, draw as run_gnuplot

PICTURE = "validation-steps"
LEAST = 0.01  # per cent: the foot of the picture
TABLES = {
    "regions": tables.regions, "levels": tables.levels, "cells": tables.cells, "horizons": tables.horizons,
    "phases": tables.phases, "spreads": tables.spreads, "effects": regression.table, "pairs": regression.pairs,
    "trust": trust.table,
}


def read(path):
    """The outcomes of all cells."""
    outcomes = [outcome_of(record) for record in store.read(path)]
    if not outcomes:
        raise InputError(f"{path}: found no cell; accepted is what tools/matched-study writes")
    return outcomes


def make_tables(outcomes):
    return {name: make(outcomes) for name, make in TABLES.items()}


def values(outcomes):
    """Text by the name of a value."""
    runs = [run for each in outcomes for run in each.record["runs"]]
    found = {
        "cells": str(len(outcomes)),
        "runs": str(len(runs)),
        "steps": f"{sum(run['steps'] for run in runs if run.get('steps')):,}".replace(",", " "),
        "cpu-hours": f"{sum(each.record['cpu_seconds'] for each in outcomes) / 3600:.1f}",
        **regression.values(outcomes),
        **trust.values(outcomes),
        **elsewhere.values(),
    }
    for name, rtt, belongs in tables.REGIONS:
        chosen = [each for each in outcomes if belongs(each.cell)]
        key = name.replace(",", "").replace("/", "").replace(" ", "-").lower() + "-" + rtt
        steps = tables.values_of(chosen, "raw")
        found[key + "-cells"] = str(len(chosen))
        found[key + "-median"] = tables.median([abs(value) for value in steps], "") + " %"
        found[key + "-max"] = f"{max(map(abs, steps), default=0):.1f} %"
    return found


def write(template, outcomes):
    """The text of the page."""
    drawn = {PICTURE: True}
    return document.fill(template, read_text(template), make_tables(outcomes), drawn, values(outcomes), label="study")


def bar(at, raw):
    """Place, size, and ends of its interval, none below LEAST."""
    size = abs(raw.value)
    return at, *(max(LEAST, value) for value in (size, size - (raw.half or 0.0), size + (raw.half or 0.0)))


def draw(outcomes, doc):
    """The size of each cell's bias of steps with its interval, by region, sorted."""
    folder = os.path.join(os.path.dirname(doc), "figures")
    os.makedirs(folder, exist_ok=True)
    commands, lines, at = "", [], 0
    for number, (name, rtt, belongs) in enumerate(tables.REGIONS):
        chosen = sorted((each.raw for each in outcomes if belongs(each.cell)), key=lambda raw: abs(raw.value))
        if not chosen:
            continue
        commands += block(f"d{number}", [bar(at + i, raw) for i, raw in enumerate(chosen)])
        lines.append(f"$d{number} using 1:2:3:4 with yerrorbars pt 7 ps 0.5 lw 1.5 lc rgb '{COLOURS[number]}' "
                     f"title '{name}, {'one far worker' if rtt == 'far' else 'equal round trips'}'")
        at += len(chosen) + 1
    commands += (f"set ylabel 'size of the bias of steps, %'\nset logscale y\nset yrange [{LEAST}:*]\nunset xtics\n"
                 f"set grid ytics\nset key outside top center maxrows 3\nset xrange [-1:{at}]\nplot {', '.join(lines)}\n")
    return run_gnuplot(os.path.join(folder, PICTURE + ".svg"), 900, 480, commands)
