#
# Copyright (c) 2026 The dml authors
#
# SPDX-License-Identifier: GPL-2.0-only

"""A folder of results."""

import csv
import json
import os
import re

CONTROLS = {"n": "\n", "t": "\t", "r": "\r"}


def unescape(match):
    """The bytes that backslashes stand for."""
    return b"".join(bytes.fromhex(byte) if byte else CONTROLS.get(other, other).encode()
                    for byte, other in re.findall(r"\\(?:x([0-9a-f]{2})|(.))", match[0], re.DOTALL)).decode(
                        errors="surrogateescape")


def read_name(text):
    """A name or another text of a table as it was before dml wrote it: there, control characters and backslashes
    are escaped, and an apostrophe keeps spreadsheets from calculating what begins as a formula."""
    if "\\" not in text and "'" not in text[:1]:
        return text
    text = re.sub(r"^'(?='*[=+\-@])", "", text)
    return re.sub(r"(?:\\(?:x[0-9a-f]{2}|.))+", unescape, text, flags=re.DOTALL)


def read_csv(path):
    """A DataFrame of a table of dml's, in which only an empty field is no value."""
    import pandas  # pylint: disable=C0415 # nothing else needs it
    table = pandas.read_csv(path, keep_default_na=False, na_values=[""], low_memory=False)
    for column in table.columns:
        names = {text: read_name(text) for text in table[column].unique() if isinstance(text, str)}
        names = {text: name for text, name in names.items() if text != name}
        if names:
            table[column] = table[column].map(lambda text, names=names: names.get(text, text))
    return table


def flow_text(value):
    """A value as a summary writes that of a swept key; text is as it is."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{key}: {flow_text(each)}" for key, each in value.items()) + "}"
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(map(flow_text, value)) + "]"
    return str(value).lower() if isinstance(value, bool) else str(value)


class Picture:
    """A plot, which notebooks show."""

    def __init__(self, path):
        self.path = path

    def _repr_svg_(self):
        with open(self.path, encoding="utf-8") as file:
            return file.read()


class Results:
    """What a study wrote into its folder, and still writes."""

    def __init__(self, folder):
        self.folder = os.fspath(folder)

    def __repr__(self):
        return f"Results({self.folder!r})"

    def path(self, name):
        """Of a file in the folder."""
        return os.path.join(self.folder, name)

    @property
    def finished(self):
        """Whether all runs are done."""
        return os.path.exists(self.path("summary.json")) and not os.path.exists(
            self.path("unfinished"))

    @property
    def summary(self):
        """The objects of summary.json."""
        with open(self.path("summary.json"), encoding="utf-8") as file:
            return json.load(file)

    @property
    def cases(self):
        """The configurations: dicts with variant, workers, engines and others, see summary.json."""
        return self.summary["cases"]

    @property
    def notes(self):
        """Remarks of the study, such as what was scaled down."""
        return self.summary["notes"]

    def replications(self, engine, workers=None, **variant):
        """The replications, dicts, of all configurations like this; none if the engine did not run.
        Swept keys are named with two underscores for a dot, and have the values that the sweep says:
        replications("packet", 4, network__rate="1Gbps", job__sync={"ssp": 3}). Raises KeyError for a key
        that is not swept, ValueError for a value or a number of workers that it does not take."""
        wanted = {key.replace("__", "."): flow_text(value) for key, value in variant.items()}
        cases = self.cases
        for key, value in wanted.items():
            swept = {case["variant"][key] for case in cases if key in case.get("variant", {})}
            if not swept:
                raise KeyError(key)
            if value not in swept:
                raise ValueError(f"{key}: found {value}; accepted: {', '.join(sorted(swept))}")
        counts = sorted({case["workers"] for case in cases})
        if workers is not None and workers not in counts:
            raise ValueError(f"workers: found {workers!r}; accepted: {', '.join(map(str, counts))}")
        return [run for case in cases if workers in (None, case["workers"])
                and wanted.items() <= case.get("variant", {}).items()
                for run in case["engines"].get(engine, {"replications": []})["replications"]]

    def rows(self, name):
        """The lines of a table such as "steps", one after the other, as dicts of text."""
        with open(self.path(name + ".csv"), encoding="utf-8", newline="") as file:
            for row in csv.DictReader(file):
                yield {key: read_name(text) for key, text in row.items()}

    def table(self, name):
        """A DataFrame of a table: throughput, steps, network, and as the scenario's output says
        transfers, links, ops, shares, gradients, connections."""
        return read_csv(self.path(name + ".csv"))

    def picture(self, name):
        """A plot such as "throughput" or "sweep", for a notebook."""
        return Picture(self.path(name + ".svg"))
