# SPDX-License-Identifier: MIT
"""Builds what is written in C: libsap, its tests, its fuzz targets."""

from __future__ import annotations

import re
import shutil
import socket
import subprocess
from pathlib import Path

import pytest

HERE = Path(__file__).parent
STACK = HERE.parent.parent
PROJECT = STACK.parent.parent
LIBSAP = STACK / "libsap"
MOD_SAP = STACK / "mod_sap"

WARNINGS = ["-Wall", "-Wextra", "-Wpedantic", "-Wshadow", "-Wconversion", "-Werror"]
SANITIZED = ["-O1", "-fsanitize=address,undefined", "-fno-sanitize-recover=all"]
UNIT = [
    HERE / f"{name}.c"
    for name in ("main", "tables_unit", "support", "pieces", "conversations", "sending", "attacks", "pair")
]
# sockets.c puts itself between the library and sendto()
WRAPPED = ["-Wl,--wrap=sendto"]
SOCKETS = [HERE / "tables_sockets.c", HERE / "sockets.c", *sorted((LIBSAP / "src").glob("*.c"))]


def compilers() -> list[str]:
    """gcc, which the lab needs anyway, and clang if it is there."""
    return ["gcc", *(name for name in ("clang",) if shutil.which(name))]


def core_sources() -> list[Path]:
    """The library without what knows the operating system."""
    return [path for path in sorted((LIBSAP / "src").glob("*.c")) if path.stem not in {"socket", "udplite"}]


def program(to: Path, sources: list[Path], flags: list[str], compiler: str = "gcc") -> Path:
    """Compiles a program; a warning is an error, and its text the failure."""
    includes = ["-I", str(LIBSAP / "include"), "-I", str(LIBSAP / "src")]
    run([compiler, "-std=c11", "-g", *WARNINGS, *flags, *includes, "-o", str(to), *map(str, sources), "-pthread"])
    return to


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
    return ["valgrind", "--quiet", "--error-exitcode=9", "--leak-check=full"]


def host_has_udplite() -> bool:
    """Whether this machine's kernel has UDP-Lite: the newest Linux has dropped it, the lab's guest has it."""
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
