# SPDX-License-Identifier: MIT
"""The cost of TCP/HACK in time of the host: a download of the same bytes with TCP/HACK and with plain TCP.

With ``--compare-with``, also what its code costs where no radio uses it: give the program ``lab`` of a checkout that is
older than TCP/HACK. Each row alternates between the two that it compares, and then repeats the first, which shows how
much two equal runs differ on this machine.

CPU time is that of the lab and its guest, user and system. The median of three runs with 1 kB is subtracted, so that
boot, record and report are not in it. All runs of a row last equally long in virtual time.
"""

from __future__ import annotations

import argparse
import json
import math
import statistics
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bench.lab_runs import LAB, Times, counters, finished
from bench.loads import FLOW, SINK
from bench.machine import load_average, machine
from bench.options import whole
from bench.places import PHYS, behind_access_point
from lab.errors import LabError, RunError
from workloads.hack.probes import _tcp

TOPOLOGIES = Path(__file__).parents[2] / "topologies"
PROGRAM = _tcp.program()[_tcp.PROGRAM]
PROGRAM_PATH = "/tmp/tcp.py"  # in a node
PORT = _tcp.PORT
SECOND_NS = 1_000_000_000
ON_MOST = 1.10  # of plain TCP
OFF_MOST = 1.02  # of a lab without the code; two equal runs differ by as much
CONFIDENCE = 0.95
NOTHING_MB = 0.001
IDLE_TIMES = 3
HACK = ("--set", "nodes.ap1.hack=more-data", "--set", "nodes.sta1.hack=more-data")
HEAD = (
    f"{'':<18}{'CPU, ms per MB':^18}{'CPU, ratio':^34}{'load, wall s':^25}\n"
    f"{'':<18}{'first':>9}{'second':>9}{'median':>9}{'95 %':>13}{'all':>12}{'first':>9}{'second':>8}{'ratio':>8}"
)


@dataclass(frozen=True)
class Side:
    """One of two that are compared: a lab, and its additional options."""

    program: str = LAB
    options: tuple[str, ...] = ()


@dataclass(frozen=True)
class Download:
    """A download of ``megabytes``, which takes less than ``seconds`` of virtual time."""

    topology: str
    client: str  # the role that downloads
    megabytes: int
    seconds: int
    second: bool = False  # acknowledge every second segment, as ns-3 does

    def text(self, megabytes: float) -> str:
        """Return the workload file for an amount of data. Labs that are older than TCP/HACK lack the probe tcp-sink."""
        run = f"python3, {PROGRAM_PATH}"
        sink = f"{run}, sink, '{PORT}', '{self.second:d}', '{SECOND_NS}', '0'"
        source = f"{run}, source, \"{{{self.client}.ip}}\", '{PORT}', '0', '{megabytes * 1e6:.0f}'"
        return (
            f"name: download\nroles: {{server: 1, {self.client}: 1}}\nduration: {self.seconds} s\n"
            f"files: {{program: {{on: [server, {self.client}], path: {PROGRAM_PATH}, text: {json.dumps(PROGRAM)}}}}}\n"
            "processes:\n"
            f"  - {{on: {self.client}, run: [{sink}], as: {SINK}, ready: {{listening: tcp/{PORT}}}}}\n"
            f"  - {{on: server, at: 1 s, run: [{source}], as: {FLOW}}}\n"
            f"checks: [{{that: {FLOW}.exit == 0}}]\n"
        )


@dataclass(frozen=True)
class Cost:
    """What the load of one run cost."""

    cpu_s: float
    wall_s: float


def costs(download: Download, sides: list[Side], times: int) -> list[list[Cost]]:
    """Return what the downloads of each side cost, measured in turns.

    Raises:
        RunError: If a run failed.
    """
    different = list(dict.fromkeys(sides))
    idle = alternate(lambda side, seed: _times(download, side, seed, NOTHING_MB), different, IDLE_TIMES)
    less_s = {
        side: statistics.median(each.cpu_s for each in found) for side, found in zip(different, idle, strict=True)
    }
    full = alternate(lambda side, seed: _times(download, side, seed, download.megabytes), sides, times)
    return [
        [Cost(each.cpu_s - less_s[side], each.load_s) for each in found]
        for side, found in zip(sides, full, strict=True)
    ]


def _times(download: Download, side: Side, seed: int, megabytes: float) -> Times:
    place, work = download.topology, download.text(megabytes)
    with finished(place, work, seed, *side.options, program=side.program) as (run, times):
        arrived = json.loads((run / "raw" / f"{FLOW}.out").read_text())["arrived"]
        acks = compressed(counters(run))
    verify(arrived, acks, megabytes, with_hack=bool(side.options))
    return times


def compressed(last: dict[str, Any]) -> int:
    """Return how many TCP ACKs went with answers, according to the last reading of the medium's counters."""
    found: int = sum(pair["sent"]["acks"] for pair in last.get("hack", []))
    return found


def verify(arrived: int, acks: int, megabytes: float, *, with_hack: bool) -> None:
    """Refuse to compare anything but the same bytes with and without TCP/HACK.

    Raises:
        RunError: If not all bytes arrived, or TCP/HACK was on or off where it should not be.
    """
    if arrived != round(megabytes * 1e6):
        raise RunError(f"of {megabytes * 1e6:.0f} bytes, {arrived} arrived")
    if acks and not with_hack:
        raise RunError(f"{acks} TCP ACKs went with answers, though TCP/HACK is off")
    if with_hack and not acks and megabytes > NOTHING_MB:  # those few may all be sent uncompressed
        raise RunError("no TCP ACK went with an answer, though TCP/HACK is on")


def alternate(measure: Callable[[Side, int], Times], sides: list[Side], times: int) -> list[list[Times]]:
    """Return the times of each side, measured in turns; every second turn goes backwards."""
    found: list[list[Times]] = [[] for _ in sides]
    for seed in range(1, times + 1):
        order = list(range(len(sides)))
        for number in order if seed % 2 else reversed(order):
            found[number].append(measure(sides[number], seed))
    return found


def interval(values: list[float]) -> tuple[float, float]:
    """Return two of the values between which the median lies with a confidence of 95 %.

    Each value lies above the median with probability 1/2, whatever their distribution. If there are fewer than 9, these
    are the least and the most, and the confidence is lower with fewer than 6.
    """
    ordered, outside, cut = sorted(values), 0.0, 0
    while 2 * cut < len(ordered):
        outside += 2 * math.comb(len(ordered), cut) / 2 ** len(ordered)
        if outside > 1 - CONFIDENCE:
            break
        cut += 1
    cut = max(cut - 1, 0)
    return ordered[cut], ordered[-1 - cut]


def row(name: str, megabytes: int, first: list[Cost], second: list[Cost], most: float | None) -> tuple[str, bool]:
    """Return the line of two sides measured in turns, and whether the second stays within its limit."""
    ratios = [after.cpu_s / before.cpu_s for before, after in zip(first, second, strict=True)]
    cpus_ms = [statistics.median(each.cpu_s for each in side) / megabytes * 1e3 for side in (first, second)]
    walls_s = [statistics.median(each.wall_s for each in side) for side in (first, second)]
    wall = statistics.median(after.wall_s / before.wall_s for before, after in zip(first, second, strict=True))
    ratio, (low, high) = statistics.median(ratios), interval(ratios)
    over = most is not None and ratio > most
    line = (
        f"{name:<18}{cpus_ms[0]:>9.2f}{cpus_ms[1]:>9.2f}{ratio:>9.3f}{f'{low:.3f}-{high:.3f}':>13}"
        f"{f'{min(ratios):.2f}-{max(ratios):.2f}':>12}{walls_s[0]:>9.2f}{walls_s[1]:>8.2f}{wall:>8.3f}"
        f"{'  OVER' if over else ''}"
    )
    return line, not over


def compare(name: str, download: Download, pair: tuple[Side, Side], times: int, most: float) -> bool:
    """Measure and print a row, and the row of two equal sides; return whether the limit is kept.

    Raises:
        RunError: If a run failed.
    """
    first, second, again = costs(download, [*pair, pair[0]], times)
    line, well = row(name, download.megabytes, first, second, most)
    print(line)
    print(row("  the first, twice", download.megabytes, first, again, None)[0], flush=True)
    return well


def downloads() -> dict[str, Download]:
    """Return what TCP/HACK is measured with; of the stations of downloads-n, one downloads."""
    legacy, high = ((TOPOLOGIES / f"{name}.yaml").read_text() for name in ("downloads", "downloads-n"))
    return {
        "11a": Download(legacy, "client-1", 150, 70),
        "11n": Download(high, "client-1", 700, 70),
        "11n-every-2nd": Download(high, "client-1", 700, 70, second=True),
    }


def without_hack() -> dict[str, Download]:
    """Return what two labs are compared with, in a place that an older one knows."""
    return {
        "11a-off": Download(behind_access_point(PHYS["11a-54"], 1), "client", 150, 70),
        "11n-off": Download(behind_access_point(PHYS["11n-150"], 1), "client", 700, 70),
    }


def main() -> int:
    """Measure, print, and fail if TCP/HACK costs more than its limit."""
    parser = argparse.ArgumentParser(prog="python -m workloads.hack.cost", description=__doc__)
    parser.add_argument("--times", type=whole(1), default=9, help="runs of each side of a row (default 9)")
    parser.add_argument("--rows", nargs="+", choices=(*downloads(), *without_hack()), help="only these")
    parser.add_argument("--compare-with", metavar="LAB", help="the program lab of a checkout from before TCP/HACK")
    chosen = parser.parse_args()
    if not chosen.compare_with and (off := [name for name in without_hack() if name in (chosen.rows or ())]):
        parser.error(f'"{off[0]}" compares with another lab: give --compare-with')
    rows = [(name, each, (Side(), Side(options=HACK)), ON_MOST) for name, each in downloads().items()]
    if chosen.compare_with:
        pair = (Side(chosen.compare_with), Side())
        rows += [(name, each, pair, OFF_MOST) for name, each in without_hack().items()]
    print(f"{machine()}; {load_average()}")
    print(f"{chosen.times} runs of each, alternating. first: plain TCP, second: TCP/HACK.")
    print("every-2nd: the station acknowledges every second segment, not whole A-MPDUs.")
    if chosen.compare_with:
        print("off: plain TCP; first: the other lab, second: this one.")
    print(HEAD, flush=True)
    well = True
    for name, each, pair, most in rows:
        if chosen.rows and name not in chosen.rows:
            continue
        try:
            well &= compare(name, each, pair, chosen.times, most)
        except LabError as error:
            print(f"{name}: {error}", flush=True)
            well = False
    print(load_average())
    return 0 if well else 1


if __name__ == "__main__":
    sys.exit(main())
