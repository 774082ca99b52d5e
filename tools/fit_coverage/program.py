# Copyright (c) 2026 The dml authors
#
# SPDX-License-Identifier: GPL-2.0-only

"""The program that is examined, and what it prints."""

import os
import re
import subprocess

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
NUMBER = r"([-+.\de]+|inf)"
INTERVAL = re.compile(rf"95 %: (?:{NUMBER} to {NUMBER}|at least {NUMBER}|at most {NUMBER}|anything)")


class RunError(Exception):
    """A text for the user."""


class Result:
    """What a fit says of one key: told or refused, and whether its interval holds the truth."""

    def __init__(self, line, truth):
        found = INTERVAL.search(line)
        if not found:
            raise RunError(f"no interval in: {line}")
        low, high, least, most = (float(end) if end else None for end in found.groups())
        self.low = low if low is not None else least if least is not None else 0.0
        self.high = high if high is not None else most if most is not None else float("inf")
        self.told = not line.lstrip().startswith("#")
        # Ends are printed with six digits.
        self.holds = self.low * (1 - 5e-6) <= truth <= self.high * (1 + 5e-6)
        self.width = (self.high - self.low) / truth if truth > 0 else float("nan")
        self.truth = truth

    def __repr__(self):
        return (f"{'told' if self.told else 'refused'} {self.truth:.6g} "
                f"{'in' if self.holds else 'NOT IN'} [{self.low:.6g}, {self.high:.6g}]")


class Program:
    """Runs dml."""

    def __init__(self, path):
        self.path = path

    def call(self, *arguments, accepted=(0,)):
        """Exit code, standard output and errors of the program."""
        try:
            done = subprocess.run([self.path, *arguments], stdin=subprocess.DEVNULL,
                                  capture_output=True, text=True, check=False,
                                  env=dict(os.environ, DML_ROOT=ROOT))
        except OSError as error:
            raise RunError(f"{self.path}: {error}; accepted: a program that is built") from None
        if done.returncode not in accepted:
            raise RunError(f"{' '.join([self.path, *arguments])}: {done.stderr}")
        return done.returncode, done.stdout, done.stderr

    def fit(self, truth, *arguments):
        """What the fit says of the keys whose true values are given; {} if it says nothing."""
        code, out, error = self.call("fit-overhead", *arguments, accepted=(0, 2))
        if code:
            if "tell neither rate nor parsing" not in error:
                raise RunError(error)
            return {}
        keys = {}
        for line in out[out.index("for a scenario:"):].splitlines():
            name = re.match(r"\s*(?:# )?(alpha|beta|network|parallel):", line)
            if name and name[1] == "parallel":
                told = not line.lstrip().startswith("#")
                value = line.split()[1] == "true" if told else None
                keys["parallel"] = value
            elif name:
                key = "rate" if name[1] == "network" else name[1]
                keys[key] = Result(line, truth[key])
        return keys
