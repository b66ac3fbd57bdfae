# SPDX-License-Identifier: MIT
"""Compare the lab with ns-3: goodput and wall time of the same downloads, alternating."""

from __future__ import annotations

import argparse
import statistics
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import product
from pathlib import Path
from typing import get_args

from bench.lab_runs import finished
from bench.loads import Load
from bench.machine import load_average, machine
from bench.ns3 import download
from bench.ns3.build import ensure_program
from bench.options import add_seconds, add_times, ns3_time, whole
from bench.places import PHYS, behind_access_point
from lab.errors import LabError

UDP_OVERLOAD = 1.2  # of the channel's capacity, as in download.cc
GOODPUT_WITHIN = 0.05
# at 11n: required speed relative to ns-3, by number of stations
FASTER = {1: 2.0, 10: 1.5}
HEAD = (
    f"{'':<18}{'goodput, Mbit/s':^27}  {'wall, s':^41}\n"
    f"{'mode, stations':<18}{'ns-3':>9}{'lab':>9}{'lab/ns-3':>9}  "
    f"{'ns-3':>7}{'lab run':>9}{'ns-3/':>7}{'load':>10}{'ns-3/':>8}"
)


@dataclass(frozen=True)
class Pair:
    """One scenario, run once in ns-3 and once in the lab."""

    ns3_mbps: float
    lab_mbps: float
    least_share: float  # of the station that got least, relative to an equal share
    ns3_s: float  # the whole process
    lab_s: float  # the whole command
    load_s: float  # from start to end of the load


def pair(program: Path, scenario: download.Scenario, by_iperf3: bool) -> Pair:
    """Run ns-3, then the lab.

    Raises:
        RunError: If one of them failed.
    """
    started_s = time.perf_counter()
    there = download.run(program, scenario)
    ns3_s = time.perf_counter() - started_s
    phy = PHYS[scenario.mode]
    offered_mbps = None if scenario.transport == "tcp" else UDP_OVERLOAD * phy.capacity_mbps
    load = Load(scenario.stations, int(scenario.seconds), offered_mbps, by_iperf3)
    topology = behind_access_point(phy, scenario.stations)
    with finished(topology, load.text(), scenario.seed) as (run, times):
        each = load.goodput_mbps(run)
    least_share = min(each) * len(each) / sum(each)
    return Pair(there.goodput_mbps, sum(each), least_share, ns3_s, times.whole_s, times.load_s)


def median(pairs: list[Pair]) -> Pair:
    """Return the median of each figure."""
    return Pair(*(statistics.median(values) for values in zip(*(vars(one).values() for one in pairs), strict=True)))


def remarks(scenario: download.Scenario, seen: Pair) -> list[str]:
    """Return the limits missed, and remarks that the reader should notice."""
    found = []
    if abs(seen.lab_mbps / seen.ns3_mbps - 1) > GOODPUT_WITHIN:
        found.append("GOODPUT")
    wanted = FASTER.get(scenario.stations, 0) if scenario.mode == "11n-150" else 0
    if seen.ns3_s < wanted * seen.load_s:
        found.append("SLOW")
    if seen.least_share < 0.5:
        found.append(f"UNFAIR: one got {seen.least_share:.2f} of its share")
    return found


def line(scenario: download.Scenario, seen: Pair) -> str:
    """Format a row of the table."""
    name = f"{scenario.mode} {scenario.transport} {scenario.stations}"
    goodput = f"{seen.ns3_mbps:>9.2f}{seen.lab_mbps:>9.2f}{seen.lab_mbps / seen.ns3_mbps:>9.3f}"
    whole = f"{seen.ns3_s:>7.2f}{seen.lab_s:>9.2f}{seen.ns3_s / seen.lab_s:>7.2f}"
    return f"{name:<18}{goodput}  {whole}{seen.load_s:>10.2f}{seen.ns3_s / seen.load_s:>8.2f}"


def scenarios(chosen: argparse.Namespace) -> Iterator[download.Scenario]:
    """Yield the chosen scenarios in the order of the table."""
    for mode, transport, stations in product(chosen.modes, chosen.transports, chosen.stations):
        yield download.Scenario(mode, stations, transport, chosen.seconds, latency=chosen.latency)


def arguments() -> argparse.Namespace:
    """Parse the command line."""
    parser = argparse.ArgumentParser(prog="python -m bench.ns3", description=__doc__)
    add_times(parser)
    add_seconds(parser)
    modes, transports = get_args(download.Mode), get_args(download.Transport)
    parser.add_argument("--modes", nargs="+", default=modes, choices=modes)
    parser.add_argument("--transports", nargs="+", default=transports, choices=transports)
    parser.add_argument("--stations", nargs="+", type=whole(1), default=[1, 2, 10])
    parser.add_argument(
        "--latency", type=ns3_time, default="0us", help="latency of ns-3's hosts, such as 20us (default: none)"
    )
    parser.add_argument("--iperf3", action="store_true", help="use iperf3 for UDP too, instead of udp_load.py")
    return parser.parse_args()


def main() -> int:
    """Measure, print, and fail if a limit is missed."""
    chosen = arguments()
    program = ensure_program()
    print(f"{machine()}; {load_average()}")
    late = "" if chosen.latency == "0us" else f"; ns-3's hosts get frames {chosen.latency} later"
    print(f"{chosen.seconds} s of load, medians of {chosen.times} alternating runs of each{late}")
    print("ns-3: its whole process. lab run: the whole command. load: the lab from start to end of the load.")
    print(HEAD, flush=True)
    missed = 0
    for scenario in scenarios(chosen):
        try:
            pairs = [pair(program, replace(scenario, seed=seed), chosen.iperf3) for seed in range(1, chosen.times + 1)]
        except LabError as error:
            print(f"{scenario.mode} {scenario.transport} {scenario.stations}: {error}", flush=True)
            missed += 1
            continue
        seen = median(pairs)
        found = remarks(scenario, seen)
        missed += bool(found)
        print("  ".join([line(scenario, seen), *found]), flush=True)
    print(load_average())
    return 1 if missed else 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except LabError as error:
        sys.exit(str(error))
