#
# Copyright (c) 2026 The dml authors
#
# SPDX-License-Identifier: GPL-2.0-only

"""What it costs that eight workers share a network card."""

from fabric_study.runs import DRAWN, step_times
from validation_report.tables import simple

ALGORITHMS = ("ring", "halving-doubling", "hierarchical")
PER_HOST = (1, 8)


def hosts(folder):
    """Times of steps by how many workers share a host."""
    rows = [["workers on a host", "engine", *ALGORITHMS]]
    spent = 0.0
    for per_host in PER_HOST:
        for engine in ("fair-share", "burst", "packet"):
            times, cpu, _ = step_times(folder, f"hosts-{per_host}", "shared-hosts", engine,
                                       {**DRAWN, "sweep.job.workers_per_host": f"[{per_host}]", "packet.replications": 2})
            spent += cpu
            rows.append([str(per_host), engine, *(f"{time:.2f}" for time in times)])
    return {"hosts": simple(rows[0], rows[1:])}, {"hosts-cpu": f"{spent / 60:.1f}"}
