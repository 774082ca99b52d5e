#
# Copyright (c) 2026 The dml authors
#
# SPDX-License-Identifier: GPL-2.0-only

"""What other pages of the manual have found, for the sentences at the head of the page on validation."""

import json
import os

from matched_study.factors import ROOT
from testbed_compare.errors import InputError
from validation_report import stored

PHASES = os.path.join(ROOT, "doc", "phase-locking.rst")
MEASURED = os.path.join(ROOT, "doc", "data", "measured.json")
TESTBED_HEADING = "links % slower"
TESTBED_ROWS = {"testbed-fair": "fair queues, W = 2", "testbed-fifo": "one FIFO a link, W = 2"}


def testbed_values(path=MEASURED):
    """Biases of the model's links beside measured runs of real gRPC, from the table of doc/testbed.rst."""
    with open(path, encoding="utf-8") as file:
        tables = [entry["lines"] for entry in json.load(file) if entry["page"] == "doc/testbed.rst"]
    lines = [line for table in tables if any(TESTBED_HEADING in line for line in table) for line in table]
    found = {}
    for name, row in TESTBED_ROWS.items():
        cells = [line[len(row):].split() for line in lines if line.startswith(row)]
        if len(cells) != 1 or len(cells[0]) != 4:
            raise InputError(f"{path}: found no row '{row}' of steps, links and half of the interval; accepted is the table of "
                             "doc/testbed.rst")
        found[name] = " ".join(cells[0][1:3])
    return found


def values():
    """Text by the name of a value."""
    found = testbed_values()
    for part in stored.read(PHASES).values():
        found.update(part.values)
    return found
