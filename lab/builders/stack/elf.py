# SPDX-License-Identifier: MIT
"""Check that programs compiled on the host find their libraries in the guest."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from lab.builders.stack.sysroot import LIBRARIES
from lab.builders.step import BuildLog
from lab.errors import BuildError

_MAGIC = b"\x7fELF"
# readelf: "0x0010:   Name: GLIBC_2.34  Flags: none  Version: 3"
_VERSION = re.compile(r"\bName: GLIBC_(\d+)\.(\d+)")
# readelf: " 0x0000000000000001 (NEEDED)             Shared library: [libc.so.6]"
_LIBRARY = re.compile(r"\(NEEDED\)\s+Shared library: \[([^]]+)\]")


def is_elf(path: Path) -> bool:
    """Return whether it is a program, a library or an object."""
    if path.is_symlink() or not path.is_file():
        return False
    with path.open("rb") as file:
        return file.read(len(_MAGIC)) == _MAGIC


def newest_libc(text: str) -> tuple[int, int]:
    """Return the newest version of the C library that a program needs, from readelf's output; (0, 0): none."""
    return max(((int(major), int(minor)) for major, minor in _VERSION.findall(text)), default=(0, 0))


def libraries(text: str) -> list[str]:
    """Return the shared libraries that a program needs, from readelf's output."""
    return _LIBRARY.findall(text)


def check_needs(program: Path, trees: Sequence[Path], sysroot: Path, libc: str, where: str, log: BuildLog) -> None:
    """Check that the guest has what a program needs.

    ``trees``: what the stack installs, then what those that it uses install; ``libc``: the version of the guest's C
    library, as Debian has it: 2.41-12.

    Raises:
        BuildError: If it was linked with a library of this machine.
    """
    lines: list[str] = []
    argv = ["readelf", "--wide", "--dynamic", "--version-info", str(program)]
    log.run("reading what a program needs", argv, on_line=lines.append)
    text, name = "\n".join(lines), program.relative_to(trees[0])
    words = libc.split("-")[0].split(".")
    guest, needed = (int(words[0]), int(words[1])), newest_libc(text)
    if needed > guest:
        raise BuildError(
            f"{name} needs the C library {needed[0]}.{needed[1]}, but the guest has {guest[0]}.{guest[1]}: it was "
            "linked with this machine's",
            where=where,
            hint="compile and link with $(CC) or $(CXX), which make sets",
        )
    for library in libraries(text):
        installed = any(True for tree in trees for _ in tree.rglob(library))
        if not installed and not (sysroot / LIBRARIES / library).exists():
            raise BuildError(
                f"{name} needs {library} of this machine, which is neither part of the stack nor of its stacks and "
                "build-packages",
                where=where,
                hint="list the Debian package with its headers in build-packages, and that of the library in "
                "images/base/packages",
            )
