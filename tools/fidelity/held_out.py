#
# Copyright (c) 2026 The dml authors
#
# SPDX-License-Identifier: GPL-2.0-only

"""The study of what is held out: real runs at rates, ports and sizes that no constant was measured on, predicted by all
engines; and what each constant contributes, fitted without the group of runs that it is judged on."""

import re
import statistics
from dataclasses import dataclass, field

from fidelity import host, lateness, real_runs
from fidelity.results import throughputs
from order_studies.runs import Run
from validation_report.tables import percent, signed, simple

NAME = "held-out"
ENGINES = ("fair-share", "burst")  # that predict everything
JITTER = "job.step_jitter"
CORES = 2  # of the machine on which all real runs were
ON_CORES = f"{JITTER}={{cores: {CORES}}}"
QUIET = ("output.connections=false", "output.transfers=false", "fair_share={}")
SEEDS = {"fair-share": ("replications=10",), "burst": ("replications=6",)}
DROP_TAIL = "fair_share.sharing={type: \"ns3::dml::DropTailSharingPolicy\", %s}"
# What a prediction knows less: (engines, queues, settings)
WITHOUT = {
    "the spread by port (0.24 for all)": (("fair-share",), ("FIFO",), (DROP_TAIL % "Spread: 0.24, Memory: 0.6",)),
    "unequal shares": (("fair-share",), ("FIFO",), ("fair_share.sharing=max-min",)),
    "newcomers": (("fair-share",), ("FIFO",), (DROP_TAIL % "Newcomer: 1",)),
    "token buckets of links": (("burst",), ("FIFO",), ("network.token_bucket=0B",)),
    "ACKs that come at once (100 us)": (("burst",), ("FIFO",), ("network.tcp.ack_jitter=100us",)),
    "ports that drop whole bursts": (("burst",), ("FIFO",), ()),
    "windows that grow (4 MiB)": (ENGINES, ("fair", "FIFO"), ("transfer.grant=capped", "transfer.window=4MiB")),
}
SINGLE = "ports that drop whole bursts"
PACKETS = {"fair": 1, "FIFO": 2}  # replications
PACKET_CASES = (real_runs.BATCHES[0], "alexnet")  # others take hours


def queues_of(batch, names, single=False):
    """The values of network.queue with these names."""
    port = batch.port if single else real_runs.virtual_port(batch.port)
    return tuple({"fair": real_runs.FAIR, "FIFO": port}[name] for name in names)


@dataclass(frozen=True)
class Predicted(Run):
    """Predictions of a batch and model by an engine; `kind` is "default", "late", the ports of packets, or a part that is left
    out."""

    batch: real_runs.Batch | None = None
    model: str = ""
    kind: str = ""

    @classmethod
    def of(cls, batch, model, engine, kind, queues, settings, workers=None):
        own = batch.settings(model, workers, queues)
        return cls(real_runs.folder_name(engine, kind, batch.name, model), batch.scenario(model), (*own, *QUIET, *settings), engine,
                   batch, model, kind)


def predictions():
    for batch in real_runs.BATCHES:
        for model in batch.models:
            for engine in ENGINES:
                means = ", ".join(f"{mean:g}ms" for mean in lateness.MEANS)
                yield Predicted.of(batch, model, engine, "late", queues_of(batch, ("fair", "FIFO")),
                                   (*SEEDS[engine], f"sweep.{JITTER}=[{means}]"))
                means = ", ".join(f"{{mean: {mean:g}ms, cores: {CORES}}}" for mean in lateness.OF_PROCESSES)
                yield Predicted.of(batch, model, engine, "crowded", queues_of(batch, ("fair", "FIFO")),
                                   (*SEEDS[engine], f"sweep.{JITTER}=[{means}]"))
                yield Predicted.of(batch, model, engine, "default", queues_of(batch, ("fair", "FIFO")), (*SEEDS[engine], ON_CORES))
                for kind, (engines, queues, settings) in WITHOUT.items():
                    if engine in engines:
                        yield Predicted.of(batch, model, engine, kind, queues_of(batch, queues, kind == SINGLE),
                                           (*SEEDS[engine], ON_CORES, *settings))
            workers = [w for w in batch.workers if w in (1, 2, 4, 8)]
            for queue, seeds in PACKETS.items() if (batch, model) == PACKET_CASES else ():
                yield Predicted.of(batch, model, "packet", queue, queues_of(batch, (queue,)),
                                   (f"packet.replications={seeds}", ON_CORES), workers)


PREDICTED = tuple(predictions())
MEASURED = tuple(real_runs.Measured.of(batch, model) for batch in real_runs.BATCHES for model in batch.models)
RUNS = PREDICTED


@dataclass
class Case:
    """A case of real runs, and what was predicted of it, in samples/s; of collectives with the defaults only."""

    key: real_runs.Key
    real: real_runs.Real
    usual: dict = field(default_factory=dict)  # {engine: throughput}
    late: dict = field(default_factory=dict)  # {engine: {mean lateness, ms: throughput}}
    crowded: dict = field(default_factory=dict)  # the same for each process of a core
    without: dict = field(default_factory=dict)  # {engine: {kind: throughput}}

    def error(self, engine):
        """With the defaults, relative to the real runs; None if it was not predicted."""
        return self.usual[engine] / self.real.mean - 1 if engine in self.usual else None

    def error_without(self, engine, kind):
        return self.without[engine][kind] / self.real.mean - 1


def read_cases(results):
    batches = {batch.name for batch in real_runs.BATCHES}
    cases = {key: Case(key, real) for key, real in real_runs.read().items() if key.batch in batches}
    for run in PREDICTED:
        for raw in results.raw(run.name):
            case = cases.get(real_runs.Key.of(run.batch.name, run.model, raw))
            found = throughputs(raw, run.engine)
            if case is None or not found:
                continue  # all its real runs were disturbed, or a part of the packets is not there
            mean = statistics.fmean(found)
            if run.kind in ("late", "crowded"):
                late = float(re.search(r"([\d.]+)ms", str(raw["variant"][JITTER]))[1])
                getattr(case, run.kind).setdefault(run.engine, {})[late] = mean
            elif run.kind == "default" or run.engine == "packet":
                case.usual[run.engine] = mean
            else:
                case.without.setdefault(run.engine, {})[run.kind] = mean
    return list(cases.values())


def groups(cases):
    """(name, cases): all, and by what they differ in."""
    yield "all", cases
    for queue in ("fair", "FIFO"):
        mine = [case for case in cases if case.key.queue == queue]
        yield queue, mine
        for batch in real_runs.BATCHES:
            yield f"- {batch.name}", [case for case in mine if case.key.batch == batch.name]
        for start in ("together", "apart"):
            yield f"- {start}", [case for case in mine if case.key.start == start]
        for servers in ("1", "2"):
            yield f"- M = {servers}", [case for case in mine if case.key.servers == servers]
        for workers in sorted({case.key.workers for case in mine}):
            yield f"- W = {workers}", [case for case in mine if case.key.workers == workers]
        for model, title in host.MODELS.items():
            yield f"- {title}", [case for case in mine if case.key.model == model]


def mean_size(errors):
    return percent(statistics.fmean(map(abs, errors)))


def sizes(errors):
    """Number, mean size, and mean with its sign."""
    errors = [error for error in errors if error is not None]
    return [str(len(errors)), mean_size(errors), signed(statistics.fmean(errors))] if errors else ["0", "-", "-"]


def errors_table(cases):
    rows = []
    for name, group in groups(cases):
        if group:
            found = [sizes(case.error(engine) for case in group) for engine in (*ENGINES, "packet")]
            rows.append([name, mean_size(case.real.farthest for case in group), *found[0], *found[1][1:], *found[2]])
    return simple(["cases", "repeats", "n", "f.-share", "mean", "burst", "mean", "n", "packet", "mean"], rows)


def worst_table(cases):
    rows = []
    for engine in (*ENGINES, "packet"):
        known = [case for case in cases if case.error(engine) is not None]
        for case in sorted(known, key=lambda case, engine=engine: -abs(case.error(engine)))[:host.WORST]:
            key = case.key
            rows.append([engine, key.batch, host.MODELS[key.model], key.queue, key.servers, key.start, key.workers,
                         f"{case.real.mean:.3g}", signed(case.error(engine)), percent(case.real.farthest)])
    return simple(["engine", "batch", "model", "queue", "M", "start", "W", "real", "error", "repeats"], rows)


# What is left out at a time
SPLITS = {
    "rate and port": lambda case: case.key.batch,
    "queue": lambda case: case.key.queue,
    "model": lambda case: host.MODELS[case.key.model],
    "W": lambda case: f"W = {case.key.workers}",
}


def lateness_table(cases):
    """Mean sizes of errors of what was left out, by each law of lateness."""
    rows = []
    for split, group_of in SPLITS.items():
        found = [lateness.leave_out(cases, engine, law, group_of) for engine in ENGINES for law in lateness.LAWS]
        for group in found[0]:
            cells = []
            for (constant, errors), law in zip((each[group] for each in found), lateness.LAWS * len(ENGINES)):
                fitted = f" ({constant:g})" if len(law.constants) > 1 else ""
                cells.append(mean_size(errors) + fitted)
            rows.append([f"{split}: {group}", *cells])
    return simple(["left out", *(f"{engine}, {short}" for engine in ("f.-s.", "burst")
                                 for short in ("none", "c", "c n/cores", "c n/cores, first 5 c"))], rows)


def ablation_table(cases):
    """Mean errors with all parts, and with one of them less."""
    def row(name, engine, error_of, queues):
        cells = []
        for queue in ("fair", "FIFO"):
            errors = [error_of(case) for case in cases if case.key.queue == queue] if queue in queues else []
            cells += [mean_size(errors), signed(statistics.fmean(errors))] if errors else ["-", "-"]
        return [engine, name, *cells]

    rows = []
    for engine in ENGINES:
        rows.append(row("nothing", engine, lambda case, engine=engine: case.error(engine), ("fair", "FIFO")))
        rows.append(row("lateness of steps", engine, lambda case, engine=engine: case.late[engine][0.0] / case.real.mean - 1,
                        ("fair", "FIFO")))
        rows += [row(kind, engine, lambda case, engine=engine, kind=kind: case.error_without(engine, kind), queues)
                 for kind, (engines, queues, _) in WITHOUT.items() if engine in engines]
    return simple(["engine", "without", "fair", "mean", "FIFO", "mean"], rows)


def expected_rows(name, cases, engines):
    """A row of what ./dml run says of scenarios of a kind: the largest and the mean size of errors of each engine."""
    row = [name, str(len(cases))]
    for engine in engines:
        errors = [abs(case.error(engine)) for case in cases if case.error(engine) is not None]
        row += [str(len(errors))] if engine == "packet" else []
        row += [percent(statistics.fmean(errors)), percent(max(errors))] if errors else ["-", "-"]
    return row


def expected_table(cases):
    """What is compiled into the program (model/report/dml-expected-error.cc)."""
    groups = {"one worker": [case for case in cases if case.key.workers == "1"]}
    for queue in ("fair", "FIFO"):
        for servers in ("1", "2"):
            groups[f"{queue}, M = {servers}"] = [case for case in cases if case.key.workers != "1"
                                                 and (case.key.queue, case.key.servers) == (queue, servers)]
    return simple(["kind", "cases", "f.-share", "most", "burst", "most", "cases", "packet", "most"],
                  [expected_rows(name, group, (*ENGINES, "packet")) for name, group in groups.items()])


def all_table(cases):
    rows = [[case.key.batch, host.MODELS[case.key.model], *case.key[2:], f"{case.real.mean:.3g}", percent(case.real.farthest),
             *("-" if case.error(engine) is None else signed(case.error(engine)) for engine in (*ENGINES, "packet"))]
            for case in cases]
    return simple(["batch", "model", "queue", "M", "start", "W", "real", "repeats", "f.-s.", "burst", "packet"], rows)


def values_of(cases):
    """Mean sizes of errors, by group and engine."""
    values = {}
    for name, group in (("all", cases), *((queue, [case for case in cases if case.key.queue == queue])
                                          for queue in ("fair", "FIFO")),
                        ("alone", [case for case in cases if case.key.workers == "1"]),
                        *((f"{queue}-{servers}", [case for case in cases if case.key[2:4] == (queue, servers)])
                          for queue in ("fair", "FIFO") for servers in "12")):
        values[f"{name}-repeats"] = mean_size(case.real.farthest for case in group)
        for engine in (*ENGINES, "packet"):
            _, values[f"{name}-{engine}"], values[f"{name}-{engine}-mean"] = sizes(case.error(engine) for case in group)
    values["cases"], values["runs"] = str(len(cases)), str(sum(case.real.runs for case in cases))
    return values


def report(results, _):
    """(tables, pictures drawn, values) of the page."""
    cases = read_cases(results)
    return {"errors": errors_table(cases), "worst": worst_table(cases), "lateness": lateness_table(cases),
            "ablation": ablation_table(cases), "expected": expected_table(cases), "all": all_table(cases)}, {}, values_of(cases)
