# SPDX-License-Identifier: MIT
"""A new exercise: a copy of the template, which is a small exercise that works."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

from lab.checkout import DATA
from lab.errors import InputError, writing
from lab.grading.exercise import FOLDER

TEMPLATE = Path("grading", "template")
_ID = re.compile(r"[a-z0-9][a-z0-9-]*")


def make(name: str) -> Path:
    """Make a folder ``grading/exercises/<name>`` in the current directory and return it.

    Raises:
        InputError: If the name is not fit for one, or the folder exists.
        HostError: If it cannot be written.
    """
    if not _ID.fullmatch(name):
        raise InputError(
            f'"{name}" cannot be the id of an exercise', hint="write lower-case letters, digits and hyphens"
        )
    folder = FOLDER / name
    if folder.exists():
        raise InputError(f"{folder} exists already")
    with writing(folder):
        shutil.copytree(DATA / TEMPLATE, folder)
    return folder
