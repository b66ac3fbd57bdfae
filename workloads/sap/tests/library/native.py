# SPDX-License-Identifier: MIT
"""Build what is written in C: libsap, its tests, its fuzz targets."""

from __future__ import annotations

import os
import re
import shutil
import socket
import subprocess
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path

import pytest

from lab.cache.report import SilentReport
from lab.cache.store import Store, content_key

HERE = Path(__file__).parent
STACK = HERE.parent.parent
PROJECT = STACK.parent.parent
LIBSAP = STACK / "libsap"
MOD_SAP = STACK / "mod_sap"

_NEEDED_BYTES = 20_000_000

WARNINGS = ["-Wall", "-Wextra", "-Wpedantic", "-Wshadow", "-Wconversion", "-Werror"]
# makes tests that need UDP-Lite run in the guest although this machine has it
WITHOUT_UDPLITE = "SAP_TESTS_WITHOUT_UDPLITE"
# set in that guest
IN_GUEST = "SAP_TESTS_IN_GUEST"

# a process of the guest has 512 GiB of addresses, too few for AddressSanitizer; valgrind sees errors of memory there
_SANITIZERS = "undefined" if IN_GUEST in os.environ else "address,undefined"
SANITIZED = ["-O1", f"-fsanitize={_SANITIZERS}", "-fno-sanitize-recover=all"]
UNIT = [
    HERE / f"{name}.c"
    for name in ("main", "tables_unit", "support", "pieces", "conversations", "sending", "attacks", "options", "pair")
]
# sockets.c puts itself between the library and sendto()
WRAPPED = ["-Wl,--wrap=sendto"]
SOCKETS = [HERE / "tables_sockets.c", HERE / "sockets.c", *sorted((LIBSAP / "src").glob("*.c"))]


def compilers() -> list[str]:
    """gcc, which the lab needs anyway, and clang if it is installed."""
    return ["gcc", *(name for name in ("clang",) if shutil.which(name))]


def core_sources() -> list[Path]:
    """The library without the files that use the operating system."""
    return [path for path in sorted((LIBSAP / "src").glob("*.c")) if path.stem not in {"socket", "udplite"}]


def program(to: Path, sources: list[Path], flags: list[str], compiler: str = "gcc") -> Path:
    """Compiles a program, unless it was compiled before; a warning is an error, and its text the failure."""
    includes = ["-I", str(LIBSAP / "include"), "-I", str(LIBSAP / "src")]
    words = [compiler, "-std=c11", "-g", f"-ffile-prefix-map={PROJECT}=.", *WARNINGS, *flags, *includes, "-pthread"]
    relative = [word.replace(str(PROJECT), ".") for word in words]
    names = [path.name for path in sources]
    key = content_key(run([compiler, "--version"]), *relative, *names, *contents(STACK, *sources))

    def make(directory: Path) -> None:
        run([*words, "-o", str(directory / "program"), *map(str, sources)])

    return Path(shutil.copy(built(key, make) / "program", to))


def contents(*places: Path) -> Iterator[bytes]:
    """All that a build may read, name and content: files, and in directories everything in C and for make."""
    for place in places:
        for path in sorted(place.rglob("*")) if place.is_dir() else [place]:
            if path == place or path.suffix in {".c", ".h", ".mk"} or path.name == "Makefile":
                yield str(path.relative_to(place)).encode()
                yield path.read_bytes()


def built(key: str, make: Callable[[Path], None]) -> Path:
    """What ``make`` writes to a directory, from the lab's cache if another run or worker has made it."""
    store = Store("test-programs", "a program of the tests")
    return store.path(key) if store.has(key) else store.build(key, make, SilentReport(), needed_bytes=_NEEDED_BYTES)


def shared_library(to: Path, sources: list[Path]) -> Path:
    """Compiles a library to be preloaded."""
    run(["gcc", "-std=c11", "-g", *WARNINGS, "-shared", "-fPIC", "-o", str(to), *map(str, sources)])
    return to


def library(to: Path, *arguments: str) -> Path:
    """``make`` of libsap into a directory, warnings as errors."""
    run(["make", "-C", str(LIBSAP), f"BUILD={to}", "CFLAGS=-O2 -g -Werror", *arguments])
    return to


def run(argv: list[str], *, timeout_s: float = 300) -> str:
    """What a command printed; if it fails, all it printed is the failure."""
    done = subprocess.run(argv, capture_output=True, text=True, timeout=timeout_s)
    assert done.returncode == 0, f"{' '.join(argv)}: exit status {done.returncode}\n{done.stdout}{done.stderr}"
    return done.stdout


def valgrind() -> list[str]:
    """The command that runs a program in valgrind, which fails for errors and leaks."""
    if shutil.which("valgrind") is None:
        pytest.fail("valgrind is missing; make test installs it: apt-get install --no-install-recommends valgrind")
    return ["valgrind", "--quiet", "--vgdb=no", "--error-exitcode=9", "--leak-check=full"]


@cache
def host_has_udplite() -> bool:
    """Whether this machine's kernel has UDP-Lite: the newest Linux has dropped it, the lab's guest has it."""
    if os.environ.get(WITHOUT_UDPLITE):
        return False
    try:
        socket.socket(socket.AF_INET, socket.SOCK_DGRAM, 136).close()
    except OSError:
        return False
    return True


def tests_in(*files: str) -> list[str]:
    """Names of the tests in the tables of C files."""
    names = [name for file in files for name in re.findall(r"^\tTEST\((\w+)\),$", (HERE / file).read_text(), re.M)]
    assert names, f"no tests in {files}"
    return names
