#!/usr/bin/env python3
#
# Copyright (c) 2026 The dml authors
#
# SPDX-License-Identifier: GPL-2.0-only

"""The page of keys and the JSON Schema are what the program declares, and the schema takes every scenario.

Compared are doc/scenario-keys.rst and doc/scenario.schema.json with what `dml keys` prints. Every
scenario of scenarios/, every YAML example of the manual and the block of all defaults is validated against
the schema, and slips are refused; that needs python3-jsonschema and python3-yaml, without which it is
skipped. DML_PROGRAM names the program; without it nothing runs (exit code 77)."""

import copy
import glob
import json
import os
import re
import subprocess
import sys
import unittest

try:
    import jsonschema
    import yaml
except ImportError as missing:
    MISSING = f"{missing.name} is not installed"
else:
    MISSING = None

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
PROGRAM = os.environ.get("DML_PROGRAM")
BLOCK = re.compile(r"(?:^\.\. code-block:: yaml|are comments::)\n\n((?: +.*\n|\n)+)", re.MULTILINE)
WRITTEN = {"page": "scenario-keys.rst", "schema": "scenario.schema.json"}


def read(*path):
    with open(os.path.join(ROOT, *path), encoding="utf-8") as file:
        return file.read()


def parse(text):
    """YAML 1.2, in which `off` and `on` are words and 1e-9 is a number."""
    class Loader(yaml.SafeLoader):
        yaml_implicit_resolvers = {}
    for tag, pattern in (("bool", "true|false"), ("int", "[-+]?[0-9]+"), ("null", "null|~|"),
                         ("float", r"[-+]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][-+]?[0-9]+)?")):
        Loader.add_implicit_resolver(f"tag:yaml.org,2002:{tag}", re.compile(f"^(?:{pattern})$"), None)
    Loader.add_constructor("tag:yaml.org,2002:float",
                           lambda loader, node: float(loader.construct_scalar(node)))
    return yaml.load(text, Loader)


def examples():
    """(where, text) of the YAML in the manual that is part of a scenario."""
    for path in sorted(glob.glob(os.path.join(ROOT, "doc", "*.rst"))):
        text = read(path)
        for match in BLOCK.finditer(text):
            line = text.count("\n", 0, match.start(1)) + 1
            if "tensors:" not in match[1]:  # a profile
                lines = match[1].splitlines()
                depth = len(lines[0]) - len(lines[0].lstrip())
                yield f"{os.path.basename(path)}:{line}", "\n".join(one[depth:] for one in lines)


class Written(unittest.TestCase):
    maxDiff = None

    def test_files_are_what_the_program_writes(self):
        for form, name in WRITTEN.items():
            done = subprocess.run([PROGRAM, "keys", form], stdin=subprocess.DEVNULL,
                                  capture_output=True, text=True, check=False)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertMultiLineEqual(read("doc", name), done.stdout,
                                      f"write it again: dml keys {form} > doc/{name}")

    def test_included_tables_are_there(self):
        page = read("doc", WRITTEN["page"])
        included = 0
        for path in glob.glob(os.path.join(ROOT, "doc", "*.rst")):
            for mark in re.findall(r":(?:start-after|end-before): (.+)", read(path)):
                self.assertEqual(page.splitlines().count(mark), 1, f"{path}: {mark}")
                included += 1
        self.assertGreater(included, 0)


@unittest.skipIf(MISSING, MISSING)
class Schema(unittest.TestCase):
    def setUp(self):
        schema = json.loads(read("doc", WRITTEN["schema"]))
        jsonschema.Draft202012Validator.check_schema(schema)
        self.validator = jsonschema.Draft202012Validator(schema)

    def errors(self, document):
        return [f"{'.'.join(map(str, error.absolute_path))}: {error.message}"
                for error in self.validator.iter_errors(document)]

    def test_scenarios(self):
        paths = glob.glob(os.path.join(ROOT, "scenarios", "**", "scenario*.yaml"), recursive=True)
        self.assertGreater(len(paths), 5)
        for path in [*paths, os.path.join(ROOT, "test", "data", "tiny.yaml")]:
            with self.subTest(path=path):
                self.assertEqual(self.errors(parse(read(path))), [])

    def test_manual(self):
        found = list(examples())
        self.assertGreater(len(found), 35)
        for where, text in found:
            with self.subTest(where=where):
                self.assertEqual(self.errors(parse(text)), [])

    def test_slips(self):
        """What the program refuses because of one value alone is refused, and named."""
        base = {"job": {"profile": "p.yaml"}}
        for path, value in (("sed", 1), ("seed", 0), ("seed", "one"), ("job.worker", 1),
                            ("job.workers", 0), ("job.workers", [1, "two"]), ("job.sync", "bps"),
                            ("job.sync", {"ssp": -1}), ("job.steps", "atuo"), ("job.scale", 0),
                            ("job.batch_control", {"cpu": "nrax"}), ("job.devices", {"V": {"sped": 1}}),
                            ("transfer.window", "28 MB"), ("transfer.window", {"mim": "1MB"}),
                            ("transfer.policy", "tick"), ("overhead.alpha", 2), ("network.rate", 1000),
                            ("network.rate", "1Gbit"), ("network.delay", "10"), ("network.mtu", 575),
                            ("network.tcp", "cubik"), ("network.tcp", {"min_rto": 1}),
                            ("network.queue", {"fifo": "1MB"}), ("network.topology", "ring"),
                            ("network.background", [{"form": "a"}]), ("faults", [{"loss": 2}]),
                            ("output.pcap", "yes"), ("sweep", {"network.rate": "1Gbps"})):
            document = copy.deepcopy(base)
            at = document
            *sections, key = path.split(".")
            for section in sections:
                at = at.setdefault(section, {})
            at[key] = value
            with self.subTest(path=path, value=value):
                found = self.errors(document)
                self.assertEqual(len(found), 1, found)
                self.assertIn(key, found[0])


if __name__ == "__main__":
    if not PROGRAM:
        sys.exit(77)
    unittest.main()
