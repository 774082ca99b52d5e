#
# Copyright (c) 2026 The dml authors
#
# SPDX-License-Identifier: GPL-2.0-only

"""Fills the template: prose is by hand, every number is from the results.

A line `.. table: NAME` becomes that table, `.. figure: NAME CAPTION` the picture NAME.svg with its
caption, and `@NAME@` within a line a value."""

import re

from testbed_compare.errors import InputError
from validation_report import effects, plots
from validation_report.study import RTTS
from validation_report.tables import signed
from validation_study.settings import FAR_DELAY, MIN_RTO, MODELS, QUEUES

DIRECTIVE = re.compile(r"\.\. (table|figure): (\S+) ?(.*)$")
VALUE = re.compile(r"@([a-z0-9-]+)@")


def number(value):
    return f"{value:,.0f}".replace(",", " ")


def scale_range():
    scales = sorted(1 / scale for _, scale in MODELS.values())
    return f"1/{scales[-1]:.0f} to 1/{scales[0]:.0f}"


def undefined_text(study):
    """Names the cases in which an engine has no throughput."""
    labels = [f"{case.queue} {case.label}" for case in study.cases if case.error is None]
    if not labels:
        return ""
    return ("\nNot measured, as the workers ended less than a step each after the last one's warm-up and "
            "before the first\none was done:\n" + ";\n".join(labels) + ".")


def values(study, multi, version):
    """Text by the name of a value."""
    folders = study.folders.values()
    tcp = next(f for f in folders if f.scenario).scenario["network"]["tcp"]
    job = next(f for f in folders if f.scenario).scenario["job"]
    missing = study.missing()
    changes = {case.key() for _, case in effects.paired(study, "queue", "fair", "shallow")}
    headers = effects.effect("", [pair for pair in
                                  effects.paired(study, "queue", "fair", "shallow", "fair_share")
                                  if pair[1].key() in changes])
    worst = effects.largest_disagreements(study)[0]
    return {
        "version": version,
        "cases": number(len(study.compared)),
        "cases-total": number(sum(18 * len(workers.strip("[]").split(","))
                                  for _, _, workers, _ in QUEUES.values()) * len(MODELS)),
        "missing": ("All parts of the study are there." if not missing else
                    "Missing or not finished, and so not (or not wholly) counted below: "
                    + ", ".join(missing) + ".") + undefined_text(study),
        "cpu-minutes": number(sum(f.cpu for f in folders) / 60),
        "wall-minutes": number(sum(f.wall for f in folders) / 60),
        "scales": scale_range(),
        "steps": str(job["steps"]),
        "warmup": str(job["warmup"]),
        "send-buffer": f"{tcp['send_buffer'] / 1024:.0f} KiB",
        "receive-buffer": f"{tcp['receive_buffer'] / 1024:.0f} KiB",
        "tcp": tcp["variant"],
        "far-delay": f"{1e3 * FAR_DELAY:.0f} ms",
        "min-rto": f"{1e3 * MIN_RTO:.0f} ms",
        "header-change": f"{signed(headers.spread.bias)} %" if headers else "(not known)",
        "largest-error": f"{signed(worst.error)} %",
        "largest-case": f"{worst.label}, {worst.queue} queues",
        "fair-median": group_median(study, queue="fair", rtt=RTTS[0]),
        "fifo-median": group_median(study, queue="fifo", rtt=RTTS[0]),
        "shallow-median": group_median(study, queue="shallow", rtt=RTTS[0]),
        "multi-ps-cases": number(len(multi)),
    }


def linux_values(study):
    """Those of the part with the hosts of Linux."""
    folders = study.folders.values()
    return {
        "linux-cases": number(len(study.compared)),
        "linux-cases-all": number(len(study.cases)),
        "linux-cpu-minutes": number(sum(f.cpu for f in folders) / 60),
        **{f"linux-{queue}-median": group_median(study, queue=queue, rtt=RTTS[0])
           for queue in QUEUES},
    }


def full_values(study):
    """Those of the part at full size."""
    runs = [run for case in study.compared
            for run in case.values["engines"]["packet"]["replications"]]
    skipped = sum(run["fast_forward"]["skipped_bytes"] for run in runs)
    shared = [case for case in study.select(queue="fifo") if case.workers > 1]
    fair = study.select(queue="fair")
    most = max(case.workers for case in study.compared)
    last = effects.Spread.of(case.error for case in study.select(queue="fifo", workers=most))
    return {
        "full-fair-few": f"{100 * max(abs(case.error) for case in fair if case.workers < most):.1f} %",
        "full-fair-most": f"{100 * max(abs(case.error) for case in fair):.1f} %",
        "full-fifo-cases": number(len(shared)),
        "full-fifo-last": f"{signed(last.bias)} %",
        "full-fifo-significant": number(sum(
            bool((case.values.get("relative_error") or {}).get("significant")) for case in shared)),
        "full-cases": number(len(study.compared)),
        "full-cpu-minutes": number(sum(f.cpu for f in study.folders.values()) / 60),
        "full-skipped": f"{100 * skipped / sum(run['simulated_bytes'] for run in runs):.0f} %",
    }


def joined(parts):
    """(tables, pictures, values) of all parts."""
    return tuple({name: value for part in parts.values() for name, value in getattr(part, kind).items()}
                 for kind in ("tables", "drawn", "values"))


def group_median(study, **wanted):
    spread = effects.Spread.of(case.error for case in study.select(**wanted))
    return f"{100 * spread.median:.1f} %" if spread else "(not run)"


def figure(name, caption, drawn, label="validation"):
    if not drawn:
        return ["*There is no picture: this part of the study has not been run (or gnuplot is "
                "missing).*"]
    return [f".. _{label}-{name}:", "", f".. figure:: figures/{name}.svg", "",
            f"   {caption}"]


def fill(path, text, tables, drawn, found, label="validation"):
    """The document; `drawn` says of each picture whether there is one. Labels begin with `label`."""
    lines = []
    for at, line in enumerate(text.splitlines(), 1):
        def value(match, at=at):
            if match[1] not in found:
                raise InputError(f"{path}:{at}: there is no value '@{match[1]}@'; accepted is "
                                 f"{', '.join(sorted(found))}")
            return found[match[1]]

        line = VALUE.sub(value, line)
        match = DIRECTIVE.match(line)
        if not match:
            lines.append(line)
            continue
        kind, name, caption = match.groups()
        accepted = tables if kind == "table" else drawn
        if name not in accepted:
            raise InputError(f"{path}:{at}: there is no {kind} '{name}'; accepted is "
                             f"{', '.join(sorted(accepted))}")
        lines += tables[name] if kind == "table" else figure(name, caption, drawn[name],
                                                                label)
    return "\n".join(lines) + "\n"


def draw_all(study, multi, control, shares, folder):
    """Whether each picture was drawn, by name."""
    def path(name):
        return f"{folder}/{name}.svg"

    return {
        "error-workers": plots.error_over_workers(study, path("error-workers")),
        "error-cases": plots.error_of_cases(study, path("error-cases")),
        "changes": plots.changes(study, control, path("changes")),
        "shares": plots.shares_over_time(shares, path("shares")),
        "multi-ps-error": plots.multi_ps(multi, path("multi-ps-error")),
    }
