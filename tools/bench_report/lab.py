#
# Copyright (c) 2026 The dml authors
#
# SPDX-License-Identifier: GPL-2.0-only

"""Runs the programs that measure. Each prints one JSON object in one line."""

import json
import os
import re
import shlex
import shutil
import subprocess
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor

from bench_report.errors import MeasurementError, Unavailable
from bench_report.sample import Sample

COLLECTED = re.compile(r"^==\d+== Collected : (\d+)", re.MULTILINE)
# So that set-up is not counted.
CALLGRIND = ("valgrind", "--tool=callgrind", "--toggle-collect=ns3::Simulator::Run()")
PREFIX = "dml-bench-"
TEMPORARY = re.compile(re.escape(os.path.join(tempfile.gettempdir(), PREFIX)) + r"\w+")
TAIL = 5  # lines of the output of a program that failed


class Lab:
    """The programs of a build, and what they have measured so far.

    Rows that look at the same runs share them: they are made once."""

    def __init__(self, root, build, quick):
        self.root = root
        self.build = build
        self.quick = quick
        self.commands = []  # that were run since this was emptied
        self._done = {}

    def scaled(self, full, quick):
        """One of two sizes: for a measurement, or for a test of the command."""
        return quick if self.quick else full

    def program(self, name, folder=None):
        """Path of a benchmark program of a build."""
        path = os.path.join(folder or self.build, "bench", name)
        if not os.access(path, os.X_OK):
            raise Unavailable(f"{name} is not built")
        return path

    def once(self, key, measure):
        """What measure() returns, or returned when it was first called for this key."""
        if key not in self._done:
            before = self.commands
            self.commands = []
            try:
                self._done[key] = measure(), self.commands
            except MeasurementError as error:
                self._done[key] = error, self.commands
            finally:
                self.commands = before
        value, commands = self._done[key]
        self.commands += [command for command in commands if command not in self.commands]
        if isinstance(value, MeasurementError):
            raise value
        return value

    def measure(self, program, *options, folder=None, preload=None):
        """The JSON object that a benchmark program prints, with this library before others."""
        command = [self.program(program, folder), *options]
        text = self._run(["env", "LD_PRELOAD=" + preload, *command] if preload else command).stdout
        try:
            return json.loads(text)
        except ValueError:
            raise MeasurementError(f"{program}: no JSON in its output: {text[:80]!r}") from None

    def pairs(self, count, first, second):
        """`count` pairs of what two functions measure, in turns; which one begins alternates."""
        pairs = []
        for number in range(count):
            if number % 2:
                later = second()
                pairs.append((first(), later))
            else:
                pairs.append((first(), second()))
        return pairs

    def instructions(self, *commands):
        """The instructions that simulations take, by callgrind; of several commands at a time."""
        if not shutil.which("valgrind"):
            raise Unavailable("valgrind is missing (Debian package valgrind)")
        # counts do not depend on what else the machine does
        with ThreadPoolExecutor(max_workers=len(os.sched_getaffinity(0))) as pool:
            return list(pool.map(self._count, commands))

    def _count(self, command):
        with tempfile.TemporaryDirectory(prefix=PREFIX) as folder:
            out = "--callgrind-out-file=" + os.path.join(folder, "callgrind.out")
            done = self._run([*CALLGRIND, out, self.program(command[0]), *command[1:]])
        found = COLLECTED.search(done.stderr)
        if not found or int(found[1]) == 0:
            raise MeasurementError(f"{command[0]}: callgrind collected nothing")
        return int(found[1])

    def tcmalloc(self):
        """Path of the library that allocates for `dml`."""
        program = os.path.join(self.build, "dml")
        linked = subprocess.run(["ldd", program], capture_output=True, text=True, check=False).stdout
        found = re.search(r"libtcmalloc\S* => (\S+)", linked)
        if not found:
            raise Unavailable("the program dml is built without tcmalloc (Debian package libgoogle-perftools-dev)")
        return found[1]

    def wall_seconds(self, *options):
        """How long `dml` takes."""
        program = os.path.join(self.build, "dml")
        if not os.access(program, os.X_OK):
            raise Unavailable("the program dml is not built")
        start = time.perf_counter()
        self._run([program, *options], env=dict(os.environ, DML_ROOT=self.root))
        return time.perf_counter() - start

    def loop(self, name):
        """The sample of an inner loop, in things per CPU second. All of them run at once."""
        def measure():
            done = self._run([self.program("dml-bench-loops"), "--benchmark_format=json",
                              f"--benchmark_min_time={self.scaled('0.1', '0.001')}",
                              f"--benchmark_repetitions={self.scaled(5, 2)}",
                              "--benchmark_enable_random_interleaving=true"])
            try:
                runs = json.loads(done.stdout)["benchmarks"]
            except (ValueError, KeyError):
                raise MeasurementError("dml-bench-loops: no list of benchmarks in its output: "
                                       f"{done.stdout[:80]!r}") from None
            values, errors = {}, {}
            for run in runs:
                rate = run.get("items_per_second") or run.get("bytes_per_second")
                if run.get("error_occurred"):
                    errors[run["run_name"]] = run["error_message"]
                elif run["run_type"] == "iteration" and rate:
                    values.setdefault(run["run_name"], []).append(rate)
            return values, errors
        values, errors = self.once("loops", measure)
        if name in errors or name not in values:
            raise MeasurementError(f"{name}: {errors.get(name, 'dml-bench-loops has none')}")
        return Sample(tuple(values[name]))

    def _run(self, command, env=None):
        shown = shlex.join(str(part) for part in command).replace(self.root + os.sep, "")
        shown = TEMPORARY.sub("FOLDER", shown)
        if shown not in self.commands:
            self.commands.append(shown)
        done = subprocess.run([str(part) for part in command], capture_output=True, text=True,
                              check=False, env=env)
        if done.returncode != 0:
            last = "\n  ".join((done.stderr or done.stdout).splitlines()[-TAIL:])
            raise MeasurementError(f"{shown}: ended with status {done.returncode}:\n  {last}")
        return done
