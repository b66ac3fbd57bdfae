# SPDX-License-Identifier: MIT
"""Comparison with figures of Mininet-WiFi 2.7 with wmediumd, taken when the lab was designed.

Saturation, the start of ten stations, a forced roam. test_medium_stacks compares the share of damaged frames that are
delivered, none in Mininet-WiFi. Wall times are not tested: ``python -m bench.mininet_wifi``.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from bench.mininet_wifi import HANDOFF, IDLE, WATCH
from lab import runs
from lab.shared.types import START_NS, Plan
from tests import stored
from tests.system.conftest import Ran
from tests.system.dcf import PHYS, successes_per_second
from tests.system.test_medium import BUFFER_BYTES, IP_BYTES, rate_mbps, topology, workload
from tests.validation.rows import Row, point, record, rounded

pytestmark = [pytest.mark.guest, pytest.mark.validation]

TABLE = "mininet-wifi"
GAP_MOST_MS = 100.0
ASSOCIATED_MOST_S = 6.0
TEN = 10
SATURATED = {1: "41.7", 2: "41.7", 5: "41.7", TEN: "41.7; 90 without wmediumd"}  # Mbit/s there, by stations
# a datagram each millisecond
STEADY = f"""\
name: steady
roles: {{server: 1, client: 1}}
duration: 12 s
processes:
  - {{on: client, run: {{probe: udp-sink}}, as: sink, ready: {{listening: udp/9000}}}}
  - {{on: server, at: 1 s, run: {{probe: udp-sender, to: "{{client.ip}}", every: 1 ms, size: 1472 B}}, as: load}}
{WATCH}"""


@pytest.mark.parametrize("stations", [point(1), point(2), 5, point(TEN)])
def test_saturated_stations_of_mode_g(boot: Callable[..., Ran], stations: int) -> None:
    """Here, unlike in Mininet-WiFi, stations contend, as in a simulation that shares no code with the medium."""
    ran = boot(topology(stations, "g", 1, "54 Mbit/s"), workload(BUFFER_BYTES, 20))
    simulated_mbps = successes_per_second(PHYS["802.11g 54 Mbit/s, mixed"], stations) * IP_BYTES * 8e-6
    name = f"mode g, 54 Mbit/s, {stations} saturated station{'s' if stations > 1 else ''}"
    seen_mbps = rounded(rate_mbps(ran, IP_BYTES))
    expected = [rounded(simulated_mbps)]
    record(Row(TABLE, name, seen_mbps, "Mbit/s", expected, relative=0.01, peer=SATURATED[stations]))


def connected_s(ran: Ran, station: str) -> float:
    """When wpa_supplicant said for the first time that it is connected, since the guest's start."""
    for line in ran.raw(f"daemon/{station}-wpa_supplicant.log").splitlines():
        if "CTRL-EVENT-CONNECTED" in line:
            return float(line.partition(":")[0]) - START_NS / 1e9
    raise AssertionError(f"{station} was never connected")


def test_ten_stations_are_associated(boot: Callable[..., Ran]) -> None:
    """From the guest's start: its boot, containers, hostapd, scans, authentication and association."""
    ran = boot(topology(TEN, "g", 1, "54 Mbit/s"), IDLE)
    last_s = max(connected_s(ran, f"sta{number}") for number in range(1, TEN + 1))
    assert last_s > 0
    name = "10 stations up and associated, from the guest's start"
    record(Row(TABLE, name, rounded(last_s), "s", between=(0, ASSOCIATED_MOST_S), peer="36 (wall time)"))


def test_the_gap_of_a_forced_roam(plan_of: Callable[..., Plan], machine: runs.Machine, tmp_path: Path) -> None:
    directory = tmp_path / "run"
    directory.mkdir()
    done = stored.run_plan(plan_of(HANDOFF, STEADY), machine, directory)
    gaps_ms = [row["longest_gap"] for result in done.metrics_of("outage") for row in result.rows]
    for number, (gap_ms, peer) in enumerate(zip(gaps_ms, ("1100", "5400"), strict=True), 1):
        name = f"forced roam {number}: longest time without data"
        record(Row(TABLE, name, rounded(gap_ms), "ms", between=(0, GAP_MOST_MS), peer=peer))
