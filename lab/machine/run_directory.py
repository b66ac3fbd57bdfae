# SPDX-License-Identifier: MIT
"""The directory of a run."""

from __future__ import annotations

import shutil
import time
from itertools import count
from pathlib import Path

from lab.errors import InputError

PLAN = "plan.json"


def new_directory(name: str, out: Path | None) -> Path:
    """An empty directory for a run: ``out``, or a new one in ``runs/``.

    Raises:
        InputError: ``out`` is not empty, or cannot be created.
    """
    directory = out or Path("runs") / f"{time.strftime('%Y%m%d-%H%M%S')}-{name}"
    try:
        if out is None:
            return _made(directory)
        out.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"cannot make {directory}: {error.strerror}", hint="use --out DIR for another place") from None
    if any(directory.iterdir()):
        raise InputError(f"{directory} is not empty", hint="--out must name a new or empty directory")
    return directory


def _made(wanted: Path) -> Path:
    """Make a directory that nobody else has made: of this name or with a number."""
    wanted.parent.mkdir(parents=True, exist_ok=True)
    path = wanted
    for number in count(2):
        try:
            path.mkdir()
        except FileExistsError:
            path = wanted.with_name(f"{wanted.name}-{number}")
        else:
            break
    return path


def claim(directory: Path, plan: str) -> None:
    """Write plan.json, with which the directory belongs to this run.

    Raises:
        InputError: Another run has claimed it since it was found empty.
        OSError: It cannot be written.
    """
    try:
        (directory / PLAN).touch(exist_ok=False)
    except FileExistsError:
        raise InputError(f"another run uses {directory}", hint="--out must name a new or empty directory") from None
    (directory / PLAN).write_text(plan)


def discard(directory: Path) -> None:
    """Remove a run that was interrupted."""
    shutil.rmtree(directory, ignore_errors=True)
