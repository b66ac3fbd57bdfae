# SPDX-License-Identifier: MIT
"""Fuzzes libsap with libFuzzer (clang): ``python -m tests.sap.fuzz [--seconds N] [TARGET...]``.

New inputs go to build/fuzz/TARGET. With ``--keep`` the corpus is replaced by the fewest inputs that reach all edges
that these and the old ones reach.
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
import sys
from pathlib import Path

from tests.sap import native

LONGEST = 600  # bytes of an input
PLACE = native.PROJECT / "build" / "fuzz"


def build(target: str) -> Path:
    """The target with libFuzzer and the sanitizers."""
    sources = [native.FUZZ / f"{target}.c", native.HERE / "pair.c", *native.core_sources()]
    flags = ["-O1", "-fsanitize=fuzzer,address,undefined", "-fno-sanitize-recover=all"]
    return native.program(PLACE / f"{target}.bin", sources, flags, "clang")


def fuzz(target: str, seconds: int, keep: bool) -> int:
    """Runs one target; its exit status."""
    corpus, found = native.FUZZ / "corpus" / target, PLACE / target
    found.mkdir(parents=True, exist_ok=True)
    program = str(build(target))
    argv = [program, f"-max_total_time={seconds}", f"-max_len={LONGEST}", f"-artifact_prefix={PLACE}/{target}-"]
    status = subprocess.run([*argv, str(found), str(corpus)]).returncode
    if keep and status == 0:
        fewest = PLACE / f"{target}.fewest"
        shutil.rmtree(fewest, ignore_errors=True)
        fewest.mkdir()
        subprocess.run(
            [program, "-set_cover_merge=1", "-use_counters=0", str(fewest), str(found), str(corpus)], check=True
        )
        shutil.rmtree(corpus)
        shutil.copytree(fewest, corpus)
    return status


def _target(name: str) -> str:
    if name not in native.FUZZ_TARGETS:
        raise argparse.ArgumentTypeError(f"no target {name!r}; there are: {', '.join(native.FUZZ_TARGETS)}")
    return name


def main() -> int:
    """Parse, fuzz each."""
    parser = argparse.ArgumentParser(prog="python -m tests.sap.fuzz", description="Fuzz libsap with libFuzzer.")
    parser.add_argument("target", nargs="*", type=_target, help=f"default: all of {', '.join(native.FUZZ_TARGETS)}")
    parser.add_argument("--seconds", type=int, default=60, help="for each target (default: 60)")
    parser.add_argument(
        "--keep", action="store_true", help="replace the corpus by the fewest inputs that reach as much"
    )
    options = parser.parse_args()
    if not shutil.which("clang"):
        print("clang is not installed: apt-get install clang libclang-rt-dev; make test needs neither", file=sys.stderr)
        return 1
    PLACE.mkdir(parents=True, exist_ok=True)
    return max(fuzz(target, options.seconds, options.keep) for target in options.target or native.FUZZ_TARGETS)


if __name__ == "__main__":
    raise SystemExit(main())
