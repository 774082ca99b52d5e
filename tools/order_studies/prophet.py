#
# Copyright (c) 2026 The dml authors
#
# SPDX-License-Identifier: GPL-2.0-only

"""Prophet (ICPP 2021), Table 2, section 5.3 and Fig. 12: four orders of transfers under push-pull."""

from order_studies.results import find
from order_studies.runs import Run
from validation_report.plots import COLOURS, block, draw
from validation_report.study import ENGINES
from validation_report.tables import percent, signed, simple

NAME = "prophet"
WORKERS = 3
POLICIES = ("fifo", "p3", "bytescheduler", "prophet")
SWEEP = f"transfer.policy: [{', '.join(POLICIES)}]"
# samples/s of a worker as the paper has them: Table 2, and the heterogeneous case
PAPER = {
    "1Gbps": {"prophet": 27.7, "bytescheduler": 25.9, "p3": 25.16},
    "2Gbps": {"prophet": 47.9, "bytescheduler": 39.09, "p3": 37.69},
    "3Gbps": {"prophet": 60, "bytescheduler": 44, "p3": 51.22},
    "4Gbps": {"prophet": 67.06, "bytescheduler": 50.5, "p3": 64.34},
    "4500Mbps": {"prophet": 69.29, "bytescheduler": 54.14, "p3": 67.83},
    "6Gbps": {"prophet": 69.5, "bytescheduler": 70, "p3": 68.93},
    "10Gbps": {"prophet": 70.6, "bytescheduler": 71.1, "p3": 72.83},
}
PAPER_SLOW = {"fifo": 15.09, "bytescheduler": 25.8, "prophet": 26.4}


def make_run(name, *settings, workers=(WORKERS,)):
    return Run(name, "prophet", (f"name=prophet-{name}", f"job.workers={list(workers)}", *settings))


TABLE = make_run("table-2", f"sweep={{{SWEEP}, network.rate: [{', '.join(PAPER)}]}}")
SLOW = make_run("heterogeneous", "network.rate=10Gbps", "network.hosts={worker2: {rate: 500Mbps}}",
                f"sweep={{{SWEEP}}}")
# the limit at the workers alone, which hides nearly all transfers
WORKER_RATES = ("1Gbps", "2Gbps")
LIMITED = tuple(
    make_run(f"workers-{rate}", "network.rate=10Gbps",
             "network.hosts={%s}" % ", ".join(f"worker{w}: {{rate: {rate}}}" for w in range(WORKERS)),
             f"sweep={{{SWEEP}}}")
    for rate in WORKER_RATES)
# Fig. 12, of which the text has the ends: samples/s of a worker
PAPER_WORKERS = {2: 69.94, 8: 68.83}
MANY = (2, 4, 6, 8)
SCALING = make_run("scaling", "network.rate=10Gbps",
                   "sweep={transfer.policy: [bytescheduler, prophet]}", workers=MANY)
RUNS = (TABLE, SLOW, *LIMITED, SCALING)


def rate_text(rate):
    return "4.5" if rate == "4500Mbps" else rate.removesuffix("Gbps")


def rates(results, run, variant=None):
    """samples/s of a worker by (policy, engine)."""
    cases = results.cases([run.name])
    return {(policy, engine): find(cases, WORKERS, engine,
                                   {"transfer.policy": policy, **(variant or {})}).throughput / WORKERS
            for policy in POLICIES for engine in ENGINES}


def cell(value):
    return "" if value is None else f"{value:.1f}"


def rate_table(found):
    """Packet engine beside the paper, by rate."""
    rows = [[rate_text(rate),
             *(cell(value) for policy in POLICIES
               for value in ((found[rate][policy, "packet"], PAPER[rate][policy])
                             if policy in PAPER[rate] else (found[rate][policy, "packet"],)))]
            for rate in PAPER]
    header = [name for policy in POLICIES
              for name in ((policy, "paper") if policy in PAPER["1Gbps"] else (policy,))]
    return simple(["Gbit/s", *header], rows)


def engine_table(found):
    """Fair-share over packet - 1."""
    rows = [[rate_text(rate), *(signed(error(found[rate], policy)) for policy in POLICIES)]
            for rate in PAPER]
    return simple(["Gbit/s", *POLICIES], rows)


def error(row, policy):
    return row[policy, "fair-share"] / row[policy, "packet"] - 1


def slow_table(slow, limited):
    rows = [["one worker at 500 Mbit/s", *(cell(slow[p, "packet"]) for p in POLICIES)],
            ["the paper", *(cell(PAPER_SLOW.get(p)) or "-" for p in POLICIES)]]
    rows += [[f"all workers at {rate_text(rate)} Gbit/s", *(cell(row[p, "packet"]) for p in POLICIES)]
             for rate, row in limited.items()]
    return simple(["limit", *POLICIES], rows)


def scaling_table(results):
    """samples/s of a worker by their number."""
    cases = results.cases([SCALING.name])
    rows = [[f"{policy}, {engine}",
             *(cell(find(cases, workers, engine, {"transfer.policy": policy}).throughput / workers)
               for workers in MANY)]
            for policy in ("bytescheduler", "prophet") for engine in ENGINES]
    rows.append(["prophet, the paper", *(cell(PAPER_WORKERS.get(workers)) or "-"
                                         for workers in MANY)])
    return simple(["order, engine", *(f"W={workers}" for workers in MANY)], rows)


def draw_rates(found, path):
    """samples/s of a worker over the rate: the paper's to the left, the packet engine's to the right."""
    panels, commands = {"paper": [], "packet engine": []}, ""
    for p, policy in enumerate(POLICIES):
        for panel, points in (
                ("paper", [(rate_text(r), PAPER[r][policy]) for r in PAPER if policy in PAPER[r]]),
                ("packet engine", [(rate_text(r), found[r][policy, "packet"]) for r in PAPER])):
            if points:
                name = f"{policy}_{panel.split()[0]}"  # a name for each, in the whole script
                commands += block(name, [(float(x), y) for x, y in points])
                panels[panel].append(f"${name} using 1:2 with linespoints lw 2 ps 0.7 pt {p + 4} "
                                     f"lc rgb '{COLOURS[p]}' title '{policy}'")
    commands += ("set multiplot layout 1,2\nset yrange [0:80]\nset logscale x\nset xrange [0.9:11]\n"
                 "set xtics (1, 2, 3, 4, 6, 10)\nset xlabel 'rate (Gbit/s)'\nset key bottom right\n")
    for i, (panel, lines) in enumerate(panels.items()):
        commands += f"set title '{panel}'\n"
        commands += "set ylabel 'samples/s of a worker'\n" if i == 0 else "unset ylabel\n"
        commands += "plot " + ", ".join(lines) + "\n"
    return draw(path, 800, 400, commands + "unset multiplot\n")


def report(results, picture):
    """(tables, whether each picture was drawn, values); `picture` gives the path of a name."""
    found = {rate: rates(results, TABLE, {"network.rate": rate}) for rate in PAPER}
    limited = {rate: rates(results, run) for rate, run in zip(WORKER_RATES, LIMITED)}
    errors = {(rate, policy): error(found[rate], policy) for rate in PAPER for policy in POLICIES}
    worst = max(errors, key=lambda key: abs(errors[key]))

    def off(policy):
        return max((found[r][policy, "packet"] / PAPER[r][policy] - 1 for r in PAPER), key=abs)

    slow = rates(results, SLOW)
    alone, crowd = (find(results.cases([SCALING.name]), workers, "packet",
                         {"transfer.policy": "prophet"}).throughput / workers
                    for workers in (MANY[0], MANY[-1]))
    tables = {"rates": rate_table(found), "engines": engine_table(found),
              "slow": slow_table(slow, limited), "scaling": scaling_table(results)}
    values = {"worst": signed(errors[worst]),
              "slow-gain": percent(slow["prophet", "packet"] / slow["bytescheduler", "packet"] - 1),
              "scaling-loss": percent(1 - crowd / alone),
              "worst-case": f"{worst[1]}, {rate_text(worst[0])} Gbit/s",
              **{f"off-{policy}": signed(off(policy)) for policy in PAPER["1Gbps"]}}
    return tables, {"rates": draw_rates(found, picture("rates"))}, values
