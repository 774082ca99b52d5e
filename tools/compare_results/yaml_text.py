# Copyright (c) 2026 The dml authors
#
# SPDX-License-Identifier: GPL-2.0-only

"""YAML of plain Python values."""

import json
import re

# The reader takes such words as they are; anything else is quoted.
PLAIN = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_./%+-]*")


def flow(value):
    """A value in one line."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{flow(key)}: {flow(part)}" for key, part in value.items()) + "}"
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(flow(part) for part in value) + "]"
    if isinstance(value, str) and PLAIN.fullmatch(value):
        return value
    return json.dumps(value)


def document(sections):
    """A map with a key in each line; empty ones are left out."""
    return "".join(f"{key}: {flow(value)}\n" for key, value in sections.items()
                   if value not in (None, {}, []))
