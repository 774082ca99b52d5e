#
# Copyright (c) 2026 The dml authors
#
# SPDX-License-Identifier: GPL-2.0-only

"""Means over replications with their 95 % intervals (Student's t), and how tables write them.

Fewer values than LEAST_FOR_INTERVAL have no interval, but the least and the greatest."""

import math
import statistics
from dataclasses import dataclass

from study_table import half_interval

LEAST_FOR_INTERVAL = 4  # as the program has it


@dataclass(frozen=True)
class Mean:
    """Of values of independent replications."""

    value: float
    half: float | None  # half of the 95 % interval; None with too few replications for one
    low: float  # end of the interval; without one, the least value
    high: float

    @staticmethod
    def of(values):
        values = list(values)
        mean = statistics.fmean(values)
        if len(values) < LEAST_FOR_INTERVAL:
            return Mean(mean, None, min(values), max(values))
        half = half_interval(values)
        return Mean(mean, half, mean - half, mean + half)

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
        low, high = (math.exp(end) - 1 for end in (logs.low, logs.high))
        return Mean(math.exp(logs.value) - 1, None if logs.half is None else (high - low) / 2, low, high)

    @property
    def certain(self):
        """Whether there is an interval, and 0 is outside of it."""
        return self.half is not None and abs(self.value) > self.half

    def less(self, constant):
        """That of the values less a constant."""
        return Mean(self.value - constant, self.half, self.low - constant, self.high - constant)

    def text(self, digits=1, factor=1, sign=""):
        def show(value, sign=sign):
            return f"{factor * value:{sign}.{digits}f}"

        interval = (f" +-{show(self.half, '')}" if self.half is not None
                    else f" ({show(self.low)}..{show(self.high)})" if show(self.low) != show(self.high) else "")
        return show(self.value) + interval

    @property
    def percent(self):
        """Signed."""
        return self.text(1, 100, "+")


def span(values, digits=0):
    """From the least to the largest of a few values, or the only one."""
    low, high = (f"{value:.{digits}f}" for value in (min(values), max(values)))
    return low if low == high else f"{low} to {high}"
