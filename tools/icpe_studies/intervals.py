#
# Copyright (c) 2026 The dml authors
#
# SPDX-License-Identifier: GPL-2.0-only

"""The intervals that all studies share."""

from study_intervals import Mean

__all__ = ["Mean"]
