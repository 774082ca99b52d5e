#
# Copyright (c) 2026 The dml authors
#
# SPDX-License-Identifier: GPL-2.0-only

"""The study of two-way exchanges: all-reduce among eight real processes over FIFO ports of several sizes and rates, and of
buffers of 100 MB, beside predictions. Eight hosts that send at 200 Mbit/s are about what two cores carry."""

from dataclasses import dataclass

from fidelity import host, real_runs
from fidelity.collectives import ALGORITHM, ALL, SCENARIO, VIRTUAL
from fidelity.held_out import Case
from fidelity.results import throughputs
from order_studies.runs import Run
from validation_report.tables import signed, simple

NAME = "exchanges"
WORKERS = 8
ENGINES = ("fair-share", "burst")  # packets take an hour
BUFFER = 100e6  # bytes of the profile
COMPUTING = 0.4  # seconds of a step of the profile
GOODPUT = 1448 / 1502  # payload of what a link carries
PAIRS = ("halving-doubling", "recursive-doubling")
# Bytes that each worker sends, over the buffer: those of a ring, and the whole buffer in each of log2(N) rounds.
SENT = {name: 2 * (WORKERS - 1) / WORKERS for name in ALL} | {"recursive-doubling": 3.0, "tree": None, "hierarchical": None}


@dataclass(frozen=True)
class Batch:
    """Runs of some algorithms with buffers of one size at one rate, over ports of several sizes."""

    size: str
    scale: float  # of BUFFER
    rate: int  # Mbit/s
    ports: tuple
    algorithms: tuple
    steps: int

    @property
    def name(self):
        return f"{self.size}, {self.rate} Mbit/s, N = {WORKERS}"

    def key_of(self, case):
        """As that of other real runs; the algorithm is in the place of the model, and the port is part of the batch."""
        queue = case["variant"]["network.queue"]
        port = next(port for port in self.ports if self.queue_of(port) == queue)
        return real_runs.Key(f"{self.name}, {port}", case["variant"][ALGORITHM], host.queue_name(port == "fair"), "0", "together",
                             str(case["workers"]))

    @staticmethod
    def queue_of(port):
        return real_runs.FAIR if port == "fair" else real_runs.virtual_port(port)

    def settings(self):
        queues = ", ".join(map(self.queue_of, self.ports))
        return (f"job.scale={self.scale}", f"job.steps={self.steps}", "job.warmup=1", f"job.workers=[{WORKERS}]",
                f"network.rate={self.rate}Mbps", f"sweep.network.queue=[{queues}]",
                f"sweep.{ALGORITHM}=[{', '.join(self.algorithms)}]")

    def measured(self):
        """The real runs: a few minutes, which go on where they were killed."""
        return real_runs.Measured(real_runs.folder_name("real", self.name, *self.ports), SCENARIO,
                                  (*self.settings(), "replications=1"), "host", self.name, self.key_of)


PORTS = ("256KB", "1MB", "4MB")
BATCHES = (
    Batch("10 MB", 0.1, 200, PORTS, PAIRS, 6),
    Batch("10 MB", 0.1, 100, PORTS, PAIRS, 6),
    Batch("100 MB", 1, 200, ("1MB",), ALL, 3),
    Batch("100 MB", 1, 200, ("fair",), PAIRS, 3),
)
MEASURED = tuple(batch.measured() for batch in BATCHES)


@dataclass(frozen=True)
class Predicted(Run):
    """Predictions of a batch by an engine."""

    batch: Batch | None = None

    @classmethod
    def of(cls, batch, engine):
        virtual = VIRTUAL if engine == "burst" and batch.ports == ("fair",) else ()
        return cls(real_runs.folder_name(engine, batch.name, *batch.ports), SCENARIO,
                   (*batch.settings(), "replications=2", *virtual), engine, batch)


PREDICTED = tuple(Predicted.of(batch, engine) for batch in BATCHES for engine in ENGINES)
RUNS = PREDICTED


def exchange(batch, throughput):
    """Seconds of a step without its computing, from the samples/s of all workers, one a step each."""
    return WORKERS / throughput - COMPUTING * batch.scale


def full_rate(batch, algorithm):
    """The same if each worker sends all its bytes without a pause; None where workers send different ones."""
    sent = SENT[algorithm]
    return sent and sent * BUFFER * batch.scale * 8 / (batch.rate * 1e6 * GOODPUT)


def read_cases(results):
    """[(batch, port, algorithm, Case)] of what has real runs."""
    real = real_runs.read()
    found = {}
    for run in PREDICTED:
        for raw in results.raw(run.name):
            key = run.batch.key_of(raw)
            if key in real:
                case = found.setdefault(key, (run.batch, Case(key, real[key])))[1]
                values = throughputs(raw, run.engine)
                if values:
                    case.usual[run.engine] = sum(values) / len(values)
    return [(batch, key.batch.rsplit(", ", maxsplit=1)[1], key.model, case) for key, (batch, case) in found.items()]


def cases_table(cases):
    """Seconds of an exchange, how many times as long as at full rate, and errors of throughputs."""
    rows = []
    for batch, port, algorithm, case in cases:
        least = full_rate(batch, algorithm)
        real = exchange(batch, case.real.mean)
        errors = (case.error(engine) for engine in ENGINES)
        rows.append([algorithm, batch.size, str(batch.rate), port, f"{real:.2f}", f"{real / least:.2f}" if least else "-",
                     *("-" if error is None else signed(error) for error in errors)])
    return simple(["algorithm", "buffer", "Mbit/s", "port", "real, s", "to full rate", *ENGINES], rows)


def report(results, _):
    """(tables, pictures drawn, values) of the page."""
    cases = read_cases(results)
    values = {"cases": str(len(cases)), "runs": str(sum(case.real.runs for *_, case in cases))}
    return {"cases": cases_table(cases)}, {}, values
