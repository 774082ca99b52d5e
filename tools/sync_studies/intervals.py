#
# Copyright (c) 2026 The dml authors
#
# SPDX-License-Identifier: GPL-2.0-only

"""How the page writes means with their intervals, and ranges."""

from study_intervals import Mean


def text(mean, digits):
    return mean.text(digits, mark="±")


def several(values, digits, sign=""):
    """The mean of values with its interval, or the only one."""
    return (Mean.of(values).text(digits, 1, sign, "±") if len(values) > 1
            else f"{values[0]:{sign}.{digits}f}")


def percent(ratio, digits=1):
    return ratio.text(digits, 100, mark="±")


def change(ratio):
    """Of a mean ratio less 1, signed, in per cent."""
    return ratio.less(1).text(1, 100, "+", "±")


def span(values, digits=0):
    """From the least to the largest of a few values, or the only one."""
    low, high = (f"{value:.{digits}f}" for value in (min(values), max(values)))
    return low if low == high else f"{low} to {high}"
