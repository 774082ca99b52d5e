#
# Copyright (c) 2026 The dml authors
#
# SPDX-License-Identifier: GPL-2.0-only

"""The command of a study whose parts are kept in doc/data and whose page is written from a template."""

import argparse
import os
import sys
import tempfile

import dml
from testbed_compare.errors import InputError
from testbed_compare.tables import read_text
from validation_report import document, stored

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


def make(name, parts, page, description):
    """Makes the parts anew that the command line names, and writes the page. `parts` gives by name the functions that
    take a folder and return tables and values."""
    parser = argparse.ArgumentParser(
        description=description.split("\n\n", maxsplit=1)[0],
        epilog="Exit codes: 0 done, 1 dml failed, 2 bad usage or input.")
    parser.add_argument("parts", nargs="*", metavar="PART", help="made anew: " + ", ".join(parts))
    parser.add_argument("--doc", default=os.path.join(ROOT, "doc", page), metavar="FILE",
                        help=f"the document; its template is FILE.in (default: doc/{page})")
    parser.add_argument("--out", metavar="DIR", help="folder that keeps the results of runs (default: none is kept)")
    options = parser.parse_args()
    for part in options.parts:
        if part not in parts:
            parser.error(f"found '{part}'; accepted: {', '.join(parts)}")
    for part in options.parts:
        with tempfile.TemporaryDirectory() as scratch:
            folder = os.path.join(options.out or scratch, part)
            os.makedirs(folder, exist_ok=True)
            tables, values = parts[part](folder)
        kept = stored.read(options.doc)  # another part may have ended meanwhile
        kept[part] = stored.Part.made_now(f"tools/{name} {part}", tables, {}, values)
        stored.write(options.doc, kept)
    text = document.fill(options.doc + ".in", read_text(options.doc + ".in"), *document.joined(stored.read(options.doc)))
    with open(options.doc, "w", encoding="utf-8") as file:
        file.write(text)


def main(name, parts, page, description):
    """As make(), with the exit codes of a command."""
    try:
        make(name, parts, page, description)
    except InputError as error:
        print(f"{name}: {error}", file=sys.stderr)
        sys.exit(2)
    except (dml.Error, OSError) as error:
        print(f"{name}: {error}", file=sys.stderr)
        sys.exit(1)
    except KeyboardInterrupt:
        sys.exit(130)
