#!/usr/bin/env python3
# Copyright (c) 2026 The dml authors
#
# SPDX-License-Identifier: GPL-2.0-only

"""The table of doc/packages.rst that says with which releases of ns-3 dml was tested: rows of "this version" are what
continuous integration runs, all of it; a row with a date was run with the sources of today, or is marked as older.

A date is followed by the checksum of the sources that were run: "2026-11-29 (0123abcd)". "--checksum" prints that of
today. Where it is another one, the row has to say "2026-11-29, older".
"""

import hashlib
import os
import pathlib
import re
import sys
import unittest

ROOT = pathlib.Path(os.environ.get("DML_ROOT", pathlib.Path(__file__).resolve().parents[2]))
# What is compiled and run with another ns-3, and how.
COVERED = ("CMakeLists.txt", "wscript", "cmake/*.cmake", "model/**/*", "helper/**/*", "program/**/*", "examples/**/*",
           "test/suite/**/*", "test/cross/**/*", "test/support/**/*")
CHECKED = re.compile(r"\d{4}-\d\d-\d\d \(([0-9a-f]{8})\)")
OLDER = re.compile(r"\d{4}-\d\d-\d\d, older")


def get_checksum(root):
    """Eight digits that change with what a row covers."""
    checksum = hashlib.sha256()
    for path in sorted({path for pattern in COVERED for path in root.glob(pattern) if path.is_file()}):
        checksum.update(path.relative_to(root).as_posix().encode() + b"\0" + path.read_bytes() + b"\0")
    return checksum.hexdigest()[:8]


def read_rows(text):
    """The rows of the table: its columns by name."""
    lines = text[text.index("With what it works"):].splitlines()
    rules = [number for number, line in enumerate(lines) if re.fullmatch("=+(  =+)+", line)][:3]
    spans = [match.span() for match in re.finditer("=+", lines[rules[0]])]

    def cut(line):
        return [line[start:end if end < spans[-1][1] else None].strip() for start, end in spans]

    names = cut(lines[rules[0] + 1])
    return [dict(zip(names, cut(line))) for line in lines[rules[1] + 1:rules[2]]]


def read_commands(text):
    """What continuous integration runs: the arguments of each "./dml test"."""
    return re.findall(r"^\./dml test ?(.*)$", text, re.MULTILINE)


def find_faults(rows, commands, checksum):
    """What is wrong with the table: a line each."""
    faults = []
    run = [row["``./dml test``"].strip("`") for row in rows if row["when"] == "this version"]
    faults += [f"'{command}' is of this version, and not in .ci/run" for command in run if command not in commands]
    faults += [f"'{command}' is in .ci/run, and no row of this version" for command in commands if command not in run]
    for row in rows:
        found = CHECKED.fullmatch(row["when"])
        name = f"ns-{row['|ns3|']}, {row['where']}"
        if found and found[1] != checksum:
            faults.append(f"{name}: run with sources of checksum {found[1]}, which are now {checksum}: run it again, or "
                          f"write '{row['when'].split()[0]}, older'")
        elif not found and row["when"] != "this version" and not OLDER.fullmatch(row["when"]):
            faults.append(f"{name}: found '{row['when']}'; accepted: 'this version', 'DATE (CHECKSUM)', 'DATE, older'")
    return faults


class VersionTableTest(unittest.TestCase):
    """The table as it is, and what would be wrong."""

    def test_table(self):
        """The table is true."""
        rows = read_rows((ROOT / "doc/packages.rst").read_text())
        self.assertGreater(len(rows), 4)
        commands = read_commands((ROOT / ".ci/run").read_text())
        self.assertIn("", commands)
        self.assertEqual(find_faults(rows, commands, get_checksum(ROOT)), [])

    def test_range(self):
        """What README and CONTRIBUTING.md promise is what the table begins and ends with."""
        releases = [row["|ns3|"] for row in read_rows((ROOT / "doc/packages.rst").read_text())]
        self.assertIn(f"{releases[0]} to {releases[-1]}", (ROOT / "README.md").read_text())
        self.assertIn(f"ns-{releases[0]} to {releases[-1]}", (ROOT / "CONTRIBUTING.md").read_text())

    def test_faults(self):
        """A row that is not run any more, a command without a row, sources that have changed, no mark."""
        def row(command, when):
            return {"|ns3|": "3.1", "where": "here", "``./dml test``": command, "when": when}

        good = [row("", "this version"), row("``--a``", "2026-01-01, older"), row("", "2026-01-01 (01234567)")]
        self.assertEqual(find_faults(good, [""], "01234567"), [])
        self.assertEqual(len(find_faults(good, [""], "01234568")), 1)
        self.assertEqual(len(find_faults(good, ["", "--b"], "01234567")), 1)
        self.assertEqual(len(find_faults([*good, row("``--b``", "this version")], [""], "01234567")), 1)
        self.assertEqual(len(find_faults([*good, row("``--b``", "2026-01-01")], [""], "01234567")), 1)


if __name__ == "__main__":
    if sys.argv[1:] == ["--checksum"]:
        print(get_checksum(ROOT))
    else:
        unittest.main()
