#
# Copyright (c) 2026 The dml authors
#
# SPDX-License-Identifier: GPL-2.0-only

"""The machine that measures: what a reader has to know of it."""

import datetime
import os
import platform
import re
import subprocess


def _first_match(path, pattern):
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            found = re.search(pattern, file.read(), re.MULTILINE)
    except OSError:
        return None
    return found[1].strip() if found else None


def _output(*command):
    """The first line that a command prints, or None."""
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        return None
    lines = done.stdout.splitlines()
    return lines[0].strip() if lines else None


def _memory_gigabytes():
    kibibytes = _first_match("/proc/meminfo", r"^MemTotal:\s*(\d+)")
    return round(int(kibibytes) * 1024 / 1e9, 1) if kibibytes else None


def is_busy(machine):
    """Whether others use the processors so much that wall times mean little."""
    return machine["load_average"] > machine["cores"] / 2


def describe(root, build):
    """Facts as JSON: hardware, system, what was built and with what; None where not known."""
    cache = os.path.join(build, "CMakeCache.txt")
    compiler = _first_match(cache, r"^CMAKE_CXX_COMPILER:[A-Z]+=(.*)$")
    return {
        "date": datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds"),
        "cpu": _first_match("/proc/cpuinfo", r"^model name\s*:\s*(.*)$"),
        "cores": len(os.sched_getaffinity(0)),
        "memory_gb": _memory_gigabytes(),
        "load_average": round(os.getloadavg()[0], 2),
        "system": _first_match("/etc/os-release", r'^PRETTY_NAME="?([^"\n]*)'),
        "kernel": platform.release(),
        "compiler": _output(compiler, "--version") if compiler else None,
        "build": os.path.basename(build),
        "build_type": _first_match(cache, r"^CMAKE_BUILD_TYPE:[A-Z]+=(.*)$"),
        "version": _first_match(os.path.join(root, "VERSION"), r"^(\S+)"),
        "commit": _output("git", "-C", root, "rev-parse", "--short=12", "HEAD"),
        "changed": _output("git", "-C", root, "status", "--porcelain", "-uno") is not None,
    }
