#
# Copyright (c) 2026 The dml authors
#
# SPDX-License-Identifier: GPL-2.0-only

"""What was measured, as a table, as JSON and as reStructuredText."""

import json

from bench_report.errors import InputError
from bench_report.sample import Sample

SCHEMA = "dml-bench/1"
WIDTH = 80
COLUMNS = (("what", 27), ("measure", 16), ("value", 7), ("+-", 5), ("budget", 8), ("ratio", 7),
           ("met", 4))


def number(value):
    """Three significant digits, or two, in at most seven characters."""
    if value == 0 or 1e-3 <= abs(value) < 1e6:
        text = f"{value:.3g}"
        return f"{value:.0f}" if "e" in text else text
    for digits in (2, 1):
        mantissa, exponent = f"{value:.{digits}e}".split("e")
        text = f"{mantissa.rstrip('0').rstrip('.')}e{int(exponent)}"
        if len(text) <= 7:
            break
    return text


def result_of(row, sample, seconds, commands):
    """The JSON of a row that was measured."""
    budget = row.budget
    return dict(
        _head(row), status="measured", value=sample.median, low=sample.low, high=sample.high,
        samples=list(sample.values), ratio=budget.ratio(sample.median) if budget else None,
        met=budget.is_met(sample.median) if budget else None, seconds=round(seconds, 3),
        commands=list(commands))


def result_without(row, status, reason):
    """The JSON of a row that was "skipped" or has "failed", and why."""
    return dict(_head(row), status=status, reason=str(reason))


def _head(row):
    budget = row.budget
    return {"name": row.name, "group": row.group, "what": row.what, "measure": row.measure,
            "how": row.how, "shown_times": row.scale,
            "budget": {"sense": budget.sense, "limit": budget.limit} if budget else None}


def _line(cells):
    texts = [f"{cell:<{width}}" if i < 2 else f"{cell:>{width}}"
             for i, (cell, (_, width)) in enumerate(zip(cells, COLUMNS))]
    return " ".join(texts).rstrip()


def cells_of(result):
    """The texts of a line of the table."""
    scale, budget = result["shown_times"], result["budget"]
    limit = f"{budget['sense']} {number(budget['limit'] * scale)}" if budget else ""
    first = [result["what"], result["measure"]]
    if result["status"] != "measured":
        return first + [result["status"], "", limit, "", ""]
    spread = ""
    if len(result["samples"]) > 1:
        spread = f"{100 * Sample(tuple(result['samples'])).spread:.0f}%"
    ratio = number(result["ratio"]) if budget else ""
    met = ("yes" if result["met"] else "no") if budget else ""
    return first + [number(result["value"] * scale), spread, limit, ratio, met]


def header():
    """The first two lines of the table."""
    return _line([title for title, _ in COLUMNS]) + "\n" + "-" * WIDTH


def table_line(result):
    return _line(cells_of(result))


def document(machine, quick, results):
    """Everything, as JSON."""
    return {"schema": SCHEMA, "machine": machine, "quick": quick, "rows": results}


def write_json(path, content):
    with open(path, "w", encoding="utf-8") as file:
        json.dump(content, file, indent=2)
        file.write("\n")


def read_json(path):
    """What write_json() wrote."""
    try:
        with open(path, encoding="utf-8") as file:
            content = json.load(file)
    except (OSError, ValueError) as error:
        raise InputError(f"{path}: {error}") from None
    schema = content.get("schema") if isinstance(content, dict) else None
    if schema != SCHEMA:
        raise InputError(f"{path}: found schema {schema!r}; accepted: '{SCHEMA}', as --json writes")
    return content


def machine_text(machine):
    """One sentence about the machine."""
    known = [str(machine[key]) for key in ("cpu", "system", "compiler", "build_type")
             if machine.get(key)]
    known.insert(1, f"{machine['cores']} cores")
    commit = f", commit {machine['commit']}" if machine.get("commit") else ""
    changed = " with changes" if commit and machine.get("changed") else ""
    return (f"{', '.join(known)}; dml {machine['version']}{commit}{changed}, "
            f"{machine['date'][:10]}, load {machine['load_average']} before")


def _rst_table(titles, lines):
    text = [".. list-table::", "   :header-rows: 1", ""]
    for cells in [titles, *lines]:
        text += [("   * - " if i == 0 else "     - ") + cell for i, cell in enumerate(cells)]
    return "\n".join(line.rstrip() for line in text) + "\n"


def write_rst(path, content):
    """The table for the manual, with the machine that measured it."""
    lines = []
    for result in content["rows"]:
        name, *cells = cells_of(result)
        lines.append([name.strip() + f" (``{result['name']}``)", *cells])
    with open(path, "w", encoding="utf-8") as file:
        file.write(".. Written by ./dml bench --rst; not to be edited.\n\n")
        file.write(_rst_table([title for title, _ in COLUMNS], lines))
        file.write(f"\nMeasured on: {machine_text(content['machine'])}.\n")


def comparison(before, now):
    """A table of the rows that both have measured: value before, now, and the quotient."""
    old = {row["name"]: row for row in before["rows"] if row["status"] == "measured"}
    lines = [f"{'what':<27} {'measure':<16} {'before':>10} {'now':>10} {'now/before':>11}",
             "-" * WIDTH]
    for row in now["rows"]:
        if row["status"] == "measured" and row["name"] in old:
            scale, first = row["shown_times"], old[row["name"]]["value"]
            quotient = number(row["value"] / first) if first else ""
            lines.append(f"{row['what']:<27} {row['measure']:<16} {number(first * scale):>10} "
                         f"{number(row['value'] * scale):>10} {quotient:>11}")
    return "\n".join(lines)
