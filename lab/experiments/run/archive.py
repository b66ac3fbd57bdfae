# SPDX-License-Identifier: MIT
"""The directory that a failed trial leaves, on its way from a worker to the user: an archive."""

from __future__ import annotations

import io
import shutil
import zipfile
from pathlib import Path

LIMIT_BYTES = 100_000_000  # of all files: captures may be larger than what anyone waits for
LEFT_OUT = "left-out.txt"


def pack(directory: Path, limit_bytes: int = LIMIT_BYTES) -> bytes:
    """The files below a directory, the smallest first and as many as the limit allows; the others are listed.

    Links to elsewhere and anything that is not a file stay out.
    """
    files = [path for path in directory.rglob("*") if path.is_file() and not path.is_symlink()]
    room_bytes = limit_bytes
    left_out = []
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED, compresslevel=1, strict_timestamps=False) as archive:
        for path in sorted(files, key=lambda path: (path.stat().st_size, path)):
            name = str(path.relative_to(directory))
            room_bytes -= path.stat().st_size
            if room_bytes >= 0:
                archive.write(path, name)
            else:
                left_out.append(f"{name}: {path.stat().st_size} bytes\n")
        if left_out:
            archive.writestr(LEFT_OUT, "".join(left_out))
    return buffer.getvalue()


def unpack(left: bytes, directory: Path) -> None:
    """Put the files into ``directory``, in place of what was there.

    Raises:
        OSError: they cannot be written.
    """
    shutil.rmtree(directory, ignore_errors=True)
    directory.mkdir(parents=True)
    with zipfile.ZipFile(io.BytesIO(left)) as archive:
        archive.extractall(directory)  # never outside of it, whatever the names
