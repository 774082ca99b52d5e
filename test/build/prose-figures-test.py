#!/usr/bin/env python3
#
# Copyright (c) 2026 The dml authors
#
# SPDX-License-Identifier: GPL-2.0-only

"""Compares the figures in the prose of README.md and the manual with where they come from.

A figure is a share in per cent, a number of points, a factor or a throughput. It is right if it

  is in a table of its page, which the test manual-tables compares;
  follows from stored results: CLAIMS has the sentence and how its numbers are computed;
  is in doc/data/prose.json, as part of a sentence, with the command that measured it and the date,
  or the paper or definition that it is from.

Pages that tools write have their figures from the tools, and are left to manual-tables."""

import functools
import json
import os
import re
import subprocess
import sys
import unittest

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from manual_pages import ROOT, cells, pages, prose, read, tables

sys.path.insert(0, os.path.join(ROOT, "tools"))
from validation_report import stored  # pylint: disable=C0413

DATA = os.path.join(ROOT, "doc", "data")
NUMBER = r"[+-]?\d[\d.]*"
FIGURE = re.compile(rf"{NUMBER}(?:(?:\s*(?:to|and|or|,|\.\.|\+-)\s*)+{NUMBER})*\s*"
                    r"(?:%|samples/s\b|points\b|times as)")
# Definitions, not measurements: of intervals, and of all.
DEFINED = re.compile(r"\b(?:95|100) %")
WRITTEN = {page for page in pages() if os.path.exists(os.path.join(ROOT, page + ".in"))}
WRITTEN.add("doc/performance-bench.txt")


def parts(label):
    return stored.read(os.path.join(ROOT, "doc", label + ".rst"))


def values(label):
    return {name: part.values for name, part in parts(label).items()}


def percents(text):
    return [float(number) for number in re.findall(r"([+-]?[\d.]+) %", text)]


def fidelity_claims():
    found = values("fidelity")
    held_out, collectives = found["held-out"], found["collectives"]

    def errors(part, group):
        return "{}, {} and {} %".format(*(part[f"{group}-{engine}"] for engine in ("fair-share", "burst", "packet")))

    yield f"{held_out['runs']} runs of {held_out['cases']} cases"
    yield (f"the mean error of fair-share, bursts and packets (of AlexNet at 500 Mbit/s) is {errors(held_out, 'fair')} on fair queues and "
           f"{errors(held_out, 'FIFO')} on FIFO ports")
    yield f"repeats of the real runs themselves are {held_out['fair-repeats']} and {held_out['FIFO-repeats']} % apart"
    yield (f"All-reduce by real processes, of 1 and 10 MB (packets: 1 MB), {collectives['large-cases']} cases: "
           f"{errors(collectives, 'fair')} on fair queues and {errors(collectives, 'FIFO')} on FIFO ports; of 64 KB "
           f"{errors(collectives, 'small')}")


def testbed_claims():
    found = tables(read("doc/testbed.rst"))
    errors = [[percents(cell)[0] for cell in row[2:]] for row in cells(found["run measured fair-share packet"])]
    fair_share, packet = (max(abs(row[column]) for row in errors) for column in (0, 1))
    [windows] = [lines for heading, lines in found.items() if heading.startswith("run 28 MB")]
    largest = max(abs(percents(cell)[0]) for row in cells(windows) for cell in row[1:])
    yield f"is met within {fair_share:.1f} % (fair-share) and {packet:.1f} % (packet)"
    yield f"the worst of the three is {largest:.0f} % off"


def order_claims():
    tictac, prophet = (values("order-studies")[name] for name in ("tictac", "prophet"))
    yield f"TIC and TAC gain the same to {tictac['gap'].split()[0].strip('+-')} points"
    yield f"(up to {float(prophet['off-bytescheduler']):.0f} % too fast there"


# page: functions whose sentences are in it
def bench_rows(text):
    """{name: value} of the rows that ./dml bench writes."""
    return dict(re.findall(r"\(``([a-z0-9-]+)``\)\n +- .*\n +- (\S+)", text))


def bench_claims():
    rows = bench_rows(read("doc/performance-bench.txt"))
    return [f"completes {rows['fair-share-speed']} million ops per CPU second",
            f"the cost per op is {rows['fair-share-scaling-equal']} times as high with 256 workers as with 8",
            f"is {rows['sweeps']} times as fast as"]


CLAIMS = {"README.md": (fidelity_claims, testbed_claims, order_claims),
          "doc/performance.rst": (bench_claims,)}


class Claims(unittest.TestCase):
    def test_sentences_follow_from_stored_results(self):
        for page, functions in CLAIMS.items():
            text = prose(page)
            for function in functions:
                for sentence in function():
                    self.assertIn(sentence, text, page)

    def test_batch_sizes_are_within_a_sample(self):
        self.assertIn("choose the same batch sizes, within a sample of the paper's", prose("README.md"))
        self.assertLess(float(values("sync-studies")["batch-sizes"]["off"]), 1)


@functools.cache
def usage(tool):
    """What a tool says of itself, with lines that are not broken."""
    return subprocess.run([os.path.join(ROOT, tool), "--help"], capture_output=True, text=True, check=True,
                          env={**os.environ, "COLUMNS": "10000"}).stdout


class Studies(unittest.TestCase):
    def test_commands_that_made_stored_parts_name_parts_of_tools(self):
        for name in sorted(os.listdir(DATA)):
            with open(os.path.join(DATA, name), encoding="utf-8") as file:
                kept = json.load(file) if name.endswith(".json") else {}
            commands = [part["command"] for part in kept.values()] if isinstance(kept, dict) else []
            for command in "; ".join(commands).split("; "):
                if not command.startswith("tools/"):
                    continue  # a list of what is re-created
                with self.subTest(command=command):
                    tool, *arguments = command.split()
                    self.assertTrue(os.path.isfile(os.path.join(ROOT, tool)))
                    for argument in arguments:
                        self.assertRegex(usage(tool), rf"(?<![\w-]){argument}(?![\w-])")


def entries():
    with open(os.path.join(DATA, "prose.json"), encoding="utf-8") as file:
        return json.load(file)


def unexplained(page):
    """Figures of a page's prose that are in no table of it, no claim and no entry."""
    text = prose(page)
    sentences = [sentence for function in CLAIMS.get(page, ()) for sentence in function()]
    sentences += [entry["text"] for entry in entries() if entry["page"] == page]
    spans = [found.span() for sentence in sentences for found in re.finditer(re.escape(sentence), text)]
    in_tables = {number for lines in tables(read(page)).values()
                 for number in re.findall(r"\d[\d.]*", " ".join(lines))}

    def is_explained(found):
        return (any(begin <= found.start() and found.end() <= end for begin, end in spans)
                or not FIGURE.search(DEFINED.sub("", found[0]))
                or all(number.rstrip(".") in in_tables for number in re.findall(r"\d[\d.]*", found[0])))

    return [text[max(0, found.start() - 60):found.end() + 20]
            for found in FIGURE.finditer(text) if not is_explained(found)]


class Inventory(unittest.TestCase):
    def test_every_figure_has_a_source(self):
        for page in pages():
            if page not in WRITTEN:
                self.assertEqual(unexplained(page), [], f"{page}: figures without a source")

    def test_entries_are_in_their_pages(self):
        for entry in entries():
            self.assertIn(entry["text"], prose(entry["page"]), entry["page"])
            self.assertTrue(FIGURE.search(entry["text"]), entry["text"])
            self.assertTrue(entry["source"], entry["text"])
            self.assertRegex(entry.get("date", "2026-01-01"), r"^\d{4}-\d\d-\d\d$")

    def test_figures_are_found(self):
        text = "It is 3 % off, 5 to 8 % there, 0.3 +- 3.2 %, 2.0 samples/s, 20 times as fast; 7 workers."
        self.assertEqual(FIGURE.findall(text),
                         ["3 %", "5 to 8 %", "0.3 +- 3.2 %", "2.0 samples/s", "20 times as"])


if __name__ == "__main__":
    unittest.main()
