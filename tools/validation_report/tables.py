#
# Copyright (c) 2026 The dml authors
#
# SPDX-License-Identifier: GPL-2.0-only

"""The tables of the document, as lines of reStructuredText of at most 80 columns."""

import statistics

from testbed_compare.report import quantile
from validation_report import effects
from validation_report.study import RTTS, WINDOW_NAMES, Study
from validation_study.settings import MIN_RTO, MODELS, QUEUES

NOTHING = ["*This part of the study has no results yet.*"]
LOSSES = {"drops": "drops", "retransmissions": "sent again", "timeouts": "timeouts",
          "fast_recoveries": "recoveries"}


def simple(header, rows):
    """A simple table; columns of text to the left, of numbers to the right."""
    if not rows:
        return NOTHING
    table = [header, *rows]
    widths = [max(len(row[i]) for row in table) for i in range(len(header))]
    left = [any(not is_number(row[i]) for row in rows) for i in range(len(header))]
    rule = "  ".join("=" * width for width in widths)

    def line(row):
        # a blank first cell would continue the row above
        cells = [cell if cell else "\\" if i == 0 else "" for i, cell in enumerate(row)]
        return "  ".join(cell.ljust(width) if is_left else cell.rjust(width)
                         for cell, width, is_left in zip(cells, widths, left)).rstrip()

    return [rule, line(header), rule, *map(line, rows), rule]


def is_number(text):
    return not text or text[0] in "+-0123456789" and not any(c.isalpha() for c in text)


def percent(value):
    return "-" if value is None else f"{100 * value:.1f}"


def signed(value):
    return "-" if value is None else f"{100 * value:+.1f}"


def spread_cells(spread):
    return [str(spread.count), percent(spread.median), percent(spread.p90),
            percent(spread.largest), signed(spread.bias)]


def groups(study, *names):
    """(values, cases) of the compared cases by these attributes, in the study's order."""
    order = {"queue": list(QUEUES), "model": list(MODELS), "window": list(WINDOW_NAMES),
             "rtt": list(RTTS)}
    found = {}
    for case in study.compared:
        found.setdefault(tuple(getattr(case, name) for name in names), []).append(case)

    def position(values):
        return [order[name].index(value) if name in order else value
                for name, value in zip(names, values)]

    return sorted(found.items(), key=lambda item: position(item[0]))


def models(study):
    rows = []
    for model, (_, scale) in MODELS.items():
        folder = next((f for (m, _), f in study.folders.items() if m == model and f.cases), None)
        if folder:
            rows.append([model, f"1/{1 / scale:.0f}", f"{folder.megabytes / scale:.1f}",
                         f"{folder.megabytes:.2f}", str(folder.batch)])
    return simple(["model", "scale", "full MB", "scaled MB", "batch"], rows)


def queues(study):
    rows = []
    for queue, (form, mtu, workers, drops) in QUEUES.items():
        cases = [case for case in study.cases if case.queue == queue]
        compared = [case for case in cases if case.error is not None]
        rows.append([queue, form, str(mtu), workers.strip("[]").replace(", ", " "),
                     f"{1e3 * MIN_RTO:.0f} ms" + (" * scale" if drops else ""),
                     str(len(compared))])
    return simple(["queue", "network.queue", "MTU", "W", "min. RTO", "cases"], rows)


def cost(study):
    rows = []
    for queue in QUEUES:
        for model in MODELS:
            folder = study.folders[model, queue]
            state = "done" if folder.finished else "unfinished" if folder.cases else "not run"
            rows.append([queue, model, str(sum(c.error is not None for c in folder.cases)),
                         f"{folder.cpu:.0f}", f"{folder.wall:.0f}", state])
    return simple(["queue", "model", "cases", "CPU s", "wall s", "state"], rows)


def throughput(study, *names, queue="queue"):
    header = {"queue": queue, "rtt": "RTT", "servers": "M", "window": "window",
              "workers": "W", "model": "model"}
    rows = [[*map(str, values), *spread_cells(effects.Spread.of(c.error for c in cases))]
            for values, cases in groups(study, *names)]
    return simple([*(header[name] for name in names), "cases", "median", "p90", "max", "mean"],
                  rows)


def median(values):
    values = [value for value in values if value is not None]
    return quantile(values, 0.5) if values else None


def tensor_error(study):
    rows = []
    for values, cases in groups(study, "queue", "rtt", "servers"):
        errors = [case.values.get("tensor_error") for case in cases]
        errors = [error for error in errors if error]
        if errors:
            rows.append([*map(str, values), str(len(errors)),
                         *(percent(median(e.get(name) for e in errors))
                           for name in ("median", "p90", "max"))])
    return simple(["queue", "RTT", "M", "cases", "median", "p90", "max"], rows)


def share_error(study):
    rows = []
    for values, cases in groups(study, "queue", "rtt", "workers"):
        errors = [case.values.get("share_error") for case in cases if case.workers > 1]
        errors = [error for error in errors if error and error.get("mean") is not None]
        if not errors:
            continue
        first = [e["workers"][0] for e in errors if e.get("workers")]
        first = [share for share in first if share is not None]
        rows.append([*map(str, values), str(len(errors)), percent(median(e["mean"] for e in errors)),
                     percent(median(e.get("p90") for e in errors)),
                     f"{median(first):.2f}" if first else "-",
                     f"{min(first):.2f}" if first else "-"])
    return simple(["queue", "RTT", "W", "cases", "mean", "p90", "worker 0", "lowest"], rows)


def losses(study):
    """Shallow queues; the throughput is relative to the same case on fair queues."""
    changes = {case.key(): value
               for value, case in effects.paired(study, "queue", "fair", "shallow")}
    rows = []
    for (model, workers), cases in groups(study, "model", "workers"):
        cases = [case for case in cases if case.queue == "shallow"]
        if cases:
            pairs = [changes[case.key()] for case in cases if case.key() in changes]
            rows.append([model, str(workers), str(len(cases)),
                         *(f"{statistics.fmean(c.losses(name) for c in cases):.0f}"
                           for name in LOSSES),
                         signed(sorted(pairs)[len(pairs) // 2] if pairs else None),
                         signed(min(pairs) if pairs else None)])
    return simple(["model", "W", "cases", *LOSSES.values(), "median", "lowest"], rows)


def no_losses(study):
    rows = []
    for queue in QUEUES:
        cases = study.select(queue=queue)
        if cases:
            rows.append([queue, str(len(cases)),
                         *(f"{sum(case.losses(name) for case in cases):.0f}" for name in LOSSES)])
    return simple(["queue", "cases", *LOSSES.values()], rows)


def ranking(study, control, change="change"):
    rows = [[str(i), row.name, percent(row.spread.median), percent(row.spread.p90),
             signed(row.spread.bias), signed(row.worst), row.worst_case.label]
            for i, row in enumerate(effects.assumptions(study, control), 1)]
    return simple(["", change, "median", "p90", "mean", "worst", "where"], rows)


def windows(study):
    rows = []
    for queue, name, packet, fair_share in effects.windows(study):
        both = [part for e in (packet, fair_share)
                for part in (percent(e.spread.median), percent(e.spread.p90),
                             signed(e.spread.bias))]
        rows.append([queue, name, str(packet.spread.count), *both])
    return simple(["queue", "window", "pairs", "packet", "p90", "mean", "f.-share", "p90", "mean"],
                  rows)


def disagreements(study):
    rows = []
    for case in effects.largest_disagreements(study):
        share = (case.values.get("share_error") or {}).get("mean")
        rows.append([case.queue, case.rtt, f"{case.model} W={case.workers} M={case.servers} "
                     f"{case.window}", f"{case.fair_share:.1f}", f"{case.packet:.1f}",
                     signed(case.error), percent(share), f"{case.losses('drops'):.0f}",
                     f"{case.losses('timeouts'):.0f}"])
    return simple(["queue", "RTT", "case", "f.-s.", "packet", "error", "shares", "drops", "RTOs"],
                  rows)


def multi_ps(entries, *names):
    """Errors of the rules of sharing; `entries` as multi.read() gives them."""
    found = {}
    for entry in entries:
        key = tuple(entry[name] for name in names)
        found.setdefault(key, {}).setdefault(entry["rule"], []).append(entry["error"])
    rules = list(dict.fromkeys(entry["rule"] for entry in entries))
    rows = []
    for key, errors in sorted(found.items()):
        cells = []
        for rule in rules:
            spread = effects.Spread.of(errors.get(rule, []))
            cells += ["-", "-"] if spread is None else [percent(spread.median),
                                                        percent(spread.largest)]
        rows.append([*map(str, key), str(max(len(e) for e in errors.values())), *cells])
    titles = {"queue": "queue", "servers": "M", "workers": "W"}
    return simple([*(titles[name] for name in names), "cases",
                   *(part for rule in rules for part in (rule, "max"))], rows)


def all_tables(study: Study, multi, control):
    """Lines by name."""
    return {
        "models": models(study),
        "queues": queues(study),
        "cost": cost(study),
        "throughput-error": throughput(study, "queue", "rtt", "servers"),
        "throughput-window": throughput(study, "queue", "window"),
        "throughput-workers": throughput(study, "queue", "workers"),
        "tensor-error": tensor_error(study),
        "share-error": share_error(study),
        "losses": losses(study),
        "no-losses": no_losses(study),
        "ranking": ranking(study, control),
        "windows": windows(study),
        "disagreements": disagreements(study),
        "multi-ps": multi_ps(multi, "queue", "servers"),
        "multi-ps-workers": multi_ps(multi, "queue", "workers"),
    }


def linux_tables(study: Study):
    """Those of the part with the hosts of Linux, by name."""
    return {
        "linux-error": throughput(study, "queue", "rtt", "servers", queue="port"),
        "linux-workers": throughput(study, "queue", "workers", queue="port"),
        "linux-ranking": ranking(study, None, "change of port or path"),
    }


def difference(case):
    """Fair-share against packets over replications with the same seeds, with its 95 % interval."""
    found = case.values.get("relative_error") or {}
    low, high = found.get("low95"), found.get("high95")
    if found.get("estimate") is None or low is None or high is None:
        return "-"
    return (f"{signed(found['estimate'])} +-{percent((high - low) / 2)}"
            + ("" if found.get("significant") else " ?"))


def differences(study):
    """A row for each port, number of servers and model, a column for each number of workers."""
    counts = sorted({case.workers for case in study.cases})
    rows = []
    for (queue, servers, model), _ in groups(study, "queue", "servers", "model"):
        cases = {case.workers: case
                 for case in study.select(queue=queue, servers=servers, model=model)}
        rows.append([queue, str(servers), model,
                     *(difference(cases[n]) if n in cases else "-" for n in counts)])
    return simple(["port", "M", "model", *(f"W = {n}" for n in counts)], rows)


def full_tables(study: Study):
    """Those of the part at full size, by name."""
    return {
        "full-differences": differences(study),
        "full-workers": throughput(study, "queue", "workers", queue="ports"),
        "full-ranking": ranking(study, None, "change of ports"),
    }
