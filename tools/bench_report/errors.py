#
# Copyright (c) 2026 The dml authors
#
# SPDX-License-Identifier: GPL-2.0-only

"""What the parts of the benchmark command raise."""


class InputError(Exception):
    """Something that the user gave cannot be used: says what was found and what is accepted."""


class Unavailable(Exception):
    """A row cannot be measured on this machine: says what is missing. No failure."""


class MeasurementError(Exception):
    """A program that measures failed: says which, and how."""
