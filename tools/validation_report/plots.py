#
# Copyright (c) 2026 The dml authors
#
# SPDX-License-Identifier: GPL-2.0-only

"""The document's pictures, drawn by gnuplot."""

import csv
import math
import os
import subprocess

from testbed_compare.errors import InputError, PredictionError
from validation_report import effects
from validation_report.study import RTTS, WINDOW_NAMES
from validation_study.settings import MODELS, QUEUES

# Okabe and Ito: colours that colour-blind readers can tell apart, as in dml's own plots.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9")
STYLE = """set encoding utf8
set border 3
set tics out nomirror
set grid ytics lc rgb '#DDDDDD' lw 1
"""
SHARES_COLUMNS = ("direction", "ps", "time", "worker", "active", "share")


def draw(path, width, height, commands):
    """Runs gnuplot; True if it drew, False if there is no gnuplot."""
    head = (f"set terminal svg noenhanced size {width},{height} font "
            "'Helvetica,Arial,sans-serif,14' background 'white'\n"
            f"set output '{path}'\n")
    try:
        done = subprocess.run(["gnuplot"], input=head + STYLE + commands, text=True,
                              capture_output=True, check=False)
    except FileNotFoundError:
        return False
    if done.returncode:
        raise PredictionError(f"gnuplot: {done.stderr.strip().splitlines()[-1:]} for {path}")
    return True


def block(name, rows):
    """A named block of numbers; rows of None separate lines."""
    lines = [" ".join(f"{value:.6g}" if isinstance(value, float) else str(value) for value in row)
             if row else "" for row in rows]
    return f"${name} << EOD\n" + "\n".join(lines) + "\nEOD\n"


def error_over_workers(study, path):
    """One panel per queue, one line per model: M = 1, the largest window, equal RTT."""
    commands, panels = "", []
    wanted = {"servers": 1, "window": WINDOW_NAMES[0], "rtt": RTTS[0]}
    sizes = [abs(case.error) for case in study.select(**wanted)]
    top = 100 * max([0.1, *sizes]) * 1.1
    for q, queue in enumerate(QUEUES):
        lines = []
        for m, model in enumerate(MODELS):
            cases = sorted(study.select(queue=queue, model=model, **wanted),
                           key=lambda case: case.workers)
            if cases:
                commands += block(f"d{q}{m}", [(c.workers, 100 * c.error) for c in cases])
                lines.append(f"$d{q}{m} using 1:2 with linespoints lw 2 ps 0.7 pt {m + 4} "
                             f"lc rgb '{COLOURS[m]}' title '{model}'")
        if lines:
            panels.append((queue, lines))
    if not panels:
        return False
    commands += (f"set multiplot layout 1,{len(panels)}\nset yrange [{-top:.4g}:{top:.4g}]\n"
                 "set xrange [0.5:8.5]\nset xtics 1\nset xlabel 'Workers W'\n"
                 "set key bottom left reverse Left samplen 2\n")
    for i, (queue, lines) in enumerate(panels):
        commands += f"set title '{queue} queues'\n"
        commands += ("set ylabel 'fair-share / packet - 1 (%)'\n" if i == 0
                     else "unset ylabel\nunset key\n")
        commands += "plot 0 lc rgb '#909090' notitle, " + ", ".join(lines) + "\n"
    return draw(path, 360 * len(panels) + 40, 420, commands + "unset multiplot\n")


def strips(rows):
    """Points of each row, side by side by rank within the row: (x, y, colour)."""
    points = []
    for x, row in enumerate(rows):
        values = sorted(row)
        for i, value in enumerate(values):
            points.append((x + 0.7 * (i / max(1, len(values) - 1) - 0.5), 100 * value))
    return points


def error_of_cases(study, path):
    """All cases, sorted, by queue and RTT."""
    groups = [(queue, rtt, [case.error for case in study.select(queue=queue, rtt=rtt)])
              for queue in QUEUES for rtt in RTTS]
    groups = [group for group in groups if group[2]]
    commands, lines = "", []
    for r, rtt in enumerate(RTTS):
        points = strips([values if other == rtt else [] for _, other, values in groups])
        if points:
            commands += block(f"d{r}", points)
            lines.append(f"$d{r} using 1:2 with points pt 7 ps 0.3 lc rgb '{COLOURS[r]}' title "
                         f"'{'equal RTT' if r == 0 else 'one far worker'}'")
    commands += block("m", [(x - 0.4, 100 * effects.quantile(values, 0.5))
                            for x, (_, _, values) in enumerate(groups)])
    lines.append("$m using 1:2:(0.8):(0) with vectors nohead lw 3 lc rgb '#000000' "
                 "title 'median'")
    names = ", ".join(f"'{queue}' {x}" for x, (queue, _, _) in enumerate(groups))
    commands += (f"set xrange [-0.6:{len(groups) - 0.4}]\nset xtics ({names})\n"
                 "set ylabel 'fair-share / packet - 1 (%)'\nset key top left Left reverse\n")
    commands += "plot 0 lc rgb '#909090' notitle, " + ", ".join(lines) + "\n"
    return draw(path, 900, 440, commands)


def changes(study, control, path):
    """Every pair of the ranking, one row per assumption."""
    rows = effects.assumptions(study, control)
    if not rows:
        return False
    points = [(100 * max(-1.0, min(1.5, value)), len(rows) - 1 - r
               + 0.6 * (i / max(1, len(row.changes) - 1) - 0.5))
              for r, row in enumerate(rows)
              for i, value in enumerate(sorted(value for value, _ in row.changes))]
    commands = block("d", points)
    names = ", ".join(f"'{row.name}' {len(rows) - 1 - r}" for r, row in enumerate(rows))
    commands += (f"set ytics ({names})\nset yrange [-0.7:{len(rows) - 0.3}]\n"
                 "unset grid\nset grid xtics lc rgb '#DDDDDD' lw 1\n"
                 "set xlabel 'change of throughput (%)'\n"
                 "plot $d using 1:2 with points pt 7 ps 0.3 lc rgb '#0072B2' notitle\n")
    return draw(path, 900, 80 + 40 * len(rows), commands)


def read_shares(path):
    """Rows of shares.csv as (direction, server, time, worker, share * n)."""
    try:
        with open(path, encoding="utf-8", newline="") as file:
            reader = csv.DictReader(file)
            missing = [name for name in SHARES_COLUMNS if name not in (reader.fieldnames or [])]
            if missing:
                raise InputError(f"{path}:1: there is no column '{missing[0]}'; accepted is a "
                                 "shares.csv")
            rows = []
            for row in reader:
                try:
                    share = float(row["share"]) * int(row["active"])
                    time = float(row["time"])
                    if not (math.isfinite(share) and math.isfinite(time)):
                        raise ValueError
                    rows.append((row["direction"], int(row["ps"]), time, int(row["worker"]), share))
                except (TypeError, ValueError) as error:
                    raise InputError(f"{path}:{reader.line_num}: found a row that is no share; "
                                     f"accepted is {','.join(SHARES_COLUMNS)}") from error
            return rows
    except OSError as error:
        raise InputError(f"{path}: {error.strerror}") from error


def shares_over_time(folder, path):
    """share * n of each worker over time, uplink and downlink, one column per queue."""
    found = [(queue, read_shares(os.path.join(folder, queue, "shares.csv"))) for queue in QUEUES
             if folder and os.path.exists(os.path.join(folder, queue, "shares.csv"))]
    found = [(queue, rows) for queue, rows in found if rows]
    if not found:
        return False
    end = max(row[2] for _, rows in found for row in rows)
    top = max(row[4] for _, rows in found for row in rows)
    blocks = ""
    plots = ""
    for d, direction in enumerate(("downlink", "uplink")):
        for q, (queue, rows) in enumerate(found):
            lines = []
            for worker in sorted({row[3] for row in rows}):
                points = [(row[2], row[4]) for row in rows
                          if row[0] == direction and row[1] == 0 and row[3] == worker]
                if points:
                    blocks += block(f"d{d}{q}{worker}", sorted(points))
                    lines.append(f"$d{d}{q}{worker} using 1:2 with points pt 7 ps 0.35 lc rgb "
                                 f"'{COLOURS[worker % len(COLOURS)]}' title 'worker {worker}'")
            plots += f"set title '{queue} queues, {direction}'\n"
            plots += "set ylabel 'share * n'\n" if q == 0 else "unset ylabel\n"
            plots += "set xlabel 'time (s)'\n" if d == 1 else "unset xlabel\n"
            plots += ("set key top left maxrows 2 samplen 1\n" if d + q == 0 else "unset key\n")
            plots += "plot 1 lc rgb '#909090' notitle" + "".join(", " + x for x in lines) + "\n"
    head = (f"set xrange [0:{end * 1.02:.4g}]\nset yrange [0:{max(2, top) * 1.05:.4g}]\n"
            f"set multiplot layout 2,{len(found)}\n")
    return draw(path, 340 * len(found) + 40, 620, blocks + head + plots + "unset multiplot\n")


def multi_ps(entries, path):
    """Mean error by M, one panel per queue, one line per rule."""
    commands, panels = "", []
    for q, queue in enumerate(dict.fromkeys(entry["queue"] for entry in entries)):
        lines = []
        for r, rule in enumerate(dict.fromkeys(entry["rule"] for entry in entries)):
            found = {}
            for entry in entries:
                if entry["queue"] == queue and entry["rule"] == rule:
                    found.setdefault(entry["servers"], []).append(abs(entry["error"]))
            if found:
                commands += block(f"d{q}{r}", [(m, 100 * effects.quantile(found[m], 0.5),
                                                100 * max(found[m])) for m in sorted(found)])
                lines.append(f"$d{q}{r} using 1:2 with linespoints lw 2 ps 0.7 pt {r + 4} "
                             f"lc rgb '{COLOURS[r]}' title '{rule}'")
                lines.append(f"$d{q}{r} using 1:3 with lines lw 1 dt 3 lc rgb '{COLOURS[r]}' "
                             "notitle")
        panels.append((queue, lines))
    if not panels:
        return False
    commands += (f"set multiplot layout 1,{len(panels)}\nset logscale x 2\nset xrange [0.8:20]\n"
                 "set xtics (1, 2, 3, 4, 8, 16)\nset xlabel 'Parameter servers M'\n"
                 "set yrange [0:*]\nset key top left Left reverse\n")
    for i, (queue, lines) in enumerate(panels):
        commands += f"set title '{queue} queues'\n"
        commands += "set ylabel '|fair-share / packet - 1| (%)'\n" if i == 0 else "unset ylabel\n"
        commands += "plot " + ", ".join(lines) + "\n"
    return draw(path, 400 * len(panels) + 40, 400, commands + "unset multiplot\n")
