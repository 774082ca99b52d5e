# Copyright (c) 2026 The dml authors
#
# SPDX-License-Identifier: GPL-2.0-only

"""What both programs cost: instructions, by callgrind, and peak memory."""

import collections
import os
import re
import shutil
import subprocess
import sys
import tempfile

from compare_results.side import PREFIX, write_files
from compare_results.study import settings
from testbed_compare.errors import InputError, PredictionError

BUDGET = 0.02  # more than before
ENGINES = ("fair-share", "packet")
# What is compared unless --only names others: packets of 1500 bytes, a barrier with batch-size
# control, and orders of transfers in a sweep.
DEFAULT = "^(alexnet-1gbps/full|lb-bsp|transfer-order)$"
# A process that forks hands its count on to the new one; after a dump it is 0 again.
CALLGRIND = ("valgrind", "--tool=callgrind", "--dump-before=fork")
SUMMARY = re.compile(r"^summary: (\d+)$", re.MULTILINE)
RUNS = 3  # the smallest peak of so many, which varies by some pages
# A small process between: a new process begins with the peak of the one that starts it.
PEAK = ("import resource, subprocess, sys\n"
        "code = subprocess.call(sys.argv[1:], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)\n"
        "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)\n"
        "sys.exit(code)\n")


def compare(studies, sides):
    """Prints a row for each study, engine and measure. @return whether all are within the budget"""
    if not shutil.which("valgrind"):
        raise InputError("valgrind is missing (Debian package valgrind)")
    print(f"{'':24} {'engine':10}  {'measure':12} {'before':>10} {'after':>10}  ratio", flush=True)
    within = True
    for study in studies:
        for engine in ENGINES:
            before, after = ({**instructions(side, study, engine),
                              "peak RSS, MB": peak(side, study, engine) / 1e6} for side in sides)
            for name, value in before.items():
                ratio = after[name] / value if value else 1
                over = ratio > 1 + BUDGET
                within = within and not over
                print(f"{study.name:<24} {engine:10}  {name:12} {value:10.1f} {after[name]:10.1f} "
                      f"{ratio:6.3f}{'  OVER' if over else ''}", flush=True)
    return within


def instructions(side, study, engine):
    """Of all processes of a run, and of those that simulate."""
    with tempfile.TemporaryDirectory(prefix=PREFIX) as folder:
        out = "--callgrind-out-file=" + os.path.join(folder, "%p")
        run(side, study, engine, [*CALLGRIND, out])
        counts, parents = collections.Counter(), set()
        for name in os.listdir(folder):
            process, *dump = name.split(".")
            parents.update([process] if dump else [])
            with open(os.path.join(folder, name), encoding="utf-8", errors="replace") as file:
                counts[process] += sum(map(int, SUMMARY.findall(file.read())))
    if not counts:
        raise PredictionError(f"{study.name}: callgrind collected nothing")
    runs = sum(number for process, number in counts.items() if process not in parents)
    return {"10^6 instr.": sum(counts.values()) / 1e6, "of the runs": runs / 1e6}


def peak(side, study, engine):
    """Bytes of the largest process of a run."""
    wrapper = [sys.executable, "-S", "-c", PEAK]
    return min(1024 * int(run(side, study, engine, wrapper).stdout) for _ in range(RUNS))


def run(side, study, engine, wrapper):
    """The last command of a study with one engine and no plots, by another program."""
    options = [option for option in study.commands[-1] if not option.startswith("--engine=")]
    command = [*wrapper, side.program.path, *options, f"--engine={engine}",
               *settings({"output.plots": "false"})]
    with tempfile.TemporaryDirectory(prefix=PREFIX) as folder:
        write_files(folder, study.files)
        done = subprocess.run(command, cwd=folder, env=side.environment, stdin=subprocess.DEVNULL,
                              capture_output=True, text=True, check=False)
    if done.returncode != 0:
        last = "\n  ".join(done.stderr.splitlines()[-5:])
        raise PredictionError(f"{study.name}: {side.program.path} ended with status "
                              f"{done.returncode}:\n  {last}")
    return done
