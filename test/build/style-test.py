#!/usr/bin/env python3
# Copyright (c) 2026 The dml authors
#
# SPDX-License-Identifier: GPL-2.0-only

"""Every C++ file is as clang-format 14 leaves it (other versions differ), and has no tab or trailing space.

Exit code 77 where that version is not installed. To mend: clang-format-14 -i FILE...
"""

import os
import pathlib
import re
import shutil
import subprocess
import sys

ROOT = pathlib.Path(os.environ.get("DML_ROOT", pathlib.Path(__file__).resolve().parents[2]))
FOLDERS = ("model", "helper", "program", "examples", "bench", "test")
CLANG_FORMAT = "clang-format-14"


def main():
    """Look at all files; return the exit code."""
    files = sorted(path for folder in FOLDERS for path in (ROOT / folder).rglob("*")
                   if path.suffix in (".cc", ".h"))
    wrong = [path for path in files if re.search(rb"\t|\r|[ ]$|[^\n]\Z", path.read_bytes(), re.MULTILINE)]
    for path in wrong:
        print(f"{path}: has a tab, a trailing space or no line end at its end")
    if shutil.which(CLANG_FORMAT) is None:
        print(f"skipped: the format was not looked at, as {CLANG_FORMAT} is not installed")
        return 1 if wrong else 77
    done = subprocess.run([CLANG_FORMAT, "--dry-run", "-Werror", *files], cwd=ROOT, check=False)
    return 1 if wrong or not files else done.returncode


if __name__ == "__main__":
    sys.exit(main())
