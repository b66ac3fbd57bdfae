# SPDX-License-Identifier: MIT
"""A guest's scratch directory, and cleaning up after a killed lab.

Each guest has ``/tmp/hwsim-lab-<8 hex digits>`` with UML's own files (its pid, the management console's socket)
and short links to image, code and run directory. The links give every guest a kernel command line of the same
length, whatever the name of the run directory, and the socket a path that fits into sun_path. The lab holds a lock in
it. The kernel releases it even after kill -9, so the next start can tell that the lab has gone.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import re
import secrets
import shutil
import signal
import stat
from collections.abc import Iterator
from pathlib import Path

from lab.errors import HostError

PARENT = Path("/tmp")
PREFIX = "hwsim-lab-"
_NAME = re.compile(re.escape(PREFIX) + r"[0-9a-f]{8}")  # /tmp has other directories, too
_COMMAND_MARK = b"uml_dir="


def _pids_of(directory: Path) -> list[int]:
    """Processes whose command line names this scratch directory."""
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


def _is_own_directory(path: Path) -> bool:
    """Whether it is a directory of this user; a lab that ends meanwhile may remove it at any moment."""
    try:
        status = path.stat()
    except OSError:
        return False
    return stat.S_ISDIR(status.st_mode) and status.st_uid == os.getuid()


def clean_stale(parent: Path = PARENT) -> int:
    """Remove what killed labs left behind; returns the number of their guests."""
    cleaned = 0
    for directory in sorted(parent.glob(f"{PREFIX}*")):
        if not _NAME.fullmatch(directory.name) or not _is_own_directory(directory):
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
    """A new scratch directory with ``links``; removed at the end, with every process of its guest."""
    directory = parent / f"{PREFIX}{secrets.token_hex(4)}"
    made = parent / f".{directory.name}"  # renamed once it is locked: otherwise another lab's start would remove it
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
