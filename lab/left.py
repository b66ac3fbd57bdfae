# SPDX-License-Identifier: MIT
"""Opens files that a guest has left in the directory of its run: the host's own code trusts no name in there."""

from __future__ import annotations

import errno
import io
import os
import stat
from pathlib import Path

from lab.errors import RunError

_MOST_DOCUMENT_BYTES = 500_000_000


def opened(path: Path) -> io.BufferedReader:
    """Open a file to read it: never one of the host by a symbolic link, nor a FIFO or device, which may have no end.

    Raises:
        FileNotFoundError: If it does not exist.
        RunError: If it is not a regular file, or nobody may read it.
    """
    try:
        file = os.fdopen(os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC), "rb")
    except OSError as error:
        if error.errno == errno.ENOENT:
            raise
        if error.errno not in (errno.ELOOP, errno.ENXIO, errno.EISDIR):  # a link, a socket, a folder
            raise RunError(f"{path} cannot be read: {error.strerror}") from None
    else:
        if stat.S_ISREG(os.fstat(file.fileno()).st_mode):
            return file
        file.close()
    raise RunError(f"{path} is not a regular file; a program in the guest has put something else there")


def content(path: Path) -> bytes:
    """Read such a file; see ``opened``."""
    with opened(path) as file:
        return file.read()


def document(path: Path) -> bytes:
    """Read a file of JSON, which is read as a whole; see ``opened``.

    Raises:
        RunError: If it is longer than any that a run leaves.
    """
    with opened(path) as file:
        if (size := os.fstat(file.fileno()).st_size) > _MOST_DOCUMENT_BYTES:
            raise RunError(f"{path} has {size / 1e6:,.0f} MB; at most {_MOST_DOCUMENT_BYTES / 1e6:,.0f} MB are read")
        return file.read()


def text(path: Path) -> str:
    """Read such a file, invalid UTF-8 as U+FFFD, every end of a line as a newline; see ``opened``."""
    with io.TextIOWrapper(opened(path), encoding="utf-8", errors="replace") as file:
        return file.read()
