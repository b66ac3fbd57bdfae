# SPDX-License-Identifier: MIT
"""The guest's own C++ compiler, run from its unpacked package ``g++``.

A C++ program needs the library that its compiler belongs to, and the host's is another one, or has none. The compiler's
programs need the guest's C library as well, so each is called by the guest's loader.
"""

from __future__ import annotations

import shlex
from pathlib import Path

from lab.builders.stack.sysroot import LIBRARIES

PACKAGE = "g++"  # of build-packages
DRIVER = "g++"  # what make calls
_LOADER = "usr/lib64/ld-linux-x86-64.so.2"
# what the driver calls: with -B, it and collect2 look for these names first
_PROGRAMS = {
    DRIVER: "usr/bin/x86_64-linux-gnu-g++",
    "as": "usr/bin/x86_64-linux-gnu-as",
    "ld": "usr/bin/x86_64-linux-gnu-ld",
    "cc1plus": "usr/libexec/gcc/x86_64-linux-gnu/*/cc1plus",
    "collect2": "usr/libexec/gcc/x86_64-linux-gnu/*/collect2",
}


def write_compiler(sysroot: Path, directory: Path) -> bool:
    """Write programs that call those of the compiler; return False if the sysroot has none.

    ``directory``: is made; it has ``DRIVER`` then.
    """
    found = {name: next(sysroot.glob(place), None) for name, place in _PROGRAMS.items()}
    if found[DRIVER] is None:
        return False
    directory.mkdir()
    for name, program in found.items():
        command = [str(sysroot / _LOADER), "--library-path", str(sysroot / LIBRARIES), str(program)]
        (directory / name).write_text(f'#!/bin/sh\nexec {shlex.join(command)} "$@"\n')
        (directory / name).chmod(0o755)
    return True
