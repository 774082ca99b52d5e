#
# Copyright (c) 2026 The dml authors
#
# SPDX-License-Identifier: GPL-2.0-only

"""Fig. 9 with BytePS: strategies of jobs with a parameter server on the host of each worker.

dml optimize fuses no ops of such jobs, as Algorithm 1 of it plans all-reduces only. So it searches for the
best order and slices of each of a few profiles whose ops are fused in groups."""

import json
import os
import re
from dataclasses import dataclass

from dpro_studies import profiles
from dpro_studies.accuracy import short
from dpro_studies.runs import SPEED, read_profile, write_settings
from dpro_studies.strategies import (FOUND, best, draw_throughputs, gain_table, losses, read,
                                     throughput_table)
from dpro_studies.variants import LARGE, VariantRun, read_strategy
from study_intervals import Mean
from testbed_compare.errors import InputError
from testbed_compare.tables import JsonFile
from validation_report.tables import signed, simple

NAME = "servers"
WORKERS = 4
MODELS = ("resnet50-b4", "googlenet-b8")
VARIANTS = ("XLA", "BytePS", "ops", "tensors", "both")
DEFAULTS = VARIANTS[:2]
# 0: ops as they are; 1: what XLA does
GROUPS = (0, 1, 2, 4, 8, 16, 32, 64)
# slices of 4,096,000 bytes, of which four are under way
DEFAULT = ("transfer.policy=bytescheduler", "transfer.partition=4096000B", "transfer.credit=16384000B")
DEFAULT_NAME = "BytePS, 4.096 MB, credit 4"
ROW = r"^  {} +([\d.]+) +[-+][\d.]+ %"


def read_rates(text, where):
    """(samples/s of BytePS's default, of the best strategy) in what dml optimize printed."""
    default = re.search(ROW.format(re.escape(DEFAULT_NAME)), text, re.MULTILINE)
    first = re.search(ROW.format(r"\S.*?"), text, re.MULTILINE)  # rows begin with the best one
    if not default or not first:
        raise InputError(f"{where}: there is no row '{DEFAULT_NAME}'; accepted is what dml optimize "
                         "prints")
    return float(default[1]), float(first[1])


@dataclass(frozen=True)
class ServerRun(VariantRun):
    """Searches for the best strategies of a job with servers, and runs them beside the defaults: VARIANTS."""

    model: str
    workers: int

    @property
    def name(self):
        return self.model

    @property
    def settings(self):
        """KEY=VALUE of servers on the workers' hosts."""
        return (*LARGE, *write_settings({
            "job.protocol": "push-pull", "job.workers": self.workers,
            "job.parameter_servers": self.workers,
            "network.colocate": {f"ps{i}": f"worker{i}" for i in range(self.workers)}}))

    def work(self, program, folder, jobs):
        gpu, rates = profiles.speed_up(read_profile(self.model), SPEED), {}
        paths = {groups: os.path.join(folder, f"fused{groups}.yaml") for groups in GROUPS}
        for groups, path in paths.items():
            profiles.write_profile(profiles.fuse_groups(gpu, groups) if groups else gpu, path)
            name = f"best{groups}"
            rates[groups] = read_rates(self.optimize(program, folder, name, path, jobs),
                                       os.path.join(folder, name + ".txt"))
        ops, both = (max(GROUPS, key=lambda groups, which=which: rates[groups][which])
                     for which in (0, 1))
        with open(os.path.join(folder, "chosen.json"), "w", encoding="utf-8") as file:
            json.dump({"ops": ops, "both": both}, file)
        tensors, together = (read_strategy(os.path.join(folder, f"best{groups}.yaml"))
                             for groups in (0, both))
        chosen = ((1, DEFAULT), (0, DEFAULT), (ops, DEFAULT), (0, tensors), (both, together))
        for variant, (groups, settings) in zip(VARIANTS, chosen, strict=True):
            self.train(program, folder, variant, paths[groups], jobs, settings)


RUNS = tuple(ServerRun(model, WORKERS) for model in MODELS)


def read_chosen(results, model):
    """{strategy: (how many ops of each kind, or 0 if none are fused, the order and slices)}."""
    groups = JsonFile(results.folder(model, "chosen.json"))
    names = {}
    for strategy in FOUND:
        number = 0 if strategy == "tensors" else groups.get("ops" if strategy == "ops" else "both")
        text = results.text(model, f"best{number}.txt")
        found = re.search(r"best: (.*)$", text, re.MULTILINE)
        names[strategy] = number, DEFAULT_NAME if strategy == "ops" else found[1]
    return names


def strategy_table(results):
    rows = [[short(model), strategy, "as they are" if not number else str(number), name]
            for model in MODELS for strategy, (number, name) in read_chosen(results, model).items()]
    return simple(["model", "strategy", "ops of a kind", "order and slices"], rows)


def is_best(by):
    """Whether no other strategy is faster than ops and tensors together in packets, by 0.05 % or more."""
    means = {name: Mean.of(by[name, "packet"]).value for name in FOUND}
    return means["both"] > 0.9995 * max(means.values())


def report(results, picture):
    """(tables, whether each picture was drawn, values); `picture` gives the path of a name."""
    found = {model: read(results, model, VARIANTS) for model in MODELS}
    values = {"models": str(len(MODELS)), "groups": ", ".join(map(str, GROUPS[1:])),
              "combined-best": str(sum(is_best(by) for by in found.values()))}
    for default in DEFAULTS:
        name = default.lower()
        values[f"best-{name}"], values[f"best-{name}-case"] = best(found, default)
    values["xla-least"], values["xla-most"] = map(signed, losses(found, "BytePS"))
    gap = [Mean.of(by["BytePS", "packet"]).value / Mean.of(by["BytePS", "fair-share"]).value - 1
           for by in found.values()]
    values["slow"] = signed(max(gap, key=abs))
    tables = {"strategies": strategy_table(results), "throughputs": throughput_table(found, VARIANTS),
              "gains": gain_table(found, DEFAULTS)}
    return tables, {"throughputs": draw_throughputs(found, picture("throughputs"), VARIANTS)}, values
