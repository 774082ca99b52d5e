#
# Copyright (c) 2026 The dml authors
#
# SPDX-License-Identifier: GPL-2.0-only

"""Table 5: what the shortcuts of the search along the critical path are worth."""

import os
import statistics
from dataclasses import dataclass

from dpro_studies.profiles import LAUNCH
from dpro_studies.results import Mean
from dpro_studies.runs import BUCKETS, MeasuredRun, dml, load_tool, profile_path
from validation_report.tables import simple
from validation_study.settings import ROOT

NAME = "search"
WORKERS = 4
REPEATS = 3
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
    """A search, several times: what it finds is always the same, but not how long it takes."""

    model: str
    label: str
    without: tuple

    @property
    def name(self):
        return f"{self.model}-{self.label.removeprefix('+ ').replace(' ', '-')}"

    def work(self, program, folder, jobs):
        settings = ("sweep={}", "replications=1", "packet.replications=0", "job.steps=3",
                    "job.warmup=1", f"job.workers={WORKERS}", f"job.profile={profile_path(self.model)}")
        more = ["--without=" + ",".join(self.without)] if self.without else []
        for number in range(REPEATS):
            text = dml(program, "optimize", os.path.join(ROOT, "scenarios", BUCKETS), "--check=none",
                       f"--fused={1e6 * LAUNCH:.0f}us", f"--jobs={jobs}", *more,
                       *("--set=" + each for each in settings))
            with open(os.path.join(folder, f"{number}.txt"), "w", encoding="utf-8") as file:
                file.write(text)


def runs_of(model):
    return [SearchRun(model, label, tuple(without))
            for label, (_, without) in zip(LABELS, SEARCHES, strict=True)]


RUNS = tuple(run for model in MODELS for run in runs_of(model))


@dataclass(frozen=True)
class Search:
    """What a search took, and what it came to."""

    seconds: float
    replays: int
    ops: float  # millions that were replayed
    step: float  # s

    @classmethod
    def of(cls, text):
        """Of what dml optimize printed."""
        seconds, replays, ops, step = STUDY.read_path_search(text)
        return cls(float(seconds), int(replays), float(ops), float(step))


def read(results):
    """{(model, label): Search of each repeat}."""
    return {(run.model, run.label): [Search.of(results.text(run.name, f"{number}.txt"))
                                     for number in range(REPEATS)] for run in RUNS}


def cost_table(found):
    rows = [[model, label, Mean.of(each.seconds for each in costs).text(1e3, 0),
             str(costs[0].replays), f"{costs[0].ops:.2f}", f"{1e3 * costs[0].step:.1f}"]
            for (model, label), costs in found.items()]
    return simple(["model", "search", "search, ms", "replays", "M ops", "step, ms"], rows)


def paper_table():
    rows = [[model, *hours] for model, hours in PAPER.items()]
    return simple(["model", *LABELS], rows)


def ratio(found, model):
    """How many times as long the strawman takes as the search with all shortcuts."""
    first, last = (statistics.fmean(each.seconds for each in found[model, label])
                   for label in (LABELS[0], LABELS[-1]))
    return first / last


def report(results, _picture):
    """(tables, pictures, values)."""
    found = read(results)
    ratios = [ratio(found, model) for model in MODELS]
    ops = [found[model, LABELS[0]][0].ops / found[model, LABELS[-1]][0].ops for model in MODELS]
    paper = [float(hours[0].removeprefix("> ")) / float(hours[-1]) for hours in PAPER.values()]
    values = {"workers": str(WORKERS), "repeats": str(REPEATS)}
    for name, of in (("ratio", ratios), ("ops", ops), ("paper", paper)):
        values[name + "-least"], values[name + "-most"] = (f"{pick(of):.0f}" for pick in (min, max))
    return {"costs": cost_table(found), "paper": paper_table()}, {}, values
