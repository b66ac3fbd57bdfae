# SPDX-License-Identifier: MIT
"""The directory of a run."""

from __future__ import annotations

import fcntl
import os
import time
from itertools import count
from pathlib import Path

from lab.errors import InputError

PLAN = "plan.json"
_USED = "another run uses {}"
_EMPTY = "--out must name a new or empty directory"
_locks: dict[tuple[int, int], int] = {}  # directories of this process's runs: their locks


def new_directory(name: str, out: Path | None) -> Path:
    """Return an empty directory for a run: ``out``, or a new one in ``runs/``.

    Raises:
        InputError: If ``out`` is not empty, cannot be created, or is that of a run that has not ended.
    """
    directory = out or Path("runs") / f"{time.strftime('%Y%m%d-%H%M%S')}-{name}"
    try:
        if out is None:
            return _made(directory)
        out.mkdir(parents=True, exist_ok=True)
        _lock(out)
    except OSError as error:
        raise InputError(f"cannot make {directory}: {error.strerror}", hint="use --out DIR for another place") from None
    if any(directory.iterdir()):
        raise InputError(f"{directory} is not empty", hint=_EMPTY)
    return directory


def _lock(directory: Path) -> None:
    """Lock a directory until this process ends: a run may have begun that has not written anything yet.

    Raises:
        InputError: If another process has locked it.
        OSError: If it no longer exists.
    """
    lock = os.open(directory, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    status = os.fstat(lock)
    which = (status.st_dev, status.st_ino)
    if which in _locks:
        os.close(lock)
        return
    _locks[which] = lock
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(_locks.pop(which))
        raise InputError(_USED.format(directory), hint=_EMPTY) from None
    except OSError:  # a file system without locks: the process that writes plan.json first has the directory
        return


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
        InputError: If another run has claimed it since it was found empty.
        OSError: If it cannot be written.
    """
    try:
        (directory / PLAN).touch(exist_ok=False)
    except FileExistsError:
        raise InputError(_USED.format(directory), hint=_EMPTY) from None
    (directory / PLAN).write_text(plan)
