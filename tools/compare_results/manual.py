# Copyright (c) 2026 The dml authors
#
# SPDX-License-Identifier: GPL-2.0-only

"""The YAML examples of the manual that are part of a scenario."""

import os
import re

from compare_results.study import Study, check_and_run

PROFILE = os.path.join("test", "data", "tiny.profile.yaml")
# How many each page has at least: with fewer, some were lost or the pattern below no longer fits.
PAGES = {"networks.rst": 10, "faults.rst": 6, "all-reduce.rst": 6, "sharded.rst": 4, "transports.rst": 3,
         "tcp.rst": 3, "flow-control.rst": 4, "transfer-order.rst": 10, "devices.rst": 3, "synchronisation.rst": 4}
BLOCK = re.compile(r"^\.\. code-block:: yaml\n\n((?:   .*\n|\n)+)", re.MULTILINE)


def blocks(root, page):
    """(line, text) of each example."""
    with open(os.path.join(root, "doc", page), encoding="utf-8") as file:
        text = file.read()
    return [(text.count("\n", 0, match.start(1)) + 1,
             "".join(line[3:] for line in match[1].splitlines(keepends=True)).rstrip() + "\n")
            for match in BLOCK.finditer(text)]


def examples(root, page):
    """(line, scenario) of each: one without `job` goes with the first one, which has only a job."""
    (_, base), *others = blocks(root, page)
    return [(line, text if text.startswith("job:") else base + text) for line, text in others]


def manual_studies(root):
    with open(os.path.join(root, PROFILE), encoding="utf-8") as file:
        profile = file.read()
    return [Study(f"{page}:{line}", "manual", {"scenario.yaml": text, "profile.yaml": profile},
                  check_and_run("scenario.yaml"), (without_job(text),))
            for page in PAGES for line, text in examples(root, page)]


def without_job(text):
    """What an example is about: its last section."""
    keys = re.findall(r"^(\w+):", text, re.MULTILINE)
    return next((key for key in reversed(keys) if key not in ("job", "replications")), "job")
