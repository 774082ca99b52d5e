#
# Copyright (c) 2026 The dml authors
#
# SPDX-License-Identifier: GPL-2.0-only

"""The file of finished cells: one JSON object a line, so that slices from several machines are joined by appending."""

import json
import os

from matched_study.factors import ROOT, Cell

PATH = os.path.join(ROOT, "doc", "data", "matched-study.jsonl")


class DataError(Exception):
    """A line that the tool has not written."""


def cell_of(record):
    return Cell(**record["cell"])


def read(path=PATH):
    """The records in the order in which they were made; a cell that is there twice counts once."""
    records = {}
    try:
        with open(path, encoding="utf-8") as file:
            for at, line in enumerate(file, 1):
                try:
                    record = json.loads(line)
                    records.setdefault(cell_of(record), record)
                except (ValueError, TypeError, KeyError) as error:
                    raise DataError(f"{path}:{at}: found {error}; accepted is a line that tools/matched-study has "
                                    "written") from error
    except FileNotFoundError:
        return []
    return list(records.values())


def append(path, record):
    os.makedirs(os.path.dirname(os.path.abspath(path)), exist_ok=True)
    with open(path, "a", encoding="utf-8") as file:
        file.write(json.dumps(record, separators=(",", ":")) + "\n")
