#
# Copyright (c) 2026 The dml authors
#
# SPDX-License-Identifier: GPL-2.0-only

"""Compares predictions with a measured run, and prints and stores what comes out."""

import math
import statistics
import textwrap

from testbed_compare.convert import seen_windows

WIDTH = 80
WORST = 5
# A measured throughput that the summary has must be the one that its own files give.
SUMMARY_TOLERANCE = 0.005


def quantile(values, fraction):
    """The smallest value that is not below this fraction of all."""
    ordered = sorted(values)
    return ordered[max(0, math.ceil(fraction * len(ordered)) - 1)]


def mean_completions(timeline, window):
    """Mean seconds from step start to completion by (kind, worker, tensor), steps in the window.

    A step is in the window if it ends there; if a worker has none, all its steps count."""
    inside = {key for key, (_, end) in timeline.steps.items() if window[0] < end <= window[1]}
    with_some = {worker for worker, _ in inside}
    inside |= {key for key in timeline.steps if key[0] not in with_some}
    times = {}
    for (kind, worker, step, tensor), end in timeline.transfers.items():
        if (worker, step) in inside:
            start = timeline.steps[worker, step][0]
            times.setdefault((kind, worker, tensor), []).append(end - start)
    return {key: statistics.fmean(values) for key, values in times.items()}


def mean_step(timeline, window):
    """Mean seconds of a step that ends in the window, or of any if none does."""
    inside = [e - s for s, e in timeline.steps.values() if window[0] < e <= window[1]]
    return statistics.fmean(inside or [e - s for s, e in timeline.steps.values()])


def tensor_errors(measured, predicted, window):
    """Errors of mean completion times relative to the measured step, worst first."""
    real, model = mean_completions(measured, window), mean_completions(predicted, window)
    step = mean_step(measured, window)
    return sorted(({"kind": kind, "worker": worker, "tensor": tensor, "measured": real[key],
                    "predicted": model[key], "error": (model[key] - real[key]) / step}
                   for key in real if key in model for kind, worker, tensor in [key]),
                  key=lambda e: (-abs(e["error"]), e["kind"], e["worker"], e["tensor"]))


def summarise(errors, kind=None):
    """Median, 90th percentile and largest error of one kind of tensors, or of all."""
    values = [abs(e["error"]) for e in errors if kind in (None, e["kind"])]
    if not values:
        return None
    return {"median": quantile(values, 0.5), "p90": quantile(values, 0.9), "max": max(values)}


def measured_throughput(run, measured):
    """Steps/s of the measured run, from its step files if all workers have one."""
    recomputed = run.throughput(measured.spans())
    if len(run.logs) < run.workers:
        if run.summary is not None:
            return run.summary
        return recomputed * run.workers / len(run.logs)
    if run.summary and abs(recomputed / run.summary - 1) > SUMMARY_TOLERANCE:
        run.notes.append(f"the run's summary says {run.summary:.4g} steps/s, its step files "
                         f"{recomputed:.4g}; compared is the latter")
    return recomputed


def note_windows(run, window):
    """Notes which HTTP/2 windows the engines got: `window`, or those that the run shows if None."""
    if window is not None:
        run.notes.append(f"HTTP/2 windows: {window} bytes everywhere")
        return []
    seen = [{"worker": worker, "server": server, "direction": direction, "bytes": steps}
            for (worker, server, direction), steps in seen_windows(run).items()]
    sizes = [size / 1e6 for entry in seen for size in entry["bytes"]]
    run.notes.append("HTTP/2 windows: " + (
        f"{min(sizes):.1f} to {max(sizes):.1f} MB, as the order of measured transfers shows them"
        if sizes else "32 MiB everywhere, as those of the run are not known"))
    return seen


def compare(run, measured, predictions, window):
    """`predictions` has per engine the timeline of the measured start, and of jittered ones.

    `window` is that of all connections, or None if they have those of the run."""
    real = measured_throughput(run, measured)
    if real <= 0:
        run.notes.append("no step was measured in the window; throughput is not compared")
    report = {"run": run.name, "file": run.path, "workers": run.workers, "servers": run.servers,
              "qdisc": run.qdisc, "window": list(run.window),
              "windows": note_windows(run, window),
              "measured": {"throughput": real, "summary": run.summary,
                           "step": mean_step(measured, run.window)}, "engines": {}}
    for engine, (timeline, others) in predictions.items():
        throughput = run.throughput(timeline.spans())
        spread = [run.throughput(t.spans()) for t in [timeline, *others]]
        errors = tensor_errors(measured, timeline, run.window)
        report["engines"][engine] = {
            "throughput": throughput, "error": throughput / real - 1 if real > 0 else None,
            "spread": {"low": min(spread), "high": max(spread), "starts": len(spread)},
            "step": mean_step(timeline, run.window),
            "tensors": {kind or "all": summarise(errors, kind)
                        for kind in (None, "parameter", "gradient")},
            "completions": errors}
    report["notes"] = run.notes
    return report


def percent(value, digits=1):
    return "-" if value is None else f"{100 * value:.{digits}f}"


def cut(text, width):
    return text if len(text) <= width else text[:width - 2] + ".."


def table(reports):
    """The lines of the table."""
    lines = [f"{'':31} {'steps/s':>8} {'error':>7} {'jittered starts':>15}   completion %",
             f"{'run, engine':31} {'':8} {'%':>7} {'steps/s':>15}   p50   p90", "-" * WIDTH]
    for report in reports:
        lines.append(f"{cut(report['run'], 31):31} {report['measured']['throughput']:8.4f}   "
                     f"measured, W = {report['workers']}, {report['servers']} PS, "
                     f"{cut(report['qdisc'], 9)}")
        for engine, part in report["engines"].items():
            spread, total = part["spread"], part["tensors"]["all"] or {"median": None, "p90": None}
            error = "-" if part["error"] is None else f"{100 * part['error']:+.2f}"
            interval = f"{spread['low']:.4f}-{spread['high']:.4f}" if spread["starts"] > 1 else "-"
            lines.append(f"  {engine:29} {part['throughput']:8.4f} {error:>7} {interval:>15} "
                         f"{percent(total['median'], 2):>5} {percent(total['p90'], 2):>5}")
    return lines


def matched_lines(reports):
    """The lines on measured steps that fair-share predicts each from when it began; none without any."""
    found = [(report["run"], report["matched"]) for report in reports if report.get("matched")]
    if not found:
        return []
    lines = [f"{'each step from when it began':34} {'steps':>5} {'links % slower':>18} {'steps % longer':>16}", "-" * WIDTH]
    for name, numbers in found:
        if "links_slower_percent" in numbers:
            half = f" +- {float(numbers['ci95']):.2f}" if "ci95" in numbers else " ?"
            links = f"{float(numbers['links_slower_percent']):+.2f}{half}"
        else:
            links = "-"
        raw = f"{float(numbers['raw_percent']):+.2f}" if "raw_percent" in numbers else "-"
        lines.append(f"{cut(name, 34):34} {numbers.get('steps', '-'):>5} {links:>18} {raw:>16}")
        if "undefined_because" in numbers:
            lines += textwrap.wrap(numbers["undefined_because"], WIDTH, initial_indent="  ", subsequent_indent="  ")
    return [*lines, "", "by how much links of the fair-share model would have to be slower for its steps to\n"
            "take as long as the measured ones (dml match), and by how much those are longer"]


def worst(report):
    """The lines on the tensors that are predicted worst."""
    lines = []
    for engine, part in report["engines"].items():
        for entry in part["completions"][:WORST]:
            who = f"{entry['kind']} {entry['tensor']} of worker {entry['worker']}"
            lines.append(f"  {engine:10} {cut(who, 35):35} {entry['measured'] * 1e3:8.1f} "
                         f"{entry['predicted'] * 1e3:9.1f} {100 * entry['error']:+8.2f}")
    return lines


def print_reports(reports, show=print):
    """Everything, at most 80 columns wide."""
    for line in table(reports):
        show(line)
    show("")
    show("completion: error of the mean time from a step's start to a tensor's last byte,\n"
         "in % of the measured step, over the parameters and gradients of all workers")
    lines = matched_lines(reports)
    for line in ["", *lines] if lines else []:
        show(line)
    for report in reports:
        show("")
        show(f"{cut(report['run'], 30) + ': worst tensors':48} measured predicted  % of step\n"
             f"{'':48}       ms        ms")
        for line in worst(report):
            show(line)
        for note in report["notes"]:
            show(textwrap.fill(f"note: {note}", WIDTH, initial_indent="  ",
                               subsequent_indent="    "))
