# Copyright (c) 2026 The dml authors
#
# SPDX-License-Identifier: GPL-2.0-only

"""The first difference of two results."""

import itertools

WIDTH = 60  # characters of a line that are shown
NAMES = 6  # of more files that differ
ABSENT = object()


def differing(before, after):
    """Names of what is not the same, in the order of the results."""
    names = list(before) + [name for name in after if name not in before]
    return [name for name in names if before.get(name, ABSENT) != after.get(name, ABSENT)]


def describe(before, after, sides=("BEFORE", "AFTER")):
    """Lines that say what differs first, and how much more does; none if nothing does."""
    names = differing(before, after)
    if not names:
        return []
    name = names[0]
    if name not in before or name not in after:
        lines = [f"{name}: only {sides[name in after]} has it"]
    else:
        lines = first_line(name, before[name], after[name])
    if len(names) > 1:
        more = ", ".join(names[1:1 + NAMES]) + (", ..." if len(names) > 1 + NAMES else "")
        lines.append(f"and in {len(names) - 1} more: {more}")
    return lines


def first_line(name, before, after):
    """The place and both lines; of bytes that are no text, the place only."""
    if b"\0" in before or b"\0" in after:
        place = next((number for number, (one, other) in enumerate(zip(before, after))
                      if one != other), min(len(before), len(after)))
        return [f"{name}: byte {place} of {len(before)} and {len(after)}"]
    pairs = itertools.zip_longest(before.decode(errors="replace").split("\n"),
                                  after.decode(errors="replace").split("\n"))
    number, (one, other) = next(pair for pair in enumerate(pairs, 1) if pair[1][0] != pair[1][1])
    column = 0
    if one is not None and other is not None:
        column = next((place for place, (left, right) in enumerate(zip(one, other))
                       if left != right), min(len(one), len(other)))
    return [f"{name}:{number}", f"before: {part_of(one, column)}", f"after:  {part_of(other, column)}"]


def part_of(line, column):
    """What is around a column of a line, without control characters."""
    if line is None:
        return "(no such line)"
    start = max(0, column - WIDTH // 3) if len(line) > WIDTH else 0
    part = line[start:start + WIDTH]
    part = "".join(char if char.isprintable() else "?" for char in part)
    return ("..." if start else "") + part + ("..." if start + WIDTH < len(line) else "")
