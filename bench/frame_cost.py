# SPDX-License-Identifier: MIT
"""Wall time of a frame on the 802.11 medium: an access point sends to its stations as fast as the channel carries it.

What counts is the wall time of the load, divided by the number of data frames on the air, including retries, but not
boot and report. With ``--compare-with``, another lab, such as that of an older commit, is measured alternately: give
the program ``lab`` of its checkout.
"""

from __future__ import annotations

import argparse
import statistics
import sys
from itertools import product

from bench.lab_runs import LAB, counters, finished
from bench.loads import Load
from bench.machine import load_average, machine
from bench.options import add_seconds, add_times, whole
from bench.places import PHYS, behind_access_point
from lab.errors import LabError

OVERLOAD = 1.2  # of the channel's capacity
MODES = ("11b-11", "11a-54", "11n-150")


def frame_us(mode: str, stations: int, seconds: int, seed: int, program: str = LAB) -> float:
    """Return the wall time of one data frame, in microseconds.

    Raises:
        RunError: If the run failed.
    """
    phy = PHYS[mode]
    load = Load(stations, seconds, OVERLOAD * phy.capacity_mbps)
    with finished(behind_access_point(phy, stations), load.text(), seed, program=program) as (run, times):
        frames: int = sum(link["sent"] for link in counters(run)["links"])
    return times.load_s / frames * 1e6


def compare(mode: str, stations: int, times: int, seconds: int, other: str | None) -> None:
    """Measure, alternately if there is another lab, and print a line."""
    programs = [LAB] if other is None else [LAB, other]
    costs_us = [[frame_us(mode, stations, seconds, seed, each) for each in programs] for seed in range(1, times + 1)]
    medians = [statistics.median(each) for each in zip(*costs_us, strict=True)]
    line = f"{f'{mode}, {stations}':<18}" + "".join(f"{median:>9.1f}" for median in medians)
    if other is not None:
        line += f"{statistics.median(theirs / ours for ours, theirs in costs_us):>9.2f}"
    print(line, flush=True)


def main() -> int:
    """Measure and print; return 1 if a run fails."""
    parser = argparse.ArgumentParser(prog="python -m bench.frame_cost", description=__doc__)
    add_times(parser)
    add_seconds(parser)
    parser.add_argument("--modes", nargs="+", default=MODES, choices=MODES)
    parser.add_argument("--stations", nargs="+", type=whole(1), default=[1, 10, 50])
    parser.add_argument("--compare-with", metavar="LAB", help="the program lab of another checkout")
    chosen = parser.parse_args()
    print(f"{machine()}; {load_average()}")
    print(f"{chosen.seconds} s of load, medians of {chosen.times} runs; wall time of a data frame in us")
    print(
        f"{'mode, stations':<18}{'here':>9}" + (f"{'other':>9}{'ratio':>9}" if chosen.compare_with else ""), flush=True
    )
    try:
        for mode, stations in product(chosen.modes, chosen.stations):
            compare(mode, stations, chosen.times, chosen.seconds, chosen.compare_with)
    except LabError as error:
        print(error, file=sys.stderr)
        return 1
    print(load_average())
    return 0


if __name__ == "__main__":
    sys.exit(main())
