#
# Copyright (c) 2026 The dml authors
#
# SPDX-License-Identifier: GPL-2.0-only

"""How far two workers that start together are apart in each step: from steps.csv."""

import os
import statistics

from fidelity.windows import complete_rows

COLUMNS = ("variant", "workers", "engine", "replication", "worker", "step", "start")


def read(folder, wanted):
    """{(variant, engine): {step: mean time between the starts of two workers, in ms}} of the runs
    with two workers whose variant's text `wanted` accepts."""
    starts = {}
    for row in complete_rows(os.path.join(folder, "steps.csv"), COLUMNS):
        if row["workers"] == "2" and wanted(row["variant"]):
            key = row["variant"], row["engine"], row["replication"], int(row["step"])
            starts.setdefault(key, {})[row["worker"]] = float(row["start"])
    apart = {}
    for (variant, engine, _, step), workers in starts.items():
        if len(workers) == 2:
            apart.setdefault((variant, engine), {}).setdefault(step, []).append(
                1000 * abs(workers["0"] - workers["1"]))
    return {key: {step: statistics.fmean(values) for step, values in steps.items()}
            for key, steps in apart.items()}
