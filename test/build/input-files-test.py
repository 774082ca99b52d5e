#!/usr/bin/env python3
#
# Copyright (c) 2026 The dml authors
#
# SPDX-License-Identifier: GPL-2.0-only

"""Whatever `dml check` accepts, `dml run` runs, with the same results: every kind of file that a scenario
names or that commands read beside one, plain and gzipped, with a byte order mark and with the line ends of
Windows, in folders with names that are none of ASCII, UTF-8 or without blanks.

DML_PROGRAM names the program; without it nothing runs (exit code 77)."""

import gzip
import os
import re
import subprocess
import sys
import tempfile
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
PROFILE = os.path.join(os.path.dirname(HERE), "data", "tiny.profile.yaml")
PROGRAM = os.environ.get("DML_PROGRAM")
# durations of an op, which become a column of a file
SAMPLES = re.compile(rb"name: ([^,]+),.* samples: \[(.*)\]")
OWN = re.compile(rb", samples: \[.*\]")
MARK = b"\xef\xbb\xbf"

SCENARIO = b"""job:
  profile: profile.yaml
  workers: 2
  parameter_servers: 2
  steps: 4
  warmup: 1
  devices:
    fast: {trace: {file: speeds.csv, repeat: 50ms}}
    shared: {trace: {file: usage.csv, repeat: 1h, usage: {time: t, cpu: cpu, memory: mem, machine: id, only: m_1}}}
  worker_devices: [fast, shared]
other_jobs:
  - {profile: other.yaml, workers: 1, parameter_servers: 1, start: together}
replications: 1
output: {plots: false}
"""
FILES = {
    b"scenario.yaml": SCENARIO,
    b"speeds.csv": b"time,speed\n0,1\n0.01,0.4\n0.02,0.9\n",
    b"usage.csv": b"id,t,cpu,mem\nm_1,0,40,30\nm_2,0,90,90\nm_1,10,80,20\nm_1,20,10,10\n",
    b"fused.csv": b"first,second,seconds\nforward/conv,forward/fc,0.003\n",
    b"points.csv": b"workers,throughput\n1,350\n2,600\n3,700\n",
}


def with_lines_of_windows(content):
    return content.replace(b"\n", b"\r\n")


FORMS = {
    "plain": lambda content: content,
    "gzipped": lambda content: gzip.compress(content, mtime=0),
    "mark": lambda content: MARK + content,
    "lines of Windows": with_lines_of_windows,
    "all of it": lambda content: gzip.compress(MARK + with_lines_of_windows(content), mtime=0),
}
FOLDERS = (b"two words", "a\u00e4\u4e16 \U0001f600".encode(), b"of another time \xe4\xff", b"#1: {a}, 'b' \"c\"")


class InputFiles(unittest.TestCase):
    """Files that a scenario of its own names, one of each kind."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = os.fsencode(folder.name)
        with open(PROFILE, "rb") as file:
            profile = file.read()
        samples = {name: values for name, values in SAMPLES.findall(profile)}
        rows = [b",".join(samples)] + [b",".join(row) for row in zip(
            *(values.split(b", ") for values in samples.values()))]
        self.files = {**FILES, b"other.yaml": profile, b"samples.csv": b"\n".join(rows) + b"\n",
                      b"profile.yaml": OWN.sub(b"", profile).replace(
                          b"ops:", b"samples: samples.csv\nops:")}

    def write(self, place, changed=None, form=FORMS["plain"]):
        """A folder with all files, of which one has another form."""
        folder = os.path.join(self.root, place)
        os.makedirs(folder)
        for name, content in self.files.items():
            with open(os.path.join(folder, name), "wb") as file:
                file.write(form(content) if name == changed or changed == "all" else content)
        return folder

    def call(self, folder, *arguments):
        done = subprocess.run([PROGRAM, *arguments], cwd=folder, stdin=subprocess.DEVNULL,
                              capture_output=True, timeout=1800, check=False)
        return done.returncode, done.stdout + done.stderr

    def works(self, folder, *arguments):
        code, text = self.call(folder, *arguments)
        self.assertEqual(code, 0, (arguments, text))
        return text

    def steps(self, folder):
        """What check accepts, run runs."""
        self.works(folder, "check", "scenario.yaml")
        self.works(folder, "run", "scenario.yaml", "--engine=fair-share", "--out", "results")
        with open(os.path.join(folder, b"results", b"steps.csv"), "rb") as file:
            return file.read()

    def test_every_file_in_every_form(self):
        wanted = self.steps(self.write(b"wanted"))
        for name in (b"scenario.yaml", b"profile.yaml", b"samples.csv", b"speeds.csv", b"usage.csv", b"other.yaml"):
            for title, form in FORMS.items():
                with self.subTest(file=name, form=title):
                    self.assertEqual(self.steps(self.write(name + title.encode(), name, form)), wanted)

    def test_files_of_commands(self):
        plain = self.write(b"wanted")
        self.works(plain, "run", "scenario.yaml", "--set", "other_jobs=[]", "--out", "results")
        self.works(plain, "import", "job", "results", "--engine=fair-share", "-o", "job.yaml")
        with open(os.path.join(plain, b"job.yaml"), "rb") as file:
            self.files[b"job.yaml"] = file.read()
        ring = ("--set", "job.protocol=all-reduce", "--set", "job.parameter_servers=0",
                "--set", "other_jobs=[]")
        commands = (("order", "profile.yaml"), ("memory", "profile.yaml"), ("replay", "job.yaml"),
                    ("why", "job.yaml"), ("fit-server", "scenario.yaml", "points.csv", "--cores=1"),
                    ("optimize", "scenario.yaml", "--fused=fused.csv", "--check=none", *ring))
        wanted = [self.call(plain, *command) for command in commands]
        for title, form in FORMS.items():
            folder = self.write(title.encode(), "all", form)
            for command, result in zip(commands, wanted):
                with self.subTest(command=command, form=title):
                    code, text = self.call(folder, *command)
                    self.assertEqual((code, text if code else ""), (result[0], result[1] if code else ""))

    def test_folders_of_every_name(self):
        wanted = self.steps(self.write(b"wanted"))
        for number, name in enumerate(FOLDERS):
            with self.subTest(folder=name):
                folder = self.write(name)
                self.assertEqual(self.steps(folder), wanted)
                # from elsewhere, by its path
                scenario = os.path.join(name, b"scenario.yaml")
                results = os.path.join(name, b"from outside")
                self.works(self.root, "check", scenario)
                self.works(self.root, "run", scenario, "--out", results, "--engine=fair-share")
                self.works(self.root, "why", results)
                self.works(self.root, "compare", results, os.path.join(name, b"results"))
                self.works(self.root, "import", "job", results, "-o", b"job%d.yaml" % number)


if __name__ == "__main__":
    if not PROGRAM:
        sys.exit(77)
    unittest.main()
