# Copyright (c) 2026 The dml authors
#
# SPDX-License-Identifier: GPL-2.0-only

"""Runs a study with one program."""

import contextlib
import os
import subprocess
import tempfile
import time

from compare_results import result_files
from compare_results.study import as_bytes

PREFIX = "compare-results-"
CPU_LIMIT = 60  # s of one process; those of the list take a few
WALL_LIMIT = 3600  # s of one command, which may wait for other work of the machine
# ulimit rather than preexec_fn, which is not safe beside threads. A process at its limit is killed.
LIMITED = ("/bin/sh", "-c", 'ulimit -t "$0" && exec "$@"')
# gnuplot draws the same picture of the same script and data, which are compared, too. This takes its
# place, as drawing would take more time than everything else.
STAND_IN = """#!/bin/sh
# usage: gnuplot --default-settings NAME.gp
echo '<svg xmlns="http://www.w3.org/2000/svg"/>' >"${2%.gp}.svg"
"""


class Outputs(dict):
    """{name: bytes} of what is compared, in the order in which a difference says most. `codes` are exit
    codes, `seconds` is how long the commands took."""

    codes = ()
    seconds = 0.0


@contextlib.contextmanager
def stand_in():
    """A folder with a program gnuplot in it."""
    with tempfile.TemporaryDirectory(prefix=PREFIX) as folder:
        path = os.path.join(folder, "gnuplot")
        with open(path, "w", encoding="ascii") as file:
            file.write(STAND_IN)
        os.chmod(path, 0o755)
        yield folder


class Side:
    """A program and what it needs to run."""

    def __init__(self, program, root, gnuplot, limit=CPU_LIMIT):
        self.program = program
        self._limit = str(limit)
        self.environment = program.environment(
            DML_ROOT=root, PATH=os.pathsep.join([gnuplot, os.environ.get("PATH", os.defpath)]))

    def run(self, study):
        """What the study gives. Only that counts which the study's own files do not hold."""
        with tempfile.TemporaryDirectory(prefix=PREFIX) as folder:
            write_files(folder, study.files)
            start = time.perf_counter()
            done = [self._call(command, folder) for command in study.commands]
            outputs = Outputs()
            outputs.seconds = time.perf_counter() - start
            outputs.codes = tuple(code for code, _, _ in done)
            self._collect(outputs, study, folder, done)
            return outputs

    def _call(self, command, folder):
        """Exit code, standard output and errors."""
        try:
            done = subprocess.run([*LIMITED, self._limit, self.program.path, *command], cwd=folder,
                                  env=self.environment, stdin=subprocess.DEVNULL, check=False,
                                  capture_output=True, timeout=WALL_LIMIT)
        except subprocess.TimeoutExpired:
            return None, b"", b"took more than %d s and was ended\n" % WALL_LIMIT
        return done.returncode, done.stdout, done.stderr

    def _collect(self, outputs, study, folder, done):
        names = {folder: "FOLDER", self.program.path: "PROGRAM"}
        words = [command[0] for command in study.commands]
        titles = [f"{word} {number}" if words.count(word) > 1 else word
                  for number, word in enumerate(words, 1)]
        for title, (code, _, _) in zip(titles, done):
            outputs[f"exit code of {title}"] = b"%a\n" % code
        for title, (_, _, errors) in zip(titles, done):
            outputs[f"stderr of {title}"] = result_files.mask_output(errors, names)
        for path, content in sorted(result_files.read_folder(folder, study.files).items()):
            content = result_files.masked(path, content)
            outputs[path] = result_files.mask_paths(content, names)
        for title, (_, text, _) in zip(titles, done):
            outputs[f"stdout of {title}"] = result_files.mask_output(text, names)


def write_files(folder, files):
    for path, content in files.items():
        full = os.path.join(folder, path)
        os.makedirs(os.path.dirname(full), exist_ok=True)
        with open(full, "wb") as file:
            file.write(as_bytes(content))
