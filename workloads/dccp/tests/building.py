# SPDX-License-Identifier: MIT
"""Compile flow and its tests on this machine: under sanitizers, warnings as errors."""

from __future__ import annotations

import subprocess
from pathlib import Path

HERE = Path(__file__).parent
FLOW = HERE.parent / "flow"
_WARNINGS = ["-Wall", "-Wextra", "-Wpedantic", "-Wshadow", "-Wconversion", "-Werror"]
_SANITIZED = ["-O1", "-g", "-fsanitize=address,undefined", "-fno-sanitize-recover=all"]


def compiled(to: Path, sources: list[Path]) -> Path:
    """Compile a program. A warning is an error, and what the compiler prints the failure."""
    words = ["gcc", "-std=c11", "-D_GNU_SOURCE", *_WARNINGS, *_SANITIZED, "-I", str(FLOW), "-o", str(to)]
    done = subprocess.run([*words, *map(str, sources), "-lm"], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return to


def changed(directory: Path, name: str, old: str, new: str) -> Path:
    """Copy a source file with another word in one place."""
    text = (FLOW / name).read_text()
    assert text.count(old) == 1, f"{name}: {old!r} is there {text.count(old)} times"
    (directory / name).write_text(text.replace(old, new))
    return directory / name
