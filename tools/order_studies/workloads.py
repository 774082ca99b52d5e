#
# Copyright (c) 2026 The dml authors
#
# SPDX-License-Identifier: GPL-2.0-only

"""TicTac (MLSys 2019), Figs. 7, 9, 10 and 11, training and inference, at full size in fair-share."""


from order_studies.results import find
from order_studies.runs import Run, full_profile
from study_intervals import Mean
from validation_report.plots import COLOURS, block, draw
from validation_report.tables import signed, simple
from validation_study.settings import MODELS

NAME = "tictac-workloads"
WORKLOADS = ("training", "inference")
ORDERS = ("shuffled", "tic")
WORKERS = {1: (2, 4, 8), 2: (8,), 4: (8, 16)}  # by the number of servers
SCALE_OUT = {2: 1, 4: 1, 8: 2, 16: 4}  # servers by workers (Fig. 7)
MANY = 8  # workers of Fig. 9
FEW = 4  # workers of Figs. 10 and 11
FACTORS = (0.5, 1, 2)  # of the batch size (Fig. 10)
WARMUP = 2  # iterations that do not count, as in the paper
ITERATIONS = 10  # that do
SYNCHRONOUS = ("job.sync=bsp", f"job.steps={WARMUP + ITERATIONS}", f"job.warmup={WARMUP}", "replications=1")


def sync_name(model, servers):
    return f"sync-{model}-m{servers}"


def batch_name(model):
    return f"batch-{model}"


def packet_name(model):
    return f"packet-{model}"


def batch_of(model):
    """The batch size of the model's profile, which its name ends with."""
    return int(MODELS[model][0].rpartition("-b")[2])


def sync_run(model, servers):
    name = sync_name(model, servers)
    return Run(name, "tictac", (f"name={name}", *full_profile(model), *SYNCHRONOUS,
                                f"job.parameter_servers={servers}",
                                f"job.workers={list(WORKERS[servers])}",
                                f"sweep={{job.workload: [{', '.join(WORKLOADS)}], "
                                f"transfer.policy: [{', '.join(ORDERS)}]}}"), "fair-share")


def batch_run(model):
    """All sizes but the profile's."""
    name = batch_name(model)
    sizes = ", ".join(str(round(factor * batch_of(model))) for factor in FACTORS if factor != 1)
    return Run(name, "tictac", (f"name={name}", *full_profile(model), *SYNCHRONOUS,
                                f"job.workers=[{FEW}]",
                                f"sweep={{job.workload: [{', '.join(WORKLOADS)}], "
                                f"transfer.policy: [{', '.join(ORDERS)}], "
                                f"job.batch_size: [{sizes}]}}"), "fair-share")


def packet_run(model):
    """Inference between hosts of Linux; training is in the study full-size."""
    name = packet_name(model)
    return Run(name, "tictac", (f"name={name}", *full_profile(model), *SYNCHRONOUS,
                                f"job.workers=[{FEW}]",
                                "job.workload=inference",
                                "network.transport=linux", "network.mtu=1500",
                                "network.queue={fair: 0B}", "network.tcp={trains: true}",
                                "packet.fast_forward=true",
                                f"sweep={{transfer.policy: [{', '.join(ORDERS)}]}}"))


RUNS = (*(sync_run(model, servers) for model in MODELS for servers in WORKERS),
        *(batch_run(model) for model in MODELS), *(packet_run(model) for model in MODELS))


def pair(results, run, workers, engine="fair-share", **variant):
    """The cases without an order and with TIC."""
    cases = results.cases([run])
    keys = {"job." + key: value for key, value in variant.items()}
    return [find(cases, workers, engine, {"transfer.policy": order, **keys}) for order in ORDERS]


def counted(case):
    """The iterations behind the warm-up, as (replication, step)."""
    return sorted((place for place in case.times if int(place[1]) >= WARMUP),
                  key=lambda place: int(place[1]))


def gain(before, after):
    """Of TIC, in the time of an iteration; iterations of the same number draw the same steps."""
    return Mean.of_gains(*([case.times[place] for place in counted(before)] for case in (before, after)))


def scale_gains(results):
    """By (model, workload, servers, W)."""
    return {(model, workload, servers, workers): gain(*pair(results, sync_name(model, servers), workers,
                                                            workload=workload))
            for model in MODELS for workload in WORKLOADS for servers, group in WORKERS.items()
            for workers in group}


def batch_gains(results):
    """By (model, workload, factor)."""
    found = {}
    for model in MODELS:
        for workload in WORKLOADS:
            for factor in FACTORS:
                more = {} if factor == 1 else {"batch_size": str(round(factor * batch_of(model)))}
                run = sync_name(model, 1) if factor == 1 else batch_name(model)
                found[model, workload, factor] = gain(*pair(results, run, FEW, workload=workload, **more))
    return found


def packet_gains(results):
    """By (model, engine), of inference."""
    return {(model, engine): gain(*pair(results, packet_name(model), FEW, engine))
            for model in MODELS for engine in ("fair-share", "packet")}


def engine_gap(packet, model):
    return abs(packet[model, "packet"].value - packet[model, "fair-share"].value)


def waits(case):
    """The straggler time of each iteration: the longest wait of a worker for the last one, as part of the
    time that the last one takes."""
    return [1 - min(case.own[place]) / max(case.own[place]) for place in counted(case)]


def mean_text(values):
    """In per cent, with half the 95 % interval."""
    return Mean.of(values).text(1, 100)


def gain_table(columns, cell):
    """A row for each model and workload."""
    rows = [[model, workload, *(cell(model, workload, column).percent for column in columns.values())]
            for model in MODELS for workload in WORKLOADS]
    return simple(["model", "workload", *columns], rows)


def efficiency_table(results):
    """Fig. 11 (a): mean and maximum over all steps."""
    rows = []
    for model in MODELS:
        for workload in WORKLOADS:
            found = [case.schedule["efficiency"]
                     for case in pair(results, sync_name(model, 1), FEW, workload=workload)]
            rows.append([model, workload, *(f"{each[key]:.3f}" for each in found
                                            for key in ("mean", "min", "max"))])
    return simple(["model", "workload", "none: mean", "min", "max", "TIC: mean", "min", "max"], rows)


def waits_table(results):
    """Fig. 11 (b): mean and maximum over the iterations."""
    rows = []
    for model in MODELS:
        for workload in WORKLOADS:
            found = [waits(case)
                     for case in pair(results, sync_name(model, 1), FEW, workload=workload)]
            rows.append([model, workload, *(text for each in found
                                            for text in (mean_text(each), f"{100 * max(each):.1f}"))])
    return simple(["model", "workload", "none: mean", "max", "TIC: mean", "max"], rows)


def packet_table(found):
    rows = [[model, found[model, "fair-share"].percent, found[model, "packet"].percent]
            for model in MODELS]
    return simple(["model", "fair-share", "packet"], rows)


def draw_gains(scale, batch, path):
    """A row of panels for each workload, a line for each model."""
    columns = (("Workers, one server for four", "2, 4, 8, 16", SCALE_OUT,
                lambda m, l, w: scale[m, l, SCALE_OUT[w], w]),
               (f"Servers, {MANY} workers", "1, 2, 4", WORKERS, lambda m, l, s: scale[m, l, s, MANY]),
               (f"Times the batch size, {FEW} workers", "0.5, 1, 2", FACTORS,
                lambda m, l, f: batch[m, l, f]))
    top = 115 * max(each.value for each in (*scale.values(), *batch.values()))
    commands, panels = "", ""
    for l, workload in enumerate(WORKLOADS):
        for c, (label, tics, values, cell) in enumerate(columns):
            lines = []
            for m, model in enumerate(MODELS):
                commands += block(f"d{l}{c}{m}", [
                    (float(value), 100 * cell(model, workload, value).value,
                     100 * cell(model, workload, value).low,
                     100 * cell(model, workload, value).high) for value in values])
                lines.append(f"$d{l}{c}{m} using 1:2:3:4 with yerrorlines lw 1.5 ps 0.6 pt {m + 4} "
                             f"lc rgb '{COLOURS[m]}' title '{model}'")
            panels += f"set title '{workload}'\nset xlabel '{label}'\nset xtics ({tics})\n"
            panels += f"set xrange [{min(values) / 1.2}:{max(values) * 1.2}]\n"
            panels += "set ylabel 'gain of TIC (%)'\n" if c == 0 else "unset ylabel\n"
            panels += "set key top right\n" if c + l == 0 else "unset key\n"
            panels += "plot 0 lc rgb '#909090' notitle, " + ", ".join(lines) + "\n"
    commands += f"set multiplot layout 2,3\nset yrange [-3:{top:.4g}]\nset logscale x 2\n"
    return draw(path, 1000, 640, commands + panels + "unset multiplot\n")


def largest(found, workload):
    """The key and the gain."""
    return max(((key, each) for key, each in found.items() if key[1] == workload),
               key=lambda item: item[1].value)


def values_of(results, scale, batch, packet):
    """What the text says."""
    infer = [pair(results, sync_name(model, 1), FEW, workload="inference")[1] for model in MODELS]
    values = {"certain": str(sum(each.certain and each.value > 0 for each in scale.values())),
              "losses": str(sum(each.certain and each.value < 0 for each in scale.values())),
              "cases": str(len(scale)), "lowest": signed(min(each.value for each in scale.values())),
              "more": str(sum(scale[key].value > scale[key[0], "training", *key[2:]].value
                              for key in scale if key[1] == "inference")),
              "pairs": str(len(scale) // 2),
              "engines": f"{100 * max(engine_gap(packet, model) for model in MODELS):.2f}",
              "efficiency": f"{min(case.schedule['efficiency']['mean'] for case in infer):.3f}"}
    for workload in WORKLOADS:
        (model, _, servers, workers), each = largest(scale, workload)
        values[f"largest-{workload}"] = each.percent
        values[f"largest-{workload}-case"] = f"{model}, W={workers}, M={servers}"
        values[f"batch-rises-{workload}"] = str(sum(
            batch[model, workload, FACTORS[-1]].value > batch[model, workload, FACTORS[0]].value
            for model in MODELS))
        cases = [pair(results, sync_name(model, 1), FEW, workload=workload) for model in MODELS]
        values[f"wait-none-{workload}"], values[f"wait-tic-{workload}"] = (
            f"{100 * max(max(waits(each[at])) for each in cases):.1f}" for at in (0, 1))
    return values


def report(results, picture):
    """(tables, whether each picture was drawn, values); `picture` gives the path of a name."""
    scale, batch, packet = scale_gains(results), batch_gains(results), packet_gains(results)
    tables = {
        "scale": gain_table({f"W={w}": w for w in SCALE_OUT},
                            lambda m, l, w: scale[m, l, SCALE_OUT[w], w]),
        "servers": gain_table({f"M={s}": s for s in WORKERS}, lambda m, l, s: scale[m, l, s, MANY]),
        "batch": gain_table({f"batch x {f:g}": f for f in FACTORS}, lambda m, l, f: batch[m, l, f]),
        "efficiency": efficiency_table(results),
        "waits": waits_table(results), "packets": packet_table(packet)}
    return (tables, {"gains": draw_gains(scale, batch, picture("gains"))},
            values_of(results, scale, batch, packet))
