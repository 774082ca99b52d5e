#!/usr/bin/env python3
#
# Copyright (c) 2026 The dml authors
#
# SPDX-License-Identifier: GPL-2.0-only

"""Follows pages that show commands and what these print: runs the commands one after the other, and looks for
the lines that are shown.

DML_PROGRAM names the program; without it nothing runs (exit code 77). Runs in packets are made small, and
their numbers are not compared, nor any with another ns-3 than the manual's, 3.37."""

import glob
import os
import re
import subprocess
import sys
import tempfile
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))


def list_commands(page):
    """Pairs of a command and the lines that follow it."""
    with open(os.path.join(ROOT, "doc", page), encoding="utf-8") as file:
        text = file.read()
    found = []
    for line in text.splitlines():
        if found and (found[-1][0] or "").endswith("\\"):
            found[-1] = (found[-1][0][:-1] + line.strip(), [])
        elif line.startswith("  $ "):
            found.append((line[4:], []))
        elif line.startswith("  ") and found:
            found[-1][1].append(line.strip())
        elif line:
            found.append((None, []))  # what follows is no output
    return [(command, lines) for command, lines in found if command]


# Pages, and the least number of commands in them.
PAGES = {"cookbook.rst": 8, "first-hour.rst": 8, "learning.rst": 2, "order-efficiency.rst": 1, "sweeps.rst": 3}


def shape(line):
    """A line with all numbers alike, certain or not: whether they have intervals is left."""
    return re.sub(r"[-+>]?\d[\d.]*(?!\.)", "N", re.sub(r"\s+", " ", line.strip().replace("?", "").replace("..", " .. ")))


def has_manuals_ns3():
    version = subprocess.run([os.environ["DML_PROGRAM"], "--version"], text=True, capture_output=True,
                             check=True).stdout
    return re.search(r"^ns-3 +3\.37$", version, re.M) is not None


class Tutorials(unittest.TestCase):
    def follow(self, page, least):
        commands = list_commands(page)
        self.assertGreaterEqual(len(commands), least)
        same = has_manuals_ns3()
        with tempfile.TemporaryDirectory() as folder:
            os.symlink(os.path.join(ROOT, "scenarios"), os.path.join(folder, "scenarios"))
            os.symlink(os.path.abspath(os.environ["DML_PROGRAM"]), os.path.join(folder, "dml"))
            for command, lines in commands:
                packets = " run " in command and "--engine" not in command
                small = " --set job.scale=0.02" if packets else ""
                done = subprocess.run(["bash", "-c", command + small], cwd=folder, text=True,
                                      stdin=subprocess.DEVNULL, capture_output=True, check=False,
                                      timeout=1800, env={**os.environ, "DML_ROOT": ROOT})
                self.assertEqual(done.returncode, 0, f"{command}: {done.stderr}")
                printed = [re.sub(r"\s+", " ", line.strip()) for line in done.stdout.splitlines()]
                for line in lines if same and not packets else []:
                    self.assertIn(re.sub(r"\s+", " ", line), printed, command)
                for line in lines if packets else []:  # of other tensors: only how they are written
                    self.assertIn(shape(line), [shape(other) for other in printed], command)
            for result in glob.glob(os.path.join(folder, "results", "*")):
                self.assertTrue(os.path.exists(os.path.join(result, "report.html")))

    def test_pages(self):
        for page, least in PAGES.items():
            with self.subTest(page):
                self.follow(page, least)

    def test_all_pages_with_output_are_followed(self):
        shown = {os.path.basename(path) for path in glob.glob(os.path.join(ROOT, "doc", "*.rst"))
                 if any("./dml" in command and any(line for line in lines if not line.startswith("--"))
                        for command, lines in list_commands(os.path.basename(path)))}
        self.assertEqual(shown, set(PAGES))

    def test_why(self):
        """What doc/why.rst shows is what its commands print, which is kept in doc/data/why-multi-ps.txt. They take a minute
        for packets; what they print of the fair-share engine is made again here."""
        with open(os.path.join(ROOT, "doc", "data", "why-multi-ps.txt"), encoding="utf-8") as file:
            kept = file.read()
        with open(os.path.join(ROOT, "doc", "why.rst"), encoding="utf-8") as file:
            page = file.read()
        block = r"\.\. code-block:: text\n\n((?:   .*\n|\n)+)"
        commands, shown = (re.sub("^   ", "", text, flags=re.M).strip() for text in re.findall(block, page)[:2])
        self.assertIn(f"{shown}\n", kept)
        if not has_manuals_ns3():
            return
        with tempfile.TemporaryDirectory() as folder:
            os.symlink(os.path.join(ROOT, "scenarios"), os.path.join(folder, "scenarios"))
            os.symlink(os.path.abspath(os.environ["DML_PROGRAM"]), os.path.join(folder, "dml"))
            done = subprocess.run(["bash", "-ec", commands.replace(" run ", " run --engine=fair-share ")], cwd=folder,
                                  text=True, stdin=subprocess.DEVNULL, capture_output=True, check=False, timeout=1800,
                                  env={**os.environ, "DML_ROOT": ROOT})
        self.assertEqual(done.returncode, 0, done.stderr)
        printed = done.stdout[done.stdout.index("fair-share, 4 workers"):done.stdout.index("critical-path.csv")]
        self.assertTrue(kept.startswith(printed), "run the commands of doc/why.rst again, and keep what they print")

    def test_readme(self):
        """The fair-share engine's column of the flagship study in README.md."""
        with open(os.path.join(ROOT, "README.md"), encoding="utf-8") as file:
            readme = file.read()
        with tempfile.TemporaryDirectory() as folder:
            done = subprocess.run([os.environ["DML_PROGRAM"], "run", "--engine=fair-share", "--out", "flagship"],
                                  cwd=folder, text=True, stdin=subprocess.DEVNULL, capture_output=True,
                                  check=False, timeout=1800, env={**os.environ, "DML_ROOT": ROOT})
        self.assertEqual(done.returncode, 0, done.stderr)
        row = re.compile(r"^ +(\d+) +([\d.]+) \+- +([\d.]+)", re.M)
        found = row.findall(done.stdout)
        self.assertEqual(len(found), 4)
        if has_manuals_ns3():
            self.assertEqual(row.findall(readme), found)


if __name__ == "__main__":
    if not os.environ.get("DML_PROGRAM"):
        print("skipped: DML_PROGRAM names no program")
        sys.exit(77)
    unittest.main()
