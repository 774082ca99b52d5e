#
# Copyright (c) 2026 The dml authors
#
# SPDX-License-Identifier: GPL-2.0-only

"""A measured value: several runs, of which the median counts."""

import statistics
from dataclasses import dataclass


@dataclass(frozen=True)
class Sample:
    """Values of one quantity in the order in which they were measured, at least one."""

    values: tuple

    @property
    def median(self):
        return statistics.median(self.values)

    @property
    def low(self):
        return min(self.values)

    @property
    def high(self):
        return max(self.values)

    @property
    def spread(self):
        """Half of the range, relative to the median; 0 for one value or a median of 0."""
        return (self.high - self.low) / 2 / abs(self.median) if self.median else 0.0


def ratio_of_pairs(pairs, key):
    """The sample of key(b) / key(a) over pairs (a, b) that were measured right after each other.

    What slows the machine down for a while slows both of a pair down, and leaves their ratio."""
    return Sample(tuple(key(b) / key(a) for a, b in pairs))
