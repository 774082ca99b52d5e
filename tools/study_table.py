#
# Copyright (c) 2026 The dml authors
#
# SPDX-License-Identifier: GPL-2.0-only

"""Tables of studies, as the manual has them, and intervals."""

import math
import statistics

# 97.5 % quantiles of Student's t, by number of values: those that studies have most often
QUANTILES = {2: 12.706, 3: 4.303, 4: 3.182, 5: 2.776, 6: 2.571, 7: 2.447, 8: 2.365, 9: 2.306,
             10: 2.262, 20: 2.093}


def t_quantile(count, above=0.025):
    """The quantile for this number of values that is exceeded with a probability of `above`; of those that are not in the
    table by the expansion for many degrees of freedom (Abramowitz and Stegun, 26.7.5), which is right to 0.001 from 11
    values on, and to 0.02 for an `above` of 0.0002."""
    if above == 0.025 and count in QUANTILES:
        return QUANTILES[count]
    z, freedom = statistics.NormalDist().inv_cdf(1 - above), count - 1
    return (z + (z ** 3 + z) / (4 * freedom) + (5 * z ** 5 + 16 * z ** 3 + 3 * z) / (96 * freedom ** 2)
            + (3 * z ** 7 + 19 * z ** 5 + 17 * z ** 3 - 15 * z) / (384 * freedom ** 3))


def half_interval(values):
    """Half the 95 % interval of the mean of two or more values."""
    return t_quantile(len(values)) * statistics.stdev(values) / math.sqrt(len(values))


def rst(rows):
    """A table of reStructuredText; the first row is its head."""
    widths = [max(map(len, column)) for column in zip(*rows)]
    border = "  ".join("=" * width for width in widths)
    lines = ["  ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip()
             for row in rows]
    return "\n".join([border, lines[0], border, *lines[1:], border])
