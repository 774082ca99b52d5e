#
# Copyright (c) 2026 The dml authors
#
# SPDX-License-Identifier: GPL-2.0-only

"""LB-BSP (SoCC 2020), section 5.3: iteration time of several schemes on 32 shared machines."""

import textwrap
from dataclasses import dataclass

from study_intervals import Mean
from sync_studies.runs import EngineRun, OptionalRun
from validation_report.plots import COLOURS, block, draw
from validation_report.tables import simple

NAME = "shared-cpus"
SCENARIO = "lb-bsp/cluster-b.yaml"
WORKERS = 32  # whose gradients count


@dataclass(frozen=True)
class Scheme:
    """A way to deal with slow workers."""

    text: str
    settings: tuple = ()
    paper: str = "-"  # iteration time over BSP's, as the text has it
    packet: bool = True
    optional: bool = False


SCHEMES = {
    "bsp": Scheme("BSP", paper="1"),
    "redundant": Scheme("redundant, 2 of 34", ("job.workers=34", "job.sync={backup: 2}"),
                        "marginal"),
    "ssp": Scheme("SSP, 5", ("job.sync={ssp: 5}",), "marginal"),
    "flexrr": Scheme("FlexRR", ("job.shedding={checks: 100, lag: 0.2, share: 0.025}",), "second",
                     optional=True),
    "flexrr-cost": Scheme("FlexRR, 1 ms", (
        "job.shedding={checks: 100, lag: 0.2, share: 0.025, cost: 1ms}",), packet=False,
                          optional=True),
    "last": Scheme("LB-BSP, last", ("job.batch_control={cpu: last}",), "0.58"),
    "ema": Scheme("LB-BSP, EMA", ("job.batch_control={cpu: ema}",), "0.48"),
    # which is EMA in the 500 steps that packets cannot afford
    "narx": Scheme("LB-BSP, NARX", ("job.batch_control={cpu: narx}",), "0.42", packet=False),
}
REPLICATIONS = 5


def make_run(scheme, name, extra, engine):
    kind = OptionalRun if SCHEMES[scheme].optional else EngineRun
    return kind(name, SCENARIO, (f"name={name}", *SCHEMES[scheme].settings, *extra), engine=engine)


RUNS = tuple(make_run(scheme, scheme, (f"replications={REPLICATIONS}",), "fair-share")
             for scheme in SCHEMES)


def iteration(case):
    """Mean times in which the gradients of one iteration count, s, of each replication; None
    without a case."""
    return None if case is None else [WORKERS * time for time in case.each("update_time")]


def iterations(results):
    """Lists by scheme."""
    return {scheme: iteration(results.case(scheme, "fair-share")) for scheme in SCHEMES}


def ratio(values, baselines):
    """As text, of pairs of replications."""
    return "-" if values is None else Mean.of_pairs(values, baselines).text(3)


def time_table(results, long):
    rows = []
    for scheme, how in SCHEMES.items():
        case, seconds = results.case(scheme, "fair-share"), long[scheme]
        rows.append([how.text, "-" if case is None else Mean.of(seconds).text(2),
                     "1" if scheme == "bsp" else ratio(seconds, long["bsp"]), how.paper,
                     "-" if case is None else Mean.of(case.each("waiting_share")).text(0, 100)])
    return simple(["scheme", "s", "over BSP", "paper", "waiting, %"], rows)


def flexrr_text(long):
    """About the rows of FlexRR, which depend on the program."""
    if long["flexrr"] is None or long["flexrr-cost"] is None:
        return "This program has no FlexRR: its rows are empty."
    return textwrap.fill(
        f"FlexRR takes {ratio(long['flexrr'], long['narx'])} of the time of LB-BSP with NARX as long "
        "as checking costs nothing but messages: it sees changes in mid-step, which no "
        "predictor does. "
        f"It takes {ratio(long['flexrr-cost'], long['narx'])} of it if each of 100 checks costs 1 ms "
        "of the worker's time, a number of ours. In the paper LB-BSP is ahead by up to 38.7 per cent; "
        "what moving samples cost there is not in its text.", 100)


def draw_times(long, path):
    """Bars of the iteration time over BSP's, with intervals; the paper's numbers as points."""
    shown = {scheme: seconds for scheme, seconds in long.items() if seconds is not None}
    ratios = [Mean.of_pairs(seconds, long["bsp"]) for seconds in shown.values()]
    commands = block("d", [(i, each.value, each.low, each.high) for i, each in enumerate(ratios)])
    commands += block("p", [(i, float(SCHEMES[scheme].paper)) for i, scheme in enumerate(shown)
                            if SCHEMES[scheme].paper[0].isdigit()])
    ticks = ", ".join(f"'{SCHEMES[scheme].text.replace(', ', chr(92) + 'n')}' {i}"
                      for i, scheme in enumerate(shown)).replace("'", '"')
    return draw(path, 760, 400, commands + f"set xrange [-0.6:{len(shown) - 0.4}]\n"
                "set yrange [0:1.1]\nset bmargin 4\n"
                f"set xtics ({ticks})\nset ylabel 'iteration time over BSP'\nset key top right\n"
                f"plot $d using 1:2:(0.6) with boxes fs solid noborder lc rgb '{COLOURS[0]}' "
                "title 'fair-share', $d using 1:2:3:4 with yerrorbars pt 0 lw 1.5 lc rgb '#000000' notitle, "
                "$p using 1:2 with points pt 7 ps 1 "
                f"lc rgb '{COLOURS[1]}' title 'the paper'\n")


def report(results, picture):
    """(tables, whether each picture was drawn, values); `picture` gives the path of a name."""
    long = iterations(results)
    values = {scheme: ratio(seconds, long["bsp"]) for scheme, seconds in long.items()}
    values["flexrr-text"] = flexrr_text(long)
    values["narx-last"] = ratio(long["narx"], long["last"])
    return {"times": time_table(results, long)}, {"times": draw_times(long, picture("times"))}, values
