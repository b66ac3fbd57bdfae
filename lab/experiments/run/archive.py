# SPDX-License-Identifier: MIT
"""An archive of a failed trial's directory, sent from a worker to the user."""

from __future__ import annotations

import io
import shutil
import zipfile
from pathlib import Path

LIMIT_BYTES = 100_000_000  # of all files: captures may be too large to send
LEFT_OUT = "left-out.txt"


def pack(directory: Path, limit_bytes: int = LIMIT_BYTES) -> bytes:
    """Archive the files below a directory, smallest first, up to the limit; list the others.

    It leaves out links to other places, and anything that is not a file.
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
    """Extract the files to ``directory``, and replace its content.

    Raises:
        OSError: The files cannot be written.
    """
    shutil.rmtree(directory, ignore_errors=True)
    directory.mkdir(parents=True)
    with zipfile.ZipFile(io.BytesIO(left)) as archive:
        archive.extractall(directory)  # never outside of it, whatever their names
