# Copyright (c) 2026 The dml authors
#
# SPDX-License-Identifier: GPL-2.0-only

"""Random draws that leave nothing out."""

import random


class Decks:
    """Values are dealt like cards: each comes once before any comes again, so that a few dozen draws
    cover them all."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self._left = {}

    def draw(self, name, values):
        """The next card of the deck of that name. Values in it twice come twice as often."""
        if not self._left.get(name):
            self._left[name] = list(values)
            self.random.shuffle(self._left[name])
        return self._left[name].pop()

    def pick(self, values):
        """Any of them."""
        return self.random.choice(list(values))

    def integer(self, low, high):
        """Both ends included."""
        return self.random.randint(low, high)

    def number(self, low, high, digits=3):
        """A number with few digits, which reads well."""
        return float(f"{self.random.uniform(low, high):.{digits}g}")

    def milliseconds(self, low, high):
        """A time for a scenario."""
        return f"{self.number(low, high)}ms"

    def kilobytes(self, low, high):
        """A size for a scenario."""
        return f"{self.integer(low, high)}KB"
