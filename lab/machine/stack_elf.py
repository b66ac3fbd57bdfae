# SPDX-License-Identifier: MIT
"""Whether programs that were compiled on the host will find their C library in the guest."""

from __future__ import annotations

import re
from pathlib import Path

from lab.errors import BuildError
from lab.machine.build_step import BuildLog

_MAGIC = b"\x7fELF"
# readelf: "0x0010:   Name: GLIBC_2.34  Flags: none  Version: 3"
_NEEDED = re.compile(r"\bName: GLIBC_(\d+)\.(\d+)")


def is_elf(path: Path) -> bool:
    """Whether it is a program, a library or an object."""
    if path.is_symlink() or not path.is_file():
        return False
    with path.open("rb") as file:
        return file.read(len(_MAGIC)) == _MAGIC


def newest_needed(versions: str) -> tuple[int, int]:
    """The newest version of the C library that a program needs, from ``readelf --version-info``; (0, 0): none."""
    return max(((int(major), int(minor)) for major, minor in _NEEDED.findall(versions)), default=(0, 0))


def check_libc(programs: list[Path], tree: Path, libc: str, stack: Path, log: BuildLog) -> None:
    """See that no program needs a newer C library than the guest's.

    Args:
        programs: ELF files.
        tree: What they are relative to in messages.
        libc: Version of the guest's C library, as Debian has it: 2.41-12.
        stack: ``workloads/<stack>``, for messages.
        log: Of the build.

    Raises:
        BuildError: One does; it was linked with the host's.
    """
    words = libc.split("-")[0].split(".")
    guest = (int(words[0]), int(words[1]))
    for path in programs:
        lines: list[str] = []
        log.run("reading what a program needs", ["readelf", "--version-info", str(path)], on_line=lines.append)
        needed = newest_needed("\n".join(lines))
        if needed > guest:
            raise BuildError(
                f"{path.relative_to(tree)} needs the C library {needed[0]}.{needed[1]}, and the guest has "
                f"{guest[0]}.{guest[1]}: it was linked with that of this machine",
                where=str(stack / "Makefile"),
                hint="compile and link with $(CC), which make is given",
            )
