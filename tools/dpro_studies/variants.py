#
# Copyright (c) 2026 The dml authors
#
# SPDX-License-Identifier: GPL-2.0-only

"""Runs that search for strategies of a job, and train it with several."""

import os
from dataclasses import dataclass

import yaml

from dpro_studies import profiles
from dpro_studies.runs import RATE, SPEED, MeasuredRun, dml, read_profile, write_settings
from validation_study.settings import ROOT

HOROVOD = ("job.gradient_groups={horovod: {}}",)
# Fewer and larger packets than of real links, so that models run at full size.
LARGE = ("network.mtu=65535", f"network.rate={RATE}", "fair_share.one_way_delay=20us")
NO_DEVICES = ("job.devices={gpu: {speed: 1}}",)  # profiles have the device's times
SEARCH = ("sweep={}", "replications=1", "packet.replications=0", "job.steps=4", "job.warmup=1")


class VariantRun(MeasuredRun):
    """A job on a ring, whose variants are folders of results below `results`.

    Subclasses say in `settings` what all of them share, as KEY=VALUE."""

    SCENARIO = os.path.join(ROOT, "scenarios", "all-reduce", "buckets.yaml")
    engine = "both"
    replications = 3
    steps = 6

    def optimize(self, program, folder, name, profile, jobs, *options):
        """What dml optimize prints of a profile, which stays in NAME.txt; the strategy is in NAME.yaml."""
        text = dml(program, "optimize", self.SCENARIO, "-o", os.path.join(folder, name + ".yaml"),
                   "--check=none", f"--jobs={jobs}", *options, *(f"--set={each}" for each in (
                       *SEARCH, *NO_DEVICES, *self.settings, f"job.profile={profile}")))
        with open(os.path.join(folder, name + ".txt"), "w", encoding="utf-8") as file:
            file.write(text)
        return text

    def train(self, program, folder, variant, profile, jobs, settings=()):
        """Runs a variant, without pictures."""
        dml(program, "run", self.SCENARIO, f"--engine={self.engine}",
            f"--out={os.path.join(folder, 'results', variant)}", "--force", f"--jobs={jobs}",
            *(f"--set={each}" for each in (
                "output.plots=false", "sweep={}", f"replications={self.replications}",
                f"packet.replications={self.replications}", f"job.steps={self.steps}", "job.warmup=1",
                f"job.profile={profile}", *NO_DEVICES, *self.settings, *settings)))


@dataclass(frozen=True)
class StrategyRun(VariantRun):
    """Searches for the best strategies of a job on a ring, and runs them beside the defaults."""

    name: str
    model: str
    workers: int
    engine: str = VariantRun.engine
    steps: int = VariantRun.steps

    VARIANTS = ("XLA", "Horovod", "ops", "tensors", "both")

    @property
    def settings(self):
        return (*LARGE, f"job.workers={self.workers}")

    def search(self, program, folder, name, jobs, *options):
        """KEY=VALUE of the best strategy."""
        self.optimize(program, folder, name, os.path.join(folder, "gpu.yaml"), jobs, *options)
        return read_strategy(os.path.join(folder, name + ".yaml"))

    def work(self, program, folder, jobs):
        gpu, xla, fused = (os.path.join(folder, name + ".yaml") for name in ("gpu", "xla", "both.profile"))
        profile = profiles.speed_up(read_profile(self.model), SPEED)
        profiles.write_profile(profile, gpu)
        profiles.write_profile(profiles.fuse_all(profile), xla)
        tensors = self.search(program, folder, "tensors", jobs)
        both = self.search(program, folder, "both", jobs, f"--fused={profiles.LAUNCH * 1e6:.0f}us")
        fused = fused if os.path.exists(fused) else gpu
        chosen = ((xla, HOROVOD), (gpu, HOROVOD), (fused, HOROVOD), (gpu, tensors), (fused, both))
        for variant, (path, settings) in zip(self.VARIANTS, chosen, strict=True):
            self.train(program, folder, variant, path, jobs, settings)


def read_strategy(path):
    """KEY=VALUE of what dml optimize wrote, but for its profile; all values are texts, `off` is too."""
    with open(path, encoding="utf-8") as file:
        found = yaml.load(file, Loader=yaml.BaseLoader)
    return write_settings({f"{section}.{key}": value for section, values in found.items()
                           for key, value in values.items() if key != "profile"})
