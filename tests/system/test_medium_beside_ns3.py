# SPDX-License-Identifier: MIT
"""The 802.11 medium beside ns-3 3.37, case by case: saturated stations that send UDP to an access point.

ns-3's figures are those of ``python -m bench.ns3.cases``, means of several seeds. Where ns-3 does something else than
IEEE 802.11-2020, the case compares with what the standard says instead, and a comment says so.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pytest

from tests.system.conftest import Ran
from tests.system.test_medium import IP_BYTES, SINK_MAC, UDP_BYTES, beacons_ns, looks_of, workload
from tests.validation.rows import Row, record, rounded

pytestmark = [pytest.mark.guest, pytest.mark.validation]

WARM_UP_S = 2
A_54 = "mode: a, channel: 36, wmm: true"
HIDDEN = "snr: [{from: sta1, to: sta2, is: -20 dB}, {from: sta2, to: sta1, is: -20 dB}]"


def place(access_point: str, stations: Sequence[str], medium: str = "") -> str:
    """Stations around an access point, with these keys. Country US: others have their own WMM parameters at 5 GHz."""
    lines = [
        "name: case",
        "country: US",
        f"medium: {{retries: 20, latency: 0 us{f', {medium}' if medium else ''}}}",
        "nodes:",
        f"  h1: {{kind: host, roles: [sink], mac: '{SINK_MAC}'}}",
        f"  ap1: {{kind: ap, ssid: x, beacon_interval: 1000 TU, {access_point}}}",
        *(f"  sta{number}: {{kind: sta, {keys}}}" for number, keys in enumerate(stations, 1)),
        "links: [{between: [h1, ap1]}]",
    ]
    return "\n".join(lines) + "\n"


def uplink_mbps(ran: Ran, frame_bytes: int = IP_BYTES) -> dict[str, float]:
    """What the access point received of each station after the warm-up, in the time that beacons leave."""
    looks = [look for look in looks_of(ran) if look["t_ns"] >= WARM_UP_S * 10**9]
    first, last = looks[0], looks[-1]
    elapsed_ns: int = last["t_ns"] - first["t_ns"] - (beacons_ns(last) - beacons_ns(first))
    before = {(link["from"], link["to"]): link["delivered"] for link in first["links"]}
    return {
        link["from"]: (link["delivered"] - before.get((link["from"], "ap1"), 0)) * frame_bytes * 8e3 / elapsed_ns
        for link in last["links"]
        if link["to"] == "ap1"
    }


def compare(name: str, mbps: float, ns3_mbps: float, relative: float) -> None:
    """Check a row."""
    record(Row("ns-3", name, rounded(mbps), "Mbit/s", [ns3_mbps], relative=relative))


# case, access point, stations, medium, seconds, sum of ns-3's stations (1500 B), tolerance
TOGETHER = [
    ("hidden, 54 Mbit/s", A_54, ["rate: 54 Mbit/s"] * 2, HIDDEN, 15, 2 * 12.918, 0.02),
    ("hidden with RTS, 54 Mbit/s", A_54, ["rate: 54 Mbit/s, rts_threshold: 0 B"] * 2, HIDDEN, 15, 2 * 11.674, 0.02),
    ("hidden, 6 Mbit/s", A_54, ["rate: 6 Mbit/s"] * 2, HIDDEN, 90, 2 * 0.9088, 0.04),
    ("hidden with RTS, 6 Mbit/s", A_54, ["rate: 6 Mbit/s, rts_threshold: 0 B"] * 2, HIDDEN, 30, 2 * 2.4895, 0.03),
]


@pytest.mark.parametrize(
    ("name", "access_point", "stations", "medium", "duration_s", "ns3_mbps", "relative"),
    TOGETHER,
    ids=[case[0] for case in TOGETHER],
)
def test_stations_get_together_what_ns3_gives_them(
    boot: Callable[..., Ran],
    name: str,
    access_point: str,
    stations: list[str],
    medium: str,
    duration_s: int,
    ns3_mbps: float,
    relative: float,
) -> None:
    ran = boot(place(access_point, stations, medium), workload(2304, duration_s))
    compare(name, sum(uplink_mbps(ran).values()), ns3_mbps, relative)


def test_a_slow_station_gets_its_share(boot: Callable[..., Ran]) -> None:
    """The performance anomaly: in ns-3, as in the standard, EIFS begins when the longer of two frames has ended."""
    mbps = uplink_mbps(boot(place(A_54, ["rate: 54 Mbit/s"] * 4 + ["rate: 6 Mbit/s"]), workload(2304, 90)))
    slow = mbps.pop("sta5")
    compare("anomaly: one at 6 Mbit/s", slow, 2.582, 0.04)
    compare("anomaly: each of four at 54 Mbit/s", sum(mbps.values()) / 4, 2.670, 0.03)


def test_a_mixed_cell_is_protected(boot: Callable[..., Ran]) -> None:
    """An 802.11b station in a network of mode g: long slots, and CTS to oneself at 11 Mbit/s before OFDM."""
    stations = ["mode: b, rate: 11 Mbit/s", "rate: 54 Mbit/s"]
    ran = boot(place("mode: g, channel: 1", stations), workload(2304, 60))
    mbps = uplink_mbps(ran)
    compare("802.11b beside 802.11g", mbps["sta1"], 3.262, 0.04)
    compare("802.11g beside 802.11b", mbps["sta2"], 8.468, 0.03)
    alone = uplink_mbps(boot(place("mode: g, channel: 1", stations[1:]), workload(2304, 5)))
    assert alone["sta1"] > 25  # no protection without a station that needs it


@pytest.mark.parametrize(
    ("mcs", "width_mhz", "guard_interval", "ns3_mbps"),
    [
        (7, 20, "short", 66.28),
        (7, 40, "long", 122.23),
        (7, 40, "short", 135.05),
        (15, 20, "long", 117.78),
        (15, 20, "short", 130.19),
        (15, 40, "long", 232.31),
        (15, 40, "short", 255.57),
    ],
)
def test_wide_channels_and_short_guard_intervals(
    boot: Callable[..., Ran], mcs: int, width_mhz: int, guard_interval: str, ns3_mbps: float
) -> None:
    network = f"mode: n, channel: 36, width: {width_mhz} MHz, guard_interval: {guard_interval}"
    ran = boot(place(network, [f"rate: MCS {mcs}"]), workload(300_000, 3))
    name = f"MCS {mcs}, {width_mhz} MHz, {guard_interval} guard interval"
    compare(name, uplink_mbps(ran, UDP_BYTES)["sta1"], ns3_mbps, 0.01)


@pytest.mark.parametrize(("percent", "ns3_mbps"), [(5, 27.715), (20, 22.157), (50, 9.569)])
def test_losses_cost_what_they_cost_in_ns3(boot: Callable[..., Ran], percent: int, ns3_mbps: float) -> None:
    """Data frames that arrive damaged, independent for each attempt; ACKs arrive."""
    faults = (
        "timeline:\n  - {at: 500 ms, fault: data, action: damage, from: sta1, to: ap1, "
        f"share: {percent} %, count: 1000000}}\n"
    )
    ran = boot(place(A_54, ["rate: 54 Mbit/s"]), workload(2304, 12) + faults)
    compare(f"{percent} % of frames lost", uplink_mbps(ran)["sta1"], ns3_mbps, 0.03)
