#
# Copyright (c) 2026 The dml authors
#
# SPDX-License-Identifier: GPL-2.0-only

"""The studies of dPRO's paper; each is a module with NAME, RUNS and report(results, picture)."""

from dpro_studies import accuracy, alignment, memory, scale, search, servers, strategies

LABEL = "dpro-studies"
STUDIES = {study.NAME: study for study in (
    memory, accuracy, alignment, strategies, servers, search, scale)}
