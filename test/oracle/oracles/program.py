# Copyright (c) 2026 The dml authors
#
# SPDX-License-Identifier: GPL-2.0-only

"""Runs the program on many small jobs at once, and reads what it writes."""

import copy
import csv
import json
import os
import re
import subprocess

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))
# Times in CSV files are rounded to nanoseconds.
ROUNDING = 0.5000001e-9


def program():
    return os.environ.get("DML_PROGRAM", os.path.join(ROOT, "build", "dml"))


def run(arguments, folder):
    """Runs the program in a folder; returns its standard output. Other exit codes than 0 are errors."""
    environment = {**os.environ, "DML_ROOT": os.environ.get("DML_ROOT", ROOT)}
    done = subprocess.run([program(), *arguments], cwd=folder, env=environment, text=True,
                          capture_output=True, check=False)
    if done.returncode != 0:
        raise RuntimeError(f"{' '.join(arguments)} in {folder}: exit code {done.returncode}\n"
                           + done.stdout[-2000:] + done.stderr[-4000:])
    return done.stdout


class Outcome:
    """What the program wrote about one case: rows of CSV files as dictionaries, and its part of summary.json."""

    def __init__(self):
        self.tables = {}
        self.summary = None

    def rows(self, table):
        return self.tables.get(table, [])

    def copy(self):
        """A copy whose rows may be changed."""
        other = copy.copy(self)
        other.tables = {name: [dict(row) for row in rows] for name, rows in self.tables.items()}
        other.summary = json.loads(json.dumps(self.summary))
        return other


def run_cases(folder, cases, tables=("steps", "transfers")):
    """Runs all cases as variants of one study, since starting the program takes longer than a small job.

    A case has a `profile`, which is written in the syntax of JSON, and sections of a scenario: `job` and others.
    Returns an Outcome for each.
    """
    variants = [write_profile(folder, number, case) for number, case in enumerate(cases)]
    scenario = {"name": "oracle", "replications": 1, "job": variants[0]["job"],
                "output": {"plots": False, "trace": False, "transfers": "transfers" in tables,
                           "links": "links" in tables, "ops": "ops" in tables},
                "sweep": variants}
    write_json(folder, "scenario.yaml", scenario)
    run(["run", "scenario.yaml", "--engine=fair-share", "--jobs", "1", "--out", "results"], folder)
    return read_outcomes(os.path.join(folder, "results"), len(cases), tables)


def write_profile(folder, number, case):
    """Writes the profile of a case; returns the sections of its scenario."""
    name = f"case{number}.yaml"
    write_json(folder, name, case["profile"])
    sections = {key: value for key, value in case.items() if key != "profile" and not key.startswith("_")}
    return {**sections, "job": {"profile": name, **sections["job"]}}


def write_job(folder, number, case):
    """Writes a scenario of one case, for commands that take no study; returns its name."""
    name = f"job{number}.yaml"
    write_json(folder, name, {"name": "oracle", "replications": 1, **write_profile(folder, number, case)})
    return name


def read_table(path):
    with open(path, encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def write_json(folder, name, value):
    with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
        json.dump(value, file)


def read_outcomes(folder, count, tables):
    outcomes = [Outcome() for _ in range(count)]
    for table in tables:
        for row in read_table(os.path.join(folder, table + ".csv")):
            outcomes[number_of(row["variant"])].tables.setdefault(table, []).append(row)
    with open(os.path.join(folder, "summary.json"), encoding="utf-8") as file:
        summary = json.load(file)
    for part in summary["cases"]:
        outcomes[number_of(part["variant"]["job"])].summary = part
    return outcomes


def number_of(variant):
    return int(re.search(r"profile: case(\d+)\.yaml", variant).group(1))


def goodput(rate, mtu=1500, transport="grpc"):
    """Bytes of tensors per second on a link of `rate` bit/s without TCP timestamps (doc/dml.rst, Goodput)."""
    framing = 16384 / 16393 if transport == "grpc" else 524288 / 524320
    return rate / 8 * (mtu - 40) / (mtu + 2) * framing
