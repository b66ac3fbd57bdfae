# SPDX-License-Identifier: MIT
"""The 802.11 medium against theory: real frames of saturated senders, counted by the kernel.

Bianchi's model with corrections, as ns-3's wifi-bianchi holds itself to: within 1.5 % of the nearer of two values,
stations that heard a collision waiting for DIFS or for EIFS. 802.11n: what ns-3 gets from one saturated UDP sender,
within 2 %.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest

from tests.system.conftest import Ran
from tests.system.dcf import PHYS, successes_per_second
from tests.validation.rows import Row, point, record, rounded

pytestmark = [pytest.mark.guest, pytest.mark.validation]

IP_BYTES = 1500
UDP_BYTES = 1472
# before the neighbour is known, frames are dropped at once, and sending would never wait for anything
SENDER = (
    "import socket,time;s=socket.socket(2,2);s.setsockopt(1,7,{buffer});s.connect(('10.0.0.1',9))\\n"
    "while '0x2' not in open('/proc/net/arp').read():\\n s.send(b'');time.sleep(.1)\\n"
    "while 1:s.send({data})"
)
# Modules that load quickly, and no site: fifty stations start fifty Pythons.
# Fifty saturated stations leave no room for ARP: some would never learn whom to send to, or forget it
SINK_MAC = "02:00:00:00:11:11"
AT_ONCE = 4  # datagrams
BUFFER_BYTES = 10_000  # of a socket: those four, with what the kernel adds to each
STATION = (
    "import _socket as socket,os,time;(dev,)=[n for _,n in socket.if_nameindex() if 'wlan' in n]\\n"
    f"ip='ip','neigh','replace','10.0.0.1','lladdr','{SINK_MAC}','dev',dev\\n"
    "assert not os.waitpid(os.posix_spawnp('ip',ip,os.environ),0)[1]\\n"
    # Seven beacons in a row may collide. Then stations ask the access point for a sign of life, and of fifty some do
    # not get through in the half second after which mac80211 gives up: the theory has no stations that leave.
    "open('/sys/module/mac80211/parameters/probe_wait_ms','w').write('10000')\\n"
    # By one call several datagrams (UDP_SEGMENT): the same frames on the air for a fifth less work.
    "s=socket.socket(2,2);s.setsockopt(1,7,{buffer});s.setsockopt(17,103,{size});s.connect(('10.0.0.1',9))\\n"
    "data,then=b'x'*({size}*{at_once}),0\\n"
    "while 1:\\n for _ in range({calls}):s.send(data)\\n"
    " now=time.monotonic();quick,then=now-then<{calls}*{at_once}*1e-5,now\\n"
    # A frame takes 40 us or more, and the buffer holds fewer than a round. A station that has lost its network takes
    # frames without end: it is not saturated, so the run fails.
    " assert not quick,'no network'"
)
SINK = "import signal,socket;s=socket.socket(2,2);s.bind(('',9));signal.pause()"
WARM_UP_S = 2
# many stations begin with windows that are too small for so many, and win the medium rarely: it takes longer to settle
MANY = 20
MANY_WARM_UP_S = 10

ATTEMPTS = 20  # as in tests/system/edca.py
EDCA_S = 60
TOS = {"voice": 184, "video": 160, "best effort": 0, "background": 32}

# mode, channel, rate
B11 = ("b", 1, "11 Mbit/s")
A6 = ("a", 36, "6 Mbit/s")
A54 = ("a", 36, "54 Mbit/s")
G54 = ("g", 1, "54 Mbit/s")
# of mode g: without rates of 802.11b an ACK at the lowest rate, and with it EIFS, is as short as that of mode a
ONLY_OFDM = "basic_rates: [6 Mbit/s, 12 Mbit/s, 24 Mbit/s]"


def topology(stations: int, mode: str, channel: int, rate: str) -> str:
    """A host behind an access point, and stations around it at 40 dB.

    Beacons are rare, since theory has none: their air time can be taken off, but not the frames that collide with them.
    Where many collide, they must not be so rare that a station misses them for long.
    """
    beacons_tu = 300 if stations >= MANY else 1000
    lines = [
        "name: saturated",
        "medium: {retries: 20, latency: 0 us}",
        "nodes:",
        f"  h1: {{kind: host, roles: [sink], mac: '{SINK_MAC}'}}",
        f"  ap1: {{kind: ap, ssid: x, beacon_interval: {beacons_tu} TU, mode: {mode}, channel: {channel}}}",
        *(f"  sta{i}: {{kind: sta, privileged: true, rate: {rate}}}" for i in range(1, stations + 1)),
        "links: [{between: [h1, ap1]}]",
    ]
    return "\n".join(lines) + "\n"


def workload(buffer_bytes: int, duration_s: int, payload_bytes: int = UDP_BYTES) -> str:
    """Every station sends UDP as fast as its socket lets it."""
    many = max(100, buffer_bytes // 200)  # more than fit into the buffer, several times
    code = STATION.format(buffer=buffer_bytes, calls=many // AT_ONCE, at_once=AT_ONCE, size=payload_bytes)
    return (
        f"name: saturate\nduration: {duration_s} s\nroles: {{sink: 1, sta: 1..}}\n"
        f'processes:\n  - {{on: sink, run: [python3, -c, "{SINK}"], as: sink-of-all, ready: {{listening: udp/9}}}}\n'
        f'  - {{on: sta, run: [python3, -S, -c, "{code}"], as: sender, may_run_on: true}}\n'
    )


def delivered(look: dict[str, Any], receiver: str) -> int:
    """Frames that arrived there."""
    return sum(int(link["delivered"]) for link in look["links"] if link["to"] == receiver)


def beacons_ns(look: dict[str, Any]) -> int:
    """Air time of beacons, and of other management frames if there were any."""
    return sum(int(channel["air_ns"]["mgmt"]) for channel in look["channels"])


def looks_of(ran: Ran) -> list[dict[str, Any]]:
    looks: list[dict[str, Any]] = json.loads(ran.raw("medium.json"))["looks"]
    return looks


def rate_mbps(ran: Ran, frame_bytes: int, warm_up_s: int = WARM_UP_S, receiver: str = "ap1") -> float:
    """Throughput after the warm-up, of payloads of a size, in the time that beacons leave: the models have none."""
    looks = [look for look in looks_of(ran) if look["t_ns"] >= warm_up_s * 10**9]
    first, last = looks[0], looks[-1]
    elapsed_ns: int = last["t_ns"] - first["t_ns"] - (beacons_ns(last) - beacons_ns(first))
    return (delivered(last, receiver) - delivered(first, receiver)) * frame_bytes * 8e3 / elapsed_ns


@pytest.mark.parametrize(
    ("stations", "phy", "expected_mbps", "duration_s"),
    [
        (1, B11, [6.193], 10),
        (1, A6, [5.363], 10),
        (1, A54, [30.172], 5),
        point(2, B11, [6.531], 20),
        point(2, A6, [5.159], 20),
        (2, A54, [31.089], 10),
        (5, B11, [6.4734, 6.3821], 40),
        (5, A6, [4.7087, 4.6899], 20),
        point(5, A54, [29.8324, 29.2861], 15),
        point(10, B11, [6.1774, 6.0269], 80),
        point(10, A6, [4.3453, 4.3197], 120),
        (10, A54, [28.1519, 27.3763], 30),
        point(20, B11, [5.7819, 5.5765], 80),
        point(20, A6, [3.9899, 3.9589], 120),
        point(20, A54, [26.2925, 25.3325], 30),
        point(30, B11, [5.5289, 5.2958], 120),
        point(30, A6, [3.7824, 3.7490], 120),  # 40 s: standard deviation of 0.6 % (6 seeds)
        point(30, A54, [25.1434, 24.0944], 30),
        point(50, B11, [5.1745, 4.9103], 60),
        point(50, A6, [3.5071, 3.4711], 120),
        (50, A54, [23.5618, 22.4162], 30),
        point(1, G54, [30.172], 5),
        point(2, G54, [31.089], 15),
        (5, G54, [29.8324, 29.2861], 15),
        point(10, G54, [28.1519, 27.3763], 20),
        point(50, G54, [23.5618, 22.4162], 20),
    ],
)
def test_saturation_throughput_is_bianchis(
    boot: Callable[..., Ran],
    stations: int,
    phy: tuple[str, int, str],
    expected_mbps: list[float],
    duration_s: int,
) -> None:
    place = topology(stations, *phy)
    if phy is G54:
        place = place.replace("mode: g", f"mode: g, {ONLY_OFDM}")
    ran = boot(place, workload(BUFFER_BYTES, duration_s))
    seen_mbps = rate_mbps(ran, IP_BYTES, MANY_WARM_UP_S if stations >= MANY else WARM_UP_S)
    mode, _, rate = phy
    phy_name = f"802.11{mode} {rate}"
    name = f"{phy_name}, {stations} station{'s' if stations > 1 else ''}"
    record(Row("bianchi", name, rounded(seen_mbps), "Mbit/s", expected_mbps, relative=0.015))
    simulated_mbps = successes_per_second(PHYS[phy_name], stations) * IP_BYTES * 8e-6
    record(Row("dcf", name, rounded(seen_mbps), "Mbit/s", [rounded(simulated_mbps)], relative=0.01))


def test_an_access_point_without_wmm_follows_dcf(boot: Callable[..., Ran]) -> None:
    place = topology(1, *B11).replace("channel: 1}", "channel: 1, rate: 11 Mbit/s}")
    # a datagram each 1.5 ms, a quarter more than the channel carries
    send = SENDER.format(buffer=150_000, data=f"b'x'*{UDP_BYTES});time.sleep(.0015").replace("10.0.0.1", "10.0.0.2")
    work = (
        "name: download\nduration: 12 s\nroles: {sink: 1, sta: 1}\n"
        f'processes:\n  - {{on: sta, run: [python3, -c, "{SINK}"], as: receiver, ready: {{listening: udp/9}}}}\n'
        f'  - {{on: sink, run: [python3, -c, "{send}"], as: sender, may_run_on: true}}\n'
    )
    # ARP asks by broadcast, which is not sent again if it collides: it may take two seconds
    assert rate_mbps(boot(place, work), IP_BYTES, warm_up_s=4, receiver="sta1") == pytest.approx(6.193, rel=0.015)


@pytest.mark.parametrize(
    ("mcs", "expected_mbps"),
    [
        (0, 5.81),
        point(1, 11.83),
        point(2, 17.79),
        point(3, 23.80),
        point(4, 35.73),
        point(5, 47.62),
        point(6, 53.61),
        (7, 59.55),
    ],
)
def test_aggregated_throughput_is_that_of_ns3(boot: Callable[..., Ran], mcs: int, expected_mbps: float) -> None:
    ran = boot(topology(1, "n", 36, f"MCS {mcs}"), workload(150_000, 4))
    seen_mbps = rounded(rate_mbps(ran, UDP_BYTES))
    record(Row("ht-rates", f"MCS {mcs}", seen_mbps, "Mbit/s", [expected_mbps], relative=0.02))


@pytest.mark.parametrize(
    ("mode", "rate", "snr_db"),
    [
        ("b", "1 Mbit/s", -3.04),
        point("b", "2 Mbit/s", 1.61),
        point("b", "5.5 Mbit/s", 4.13),
        ("b", "11 Mbit/s", 7.14),
        ("n", "MCS 0", 3.95),
        point("n", "MCS 1", 6.96),
        point("n", "MCS 2", 9.86),
        point("n", "MCS 3", 13.5),
        ("n", "MCS 4", 16.6),
        point("n", "MCS 5", 21.35),
        point("n", "MCS 6", 22.61),
        ("n", "MCS 7", 23.78),
    ],
)
def test_frames_are_damaged_as_the_error_model_says(
    boot: Callable[..., Ran], mode: str, rate: str, snr_db: float
) -> None:
    """Where the NIST model loses 10 % of frames of 1458 bytes."""
    payload_bytes = 1458 - (66 if mode == "n" else 64)  # headers of 802.11 (QoS in mode n), LLC, IP, UDP, and FCS
    place = topology(1, mode, 36 if mode == "n" else 1, rate).replace(
        "medium: {", f"medium: {{snr: [{{between: [ap1, sta1], is: {snr_db} dB}}], "
    )
    ran = boot(place, workload(BUFFER_BYTES, 60 if rate == "1 Mbit/s" else 20, payload_bytes))
    counts = ran.link("sta1", "ap1")
    seen = rounded(100 * counts["damaged"] / (counts["damaged"] + counts["delivered"]))
    record(Row("errors", f"802.11{mode} {rate}, {snr_db} dB", seen, "%", [10], absolute=1))


def test_air_time_and_frames_are_conserved(boot: Callable[..., Ran]) -> None:
    looks = looks_of(boot(topology(5, *A54), workload(BUFFER_BYTES, 3)))
    first, last = looks[0], looks[-1]
    for before, after in zip(first["channels"], last["channels"], strict=True):
        elapsed_ns = after["t_ns"] - before["t_ns"]
        kinds_ns = sum(after["air_ns"].values()) - sum(before["air_ns"].values())
        assert kinds_ns == pytest.approx(elapsed_ns, rel=1e-4)
    for link in last["links"]:
        categories = [counts for counts in link.values() if isinstance(counts, dict)]
        for counts in (link, *categories):
            arrived = ("delivered", "damaged", "collided", "lost", "header", "away")
            assert counts["sent"] == sum(counts[what] for what in arrived), counts
        for what in ("sent", "retries", "acked", "dropped", "bytes"):
            assert link[what] == sum(counts[what] for counts in categories)
    assert sum(link["collided"] for link in last["links"]) > 0


@pytest.mark.parametrize(
    # Mbit/s of both categories; the tolerances are three standard deviations of five runs, at least 1 %
    ("stations", "expected_mbps", "tolerances"),
    [
        point({"voice": 1, "best effort": 1}, (33.24, 0.8699), (0.01, 0.2)),
        point({"voice": 1, "best effort": 4}, (29.7, 2.669), (0.01, 0.08)),
        ({"video": 2, "best effort": 3}, (24.69, 4.3), (0.01, 0.04)),
        ({"best effort": 3, "background": 3}, (25.61, 3.195), (0.01, 0.03)),
    ],
)
def test_saturated_categories_share_as_edca_says(
    boot: Callable[..., Ran],
    stations: dict[str, int],
    expected_mbps: tuple[float, float],
    tolerances: tuple[float, float],
) -> None:
    """What tests/system/edca.py simulates."""
    of_each = [category for category, number in stations.items() for _ in range(number)]
    place = "\n".join(
        [
            # countries of ETSI, such as the default, limit the parameters of WMM at 5 GHz
            f"name: categories\ncountry: US\nmedium: {{retries: {ATTEMPTS}, latency: 0 us}}\nnodes:",
            "  h1: {kind: host, roles: [sink]}",
            "  ap1: {kind: ap, ssid: x, beacon_interval: 1000 TU, mode: a, channel: 36, wmm: true, "
            "edca: {voice: {txop_limit: 0 us}, video: {txop_limit: 0 us}}}",
            *(f"  sta{i}: {{kind: sta, rate: 54 Mbit/s, roles: [s{i}]}}" for i, _ in enumerate(of_each, 1)),
            "links: [{between: [h1, ap1]}]\n",
        ]
    )
    sender = f'probe: udp-sender, to: "{{sink.ip}}", size: {UDP_BYTES} B, buffer: 20000 B'
    roles = ", ".join(f"s{i}: 1" for i, _ in enumerate(of_each, 1))
    work = (
        f"name: saturate\nduration: {EDCA_S} s\nroles: {{sink: 1, {roles}}}\nprocesses:\n"
        "  - {on: sink, run: {probe: udp-sink}, as: receiver, ready: {listening: udp/9000}}\n"
    ) + "".join(
        f"  - {{on: s{i}, run: {{{sender}, tos: {TOS[category]}}}, as: sender-{i}}}\n"
        for i, category in enumerate(of_each, 1)
    )
    looks = [look for look in looks_of(boot(place, work)) if look["t_ns"] >= WARM_UP_S * 10**9]
    first, last = looks[0], looks[-1]
    elapsed_ns: int = last["t_ns"] - first["t_ns"] - (beacons_ns(last) - beacons_ns(first))
    frames: Counter[str] = Counter()
    for link in last["links"]:
        if link["to"] == "ap1":
            frames[of_each[int(link["from"].removeprefix("sta")) - 1]] += int(link["delivered"])
    for link in first["links"]:
        if link["to"] == "ap1":
            frames[of_each[int(link["from"].removeprefix("sta")) - 1]] -= int(link["delivered"])
    case = ", ".join(f"{number} {category}" for category, number in stations.items())
    for category, expected, tolerance in zip(stations, expected_mbps, tolerances, strict=True):
        seen_mbps = rounded(frames[category] * 1e9 / elapsed_ns * IP_BYTES * 8e-6)
        record(Row("edca", f"{case}: {category}", seen_mbps, "Mbit/s", [expected], relative=tolerance))
