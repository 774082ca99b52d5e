#
# Copyright (c) 2026 The dml authors
#
# SPDX-License-Identifier: GPL-2.0-only

"""The study of fidelity: both predictions beside real runs of the host engine."""

from fidelity import phases, windows
from fidelity.informed import Informed
from fidelity.results import predictions
from order_studies.runs import Run
from testbed_compare.report import quantile
from validation_report.effects import Spread
from validation_report.plots import COLOURS, block, draw
from validation_report.study import ENGINES
from validation_report.tables import percent, signed, simple

NAME = "host"
MODELS = {"alexnet": "AlexNet", "vgg11": "VGG-11", "resnet50": "ResNet-50"}
MEASURED = tuple(Run(model, f"host-fidelity/{model}.yaml", (), "all") for model in MODELS)
INFORMED = tuple(Informed(f"{run.name}-informed", run) for run in MEASURED)
# What a real run costs this machine.
RATES = ("125Mbps", "250Mbps", "500Mbps", "1Gbps")
COST = Run("cost", "host-fidelity/alexnet.yaml",
           ("job.workers=[1, 2, 4, 8]", "job.steps=6", "job.warmup=1", "replications=1",
            "output.connections=false",
            f"sweep={{network.rate: [{', '.join(RATES)}]}}"), "host")
# The same cases with workers that start together, but for a millisecond.
NEARLY = Run("nearly-together", "host-fidelity/alexnet.yaml",
             ("replications=1", f"job.start=[{', '.join(f'{w}ms' for w in range(8))}]",
              "sweep={network.queue: [{fair: 0B}, {drop_tail: 1MB, whole_bursts: true}]}"))
RUNS = (*MEASURED, *INFORMED, NEARLY, COST)

KINDS = ("blind", "informed")
WORST = 5


def groups(cases):
    """(name, cases): all, by network and start, by W, by model."""
    yield "all", cases
    for fair in (True, False):
        for servers in sorted({case.servers for case in cases}):
            for together in (True, False):
                yield (f"{queue_name(fair)}, M = {servers}, {start_name(together)}",
                       [case for case in cases
                        if (case.fair, case.servers, case.together) == (fair, servers, together)])
    for workers in sorted({case.workers for case in cases}):
        yield f"W = {workers}", [case for case in cases if case.workers == workers]
    for model, title in MODELS.items():
        yield title, [case for case in cases if case.study == model]


def queue_name(fair):
    return "fair" if fair else "FIFO"


def start_name(together):
    return "together" if together else "apart"


def errors_table(cases, kind):
    """Sizes of errors: those of a second measurement, and those of both engines."""
    rows = []
    for name, group in groups(cases):
        repeats = Spread.of(error for case in group for error in case.repeats)
        row = [name, str(len(group)), percent(repeats.median), percent(repeats.p90)]
        for engine in ENGINES:
            spread = Spread.of(case.error(kind, engine) for case in group)
            row += [percent(spread.median), percent(spread.p90), signed(spread.bias)]
        rows.append(row)
    return simple(["cases", "n", "repeats", "p90", "f.-share", "p90", "mean", "packet", "p90",
                   "mean"], rows)


def name_of(case):
    return [MODELS[case.study], queue_name(case.fair), str(case.servers),
            start_name(case.together), str(case.workers)]


def worst_table(cases, kind):
    rows = []
    for engine in ENGINES:
        ordered = sorted(cases, key=lambda case: -abs(case.error(kind, engine)))
        rows += [[engine, *name_of(case), f"{case.mean:.2f}", f"{getattr(case, kind)[engine]:.2f}",
                  signed(case.error(kind, engine)), percent(max(map(abs, case.repeats)))]
                 for case in ordered[:WORST]]
    return simple(["engine", "model", "queue", "M", "start", "W", "real", "predicted", "error",
                   "repeats"], rows)


def all_table(cases):
    rows = [[*name_of(case), f"{case.mean:.2f}", percent(max(map(abs, case.repeats))),
             *(signed(case.error(kind, engine)) for kind in KINDS for engine in ENGINES)]
            for case in cases]
    return simple(["model", "queue", "M", "start", "W", "real", "repeats", "f.-s.", "packet",
                   "f.-s.", "packet"], rows)


def windows_table(last):
    """What gRPC's windows came to; `last` as windows.read_last() gives it."""
    rows = []
    for parameters in (True, False):
        for workers in sorted({entry[1] for entry in last}):
            sizes = sorted(size / 2**20 for _, w, down, size in last
                           if (w, down) == (workers, parameters))
            if sizes:
                rows.append(["parameters" if parameters else "gradients", str(workers),
                             str(len(sizes)), *(f"{quantile(sizes, part):.1f}"
                                                for part in (0.1, 0.5, 0.9)),
                             percent(sum(size < 4.01 for size in sizes) / len(sizes))])
    return simple(["connections for", "W", "n", "p10", "median", "p90", "never above 4"], rows)


def nearly_table(cases, nearly):
    """Real runs that start together, and predictions that do, exactly and nearly."""
    found = {(case["variant"]["network.queue"], case["workers"]): predictions(case)
             for case in nearly}
    rows = [[queue_name(case.fair), str(case.workers), f"{case.mean:.2f}",
             *(f"{values[engine]:.2f}" for engine in ENGINES for values in (
                 case.blind, found[case.variant["network.queue"], case.workers]))]
            for case in cases if case.together and case.servers == 1]
    return simple(["queue", "W", "real", "f.-share", "1 ms", "packet", "1 ms"], rows)


PHASE_STEPS = (0, 1, 2, 4, 6, 8, 11)


def phases_table(apart):
    """How two workers that start together part; `apart` as phases.read() gives it."""
    rows = [[queue_name("fair" in variant), {"host": "real"}.get(engine, engine),
             *(f"{steps[step]:.0f}" for step in PHASE_STEPS)]
            for (variant, engine), steps in sorted(apart.items(), reverse=True)]
    return simple(["queue", "engine", *(f"step {step}" for step in PHASE_STEPS)], rows)


def cost_table(cases):
    """Cores that the processes of a real run keep busy, by rate and W."""
    found = {(case.variant["network.rate"], case.workers): case for case in cases}
    workers = sorted({case.workers for case in cases})
    rows = [[rate, *(f"{found[rate, w].cores:.2f}" for w in workers if (rate, w) in found),
             *(f"{found[rate, w].cpu_per_gigabyte:.1f}" for w in workers if (rate, w) in found)]
            for rate in RATES]
    return simple(["rate", *(f"W={w}" for w in workers), *(f"s/GB, W={w}" for w in workers)], rows)


def picture(cases, path):
    """Throughput against W, one panel for each model and network, started apart."""
    commands = ("set multiplot layout 3,4\nset xrange [0.5:8.5]\nset xtics 1\nset yrange [0:*]\n"
                "set key bottom right samplen 2\n")
    for m, (model, title) in enumerate(MODELS.items()):
        for n, (fair, servers) in enumerate((f, s) for f in (True, False) for s in (1, 2)):
            mine = sorted((case for case in cases
                           if (case.study, case.fair, case.servers, case.together)
                           == (model, fair, servers, False)), key=lambda case: case.workers)
            data = f"d{m}{n}"
            commands += block(data, [(c.workers, c.mean, min(c.measured), max(c.measured),
                                      *(c.blind[engine] for engine in ENGINES),
                                      *(c.informed[engine] for engine in ENGINES)) for c in mine])
            lines = [f"${data} using 1:2:3:4 with yerrorbars lw 2 pt 7 ps 0.6 lc rgb '#000000' "
                     "title 'real'"]
            for e, engine in enumerate(ENGINES):
                lines += [f"${data} using 1:{5 + e} with lines lw 2 dt 3 lc rgb '{COLOURS[e]}' "
                          f"title '{engine}, blind'",
                          f"${data} using 1:{7 + e} with lines lw 2 lc rgb '{COLOURS[e]}' "
                          f"title '{engine}, informed'"]
            commands += (f"set title '{title}, {queue_name(fair)}, M = {servers}'\n"
                         + ("set xlabel 'Workers W'\n" if m == len(MODELS) - 1 else "unset xlabel\n")
                         + ("set ylabel 'samples/s'\n" if n == 0 else "unset ylabel\n")
                         + "plot " + ", ".join(lines) + "\nunset key\n")
    return draw(path, 1280, 960, commands + "unset multiplot\n")


def size(cases, kind, engine, part="median"):
    """Of errors, in per cent."""
    spread = Spread.of(case.error(kind, engine) for case in cases)
    return percent(getattr(spread, part))


def values_of(cases):
    apart = [case for case in cases if not case.together]
    fair = [case for case in apart if case.fair]
    alone = [case for case in cases if case.workers == 1]
    of = {"all": cases, "apart": apart, "apart-fair": fair, "alone": alone}
    values = {f"{name}-{engine}": size(group, "blind", engine)
              for name, group in of.items() for engine in ENGINES}
    values |= {f"{name}-repeats": percent(Spread.of(
        error for case in group for error in case.repeats).median) for name, group in of.items()}
    values |= {f"alone-{engine}-p90": size(alone, "blind", engine, "p90") for engine in ENGINES}
    values |= {f"informed-{engine}": size(fair, "informed", engine) for engine in ENGINES}
    return values | {
        "all-runs": str(sum(len(case.measured) + case.disturbed for case in cases)),
        "disturbed": str(sum(case.disturbed for case in cases)),
    }


def report(results, figure):
    """(tables, pictures drawn, values) of the page."""
    cases = [case for run, informed in zip(MEASURED, INFORMED)
             for case in results.informed_cases(run.name, informed.name)]
    tables = {f"errors-{kind}": errors_table(cases, kind) for kind in KINDS}
    tables |= {f"worst-{kind}": worst_table(cases, kind) for kind in KINDS}
    tables["all"] = all_table(cases)
    tables["windows"] = windows_table([entry for run in MEASURED
                                       for entry in windows.read_last(results.folder(run.name))])
    tables["nearly"] = nearly_table([case for case in cases if case.study == MEASURED[0].name],
                                    results.raw(NEARLY.name))
    tables["phases"] = phases_table(phases.read(
        results.folder(MEASURED[0].name),
        lambda variant: "together" in variant and "parameter_servers=1" in variant))
    tables["cost"] = cost_table(results.cases(COST.name))
    return tables, {"throughput": picture(cases, figure("throughput"))}, values_of(cases)
