# SPDX-License-Identifier: MIT
"""Beside figures of Mininet-WiFi 2.7 with wmediumd, taken when the lab was designed: saturation, a forced roam.

How long ten stations take to come up is wall time: ``python -m bench.mininet_wifi``.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from bench.bianchi import G54, throughput_mbps
from bench.mininet_wifi import HANDOFF, WATCH
from lab import runs
from lab.plan.types import Plan
from tests.system.conftest import Ran
from tests.system.test_medium import IP_BYTES, rate_mbps, topology, workload
from tests.validation.rows import Row, record, rounded

pytestmark = [pytest.mark.guest, pytest.mark.validation]

TABLE = "mininet-wifi"
GAP_MOST_MS = 100.0
# a datagram each millisecond
STEADY = f"""\
name: steady
roles: {{server: 1, client: 1}}
duration: 12 s
processes:
  - {{on: client, run: {{probe: udp-sink}}, as: sink, ready: {{listening: udp/9000}}}}
  - {{on: server, at: 1 s, run: {{probe: udp-sender, to: "{{client.ip}}", every: 1 ms, size: 1472 B}}, as: load}}
{WATCH}"""


@pytest.mark.parametrize("stations", [1, 2, 5, 10])
def test_saturated_stations_of_mode_g(boot: Callable[..., Ran], stations: int) -> None:
    """Mininet-WiFi has 41.7 Mbit/s for any number: nobody contends there. Bianchi's model bounds what DCF can carry."""
    ran = boot(topology(stations, "g", 1, "54 Mbit/s"), workload(2304, 20))
    bounds = [throughput_mbps(G54, stations, IP_BYTES, after_us) for after_us in (G54.difs_us, G54.eifs_us)]
    name = f"mode g, 54 Mbit/s, {stations} saturated station{'s' if stations > 1 else ''} (Mininet-WiFi: 41.7)"
    between = (rounded(0.985 * min(bounds)), rounded(1.015 * max(bounds)))
    record(Row(TABLE, name, rounded(rate_mbps(ran, IP_BYTES)), "Mbit/s", between=between))


def test_the_gap_of_a_forced_roam(plan_of: Callable[..., Plan], machine: runs.Machine, tmp_path: Path) -> None:
    directory = tmp_path / "run"
    directory.mkdir()
    done = runs.run_plan(plan_of(HANDOFF, STEADY), machine, directory)
    gaps_ms = [row["outage"] for result in done.metrics_of("outage") for row in result.rows]
    assert len(gaps_ms) == 2
    for number, gap_ms in enumerate(gaps_ms, 1):
        name = f"forced roam {number}: time without data (Mininet-WiFi: 1100 and 5400)"
        record(Row(TABLE, name, rounded(gap_ms), "ms", between=(0, GAP_MOST_MS)))
