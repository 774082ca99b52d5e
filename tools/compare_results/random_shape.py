# Copyright (c) 2026 The dml authors
#
# SPDX-License-Identifier: GPL-2.0-only

"""The choices of a random scenario that bind each other."""

POLICIES = ("http2-window", "frame-by-frame", "fifo", "tic", "tac", "reverse", "random", "shuffled",
            "explicit", "p3", "bytescheduler", "prophet")
ORDERS = ("tic", "tac", "reverse", "random", "shuffled", "explicit")
SLICES = ("p3", "bytescheduler", "prophet")
SYNCS = ("async", "bsp", "ssp", "backup", "push-pull")
SHARINGS = ("auto", "equal", "max-min", "max-min", "fifo", "two-ps")
TOPOLOGIES = ("star", "dumbbell", "leaf-spine", "explicit")
NO_FAULT = "none"
PROCESS_FAULTS = ("slow", "slow-for", "stop")
CRASHES = ("crash", "crash-rejoin")
SERVER_CRASHES = ("server-crash", "server-crash-checkpoint")
LINK_FAULTS = ("link-loss", "link-down", "link-rate", "link-rate-for")
BACKGROUNDS = ("none", "none", "constant", "on-off", "exponential", "bytes", "bulk")
BATCH_CONTROLS = ("off", "cpu-last", "cpu-ema", "cpu-narx", "cpu-lstm", "gpu", "shedding")
DEVICES = ("none", "none", "speeds", "rate", "gpus", "changes", "trace", "slots")
STEPS = ("fixed",) * 6 + ("auto",)
WORKERS = (1, 2, 2, 3, 4, 5, 8, [1, 3], [2, 4])


class Shape:
    """What is drawn first. Everything that the rule of sharing or the protocol excludes is not drawn, so
    that few scenarios are refused."""

    def __init__(self, decks):
        self.policy = decks.draw("policy", POLICIES)
        self.sync = decks.draw("sync", SYNCS)
        self.sharing = decks.draw("sharing", SHARINGS)
        self.servers = decks.draw("servers", (1, 2, 3, 4))
        self.workers = decks.draw("workers", WORKERS)
        self.background = self.other_job = self.unequal = False
        self.topology = "star"
        if self.sharing == "two-ps":
            self.servers = 2
        else:
            self.topology = decks.draw("topology", TOPOLOGIES)
            self.unequal = decks.draw("unequal", (False, False, "hosts", "colocate"))
        if self.sharing not in ("two-ps", "equal"):
            self.background = decks.draw("background", BACKGROUNDS)
            self.other_job = decks.draw("other job", (True,) + (False,) * 5)
        self.fault = self._draw_fault(decks)
        self.batch_control = "off"
        if self.sync == "bsp":
            self.batch_control = decks.draw("batch control", BATCH_CONTROLS)
        elif self.sync == "ssp":
            self.batch_control = decks.draw("shedding", ("off", "shedding"))
        self.devices = self._draw_devices(decks)
        self.steps = decks.draw("steps", STEPS)
        self._limit_workers(decks)

    def _draw_fault(self, decks):
        """Rules that know servers' links only take faults of these."""
        faults = (NO_FAULT, *PROCESS_FAULTS)
        if self.sync != "push-pull":
            faults += CRASHES + SERVER_CRASHES
        if self.sharing == "two-ps":
            return decks.draw(f"fault {faults}", faults)
        return decks.draw(f"fault {faults} of links, too", faults + LINK_FAULTS)

    def _draw_devices(self, decks):
        if self.batch_control == "gpu":
            return "gpus"
        if self.batch_control == "shedding":
            return decks.draw("devices by samples", ("speeds", "rate", "changes"))
        return decks.draw("devices", DEVICES)

    def _limit_workers(self, decks):
        """Enough of them for what is to happen, and few where a run takes many steps."""
        lone = self.sync == "async" and self.fault not in CRASHES and self.batch_control == "off"
        if self.steps == "auto":
            self.workers = decks.pick((1, 2) if lone else (2,))
        elif not lone and self.workers in (1, [1, 3]):
            self.workers = decks.pick((2, 3, [2, 3]))

    @property
    def counts(self):
        """All numbers of workers."""
        return self.workers if isinstance(self.workers, list) else [self.workers]

    @property
    def most(self):
        return max(self.counts)

    @property
    def fewest(self):
        return min(self.counts)

    @property
    def tags(self):
        """In words, the most telling first."""
        words = [self.policy, self.sync, f"share-{self.sharing}", self.topology]
        for prefix, word in (("", self.fault), ("flow-", self.background),
                             ("batch-", self.batch_control), ("", self.unequal),
                             ("device-", self.devices)):
            if word and word not in ("none", "off"):
                words.append(prefix + word)
        words += ["steps-auto"] if self.steps == "auto" else []
        return words + (["other-job"] if self.other_job else [])
