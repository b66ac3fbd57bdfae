# SPDX-License-Identifier: MIT
"""A guest's scratch directory, and cleaning up after a killed lab.

Each guest has ``/tmp/hwsim-lab-<8 hex digits>`` with UML's own files (its pid, the management console's socket)
and short links to image, code and run directory. The links give every guest a kernel command line of the same
length, whatever the name of the run directory, and the socket a path that fits into sun_path. The lab holds a lock in
it. The kernel releases it even after kill -9, so the next start knows that the lab has gone. Until it is locked, the
directory is called ``.hwsim-lab-<8 hex digits>``, and only its age counts.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import re
import shutil
import signal
import stat
import time
from collections.abc import Iterator
from pathlib import Path
from typing import TextIO

from lab.errors import HostError

PARENT = Path("/tmp")
PREFIX = "hwsim-lab-"
_UNLOCKED = "."  # before the name of a directory that may not be locked yet
_NAME = re.compile(rf"({re.escape(_UNLOCKED)})?{re.escape(PREFIX)}[0-9a-f]{{8}}")  # /tmp has other directories, too
_MAKING_S = 60.0  # nobody takes so long to lock a new directory
_COMMAND_MARK = b"uml_dir="


def _pids_of(directory: Path) -> list[int]:
    """Return the processes whose command line names this scratch directory."""
    mark = _COMMAND_MARK + os.fsencode(directory)
    pids = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            with contextlib.suppress(OSError):  # it has just ended
                if mark in (entry / "cmdline").read_bytes():
                    pids.append(int(entry.name))
    return pids


def kill_guest(directory: Path) -> None:
    """End every process of the guest of this scratch directory."""
    for pid in _pids_of(directory):
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)


def _may_be_abandoned(path: Path) -> bool:
    """Return whether it is a directory of this user that nobody is making; a lab that ends may remove it any time."""
    try:
        status = path.stat()
    except OSError:
        return False
    being_made = path.name.startswith(_UNLOCKED) and time.time() - status.st_mtime < _MAKING_S
    return stat.S_ISDIR(status.st_mode) and status.st_uid == os.getuid() and not being_made


def clean_stale(parent: Path = PARENT) -> int:
    """Remove what killed labs left behind and return the number of their guests."""
    cleaned = 0
    for directory in sorted([*parent.glob(f"{PREFIX}*"), *parent.glob(f"{_UNLOCKED}{PREFIX}*")]):
        if not _NAME.fullmatch(directory.name) or not _may_be_abandoned(directory):
            continue
        with contextlib.suppress(OSError), (directory / "lock").open("a") as lock:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                continue
            kill_guest(directory)
            shutil.rmtree(directory, ignore_errors=True)
            cleaned += not directory.name.startswith(_UNLOCKED)
    return cleaned


@contextlib.contextmanager
def scratch(links: dict[str, Path], parent: Path = PARENT) -> Iterator[Path]:
    """Yield a new scratch directory with ``links``, removed at the end, with every process of its guest."""
    directory = parent / f"{PREFIX}{os.urandom(4).hex()}"
    made = directory.with_name(f"{_UNLOCKED}{directory.name}")
    try:
        with _made(made, directory, links):
            try:
                yield directory
            finally:
                kill_guest(directory)
    finally:
        shutil.rmtree(made, ignore_errors=True)
        shutil.rmtree(directory, ignore_errors=True)


def _made(made: Path, directory: Path, links: dict[str, Path]) -> TextIO:
    """Make a directory, locked before it gets its name, or another lab would remove it; return the lock."""
    try:
        made.mkdir(mode=0o700)
        lock = (made / "lock").open("a")
        fcntl.flock(lock, fcntl.LOCK_EX)
        made.rename(directory)
        for name, target in links.items():
            (directory / name).symlink_to(target)
    except OSError as error:
        raise HostError(f"cannot make {directory}: {error.strerror}", hint="the guest needs a writable /tmp") from None
    return lock
