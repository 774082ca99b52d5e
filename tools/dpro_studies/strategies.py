#
# Copyright (c) 2026 The dml authors
#
# SPDX-License-Identifier: GPL-2.0-only

"""Fig. 9: what strategies of fusing ops and tensors gain, alone and together."""

from dpro_studies.accuracy import short
from dpro_studies.variants import StrategyRun
from study_intervals import Mean
from validation_report.plots import COLOURS, block, draw
from validation_report.study import ENGINES
from validation_report.tables import signed, simple

NAME = "strategies"
WORKERS = 4
MODELS = ("resnet50-b4", "googlenet-b8")
VARIANTS = StrategyRun.VARIANTS
DEFAULTS = ("XLA", "Horovod")
FOUND = ("ops", "tensors", "both")
SHORT = {"fair-share": "f.-s.", "packet": "packet"}
RUNS = tuple(StrategyRun(model, model, WORKERS) for model in MODELS)


def read(results, run, variants=VARIANTS):
    """samples/s of each replication by (variant, engine)."""
    return {(variant, engine): results.throughputs(run, variant, engine)
            for variant in variants for engine in ENGINES}


def throughput_table(found, variants=VARIANTS):
    """samples/s; in packets, that is what a strategy is worth."""
    rows = [[variant, *(Mean.of(by[variant, engine]).text() for by in found.values()
                        for engine in ENGINES)] for variant in variants]
    return simple(["strategy", *(f"{short(model)}, {SHORT[engine]}" for model in found
                                 for engine in ENGINES)], rows)


def gain_table(found, defaults=DEFAULTS):
    """Against both defaults, in both engines."""
    pairs = [(default, engine) for default in defaults for engine in ENGINES]
    rows = [[short(model), variant, *(Mean.of_gains(by[variant, engine], by[default, engine]).percent
                                      for default, engine in pairs)]
            for model, by in found.items() for variant in FOUND]
    return simple(["model", "strategy", *(f"{default}, {SHORT[engine]}" for default, engine in pairs)],
                  rows)


def draw_throughputs(found, path, variants=VARIANTS):
    """Packets; of a model, a group of bars over that of the framework's default, the second variant."""
    commands, lines, default = "", [], variants[1]
    for v, variant in enumerate(variants):
        commands += block(f"d{v}", [(x + 0.16 * (v - 2), gain.value + 1, gain.low + 1, gain.high + 1)
                                    for x, gain in enumerate(
                                        Mean.of_gains(by[variant, "packet"], by[default, "packet"])
                                        for by in found.values())])
        lines += [f"$d{v} using 1:2 with boxes lc rgb '{COLOURS[v]}' title '{variant}'",
                  f"$d{v} using 1:3:(0):($4-$3) with vectors nohead lw 2 lc rgb '#000000' notitle"]
    names = ", ".join(f"'{short(model)}' {x}" for x, model in enumerate(found))
    commands += (f"set style fill solid 0.85\nset boxwidth 0.15\nset xtics ({names})\n"
                 f"set xrange [-0.6:{len(found) - 0.4}]\nset yrange [0:1.5]\n"
                 f"set ylabel 'throughput over that of {default}'\n"
                 "set key top left maxrows 2 samplen 1\nplot 1 lc rgb '#909090' notitle, "
                 + ", ".join(lines) + "\n")
    return draw(path, 800, 420, commands)


def best(found, default):
    """(gain, case) of the most that any strategy gains in packets."""
    gains = {(model, variant): Mean.of_gains(by[variant, "packet"], by[default, "packet"])
             for model, by in found.items() for variant in FOUND}
    key = max(gains, key=lambda each: gains[each].value)
    return gains[key].percent, f"{key[1]} of {short(key[0])}"


def losses(found, default):
    """(least, most) that XLA's fusion loses against a default, in packets."""
    gains = [Mean.of_gains(by["XLA", "packet"], by[default, "packet"]).value for by in found.values()]
    return max(gains), min(gains)


def report(results, picture):
    """(tables, whether each picture was drawn, values); `picture` gives the path of a name."""
    found = {run.model: read(results, run.name) for run in RUNS}
    values = {}
    for default in DEFAULTS:
        values[f"best-{default.lower()}"], values[f"best-{default.lower()}-case"] = best(found, default)
        gaps = [Mean.of_gains(by[variant, "fair-share"], by[default, "fair-share"]).value
                - Mean.of_gains(by[variant, "packet"], by[default, "packet"]).value
                for by in found.values() for variant in FOUND]
        values[f"gap-{default.lower()}"] = signed(max(gaps, key=abs))
    slow = [Mean.of(by["Horovod", "packet"]).value / Mean.of(by["Horovod", "fair-share"]).value - 1
            for by in found.values()]
    values["slow"] = signed(min(slow))
    values["xla-least"], values["xla-most"] = map(signed, losses(found, "Horovod"))
    values["combined-best"] = str(sum(
        max(FOUND, key=lambda name: Mean.of(by[name, "packet"]).value) == "both"
        for by in found.values()))
    values["models"] = str(len(found))
    return ({"throughputs": throughput_table(found), "gains": gain_table(found)},
            {"throughputs": draw_throughputs(found, picture("throughputs"))}, values)
