# SPDX-License-Identifier: MIT
"""Reads what is in a workload's folder and goes into nodes: a file, or a folder with all files in it."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from lab import units
from lab.errors import InputError
from lab.model.document import label_of

TOGETHER_BYTES = 16 << 20  # of all files of a workload: a plan holds them, and every record holds its plan
LEFT_OUT = "__pycache__"  # differs with each local run of a program


@dataclass(frozen=True)
class Content:
    """A file of a workload's folder."""

    within: str  # path inside the folder that the workload names; empty if it names the file
    data: bytes
    executable: bool


def read(path: Path, room_bytes: int = TOGETHER_BYTES) -> tuple[Content, ...]:
    """Return the file of that path, or all files of a folder in the order of their paths.

    ``room_bytes``: how many bytes they may have; they are counted before they are read.

    Raises:
        InputError: If it does not exist, contains no file, cannot be read, or is too large.
    """
    try:
        found = {"": path} if not path.is_dir() else _below(path)
        if not found:
            raise InputError(f"{label_of(path)} is a folder without files")
        size = sum(one.stat().st_size for one in found.values())
        if size > room_bytes:
            raise InputError(
                f"{label_of(path)} has {units.SIZE.format(size)}; all files of a workload together may have "
                f"{units.SIZE.format(TOGETHER_BYTES)}",
                hint="let the Makefile of a stack install what is larger: workloads/<stack>/Makefile, with stack: here",
            )
        return tuple(_content(within, one) for within, one in found.items())
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else "not a file name"
        raise InputError(f"{label_of(path)} cannot be read: {reason}") from error


def _below(folder: Path) -> dict[str, Path]:
    """Return the files of a folder by their paths in it; symbolic links count as what they point to."""
    found: dict[str, Path] = {}
    for place, folders, names in os.walk(folder):
        folders[:] = [name for name in folders if name != LEFT_OUT]
        for name in folders:
            if (Path(place) / name).is_symlink():
                raise InputError(f"{label_of(Path(place) / name)} is a link to a folder; copy the folder instead")
        found |= {(Path(place) / name).relative_to(folder).as_posix(): Path(place) / name for name in names}
    return {within: found[within] for within in sorted(found)}


def _content(within: str, path: Path) -> Content:
    if not path.is_file() and path.exists():
        raise InputError(f"{label_of(path)} is not a regular file, so it cannot be copied")
    with path.open("rb") as file:
        return Content(within, file.read(), bool(os.fstat(file.fileno()).st_mode & 0o111))
