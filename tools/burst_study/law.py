#
# Copyright (c) 2026 The dml authors
#
# SPDX-License-Identifier: GPL-2.0-only

"""How unequally connections share a drop-tail port, and for how long: by bursts, judged by packets, and as powers of its size
and of their number.

The rule drop-tail has the spreads of the table and the powers of persistence (model/fairshare/dml-port-shares.cc): a new table goes there,
too."""

import math
import os
import statistics
from dataclasses import dataclass

import dml
from burst_study import incast
from study_table import t_quantile
from validation_report.tables import simple

SIZES = {"64KB": 64e3, "128KB": 128e3, "250KB": 250e3, "500KB": 500e3, "1MB": 1e6, "4MB": 4e6}  # bytes
SINGLE = ("64KB",)  # ports that drop segments, not bursts
RATES = (0.1, 0.3, 1, 3, 10, 25)  # Gbit/s
WORKERS = (2, 4, 8, 16, 32)
SCALES = (1, 5, 20, 80, 160)  # drain times over which shares are looked at
SPREAD_IN = 5  # drain times: the spread at this scale is that of weights
DRAINS = 400  # that a push of all workers takes at the port's rate
TENSORS = 200  # of a worker
STEPS = 5  # the first one is of new connections, and not looked at
RUNS = 5


@dataclass(frozen=True)
class Shares:
    """What was found of one port."""

    port: str
    rate: float  # Gbit/s
    workers: int
    squares: dict  # by scale: mean square of the parts by which shares differ from equal ones

    def spread(self, scale):
        """Standard deviation of the logarithm of weights, which explains the squares if it is small: the mean of n weights is
        among them, so their squares are (n - 1) / n of it."""
        return math.sqrt(self.squares[scale] * self.workers / (self.workers - 1))

    @property
    def persistence(self):
        """Drain times after which the correlation of weights has fallen to 1/e, from how the mean over longer stretches varies
        less."""
        scales = [scale for scale in self.squares if scale >= SPREAD_IN]

        def misses(time):
            return sum((math.log(self.squares[scale] / self.squares[SPREAD_IN])
                        - math.log(averaged(scale, time) / averaged(SPREAD_IN, time))) ** 2 for scale in scales)
        return min((5 * 1.1 ** step for step in range(70)), key=misses)


def averaged(scale, time):
    """The variance of the mean over a stretch of an Ornstein-Uhlenbeck process of variance 1."""
    part = scale / time
    return 2 * (1 / part + math.expm1(-part) / part ** 2)


def measure(folder, port, rate, workers):
    """Bursts on one port."""
    drain = SIZES[port] * 8 / (rate * 1e9)
    size = int(DRAINS * SIZES[port] / workers / TENSORS)
    place = os.path.join(folder, f"{port}-{rate:g}g-w{workers}")
    os.makedirs(place, exist_ok=True)
    single = port in SINGLE
    results = dml.run(incast.write_scenario(place, TENSORS, size), os.path.join(place, "burst"), engine="burst", settings={
        "job.workers": workers, "job.sync": "bsp", "job.steps": STEPS, "job.start": "together", "replications": RUNS,
        "network.rate": f"{rate:g}Gbps", "network.queue": f"{{drop_tail: {port}, whole_bursts: {str(not single).lower()}}}",
        "network.tcp": f"{{trains: {str(not single).lower()}}}", "output.links": False}, force=True)
    found = {scale: [] for scale in SCALES}
    for (_, step), pushes in incast.read(results.folder, size).items():
        if step > 0:
            span = max(push.begin for push in pushes), min(push.end for push in pushes)
            for scale in SCALES:
                found[scale] += incast.squares(pushes, *span, scale * drain)
    return Shares(port, rate, workers, {scale: statistics.fmean(values) for scale, values in found.items() if values})


class Powers:
    """log(value) = log(one) + connections * log(W) + size * log(size / 1 MB), by least squares."""

    def __init__(self, ports, value):
        import numpy  # pylint: disable=C0415 # other parts do without
        matrix = numpy.array([self.coordinates(port.port, port.workers) for port in ports])
        wanted = numpy.log([value(port) for port in ports])
        inverse = numpy.linalg.inv(matrix.T @ matrix)
        self.coefficients = inverse @ matrix.T @ wanted
        rest = wanted - matrix @ self.coefficients
        self.deviation = math.sqrt(float(rest @ rest) / (len(ports) - 3))
        self.halves = t_quantile(len(ports) - 2) * self.deviation * numpy.sqrt(numpy.diag(inverse))

    @staticmethod
    def coordinates(port, workers):
        return [1.0, math.log(workers), math.log(SIZES[port] / 1e6)]

    def at(self, port, workers):
        return math.exp(sum(a * b for a, b in zip(self.coefficients, self.coordinates(port, workers), strict=True)))

    def row(self, name):
        one = math.exp(self.coefficients[0])
        return [name, f"{one:.3g} +- {one * self.halves[0]:.2g}",
                *(f"{value:+.3f} +- {half:.3f}" for value, half in zip(self.coefficients[1:], self.halves[1:], strict=True)),
                f"{100 * (math.exp(self.deviation) - 1):.0f}"]


def error(logs):
    """Root mean square of logarithms, as per cent."""
    return f"{100 * (math.exp(math.sqrt(statistics.fmean(log ** 2 for log in logs))) - 1):.0f}"


def left_out(ports, value):
    """By factor: the error of each level of it when the powers are fitted to the others."""
    rows = []
    for name, level in (("port", lambda port: port.port), ("Gbit/s", lambda port: f"{port.rate:g}"),
                        ("W", lambda port: str(port.workers))):
        found = {}
        for one in dict.fromkeys(map(level, ports)):
            powers = Powers([port for port in ports if level(port) != one], value)
            found[one] = error([math.log(powers.at(port.port, port.workers) / value(port)) for port in ports
                                if level(port) == one])
        rows.append([name, ", ".join(f"{one}: {text}" for one, text in found.items())])
    return rows


def judged(table, spread, persistence):
    """By packets, whose spreads are columns of the table of the part "shares": errors of the powers, of a constant spread of
    0.24, and of bursts themselves."""
    errors = {"powers, 5": [], "powers, 80": [], "constant, 5": [], "bursts, 5": []}
    heading, body = table[1], table[3:-1]
    spans = [(begin, begin + len(rule)) for begin, rule in
             zip(starts(table[0]), table[0].split(), strict=True)]
    names = [heading[begin:end].strip() for begin, end in spans]
    five, eighty = names.index("spread in 5"), names.index("spread in 80")
    for line in body:
        cells = [line[begin:end].strip() for begin, end in spans]
        port, workers = cells[0], int(cells[2])
        seen = math.sqrt((workers - 1) / workers)
        sigma, time = spread.at(port, workers), persistence.at(port, workers)
        if cells[five] != "-":
            packets = float(cells[five])
            errors["powers, 5"].append(math.log(sigma * seen / packets))
            errors["constant, 5"].append(math.log(0.24 * seen / packets))
            if cells[five + 1] != "-":
                errors["bursts, 5"].append(math.log1p(float(cells[five + 1].split()[0]) / packets))
        if cells[eighty] != "-":
            shrunk = math.sqrt(averaged(80, time) / averaged(SPREAD_IN, time))
            errors["powers, 80"].append(math.log(sigma * seen * shrunk / float(cells[eighty])))
    return [[name, str(len(logs)), f"{100 * (math.exp(statistics.fmean(logs)) - 1):+.0f}", error(logs)]
            for name, logs in errors.items()]


def starts(rule):
    """Where the columns of a table begin, of which this is the rule."""
    return [at for at, sign in enumerate(rule) if sign == "=" and (at == 0 or rule[at - 1] == " ")]


def law(folder, packets):
    """Fits the powers to bursts. `packets`: the table of the part "shares"."""
    ports = [measure(folder, port, rate, workers) for port in SIZES for rate in RATES for workers in WORKERS]
    ports = [port for port in ports if SPREAD_IN in port.squares]
    spread = Powers(ports, lambda port: port.spread(SPREAD_IN))
    lasting = [port for port in ports if 80 in port.squares]
    persistence = Powers(lasting, lambda port: port.persistence)
    rows = [[port, str(workers), *(f"{found[0].spread(SPREAD_IN):.2f}" if found else "-" for found in (
        [each for each in ports if (each.port, each.rate, each.workers) == (port, rate, workers)] for rate in RATES)),
        f"{spread.at(port, workers):.2f}", f"{persistence.at(port, workers):.0f}"]
        for port in SIZES for workers in WORKERS]
    tables = {
        "law-spreads": simple(["port", "W", *(f"{rate:g}" for rate in RATES), "power", "persists"], rows),
        "law-powers": simple(["quantity", "one", "connections", "size", "off by, %"],
                             [spread.row("spread"), persistence.row("persistence, drain times")]),
        "law-left-out": simple(["left out", "error of the spread, %"], left_out(ports, lambda port: port.spread(SPREAD_IN))),
        "law-judged": simple(["spread by, drain times", "ports", "too large by, %", "off by, %"],
                             judged(packets, spread, persistence))}
    return tables, {"law-ports": str(len(ports))}
