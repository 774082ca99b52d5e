#
# Copyright (c) 2026 The dml authors
#
# SPDX-License-Identifier: GPL-2.0-only

"""Runs one cell, and what is kept of its results."""

import csv
import os
import subprocess

import dml
from matched_study.factors import ROOT
from study_intervals import LEAST_FOR_INTERVAL
from study_table import half_interval

SCENARIO = os.path.join(ROOT, "scenarios", "matched-study", "scenario.yaml")
HORIZONS = "1,2,4,8"
RUN_KEYS = ("throughput", "drops", "retransmissions", "timeouts", "fast_recoveries")
MATCHED_KEYS = ("links_slower_percent", "ci95", "raw_percent", "gain", "spread_ratio", "overlap_percent", "steps",
                "undefined_because")


def significant(value):
    """A number with the digits that a study needs."""
    return float(f"{value:.6g}") if isinstance(value, float) else value


def table(results, option, name):
    """The rows that dml match writes with this option."""
    path = results.path(name)
    try:
        dml.execute("match", results.folder, option, "--force", "-o", path)
    except dml.Error as error:
        print(f"  no {name}: {error}", flush=True)  # such as transfers.csv of more than 2 GB
        return []
    with open(path, encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def mean_of(rows, value, within="ci95"):
    """Mean of runs and half of its 95 % interval, as dml has it: between runs from four on, or what the intervals
    within the runs imply, whichever is larger. None without a value, and for an interval that is not known."""
    found = [float(row[value]) for row in rows if row[value] not in ("", None)]
    if not found:
        return None, None
    halves = [float(row[within]) for row in rows if row[within] not in ("", None)]
    half = [sum(h * h for h in halves) ** 0.5 / len(halves)] if len(halves) == len(found) else []
    if len(found) >= LEAST_FOR_INTERVAL:
        half.append(half_interval(found))
    return significant(sum(found) / len(found)), significant(max(half)) if half else None


def grouped(rows, key, value):
    """[group, mean, half interval] for each group of rows, in their order."""
    groups = {}
    for row in rows:
        groups.setdefault(key(row), []).append(row)
    return [[group, *mean_of(members, value)] for group, members in groups.items()]


def kept(cell, results, commit):
    """What the study keeps of a finished cell."""
    case, = results.cases
    packets = case["engines"]["packet"]
    model = case["engines"]["fair-share"]
    runs = []
    for run, same_seed in zip(packets["replications"], model["replications"], strict=False):
        matched = run.get("matched") or {}
        runs.append({**{key: significant(run.get(key)) for key in RUN_KEYS},
                     "fair_share": significant(same_seed["throughput"]),
                     "utilisation": significant(max((use for links in run["utilisation"].values() for use in links
                                                     if use is not None), default=None)),  # of servers' links
                     **{key: significant(matched[key]) for key in MATCHED_KEYS if matched.get(key) is not None}})
    free = [run["throughput"] for run in model["replications"] if run["throughput"]]
    mean = sum(free) / len(free) if 2 * len(free) > len(model["replications"]) else None
    record = {
        "cell": cell.row(), "commit": commit,
        "cpu_seconds": significant(sum(engine["timing"]["cpu_seconds"] for engine in case["engines"].values())),
        "runs": runs,
        "fair_share": {"runs": len(free), "mean": significant(mean), "deviation": None if mean is None else significant(
            (sum((value - mean) ** 2 for value in free) / max(1, len(free) - 1)) ** 0.5)},
    }
    if cell.mode == "async":
        record["horizons"] = grouped(table(results, "--horizon=" + HORIZONS, "horizons.csv"),
                                     lambda row: int(row["horizon"]), "longer_percent")
        record["phases"] = grouped(table(results, "--phases", "phases.csv"),
                                   lambda row: f"{row['phase']} {row['others_least']} {row['others_most']}", "longer_percent")
    return record


def commit_of_program():
    """Of this repository, with + where files differ from it."""
    def git(*arguments):
        done = subprocess.run(["git", "-C", ROOT, *arguments], capture_output=True, text=True, check=False)
        return done.stdout.strip()
    return git("rev-parse", "--short=10", "HEAD") + ("+" if git("status", "--porcelain", "-uno", "model") else "")


def run(cell, out, jobs):
    """Runs a cell into its folder below `out`, and returns what is kept of it."""
    settings = cell.settings()
    settings["name"] = cell.name
    if cell.mode == "async":
        settings["output.transfers"] = True  # phases need them
    folder = os.path.join(out, cell.name)
    results = dml.Results(folder)
    if not results.finished:
        results = dml.run(SCENARIO, folder, settings=settings, jobs=jobs,
                          resume=os.path.exists(os.path.join(folder, "unfinished")))
    return kept(cell, results, commit_of_program())
