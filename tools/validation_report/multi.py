#
# Copyright (c) 2026 The dml authors
#
# SPDX-License-Identifier: GPL-2.0-only

"""Reads the results of scenarios/multi-ps."""

import os

from testbed_compare.errors import InputError
from testbed_compare.tables import JsonFile
from validation_report.study import ENGINES, SERVERS_KEY, read_cases, throughput

QUEUE_KEY = "network.queue"
RULE_KEY = "fair_share.sharing"
RULES = ("equal", "max-min", "fifo")


def read(folder):
    """Errors of fair-share against packet by rule: {queue, servers, workers, rule, error}."""
    path = os.path.join(folder, "summary.json")
    file = JsonFile(path)
    entries = []
    for key, case, variant in read_cases(file):
        rule = variant.get(RULE_KEY)
        if rule not in RULES:
            file.fail(f"{key}.variant.{RULE_KEY}", rule, " or ".join(RULES))
        fair_share, packet = (throughput(file, key, case, engine) for engine in ENGINES)
        if fair_share and packet:
            entries.append({"queue": "fair" if "fair" in variant.get(QUEUE_KEY, "") else "fifo",
                            "servers": case["parameter_servers"], "workers": case["workers"],
                            "rule": rule, "error": fair_share / packet - 1})
    if not entries:
        raise InputError(f"{path}: no case was run with both engines")
    entries.sort(key=lambda entry: RULES.index(entry["rule"]))
    return entries
