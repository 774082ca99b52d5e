#
# Copyright (c) 2026 The dml authors
#
# SPDX-License-Identifier: GPL-2.0-only

"""LB-BSP (SoCC 2020), section 5.3: iteration time of several schemes on 32 shared machines."""

import textwrap
from dataclasses import dataclass

from sync_studies.runs import EngineRun, OptionalRun
from validation_report.plots import COLOURS, block, draw
from validation_report.study import ENGINES
from validation_report.tables import signed, simple

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
# The first iterations of the first replication, in both engines
SHORT = ("job.steps=16", "job.warmup=4", "replications=1")


def both_name(scheme):
    return f"both-{scheme}"


def make_run(scheme, name, extra, engine):
    kind = OptionalRun if SCHEMES[scheme].optional else EngineRun
    return kind(name, SCENARIO, (f"name={name}", *SCHEMES[scheme].settings, *extra), engine=engine)


RUNS = (*(make_run(scheme, scheme, (), "fair-share") for scheme in SCHEMES),
        *(make_run(scheme, both_name(scheme), SHORT, "both") for scheme in SCHEMES
          if SCHEMES[scheme].packet))


def iteration(case):
    """Mean time in which the gradients of one iteration count, s; None without a case."""
    return None if case is None else WORKERS * case.update_time


def iterations(results):
    """s by scheme: of the long runs, and of the short ones by engine."""
    long = {scheme: iteration(results.case(scheme, "fair-share")) for scheme in SCHEMES}
    short = {(scheme, engine): iteration(results.case(both_name(scheme), engine))
             for scheme in SCHEMES if SCHEMES[scheme].packet for engine in ENGINES}
    return long, short


def ratio(value, baseline):
    return "-" if value is None else f"{value / baseline:.3f}"


def spread(case, baseline):
    """Smallest and largest ratio to BSP of the same replication."""
    if case is None:
        return "-"
    found = [mine["update_time"] / theirs["update_time"]
             for mine, theirs in zip(case.synchronisation, baseline.synchronisation)]
    return f"{min(found):.2f} to {max(found):.2f}"


def time_table(results, long):
    rows = []
    bsp = results.case("bsp", "fair-share")
    for scheme, how in SCHEMES.items():
        case, seconds = results.case(scheme, "fair-share"), long[scheme]
        rows.append([how.text, "-" if case is None else f"{seconds:.2f}",
                     ratio(seconds, long["bsp"]), spread(case, bsp), how.paper,
                     "-" if case is None else f"{100 * case.mean('waiting_share'):.0f}"])
    return simple(["scheme", "s", "over BSP", "replications", "paper", "waiting, %"], rows)


def engine_table(short):
    rows = []
    for scheme, how in SCHEMES.items():
        if how.packet and short[scheme, "packet"] is not None:
            fair_share, packet = (short[scheme, engine] for engine in ENGINES)
            rows.append([how.text, f"{packet:.3f}", f"{fair_share:.3f}",
                         signed(fair_share / packet - 1), ratio(packet, short["bsp", "packet"]),
                         ratio(fair_share, short["bsp", "fair-share"])])
    return simple(["scheme", "packet, s", "f.-share, s", "%", "over BSP", "over BSP"], rows)


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
    """Bars of the iteration time over BSP's; the paper's numbers as points."""
    shown = {scheme: seconds for scheme, seconds in long.items() if seconds is not None}
    commands = block("d", [(i, seconds / long["bsp"]) for i, seconds in enumerate(shown.values())])
    commands += block("p", [(i, float(SCHEMES[scheme].paper)) for i, scheme in enumerate(shown)
                            if SCHEMES[scheme].paper[0].isdigit()])
    ticks = ", ".join(f"'{SCHEMES[scheme].text.replace(', ', chr(92) + 'n')}' {i}"
                      for i, scheme in enumerate(shown)).replace("'", '"')
    return draw(path, 760, 400, commands + f"set xrange [-0.6:{len(shown) - 0.4}]\n"
                "set yrange [0:1.1]\nset bmargin 4\n"
                f"set xtics ({ticks})\nset ylabel 'iteration time over BSP'\nset key top right\n"
                f"plot $d using 1:2:(0.6) with boxes fs solid noborder lc rgb '{COLOURS[0]}' "
                "title 'fair-share', $p using 1:2 with points pt 7 ps 1 "
                f"lc rgb '{COLOURS[1]}' title 'the paper'\n")


def report(results, picture):
    """(tables, whether each picture was drawn, values); `picture` gives the path of a name."""
    long, short = iterations(results)
    values = {scheme: ratio(seconds, long["bsp"]) for scheme, seconds in long.items()}
    values["flexrr-text"] = flexrr_text(long)
    values["engines"] = signed(max(
        (short[scheme, "fair-share"] / short[scheme, "packet"] - 1 for scheme in SCHEMES
         if SCHEMES[scheme].packet and short[scheme, "packet"] is not None), key=abs))
    return ({"times": time_table(results, long), "engines": engine_table(short)},
            {"times": draw_times(long, picture("times"))}, values)
