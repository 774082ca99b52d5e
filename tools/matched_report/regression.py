#
# Copyright (c) 2026 The dml authors
#
# SPDX-License-Identifier: GPL-2.0-only

"""Which factors make the bias of steps: least squares over the cells.

The bias spans three powers of ten, so what is explained is its size on a logarithmic scale, log2(1 + |bias| / 1 %): one
unit more is about twice the bias. A factor of several levels has one coordinate: sizes, counts and rates as logarithms."""

import itertools
import math

from study_table import t_quantile
from validation_report.tables import simple

PORT_BYTES = {"64KB": 64e3, "250KB": 250e3, "1MB": 1e6, "1MB-packets": 1e6, "4MB": 4e6}
# name: the coordinate of a cell
EFFECTS = {
    "FIFO of 1 MB instead of fair ports": lambda cell: 0.0 if cell.port == "fair" else 1.0,
    "FIFO four times as large": lambda cell: 0.0 if cell.port == "fair" else math.log(PORT_BYTES[cell.port] / 1e6, 4),
    "single packets dropped, not bursts": lambda cell: float(cell.port in ("64KB", "1MB-packets")),
    "ten times the rate, on a FIFO": lambda cell: 0.0 if cell.port == "fair" else math.log10(cell.rate),
    "ten times the rate, on fair ports": lambda cell: math.log10(cell.rate) if cell.port == "fair" else 0.0,
    "one far worker, on a FIFO": lambda cell: float(cell.rtt == "far" and cell.port != "fair"),
    "one far worker, on fair ports": lambda cell: float(cell.rtt == "far" and cell.port == "fair"),
    "twice the workers": lambda cell: math.log2(cell.workers) - 2,
    "twice the servers": lambda cell: 0.0 if cell.collective else math.log2(cell.servers),
    "four times the communication / compute": lambda cell: math.log(cell.ratio, 4),
    "four times the bytes of the model": lambda cell: math.log(cell.step_bytes / cell.workers / 2e8, 4),
    "bsp instead of async": lambda cell: float(cell.mode == "bsp"),
    "ring instead of async": lambda cell: float(cell.mode == "ring"),
    "halving-doubling instead of async": lambda cell: float(cell.mode == "halving-doubling"),
}
MOST_COLLINEAR = 1e8  # condition number of coordinates that can still be told apart
CELLS_OF_A_COEFFICIENT = 3  # at least: fewer explain what they were fitted to, and predict nothing
LEAST_CELLS = CELLS_OF_A_COEFFICIENT * (len(EFFECTS) + 1)


def response(outcome):
    return math.log2(1 + abs(outcome.raw.value))


def coordinates(outcomes):
    """Of each cell, 1 and what EFFECTS give."""
    import numpy  # pylint: disable=C0415 # the page's other tables do without
    return numpy.array([[1.0, *(effect(each.cell) for effect in EFFECTS.values())] for each in outcomes])


class Fit:
    """Coefficients with their standard errors, and what they leave."""

    def __init__(self, outcomes, matrix):
        import numpy  # pylint: disable=C0415
        wanted = numpy.array([response(each) for each in outcomes])
        inverse = numpy.linalg.inv(matrix.T @ matrix)
        hat = numpy.einsum("ij,jk,ik->i", matrix, inverse, matrix)
        self.coefficients = inverse @ matrix.T @ wanted
        rest = wanted - matrix @ self.coefficients
        left_out = rest / (1 - hat)  # residuals of each cell when it is not among those that were fitted (PRESS)
        # MacKinnon and White's HC3: cells need not be equally uncertain
        self.errors = numpy.sqrt(numpy.diag(inverse @ (matrix.T * left_out ** 2) @ matrix @ inverse))
        self.freedom = len(outcomes) - matrix.shape[1]
        total = float(((wanted - wanted.mean()) ** 2).sum())
        self.explained = 1 - float((rest ** 2).sum()) / total
        self.predicted = 1 - float((left_out ** 2).sum()) / total


def fit(outcomes):
    """None with too few cells, or if some factor does not vary."""
    if len(outcomes) < LEAST_CELLS:
        return None
    for effect in EFFECTS.values():
        if len({effect(each.cell) for each in outcomes}) < 2:
            return None
    return Fit(outcomes, coordinates(outcomes))


def fits_of_pairs(outcomes):
    """For all pairs of factors that can be told apart from the single ones: their names, and the fit with the product of
    their coordinates, from their means, as its last one."""
    import numpy  # pylint: disable=C0415
    matrix = coordinates(outcomes)
    centred = matrix - matrix.mean(axis=0)
    found = []
    for (first, name), (second, other) in itertools.combinations(enumerate(EFFECTS, 1), 2):
        wider = numpy.column_stack([matrix, centred[:, first] * centred[:, second]])
        if numpy.linalg.cond(wider) < MOST_COLLINEAR:
            found.append((name, other, Fit(outcomes, wider)))
    return found


def pairs(outcomes):
    """The pairs that are certain when as many are asked for (Bonferroni)."""
    heading = ["change", "with", "1 + bias", "95 %, of all pairs at once"]
    if fit(outcomes) is None:
        return simple(heading, [])
    fits = fits_of_pairs(outcomes)
    rows = []
    for name, other, found in fits:
        half = t_quantile(found.freedom + 1, 0.025 / len(fits)) * found.errors[-1]
        value = found.coefficients[-1]
        if abs(value) > half:
            rows.append([name, other, f"x {2 ** value:.2f}", f"{2 ** (value - half):.2f}..{2 ** (value + half):.2f}"])
    return simple(heading, rows)


def table(outcomes):
    found = fit(outcomes)
    if found is None:
        return simple(["factor"], [])
    quantile = t_quantile(found.freedom + 1)
    rows = []
    for name, value, error in zip(EFFECTS, found.coefficients[1:], found.errors[1:], strict=True):
        half = quantile * error
        rows.append([name, f"x {2 ** value:.2f}", f"{2 ** (value - half):.2f}..{2 ** (value + half):.2f}",
                     "" if abs(value) > half else "?"])
    return simple(["change", "1 + bias", "95 %", ""], rows)


def values(outcomes):
    found = fit(outcomes)
    if found is None:
        return {"fit": f"There are too few cells for that yet: it takes {LEAST_CELLS}.", "pair-count": "0"}
    return {"pair-count": str(len(fits_of_pairs(outcomes))),
            "fit": f"The fit explains {100 * found.explained:.0f} % of the variance of the cells, and "
                   f"{100 * max(0.0, found.predicted):.0f} % of each one when it is fitted without it."}
