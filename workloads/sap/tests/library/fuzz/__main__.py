# SPDX-License-Identifier: MIT
"""Fuzz libsap and mod_sap's headers with libFuzzer (clang).

``python -m workloads.sap.tests.library.fuzz [--seconds N] [TARGET...]``

New inputs go to build/fuzz/TARGET. With ``--keep`` the corpus is replaced by the fewest inputs that reach all edges
that these and the old ones reach.
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
import sys

from workloads.sap.tests.library import native
from workloads.sap.tests.library.fuzz.targets import TARGETS, Target

FLAGS = ["-O1", "-fsanitize=fuzzer,address,undefined", "-fno-sanitize-recover=all"]
PLACE = native.PROJECT / "build" / "fuzz"


def fuzz(target: Target, seconds: int, keep: bool) -> int:
    """Runs one target; its exit status."""
    corpus, found = target.corpus, PLACE / target.name
    found.mkdir(parents=True, exist_ok=True)
    program = str(target.build(PLACE / f"{target.name}.bin", FLAGS, compiler="clang"))
    limits = [f"-max_total_time={seconds}", f"-max_len={target.longest}"]
    argv = [program, *limits, f"-artifact_prefix={PLACE}/{target.name}-", str(found), str(corpus)]
    status = subprocess.run(argv).returncode
    if keep and status == 0:
        fewest = PLACE / f"{target.name}.fewest"
        shutil.rmtree(fewest, ignore_errors=True)
        fewest.mkdir()
        subprocess.run(
            [program, "-set_cover_merge=1", "-use_counters=0", str(fewest), str(found), str(corpus)], check=True
        )
        shutil.rmtree(corpus)
        shutil.copytree(fewest, corpus)
    return status


def _target(name: str) -> Target:
    if name not in TARGETS:
        raise argparse.ArgumentTypeError(f"no target {name!r}; there are: {', '.join(TARGETS)}")
    return TARGETS[name]


def main() -> int:
    """Parse, fuzz each."""
    parser = argparse.ArgumentParser(
        prog="python -m workloads.sap.tests.library.fuzz",
        description="Fuzz libsap and mod_sap's headers with libFuzzer.",
    )
    parser.add_argument("target", nargs="*", type=_target, help=f"default: all of {', '.join(TARGETS)}")
    parser.add_argument("--seconds", type=int, default=60, help="for each target (default: 60)")
    parser.add_argument(
        "--keep", action="store_true", help="replace the corpus by the fewest inputs that reach as much"
    )
    options = parser.parse_args()
    if not shutil.which("clang"):
        print("clang is not installed: apt-get install clang libclang-rt-dev; make test needs neither", file=sys.stderr)
        return 1
    PLACE.mkdir(parents=True, exist_ok=True)
    return max(fuzz(target, options.seconds, options.keep) for target in options.target or TARGETS.values())


if __name__ == "__main__":
    raise SystemExit(main())
