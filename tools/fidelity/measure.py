#
# Copyright (c) 2026 The dml authors
#
# SPDX-License-Identifier: GPL-2.0-only

"""The study that makes doc/data/real-runs.csv: all real runs that it lacks, on an idle machine. It has no page of its own."""

from fidelity import collectives, exchanges, held_out

NAME = "real-runs"
RUNS = (*held_out.MEASURED, *collectives.MEASURED, *exchanges.MEASURED)
