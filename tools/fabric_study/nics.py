#
# Copyright (c) 2026 The dml authors
#
# SPDX-License-Identifier: GPL-2.0-only

"""What more network cards are worth to eight workers on a host, by what these send."""

from fabric_study.runs import DRAWN, step_times
from validation_report.tables import simple

CARDS = (1, 2, 4, 8)
ENGINES = ("fair-share", "burst", "packet")
SERVERS = {"job.protocol": "run-graph", "job.parameter_servers": 8, "job.sync": "bsp", "job.step_jitter": "0s",
           "job.gradient_groups": "off", "job.server_devices": "gpu"}
PATTERNS = {"ring": {"job.all_reduce.algorithm": "ring"},
            "halving-doubling": {"job.all_reduce.algorithm": "halving-doubling"},
            "hierarchical": {"job.all_reduce.algorithm": "hierarchical"},
            "8 servers": SERVERS}


def nics(folder):
    """Times of steps by the number of network cards of a host."""
    spent = 0.0
    found = {}
    for pattern, chosen in PATTERNS.items():
        for engine in ENGINES:
            settings = {**DRAWN, **chosen, "job.workers_per_host": 8, "replications": 1, "packet.replications": 1,
                        "sweep": {"network.nics_per_host": list(CARDS)}}
            found[pattern, engine], cpu, _ = step_times(folder, f"nics-{pattern.replace(' ', '-')}", "shared-hosts", engine,
                                                        settings)
            spent += cpu
    rows = [["network cards", "engine", *PATTERNS]]
    for place, cards in enumerate(CARDS):
        for engine in ENGINES:
            rows.append([str(cards), engine, *(f"{found[pattern, engine][place]:.2f}" for pattern in PATTERNS)])
    off = max(abs(found[pattern, engine][place] / found[pattern, "packet"][place] - 1)
              for pattern, engine in found for place in range(len(CARDS)))
    return {"nics": simple(rows[0], rows[1:])}, {"nics-cpu": f"{spent / 60:.1f}", "nics-off": f"{100 * off:.1f}"}
