# SPDX-License-Identifier: MIT
"""Figures of papers about 802.11, measured with real traffic.

VoIP over WLAN is the part on voice of Sivakumar et al., final report of NSF award 0519733: one hop of 802.11b at
11 Mbit/s without RTS, G.711 with a frame of 80 bytes every 10 ms, 120 bytes with RTP, UDP and IP. Its equation (1)
counts the ACK at 1 Mbit/s and long preambles.
"""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest

from tests.system.conftest import Ran
from tests.validation.rows import Row, record, rounded

pytestmark = [pytest.mark.guest, pytest.mark.validation]

Boot = Callable[..., Ran]
VOICE_BYTES = 92  # speech and RTP
VOICE_IP_BYTES = 120


def topology(stations: int, access_point: str, station: str) -> str:
    """A server behind an access point, on a wire of 100 Mbit/s and 1 ms."""
    return (
        "name: paper\ncountry: US\nmedium: {}\nnodes:\n  h1: {kind: host, roles: [server]}\n"
        f"  ap1: {{kind: ap, ssid: x, {access_point}}}\n"
        + "".join(f"  sta{number}: {{kind: sta, {station}}}\n" for number in range(1, stations + 1))
        + "links: [{between: [h1, ap1], rate: 100 Mbit/s, delay: 1 ms}]\n"
    )


def paper_b(stations: int) -> str:
    """802.11b at 11 Mbit/s, whose ACKs go at 1 Mbit/s."""
    rate = "rate: 11 Mbit/s"
    return topology(stations, f"mode: b, channel: 1, {rate}, basic_rates: [1 Mbit/s]", rate)


def test_small_datagrams_of_11b(boot: Boot) -> None:
    work = (
        "name: saturate\nroles: {server: 1, sta: 1}\nduration: 8 s\nprocesses:\n"
        "  - {on: server, run: {probe: udp-sink}, as: sink, ready: {listening: udp/9000}}\n"
        f'  - {{on: sta, run: {{probe: udp-sender, to: "{{server.ip}}", size: {VOICE_BYTES} B, buffer: 2304 B}}, '
        "as: load}\n"
    )
    (flow,) = boot(paper_b(1), work).flows().values()
    ip_kbps = 8e6 * VOICE_IP_BYTES * flow["packets"] / (flow["last_ns"] - flow["first_ns"])
    # equation (1): DIFS, mean backoff, SIFS, preamble and header, ACK, 154 bytes
    cycle_us = 50 + 31 / 2 * 20 + 10 + 192 + 304 + 8 * 154 / 11
    assert ip_kbps == pytest.approx(8e3 * VOICE_IP_BYTES / cycle_us, rel=0.02)  # which has neither SNAP nor beacons
    # "about", as the report observed in a simulator
    record(
        Row("papers", "802.11b 11 Mbit/s, IP datagrams of 120 bytes", rounded(ip_kbps), "kbit/s", [931], relative=0.05)
    )


def test_tcp_of_11a(boot: Boot) -> None:
    """One client, 54 Mbit/s, delayed ACKs: 22 to 24.5 Mbit/s in Salameh et al. (2014), 24.75 in ns-3 without loss."""
    place = topology(1, "mode: a, channel: 36, rate: 54 Mbit/s", "rate: 54 Mbit/s")
    work = (
        "name: download\nroles: {server: 1, sta: 1}\nduration: 14 s\nprocesses:\n"
        "  - {on: server, run: {probe: iperf3-server}, as: sink, ready: {listening: tcp/5201}}\n"
        '  - {on: sta, at: 1 s, run: {probe: iperf3, server: "{server.ip}", duration: 12 s, reverse: true}, as: flow}\n'
    )
    ran = boot(place, work)
    end = json.loads(ran.raw("flow.out"))["end"]
    seen_mbps = rounded(end["sum_received"]["bits_per_second"] / 1e6)
    record(Row("papers", "802.11a 54 Mbit/s, TCP download", seen_mbps, "Mbit/s", between=(22, 24.5)))


def calls(number: int) -> str:
    """Calls that begin together, both ways, as in a simulator in which all sources begin at its start."""
    send = f"size: {VOICE_BYTES} B, every: 10 ms, phase: 0 ms"
    lines = [f"name: calls\nroles: {{server: 1, sta: {number}}}\nduration: 14 s\nprocesses:"]
    lines.append("  - {on: server, run: {probe: udp-sink}, as: up, ready: {listening: udp/9000}}")
    lines.append("  - {on: sta, run: {probe: udp-sink}, as: down, ready: {listening: udp/9000}}")
    lines.append(f'  - {{on: sta, run: {{probe: udp-sender, to: "{{server.ip}}", {send}}}, as: talk}}')
    lines += [
        f'  - {{on: server, run: {{probe: udp-sender, to: "{{sta[{index}].ip}}", {send}}}, as: listen{index}}}'
        for index in range(1, number + 1)
    ]
    return "\n".join(lines) + "\n"


def all_flows(ran: Ran, number: int) -> tuple[list[dict[str, int]], list[dict[str, int]]]:
    """The results of the flows up and down."""
    down = [flow for index in range(1, number + 1) for flow in ran.flows(f"down@sta{index}").values()]
    return list(ran.flows("up").values()), down


def share_lost(flows: list[dict[str, int]]) -> float:
    lost = sum(flow["lost"] for flow in flows)
    return lost / (lost + sum(flow["packets"] for flow in flows))


def test_five_calls_fit_into_11b_and_the_sixth_does_not(boot: Boot) -> None:
    up, down = all_flows(boot(paper_b(5), calls(5)), 5)
    assert len(up) == len(down) == 5
    lost = rounded(100 * share_lost(up + down))
    record(Row("papers", "802.11b 11 Mbit/s, 5 calls: packets lost", lost, "%", between=(0, 0)))
    assert max(flow["delay_mean_ns"] for flow in up + down) < 10_000_000  # each is through before the next comes

    # mac80211's fq_codel keeps the access point's queue from growing without bound, so it loses instead
    up, down = all_flows(boot(paper_b(6), calls(6)), 6)
    assert len(up) == len(down) == 6
    lost = rounded(100 * share_lost(down))
    record(Row("papers", "802.11b 11 Mbit/s, 6 calls: packets to stations lost", lost, "%", between=(3, 100)))
    assert min(flow["delay_mean_ns"] for flow in down) > 20_000_000
