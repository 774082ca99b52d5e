#
# Copyright (c) 2026 The dml authors
#
# SPDX-License-Identifier: GPL-2.0-only

"""Table 5: what the shortcuts of the search along the critical path are worth, counted in replayed ops: times
of searches as short as these say more of a shared machine than of the search."""

import os
from dataclasses import dataclass

from dpro_studies.accuracy import short
from dpro_studies.profiles import LAUNCH
from dpro_studies.runs import MeasuredRun, dml, load_tool, profile_path
from dpro_studies.variants import VariantRun
from study_intervals import Mean
from validation_report.tables import simple

NAME = "search"
WORKERS = 4
SEEDS = (1, 2, 3)
MODELS = ("resnet50-b4", "vgg11-b4")
STUDY = load_tool("optimize-study")
# from dPRO's strawman to all of its shortcuts
SEARCHES = tuple(reversed(STUDY.SHORTCUTS))
LABELS = ("strawman", "+ coarsened view", "+ partial replay", "+ symmetry")
# hours, in that order; section 5.3 says that BERT Base's strawman takes more than 24
PAPER = {"ResNet50": ("14.60", "5.35", "0.91", "0.29"), "VGG16": ("11.97", "3.74", "0.71", "0.04"),
         "InceptionV3": ("16.75", "6.13", "1.04", "0.47"),
         "BERT Base": ("> 24", "22.01", "3.25", "0.49")}


@dataclass(frozen=True)
class SearchRun(MeasuredRun):
    """Searches with several seeds, from which the workers' times of a step are drawn. A seed decides what is
    replayed and found, but not how long that takes."""

    model: str
    label: str
    without: tuple

    @property
    def name(self):
        return f"{self.model}-{self.label.removeprefix('+ ').replace(' ', '-')}"

    def work(self, program, folder, jobs):
        settings = ("sweep={}", "fair_share.one_way_delay=20us", "replications=1",
                    "packet.replications=0", "job.steps=3", "job.warmup=1", f"job.workers={WORKERS}", f"job.profile={profile_path(self.model)}")
        more = ["--without=" + ",".join(self.without)] if self.without else []
        for seed in SEEDS:
            text = dml(program, "optimize", VariantRun.SCENARIO, "--check=none",
                       f"--fused={1e6 * LAUNCH:.0f}us", f"--jobs={jobs}", *more, f"--set=seed={seed}",
                       *("--set=" + each for each in settings))
            with open(os.path.join(folder, f"{seed}.txt"), "w", encoding="utf-8") as file:
                file.write(text)


def runs_of(model):
    return [SearchRun(model, label, tuple(without))
            for label, (_, without) in zip(LABELS, SEARCHES, strict=True)]


RUNS = tuple(run for model in MODELS for run in runs_of(model))


@dataclass(frozen=True)
class Search:
    """What a search took, and what it came to."""

    replays: int
    ops: float  # millions that were replayed
    step: float  # s

    @classmethod
    def of(cls, text):
        """Of what dml optimize printed."""
        _, replays, ops, step = STUDY.read_path_search(text)
        return cls(int(replays), float(ops), float(step))


def read(results):
    """{(model, label): Search of each seed}."""
    return {(run.model, run.label): [Search.of(results.text(run.name, f"{seed}.txt"))
                                     for seed in SEEDS] for run in RUNS}


def cost_table(found):
    rows = [[short(model), label, Mean.of(each.replays for each in costs).text(digits=0),
             Mean.of(each.ops for each in costs).text(digits=3),
             Mean.of(each.step for each in costs).text(factor=1e3)]
            for (model, label), costs in found.items()]
    return simple(["model", "search", "replays", "M ops", "step, ms"], rows)


def paper_table():
    rows = [[model, *hours] for model, hours in PAPER.items()]
    return simple(["model", *LABELS], rows)


def ratio(found, model, label=LABELS[-1]):
    """How many times as many ops the strawman replays as a search with shortcuts."""
    return Mean.of_pairs(*([search.ops for search in found[model, each]] for each in (LABELS[0], label)))


def ratio_table(found):
    """How many times less each search takes than the strawman; hours in the paper, replayed ops here."""
    rows = [[short(model) + ", here", *(ratio(found, model, label).text() for label in LABELS[1:])]
            for model in MODELS]
    rows += [[model + ", paper", *(("> " if "> " in hours[0] else "")
                                   + f"{float(hours[0].removeprefix('> ')) / float(each):.1f}"
                                   for each in hours[1:])] for model, hours in PAPER.items()]
    return simple(["model", *LABELS[1:]], rows)


def report(results, _picture):
    """(tables, pictures, values)."""
    found = read(results)
    ratios = [ratio(found, model) for model in MODELS]
    paper = [float(hours[0].removeprefix("> ")) / float(hours[-1]) for hours in PAPER.values()]
    values = {"workers": str(WORKERS), "seeds": str(len(SEEDS))}
    for name, pick in (("least", min), ("most", max)):
        values["ops-" + name] = pick(ratios, key=lambda each: each.value).text()
        values["paper-" + name] = f"{pick(paper):.0f}"
    tables = {"costs": cost_table(found), "ratios": ratio_table(found), "paper": paper_table()}
    return tables, {}, values
