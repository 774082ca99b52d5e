#
# Copyright (c) 2026 The dml authors
#
# SPDX-License-Identifier: GPL-2.0-only

"""The program: where it is, and its commands."""

import json
import os
import shutil
import subprocess
import tempfile

from dml.results import Results, read_csv

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


class Error(Exception):
    """What the program said when it refused or failed. `code` is 2 for bad input, 1 for a failure, below 0
    if a signal ended it."""

    def __init__(self, text, code=2):
        super().__init__(text)
        self.code = code


def find_program():
    """The program of $DML_PROGRAM, else the command ./dml of the repository that this package is in,
    which builds it if need be, else the one in PATH."""
    named = os.environ.get("DML_PROGRAM")
    if named:
        return named
    own = os.path.join(ROOT, "dml")
    if os.access(own, os.X_OK) and os.path.isfile(own):
        return own
    found = shutil.which("dml")
    if found is None:
        raise Error("there is no program dml; accepted: its path in DML_PROGRAM, or in PATH")
    return found


def execute(*arguments, program=None):
    """Runs a command such as execute("check", "my-study"); what it printed, or Error."""
    command = [program or find_program(), *map(str, arguments)]
    own = {"DML_ROOT": ROOT} if os.path.exists(os.path.join(ROOT, "dml")) else {}
    try:
        done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True,
                              errors="replace", check=False, env={**own, **os.environ})
    except OSError as error:
        raise Error(f"{command[0]}: cannot be run: {error.strerror}") from error
    if done.returncode != 0:
        text = (done.stderr.strip() or done.stdout.strip()
                or f"dml ended with status {done.returncode}")
        raise Error(text.removeprefix("dml: "), done.returncode)
    return done.stdout


def write_value(value):
    """A value of Python or numpy as --set takes it: JSON is YAML, but text is as it is."""
    def convert(other):
        return other.tolist() if hasattr(other, "tolist") else list(other)
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=convert)


def write_settings(settings):
    """Options of a dict of key paths and values."""
    return [f"--set={key}={write_value(value)}" for key, value in (settings or {}).items()]


def run(scenario, out, engine="both", settings=None, *, jobs=None, force=False, resume=False,
        plugins=(), program=None):
    """Runs a study, and reads its results.

    scenario: path of the file, or of a folder with a scenario.yaml
    out: folder of the results
    engine: "fair-share", "packet", "host", "both" or "all"
    settings: values for keys of the scenario by path, such as {"job.workers": [1, 2]}; a sweep as
        {"sweep": {"network.rate": ["1Gbps", "10Gbps"]}}; text is YAML as in a scenario, such as "{ssp: 3}",
        so that a name with ": " or " #" needs quotes in it
    jobs: runs at a time; None: one for each core
    force: replaces the results of another study in that folder
    resume: goes on with what was interrupted
    plugins: shared libraries with policies and transports of one's own
    program: path of the program; None: find_program()

    Raises Error with the message of the program if it refuses or fails."""
    options = ["--engine", engine, "--out", out, *write_settings(settings)]
    options += ["--jobs", jobs] if jobs else []
    options += ["--force"] if force else []
    options += ["--resume"] if resume else []
    options += [f"--plugin={path}" for path in plugins]
    execute("run", scenario, *options, program=program)
    return Results(out)


def compare(one, other, program=None):
    """Two results (Results, or paths of their folders) side by side: a DataFrame with a row for each
    configuration and engine that both have. `difference` is other / one - 1, between `low` and
    `high`: a 95 % interval, with fewer than four `pairs` the least and the greatest of them; `significant` says
    whether there is an interval and 0 is not in it. `a_min`, `a_max`, `b_min` and `b_max` are those of throughputs,
    `a_half_width` and `b_half_width` of their intervals (none below four replications)."""
    paths = [each.folder if isinstance(each, Results) else each for each in (one, other)]
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "comparison.csv")
        execute("compare", *paths, "-o", path, program=program)
        table = read_csv(path)
    table["significant"] = table["significant"].astype(bool)
    return table
