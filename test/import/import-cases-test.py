#!/usr/bin/env python3
#
# Copyright (c) 2026 The dml authors
#
# SPDX-License-Identifier: GPL-2.0-only

"""Traces as people have them, each with what is right: a folder of cases/ with the inputs and expect.json.

expect.json has `why`, and a list `runs` of commands that are run one after another in one folder, each with
  command   words after `dml`
  code      its exit code, 0 if not given
  says      texts that its output has, its lines joined; `silent` those that it has not
  result    numbers of the report and of the profile out.yaml, see NUMBERS; a pair is a range
  readonly  true if the command may not write in the folder; of a superuser it is run as nobody
  tolerance relative, of a number of `result` that is no integer; 0.005 if not given
What is right was worked out by hand of how the input was made, never taken from what the program prints.
usage: import-cases-test.py PROGRAM [CASE...]"""

import glob
import json
import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile

try:
    import yaml
except ImportError:
    print("skipped: python3-yaml is not installed")
    sys.exit(77)

VERBOSE = len(sys.argv) > 2  # of cases that are named
CASES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "cases")
NUMBERS = {
    "tensors": "number of tensors",
    "bytes": "their bytes",
    "batch": "samples of a step",
    "device": "name of the first device",
    "steps": "number of steps",
    "step_ms": "mean step of the report",
    "forward_ms": "sum over ops of that kind of the median of their samples; likewise",
    "backward_ms": "",
    "compute_ms": "",
    "update_ms": "",
    "pulls": "number of ops of that kind; likewise",
    "pushes": "",
    "updates": "",
    "ops": "number of ops",
    "workers": "those of the recorded all-reduce",
    "backend": "its library",
    "bucket_bytes": "list, of each bucket",
    "bucket_ms": "list, mean recorded time of each bucket, or null",
}


def measure(text, profile):
    """Numbers of a report, its lines joined, and of a profile."""
    found = {
        "tensors": len(profile["tensors"]),
        "bytes": sum(tensor["bytes"] for tensor in profile["tensors"]),
        "batch": profile["batch_size"],
        "device": profile["devices"][0]["name"],
        "ops": len(profile["ops"]),
    }
    for kind in ("forward", "backward", "compute", "update", "pull", "push"):
        ops = [op for op in profile["ops"] if op["kind"] == kind]
        found[{"push": "pushes"}.get(kind, kind + "s")] = len(ops)
        found[kind + "_ms"] = 1e3 * sum(statistics.median(op.get("samples", [0])) for op in ops)
    if match := re.search(r"steps: (\d+) sampled, (\S+) ms on average", text):
        found["steps"], found["step_ms"] = int(match[1]), float(match[2])
    if match := re.search(r"protocol: all-reduce \(([^)]*)\)(?: of (\d+) workers)?", text):
        found["backend"], found["workers"] = match[1], int(match[2] or 0)
    buckets = profile.get("buckets", [])
    found["bucket_bytes"] = [bucket["bytes"] for bucket in buckets]
    found["bucket_ms"] = [
        1e3 * statistics.mean(bucket["recorded"]) if "recorded" in bucket else None for bucket in buckets
    ]
    return found


def is_near(found, expected, tolerance):
    if isinstance(expected, list) and isinstance(found, list):
        return len(found) == len(expected) and all(
            is_near(f, e, tolerance) for f, e in zip(found, expected)
        )
    if isinstance(expected, list):
        return found is not None and expected[0] <= found <= expected[1]
    if isinstance(expected, float) and isinstance(found, (int, float)):
        return abs(found - expected) <= tolerance * abs(expected) + 1e-9
    return found == expected


def check_run(program, run, folder):
    """What is wrong with one command, as a list of lines."""
    os.chmod(folder, 0o555 if run.get("readonly") else 0o755)
    # Results of the command before do not answer for this one.
    if os.path.exists(os.path.join(folder, "out.yaml")) and "-o out.yaml" in run["command"]:
        os.remove(os.path.join(folder, "out.yaml"))
    done = subprocess.run(
        [program] + run["command"].split(),
        cwd=folder,
        user=65534 if run.get("readonly") and os.geteuid() == 0 else None,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
        errors="replace",
        check=False,
    )
    text = " ".join(done.stdout.split())
    wrong = []
    if done.returncode != run.get("code", 0):
        wrong.append(f"exit code {done.returncode}, expected {run.get('code', 0)}")
    wrong += [f"does not say {words!r}" for words in run.get("says", []) if words not in text]
    wrong += [f"says {words!r}" for words in run.get("silent", []) if words in text]
    if "result" in run and not wrong:
        with open(os.path.join(folder, "out.yaml"), encoding="utf-8") as file:
            found = measure(text, yaml.safe_load(file))
        for name, expected in run["result"].items():
            if name not in NUMBERS:
                raise KeyError(f"{name}: no number that this test knows")
            if not is_near(found.get(name), expected, run.get("tolerance", 0.005)):
                wrong.append(f"{name} is {found.get(name)}, expected {expected}")
    return [f"dml {run['command']}: {line}" for line in wrong] + ([done.stdout] if wrong and VERBOSE else [])


def check_case(program, case):
    with open(os.path.join(case, "expect.json"), encoding="utf-8") as file:
        expect = json.load(file)
    with tempfile.TemporaryDirectory() as folder:
        for name in os.listdir(case):
            shutil.copy(os.path.join(case, name), folder)
        wrong = [line for run in expect["runs"] for line in check_run(program, run, folder)]
        os.chmod(folder, 0o755)
        return wrong


def main():
    program = os.path.abspath(sys.argv[1])
    cases = [os.path.join(CASES, name) for name in sys.argv[2:]] or sorted(glob.glob(os.path.join(CASES, "*")))
    failed = 0
    for case in cases:
        wrong = check_case(program, case)
        failed += bool(wrong)
        print(f"{'FAILED' if wrong else 'ok    '} {os.path.basename(case)}")
        print("".join(f"    {line}\n" for entry in wrong for line in entry.splitlines()), end="")
    print(f"{len(cases)} cases, {failed} failed")
    return 1 if failed or not cases else 0


if __name__ == "__main__":
    sys.exit(main())
