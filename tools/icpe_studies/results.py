#
# Copyright (c) 2026 The dml authors
#
# SPDX-License-Identifier: GPL-2.0-only

"""Reads the results of a run, with the package dml: cases of summary.json, and rows of tables."""

import functools
import os

import dml
from testbed_compare.errors import InputError


class Folder(dml.Results):
    """The results of one run, of which the summary is read once."""

    @functools.cached_property
    def summary(self):
        return super().summary

    def case(self, workers, variant=None):
        """The only case like this; `variant` may leave keys out."""
        found = [case for case in self.cases if case["workers"] == workers
                 and (variant or {}).items() <= case.get("variant", {}).items()]
        if len(found) != 1:
            raise InputError(f"{self.folder}: found {len(found)} cases of W={workers}, {variant}; "
                             "accepted is one: was the study changed? Remove its results")
        return found[0]

    def throughputs(self, workers, engine, variant=None):
        """samples/s of each replication."""
        return [run["throughput"]
                for run in self.case(workers, variant)["engines"][engine]["replications"]]

    def select(self, name, wanted):
        """The rows of a table such as "ops" that have these texts in these columns."""
        return [row for row in self.rows(name)
                if all(row[column] == text for column, text in wanted.items())]


class Results:
    """The folders of a study's runs."""

    def __init__(self, root, runs):
        self.by_run = {run.name: Folder(os.path.join(root, run.name)) for run in runs}

    def missing(self):
        """Names of the runs that are not finished."""
        return [name for name, folder in self.by_run.items() if not folder.finished]

    def __getitem__(self, name):
        return self.by_run[name]
