#
# Copyright (c) 2026 The dml authors
#
# SPDX-License-Identifier: GPL-2.0-only

"""Tables of studies, as the manual has them."""


def rst(rows):
    """A table of reStructuredText; the first row is its head."""
    widths = [max(map(len, column)) for column in zip(*rows)]
    border = "  ".join("=" * width for width in widths)
    lines = ["  ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip()
             for row in rows]
    return "\n".join([border, lines[0], border, *lines[1:], border])
