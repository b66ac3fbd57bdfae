# SPDX-License-Identifier: MIT
"""The directory of a run."""

from __future__ import annotations

import shutil
import time
from pathlib import Path

from lab.errors import InputError


def new_directory(name: str, out: Path | None) -> Path:
    """An empty directory for a run: ``out``, or a new one in ``runs/``.

    Raises:
        InputError: ``out`` is not empty, or cannot be created.
    """
    directory = out or _unused(Path("runs") / f"{time.strftime('%Y%m%d-%H%M%S')}-{name}")
    try:
        directory.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"cannot make {directory}: {error.strerror}", hint="use --out DIR for another place") from None
    if any(directory.iterdir()):
        raise InputError(f"{directory} is not empty", hint="--out must name a new or empty directory")
    return directory


def _unused(wanted: Path) -> Path:
    candidates = [wanted, *(wanted.with_name(f"{wanted.name}-{number}") for number in range(2, 100))]
    return next(path for path in candidates if not path.exists())


def discard(directory: Path) -> None:
    """Remove a run that was interrupted."""
    shutil.rmtree(directory, ignore_errors=True)
