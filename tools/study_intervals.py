#
# Copyright (c) 2026 The dml authors
#
# SPDX-License-Identifier: GPL-2.0-only

"""Means over replications with their 95 % intervals (Student's t), and how tables write them."""

import math
import statistics
from dataclasses import dataclass

from study_table import half_interval


@dataclass(frozen=True)
class Mean:
    """Of values of independent replications."""

    value: float
    half: float | None  # half of the 95 % interval; None for one replication

    @staticmethod
    def of(values):
        values = list(values)
        return Mean(statistics.fmean(values), half_interval(values) if len(values) > 1 else None)

    @staticmethod
    def of_pairs(values, baselines):
        """value / baseline over pairs of replications with the same seed: the arithmetic mean."""
        return Mean.of(value / baseline for value, baseline in zip(values, baselines, strict=True))

    @staticmethod
    def of_gains(after, before):
        """after / before - 1 over such pairs, the arithmetic mean: what rates gain, or by how much times are
        longer. For what is gained by shorter times, give the times before as `after`."""
        return Mean.of_pairs(after, before).less(1)

    @staticmethod
    def of_ratios(after, before):
        """after / before - 1 over such pairs: the geometric mean."""
        logs = Mean.of(math.log(last / first) for last, first in zip(after, before, strict=True))
        low, high = (math.exp(logs.value + side * logs.half) for side in (-1, 1))
        return Mean(math.exp(logs.value) - 1, (high - low) / 2)

    @property
    def certain(self):
        """Whether 0 is outside of the interval."""
        return self.half is not None and abs(self.value) > self.half

    def less(self, constant):
        """That of the values less a constant."""
        return Mean(self.value - constant, self.half)

    def text(self, digits=1, factor=1, sign=""):
        interval = "" if self.half is None else f" +-{factor * self.half:.{digits}f}"
        return f"{factor * self.value:{sign}.{digits}f}{interval}"

    @property
    def percent(self):
        """Signed."""
        return self.text(1, 100, "+")


def span(values, digits=0):
    """From the least to the largest of a few values, or the only one."""
    low, high = (f"{value:.{digits}f}" for value in (min(values), max(values)))
    return low if low == high else f"{low} to {high}"
