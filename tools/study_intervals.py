#
# Copyright (c) 2026 The dml authors
#
# SPDX-License-Identifier: GPL-2.0-only

"""Means over replications with their 95 % intervals (Student's t), and how tables write them.

Fewer values than LEAST_FOR_INTERVAL have no interval, but the least and the greatest."""

import math
import statistics
from dataclasses import dataclass

from study_table import half_interval, t_quantile

LEAST_FOR_INTERVAL = 4  # as the program has it
SMALLEST_HALF = 1e-6  # of an interval that weighs in a mean of several
NORMAL = 1.96  # standard deviations of half a 95 % interval


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

    @staticmethod
    def of_difference(values, others):
        """Mean of the values less that of others, of samples without pairs (B. L. Welch: The generalization of
        'Student's' problem when several different population variances are involved, Biometrika 34, 1947), of four
        values each at least; degrees of freedom are rounded down."""
        samples = [list(values), list(others)]
        if min(map(len, samples)) < LEAST_FOR_INTERVAL:
            raise ValueError("too few values for an interval")
        parts = [statistics.variance(sample) / len(sample) for sample in samples]
        mean = statistics.fmean(samples[0]) - statistics.fmean(samples[1])
        total = sum(parts)
        freedom = total ** 2 / sum(part ** 2 / (len(sample) - 1) for part, sample in zip(parts, samples)) if total else 1
        half = t_quantile(math.floor(freedom) + 1) * math.sqrt(total)
        return Mean(mean, half, mean - half, mean + half)

    @staticmethod
    def of_studies(means):
        """Mean over studies that differ, each of which is known with an interval of its own: random effects (R. DerSimonian, N. Laird:
        Meta-analysis in clinical trials, Controlled Clinical Trials 7, 1986), with Student's t for few studies."""
        means = list(means)
        if len(means) < 2:
            raise ValueError("too few studies for an interval")
        variances = [(max(mean.half, SMALLEST_HALF) / NORMAL) ** 2 for mean in means]

        def weighted(between):
            weights = [1 / (variance + between) for variance in variances]
            return weights, sum(weight * mean.value for weight, mean in zip(weights, means)) / sum(weights)
        weights, mean = weighted(0)
        excess = sum(weight * (each.value - mean) ** 2 for weight, each in zip(weights, means)) - (len(means) - 1)
        weights, mean = weighted(max(0, excess / (sum(weights) - sum(weight ** 2 for weight in weights) / sum(weights))))
        half = t_quantile(len(means)) / math.sqrt(sum(weights))
        return Mean(mean, half, mean - half, mean + half)

    @staticmethod
    def of_controlled(dear, cheap):
        """Mean of a dear quantity, of which a cheap one has the same replications first and more of them: the mean of the
        cheap one, plus that of the differences of the pairs. Where pairs go together it is known far better than by
        the dear replications alone (control variates, with a coefficient of 1: such as A. M. Law: Simulation Modeling
        and Analysis, 2014, section 11.4)."""
        dear, cheap = list(dear), list(cheap)
        model, rest = Mean.of(cheap), Mean.of(one - other for one, other in zip(dear, cheap, strict=False))
        value, half = model.value + rest.value, math.hypot(model.half, rest.half)
        return Mean(value, half, value - half, value + half)

    def less_independent(self, other):
        """The difference to another mean with an interval."""
        value, half = self.value - other.value, math.hypot(self.half, other.half)
        return Mean(value, half, value - half, value + half)

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
