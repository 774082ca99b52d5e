#
# Copyright (c) 2026 The dml authors
#
# SPDX-License-Identifier: GPL-2.0-only

"""What a page of the manual has from results: a small file beside it, data/PAGE.json.

Results of studies are large and stay where they were made. From this file the page can be written
again without them, so that a test can compare, and a study can be run anew without the others."""

import datetime
import json
import os
from dataclasses import asdict, dataclass

from testbed_compare.errors import InputError


@dataclass
class Part:
    """What `document.fill` needs for a template."""

    command: str  # that made the results
    date: str  # on which they were put into the page
    tables: dict  # lines by name
    drawn: dict  # whether there is a picture, by name
    values: dict  # text by name

    @classmethod
    def made_now(cls, command, tables, drawn, values):
        return cls(command, datetime.date.today().isoformat(), tables, drawn, values)


def path_of(doc):
    """The file for a page."""
    name = os.path.basename(doc).removesuffix(".rst")
    return os.path.join(os.path.dirname(doc), "data", name + ".json")


def read(doc):
    """The parts of a page by name; none if nothing is stored."""
    path = path_of(doc)
    try:
        with open(path, encoding="utf-8") as file:
            return {name: Part(**part) for name, part in json.load(file).items()}
    except FileNotFoundError:
        return {}
    except (ValueError, TypeError, AttributeError) as error:
        raise InputError(f"{path}: found {error}; accepted is what the tool has written") from error


def write(doc, parts):
    """Stores the parts of a page."""
    path = path_of(doc)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8") as file:
        json.dump({name: asdict(part) for name, part in parts.items()}, file, indent=1)
        file.write("\n")
