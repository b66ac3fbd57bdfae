# SPDX-License-Identifier: MIT
"""What the cage of decision 0036 costs the flagship: pairs of runs of one seed, with the cage and without."""

from __future__ import annotations

import argparse
import statistics
import sys
import tempfile

from bench.figure import timed
from bench.lab_runs import LAB, children_cpu_s
from bench.machine import load_average, machine
from bench.options import whole

FLAGSHIP = ["run", "two-aps-handoff", "http/download"]
LIMIT_PERCENT = 3
# the lab, whose guests enter no cage and have the host's namespaces
WITHOUT = """
import contextlib, sys
import lab.machine.cage, lab.machine.guest
from lab.cli.entry import main
lab.machine.cage.namespaces = lambda: ()
lab.machine.guest.cage = lambda *_: contextlib.nullcontext()
sys.exit(main())
"""


def once(command: list[str], seed: int) -> tuple[float, float]:
    """Return the wall seconds and the CPU seconds of a run."""
    with tempfile.TemporaryDirectory(prefix="bench-") as parent:
        started_cpu_s = children_cpu_s()
        wall_s = timed([*command, *FLAGSHIP, "--seed", str(seed), "--out", f"{parent}/run"])
        return wall_s, children_cpu_s() - started_cpu_s


def main() -> int:
    """Measure, print, and fail if the median of the pairs exceeds the limit."""
    parser = argparse.ArgumentParser(prog="python -m bench.cage", description=__doc__)
    parser.add_argument("--times", type=whole(1), default=9, help="pairs (default 9)")
    pairs = parser.parse_args().times
    print(f"{machine()}; {load_average()}")
    print(f"{'pair':<8}{'caged':>11} {'open, wall s':>13}{'ratio':>8}{'caged':>13} {'open, CPU s':>13}{'ratio':>8}")
    ratios: tuple[list[float], list[float]] = ([], [])
    for pair in range(pairs + 1):
        ways = [[LAB], [sys.executable, "-c", WITHOUT]]
        # each of the two is the first one in half of the pairs
        order = (0, 1) if pair % 2 else (1, 0)
        measured = {way: once(ways[way], seed=pair + 1) for way in order}
        (caged_s, caged_cpu_s), (open_s, open_cpu_s) = measured[0], measured[1]
        if pair == 0:
            continue  # it fills caches
        ratios[0].append(caged_s / open_s)
        ratios[1].append(caged_cpu_s / open_cpu_s)
        print(
            f"{pair:<8}{caged_s:>11.2f} {open_s:>13.2f}{ratios[0][-1]:>8.3f}"
            f"{caged_cpu_s:>13.2f} {open_cpu_s:>13.2f}{ratios[1][-1]:>8.3f}",
            flush=True,
        )
    wall, cpu = (statistics.median(each) for each in ratios)
    over = wall > 1 + LIMIT_PERCENT / 100
    print(f"{'median':<33}{wall:>8.3f}{cpu:>35.3f}")
    print(f"limit: {LIMIT_PERCENT} % of wall time{'  OVER' if over else ''}; {load_average()}")
    return int(over)


if __name__ == "__main__":
    sys.exit(main())
