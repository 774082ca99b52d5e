#
# Copyright (c) 2026 The dml authors
#
# SPDX-License-Identifier: GPL-2.0-only

"""Writes the page of all studies: one template, and one more for each study."""

import json
import os
import re

from order_studies import prophet, tictac, transfer_order
from order_studies.results import Results
from testbed_compare.errors import InputError
from testbed_compare.tables import read_text
from validation_report import document

# A study is a module with NAME, RUNS and report(results, picture).
STUDIES = {study.NAME: study for study in (tictac, transfer_order, prophet)}

PART = re.compile(r"\.\. study: (\S+)$")


def cost(root, study):
    """CPU and wall seconds of all runs of a study."""
    cpu = wall = 0.0
    for run in study.RUNS:
        path = os.path.join(root, run.name, "summary.json")
        if not os.path.exists(path):
            continue  # a run that the reader can do without
        with open(path, encoding="utf-8") as file:
            summary = json.load(file)
        wall += summary["timing"]["wall_seconds"]
        cpu += sum(engine["timing"]["cpu_seconds"] for case in summary["cases"]
                   for engine in case["engines"].values())
    return cpu, wall


def part(root, study, doc, reader, label):
    """The text of a study; says so if it is not finished."""
    stem = doc.removesuffix(".rst")
    results = reader(root, study.RUNS)
    missing = results.missing()
    if missing:
        return (f"*The study {study.NAME} is not finished: {len(missing)} of {len(study.RUNS)} "
                "runs are missing.*\n")
    figures = os.path.join(os.path.dirname(doc), "figures")
    os.makedirs(figures, exist_ok=True)
    tables, drawn, values = study.report(
        results, lambda name: os.path.join(figures, f"{study.NAME}-{name}.svg"))
    values["cpu-minutes"], values["wall-minutes"] = (f"{seconds / 60:.1f}"
                                                     for seconds in cost(root, study))
    template = f"{stem}-{study.NAME}.rst.in"
    return document.fill(template, read_text(template), tables,
                         {f"{study.NAME}-{name}": done for name, done in drawn.items()}, values,
                         label=label)


def write(root, doc, studies=STUDIES, reader=Results, label="order-studies"):
    """Writes `doc` from its template and the results below `root`.

    `studies` are modules by name, `reader` makes the results of a folder and a study's runs, and
    the labels of the page's figures begin with `label`."""
    template, parts = doc + ".in", []
    for at, line in enumerate(read_text(template).splitlines(), 1):
        match = PART.match(line)
        if not match:
            parts.append(line + "\n")
        elif match[1] in studies:
            study = studies[match[1]]
            parts.append(part(os.path.join(root, study.NAME), study, doc, reader, label))
        else:
            raise InputError(f"{template}:{at}: there is no study '{match[1]}'; accepted is "
                             f"{', '.join(studies)}")
    with open(doc, "w", encoding="utf-8") as file:
        file.write("".join(parts))
