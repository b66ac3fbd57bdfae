# SPDX-License-Identifier: MIT
"""Fuzz the kernel's compression of TCP ACKs with libFuzzer: ``python -m workloads.hack.tests.kernel [SECONDS]``."""

from __future__ import annotations

import shutil
import subprocess
import sys

from workloads.hack.tests.kernel.build import STACK, build

_LONGEST = 4096  # bytes of an input


def main() -> int:
    """Build it and run it; new inputs go to build/fuzz/hack."""
    if not shutil.which("clang"):
        print("clang is not installed: apt-get install clang libclang-rt-dev; make test needs neither", file=sys.stderr)
        return 1
    place = STACK.parent.parent / "build" / "fuzz"
    found = place / "hack"
    found.mkdir(parents=True, exist_ok=True)
    flags = ["-fsanitize=fuzzer,address,undefined", "-fno-sanitize-recover=all"]
    program = build(place / "hack.bin", flags, "clang")
    seconds = sys.argv[1] if len(sys.argv) > 1 else "60"
    argv = [str(program), f"-max_total_time={seconds}", f"-max_len={_LONGEST}", f"-artifact_prefix={place}/hack-"]
    return subprocess.run([*argv, str(found)]).returncode


if __name__ == "__main__":
    raise SystemExit(main())
