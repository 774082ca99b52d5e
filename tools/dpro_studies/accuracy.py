#
# Copyright (c) 2026 The dml authors
#
# SPDX-License-Identifier: GPL-2.0-only

"""Figs. 1 and 7 and Table 2: replayed and estimated times of steps beside those of packets."""

import os
import statistics

from dml import Results as Folder
from dpro_studies import runs
from dpro_studies.results import COLUMNS, TIMES, mean_step
from dpro_studies.runs import JobRun
from four_configurations import daydream
from study_intervals import Mean
from testbed_compare.tables import read_rows
from validation_report.plots import COLOURS, block, draw
from validation_report.tables import percent, signed, simple

NAME = "accuracy"
WORKERS = 4
STEPS = 8
SEEDS = (1, 2, 3)
# model: job.scale. There is no profile of anything like BERT Base.
MODELS = {"resnet50-b4": 1 / 16, "vgg11-b4": 1 / 64, "inception-v3-b4": 1 / 16}
CONFIGURATIONS = tuple((gradients, network) for gradients in ("ring", "BytePS")
                       for network in ("RDMA", "TCP"))
FIRST = "resnet50-b4"  # the model of Fig. 1
DETAILED = ("ring", "TCP")  # what Table 2 is compared with
# ms: iteration, forward, backward
PAPER = {"ResNet50": {"truth": (138.64, 34.78, 71.34), "dPRO": (142.31, 34.20, 70.32),
                      "Daydream": (109.19, 34.69, 70.04)},
         "BERT Base": {"truth": (459.62, 107.49, 185.66), "dPRO": (453.83, 106.58, 187.05),
                       "Daydream": (345.68, 106.80, 185.79)}}


def job(model, gradients, network, seed):
    return JobRun("-".join((model, gradients, network, str(seed))).lower(), model, gradients, network,
                  WORKERS, seed, STEPS, MODELS[model])


RUNS = tuple(job(model, *configuration, seed) for model in MODELS
             for configuration in CONFIGURATIONS for seed in SEEDS)


class Case:
    """A model in a configuration: all of its runs."""

    def __init__(self, replays, estimate):
        self.replays = replays
        self.estimate = estimate  # s a step, Daydream's

    @property
    def real(self):
        return Mean.of(each.measured["step"] for each in self.replays)

    @property
    def replay(self):
        """Of the replay against the run that it is of."""
        return Mean.of(each.error for each in self.replays)

    @property
    def elsewhere(self):
        """Of the replay against the other runs, which it is not of."""
        return Mean.of(each.replayed["step"] / statistics.fmean(
            other.measured["step"] for other in self.replays if other is not each) - 1
                       for each in self.replays)

    @property
    def daydream(self):
        return Mean.of(self.estimate / each.measured["step"] - 1 for each in self.replays)

    @property
    def fair_share(self):
        return Mean.of(each.fair_share / each.measured["step"] - 1 for each in self.replays)


def read(results):
    """Cases by (model, gradients, network)."""
    found = {}
    for model, scale in MODELS.items():
        seconds = scale * daydream.estimate(runs.read_profile(model), WORKERS, runs.BANDWIDTH,
                                            runs.SPEED)
        for configuration in CONFIGURATIONS:
            replays = [results.replay(job(model, *configuration, seed).name) for seed in SEEDS]
            found[model, *configuration] = Case(replays, seconds)
    return found


def step_table(found):
    """Fig. 1: ms of the full-size job."""
    rows = [[gradients, network, f"{1e3 * case.estimate / MODELS[FIRST]:.1f}",
             Mean.of(each.fair_share for each in case.replays).text(factor=1e3 / MODELS[FIRST]),
             case.real.text(factor=1e3 / MODELS[FIRST]), case.daydream.percent]
            for (model, gradients, network), case in found.items() if model == FIRST]
    return simple(["gradients", "network", "Daydream", "fair-share", "packet", "error, %"], rows)


def short(model):
    """Without its batch size."""
    return model.rpartition("-b")[0]


def error_table(found):
    rows = [[short(model), f"{gradients}, {network}", case.real.text(factor=1e3 / MODELS[model]),
             case.replay.percent, case.daydream.percent, case.fair_share.percent]
            for (model, gradients, network), case in found.items()]
    return simple(["model", "configuration", "packet, ms", "replay", "Daydream", "fair-share"], rows)


def parts(found):
    """{who: ms by TIMES} of the full-size job in the configuration of Table 2."""
    case, factor = found[FIRST, *DETAILED], 1e3 / MODELS[FIRST]
    alone = daydream_times(FIRST)
    return {"packet": [Mean.of(each.measured[name] for each in case.replays).text(factor=factor)
                       for name in TIMES],
            "replay": [Mean.of(each.replayed[name] for each in case.replays).text(factor=factor)
                       for name in TIMES],
            "Daydream": [f"{1e3 * seconds:.1f}" for seconds in alone]}


def daydream_times(model):
    """Seconds of a step, its forward and its backward part, of the full-size job."""
    profile = runs.read_profile(model)
    ops = [op for op in profile["ops"] if op["kind"] != "pull"]
    ends = daydream.run(daydream.list_ops(profile, WORKERS, runs.BANDWIDTH, runs.SPEED))
    forward, backward = (max(end for op, end in zip(ops, ends) if op["kind"] == kind)
                         for kind in ("forward", "backward"))
    return max(ends), forward, backward - forward


def spread(found):
    """How many times as long the longest steps of Fig. 1 are as the shortest."""
    means = [case.real.value for (model, *_), case in found.items() if model == FIRST]
    return max(means) / min(means)


def part_table(found):
    rows = [["ResNet-50, here", who, *cells] for who, cells in parts(found).items()]
    rows += [[f"{model}, the paper", who, *(f"{value:.1f}" for value in values)]
             for model, by_whom in PAPER.items() for who, values in by_whom.items()]
    return simple(["model", "who", "iteration, ms", "forward", "backward"], rows)


def slowest(results, seed):
    """What the mean of the slowest worker's computing loses if means are taken first, over a step:
    Inception-v3 on a ring over RDMA."""
    folder = results.folder(job("inception-v3-b4", "ring", "RDMA", seed).name, "results")
    done = {}
    for _, row in read_rows(os.path.join(folder, "steps.csv"), (*COLUMNS, "worker", "start", "done")):
        if row["engine"] == "packet" and row["step"] != "0":
            done[row["worker"], row["step"]] = float(row["done"]) - float(row["start"])
    workers, steps = ({key[i] for key in done} for i in range(2))
    mean = statistics.fmean(max(done[worker, step] for worker in workers) for step in steps)
    of_means = max(statistics.fmean(done[worker, step] for step in steps) for worker in workers)
    return (of_means - mean) / mean_step(folder, "packet")


def timeouts(results, model, seed):
    """Of retransmission, in a run with servers over TCP."""
    folder = Folder(results.folder(job(model, "BytePS", "TCP", seed).name, "results"))
    return folder.replications("packet")[0]["timeouts"]


def draw_steps(found, path):
    """A panel for each model: a group of bars for each configuration."""
    bars = {"packet": lambda case: case.real.value, "replay": lambda case: statistics.fmean(
        each.replayed["step"] for each in case.replays), "Daydream": lambda case: case.estimate}
    commands = ("set multiplot layout 1,3\nset style fill solid 0.85\nset boxwidth 0.26\n"
                "set bmargin 4\nset xrange [-0.6:3.6]\nset yrange [0:*]\nset key top left samplen 1\n")
    blocks = ""
    for m, model in enumerate(MODELS):
        factor, lines = 1e3 / MODELS[model], []
        for b, (who, value) in enumerate(bars.items()):
            blocks += block(f"d{m}{b}", [
                (x + 0.27 * (b - 1), factor * value(found[model, *configuration]))
                for x, configuration in enumerate(CONFIGURATIONS)])
            lines.append(f"$d{m}{b} using 1:2 with boxes lc rgb '{COLOURS[b]}' title '{who}'")
        blocks += block(f"e{m}", [(x - 0.27, factor * found[model, *configuration].real.value,
                                   factor * found[model, *configuration].real.low,
                                   factor * found[model, *configuration].real.high)
                                  for x, configuration in enumerate(CONFIGURATIONS)])
        lines.append(f"$e{m} using 1:3:(0):($4-$3) with vectors nohead lw 2 lc rgb '#000000' notitle")
        labels = ["\\n".join(each).removeprefix("Byte") for each in CONFIGURATIONS]
        names = ", ".join(f'"{label}" {x}' for x, label in enumerate(labels))
        commands += (f"set title '{short(model)}'\nset xtics ({names})\n"
                     + ("set ylabel 'ms a step'\n" if m == 0 else "unset ylabel\n")
                     + "plot " + ", ".join(lines) + "\nunset key\n")
    return draw(path, 960, 340, blocks + commands + "unset multiplot\n")


def report(results, picture):
    """(tables, whether each picture was drawn, values); `picture` gives the path of a name."""
    found = read(results)

    def worst(kind):
        key = max(found, key=lambda key: abs(getattr(found[key], kind).value))
        return signed(getattr(found[key], kind).value), "{}, {} over {}".format(short(key[0]), *key[1:])

    values = {"cases": str(len(found)), "seeds": str(len(SEEDS)), "steps": str(STEPS - 1),
              "ratio": f"{spread(found):.1f}",
              "below-5": str(sum(abs(case.replay.value) < 0.05 for case in found.values()))}
    values["slowest"] = Mean.of(slowest(results, seed) for seed in SEEDS).percent
    values["vgg-forward"] = Mean.of(each.replayed["forward"] / each.measured["forward"] - 1
                                    for each in found["vgg11-b4", "BytePS", "RDMA"].replays).percent
    counts = [timeouts(results, model, seed) for model in MODELS for seed in SEEDS]
    values["timeouts"] = f"{min(counts)} to {max(counts)}"
    for kind in ("replay", "elsewhere", "daydream", "fair_share"):
        name = kind.replace("_", "-")
        values[name], values[name + "-case"] = worst(kind)
        values[name + "-mean"] = percent(statistics.fmean(
            abs(getattr(case, kind).value) for case in found.values()))
    tables = {"configurations": step_table(found), "errors": error_table(found),
              "parts": part_table(found)}
    return tables, {"steps": draw_steps(found, picture("steps"))}, values
