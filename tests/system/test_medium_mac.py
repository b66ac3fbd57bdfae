# SPDX-License-Identifier: MIT
"""What mac80211 expects of the medium, and what the standard requires of a single frame, as users see it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests import air
from tests.system.conftest import Ran
from tests.system.test_air import ppdus

pytestmark = pytest.mark.guest

Boot = Callable[..., Ran]
STATIONS = ("sta1", "sta2", "sta3", "slow")


def test_a_block_ack_request_lets_the_receiver_continue(boot_own: Boot) -> None:
    """Its twin that loses the request is in test_phenomena: there the receiver waits for 100 ms."""
    (voice,) = boot_own("reorder-stall", "udp/voice", "duration=8s", "timeline.1.frames=rts").flows().values()
    assert voice["lost"] == 1
    assert voice["delay_max_ns"] < 20_000_000


def test_a_frame_that_finds_the_medium_busy_draws_a_backoff(boot: Boot) -> None:
    """Rare frames next to a saturated sender (10.3.4.2); the backoff after the previous one has long ended.

    One in six finds the medium idle for DIFS and goes out at once. The others wait for what is left of an exchange,
    146 us on average, then for DIFS and 7.5 slots, and for nearly one more exchange that comes in between.
    """
    place = (
        "name: rare\ncountry: US\nmedium: {latency: 0 us}\nnodes:\n  h1: {kind: host, roles: [server]}\n"
        "  ap1: {kind: ap, ssid: x, mode: a, channel: 36}\n"
        "  sta1: {kind: sta, rate: 54 Mbit/s, roles: [load]}\n  sta2: {kind: sta, rate: 54 Mbit/s, roles: [rare]}\n"
        "links: [{between: [h1, ap1]}]\n"
    )
    work = (
        "name: rare\nduration: 14 s\nroles: {server: 1, load: 1, rare: 1}\nprocesses:\n"
        "  - {on: server, run: {probe: udp-sink}, as: sink, ready: {listening: udp/9000}}\n"
        '  - {on: load, run: {probe: udp-sender, to: "{server.ip}"}, as: load}\n'
        '  - {on: rare, run: {probe: udp-sender, to: "{server.ip}", size: 92 B, every: 10007 us}, as: rare}\n'
    )
    assert 400_000 < boot(place, work).flows()["rare"]["delay_mean_ns"] < 700_000


def test_of_two_equal_frames_a_receiver_does_not_prefer_a_sender(boot_own: Boot) -> None:
    """A frame at 1 Mbit/s outlives a collision with one at 11 Mbit/s, if it is the one that the receiver follows."""

    def of_slow(name: str) -> float:
        settings = [f"nodes.{other}.rate={'1' if other == name else '11'}Mbit/s" for other in STATIONS]
        ran = boot_own("performance-anomaly", "udp/saturate", "duration=40s", "medium.snr.0.is=40dB", *settings)
        return ran.goodputs_mbps()[name]

    assert of_slow("sta1") == pytest.approx(of_slow("slow"), rel=0.1)


def test_towards_stations_mac80211_shares_air_time_not_turns(boot_own: Boot, tmp_path: Path) -> None:
    work = ["name: downloads", "roles: {server: 1, client: 4}", "duration: 12 s", "processes:"]
    work.append("  - {on: client, run: {probe: udp-sink}, as: sink, ready: {listening: udp/9000}}")
    work += [
        f'  - {{on: server, run: {{probe: udp-sender, to: "{{{name}.ip}}", every: 2 ms}}, as: to-{name}}}'
        for name in STATIONS
    ]
    (tmp_path / "downloads.yaml").write_text("\n".join(work))
    controlled = [f"nodes.{name}.rate=null" for name in STATIONS]  # by minstrel_ht; 0 dB leave it 1 Mbit/s
    ran = boot_own("performance-anomaly", str(tmp_path / "downloads.yaml"), *controlled)
    got = {name: ran.goodputs_mbps(f"sink@{name}")[f"to-{name}"] for name in STATIONS}
    assert min(got[name] for name in STATIONS[:3]) > 3 * got["slow"], got


def download(boot: Boot, access_point: str, seed: int) -> float:
    """Mbit/s of a TCP download of 8 s at 30 dB, on a wire of 1 ms."""
    place = (
        "name: download\ncountry: US\nmedium: {snr: [{between: [ap1, sta1], is: 30 dB}]}\n"
        "nodes:\n  h1: {kind: host, roles: [server]}\n"
        f"  ap1: {{kind: ap, ssid: x, channel: 36, {access_point}}}\n  sta1: {{kind: sta}}\n"
        f"links: [{{between: [h1, ap1], rate: 500 Mbit/s, delay: 1 ms}}]\n"
    )
    work = (
        "name: download\nroles: {server: 1, sta: 1}\nduration: 10 s\nprocesses:\n"
        "  - {on: server, run: {probe: iperf3-server}, as: source, ready: {listening: tcp/5201}}\n"
        '  - {on: sta, at: 1 s, run: {probe: iperf3, server: "{server.ip}", duration: 8 s, reverse: true}, as: flow}\n'
    )
    return boot(place, work, seed).iperf3_mbps("flow")


@pytest.mark.parametrize("seed", [1, 3])
def test_rate_control_finds_good_rates_although_frames_are_aggregated(boot: Boot, seed: int) -> None:
    """minstrel_ht asks for a frame at another rate now and then, which must then go at that rate."""
    wide = "mode: n, width: 40 MHz, guard_interval: short"
    fixed_mbps = download(boot, f"{wide}, rate: MCS 7", seed)
    assert download(boot, wide, seed) > 0.5 * fixed_mbps


def test_a_frame_that_tries_another_rate_is_sent_alone(boot: Boot) -> None:
    """minstrel_ht also tries rates at which nothing arrives, which costs a frame each time, not an A-MPDU of many."""
    place = (
        "name: probes\ncountry: US\nmedium: {snr: [{between: [ap1, sta1], is: 14 dB}]}\nnodes:\n"
        "  h1: {kind: host, roles: [server]}\n  ap1: {kind: ap, ssid: x, mode: n, channel: 36}\n"
        "  sta1: {kind: sta, roles: [client]}\nlinks: [{between: [h1, ap1]}]\n"
    )
    work = (
        "name: saturate\nroles: {server: 1, client: 1}\nduration: 4 s\nprocesses:\n"
        "  - {on: client, run: {probe: udp-sink}, as: sink, ready: {listening: udp/9000}}\n"
        '  - {on: server, run: {probe: udp-sender, to: "{client.ip}", every: 250 us}, as: load}\n'
    )
    (path,) = (boot(place, work, pcap="air").directory / "raw").glob("air-*")
    sent = [ppdu for ppdu in ppdus(air.frames(path)) if ppdu[0].kind == air.DATA and "mcs" in ppdu[0].header]
    frames = {hopeless: [len(ppdu) for ppdu in sent if is_hopeless(ppdu[0]) == hopeless] for hopeless in (False, True)}
    assert len(frames[True]) > 20 and max(frames[True]) == 1
    assert max(frames[False]) > 10


def is_hopeless(frame: air.Frame) -> bool:
    """Whether it has 64-QAM, of which nothing arrives at 14 dB."""
    return int(frame.header["mcs"][2]) % 8 >= 5
