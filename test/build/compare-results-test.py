#!/usr/bin/env python3
#
# Copyright (c) 2026 The dml authors
#
# SPDX-License-Identifier: GPL-2.0-only

"""Test of tools/compare-results with made-up programs whose results differ in one thing.

With the environment's DML_PROGRAM, the program is also compared with itself."""

import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
TOOL = os.path.join(ROOT, "tools", "compare-results")
PROGRAM = os.environ.get("DML_PROGRAM")

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(ROOT, "tools"))
from compare_results import (difference, manual, random_shape, result_files,  # pylint: disable=C0413
                             shipped)
from compare_results.random_study import random_studies  # pylint: disable=C0413
from scratch_folder import ScratchFolder  # pylint: disable=C0413

# Writes a folder of results as dml does: what the clock and the build decide differs from call to
# call and from copy to copy. CHANGE is a line of shell that makes something else different.
FAKE = """#!/bin/sh
echo "$1" >>"$(dirname "$0")/calls"
[ "$1" = run ] || { echo "would run"; exit 0; }
mkdir -p results/plots
printf 'worker,step,end\\n0,0,0.125\\n0,1,0.25\\n' >results/steps.csv
cat >results/summary.json <<END
{
 "schema": "dml-summary/1",
 "engines": {"packet": {"mean": 4.5, "timing": {"cpu_seconds": 0.$$, "list": [1, {"a": $$}]}}},
 "program": {"commit": "$0", "dml": "0.1"},
 "timing": {"wall_seconds": 1.$$}
}
END
printf 'plot' >results/plots/a.gp
echo "The program was dml 0.1 (commit $$) with ns-3 3.37." >results/report.html
code=0
CHANGE
echo "wall time: 0.$$ s, 1 at a time; results in $PWD/results, by $0"
exit $code
"""
FEW = "^random-0[0-2]$"


class Folder(ScratchFolder):
    """A folder with programs in it."""

    def fake(self, name, change=":"):
        """A program in a folder of its own."""
        path = os.path.join(self.root, name, "dml")
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="ascii") as file:
            file.write(FAKE.replace("CHANGE", change))
        os.chmod(path, 0o755)
        return path

    def calls(self, program):
        """How often it was called since the last time."""
        path = os.path.join(os.path.dirname(program), "calls")
        if not os.path.exists(path):
            return 0
        with open(path, encoding="ascii") as file:
            number = len(file.readlines())
        os.unlink(path)
        return number

    def compare(self, *arguments, code):
        """Standard output and errors of the tool, which must end with this exit code."""
        done = subprocess.run([sys.executable, TOOL, *arguments], capture_output=True, text=True,
                              check=False, env={**os.environ, "TMPDIR": self.root})
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        self.assertTrue(all(len(line) <= 80 for line in done.stdout.splitlines()), done.stdout)
        return done.stdout + done.stderr


class Differences(Folder):
    """Each is found, and nothing else is taken for one."""

    def difference(self, change, only="^random-00$"):
        """What the tool prints for a program with a change."""
        return self.compare(self.fake("old"), self.fake("new", change), "--only", only, code=1)

    def test_clock_build_and_paths_do_not_count(self):
        text = self.compare(self.fake("before"), self.fake("elsewhere/after"), "--only", FEW, code=0)
        self.assertEqual(len(re.findall("^equal +random-0", text, re.MULTILINE)), 3)
        self.assertRegex(text, r"\nrandom +3 +0 +0 +0\nall +3 +0 +0 +0\n")

    def test_byte_of_a_table(self):
        text = self.difference("sed -i 's/0.25/0.26/' results/steps.csv")
        self.assertRegex(text, r"DIFFERENT  random-00 .*\n    steps.csv:3\n"
                               r"    before: 0,1,0.25\n    after:  0,1,0.26\n"
                         .replace("steps.csv", "results/steps.csv"))
        self.assertRegex(text, r"\nall +0 +0 +0 +1\n")

    def test_end_of_a_table(self):
        text = self.difference("printf x >>results/steps.csv")
        self.assertIn("results/steps.csv:4\n    before: \n    after:  x\n", text)

    def test_summary_beside_the_times(self):
        self.assertIn("results/summary.json:3\n", self.difference("sed -i s/4.5/4.6/ results/*.json"))

    def test_space_in_the_summary(self):
        self.assertIn("results/summary.json:2\n",
                      self.difference("sed -i 's/\"schema\": /\"schema\":/' results/*.json"))

    def test_missing_file(self):
        self.assertIn("results/plots/a.gp: only BEFORE has it\n",
                      self.difference("rm results/plots/a.gp"))

    def test_new_file(self):
        self.assertIn("results/new: only AFTER has it\n", self.difference("echo >results/new"))

    def test_exit_code(self):
        self.assertIn("exit code of run:1\n    before: 0\n    after:  1\n", self.difference("code=1"))

    def test_errors(self):
        self.assertIn("stderr of run:1\n    before: \n    after:  warning: x\n",
                      self.difference("echo warning: x >&2"))

    def test_output(self):
        self.assertIn("stdout of run:1\n", self.difference("echo more"))

    def test_number_of_others(self):
        text = self.difference("echo more; echo x >&2; rm results/steps.csv")
        self.assertIn("and in 2 more: results/steps.csv, stdout of run\n", text)

    def test_one_of_several(self):
        text = self.difference("grep -q random-01 scenario.yaml && code=1", FEW)
        self.assertRegex(text, "equal +random-00 .*\nDIFFERENT +random-01 .*\n(    .*\n)+equal +random-02")


class Refusals(Folder):
    """Both programs may refuse a scenario, in the same words."""

    def test_same_words(self):
        text = self.compare(self.fake("old", "code=2; echo no >&2"),
                            self.fake("new", "code=2; echo no >&2"), "--only", FEW, code=0)
        self.assertRegex(text, r"\nall +0 +3 +0 +0\n.*\nnote: 3 of 3 random scenarios were refused\n")

    def test_other_words(self):
        text = self.compare(self.fake("old", "code=2; echo no >&2"),
                            self.fake("new", "code=2; echo never >&2"), "--only", FEW, code=1)
        self.assertIn("stderr of run:1\n    before: no\n    after:  never\n", text)

    def test_without_end(self):
        loop = "while [ $code = 0 ]; do :; done"
        text = self.compare(self.fake("old", loop), self.fake("new", loop), "--only", "^random-00$",
                            "--limit=1", code=2)
        self.assertRegex(text, "(?m)^failed +random-00")
        text = self.compare(self.fake("old"), self.fake("new", loop), "--only", "^random-00$",
                            "--limit=1", code=1)
        self.assertIn("exit code of run:1\n    before: 0\n    after:  -9\n", text)

    def test_all_failed(self):
        text = self.compare(self.fake("old", "code=3"), self.fake("new", "code=3"), "--only", FEW,
                            code=2)
        self.assertRegex(text, r"\nall +0 +0 +3 +0\n")
        self.assertIn("failed everywhere", text)


class Usage(Folder):
    """The command line."""

    def test_results_of_before_are_kept(self):
        keep = os.path.join(self.root, "kept")
        old, new = self.fake("old"), self.fake("new")
        options = ["--only", "^random-00$", "--keep", keep]
        self.compare(old, new, *options, code=0)
        self.assertEqual((self.calls(old), self.calls(new)), (2, 2))  # check and run
        self.compare(old, self.fake("new", "echo more"), *options, code=1)
        self.assertEqual((self.calls(old), self.calls(new)), (0, 2))
        # another scenario, or another program before: nothing is known of it
        self.compare(old, self.fake("new"), *options, "--seed=7", code=0)
        self.assertEqual(self.calls(old), 2)
        self.compare(self.fake("old", "echo more"), new, *options, code=1)
        self.assertEqual(self.calls(old), 2)
        # damaged ones do not count
        for name in os.listdir(keep):
            with open(os.path.join(keep, name), "r+b") as file:
                file.truncate(100)
        self.compare(self.fake("old"), new, *options, code=0)
        self.assertEqual(self.calls(old), 2)

    def test_several_at_a_time(self):
        old, new = self.fake("old"), self.fake("new", "code=1")
        one, four = ([line.split() for line in self.compare(
            old, new, "--only", FEW, f"--jobs={jobs}", code=1).splitlines()] for jobs in (1, 4))
        results = [[line[:2] for line in lines if "CPU" not in line] for lines in (one, four)]
        self.assertEqual(*results)

    def test_bad_input(self):
        old = self.fake("old")
        for arguments, words in (((old, "nothing"), "found no program"), ((old,), "AFTER"),
                                 ((old, old, "--only", "("), "regular expression"),
                                 ((old, old, "--only", "nowhere"), "in no name"),
                                 ((old, old, "--random", "-1"), "integer from 0"),
                                 ((old, old, "--jobs", "0"), "integer from 1")):
            self.assertIn(words, self.compare(*arguments, code=2).replace("\n", " "))

    def test_files_for_a_closer_look(self):
        folder = os.path.join(self.root, "studies")
        self.compare("a", "b", "--only", "^faults.rst:", "--write", folder, code=0)
        for name in os.listdir(folder):
            with open(os.path.join(folder, name, "scenario.yaml"), encoding="ascii") as file:
                self.assertIn("faults:", file.read())
            with open(os.path.join(folder, name, "commands.sh"), encoding="ascii") as file:
                self.assertRegex(file.read(), "^dml check .*\ndml run ")


class Parts(unittest.TestCase):
    """What a program is needed for is above."""

    def test_masked_costs(self):
        rows = (b"       2        none    118 x 72 +-0.3 %   236 x 216 <0.1 %",
                b"       2        none  1000 x 121 +-12 %   236 x 216 <0.1 %",
                b"       2     +-2.6 %    118 x 72 +-0.3 %   236 x 216 <0.1 %")
        one, same, other = (result_files.COSTS.sub(b"(costs)", row) for row in rows)
        self.assertEqual(one, same)
        self.assertNotEqual(one, other)  # of the study itself

    def test_masked_keys(self):
        # strings with brackets, escapes and the key's name as a value; nothing else is touched
        for text, expected in (('{"timing":  {"a": "}\\""}, "b": 1 }', '{"timing":  null, "b": 1 }'),
                               ('[{"timing":[1,2]},{"timing":3e-5}]', '[{"timing":null},{"timing":null}]'),
                               ('{"a": "timing", "b": 2}', '{"a": "timing", "b": 2}'),
                               ('{"timing": {"cut', '{"timing": {"cut')):
            self.assertEqual(result_files.mask_keys(text, ["timing"]), expected)
        # only of summary.json
        self.assertEqual(result_files.masked("x/trace.json", b'{"timing": 1}'), b'{"timing": 1}')
        self.assertEqual(result_files.masked("x/summary.json", b'{"timing": 1}'), b'{"timing": null}')
        self.assertEqual(result_files.masked("x/report.html", b"dml (commit 1f)"), b"dml (commit)")
        self.assertEqual(result_files.masked("x/notes.txt", b"dml (commit 1f)"), b"dml (commit 1f)")

    def test_long_lines_show_where_they_differ(self):
        lines = difference.describe({"a": b"x" * 500 + b"1" + b"y" * 500},
                                    {"a": b"x" * 500 + b"2" + b"y" * 500})
        self.assertEqual(lines[0], "a:1")
        self.assertRegex(lines[1], r"^before: \.\.\.x+1y+\.\.\.$")
        self.assertLess(len(lines[1]), 80)

    def test_bytes(self):
        self.assertEqual(difference.describe({"a": b"\0\1"}, {"a": b"\0\2"}), ["a: byte 1 of 2 and 2"])
        self.assertEqual(difference.describe({"a": b"\0"}, {"a": b"\0\2"}), ["a: byte 1 of 1 and 2"])

    def test_random_scenarios_cover_all(self):
        tags = {tag for study in random_studies(60, 1) for tag in study.tags}
        wanted = {*random_shape.POLICIES, *random_shape.SYNCS, *random_shape.TOPOLOGIES,
                  *(f"share-{rule}" for rule in random_shape.SHARINGS),
                  *random_shape.PROCESS_FAULTS, *random_shape.CRASHES,
                  *random_shape.SERVER_CRASHES, *random_shape.LINK_FAULTS,
                  *(f"flow-{kind}" for kind in random_shape.BACKGROUNDS if kind != "none"),
                  *(f"batch-{kind}" for kind in random_shape.BATCH_CONTROLS if kind != "off"),
                  *(f"device-{kind}" for kind in random_shape.DEVICES if kind != "none"),
                  *(f"grant-{kind}" for kind in ("message", "capped", "consume", "bdp")),
                  *(f"output-{kind}" for kind in ("ops", "shares", "gradients", "timeline", "pcap",
                                                  "flows", "netanim", "versions")),
                  "window", "window-range", "window-connections", "window-off", "rejoin-start",
                  "partition", "sweep", "steps-auto", "other-job", "hosts", "colocate", "overhead",
                  "without-update", "two-devices", "tcp"}
        self.assertEqual(wanted - tags, set())

    def test_random_scenarios_follow_from_the_seed(self):
        some, more, others = (random_studies(*arguments) for arguments in ((5, 1), (9, 1), (5, 2)))
        self.assertEqual(some, more[:5])
        self.assertNotEqual(some, others)

    def test_all_scenarios_and_examples_are_there(self):
        names = {study.name for study in shipped.shipped_studies(ROOT)}
        folders = {name for name in os.listdir(os.path.join(ROOT, "scenarios"))
                   if os.path.isdir(os.path.join(ROOT, "scenarios", name)) and name != "profiles"}
        self.assertEqual({name.split("/")[0] for name in names}, folders)
        self.assertIn("alexnet-1gbps/full", names)
        self.assertEqual(set(shipped.SETTINGS), names)
        self.assertGreaterEqual(len(manual.manual_studies(ROOT)),
                                sum(manual.PAGES.values()) - len(manual.PAGES))


@unittest.skipUnless(PROGRAM, "DML_PROGRAM names no program")
class WithTheProgram(Folder):
    """dml itself."""

    def copy(self, libraries):
        """The program in a folder of its own, with or without its libraries."""
        folder = tempfile.mkdtemp(dir=self.root)
        for name in os.listdir(os.path.dirname(PROGRAM)):
            if name == "dml" or (libraries and re.fullmatch(r"libdml.*\.so", name)):
                shutil.copy(os.path.join(os.path.dirname(PROGRAM), name), folder)
        return os.path.join(folder, "dml")

    def test_same_as_itself(self):
        text = self.compare(PROGRAM, self.copy(True),
                            "--only", "^(faults.rst:36|random-0[0-1]|mistake-unit|order-tic-alexnet)",
                            code=0)
        self.assertRegex(text, r"\nmanual +1 +0 +0 +0\nrandom +2 +0 +0 +0\nmistake +0 +1 +0 +0\n"
                               r"command +1 +0 +0 +0\n")

    def test_a_copy_without_its_library_is_refused(self):
        self.assertIn("both use", self.compare(PROGRAM, self.copy(False), code=2))


if __name__ == "__main__":
    unittest.main()
