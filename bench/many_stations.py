# SPDX-License-Identifier: MIT
"""Many stations in one guest: how long they take to boot, and what a saturated cell carries compared with theory.

    python -m bench.many_stations [--boot N …] [--saturated N …]

Theory is Bianchi's model for 54 Mbit/s in mode a. Stations that heard a collision wait DIFS or EIFS there; the lab may
be 1.5 % off the nearer of the two. The simulation, from backoff to backoff, has the waits that the standard prescribes,
and shares no code with the lab (tests/system/dcf.py).
"""

from __future__ import annotations

import argparse
import sys
from typing import Any

from bench.bianchi import Dcf, throughput_mbps
from bench.lab_runs import finished, looks
from bench.machine import load_average, machine
from bench.options import whole
from lab.checkout import CHECKOUT
from lab.errors import RunError
from lab.machine.memory import guest_bytes
from lab.plan.load import load
from tests.system.dcf import PHYS, successes_per_second

IP_BYTES = 1500
LIMIT = 0.015
BOOT_LIMIT_S = 15
# clause 17: ACK at 24 Mbit/s; EIFS is SIFS, an ACK at 6 Mbit/s and DIFS
A54 = Dcf(slot_us=9, sifs_us=16, difs_us=34, eifs_us=16 + 44 + 34, data_us=248, ack_us=28)
SIMULATED = PHYS["802.11a 54 Mbit/s"]
PLACE, IDLE, SATURATE = "topologies/saturated-cell.yaml", "workloads/idle.yaml", "workloads/udp/saturate.yaml"
WARM_UP_S, SECONDS = 4, 24


def text(name: str) -> str:
    """Return a file of the checkout."""
    return (CHECKOUT / name).read_text()


def count(stations: int) -> str:
    """Return the setting that makes so many stations."""
    return f"nodes.sta.count={stations}"


# where so many frames collide, a station would miss rarer beacons for so long that it leaves
BEACONS = "nodes.ap1.beacon_interval=300 TU"


def delivered(look: dict[str, Any]) -> int:
    """Return the frames that the access point has received so far."""
    return sum(int(link["delivered"]) for link in look["links"] if link["to"] == "ap1")


def boot(stations: int) -> bool:
    """Boot and associate that many, print how long it took; return whether that is within the limit."""
    plan = load("saturated-cell", "idle", 1, [count(stations)])
    with finished(text(PLACE), text(IDLE), 1, "--set", count(stations)) as (_, times):
        print(f"{stations:>8} stations  boot {times.boot_s:6.1f} s  memory {guest_bytes(plan) >> 30} GiB", flush=True)
    return bool(times.boot_s <= BOOT_LIMIT_S)


def saturated(stations: int) -> bool:
    """Saturate a cell, print what it carries and what theory says; return whether it is near enough."""
    options = ["--set", count(stations), "--set", BEACONS, "--set", f"workload.duration={SECONDS} s"]
    with finished(text(PLACE), text(SATURATE), 1, *options) as (run, times):
        seen = [look for look in looks(run) if look["t_ns"] >= WARM_UP_S * 10**9]
        elapsed_ns = seen[-1]["t_ns"] - seen[0]["t_ns"]
        mbps = (delivered(seen[-1]) - delivered(seen[0])) * IP_BYTES * 8e3 / elapsed_ns
    theory = [throughput_mbps(A54, stations, IP_BYTES, wait_us) for wait_us in (A54.difs_us, A54.eifs_us)]
    off = min(abs(mbps / value - 1) for value in theory)
    print(
        f"{stations:>8} stations  {mbps:6.2f} Mbit/s  theory {theory[0]:.2f} and {theory[1]:.2f}  off by {off:.1%}  "
        f"simulation {successes_per_second(SIMULATED, stations) * IP_BYTES * 8e-6:.2f}  "
        f"{times.whole_s:.0f} s wall",
        flush=True,
    )
    return bool(off <= LIMIT)


def main() -> int:
    """Measure and print; 1 if a run fails or a limit is missed."""
    parser = argparse.ArgumentParser(prog="python -m bench.many_stations", description=__doc__)
    parser.add_argument("--boot", nargs="*", type=whole(1), default=[50, 100, 200, 500])
    parser.add_argument("--saturated", nargs="*", type=whole(1), default=[50, 100, 200])
    chosen = parser.parse_args()
    print(f"{machine()}; {load_average()}")
    try:
        within = [boot(stations) for stations in chosen.boot]
        near = [saturated(stations) for stations in chosen.saturated]
    except RunError as error:
        print(error, file=sys.stderr)
        return 1
    if not all(within):
        print(f"limit missed: a boot takes more than {BOOT_LIMIT_S} s", file=sys.stderr)
    if not all(near):
        print(f"limit missed: more than {LIMIT:.1%} off theory", file=sys.stderr)
    return 0 if all(within) and all(near) else 1


if __name__ == "__main__":
    sys.exit(main())
