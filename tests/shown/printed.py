# SPDX-License-Identifier: MIT
"""Run a command on a terminal of 80 columns, as the documentation shows it."""

from __future__ import annotations

import contextlib
import os
import pty
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

# only these are run, and of Python only the modules of the checkout; other commands are for readers
PROGRAMS = ("lab", "pytest", "tshark", "python", "gcc", "umoci")
_FROM = "<"  # before the file that is a command's input
_CHECKOUT = Path(__file__).resolve().parents[2]


@dataclass(frozen=True)
class Printed:
    """Lines of standard output, then of standard error, and the exit status."""

    lines: list[str]
    status: int


def why_not(argv: list[str]) -> str | None:
    """Return why a command is not run; None if it is."""
    if argv[0] not in PROGRAMS:
        return f"{argv[0]} is not one of {', '.join(PROGRAMS)}"
    if argv[0] == "python" and argv[1:2] != ["-m"]:
        return "of Python, only modules are run (python -m)"
    if argv[:2] == ["lab", "shell"] and _FROM not in argv:
        return "a shell runs in real time, so its output differs each time"
    if shutil.which(argv[0], path=_path()) is None:
        return f"{argv[0]} is not installed"
    return None


def _matching(pattern: str, place: Path) -> list[str]:
    """Return the paths that a word stands for, as a shell does."""
    found = sorted(str(path.relative_to(place)) for path in place.glob(pattern)) if pattern.endswith("/*") else []
    return found or [pattern]


def run(argv: list[str], place: Path) -> Printed:
    """Run a command in a directory; ``< FILE`` at its end is its input, and ``marked/*`` stands for these files."""
    argv, given = (argv[:-2], place / argv[-1]) if argv[-2:-1] == [_FROM] else (argv, Path(os.devnull))
    argv = [word for pattern in argv for word in _matching(pattern, place)]
    ours, theirs = pty.openpty()  # 0 columns; rich assumes 80 for a terminal with TERM=dumb
    environment = {**os.environ, "PATH": _path(), "TERM": "dumb"}
    for name in ("COLUMNS", "LINES"):
        environment.pop(name, None)
    if argv[0] == "python":
        environment["PYTHONPATH"] = str(_CHECKOUT)
    with tempfile.TemporaryFile() as errors, given.open("rb") as source:
        with subprocess.Popen(argv, cwd=place, env=environment, stdin=source, stdout=theirs, stderr=errors) as process:
            os.close(theirs)
            output = _read(ours)
        errors.seek(0)
        output += errors.read()
    return Printed(output.decode(errors="replace").replace("\r\n", "\n").splitlines(), process.returncode)


def _read(terminal: int) -> bytes:
    parts = []
    with contextlib.suppress(OSError):  # EIO: the other end is closed
        while part := os.read(terminal, 65536):
            parts.append(part)
    os.close(terminal)
    return b"".join(parts)


def _path() -> str:
    """Return PATH, beginning with the programs of this Python environment."""
    return f"{Path(sys.executable).parent}{os.pathsep}{os.environ.get('PATH', os.defpath)}"
