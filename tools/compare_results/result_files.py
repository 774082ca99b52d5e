# Copyright (c) 2026 The dml authors
#
# SPDX-License-Identifier: GPL-2.0-only

"""What a study has written, without what may differ from run to run."""

import json
import os
import re

# Keys: what depends on the clock, and which program it was; and the files in which they are.
CLOCK = ("timing",)
PROGRAM = ("program", "checksum of the program")
MASKED = ("summary.json", "study.json")
# What is printed of times that were measured, and of what follows from them.
COSTS = re.compile(rb"wall time: \S+ s|"
                   rb"[-+.\de]+ s of CPU; \S+ (?:[kMGT]? ?ops|[kMGT]?B of tensors) per CPU second|"
                   rb"would take about [^\n]+ of CPU at this speed|"
                   rb"(?:about|at most) [^\n]* of CPU(?:\n +[^\n]* on the clock)?|"
                   rb" +\d+ x \d+ (?:\+-[\d.]+|[<>][\d.]+) %|"  # runs that a budget of CPU time pays for
                   rb"in \S+ s of CPU time \(\S+ MB/s\), peak memory \S+ MB")
# In the commands of a study's cases: a checksum of the scenario, its profiles and the program.
STUDY = re.compile(rb"--study [0-9a-f]{16}")
REPORT = "report.html"  # says which program it was
BUILD = re.compile(rb"\(commit [^)\s]+\)")
# Folder of a study that was interrupted: names of processes, and files as far as they had come.
STATE = "unfinished"


def read_folder(folder, left_out=()):
    """{path: bytes} of all files below a folder, but for those at paths that are left out and the state
    of interrupted studies."""
    files = {}
    for inner, folders, names in os.walk(folder):
        folders[:] = [name for name in folders if name != STATE]
        for name in names:
            path = os.path.join(inner, name)
            short = os.path.relpath(path, folder)
            if short not in left_out and os.path.isfile(path):
                with open(path, "rb") as file:
                    files[short] = file.read()
    return files


def masked(path, content, keys=CLOCK + PROGRAM):
    """The content of a file, with the values of keys put out of sight where the file has them. All other
    bytes stay: spaces and the order of keys must not change either."""
    name = os.path.basename(path)
    if name == REPORT:
        content = BUILD.sub(b"(commit)", content)
    if name not in MASKED:
        return STUDY.sub(b"--study (checksum)", content)
    return mask_keys(content.decode(errors="surrogateescape"), keys).encode(
        errors="surrogateescape")


def mask_keys(text, keys):
    """JSON with null for the values of some keys, wherever they are."""
    pattern = re.compile(r'"(?:' + "|".join(map(re.escape, keys)) + r')"\s*:\s*')
    decoder = json.JSONDecoder()
    parts, place = [], 0
    for found in iter(lambda: pattern.search(text, place), None):
        parts.append(text[place:found.end()])
        try:
            _, place = decoder.raw_decode(text, found.end())
            parts.append("null")
        except ValueError:  # no JSON: compared as it is
            place = found.end()
    return "".join(parts) + text[place:]


def mask_paths(content, names):
    """With words for paths: {path: word}."""
    for path, word in names.items():
        content = content.replace(path.encode(), word.encode())
    return content


def mask_output(content, names):
    """What a program has printed, without times and with words for paths."""
    return COSTS.sub(b"(measured)", mask_paths(content, names))
