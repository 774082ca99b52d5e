#
# Copyright (c) 2026 The dml authors
#
# SPDX-License-Identifier: GPL-2.0-only

"""Tables of studies, as the manual has them, and intervals."""

import math
import statistics

# 97.5 % quantiles of Student's t, by number of values
QUANTILES = {2: 12.706, 3: 4.303, 4: 3.182, 5: 2.776, 6: 2.571, 7: 2.447, 8: 2.365, 9: 2.306,
             10: 2.262, 20: 2.093}


def half_interval(values):
    """Half the 95 % interval of the mean of 2 to 10, or 20 values."""
    return QUANTILES[len(values)] * statistics.stdev(values) / math.sqrt(len(values))


def rst(rows):
    """A table of reStructuredText; the first row is its head."""
    widths = [max(map(len, column)) for column in zip(*rows)]
    border = "  ".join("=" * width for width in widths)
    lines = ["  ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip()
             for row in rows]
    return "\n".join([border, lines[0], border, *lines[1:], border])
