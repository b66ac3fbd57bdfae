# SPDX-License-Identifier: MIT
"""Which compiler, linker and C library a kernel is built with: they affect its bytes, so they are part of its key."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

from lab.cache.memo import Memo
from lab.cache.store import cache_root
from lab.checkout import INSTALL
from lab.errors import HostError

# Programs whose versions count. The first programs of the guest (images/initrd) are linked with libc.a, the kernel with
# the libc.so of the same package.
PROGRAMS = ("gcc", "ld")
HEADERS = (Path("/usr/include/linux/version.h"), Path("/usr/include/stdio.h"))  # one of each package
LIBC_CANDIDATES = (Path("/usr/lib/x86_64-linux-gnu/libc.a"), Path("/usr/lib64/libc.a"), Path("/usr/lib/libc.a"))


def toolchain_versions() -> str:
    """Return one line that names compiler, linker and C library.

    Calling them takes 20 ms, so the answer is cached as long as the files are unchanged (path, size, time).

    Raises:
        HostError: If one of them is not installed.
    """
    known = Memo(cache_root() / "toolchain.json", lambda _: _ask(), str)
    versions = known.of(_fingerprint(_files()).encode())
    known.keep()
    return versions


def toolchain_fingerprint() -> str:
    """Return a text that changes with the files of compiler, linker, C library and the headers of the system."""
    return _fingerprint([*_files(), *(path for path in HEADERS if path.exists())])


def _files() -> list[Path]:
    return [_program(name) for name in PROGRAMS] + [_libc()]


def _fingerprint(files: list[Path]) -> str:
    return "|".join(f"{path}:{path.stat().st_size}:{path.stat().st_mtime_ns}" for path in files)


def _program(name: str) -> Path:
    found = shutil.which(name)
    if found is None:
        raise HostError(f"{name} is not installed; it is needed to build the kernel", hint=INSTALL)
    return Path(found).resolve()


def _libc() -> Path:
    for path in LIBC_CANDIDATES:
        if path.exists():
            return path.resolve()
    raise HostError(
        "the static C library (libc.a) is not installed; it is needed to link programs of the guest",
        hint=f"it is in Debian's libc6-dev; {INSTALL}",
    )


def _ask() -> str:
    first = [_output([name, "--version"]).splitlines()[0] for name in PROGRAMS]
    libc = _output(["getconf", "GNU_LIBC_VERSION"]).strip()
    return "; ".join([*first, libc])


def _output(argv: list[str]) -> str:
    try:
        return subprocess.run(
            argv,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=True,
            env={**os.environ, "LC_ALL": "C"},
        ).stdout
    except (OSError, subprocess.CalledProcessError) as error:
        raise HostError(f"{argv[0]} does not run: {error}", hint="install it again") from error
