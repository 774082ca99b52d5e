#
# Copyright (c) 2026 The dml authors
#
# SPDX-License-Identifier: GPL-2.0-only

"""The studies of synchronisation; each is a module with NAME, RUNS and report(results, picture)."""

from sync_studies import batch_sizes, batch_sizes_seeds, batch_times, full_size, full_size_schemes, learning
from sync_studies import overhead, predictions
from sync_studies import scaling, shared_cpus, shared_cpus_engines, update_time

LABEL = "sync-studies"
STUDIES = {study.NAME: study for study in (
    batch_times, batch_sizes, batch_sizes_seeds, update_time, learning, shared_cpus, shared_cpus_engines,
    predictions, overhead, scaling, full_size, full_size_schemes)}
