# SPDX-License-Identifier: MIT
"""Break down the air time of a TCP download per segment that arrives, in ns-3 and in the lab.

``python -m bench.ns3.air --mode 11b-11`` prints how often each part occurs, how long it lasts, and their product.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from bench.lab_runs import finished
from bench.loads import WARM_UP_S, Load
from bench.ns3 import download
from bench.ns3.build import ensure_program
from bench.ns3.frames import Frame, of_lab, of_ns3
from bench.options import add_seconds, add_times, ns3_time, whole
from bench.places import PHYS, behind_access_point
from lab.errors import LabError, RunError

PARTS = (
    "segments",
    "answers of TCP",
    "ACK of the MAC",
    "SIFS",
    "wait before an exchange",
    "wait after a collision",
    "collisions",
    "beacons",
    "other frames",
)
_PART_OF = {"segment": "segments", "answer": "answers of TCP", "ack": "ACK of the MAC", "beacon": "beacons"}
_ANSWERED_WITHIN_US = 18  # SIFS is 10 or 16; radiotap's times are whole µs
_SAME_US = 1.5  # apparent overlap, for the same reason


@dataclass
class Budget:
    """Breakdown of the air time: count and total duration of each part, and the number of segments that arrived."""

    times: dict[str, int] = field(default_factory=lambda: defaultdict(int))
    us: dict[str, float] = field(default_factory=lambda: defaultdict(float))
    segments: float = 0  # of 1448 B, each counted once

    def add(self, part: str, us: float) -> None:
        """Count one more, of that duration."""
        self.times[part] += 1
        self.us[part] += us


def bursts(frames: Sequence[Frame]) -> Iterator[list[Frame]]:
    """Group frames that overlap; in order of time."""
    burst: list[Frame] = []
    end_us = 0.0
    for frame in frames:
        if burst and frame.start_us >= end_us - _SAME_US:
            yield burst
            burst = []
        end_us = max(end_us, frame.end_us) if burst else frame.end_us
        burst.append(frame)
    if burst:
        yield burst


def budget(frames: Sequence[Frame], begin_us: float, end_us: float) -> Budget:
    """Break down the time from ``begin_us`` to ``end_us``."""
    spent = Budget()
    arrived: dict[tuple[str, int], int] = {}
    whole_us = 0.0
    collided = False
    groups = list(bursts([frame for frame in frames if begin_us <= frame.start_us < end_us]))
    for before, burst, after in zip([[], *groups], groups, [*groups[1:], []], strict=False):
        first, burst_end_us = burst[0], max(frame.end_us for frame in burst)
        if before:
            gap_us = first.start_us - whole_us
            if first.kind == "ack":
                spent.add("SIFS", gap_us)
            else:
                spent.add("wait after a collision" if collided else "wait before an exchange", gap_us)
        whole_us = burst_end_us
        answered = bool(after) and after[0].kind == "ack" and after[0].start_us - burst_end_us < _ANSWERED_WITHIN_US
        if first.kind != "ack":
            collided = len(burst) > 1 or (bool(first.flow) and not answered)
        if len(burst) > 1:
            spent.add("collisions", burst_end_us - first.start_us)
            continue
        spent.add(_PART_OF.get(first.kind, "other frames"), burst_end_us - first.start_us)
        if first.kind == "segment" and answered:
            arrived[first.flow, first.seq] = first.payload_bytes
    spent.segments = sum(arrived.values()) / 1448
    return spent


def together(budgets: Sequence[Budget]) -> Budget:
    """Return the sum of several runs; the table shows it per segment."""
    total = Budget()
    for each in budgets:
        total.segments += each.segments
        for part, times in each.times.items():
            total.times[part] += times
            total.us[part] += each.us[part]
    return total


def of_ns3_run(program: Path, scenario: download.Scenario, extra: Sequence[str]) -> Budget:
    """Run ns-3; ``extra`` are options of ns-3, such as --ns3::TcpSocket::DelAckCount=1.

    Raises:
        RunError: If it failed; gives its output.
    """
    with tempfile.TemporaryDirectory(prefix="bench-") as folder:
        path = Path(folder) / "frames"
        argv = [str(program), *scenario.arguments(), f"--frames={path}", *extra]
        result = subprocess.run(argv, check=False, capture_output=True, text=True)
        if result.returncode:
            raise RunError(f"{' '.join(argv)} ended with {result.returncode}:\n{result.stderr}")
        return budget(of_ns3(path), WARM_UP_S * 1e6, scenario.seconds * 1e6)


def of_lab_run(scenario: download.Scenario) -> Budget:
    """Run the lab."""
    topology = behind_access_point(PHYS[scenario.mode], scenario.stations)
    work = Load(scenario.stations, int(scenario.seconds)).text()
    with finished(topology, work, scenario.seed, "--pcap", "air") as (run, _):
        captures = list((run / "raw").glob("air-*.pcapng"))
        return budget(of_lab(captures[0]), WARM_UP_S * 1e6, scenario.seconds * 1e6)


def table(columns: dict[str, Budget]) -> str:
    """Return a line for each part; the last column is how much more the last budget spends than the first."""
    lines = [
        f"{'':<25}" + "".join(f"{name:^28}" for name in columns) + f"{'more':>8}",
        f"{'for each segment':<25}" + f"{'times':>8}{'µs each':>10}{'µs':>10}" * len(columns) + f"{'µs':>8}",
    ]
    spent = list(columns.values())
    for part in PARTS:
        cells = "".join(
            f"{each.times[part] / each.segments:>8.3f}{each.us[part] / max(1, each.times[part]):>10.1f}"
            f"{each.us[part] / each.segments:>10.1f}"
            for each in spent
        )
        more = spent[-1].us[part] / spent[-1].segments - spent[0].us[part] / spent[0].segments
        lines.append(f"{part:<25}{cells}{more:>+8.1f}")
    sums = [sum(each.us[part] for part in PARTS) / each.segments for each in spent]
    lines.append(f"{'all':<25}" + "".join(f"{us:>28.1f}" for us in sums) + f"{sums[-1] - sums[0]:>+8.1f}")
    lines.append(f"{'Mbit/s':<25}" + "".join(f"{8 * 1448 / us:>28.3f}" for us in sums))
    return "\n".join(lines)


def main() -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(
        prog="python -m bench.ns3.air",
        description=__doc__,
        epilog="Other options go to ns-3's program, such as --ns3::TcpSocket::DelAckCount=1.",
        allow_abbrev=False,
    )
    add_times(parser)
    add_seconds(parser)
    parser.add_argument("--mode", default="11b-11", choices=["11b-11", "11a-54"])
    parser.add_argument("--stations", type=whole(1), default=10)
    parser.add_argument("--latency", type=ns3_time, default="0us", help="of ns-3's hosts, such as 20us (default: none)")
    chosen, extra = parser.parse_known_args()
    program = ensure_program()
    first = download.Scenario(chosen.mode, chosen.stations, "tcp", chosen.seconds, latency=chosen.latency)
    runs = [replace(first, seed=seed) for seed in range(1, chosen.times + 1)]
    columns = {
        "ns-3": together([of_ns3_run(program, scenario, extra) for scenario in runs]),
        "lab": together([of_lab_run(scenario) for scenario in runs]),
    }
    print(table(columns))
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except LabError as error:
        sys.exit(str(error))
