# Copyright (c) 2026 The dml authors
#
# SPDX-License-Identifier: GPL-2.0-only

"""The table of doc/importing.rst."""

import math
import statistics

KEYS = ("rate", "alpha", "beta")
HEADER = ["runs", "key", "told", "refused", "held, of the told", "95 %", "held, of all",
          "median width"]


def wilson(good, count):
    """95 % interval of a share, in per cent (E. B. Wilson, 1927)."""
    z = 1.959964
    share, rest = good / count, z * z / count
    middle = (share + rest / 2) / (1 + rest)
    half = z / (1 + rest) * math.sqrt(share * (1 - share) / count + rest / count / 4)
    return 100 * max(0, middle - half), 100 * min(1, middle + half)


def row(name, key, runs):
    """What came of one key."""
    found = [run[key] for run in runs if key in run]
    told = [result for result in found if result.told]
    cells = [name, key, str(len(told)), str(len(runs) - len(told))]
    if not told:
        return cells + ["-"] * 4
    held = sum(result.holds for result in told)
    low, high = wilson(held, len(told))
    widths = [result.width for result in told if result.width == result.width]
    every = sum(result.holds for result in found)
    return cells + [f"{100 * held / len(told):.1f} %", f"{low:.0f} to {high:.0f}",
                    f"{100 * every / len(found):.1f} %",
                    f"{100 * statistics.median(widths):.2g} %" if widths else "-"]


def parallel_row(name, runs):
    """How often the model of parsing is told, and rightly so."""
    told = [run for run in runs if run.get("parallel") is not None]
    right = sum(run["parallel"] == run["truth"] for run in told)
    cells = [name, "parallel", str(len(told)), str(len(runs) - len(told))]
    if not told:
        return cells + ["-"] * 4
    low, high = wilson(right, len(told))
    return cells + [f"{100 * right / len(told):.1f} %", f"{low:.0f} to {high:.0f}", "", ""]


def least(results):
    """The least share of intervals, in per cent, that hold the truth of a key."""
    shares = [100.0]
    for runs in results.values():
        for key in KEYS:
            told = [run[key] for run in runs if key in run and run[key].told]
            if told:
                shares.append(100 * sum(result.holds for result in told) / len(told))
    return min(shares)


def render(results):
    """A simple table."""
    rows = [HEADER]
    for name, runs in results.items():
        rows += [row(name, key, runs) for key in KEYS] + [parallel_row(name, runs)]
    widths = [max(len(cells[i]) for cells in rows) for i in range(len(HEADER))]
    rule = "  ".join("=" * width for width in widths)
    lines = ["  ".join(cell.ljust(width) for cell, width in zip(cells, widths)).rstrip()
             for cells in rows]
    return "\n".join([rule, lines[0], rule, *lines[1:], rule])
