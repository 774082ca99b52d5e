#!/usr/bin/env python3
#
# Copyright (c) 2026 The dml authors
#
# SPDX-License-Identifier: GPL-2.0-only

"""The table of test/oracle/README.md: whatever can be chosen by name has an oracle or a reason to have none.

Names come from the JSON Schema of a scenario and from "dml help". A row that names an oracle is true only if the cases
of that oracle contain the name.
"""

import importlib
import json
import os
import random
import re
import subprocess
import sys
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
PROGRAM = os.environ.get("DML_PROGRAM", os.path.join(ROOT, "build", "dml"))
ORACLES = os.path.join(ROOT, "test", "oracle")

sys.dont_write_bytecode = True
sys.path.insert(0, ORACLES)

# Maps whose keys choose something, as names do.
CHOOSING_MAPS = ("job.sync", "job.gradient_groups", "job.batch_control", "job.all_reduce.on_crash")
# On and off of something else, units, and the same keys in other jobs.
NOT_FEATURES = ("other_jobs", "output", "job.batch_control.cpu")


def names_of(schema):
    """Names by the path of their key."""
    found = {}

    def visit(node, path):
        if any(path == one or path.startswith(one + ".") for one in NOT_FEATURES):
            return
        found.setdefault(path, set()).update(name for name in node.get("enum", []) if isinstance(name, str))
        if path in CHOOSING_MAPS:
            found[path].update(node.get("properties", {}))
        for part in node.get("anyOf", []) + node.get("oneOf", []):
            visit(part, path)
        for key, part in node.get("properties", {}).items():
            # A map with its type is another way to write the name; what it has besides is no choice of its own.
            visit(part, path if key in ("type", "variant") else f"{path}.{key}".lstrip("."))

    visit(schema, "")
    return {path: names for path, names in found.items() if names}


def read_table():
    """Rows (key, names, oracle or None, text)."""
    with open(os.path.join(ORACLES, "README.md"), encoding="utf-8") as file:
        text = file.read()
    rows = []
    for line in text[text.index("| key |"):].splitlines()[2:]:
        key, names, oracle = (cell.strip() for cell in line.strip("|").split("|"))
        match = re.fullmatch(r"`(\w+)`", oracle)
        rows.append((key.strip("`"), [name.strip() for name in names.split(",")],
                     match.group(1) if match else None, oracle))
    return rows


def names_in(case, path):
    """What a case says at a key: a word, or the keys and the type of a map."""
    value = case
    for key in path.split("."):
        value = value.get(key, {}) if isinstance(value, dict) else {}
    if isinstance(value, dict):
        return set(value) | {value.get("type")}
    return {value} if isinstance(value, str) else set()


class OracleTableTest(unittest.TestCase):
    def test_has_every_name(self):
        with open(os.path.join(ROOT, "doc", "scenario.schema.json"), encoding="utf-8") as file:
            expected = names_of(json.load(file))
        text = subprocess.run([PROGRAM, "help"], capture_output=True, text=True, check=True).stdout
        expected["command"] = set(re.findall(r"^  ([a-z-]+) {2,}", text, re.MULTILINE))
        self.assertIn("p3", expected["transfer.policy"])
        self.assertIn("ssp", expected["job.sync"])
        self.assertIn("memory", expected["command"])
        found = {}
        for key, names, _, _ in read_table():
            for name in names:
                self.assertNotIn(name, found.setdefault(key, set()), f"{key}: {name} is there twice")
                found[key].add(name)
        self.assertEqual(expected, found)

    def test_says_why_there_is_none(self):
        for key, names, oracle, text in read_table():
            if oracle is None:
                self.assertRegex(text, r"^none: .{10,}", f"{key}: {names}")

    def test_cases_contain_the_names(self):
        cases = {}
        for key, names, oracle, _ in read_table():
            if oracle is None:
                continue
            if oracle not in cases:
                module = importlib.import_module("oracles." + oracle)
                cases[oracle] = [module.draw(random.Random(f"table {number}")) for number in range(300)]
            if key == "command":
                continue
            drawn = set().union(*(names_in(case, key) for case in cases[oracle]))
            for name in names:
                self.assertIn(name, drawn, f"{key} of the cases of {oracle}")

    def test_every_oracle_is_run(self):
        with open(os.path.join(ORACLES, "run"), encoding="utf-8") as file:
            listed = set(re.findall(r'"(\w+)"', re.search(r"^ORACLES = \(([^)]*)\)", file.read(), re.MULTILINE).group(1)))
        self.assertLessEqual({oracle for _, _, oracle, _ in read_table() if oracle}, listed)
        with open(os.path.join(ORACLES, "README.md"), encoding="utf-8") as file:
            self.assertEqual(listed, set(re.findall(r"^\| `(\w+)` \|", file.read().split("## Features")[0], re.MULTILINE)))
        with open(os.path.join(ROOT, "test", "CMakeLists.txt"), encoding="utf-8") as file:
            registered = re.search(r"foreach\(\s*_oracle\s+([^)]*)\)", file.read()).group(1).split()
        self.assertEqual(listed, set(registered))


if __name__ == "__main__":
    unittest.main()
