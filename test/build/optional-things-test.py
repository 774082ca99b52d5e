#!/usr/bin/env python3
# Copyright (c) 2026 The dml authors
#
# SPDX-License-Identifier: GPL-2.0-only

"""What a test leaves out where a machine does not have it is in the table of doc/packages.rst, which says since
when it was tested; what is said to be tested with this version is installed by ./dml test."""

import os
import pathlib
import re
import unittest

ROOT = pathlib.Path(os.environ.get("DML_ROOT", pathlib.Path(__file__).resolve().parents[2]))
REASONS = (r'echo "skipped: (.*)"', r'print\(f?"skipped: (.*)"\)', r'GTEST_SKIP\(\) << "([^"]*)"',
           r'"(skip: [^"]*)"', r'(?:skipTest|SkipTest)\(f?"([^"]*)"', r'skipUnless\(.*, "([^"]*)"\)',
           r'MISSING = f?"([^"]*)"')
# Not of a machine, but of a build or of a call by hand.
OTHERS = ("DML_PROGRAM", "DML_BUILD_FOLDER", "no program", "of such a build", "AddressSanitizer", "PLUGIN is not built",
          "{found} is not built", "{missing.name}", "this is not root", "cannot become")


def read_table():
    """Rows (what, words, packages, when) of the table."""
    text = (ROOT / "doc/packages.rst").read_text(encoding="utf-8")
    lines = text.partition("What not every machine has\n")[2].splitlines()
    rules = [i for i, line in enumerate(lines) if line.startswith("=====")]
    starts = [match.start() for match in re.finditer("=+", lines[rules[0]])] + [None]
    rows = []
    for line in lines[rules[1] + 1:rules[2]]:
        cells = [line[a:b].strip() for a, b in zip(starts, starts[1:])]
        if cells[0]:
            rows.append(cells)
        else:
            rows[-1] = [f"{above} {cell}".strip() for above, cell in zip(rows[-1], cells)]
    return rows


def list_words(cell):
    return [word.strip() for word in cell.split(",") if word.strip()]


def find_reasons():
    """(file, reason) of what tests leave out."""
    for path in sorted((ROOT / "test").rglob("*")):
        if path.suffix in (".sh", ".py", ".cc", ".h") and path != pathlib.Path(__file__).resolve():
            text = path.read_text(encoding="utf-8")
            for form in REASONS:
                yield from ((path.relative_to(ROOT), reason) for reason in re.findall(form, text))


class OptionalThings(unittest.TestCase):
    def test_every_reason_is_in_the_table(self):
        words = [word for row in read_table() for word in list_words(row[1])]
        reasons = list(find_reasons())
        self.assertGreater(len(reasons), 30)
        for path, reason in reasons:
            with self.subTest(path=path, reason=reason):
                self.assertTrue(any(word in reason for word in (*words, *OTHERS)),
                                "not in the second column of the last table of doc/packages.rst")

    def test_every_row_says_when(self):
        command = (ROOT / "dml").read_text(encoding="utf-8")
        arrays = {name: words.split() for name, words in
                  re.findall(r"^(\w+)_PACKAGES=\(([^)]*)\)", command, re.MULTILINE)}
        installed = {package for name in ("RUN", "TEST", "GRPC", "GLOO", "STYLE", "SIMGRID", "MALLOC")
                     for package in arrays[name]}
        rows = read_table()
        self.assertGreater(len(rows), 10)
        for what, _, packages, when in rows:
            with self.subTest(what=what):
                self.assertRegex(when, r"^(this version|not yet|20\d\d-\d\d-\d\d)$")
                if when == "this version":
                    self.assertLessEqual(set(list_words(packages)), installed)
                else:
                    self.assertFalse(set(list_words(packages)) & installed, "installed: tested with this version")


if __name__ == "__main__":
    unittest.main()
