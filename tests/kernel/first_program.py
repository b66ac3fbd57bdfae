# SPDX-License-Identifier: MIT
"""An initrd whose only program, compiled from C, is the first of a guest."""

from __future__ import annotations

import stat
import subprocess
from pathlib import Path

from lab.builders.image.initrd import Entry, archive


def initrd_of(source: str, directory: Path, *flags: str) -> Path:
    """Compile ``source``, next to this file, as /init of an archive in ``directory``; returns the archive's path."""
    program, initrd = directory / "init", directory / "initrd"
    warnings = ["-Wall", "-Wextra", "-Werror"]
    path = Path(__file__).with_name(source)
    subprocess.run(["gcc", "-static", *warnings, *flags, "-o", program, path], check=True)
    entries = [
        Entry("dev", stat.S_IFDIR | 0o755),
        Entry("proc", stat.S_IFDIR | 0o755),
        Entry("dev/console", stat.S_IFCHR | 0o600, device=(5, 1)),
        Entry("init", stat.S_IFREG | 0o755, content=program.read_bytes()),
    ]
    initrd.write_bytes(archive(entries))
    return initrd
