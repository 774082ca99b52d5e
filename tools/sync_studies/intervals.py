#
# Copyright (c) 2026 The dml authors
#
# SPDX-License-Identifier: GPL-2.0-only

"""Means over replications with their 95 % intervals, and how tables write them."""

import statistics

from study_table import half_interval


def ratios(values, baselines=None):
    """(mean, half its interval) of the values; with baselines, of the ratios of pairs."""
    if baselines is not None:
        values = [value / baseline for value, baseline in zip(values, baselines)]
    return statistics.fmean(values), half_interval(values)


def text(interval, digits):
    mean, half = interval
    return f"{mean:.{digits}f} ±{half:.{digits}f}"
