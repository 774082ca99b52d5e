# Copyright (c) 2026 The dml authors
#
# SPDX-License-Identifier: GPL-2.0-only

"""Compares numbers of an oracle with those of the program, and says where they differ."""

from oracles.program import ROUNDING

# Of a time: events within 15 ps are simultaneous, which adds up.
PRECISION = 1e-11


def compare_numbers(what, expected, found, differences, rounding=0.0, relative=1e-9):
    """Adds a sentence to `differences` where the numbers differ."""
    if found in ("", None) or expected is None:
        if not (found in ("", None) and expected is None):
            differences.append(f"{what}: expected {expected}, found {found!r}")
    elif abs(expected - float(found)) > rounding + relative * abs(expected):
        differences.append(f"{what}: expected {expected:.12g}, found {float(found):.12g}")


def compare_printed(what, expected, found, differences):
    """A number of a table on the terminal: four digits, and four behind the point."""
    compare_numbers(what, expected, found, differences, relative=0.50001e-3, rounding=0.00005 if abs(expected) < 0.1 else 0)


def compare_times(what, expected, found, differences):
    """Times of a CSV file, which is rounded."""
    compare_numbers(what, expected, found, differences, rounding=ROUNDING, relative=PRECISION)


def move_time(row, column):
    """Makes a time of a row wrong: by 5 ns, and of hundreds of seconds by more than what compare_times() lets pass."""
    time = float(row[column])
    row[column] = f"{time + 5e-9 + 2 * PRECISION * time:.9f}"


def compare_rows(what, expected, rows, keys, columns, differences):
    """Rows of a CSV file by their keys; `expected` maps keys to the times of the columns."""
    found = {}
    for row in rows:
        key = tuple(row[name] for name in keys)
        if key in found:
            differences.append(f"{what} {key}: twice")
        found[key] = row
    for key in expected.keys() - found.keys():
        differences.append(f"{what} {key}: missing")
    for key in found.keys() - expected.keys():
        differences.append(f"{what} {key}: not expected")
    for key, row in found.items():
        if key in expected:
            for column, time in zip(columns, expected[key]):
                compare_times(f"{what} {key} {column}", time, row[column], differences)
