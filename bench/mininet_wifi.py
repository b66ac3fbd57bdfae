# SPDX-License-Identifier: MIT
"""Compare the lab with Mininet-WiFi: saturated stations, association of ten stations, the gap of a handoff.

The figures of Mininet-WiFi 2.7 with wmediumd were measured once, in a guest like the lab's, when the lab was designed.
They are not measured again here.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
from collections.abc import Iterator
from dataclasses import dataclass

from bench.bianchi import G54, throughput_mbps
from bench.lab_runs import Times, finished
from bench.loads import SINK, START_S, UDP_PROGRAM, WARM_UP_S
from bench.machine import load_average, machine
from bench.options import add_times
from bench.places import PHYS, behind_access_point, numbers
from lab.errors import LabError

SATURATED_S = 10
OFFERED_MBPS = 40.0  # in total: more than 54 Mbit/s can carry, so each station offers more than its share
UDP_BYTES, IP_BYTES = 1472, 1500
STATIONS = (1, 2, 5, 10)
SATURATION_MBPS = 41.7  # for any of these numbers
ASSOCIATED_S, ASSOCIATED_MOST_S = 36.0, 6.0
GAPS_MS, GAP_MOST_MS = (1100.0, 5400.0), 100.0

IDLE = "name: idle\nroles: {}\nduration: 1 s\n"
HANDOFF = """\
name: two-access-points
medium: {}
nodes:
  h1:   {kind: host, roles: [server]}
  s1:   {kind: switch}
  ap1:  {kind: ap, ssid: campus, mode: g, channel: 1, position: [0 m, 0 m, 3 m]}
  ap2:  {kind: ap, ssid: campus, mode: g, channel: 6, position: [40 m, 0 m, 3 m]}
  sta1: {kind: sta, roles: [client], position: [20 m, 0 m, 1 m]}
links:
  - {between: [h1, s1], delay: 5 ms, rate: 25 Mbit/s}
  - {between: [s1, ap1]}
  - {between: [s1, ap2]}
timeline:
  - {at: 4 s, roam: sta1, to: ap2}
  - {at: 8 s, roam: sta1, to: ap1}
"""
WATCH = """\
probes:
  - {on: client, probe: wpa-events}
  - {on: client, probe: tcpdump, as: capture}
metrics:
  outage: {of: [wpa-events, capture], unit: ms, per: handoff}
"""
# a datagram each millisecond
STEADY = f"""\
name: steady
roles: {{server: 1, client: 1}}
duration: 12 s
files:
  program: {{on: server, path: /tmp/{UDP_PROGRAM.name}, from: {UDP_PROGRAM.name}}}
processes:
  - on: server
    at: 1 s
    run: [python3, /tmp/{UDP_PROGRAM.name}, send, '{UDP_BYTES * 8 * 1000}', '10', "{{client.ip}}"]
{WATCH}"""
DOWNLOAD = f"""\
name: download
roles: {{server: 1, client: 1}}
duration: 12 s
processes:
  - {{on: client, run: {{probe: iperf3-server}}, ready: {{listening: tcp/5201}}}}
  - {{on: server, at: 1 s, run: {{probe: iperf3, server: "{{client.ip}}", duration: 10 s}}}}
{WATCH}"""


@dataclass(frozen=True)
class Row:
    """A row of the table."""

    name: str
    theirs: float
    ours: float
    wanted: str
    missed: bool


def uplink(stations: int) -> str:
    """Return a workload: every station sends more UDP to the server than the channel can carry."""
    path = f"/tmp/{UDP_PROGRAM.name}"
    each_bps = OFFERED_MBPS * 1e6 / stations
    return "\n".join(
        [
            "name: saturated",
            f"roles: {{server: 1, client: {stations}}}",
            f"duration: {START_S + SATURATED_S + 2} s",
            "files:",
            f"  sender: {{on: client, path: {path}, from: {UDP_PROGRAM.name}}}",
            f"  receiver: {{on: server, path: {path}, from: {UDP_PROGRAM.name}}}",
            "processes:",
            f"  - {{on: server, run: [python3, {path}, receive, '{START_S}', '{SATURATED_S}'], as: {SINK}, "
            "may_run_on: true}",
            f"  - {{on: client, at: {START_S} s, as: flow, "
            f"run: [python3, {path}, send, '{each_bps:.0f}', '{SATURATED_S}', \"{{server.ip}}\"]}}",
            "timeline:",
            *(
                f'  - {{at: {20 * i} ms, exec: server, run: [ping, -qc1, "{{client[{i}].ip}}"]}}'
                for i in numbers(stations)
            ),
            "",
        ]
    )


def saturated_mbps(stations: int) -> float:
    """Return the throughput of saturated stations, in IP packets of 1500 B; beacons take 0.9 % of the time."""
    with finished(behind_access_point(PHYS["11g-54"], stations), uplink(stations)) as (run, _):
        counted: list[int] = json.loads((run / "raw" / f"{SINK}.out").read_text())[WARM_UP_S:]
    return 8e-6 * sum(counted) / len(counted) * IP_BYTES / UDP_BYTES


def association_s(times: int) -> dict[str, float]:
    """Return the median wall seconds for ten stations.

    Raises:
        RunError: If a station is not associated.
    """
    place = behind_access_point(PHYS["11g-54"], 10)
    walls: list[Times] = []
    for _ in range(times):
        with finished(place, IDLE) as (_, one):  # the timeline starts once all are associated
            walls.append(one)
    return {
        "boot to associated": statistics.median(one.boot_s for one in walls),
        "all of lab run": statistics.median(one.whole_s for one in walls),
    }


def gaps_ms(workload: str) -> list[float]:
    """Return the longest silence around each handoff, in ms of virtual time."""
    with finished(HANDOFF, workload) as (run, _):
        rows = json.loads((run / "record.json").read_text())["metrics"]["outage"]["rows"]
    return [float(row["longest_gap"]) for row in rows]


def rows(times: int) -> Iterator[Row]:
    """Yield the rows as they are measured."""
    for stations in STATIONS:
        quick, slow = (throughput_mbps(G54, stations, IP_BYTES, after_us) for after_us in (G54.difs_us, G54.eifs_us))
        theory = f"theory {quick:.1f}" if stations == 1 else f"theory {slow:.1f} to {quick:.1f}"
        yield Row(f"mode g, {stations} saturated, Mbit/s", SATURATION_MBPS, saturated_mbps(stations), theory, False)
    for name, wall_s in association_s(times).items():
        over = wall_s > ASSOCIATED_MOST_S
        yield Row(f"10 stations, {name}, wall s", ASSOCIATED_S, wall_s, f"at most {ASSOCIATED_MOST_S:g}", over)
    for number, (theirs_ms, gap_ms) in enumerate(zip(GAPS_MS, gaps_ms(STEADY), strict=True), 1):
        over = gap_ms > GAP_MOST_MS
        yield Row(f"handoff {number}, UDP each ms, gap ms", theirs_ms, gap_ms, f"at most {GAP_MOST_MS:g}", over)
    for number, (theirs_ms, gap_ms) in enumerate(zip(GAPS_MS, gaps_ms(DOWNLOAD), strict=True), 1):
        yield Row(f"handoff {number}, TCP download, gap ms", theirs_ms, gap_ms, "", False)


def main() -> int:
    """Measure, print, and fail if a limit is exceeded."""
    parser = argparse.ArgumentParser(prog="python -m bench.mininet_wifi", description=__doc__)
    add_times(parser)
    chosen = parser.parse_args()
    print(f"{machine()}; {load_average()}")
    print(f"{'':<44}{'Mininet-WiFi':>14}{'lab':>10}", flush=True)
    missed = 0
    for row in rows(chosen.times):
        missed += row.missed
        line = f"{row.name:<44}{row.theirs:>14.1f}{row.ours:>10.2f}  {row.wanted}"
        print(f"{line}{'  MISSED' if row.missed else ''}", flush=True)
    print(load_average())
    return 1 if missed else 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except LabError as error:
        sys.exit(str(error))
