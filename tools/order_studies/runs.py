#
# Copyright (c) 2026 The dml authors
#
# SPDX-License-Identifier: GPL-2.0-only

"""A run of a study, and the settings that scale it."""

import os
from dataclasses import dataclass

from validation_study.runs import run
from validation_study.settings import DELAYED_ACK, MODELS, PROFILES, ROOT, nanoseconds


@dataclass(frozen=True)
class Run:
    """One `dml run` of a study, with results in a folder of that name."""

    name: str
    scenario: str  # a folder or file of scenarios/
    settings: tuple = ()  # KEY=VALUE
    engine: str = "both"

    @property
    def path(self):
        return os.path.join(ROOT, "scenarios", self.scenario)

    def do(self, program, root, jobs):
        """Runs it, or what is left of it, into its folder below `root`."""
        run(program, self.path, os.path.join(root, self.name), jobs, self.settings, self.engine)


def scaled(profile, scale):
    """A profile at a scale, and what is scaled with it."""
    return ("job.profile=%s" % os.path.relpath(os.path.join(PROFILES, profile + ".yaml")),
            f"job.scale={scale!r}",
            f"network.tcp.delayed_ack_timeout={nanoseconds(DELAYED_ACK * scale)}")


def scaled_window(megabytes, scale):
    """A window of the full-size job; `off` where None."""
    return "off" if megabytes is None else f"{round(megabytes * 1e6 * scale)}B"


def full_profile(model):
    """A model's profile at its full size; the ACKs of its hosts are not scaled."""
    return (f"job.profile={os.path.relpath(os.path.join(PROFILES, MODELS[model][0] + '.yaml'))}",
            "job.scale=1", f"network.tcp.delayed_ack_timeout={nanoseconds(DELAYED_ACK)}")
