#
# Copyright (c) 2026 The dml authors
#
# SPDX-License-Identifier: GPL-2.0-only

"""The study of collectives: all-reduce of one buffer by real processes, ours and Gloo's, beside all predictions."""

import statistics
from dataclasses import dataclass

from fidelity import host, real_runs
from fidelity.held_out import Case, expected_rows, mean_size, sizes
from fidelity.results import throughputs
from order_studies.runs import Run
from validation_report.tables import simple, signed

NAME = "collectives"
SCENARIO = "host-fidelity/collectives.yaml"
ENGINES = ("fair-share", "burst", "packet")
ALGORITHM = "job.all_reduce.algorithm"
GLOO = {"ring": "{type: \"ns3::dml::RingAllReduce\", Segments: 2}"}
ALL = ("ring", "halving-doubling", "recursive-doubling", "tree", "hierarchical")


@dataclass(frozen=True)
class Size:
    """A size of buffer, and how many steps are long enough to time."""

    name: str
    scale: float
    steps: int


SIZES = (Size("64 KB", 0.00064, 200), Size("1 MB", 0.01, 40), Size("10 MB", 0.1, 10))
PACKETS_UP_TO = 0.01  # of 100 MB: larger buffers take packets an hour
LIBRARIES = ("dml", "gloo")
QUEUES = {"fair": real_runs.FAIR, "FIFO": real_runs.virtual_port("1MB")}
# Links of fair ports, too, are those of a virtual network: a millisecond's bytes and a burst.
VIRTUAL = ("network.token_bucket=40KB", "network.tcp.ack_jitter=15us")


def algorithms_of(library):
    return tuple(name for name in ALL if library == "dml" or name in GLOO)


def settings_of(size, library):
    texts = [GLOO[name] if library == "gloo" else name for name in algorithms_of(library)]
    return (f"job.scale={size.scale}", f"job.steps={size.steps}", f"job.warmup={max(1, size.steps // 5)}",
            f"host.collectives={library}", f"sweep.{ALGORITHM}=[{', '.join(texts)}]")


def batch_name(size, library):
    return f"{size.name}, {'Gloo' if library == 'gloo' else 'dml'}"


def key_of(size, library, case):
    """As that of other real runs; the algorithm is in the place of the model."""
    text = case["variant"][ALGORITHM]
    algorithm = "ring" if "RingAllReduce" in text else text
    return real_runs.Key(batch_name(size, library), algorithm, host.queue_name("fair" in case["variant"]["network.queue"]), "0",
                         "together", str(case["workers"]))


def measured(size, library):
    return real_runs.Measured(real_runs.folder_name("real", batch_name(size, library)), SCENARIO,
                              (*settings_of(size, library), "replications=1"), "host", batch_name(size, library),
                              lambda case: key_of(size, library, case))


@dataclass(frozen=True)
class Predicted(Run):
    """Predictions of all cases of a size on some ports by an engine. Gloo's algorithms are those of dml, but for a ring's
    segments."""

    size: Size | None = None
    library: str = ""

    @classmethod
    def of(cls, size, library, engine, queue):
        settings = (*settings_of(size, library), f"sweep.network.queue=[{QUEUES[queue]}]", "replications=2",
                    *(VIRTUAL if (engine, queue) == ("burst", "fair") else ()))
        return cls(real_runs.folder_name(engine, queue, batch_name(size, library)), SCENARIO, settings, engine, size, library)


COMBINED = tuple((size, library) for size in SIZES for library in LIBRARIES)
MEASURED = tuple(measured(size, library) for size, library in COMBINED)
PREDICTED = tuple(Predicted.of(size, library, engine, queue)
                  for size, library in COMBINED for engine in ENGINES for queue in QUEUES
                  if engine != "packet" or size.scale <= PACKETS_UP_TO)
RUNS = PREDICTED


def read_cases(results):
    names = {batch_name(*each) for each in COMBINED}
    cases = {key: Case(key, real) for key, real in real_runs.read().items() if key.batch in names}
    for run in PREDICTED:
        for raw in results.raw(run.name):
            case, found = cases.get(key_of(run.size, run.library, raw)), throughputs(raw, run.engine)
            if case and found:
                case.usual[run.engine] = statistics.fmean(found)
    return list(cases.values())


def errors_table(cases):
    rows = []
    for library in LIBRARIES:
        for algorithm in ALL:
            for queue in QUEUES:
                for size in SIZES:
                    mine = [case for case in cases if case.key.batch == batch_name(size, library)
                            and (case.key.model, case.key.queue) == (algorithm, queue)]
                    if mine:
                        rows.append([("Gloo's " if library == "gloo" else "") + algorithm, queue, size.name,
                                     *(cell for workers in ("2", "4", "8") for cell in cells_of(mine, workers))])
    head = [f"{name}, {workers}" for workers in (2, 4, 8) for name in ("f.-s.", "b.", "p.")]
    return simple(["algorithm", "ports", "size", *head], rows)


def cells_of(cases, workers):
    """Errors of the three engines with a number of workers, of which there is at most one case."""
    errors = [next((case.error(engine) for case in cases if case.key.workers == workers), None) for engine in ENGINES]
    return ["-" if error is None else signed(error) for error in errors]


def summary_table(cases):
    """Mean sizes of errors and means, by ports, size, algorithm and number of workers."""
    def groups():
        yield "all", cases
        for queue in QUEUES:
            mine = [case for case in cases if case.key.queue == queue]
            yield queue, mine
            for size in SIZES:
                yield f"- {size.name}", [case for case in mine if case.key.batch.startswith(size.name + ",")]
            for algorithm in ALL:
                yield f"- {algorithm}", [case for case in mine if case.key.model == algorithm]
            for workers in ("2", "4", "8"):
                yield f"- N = {workers}", [case for case in mine if case.key.workers == workers]
            yield "- Gloo's", [case for case in mine if case.key.batch.endswith("Gloo")]

    rows = [[name, mean_size(case.real.farthest for case in group),
             *(cell for engine in ENGINES for cell in sizes(case.error(engine) for case in group))]
            for name, group in groups() if group]
    return simple(["cases", "repeats", "n", "f.-share", "mean", "n", "burst", "mean", "n", "packet", "mean"], rows)


KINDS = {"ring or hierarchical": ("ring", "hierarchical"), "exchange of pairs": ("halving-doubling", "recursive-doubling"),
         "tree": ("tree",)}


def expected_table(cases):
    """What is compiled into the program (model/report/dml-expected-error.cc)."""
    rows = [expected_rows(f"{kind}, {queue}", [case for case in cases if case.key.model in algorithms and case.key.queue == queue],
                          ENGINES)
            for kind, algorithms in KINDS.items() for queue in ("fair", "FIFO")]
    return simple(["kind", "cases", "f.-share", "most", "burst", "most", "cases", "packet", "most"], rows)


def report(results, _):
    """(tables, pictures drawn, values) of the page."""
    cases = read_cases(results)
    values = {"cases": str(len(cases)), "runs": str(sum(case.real.runs for case in cases))}
    small = [case for case in cases if case.key.batch.startswith(SIZES[0].name)]
    values["large-cases"] = str(len(cases) - len(small))
    for engine in ENGINES:
        values[f"small-{engine}"] = sizes(case.error(engine) for case in small)[1]
        for queue in QUEUES:
            values[f"{queue}-{engine}"] = sizes(case.error(engine) for case in cases
                                                if case.key.queue == queue and case not in small)[1]
    return {"summary": summary_table(cases), "errors": errors_table(cases), "expected": expected_table(cases)}, {}, values
