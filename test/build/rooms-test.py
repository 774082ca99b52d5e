#!/usr/bin/env python3
# Copyright (c) 2026 The dml authors
#
# SPDX-License-Identifier: GPL-2.0-only

"""The rooms of CONTRIBUTING.md: includes go up its list only, and what one room alone may name stays there.
Installed headers suffice for what users write."""

import os
import pathlib
import re
import tempfile
import unittest

ROOT = pathlib.Path(os.environ.get("DML_ROOT", pathlib.Path(__file__).resolve().parents[2]))
TOPS = ("model", "helper", "program")
INCLUDE = re.compile(r'^#include ([<"])([^>"]+)[>"]', re.MULTILINE)
# Libraries and parts of ns-3 that are an affair of a room: start of the header, its rooms.
OWNED = {
    "nghttp2/": ("model/http2",),
    "grpcpp/": ("model/host",),
    "yaml-cpp/": ("model/scenario",),
    "ns3/simulator.h": ("model/packet", "model/host", "helper"),
    "mpi.h": ("model/packet",),
    "ns3/mpi-interface.h": ("model/packet",),
    "boost/math/": ("model/metrics",),
    "nlopt": ("program/import", "program/search"),
}

# Files are opened to be read by OpenInput(), to be written by OutputFolder: what else opens which.
OPENING = re.compile(r"(?<!> )\b(?:open|openat|fopen|freopen|creat|tmpfile)\(|\b(?:basic_|std::)[io]?fstream\b|\bfilebuf\b")
OPENERS = {
    "model/base/dml-child-program.cc": "/dev/null",
    "model/base/dml-cpu-time.h": "/proc",
    "model/base/input/dml-input-file.cc": "what is read",
    "program/cli/dml-command.cc": "/dev/null",
    "model/report/dml-output-folder.cc": "what is written",
    "model/report/dml-result-file.cc": "what is synced",
    "program/study/dml-rank-launcher.cc": "/dev/null",
    "program/study/dml-run-cost.cc": "/proc/meminfo",
    "program/study/dml-temporary-folder.cc": "what is removed",
}


def find_openers(root):
    """Files that open files, those of model/host apart, which asks the kernel in /proc and /sys."""
    return {path.relative_to(root).as_posix() for top in TOPS for path in (root / top).rglob("*.*")
            if path.suffix in (".cc", ".h") and "model/host" not in path.as_posix()
            and any(OPENING.search(line) for line in re.sub(r"/\*.*?\*/", "", path.read_text(), flags=re.DOTALL).splitlines()
                    if not line.lstrip().startswith("//"))}


def read_rooms(text):
    """The rooms of CONTRIBUTING.md in their order: the first words of the first block of code that has them."""
    block = re.search(r"^```\n(model/.*?)^```", text, re.DOTALL | re.MULTILINE)
    return [line.split()[0] for line in block[1].splitlines() if not line.startswith(" ")]


def room_of(path, rooms):
    """The room in which a file lies, or nothing."""
    folder = path.as_posix()
    return next((room for room in rooms if folder.startswith(room + "/")), None)


def find_faults(root, rooms):
    """What is wrong with the files of a repository: a line each."""
    files = [path.relative_to(root) for top in TOPS for path in sorted((root / top).rglob("*.*"))
             if path.suffix in (".cc", ".h")]
    headers = {path.name: path for path in files if path.suffix == ".h"}
    faults = []
    for path in files:
        room = room_of(path, rooms)
        if room is None:
            faults.append(f"{path}: in no room of CONTRIBUTING.md")
            continue
        for quote, name in INCLUDE.findall((root / path).read_text()):
            target = headers.get(name.removeprefix("ns3/"))
            if target is not None:
                other = room_of(target, rooms)
                if other and rooms.index(other) > rooms.index(room):
                    faults.append(f"{path}: includes {target}, which is below it")
                if (target.parent == path.parent) == name.startswith("ns3/") or quote == "<":
                    faults.append(f'{path}: writes {name}: "dml-x.h" in its folder, else "ns3/dml-x.h"')
            for start, owners in OWNED.items():
                if name.startswith(start) and room not in owners:
                    faults.append(f"{path}: includes {name}, which only {' and '.join(owners)} may")
    return faults


def find_group_faults(root, rooms):
    """The groups of Doxygen are the rooms and what model/base/dml-rooms.h adds to them; a file names that of its room
    or of its folder there: a line for each mistake."""
    text = (root / "model/base/dml-rooms.h").read_text()
    groups = re.findall(r"@defgroup (\S+)", text)
    names = ["dml-" + room.split("/")[-1] for room in rooms]
    faults = [f"no group {name}" for name in names if name not in groups]
    if [group for group in groups if group in names] != names:
        faults.append("groups are in another order than rooms")
    for path in sorted(path for top in TOPS for path in (root / top).rglob("*.h") if path.name != "dml-rooms.h"):
        relative = path.relative_to(root)
        room = room_of(relative, rooms)
        accepted = {"dml-" + room.split("/")[-1], "dml-" + relative.parent.name} & set(groups) if room else set()
        faults += [f"{relative}: in group {group}; accepted: {' or '.join(sorted(accepted))}"
                   for group in re.findall(r"@ingroup (\S+)", path.read_text()) if group not in accepted]
    return faults


def read_public(root):
    """The paths of the headers that are installed."""
    text = (root / "cmake/dml-sources.cmake").read_text()
    return re.search(r"^set\(DML_PUBLIC_HEADERS\n(.*?)^\)", text, re.DOTALL | re.MULTILINE)[1].split()


def find_private(root, public, writings):
    """Headers that are not installed and that installed ones, or the writings for users, name: a line each."""
    names = {path.name for path in (root / "model").rglob("*.h")} - {pathlib.Path(path).name for path in public}
    named = re.compile(r"\bdml-[\w-]+\.h\b")
    return [f"{path}: names {name}, which is not installed"
            for path in [*public, *writings]
            for name in named.findall((root / path).read_text()) if name in names]


class RoomsTest(unittest.TestCase):
    """The repository, and a small one with one mistake of each kind."""

    def test_repository(self):
        """Nothing is wrong with what is there; every room has files."""
        rooms = read_rooms((ROOT / "CONTRIBUTING.md").read_text())
        self.assertGreater(len(rooms), 15)
        for room in rooms:
            self.assertTrue(list((ROOT / room).rglob("*.h")), f"{room} is empty")
        self.assertEqual(find_faults(ROOT, rooms), [])

    def test_groups(self):
        """Every room has a group of Doxygen, and what names a group names that of its room."""
        rooms = read_rooms((ROOT / "CONTRIBUTING.md").read_text())
        self.assertEqual(find_group_faults(ROOT, rooms), [])
        with tempfile.TemporaryDirectory() as name:
            root = pathlib.Path(name)
            for folder in ("model/base", "model/two/part"):
                (root / folder).mkdir(parents=True)
            (root / "model/base/dml-rooms.h").write_text("@defgroup dml-two x\n@defgroup dml-base x\n"
                                                         "@defgroup dml-part x\n")
            (root / "model/two/part/dml-a.h").write_text("@ingroup dml-part\n@ingroup dml-two\n@ingroup dml-base\n")
            self.assertEqual(find_group_faults(root, ["model/base", "model/two", "helper"]), [
                "no group dml-helper",
                "groups are in another order than rooms",
                "model/two/part/dml-a.h: in group dml-base; accepted: dml-part or dml-two",
            ])

    def test_installed(self):
        """What users include is installed, with what that includes."""
        public = read_public(ROOT)
        self.assertGreater(len(public), 50)
        writings = [path.relative_to(ROOT) for path in sorted((ROOT / "examples").rglob("*.cc"))
                    if path.name != "dml.cc"]
        self.assertGreater(len(writings), 8)
        self.assertEqual(find_private(ROOT, public, [*writings, "doc/extending.rst"]), [])

    def test_openers(self):
        """No file is opened in another way than the two that follow no links and wait for nobody."""
        self.assertEqual(find_openers(ROOT), set(OPENERS))

    def test_private(self):
        """Headers that are not installed are found in those that are, and in a script."""
        with tempfile.TemporaryDirectory() as name:
            root = pathlib.Path(name)
            (root / "model").mkdir()
            (root / "model/dml-a.h").write_text('#include "dml-b.h"\n#include "ns3/dml-c.h"\n')
            (root / "model/dml-b.h").write_text("")
            (root / "model/dml-c.h").write_text("")
            (root / "script.cc").write_text('#include "ns3/dml-a.h"\n#include "ns3/dml-c.h"\n')
            self.assertEqual(find_private(root, ["model/dml-a.h", "model/dml-b.h"], ["script.cc"]), [
                "model/dml-a.h: names dml-c.h, which is not installed",
                "script.cc: names dml-c.h, which is not installed",
            ])

    def test_order(self):
        """The order is that of the list; lines that begin with a space go on with the one before."""
        text = "a\n```\nhelp\n```\nb\n```\nmodel/one   first\n   and more\nmodel/two\n```\n"
        self.assertEqual(read_rooms(text), ["model/one", "model/two"])

    def test_mistakes(self):
        """Each kind of mistake is found, and nothing else."""
        with tempfile.TemporaryDirectory() as name:
            root = pathlib.Path(name)
            for path, text in {
                "model/one/dml-a.h": '#include "ns3/dml-b.h"\n',
                "model/two/dml-b.h": '#include "ns3/dml-a.h"\n#include "dml-c.h"\n',
                "model/two/dml-c.h": '#include "ns3/dml-b.h"\n',
                "model/two/dml-d.cc": '#include <nghttp2/nghttp2.h>\n#include "dml-a.h"\n',
                "model/dml-e.h": "",
            }.items():
                (root / path).parent.mkdir(parents=True, exist_ok=True)
                (root / path).write_text(text)
            form = '"dml-x.h" in its folder, else "ns3/dml-x.h"'
            self.assertEqual(find_faults(root, ["model/one", "model/two"]), [
                "model/dml-e.h: in no room of CONTRIBUTING.md",
                "model/one/dml-a.h: includes model/two/dml-b.h, which is below it",
                f"model/two/dml-c.h: writes ns3/dml-b.h: {form}",
                "model/two/dml-d.cc: includes nghttp2/nghttp2.h, which only model/http2 may",
                f"model/two/dml-d.cc: writes dml-a.h: {form}",
            ])


if __name__ == "__main__":
    unittest.main()
