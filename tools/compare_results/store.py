# Copyright (c) 2026 The dml authors
#
# SPDX-License-Identifier: GPL-2.0-only

"""Results of BEFORE that are kept for later comparisons."""

import hashlib
import json
import os
import tempfile
import zipfile
import zlib

from compare_results.side import Outputs

ABOUT = "about.json"
# How results are made and what is left out of them: what another version of these files has kept is
# not used.
MAKERS = ("side.py", "result_files.py", "store.py")


class Store:
    """A folder with a ZIP archive for each study and program."""

    def __init__(self, folder, program):
        os.makedirs(folder, exist_ok=True)
        self._folder = folder
        self._digest = hashlib.sha256(program.checksum().encode())
        for name in MAKERS:
            with open(os.path.join(os.path.dirname(__file__), name), "rb") as file:
                self._digest.update(file.read())

    def get(self, study):
        """What was kept, or None."""
        try:
            with zipfile.ZipFile(self._path(study)) as archive:
                about = json.loads(archive.read(ABOUT))
                outputs = Outputs((name, archive.read(str(number)))
                                  for number, name in enumerate(about["names"]))
        except (OSError, KeyError, ValueError, zipfile.BadZipFile, zlib.error):
            return None
        outputs.codes = tuple(about["codes"])
        outputs.seconds = 0.0
        return outputs

    def put(self, study, outputs):
        """Keeps it; a file is there whole or not at all."""
        file, part = tempfile.mkstemp(dir=self._folder, suffix=".part")
        try:
            with os.fdopen(file, "wb") as stream, zipfile.ZipFile(
                    stream, "w", zipfile.ZIP_DEFLATED) as archive:
                about = {"study": study.name, "names": list(outputs), "codes": outputs.codes}
                archive.writestr(ABOUT, json.dumps(about))
                for number, content in enumerate(outputs.values()):
                    archive.writestr(str(number), content)
            os.replace(part, self._path(study))
        except BaseException:
            os.unlink(part)
            raise

    def _path(self, study):
        digest = self._digest.copy()
        digest.update(study.checksum().encode())
        return os.path.join(self._folder, digest.hexdigest()[:40] + ".zip")
