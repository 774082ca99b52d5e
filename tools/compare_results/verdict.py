# Copyright (c) 2026 The dml authors
#
# SPDX-License-Identifier: GPL-2.0-only

"""What the two results of a study say, in lines of at most 80 columns."""

import collections
import dataclasses
import os
import textwrap

from compare_results import difference
from compare_results.study import KINDS

COLUMNS = 80
NAME = 26  # of a study
EQUAL, REFUSED, FAILED, DIFFERENT = STATES = ("equal", "refused", "failed", "different")
BAD_INPUT = 2  # exit code of dml
MOST_REFUSED = 0.1  # of random scenarios: with more, they cover less than they seem to


@dataclasses.dataclass
class Verdict:
    """A study, one of STATES, and what differs."""

    study: object
    state: str
    seconds: float  # of both programs
    details: list

    def lines(self):
        """One line, and what differs first."""
        state = self.state.upper() if self.state == DIFFERENT else self.state
        head = f"{state:<9}  {self.study.name:<{NAME}} {self.seconds:5.1f} s  "
        text = textwrap.shorten(" ".join(self.study.tags), COLUMNS - len(head), placeholder=" ...")
        return [head + text] + [line for part in self.details for line in textwrap.wrap(
            part, COLUMNS, initial_indent="    ", subsequent_indent="      ",
            break_on_hyphens=False, drop_whitespace=False)]


def judge(study, before, after):
    """Refused: both say so in the same words. Failed: both end the same way, but not well."""
    details = difference.describe(before, after)
    if details:
        state = DIFFERENT
    elif all(code == 0 for code in before.codes):
        state = EQUAL
    else:
        state = REFUSED if set(before.codes) <= {0, BAD_INPUT} else FAILED
    return Verdict(study, state, before.seconds + after.seconds, details)


def summary(verdicts):
    """A table of counts, and what to think of them."""
    counts = collections.Counter((verdict.study.kind, verdict.state) for verdict in verdicts)
    lines = ["", f"{'':10}" + "".join(f"{state:>11}" for state in STATES)]
    for kind in (*KINDS, None):
        row = [sum(number for (other, found), number in counts.items()
                   if kind in (None, other) and found == state) for state in STATES]
        if any(row):
            lines.append(f"{kind or 'all':10}" + "".join(f"{number:>11}" for number in row))
    times = os.times()
    cpu = times.children_user + times.children_system
    lines.append(f"{cpu:.0f} s of CPU time of both programs together")
    drawn = sum(verdict.study.kind == "random" for verdict in verdicts)
    if counts["random", REFUSED] > MOST_REFUSED * drawn:
        lines.append(f"note: {counts['random', REFUSED]} of {drawn} random scenarios were refused")
    return lines


def coverage(studies):
    """How many random scenarios have what."""
    counts = collections.Counter(tag for study in studies if study.kind == "random"
                                 for tag in set(study.tags))
    text = ", ".join(f"{tag} {number}" for tag, number in sorted(counts.items()))
    return textwrap.wrap(text, COLUMNS, break_on_hyphens=False)
