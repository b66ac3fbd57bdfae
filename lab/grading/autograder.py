# SPDX-License-Identifier: MIT
"""An autograder for Gradescope: a zip with what its "Autograder Specifications" ask for.

setup.sh        installs the lab and builds its guest, once, when Gradescope makes the image
run_autograder  marks the submission in /autograder/submission and writes /autograder/results/results.json
"""

from __future__ import annotations

import os
import zipfile
from collections.abc import Iterator
from pathlib import Path

from lab.checkout import CHECKOUT, IS_CHECKOUT
from lab.errors import InputError, writing
from lab.grading.exercise import Exercise, require_whole

_MODE = 0o100755 << 16  # of a program, in a zip
_TIME = (2026, 1, 1, 0, 0, 0)  # equal zips for equal exercises
_SETUP = """\
#!/bin/bash
# Install the lab, and build its guest.
set -euo pipefail
place=${AUTOGRADER:-/autograder}
export XDG_CACHE_HOME=$place/cache
apt-get update
apt-get install --yes --no-install-recommends python3-venv tshark
python3 -m venv "$place/lab"
"$place/lab/bin/pip" install "$place"/source/*.whl
"$place/lab/bin/lab" doctor --packages | xargs --no-run-if-empty apt-get install --yes --no-install-recommends
"$place/lab/bin/lab" kernel
"$place/lab/bin/lab" rootfs
"""
_RUN = """\
#!/bin/bash
# Mark the submission. Without results.json, Gradescope reports a fault of the autograder instead of a mark.
set -euo pipefail
place=${{AUTOGRADER:-/autograder}}
export PATH=$place/lab/bin:$PATH XDG_CACHE_HOME=${{XDG_CACHE_HOME:-$place/cache}}
cd "$place/source"
student=$(python3 -I -c 'import json, sys; print(json.load(open(sys.argv[1]))["users"][0]["name"])' \\
	"$place/submission_metadata.json")
marks=$(mktemp -d)
lab grade ./exercise/{name} "$place/submission" --student "$student" --format gradescope --out "$marks" \\
	>"$marks/results.json"
mv "$marks/results.json" "$place/results/results.json"
"""


def make(exercise: Exercise, out: Path, wheel: Path | None = None) -> None:
    """Write the zip.

    Args:
        exercise: what it marks.
        out: the file to write.
        wheel: the lab, as ``make wheel`` makes it. None: the one in dist/ of the checkout.

    Raises:
        InputError: If there is no wheel.
        HostError: If the file cannot be written.
    """
    require_whole(exercise)
    lab = wheel or _own_wheel()
    with writing(out), zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as file:
        for name, text in {"setup.sh": _SETUP, "run_autograder": _RUN.format(name=exercise.id)}.items():
            entry = zipfile.ZipInfo(name, _TIME)
            entry.external_attr = _MODE
            file.writestr(entry, text)
        for name, path in [(lab.name, lab), *_files(exercise)]:
            file.writestr(zipfile.ZipInfo(name, _TIME), path.read_bytes(), zipfile.ZIP_DEFLATED)


def _files(exercise: Exercise) -> Iterator[tuple[str, Path]]:
    for path in sorted(exercise.folder.rglob("*")):
        if path.is_file() and "__pycache__" not in path.parts:
            yield f"exercise/{exercise.id}/{path.relative_to(exercise.folder).as_posix()}", path


def _own_wheel() -> Path:
    found = sorted((CHECKOUT / "dist").glob("hwsim_lab-*.whl"), key=os.path.getmtime) if IS_CHECKOUT else []
    if not found:
        raise InputError(
            "an autograder contains the lab, and there is no wheel of it", hint="make wheel; or --wheel FILE"
        )
    return found[-1]
