# SPDX-License-Identifier: MIT
"""Build the kernel's compression of TCP ACKs for this machine, with a fuzz target."""

from __future__ import annotations

import subprocess
from pathlib import Path

HERE = Path(__file__).parent
STACK = HERE.parent.parent
KERNEL = STACK / "kernel/files/drivers/net/wireless/virtual"
PARTS = ("segment", "compress", "decompress")
WARNINGS = ["-Wall", "-Wextra", "-Wno-sign-compare", "-Wno-unused-parameter", "-Werror"]  # as the kernel has them
SANITIZED = ["-fsanitize=address,undefined", "-fno-sanitize-recover=all"]


def build(to: Path, flags: list[str], compiler: str = "gcc", kernel: Path = KERNEL) -> Path:
    """Compile it with the files in ``kernel``; a warning is an error."""
    includes = ["-I", str(HERE), "-I", str(kernel)]
    sources = [HERE / "fuzz.c", *(kernel / f"hwsim_hack_{part}.c" for part in PARTS)]
    argv = [compiler, "-std=gnu11", "-g", "-O1", *WARNINGS, *flags, *includes, "-o", str(to), *map(str, sources)]
    done = subprocess.run(argv, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return to
