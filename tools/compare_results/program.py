# Copyright (c) 2026 The dml authors
#
# SPDX-License-Identifier: GPL-2.0-only

"""One of the two programs that are compared."""

import hashlib
import os
import re
import subprocess

from testbed_compare.errors import InputError

LIBRARY = re.compile(r"\blibdml\S*\.so\S* => (\S+)")


class Program:
    """A program dml, with the library beside it.

    A program names the folder in which it was linked, so that a copy elsewhere takes the library there.
    The loader is told to look beside the program first."""

    def __init__(self, path):
        self.path = os.path.realpath(path)
        if not os.path.isfile(self.path) or not os.access(self.path, os.X_OK):
            raise InputError(f"{path}: found no program; accepted: a program dml that is built, "
                             "such as build/dml")
        self.folder = os.path.dirname(self.path)
        self.library = self._find_library()

    def environment(self, **more):
        """For the program: as on every machine and terminal."""
        kept = {key: value for key, value in os.environ.items()
                if not key.startswith(("LC_", "DML_")) and key not in ("LANG", "COLUMNS", "TERM")}
        libraries = [self.folder] + [part for part in (kept.get("LD_LIBRARY_PATH"),) if part]
        return {**kept, "LC_ALL": "C.UTF-8", "LD_LIBRARY_PATH": ":".join(libraries), **more}

    def checksum(self):
        """Of all of dml that runs."""
        digest = hashlib.sha256()
        for path in (self.path, self.library, *self._parts()):
            if path:
                with open(path, "rb") as file:
                    digest.update(hashlib.sha256(file.read()).digest())
        return digest.hexdigest()

    def _parts(self):
        """Libraries that are loaded when they are needed, as that for NetAnim."""
        return sorted(os.path.join(self.folder, name) for name in os.listdir(self.folder)
                      if name.startswith("libdml-") and name.endswith(".so"))

    def _find_library(self):
        """libdml.so as the loader finds it; None for a program without it."""
        try:
            listed = subprocess.run(["ldd", self.path], env=self.environment(), check=False,
                                    capture_output=True, text=True).stdout
        except OSError:
            return None
        found = LIBRARY.search(listed)
        return os.path.realpath(found[1]) if found else None


def open_programs(before, after):
    """Both of them. @raise InputError if they are two names of one build"""
    programs = Program(before), Program(after)
    first, second = programs
    if first.path != second.path and first.library and first.library == second.library:
        raise InputError(f"{first.path} and {second.path} both use {first.library}; accepted: "
                         "programs with a library each: copy libdml*.so with the program")
    return programs
