#
# Copyright (c) 2026 The dml authors
#
# SPDX-License-Identifier: GPL-2.0-only

"""How much memory runs have at most."""

import os
import sys


def peak_memory(action):
    """Calls action() in a process of its own, which ends with the programs that it has started. Returns the MB of memory
    that it or one of these had at most; ends this process if it fails."""
    child = os.fork()
    if child == 0:
        status = 1
        try:
            action()
            status = 0
        except SystemExit as error:
            print(error, file=sys.stderr)
        finally:
            sys.stdout.flush()
            sys.stderr.flush()
            os._exit(status)
    _, status, usage = os.wait4(child, 0)
    if status != 0:
        sys.exit(1)
    return usage.ru_maxrss * 1024 / 1e6
