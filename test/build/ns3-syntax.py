#!/usr/bin/env python3
# Copyright (c) 2026 The dml authors
#
# SPDX-License-Identifier: GPL-2.0-only

"""Whether what an in-tree build of dml compiles fits the headers of another ns-3: g++ -fsyntax-only, which finds
what that release does not have or has in another way, and takes a tenth of the time of a build. Whether it links and
what it computes is for ./dml test --in-tree=FOLDER.

usage: ns3-syntax.py FOLDER [TREE]                 TREE: of an ns-3; without it the headers of ns-3.35 in
                                                  test/data, which Debian 12 and later do not have
       ns3-syntax.py --archive TREE FILE          makes that file
FOLDER gets the flattened headers, what is compiled, and a log for each. "./dml test --syntax" calls this after it has
installed the packages.
"""

import concurrent.futures
import io
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tarfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
OLDEST = ROOT / "test/data/ns-3.35-headers.tar.xz"
# What dml links, csma of an example, and what their headers include.
MODULES = ("applications", "bridge", "core", "csma", "flow-monitor", "internet", "network", "point-to-point", "stats",
           "traffic-control")
# As wscript and CMakeLists.txt build them in a tree.
LISTS = ("DML_MODEL_SOURCES", "DML_PROGRAM_SOURCES", "DML_SUITE_TESTS", "DML_EXAMPLES")
PROTOS = ("DML_MODEL_PROTOS", "DML_PROGRAM_PROTOS")
# Files of a folder that are compiled together.
TOGETHER = 12
# What ns-3 configures, on any machine of today.
CORE_CONFIG = """#pragma once
#define HAVE___UINT128_T 1
#define INT64X64_USE_128
""" + "".join(f"#define HAVE_{name} 1\n" for name in ("DIRENT_H", "GETENV", "INTTYPES_H", "PTHREAD_H", "SIGNAL_H",
                                                      "STDINT_H", "STDLIB_H", "SYS_STAT_H", "SYS_TYPES_H"))
# Headers for other systems.
FOREIGN = re.compile(r"^win32-|^unix-system")


def find_headers(tree):
    """The headers of the modules in an ns-3 tree: module, path."""
    for module in MODULES:
        for part in ("model", "helper", "utils"):
            for path in sorted((tree / "src" / module / part).rglob("*.h")):
                if not FOREIGN.match(path.name):
                    yield module, path


def remove_comments(text):
    """C++ without its comments, but what is before the first line of code if that is the licence."""
    start = re.match(r"(\s|/\*.*?\*/|//[^\n]*)*", text, re.DOTALL)[0]
    code = re.sub(r"""//[^\n]*|/\*.*?\*/|("(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])+')""", lambda match: match[1] or " ",
                  text[len(start):], flags=re.DOTALL)
    # Not the empty line that ends a macro.
    return (start if "opyright" in start else "") + re.sub(r"\n\s*\n", "\n\n", re.sub(r"[ \t]+\n", "\n", code))


def make_archive(tree, target):
    """Pack what a check needs of a tree: its version and its headers."""
    texts = {"VERSION": (tree / "VERSION").read_text()}
    for _, path in find_headers(tree):
        text = path.read_text(encoding="utf-8", errors="replace")
        texts[path.relative_to(tree).as_posix()] = remove_comments(text)
    with tarfile.open(target, "w:xz", preset=9) as archive:
        for name, text in sorted(texts.items()):
            data = text.encode()
            entry = tarfile.TarInfo(name)
            entry.size = len(data)
            archive.addfile(entry, io.BytesIO(data))


def read_lists():
    """The lists of cmake/dml-sources.cmake by name."""
    text = (ROOT / "cmake/dml-sources.cmake").read_text()
    return {name: paths.split() for name, paths in
            re.findall(r"^set\((\w+)\n(.*?)^\)", text, re.DOTALL | re.MULTILINE)}


def stage_headers(tree, folder, lists):
    """Flatten the headers of ns-3 and of dml into folder/include/ns3, as both builds do."""
    staged = folder / "include/ns3"
    staged.mkdir(parents=True)
    (staged / "core-config.h").write_text(CORE_CONFIG)
    modules = {}
    for module, path in find_headers(tree):
        (staged / path.name).symlink_to(path.resolve())
        modules.setdefault(module, []).append(path.name)
    for module, names in modules.items():
        (staged / f"{module}-module.h").write_text("".join(f'#include "{name}"\n' for name in names))
        macro = module.upper().replace("-", "_") + "_EXPORT"
        (staged / f"{module}-export.h").write_text(f"#undef {macro}\n#define {macro}\n")
    for paths in lists.values():
        for path in paths:
            if path.endswith(".h") and not (staged / path.split("/")[-1]).exists():
                (staged / path.split("/")[-1]).write_text(f'#include "{ROOT / path}"\n')
    messages = folder / "messages"
    messages.mkdir()
    for path in (ROOT / path for name in PROTOS for path in lists[name]):
        subprocess.run(["protoc", f"--proto_path={path.parent}", f"--cpp_out={messages}", path], check=True)


class Includes:
    """Which files include headers of ns-3, or of dml that do."""

    def __init__(self, lists):
        self.headers = {path.split("/")[-1]: ROOT / path for paths in lists.values() for path in paths
                        if path.endswith(".h")}
        self.headers.update((path.name, path) for path in (ROOT / "test/support").rglob("*.h"))
        self.known = {}

    def reach_ns3(self, path):
        """Whether a file does."""
        if path not in self.known:
            self.known[path] = False  # of one that is being looked at
            names = re.findall(r'^#include ["<]([^">]+)', path.read_text(), re.MULTILINE)
            ours = [self.headers[name.split("/")[-1]] for name in names if name.split("/")[-1] in self.headers]
            self.known[path] = (any(name.startswith("ns3/") and name.split("/")[-1] not in self.headers
                                    for name in names) or any(self.reach_ns3(header) for header in ours))
        return self.known[path]


def make_units(folder, lists):
    """Write the files to compile: name, sources."""
    includes = Includes(lists)
    units = {}
    counts = {}
    for name in LISTS:
        for source in lists[name]:
            path = ROOT / source
            if path.suffix != ".cc" or not includes.reach_ns3(path):
                continue
            # One log component in a file, one main() in a program.
            if re.search("^NS_LOG_COMPONENT_DEFINE", path.read_text(), re.MULTILINE) or name == "DML_EXAMPLES":
                unit = source
            else:
                number = counts.get(path.parent, 0)
                counts[path.parent] = number + 1
                unit = f"{os.path.dirname(source)}-{number // TOGETHER}.cc"
            units.setdefault(unit.replace("/", "-"), []).append(path)
    (folder / "units").mkdir()
    for unit, paths in units.items():
        (folder / "units" / unit).write_text("".join(f'#include "{path}"\n' for path in paths))
    return units


def get_standard(version):
    """The C++ that a tree of a release of ns-3 is compiled with; nothing for one that is too old. A tree has GNU's
    extensions, which define names such as linux; dml's own build has none."""
    number = re.match(r"3\.(\d+)", version)
    number = int(number[1]) if number else 99  # "3-dev", between releases
    return "" if number < 35 else "gnu++17" if number < 41 else "gnu++20" if number < 46 else "gnu++23"


def compile_unit(folder, unit, standard):
    """Look at a unit: its errors."""
    log = folder / "units" / f"{unit}.log"
    done = subprocess.run(
        ["g++", f"-std={standard}", "-fsyntax-only", "-DNS3_LOG_ENABLE", "-DNS3_ASSERT_ENABLE", '-DDML_VERSION="0"',
         '-DDML_NS3_VERSION="0"', '-DDML_BUILD_KIND="syntax"', "-isystem", folder / "include", "-isystem",
         folder / "messages", "-isystem", "/usr/include/eigen3", "-I", ROOT / "test/support", folder / "units" / unit],
        check=False, capture_output=True, text=True)
    log.write_text(done.stderr)
    if not done.returncode:
        return []
    return re.findall(r"^.*error: .*", done.stderr, re.MULTILINE) or [done.stderr]


def check(work, source):
    """Compile everything for the headers of a tree or archive; return the exit code."""
    tree = source
    if source == OLDEST:
        tree = work / "tree"
        shutil.rmtree(work, ignore_errors=True)
        with tarfile.open(source) as archive:
            archive.extractall(tree)
    reason = ""
    standard = ""
    if not (tree / "VERSION").is_file() or not (tree / "src/core").is_dir():
        reason = "which has no VERSION with src/core"
    else:
        version = (tree / "VERSION").read_text().strip()
        standard = get_standard(version)
        reason = "" if standard else f"which is ns-{version}"
    if reason:
        print(f"dml: --syntax: found '{source}', {reason}; accepted: the folder of an ns-3 tree, 3.35 or later",
              file=sys.stderr)
        return 2
    for name in ("include", "messages", "units"):
        shutil.rmtree(work / name, ignore_errors=True)
    lists = read_lists()
    stage_headers(tree, work, lists)
    units = make_units(work, lists)
    failed = 0
    with concurrent.futures.ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        for unit, errors in zip(units, pool.map(lambda unit: compile_unit(work, unit, standard), units)):
            if errors:
                failed += 1
                print(f"failed: {unit} (log: {work / 'units' / unit}.log)", *errors[:10], sep="\n")
    print(f"ns-{version}: {sum(map(len, units.values()))} files of dml that include its headers, as {standard} "
          f"in {len(units)} units: {failed} failed")
    return 1 if failed else 0


def main():
    """Do what the command line says; return the exit code."""
    if len(sys.argv) == 4 and sys.argv[1] == "--archive":
        make_archive(pathlib.Path(sys.argv[2]), sys.argv[3])
        return 0
    if len(sys.argv) not in (2, 3):
        print(__doc__, file=sys.stderr)
        return 2
    return check(pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]) if len(sys.argv) > 2 else OLDEST)


if __name__ == "__main__":
    sys.exit(main())
