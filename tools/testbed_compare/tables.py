#
# Copyright (c) 2026 The dml authors
#
# SPDX-License-Identifier: GPL-2.0-only

"""Reads JSON, text, CSV files of integers of a measured run, and CSV files that dml wrote."""

import csv
import json
import math

from testbed_compare.errors import InputError

MISSING = object()


def read_text(path):
    try:
        with open(path, encoding="utf-8", newline="") as file:
            return file.read()
    except UnicodeDecodeError as error:
        raise InputError(f"{path}: is not UTF-8 text (byte {error.start})") from error
    except OSError as error:
        raise InputError(f"{path}: {error.strerror}") from error


class JsonFile:
    """A JSON object whose values are fetched with a check."""

    def __init__(self, path):
        self.path = path
        self.text = read_text(path)
        try:
            self.root = json.loads(self.text)
        except json.JSONDecodeError as error:
            raise InputError(f"{path}:{error.lineno}:{error.colno}: is not JSON: {error.msg} "
                             "(truncated?)") from error
        except RecursionError as error:
            raise InputError(f"{path}: is not JSON that can be read: nested too deeply") from error
        if not isinstance(self.root, dict):
            raise InputError(f"{path}:1: found {type(self.root).__name__}; accepted is the object "
                             "that describes a run")

    def fail(self, key, found, accepted):
        name = key.rpartition(".")[2]
        at = self.text.find(json.dumps(name))
        line = self.text.count("\n", 0, at) + 1 if at >= 0 else 1
        raise InputError(f"{self.path}:{line}: key '{key}': "
                         f"{'is missing' if found is MISSING else f'found {json.dumps(found)}'}; "
                         f"accepted is {accepted}")

    def get(self, key, default=MISSING):
        value = self.root
        for part in key.split("."):
            if not isinstance(value, dict):
                self.fail(key, value, "a value in an object")
            value = value.get(part, MISSING)
            if value is MISSING:
                return default
        return value

    def number(self, key, low, high, default=MISSING, whole=False):
        value = self.get(key, default)
        valid = isinstance(value, (int, float)) and not isinstance(value, bool) and (
            math.isfinite(value) and low <= value <= high and (not whole or value == int(value)))
        if not valid:
            self.fail(key, value, f"{'an integer' if whole else 'a number'} from {low:g} to {high:g}")
        return int(value) if whole else value

    def string(self, key, default=MISSING):
        value = self.get(key, default)
        if not isinstance(value, str):
            self.fail(key, value, "a string")
        return value


def read_rows(path, columns):
    """(place, row) of a CSV file that dml wrote: "path:line" and texts by column.

    @raise InputError if it cannot be read or lacks one of the columns"""
    try:
        with open(path, encoding="utf-8", newline="") as file:
            reader = csv.DictReader(file)
            missing = set(columns) - set(reader.fieldnames or ())
            if missing:
                raise InputError(f"{path}:1: there is no column '{min(missing)}'; accepted is "
                                 f"{','.join(columns)}")
            for row in reader:
                yield f"{path}:{reader.line_num}", row
    except OSError as error:
        raise InputError(f"{path}: {error.strerror}") from error


def read_table(path, columns):
    """The rows of a CSV file as (line, {column: integer or text}); other columns are ignored.

    `columns` gives the ones that are needed: int, or a set of the accepted words."""
    lines = read_text(path).replace("\r\n", "\n").split("\n")
    header = lines[0].split(",")
    for name in columns:
        if name not in header:
            raise InputError(f"{path}:1: there is no column '{name}'; found "
                             f"'{lines[0][:100]}'; accepted is {','.join(columns)}")
    rows = []
    for number, line in enumerate(lines[1:], 2):
        if not line and number == len(lines):
            break  # after the last line
        fields = line.split(",")
        if len(fields) != len(header):
            raise InputError(f"{path}:{number}: found {len(fields)} field(s) of {len(header)} in "
                             f"'{line[:100]}' (truncated?)")
        found, row = dict(zip(header, fields)), {}
        for name, kind in columns.items():
            row[name] = _field(path, number, name, found[name], kind)
        rows.append((number, row))
    if not rows:
        raise InputError(f"{path}:1: there are no rows below the header")
    return rows


def _field(path, line, name, text, kind):
    if kind is not int:
        if text not in kind:
            raise InputError(f"{path}:{line}: column '{name}': found '{text[:100]}'; accepted is "
                             f"{' or '.join(sorted(kind))}")
        return text
    digits = text[1:] if text.startswith("-") else text
    if not (digits.isascii() and digits.isdigit()) or len(digits) > 18:
        raise InputError(f"{path}:{line}: column '{name}': found '{text[:100]}'; accepted is an "
                         "integer")
    return int(text)
