# Copyright (c) 2026 The dml authors
#
# SPDX-License-Identifier: GPL-2.0-only

"""Pages of the manual, their tables and their prose, for tests that compare them with what was measured."""

import os
import re

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

HEADING = 70  # characters of a heading that count
RULE = re.compile(r"\s*=+( +=+)+\s*$")
GRID = re.compile(r"\s*\+[-=]+(\+[-=]+)*\+\s*$")
DIRECTIVE = re.compile(r"\s*\.\. (?:list-table|csv-table|table)::")


def read(path):
    with open(os.path.join(ROOT, path), encoding="utf-8") as file:
        return file.read()


def pages():
    """All pages of the manual, and what they include, but the one that the test scenario-keys compares."""
    names = sorted(os.listdir(os.path.join(ROOT, "doc")))
    return ["README.md", *(f"doc/{name}" for name in names
                           if name.endswith((".rst", ".txt")) and name != "scenario-keys.rst")]


def block_end(lines, start):
    """The line behind a table that begins at `start` and has no empty line in it."""
    while start < len(lines) and lines[start].strip():
        start += 1
    return start


def directive_end(lines, start):
    """The line behind a directive and what is indented below it."""
    depth = len(lines[start]) - len(lines[start].lstrip())
    end = at = start + 1
    while at < len(lines) and (not lines[at].strip()
                               or len(lines[at]) - len(lines[at].lstrip()) > depth):
        at += 1
        end = at if lines[at - 1].strip() else end
    return end


def tables(text):
    """The lines of each table, by heading; a heading that is there before gets a number."""
    lines, found, at = text.splitlines(), {}, 0
    while at < len(lines):
        end, heading = at + 1, None
        if RULE.match(lines[at]):
            end, heading = block_end(lines, at), lines[at + 1]
        elif GRID.match(lines[at]):
            end, heading = block_end(lines, at), lines[at + 1].replace("|", " ")
        elif DIRECTIVE.match(lines[at]):
            end, heading = directive_end(lines, at), lines[at].partition("::")[0].strip(" .")
        elif lines[at].startswith("|") and at + 1 < len(lines) and re.match(
                r"\|[ :-]+[-|: ]*\|?$", lines[at + 1]):
            end, heading = block_end(lines, at), lines[at].replace("|", " ")
        if heading is not None:
            heading = base = " ".join(heading.split())[:HEADING]
            number = 2
            while heading in found:
                heading, number = f"{base} ({number})", number + 1
            found[heading] = lines[at:end]
        at = end
    return found


def cells(lines):
    """The rows of a simple table below its heading, cell by cell."""
    spans = [match.span() for match in re.finditer("=+", lines[0])]
    begins = [begin for begin, _ in spans]
    rules = [at for at, line in enumerate(lines) if RULE.match(line)]
    return [[line[begin:end].strip() for begin, end in zip(begins, [*begins[1:], None])]
            for line in lines[rules[-2] + 1:rules[-1]]]


def prose(page):
    """The text of a page without its tables and literal blocks, with single spaces."""
    text = read(page)
    for lines in tables(text).values():
        text = text.replace("\n".join(lines), "\n")
    kept, fenced, literal = [], False, None
    for line in text.splitlines():
        depth = len(line) - len(line.lstrip())
        if literal is not None and (not line.strip() or depth > literal):
            continue
        literal = None
        if line.startswith("```"):
            fenced = not fenced
        elif not fenced:
            kept.append(line)
        if line.rstrip().endswith("::") and not line.startswith("```"):
            literal = depth  # also of ".. figure::" and ".. code-block::" with an argument, below
        if re.match(r"\s*\.\. [a-z-]+::", line):
            literal = depth
    return " ".join(" ".join(kept).split())
