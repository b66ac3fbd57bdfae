# SPDX-License-Identifier: MIT
"""A guest's scratch directory, and what is left when a lab was killed.

Each guest has ``/tmp/hwsim-lab-<8 hex digits>`` with UML's own files (its pid, the management console's socket)
and short links to image, code and run directory. The links give every guest a kernel command line of the same
length, whatever the run directory is called, and the socket a path that fits into sun_path. A lock in it is held
as long as the lab lives; the kernel lets go of it even after kill -9, which is how the next start knows.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import re
import secrets
import shutil
import signal
from collections.abc import Iterator
from pathlib import Path

from lab.errors import HostError

PARENT = Path("/tmp")
PREFIX = "hwsim-lab-"
_NAME = re.compile(re.escape(PREFIX) + r"[0-9a-f]{8}")  # others have directories in /tmp, too
_COMMAND_MARK = b"uml_dir="


def _pids_of(directory: Path) -> list[int]:
    """Processes whose command line says that they run a guest with this scratch directory."""
    mark = _COMMAND_MARK + os.fsencode(directory)
    pids = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            with contextlib.suppress(OSError):  # it ended meanwhile
                if mark in (entry / "cmdline").read_bytes():
                    pids.append(int(entry.name))
    return pids


def kill_guest(directory: Path) -> None:
    """End every process of the guest of this scratch directory."""
    for pid in _pids_of(directory):
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)


def clean_stale(parent: Path = PARENT) -> int:
    """Remove what labs that were killed have left; returns how many guests that were."""
    cleaned = 0
    for directory in sorted(parent.glob(f"{PREFIX}*")):
        if not _NAME.fullmatch(directory.name) or not directory.is_dir() or directory.stat().st_uid != os.getuid():
            continue
        with contextlib.suppress(OSError), (directory / "lock").open("a") as lock:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                continue
            kill_guest(directory)
            shutil.rmtree(directory, ignore_errors=True)
            cleaned += 1
    return cleaned


@contextlib.contextmanager
def scratch(links: dict[str, Path], parent: Path = PARENT) -> Iterator[Path]:
    """A fresh scratch directory with ``links``; gone at the end, with every process of its guest."""
    directory = parent / f"{PREFIX}{secrets.token_hex(4)}"
    made = parent / f".{directory.name}"  # gets its name once it is locked: else another lab's start would remove it
    try:
        made.mkdir(mode=0o700)
    except OSError as error:
        raise HostError(f"cannot make {directory}: {error.strerror}", hint="the guest needs a writable /tmp") from None
    try:
        with (made / "lock").open("a") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            made.rename(directory)
            for name, target in links.items():
                (directory / name).symlink_to(target)
            try:
                yield directory
            finally:
                kill_guest(directory)
    finally:
        shutil.rmtree(made, ignore_errors=True)
        shutil.rmtree(directory, ignore_errors=True)
