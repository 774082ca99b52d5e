#
# Copyright (c) 2026 The dml authors
#
# SPDX-License-Identifier: GPL-2.0-only

"""What a page re-creates of a paper, figure by figure.

The rows are a JSON file beside the page's templates: {"rows": [{"item": "Fig. 2", "shows": TEXT,
"status": one of STATUSES, "text": where it is, and numbers}]}. The texts are reStructuredText, in which
`@STUDY:NAME@` is a value of a study of the page, and `@PAGE/STUDY:NAME@` one of another page's. A row
whose study has no results yet says so."""

import functools
import json
import os
import re
import textwrap
from collections import Counter

from testbed_compare.errors import InputError
from testbed_compare.tables import JsonFile
from validation_report import stored

NAME = "coverage"
# what a row has: what the table says of it, and the sentence with the counts, of one and of more
STATUSES = {"re-created": ("re-created", "is re-created", "are re-created"),
            "shape": ("in shape only", "in shape only", "in shape only"), "not": ("not", "not", "not"),
            "drawing": ("a drawing", "is a drawing without a result", "are drawings without a result")}
KEYS = ("item", "shows", "status", "text")
VALUE = re.compile(r"@(?:([a-z-]+)/)?([a-z0-9-]+):([a-z0-9-]+)@")
WIDTHS = "10 27 13 50"
WIDTH = 118  # of lines of text


def read(path):
    """The rows of a file, checked."""
    file = JsonFile(path)
    rows = file.get("rows")
    if not isinstance(rows, list) or not rows:
        file.fail("rows", rows, "a list of objects")
    seen = set()
    for at, row in enumerate(rows):
        where = f"{path}: rows[{at}]"
        if not isinstance(row, dict) or set(row) != set(KEYS) or not all(
                isinstance(text, str) and text for text in row.values()):
            raise InputError(f"{where}: found {json.dumps(row)}; accepted is an object with texts "
                             f"{', '.join(KEYS)}")
        if row["status"] not in STATUSES:
            raise InputError(f"{where}: status: found '{row['status']}'; accepted is "
                             f"{', '.join(STATUSES)}")
        if row["item"] in seen:
            raise InputError(f"{where}: item: found '{row['item']}' again; accepted is a row for each")
        seen.add(row["item"])
    return rows


def fill(text, parts, where):
    """The text with the values of studies; `parts` gives the parts of a page by its name, "" for this."""
    def value(match):
        page, study, name = match.groups(default="")
        if study not in parts(page):
            return "(not run)"
        values = parts(page)[study].values
        if name not in values:
            raise InputError(f"{where}: there is no value '{match[0]}'; accepted is "
                             f"{', '.join(sorted(values))}")
        return values[name]

    return VALUE.sub(value, text)


def counts(rows):
    """The sentence with how many rows have which status."""
    found = Counter(row["status"] for row in rows)
    parts = [f"{found[status]} {one if found[status] == 1 else more}"
             for status, (_, one, more) in STATUSES.items() if found[status]]
    return (f"Of {len(rows)} figures, tables and algorithms: {', '.join(parts)}.")


def table(rows):
    """A list-table of the rows, whose texts are filled."""
    lines = [".. list-table::", "   :header-rows: 1", f"   :widths: {WIDTHS}", ""]
    head = {"item": "paper", "shows": "what it shows", "status": "here", "text": "where, and numbers"}
    for row in (head, *rows):
        texts = [STATUSES[row[key]][0] if key == "status" and row is not head else row[key]
                 for key in KEYS]
        lines += [f"   {'* -' if i == 0 else '  -'} {text}" for i, text in enumerate(texts)]
    return lines


def cpu_text(parts, studies):
    """What the page's studies cost, as far as they have run."""
    minutes = [float(parts[name].values["cpu-minutes"]) for name in studies if name in parts]
    return f"All of its runs took {sum(minutes):.1f} minutes of CPU."


def part_name(doc, name):
    """Of what is stored of a file: "coverage" of PAGE-coverage.json."""
    page = os.path.basename(doc).removesuffix(".rst")
    return name.removesuffix(".json").removeprefix(page + "-")


def make(doc, name, parts, studies):
    """The text for a line `.. coverage: NAME [STUDY...]` of a page, and the part that is stored of it."""
    folder = os.path.dirname(doc)
    path = os.path.join(folder, name)

    @functools.cache
    def of_page(page):
        return stored.read(os.path.join(folder, page + ".rst")) if page else parts

    rows = [{key: fill(text, of_page, f"{path}: {row['item']}") for key, text in row.items()}
            for row in read(path)]
    lines = table(rows)
    dates = [parts[study].date for study in studies if study in parts]
    part = stored.Part(name, max(dates), {NAME: lines}, {}, {}) if dates else None
    summary = textwrap.fill(f"{counts(rows)} {cpu_text(parts, studies)}", WIDTH)
    text = "\n".join([summary, "", *lines])
    return text + "\n", part
