#
# Copyright (c) 2026 The dml authors
#
# SPDX-License-Identifier: GPL-2.0-only

"""Writes the page of all studies: one template, and one more for each study; what was taken from
results is stored beside it (validation_report.stored)."""

import json
import os
import re
import sys

from order_studies import (consistency, coverage, full_size, learning, models, prophet, prophet_gradients,
                           prophet_models, prophet_slices, tictac, transfer_order, workloads)
from order_studies.results import Results
from testbed_compare.errors import InputError
from testbed_compare.tables import read_text
from validation_report import document, stored

# A study is a module with NAME, RUNS and report(results, picture).
STUDIES = {study.NAME: study for study in (
    tictac, workloads, consistency, learning, models, transfer_order, prophet, prophet_models,
    prophet_gradients, prophet_slices, full_size)}

PART = re.compile(r"\.\. study: (\S+)$")
COVERAGE = re.compile(r"\.\. coverage: (\S+)((?: \S+)*)$")


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


def make(root, study, doc, results):
    """A stored part from the results of a study, with its pictures."""
    figures = os.path.join(os.path.dirname(doc), "figures")
    os.makedirs(figures, exist_ok=True)
    tables, drawn, values = study.report(
        results, lambda name: os.path.join(figures, f"{study.NAME}-{name}.svg"))
    values["cpu-minutes"], values["wall-minutes"] = (f"{seconds / 60:.1f}"
                                                     for seconds in cost(root, study))
    return stored.Part.made_now(f"tools/{os.path.basename(sys.argv[0])} {study.NAME}", tables,
                                {f"{study.NAME}-{name}": done for name, done in drawn.items()},
                                values)


def render(study, doc, parts, label):
    """The text of a study as it is stored."""
    template = f"{doc.removesuffix('.rst')}-{study.NAME}.rst.in"
    part = parts[study.NAME]
    return document.fill(template, read_text(template), part.tables, part.drawn, part.values,
                         label=label)


def update(root, study, doc, parts, reader, label):
    """Takes the results of a study into the stored parts. What a study that is not finished lacks
    to that, or None."""
    results = reader(root, study.RUNS)
    missing = results.missing()
    if not missing:
        parts[study.NAME] = make(root, study, doc, results)
        return None
    return f"{len(missing)} of {len(study.RUNS)} runs are missing"


def cover(texts, doc, parts, studies):
    """Puts what is re-created of a paper where `texts` have the name of its file, and of the studies
    whose cost is told, all if there is none: all studies are known by now."""
    for at, text in enumerate(texts):
        match = COVERAGE.match(text)
        if match:
            chosen = match[2].split() or studies
            for name in chosen:
                if name not in studies:
                    raise InputError(f"{doc}.in: {match[1]}: there is no study '{name}'; accepted is "
                                     f"{', '.join(studies)}")
            texts[at], part = coverage.make(doc, match[1], parts, chosen)
            if part:
                parts[coverage.part_name(doc, match[1])] = part


def write(root, doc, studies=STUDIES, reader=Results, label="order-studies"):
    """Writes `doc` from its template, the results below `root` and, of studies that are not
    finished there, what is stored beside `doc`.

    `studies` are modules by name, `reader` makes the results of a folder and a study's runs, and
    the labels of the page's figures begin with `label`. A line `.. coverage: FILE [STUDY...]` becomes the
    table of what is re-created of a paper. Says which studies are as stored."""
    template, texts, notes = doc + ".in", [], []
    parts = stored.read(doc)
    for at, line in enumerate(read_text(template).splitlines(), 1):
        match = PART.match(line)
        if not match:
            texts.append(line + "\n")
            continue
        if match[1] not in studies:
            raise InputError(f"{template}:{at}: there is no study '{match[1]}'; accepted is "
                             f"{', '.join(studies)}")
        study = studies[match[1]]
        lack = update(os.path.join(root, study.NAME), study, doc, parts, reader, label)
        if study.NAME in parts:
            texts.append(render(study, doc, parts, label))
            if lack:
                notes.append(f"{study.NAME}: {lack}; the page keeps the results of "
                             f"{parts[study.NAME].date}")
        else:
            texts.append(f"*The study {study.NAME} is not finished: {lack}.*\n")
    cover(texts, doc, parts, studies)
    stored.write(doc, parts)
    with open(doc, "w", encoding="utf-8") as file:
        file.write("".join(texts))
    return notes
