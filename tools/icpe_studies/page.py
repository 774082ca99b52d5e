#
# Copyright (c) 2026 The dml authors
#
# SPDX-License-Identifier: GPL-2.0-only

"""The studies of Li et al.'s paper; each is a module with NAME, RUNS and report(results, picture)."""

from icpe_studies import (cloud, end_times, one_step, phases, private_cluster, saturation,
                          small_model)

LABEL = "icpe-studies"
STUDIES = {study.NAME: study for study in (saturation, one_step, small_model, end_times,
                                           private_cluster, phases, cloud)}
