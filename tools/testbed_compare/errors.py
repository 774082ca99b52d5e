#
# Copyright (c) 2026 The dml authors
#
# SPDX-License-Identifier: GPL-2.0-only

"""What the parts of testbed-compare raise."""


class InputError(Exception):
    """A file of a run that cannot be used: says which one, where and what is accepted."""


class PredictionError(Exception):
    """The program dml failed."""
