#
# Copyright (c) 2026 The dml authors
#
# SPDX-License-Identifier: GPL-2.0-only

"""Fig. 10: replays, estimates and strategies as the cluster grows."""

from dpro_studies import runs
from dpro_studies.accuracy import Case
from dpro_studies.runs import JobRun
from dpro_studies.variants import StrategyRun
from four_configurations import daydream
from study_intervals import Mean
from validation_report.plots import COLOURS, block, draw
from validation_report.tables import signed, simple

NAME = "scale"
MODEL = "resnet50-b4"
SCALE = 1 / 16
WORKERS = (2, 4, 8)
SEEDS = (1, 2, 3)
STEPS = 5


def job(workers, seed):
    return JobRun(f"replay-{workers}-{seed}", MODEL, "ring", "TCP", workers, seed, STEPS, SCALE)


def search(workers):
    return StrategyRun(f"search-{workers}", MODEL, workers, "fair-share", STEPS)


RUNS = tuple(run for workers in WORKERS
             for run in (*(job(workers, seed) for seed in SEEDS), search(workers)))


def read_cases(results):
    """Cases by W."""
    profile = runs.read_profile(MODEL)
    return {workers: Case([results.replay(job(workers, seed).name) for seed in SEEDS],
                          SCALE * daydream.estimate(profile, workers, runs.BANDWIDTH, runs.SPEED))
            for workers in WORKERS}


def read_throughputs(results):
    """samples/s of each replication by W and variant."""
    return {workers: {variant: results.throughputs(f"search-{workers}", variant, "fair-share")
                      for variant in StrategyRun.VARIANTS} for workers in WORKERS}


def error_table(cases):
    rows = [[str(workers), case.real.text(factor=1e3 / SCALE), case.replay.percent, case.elsewhere.percent,
             case.daydream.percent, case.fair_share.percent] for workers, case in cases.items()]
    return simple(["W", "packet, ms", "replay", "elsewhere", "Daydream", "fair-share"], rows)


def strategy_table(found):
    rows = [[str(workers), *(Mean.of(by[variant]).text() for variant in StrategyRun.VARIANTS),
             Mean.of_gains(by["both"], by["XLA"]).percent] for workers, by in found.items()]
    return simple(["W", *StrategyRun.VARIANTS, "both over XLA"], rows)


def draw_scale(cases, found, path):
    """Times of steps to the left; throughput per worker over that of two to the right."""
    lines = {"packet": lambda case: case.real.value, "replay": lambda case: Mean.of(
        each.replayed["step"] for each in case.replays).value, "Daydream": lambda case: case.estimate}
    blocks, left, right = "", [], []
    for i, (who, value) in enumerate(lines.items()):
        blocks += block(f"t{i}", [(w, 1e3 / SCALE * value(case)) for w, case in cases.items()])
        left.append(f"$t{i} using 1:2 with linespoints lw 2 ps 0.9 pt {i + 4} lc rgb '{COLOURS[i]}' "
                    f"title '{who}'")
    for i, variant in enumerate(StrategyRun.VARIANTS):
        blocks += block(f"s{i}", [(w, Mean.of(by[variant]).value / w) for w, by in found.items()])
        right.append(f"$s{i} using 1:2 with linespoints lw 2 ps 0.7 pt {i + 4} lc rgb "
                     f"'{COLOURS[i]}' title '{variant}'")
    commands = (f"set multiplot layout 1,2\nset logscale x 2\nset xtics {WORKERS}\n"
                f"set xrange [{0.9 * WORKERS[0]}:{1.1 * WORKERS[-1]}]\n"
                "set xlabel 'Workers W'\nset yrange [0:*]\nset key bottom left\n"
                "set title 'replays'\nset ylabel 'ms a step'\nplot " + ", ".join(left)
                + "\nset title 'strategies, fair-share'\nset ylabel 'samples/s of a worker'\nplot "
                + ", ".join(right) + "\nunset multiplot\n")
    return draw(path, 860, 400, blocks + commands)


def report(results, picture):
    """(tables, whether each picture was drawn, values); `picture` gives the path of a name."""
    cases, found = read_cases(results), read_throughputs(results)
    first, last = cases[WORKERS[0]], cases[WORKERS[-1]]
    values = {"replay": signed(max((case.replay.value for case in cases.values()), key=abs)),
              "daydream-first": first.daydream.percent, "daydream-last": last.daydream.percent,
              "slower": signed(last.real.value / first.real.value - 1),
              "least": str(WORKERS[0]), "most": str(WORKERS[-1]),
              "steps": str(STEPS - 1), "seeds": str(len(SEEDS))}
    gains = {workers: Mean.of_gains(by["both"], by["XLA"]) for workers, by in found.items()}
    key = max(gains, key=lambda workers: gains[workers].value)
    values.update({"gain": gains[key].percent, "gain-workers": str(key)})
    return ({"errors": error_table(cases), "strategies": strategy_table(found)},
            {"scale": draw_scale(cases, found, picture("scale"))}, values)
