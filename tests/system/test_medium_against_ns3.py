# SPDX-License-Identifier: MIT
"""The 802.11 medium compared with ns-3 3.37, case by case: saturated stations that send UDP to an access point.

ns-3's figures are those of ``python -m bench.ns3.cases``, means of several seeds. Where ns-3 departs from IEEE
802.11-2020, the case compares with the standard instead, and a comment says so.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import pytest

from tests.system.conftest import Ran
from tests.system.test_medium import BUFFER_BYTES, IP_BYTES, SINK_MAC, UDP_BYTES, beacons_ns, looks_of, workload
from tests.system.test_medium_papers import all_flows, calls, share_lost
from tests.validation.rows import Row, point, record, rounded

pytestmark = [pytest.mark.guest, pytest.mark.validation]

STA_MAC = "02:00:00:00:22:22"
WARM_UP_S = 2
A_54 = "mode: a, channel: 36, wmm: true"
DEAF = "{from: sta1, to: sta2, is: -20 dB}, {from: sta2, to: sta1, is: -20 dB}"
HIDDEN = f"snr: [{DEAF}]"


def place(access_point: str, stations: Sequence[str], medium: str = "") -> str:
    """Stations around an access point, with these keys. Country US: others have their own WMM parameters at 5 GHz."""
    lines = [
        "name: case",
        "country: US",
        f"medium: {{retries: 20, latency: 0 us{f', {medium}' if medium else ''}}}",
        "nodes:",
        f"  h1: {{kind: host, roles: [sink], mac: '{SINK_MAC}'}}",
        f"  ap1: {{kind: ap, ssid: x, beacon_interval: 1000 TU, {access_point}}}",
        *(f"  sta{number}: {{kind: sta, privileged: true, {keys}}}" for number, keys in enumerate(stations, 1)),
        "links: [{between: [h1, ap1]}]",
    ]
    return "\n".join(lines) + "\n"


def mbps_between(ran: Ran, sender: str, receiver: str, frame_bytes: int = IP_BYTES) -> float:
    """What one received of the other after the warm-up, in the time that beacons leave."""

    def delivered(look: dict[str, Any]) -> int:
        return sum(link["delivered"] for link in look["links"] if (link["from"], link["to"]) == (sender, receiver))

    looks = [look for look in looks_of(ran) if look["t_ns"] >= WARM_UP_S * 10**9]
    first, last = looks[0], looks[-1]
    elapsed_ns: int = last["t_ns"] - first["t_ns"] - (beacons_ns(last) - beacons_ns(first))
    return (delivered(last) - delivered(first)) * frame_bytes * 8e3 / elapsed_ns


def uplink_mbps(ran: Ran, frame_bytes: int = IP_BYTES) -> dict[str, float]:
    """What the access point received of each station."""
    stations = [link["from"] for link in looks_of(ran)[-1]["links"] if link["to"] == "ap1"]
    return {station: mbps_between(ran, station, "ap1", frame_bytes) for station in stations}


def compare(name: str, mbps: float, ns3_mbps: float, relative: float) -> None:
    """Check a row."""
    record(Row("ns-3", name, rounded(mbps), "Mbit/s", [ns3_mbps], relative=relative))


# case, access point, stations, medium, seconds, sum of ns-3's stations (1500 B), tolerance
TOGETHER = [
    ("hidden, 54 Mbit/s", A_54, ["rate: 54 Mbit/s"] * 2, HIDDEN, 15, 2 * 12.913, 0.02),
    ("hidden with RTS, 54 Mbit/s", A_54, ["rate: 54 Mbit/s, rts_threshold: 0 B"] * 2, HIDDEN, 15, 2 * 11.674, 0.02),
    point("hidden, 6 Mbit/s", A_54, ["rate: 6 Mbit/s"] * 2, HIDDEN, 90, 2 * 0.906, 0.04),
    point("hidden with RTS, 6 Mbit/s", A_54, ["rate: 6 Mbit/s, rts_threshold: 0 B"] * 2, HIDDEN, 30, 2 * 2.490, 0.03),
]


@pytest.mark.parametrize(
    ("name", "access_point", "stations", "medium", "duration_s", "ns3_mbps", "relative"),
    TOGETHER,
    ids=["hidden, fast", "hidden with RTS, fast", "hidden, slow", "hidden with RTS, slow"],
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
    ran = boot(place(access_point, stations, medium), workload(BUFFER_BYTES, duration_s))
    compare(name, sum(uplink_mbps(ran).values()), ns3_mbps, relative)


@pytest.mark.sweep
def test_a_slow_station_gets_its_share(boot: Callable[..., Ran]) -> None:
    """The performance anomaly. In ns-3, stations that heard a collision wait only AIFS, not EIFS."""
    mbps = uplink_mbps(boot(place(A_54, ["rate: 54 Mbit/s"] * 4 + ["rate: 6 Mbit/s"]), workload(BUFFER_BYTES, 720)))
    slow = mbps.pop("sta5")
    compare("anomaly: one at 6 Mbit/s", slow, 2.612, 0.04)
    compare("anomaly: each of four at 54 Mbit/s", sum(mbps.values()) / 4, 2.638, 0.03)


def test_a_mixed_cell_is_protected(boot: Callable[..., Ran]) -> None:
    """An 802.11b station in a network of mode g: long slots, and CTS to oneself at 11 Mbit/s before OFDM.

    ns-3 sends its CTS at 1 Mbit/s by default: the case is mixed-bg-basic11.
    """
    stations = ["mode: b, rate: 11 Mbit/s", "rate: 54 Mbit/s"]
    ran = boot(place("mode: g, channel: 1", stations), workload(BUFFER_BYTES, 60))
    mbps = uplink_mbps(ran)
    compare("802.11b alongside 802.11g", mbps["sta1"], 3.281, 0.04)
    compare("802.11g alongside 802.11b", mbps["sta2"], 8.438, 0.03)
    alone = uplink_mbps(boot(place("mode: g, channel: 1", stations[1:]), workload(BUFFER_BYTES, 5)))
    assert alone["sta1"] > 25  # no protection without a station that needs it


@pytest.mark.parametrize(
    ("mcs", "width_mhz", "guard_interval", "ns3_mbps"),
    [
        (7, 20, "short", 66.28),
        point(7, 40, "long", 122.23),
        point(7, 40, "short", 135.05),
        (15, 20, "long", 117.78),
        point(15, 20, "short", 130.19),
        point(15, 40, "long", 232.31),
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


def test_hidden_stations_of_80211n(boot: Callable[..., Ran]) -> None:
    """A-MPDUs that overlap, and BlockAckReqs, without RTS.

    One of the two wins nearly always, and the other sends single frames into its A-MPDUs. In ns-3 they change places
    now and then, so its sum depends on the seed: the first has 52.7 Mbit/s of IP, ten have 55.4.
    """
    ran = boot(place("mode: n, channel: 36", ["rate: MCS 7"] * 2, HIDDEN), workload(300_000, 15))
    compare("hidden, 802.11n MCS 7", sum(uplink_mbps(ran, UDP_BYTES).values()), 2 * 27.206, 0.07)


@pytest.mark.parametrize(("step_db", "ns3_mbps"), [point(0, 5 * 9.730), (2, 5 * 9.967)])
def test_five_stations_of_80211n(boot: Callable[..., Ran], step_db: int, ns3_mbps: float) -> None:
    """A-MPDUs that collide, and BlockAckReqs, which may collide again. Each station is weaker than the one before.

    Of stations that are equally strong ns-3 detects no collision, so nobody waits EIFS after one. (Without EIFS, the
    lab has 1 to 3 % more.) If one is 2 dB stronger, ns-3's case ht-five-eifs, all others wait here and there.
    """
    level_db = {"ap1": 60, **{f"sta{number}": 60 - step_db * (number - 1) for number in range(1, 6)}}
    pairs = [(sender, receiver) for sender in level_db for receiver in level_db if sender != receiver]
    snr = ", ".join(f"{{from: {sender}, to: {receiver}, is: {level_db[sender]} dB}}" for sender, receiver in pairs)
    ran = boot(place("mode: n, channel: 36", ["rate: MCS 7"] * 5, f"snr: [{snr}]"), workload(300_000, 62))
    name = f"five stations of 802.11n, {step_db} dB apart"
    compare(name, sum(uplink_mbps(ran, UDP_BYTES).values()), ns3_mbps, 0.02)


@pytest.mark.parametrize(("percent", "ns3_mbps"), [point(5, 27.715), (20, 22.157), point(50, 9.561)])
def test_losses_cost_what_they_cost_in_ns3(boot: Callable[..., Ran], percent: int, ns3_mbps: float) -> None:
    """Data frames that arrive damaged, independent for each attempt; ACKs arrive."""
    faults = (
        "timeline:\n  - {at: 500 ms, fault: damage, frames: data, from: sta1, to: ap1, "
        f"share: {percent} %, count: 1000000}}\n"
    )
    ran = boot(place(A_54, ["rate: 54 Mbit/s"]), workload(BUFFER_BYTES, 92) + faults)
    compare(f"{percent} % of frames lost", uplink_mbps(ran)["sta1"], ns3_mbps, 0.03)


def test_both_ways_at_once(boot: Callable[..., Ran]) -> None:
    """A station and its access point, both saturated: each wins equally often."""
    sender = f"{{probe: udp-sender, to: '{{sta.ip}}', size: {UDP_BYTES} B, every: 350 us, count: 100000}}"
    # a request for the address is a group frame: if it collides with the station's frames, it comes again 1 s later
    known = f"run: [ip, neigh, replace, '{{sta.ip}}', lladdr, '{STA_MAC}', dev, h1-eth0]"
    down = (
        "  - {on: sta, run: {probe: udp-sink}, as: receiver, ready: {listening: udp/9000}}\n"
        f"  - {{on: sink, run: {sender}, as: down, may_run_on: true}}\n"
        f"timeline: [{{at: 0 s, exec: sink, {known}}}]\n"
    )
    station = f"mac: '{STA_MAC}', rate: 54 Mbit/s"
    ran = boot(place(f"{A_54}, rate: 54 Mbit/s", [station]), workload(BUFFER_BYTES, 32) + down)
    compare("both ways: up", uplink_mbps(ran)["sta1"], 15.01, 0.02)
    compare("both ways: down", mbps_between(ran, "ap1", "sta1"), 15.03, 0.02)


def voice_and_rest(
    boot: Callable[..., Ran], limit_us: int, medium: str = "", duration_s: int = 20
) -> tuple[float, float]:
    """Mbit/s of a station that sends voice and of one that sends best effort, both saturated, with this TXOP limit."""
    edca = f"edca: {{voice: {{txop_limit: {limit_us} us}}, best_effort: {{txop_limit: {limit_us} us}}}}"
    stations = [f"rate: 54 Mbit/s, roles: [{role}]" for role in ("voice", "rest")]
    sender = f'probe: udp-sender, to: "{{sink.ip}}", size: {UDP_BYTES} B, buffer: 20000 B'
    work = (
        f"name: saturate\nduration: {duration_s} s\nroles: {{sink: 1, voice: 1, rest: 1}}\nprocesses:\n"
        "  - {on: sink, run: {probe: udp-sink}, as: receiver, ready: {listening: udp/9000}}\n"
        f"  - {{on: voice, run: {{{sender}, tos: 184}}, as: voice}}\n"
        f"  - {{on: rest, run: {{{sender}}}, as: rest}}\n"
    )
    mbps = uplink_mbps(boot(place(f"{A_54}, {edca}", stations, medium), work))
    return mbps["sta1"], mbps["sta2"]


def test_voice_hidden_from_best_effort(boot: Callable[..., Ran]) -> None:
    """TXOPs of four frames, which reserve the channel at the access point, too.

    With 1504 us, ns-3 ends each by a CF-End of 68 us, which the lab does not send: 35.17 Mbit/s, the lab 36.25.
    """
    voice, rest = voice_and_rest(boot, 1248, HIDDEN)
    compare("voice, hidden from best effort", voice, 36.24, 0.02)
    assert rest < 0.05


@pytest.mark.sweep
def test_best_effort_next_to_voice(boot: Callable[..., Ran]) -> None:
    """The share: in ns-3 CF-Ends take a twentieth of both. (34.42 and 0.919 Mbit/s, the lab 36.26 and 0.976).

    That is mostly chance: in eight runs of 20 s the mean share is 2.66 %, with a standard deviation of 0.43. In 40 s,
    0.9 are three of them.
    """
    voice, rest = voice_and_rest(boot, 1504, duration_s=42)
    share = rounded(100 * rest / (voice + rest))
    record(
        Row("ns-3", "best effort's share alongside voice", share, "%", [rounded(100 * 0.919 / 35.337)], absolute=0.9)
    )


def test_voice_and_best_effort_frame_by_frame(boot: Callable[..., Ran]) -> None:
    """One frame for each access, so ns-3 has no CF-End. Best effort gets what voice's short window leaves.

    That is mostly chance: in runs of 20 s the standard deviation is 0.15 Mbit/s, that of voice 0.26. In 40 s, 0.35 and
    2 % are three of them, with that of ns-3's five seeds.
    """
    voice, rest = voice_and_rest(boot, 0, duration_s=42)
    compare("voice alongside best effort, TXOP limit 0: voice", voice, 33.235, 0.02)
    name = "voice alongside best effort, TXOP limit 0: best effort"
    record(Row("ns-3", name, rounded(rest), "Mbit/s", [0.849], absolute=0.35))


@pytest.mark.parametrize(
    ("weak_db", "ns3_mbps", "ns3_strong_mbps", "relative"),
    [point(40, 25.859, 13.273, 0.08), (30, 28.752, 28.331, 0.025)],
)
def test_a_stronger_hidden_station(
    boot: Callable[..., Ran], weak_db: int, ns3_mbps: float, ns3_strong_mbps: float, relative: float
) -> None:
    """Hidden stations of which one is 20 or 30 dB stronger at the access point, which stays with what it has detected.

    In both, a receiver follows the stronger of two frames within the first 4 us. Not compared: capture. ns-3 leaves a
    frame for a stronger one within its first 16 us only and aborts with a longer window; the lab leaves it at any time.

    Together they get nearly the same in every run of 30 s (standard deviation: 0.04 Mbit/s), but which of them is lucky
    is chance: 0.30 Mbit/s at 20 dB, 0.19 at 30 dB, and in ns-3 as much. The tolerance is three times that.
    """
    levels = f"{{between: [ap1, sta1], is: 60 dB}}, {{between: [ap1, sta2], is: {weak_db} dB}}"
    mbps = uplink_mbps(
        boot(place(A_54, ["rate: 54 Mbit/s"] * 2, f"snr: [{DEAF}, {levels}]"), workload(BUFFER_BYTES, 32))
    )
    name = f"hidden, {60 - weak_db} dB apart"
    compare(f"{name}: both", sum(mbps.values()), ns3_mbps, 0.01)
    compare(f"{name}: the stronger", mbps["sta1"], ns3_strong_mbps, relative)


def test_five_calls_lose_nothing(boot: Callable[..., Ran]) -> None:
    """Calls of G.711 in 802.11b, which begin at different times.

    Not compared: more calls. With six, mac80211's CoDel drops 0.3 % of what the access point has to send; ns-3's queue
    of 100 packets drops nothing. With seven, ns-3 loses 20 % (22 % with EIFS after collisions) and the lab 25 %. There
    40 % more frames collide, probably because a radio takes 15 us to detect a transmission, not 4 us as in ns-3.
    """
    network = place("mode: b, channel: 1, rate: 11 Mbit/s", ["rate: 11 Mbit/s"] * 5).replace("[sink]", "[server]")
    up, down = all_flows(boot(network, calls(5).replace(", phase: 0 ms", "")), 5)
    assert len(up) == len(down) == 5
    lost_percent = rounded(100 * share_lost(up + down))
    record(Row("ns-3", "5 calls: packets lost", lost_percent, "%", [0], absolute=0.01))
