#
# Copyright (c) 2026 The dml authors
#
# SPDX-License-Identifier: GPL-2.0-only

"""The studies of synchronisation; each is a module with NAME, RUNS and report(results, picture)."""

from sync_studies import batch_sizes, batch_times, full_size, learning, overhead, predictions, scaling
from sync_studies import shared_cpus, update_time

LABEL = "sync-studies"
STUDIES = {study.NAME: study for study in (batch_times, batch_sizes, update_time, learning, shared_cpus,
                                           predictions, overhead, scaling, full_size)}
