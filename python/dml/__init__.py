#
# Copyright (c) 2026 The dml authors
#
# SPDX-License-Identifier: GPL-2.0-only

"""Runs scenarios of dml, and reads their results.

    import dml
    results = dml.run("scenarios/alexnet-1gbps", engine="fair-share", out="results/mine",
                      settings={"network.rate": "10Gbps", "job.workers": [1, 2, 4]})
    results.table("throughput").pivot_table("throughput", "workers", "engine")

Nothing but table() needs pandas."""

from dml.program import Error, compare, execute, find_program, run
from dml.results import Picture, Results

__all__ = ["Error", "Picture", "Results", "compare", "execute", "find_program", "run"]
