# Copyright (c) 2026 The dml authors
#
# SPDX-License-Identifier: GPL-2.0-only

"""What is run on both sides."""

import dataclasses
import hashlib
import json

KINDS = ("scenario", "manual", "random", "mistake", "command")


@dataclasses.dataclass
class Study:
    """Files, and the commands of dml that read them. All paths are relative to one folder."""

    name: str
    kind: str  # one of KINDS
    files: dict  # path: text or bytes
    commands: list  # of lists of arguments of dml
    tags: tuple = ()  # what it covers, in words

    def checksum(self):
        """Of all that its results depend on, but for the program."""
        files = sorted((path, as_bytes(content).hex()) for path, content in self.files.items())
        return hashlib.sha256(json.dumps([files, self.commands]).encode()).hexdigest()


def as_bytes(content):
    return content if isinstance(content, bytes) else content.encode()


def check_and_run(scenario, options=()):
    """The commands for a scenario: both engines, one run at a time."""
    options = ["--engine=both", "--jobs", "1", *options]
    return [["check", scenario, *options], ["run", scenario, *options, "--out", "results"]]


def settings(values):
    """Options that change keys of a scenario."""
    return [part for key, value in values.items() for part in ("--set", f"{key}={value}")]
