#
# Copyright (c) 2026 The dml authors
#
# SPDX-License-Identifier: GPL-2.0-only

"""The command line of ./dml bench."""

import argparse
import json
import os
import sys
import time

from bench_report import machine, report
from bench_report.errors import InputError, MeasurementError, Unavailable
from bench_report.lab import Lab
from bench_report.rows import ROWS

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


def help_text():
    """The help that `./dml bench --help` prints; the file is a C++ string."""
    with open(os.path.join(ROOT, "program", "cli", "help", "bench.txt"), encoding="utf-8") as file:
        return "dml bench: " + file.read()[len('R"('):-len(')"\n')]


def parse_options(arguments):
    parser = argparse.ArgumentParser(prog="./dml bench", allow_abbrev=False)
    parser.format_help = help_text
    parser.add_argument("--only", action="append", default=[], metavar="NAME")
    parser.add_argument("--json", metavar="FILE")
    parser.add_argument("--rst", metavar="FILE")
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--from", dest="source", metavar="FILE")
    parser.add_argument("--against", metavar="FILE")
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--build", default=os.path.join(ROOT, "build"), metavar="FOLDER")
    return parser.parse_args(arguments)


def choose(names):
    """The rows with these names or groups; all if there is none."""
    known = {row.name for row in ROWS} | {row.group for row in ROWS}
    for name in names:
        if name not in known:
            raise InputError(f"--only: found '{name}'; accepted: "
                             + ", ".join(dict.fromkeys([row.group for row in ROWS]
                                                       + [row.name for row in ROWS])))
    return [row for row in ROWS if not names or row.name in names or row.group in names]


def show_list(rows):
    """Names, units and budgets, by group."""
    group = None
    for row in rows:
        if row.group != group:
            group = row.group
            print(group)
        limit = ""
        if row.budget:
            limit = f"{row.budget.sense} {report.number(row.budget.limit * row.scale)}"
        print(f"  {row.name:<28} {row.measure:<16} {limit}".rstrip())


class Progress:
    """What is being measured, in place, on a terminal only."""

    def __init__(self, total):
        self._total = total
        self._done = 0
        self._shown = sys.stderr.isatty()

    def begin(self, row):
        self._done += 1
        if self._shown:
            sys.stderr.write(f"\r\033[K[{self._done}/{self._total}] {row.name} ...")
            sys.stderr.flush()

    def clear(self):
        if self._shown:
            sys.stderr.write("\r\033[K")
            sys.stderr.flush()


def measure_row(lab, row):
    """The JSON of a row, whatever happens."""
    lab.commands.clear()
    start = time.perf_counter()
    try:
        sample = row.run(lab)
    except Unavailable as reason:
        return report.result_without(row, "skipped", reason)
    except MeasurementError as reason:
        return report.result_without(row, "failed", reason)
    return report.result_of(row, sample, time.perf_counter() - start, lab.commands)


def measure(rows, lab, results):
    """Measures row by row; what is there is in `results`, on the screen and in a file at once."""
    progress = Progress(len(rows))
    partial = os.path.join(lab.build, "bench.jsonl")
    print(report.header(), flush=True)
    with open(partial, "w", encoding="utf-8") as file:
        for row in rows:
            progress.begin(row)
            try:
                result = measure_row(lab, row)
            finally:
                progress.clear()
            results.append(result)
            file.write(json.dumps(result) + "\n")
            file.flush()
            print(report.table_line(result), flush=True)


def finish(options, content, before):
    """Writes what was asked for, and says why rows have no value."""
    for result in content["rows"]:
        if result["status"] != "measured":
            print(f"dml: bench: {result['name']} {result['status']}: {result['reason']}",
                  file=sys.stderr)
    if content["quick"]:
        print("scaled down by --quick: the values mean nothing")
    if before:
        for key in ("cpu", "compiler", "build_type"):
            was, now = (side["machine"].get(key) for side in (before, content))
            if was != now:
                print(f"dml: bench: {key} was {was} and is {now}", file=sys.stderr)
        print("\n" + report.comparison(before, content))
    if options.json:
        report.write_json(options.json, content)
    if options.rst:
        report.write_rst(options.rst, content)


def run(arguments):
    """Does what the command line says; returns the exit code."""
    options = parse_options(arguments)
    rows = choose(options.only)
    before = report.read_json(options.against) if options.against else None
    if before and not options.source and before["quick"] != options.quick:
        raise InputError(f"--against: {options.against} was measured "
                         f"{'with' if before['quick'] else 'without'} --quick; accepted: runs alike")
    for option, path in (("--json", options.json), ("--rst", options.rst)):
        if path and not os.path.isdir(os.path.dirname(path) or "."):
            raise InputError(f"{option}: found no folder for '{path}'; accepted: a path in one that "
                             "exists")
    if options.list:
        show_list(rows)
        return 0
    if options.source:
        content = report.read_json(options.source)
        names = {row.name for row in rows}
        content["rows"] = [row for row in content["rows"] if row["name"] in names]
        print(report.header())
        for result in content["rows"]:
            print(report.table_line(result))
        finish(options, content, before)
        return 0
    if not os.path.isdir(options.build):
        raise InputError(f"--build: found no folder '{options.build}'; accepted: that of a build")
    lab = Lab(ROOT, os.path.abspath(options.build), options.quick)
    content = report.document(machine.describe(ROOT, lab.build), options.quick, [])
    if machine.is_busy(content["machine"]) and any(row.wall_time for row in rows):
        print(f"dml: bench: the load of this machine is {content['machine']['load_average']}: "
              "rows of wall time (sweeps) say little now", file=sys.stderr)
    interrupted = False
    try:
        measure(rows, lab, content["rows"])
    except KeyboardInterrupt:
        interrupted = True
        print("dml: bench: interrupted; what was measured is kept", file=sys.stderr)
    finish(options, content, before)
    if interrupted:
        return 130
    return 1 if any(result["status"] == "failed" for result in content["rows"]) else 0


def main():
    """Ends the process."""
    try:
        sys.exit(run(sys.argv[1:]))
    except InputError as error:
        print(f"dml: bench: {error}", file=sys.stderr)
        sys.exit(2)
    except OSError as error:
        print(f"dml: bench: {error}", file=sys.stderr)
        sys.exit(1)
