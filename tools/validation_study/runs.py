#
# Copyright (c) 2026 The dml authors
#
# SPDX-License-Identifier: GPL-2.0-only

"""Runs a scenario into a folder, or the rest of it if it was killed."""

import os
import subprocess
import sys

from dml import Results
from validation_study.settings import ROOT


def is_finished(folder):
    return Results(folder).finished


def run(program, scenario, folder, jobs, settings, engine="both"):
    """Does what is left of the scenario with these KEY=VALUE; exits if the program fails."""
    if is_finished(folder):
        print("%s: done before" % folder)
        return
    options = ["--set=" + text for text in settings]
    if os.path.exists(os.path.join(folder, "unfinished")):
        options.append("--resume")
    print("%s ..." % folder, flush=True)
    os.makedirs(folder, exist_ok=True)
    with open(os.path.join(folder, "log.txt"), "a") as log:
        status = subprocess.run(
            [program, "run", scenario, "--out=" + folder, "--jobs=%d" % jobs,
             "--engine=" + engine] + options,
            stdout=log,
            stderr=subprocess.STDOUT,
            env=dict(os.environ, DML_ROOT=ROOT),
        ).returncode
    if status != 0:
        sys.exit("%s: stopped with status %d; see log.txt there" % (folder, status))
    print("  %.0f s" % Results(folder).summary["timing"]["wall_seconds"])
