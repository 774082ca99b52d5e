#
# Copyright (c) 2026 The dml authors
#
# SPDX-License-Identifier: GPL-2.0-only

"""What the packet engine takes for 64 and 256 workers."""

import os

import dml
from fabric_study.runs import step_times
from study_memory import peak_memory
from validation_report.tables import simple

STEPS = 2
WORKERS = (64, 256)
COMMON = {"job.scale": 0.05, "job.steps": STEPS, "job.warmup": 1, "replications": 1, "packet.replications": 1,
          "network.multipath": "none", "sweep": {}}
JOBS = {"8 servers": ("multipath/servers.yaml", {}),
        "ring": ("multipath", {"job.all_reduce.algorithm": "ring"}),
        "halving-doubling": ("multipath", {"job.all_reduce.algorithm": "halving-doubling"})}


def size(folder):
    """CPU and memory of a step by number of workers."""
    rows = [["job", "W", "GB a step", "CPU, s a step", "memory, MB"]]
    for job, (scenario, chosen) in JOBS.items():
        for workers in WORKERS:
            name = f"size-{job.replace(' ', '-')}-{workers}"
            settings = {**COMMON, **chosen, "job.workers": workers}
            memory = peak_memory(lambda: step_times(folder, name, scenario, "packet", settings))  # pylint: disable=W0640
            run = dml.Results(os.path.join(folder, f"{name}-packet")).cases[0]["engines"]["packet"]["replications"][0]
            rows.append([job, str(workers), f"{run['simulated_bytes'] / STEPS / 1e9:.2f}",
                         f"{run['timing']['cpu_seconds'] / STEPS:.1f}", f"{memory:.0f}"])
    return {"size": simple(rows[0], rows[1:])}, {}
