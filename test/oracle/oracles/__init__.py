# Copyright (c) 2026 The dml authors
#
# SPDX-License-Identifier: GPL-2.0-only

"""References that are written from papers and definitions, and compared with the program."""
