#
# Copyright (c) 2026 The dml authors
#
# SPDX-License-Identifier: GPL-2.0-only

"""Prophet (ICPP 2021), Fig. 3: what small partitions cost P3, and the credit ByteScheduler."""

import statistics

from order_studies.prophet_jobs import RATE, WORKERS, make_run, per_worker, rate_text
from order_studies.results import find
from study_intervals import Mean
from validation_report.plots import COLOURS, block, draw
from validation_report.tables import simple

NAME = "prophet-slices"
RATES = (RATE, "10Gbps")
PARTITIONS = ("250KB", "500KB", "1MB", "2MB", "4MB", "8MB")  # 4MB is the paper's (section 5.1)
CREDITS = ("1MB", "3MB", "5MB", "7MB", "9MB", "11MB", "13MB", "16MB")  # 3 to 13 in Fig. 3 (b)
BATCH = "job.batch_size=64"
P3 = make_run("p3", "resnet50", BATCH, f"sweep={{transfer.policy: [p3], network.rate: [{', '.join(RATES)}], "
              f"transfer.partition: [{', '.join(PARTITIONS)}]}}", rate=None)
CREDIT = make_run("credit", "resnet50", BATCH, "sweep={transfer.policy: [bytescheduler], "
                  f"network.rate: [{', '.join(RATES)}], transfer.credit: [{', '.join(CREDITS)}]}}", rate=None)
RUNS = (P3, CREDIT)
PANELS = ((P3, "partition", PARTITIONS), (CREDIT, "credit", CREDITS))
PAPER_CREDIT = (44, 56)  # samples/s, between which the rate moves


def megabytes(text):
    return float(text[:-2]) * (1e-3 if text.endswith("KB") else 1)


def rates(results, panel, rate):
    """samples/s of a worker, of each replication, by the value of the panel's key."""
    run, key, texts = panel
    cases = results.cases([run.name])
    return {text: per_worker(find(cases, WORKERS, "fair-share", {"network.rate": rate,
                                                                 f"transfer.{key}": text}))
            for text in texts}


def panel_table(results, panel):
    found = {rate: rates(results, panel, rate) for rate in RATES}
    rows = [[f"{megabytes(text):g}", *(rate_text(found[rate][text]) for rate in RATES)]
            for text in panel[2]]
    return simple([f"{panel[1]}, MB", *(rate.replace("Gbps", " Gbit/s") for rate in RATES)], rows)


def draw_rates(results, path):
    """Fig. 3: a panel for P3's partition and one for ByteScheduler's credit, a line for each rate."""
    commands, panels = "", ""
    for p, panel in enumerate(PANELS):
        lines = []
        for r, rate in enumerate(RATES):
            found = rates(results, panel, rate)
            commands += block(f"d{p}{r}", [(megabytes(text), mean.value, mean.low, mean.high) for text, mean in
                                           ((text, Mean.of(values)) for text, values in found.items())])
            lines.append(f"$d{p}{r} using 1:2:3:4 with yerrorlines lw 2 ps 0.7 pt {r + 6} "
                         f"lc rgb '{COLOURS[r]}' title '{rate.replace('Gbps', ' Gbit/s')}'")
        panels += f"set title '{('P3', 'ByteScheduler')[p]}'\nset xlabel '{panel[1]} (MB)'\n"
        panels += "set ylabel 'samples/s of a worker'\n" if p == 0 else "unset ylabel\n"
        panels += "set logscale x 2\n" if p == 0 else "unset logscale x\nset xtics 2\n"
        panels += "plot " + ", ".join(lines) + "\n"
    commands += "set multiplot layout 1,2\nset yrange [0:80]\nset key bottom right\n"
    return draw(path, 800, 380, commands + panels + "unset multiplot\n")


def report(results, picture):
    """(tables, whether each picture was drawn, values); `picture` gives the path of a name."""
    slices, credits = (rates(results, panel, RATE) for panel in PANELS)
    between = {text: statistics.fmean(values) for text, values in credits.items()
               if 3 <= megabytes(text) <= 13}
    values = {"p3-least": rate_text(slices[PARTITIONS[0]]), "p3-paper": rate_text(slices["4MB"]),
              "credit-from": f"{min(between.values()):.1f}", "credit-to": f"{max(between.values()):.1f}",
              "paper-from": str(PAPER_CREDIT[0]), "paper-to": str(PAPER_CREDIT[1])}
    tables = {"partitions": panel_table(results, PANELS[0]), "credits": panel_table(results, PANELS[1])}
    return tables, {"rates": draw_rates(results, picture("rates"))}, values
