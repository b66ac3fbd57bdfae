# SPDX-License-Identifier: MIT
"""Compile the program against Debian's libns3-dev, into build/ns3; the name contains a hash of its inputs.

``python -m bench.ns3.build`` prints the path of the program.
"""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
from pathlib import Path

from lab.cache.store import content_key
from lab.checkout import CHECKOUT
from lab.errors import BuildError, HostError, LabError

SOURCE = Path(__file__).with_name("download.cc")
BINARIES = CHECKOUT / "build" / "ns3"
WRITTEN_FOR = "3.37"  # Debian 12; ns-3 promises no API across versions
MODULES = (
    "ns3-applications",
    "ns3-core",
    "ns3-internet",
    "ns3-mobility",
    "ns3-network",
    "ns3-point-to-point",
    "ns3-spectrum",
    "ns3-traffic-control",
    "ns3-wifi",
)
COMPILER = ("g++", "-std=c++17", "-O2", "-Wall", "-Wextra", "-Werror")


def ensure_program(source: Path = SOURCE, binaries: Path = BINARIES) -> Path:
    """Return the compiled program; build it if necessary.

    Raises:
        HostError: If a tool or ns-3 is not installed.
        BuildError: If it does not compile; contains the compiler's output.
    """
    version, flags = _installed()
    binary = binaries / f"{source.stem}-{content_key(source.read_bytes(), version, *COMPILER, *flags)}"
    if not binary.exists():
        _compile(source, binary, version, flags)
    return binary


def _installed() -> tuple[str, list[str]]:
    """Return the version of ns-3 and its compiler flags."""
    if _tool(["pkg-config", "--exists", *MODULES], "pkg-config").returncode:
        raise HostError(f"ns-3 is not installed: no {MODULES[-1]}.pc", hint="apt-get install libns3-dev")
    version = _tool(["pkg-config", "--modversion", MODULES[-1]], "pkg-config").stdout.strip()
    # not --libs: that also names files of libgsl-dev, which libns3-dev neither needs nor depends on
    wanted = ("--cflags", "--libs-only-L", "--libs-only-l")
    flags = [_tool(["pkg-config", way, *MODULES], "pkg-config").stdout for way in wanted]
    return version, list(dict.fromkeys(word for line in flags for word in shlex.split(line)))


def _compile(source: Path, binary: Path, version: str, flags: list[str]) -> None:
    """Compile to a temporary file, then rename it."""
    binary.parent.mkdir(parents=True, exist_ok=True)
    partial = binary.with_name(f".partial-{os.getpid()}-{binary.name}")
    try:
        result = _tool([*COMPILER, str(source), "-o", str(partial), *flags], "g++")
        if result.returncode:
            raise BuildError(
                f"{source.name} does not compile:\n{result.stderr}",
                hint=f"it is written for ns-3 {WRITTEN_FOR}; installed is {version}",
            )
        partial.rename(binary)
    finally:
        partial.unlink(missing_ok=True)


def _tool(argv: list[str], package: str) -> subprocess.CompletedProcess[str]:
    try:
        return subprocess.run(argv, capture_output=True, text=True, check=False)
    except FileNotFoundError:
        raise HostError(f"{argv[0]} is not installed", hint=f"apt-get install {package}") from None


if __name__ == "__main__":
    try:
        print(ensure_program())
    except LabError as error:
        sys.exit(str(error))
