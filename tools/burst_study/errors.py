#
# Copyright (c) 2026 The dml authors
#
# SPDX-License-Identifier: GPL-2.0-only

"""Errors of throughputs that unpaired samples have, and how tables write them."""

import math

from study_intervals import Mean


def logarithms(runs):
    return [math.log(run["throughput"]) for run in runs if run["throughput"]]


def mean_error(predicted, measured):
    """Per cent by which throughputs are predicted too high, and both ends of its 95 % interval, for the geometric means of
    two unpaired samples, given as logarithms."""
    error = Mean.of_difference(predicted, measured)
    return tuple(100 * (math.exp(end) - 1) for end in (error.value, error.low, error.high))


def text_of(error, low, high):
    return f"{error:+.1f} ({low:+.1f}..{high:+.1f})" + ("" if low > 0 or high < 0 else " ?")
