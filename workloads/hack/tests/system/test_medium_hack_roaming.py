# SPDX-License-Identifier: MIT
"""ACKs that a station holds when it leaves its access point go to the next one, if it gets there within a second.

The server sends a burst, and the ACK of its end is held: no answer is due that it could go with. If it is lost, the
server sends the end again, once its timer, of a second at least here, has run out.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from lab.captures import pcap
from tests import air
from tests.air import DATA
from tests.system.conftest import Ran
from workloads.hack.tests.system import hack_record
from workloads.hack.tests.system.hacking import PORT, STA, quoted, work

pytestmark = pytest.mark.guest

Boot = Callable[..., Ran]

FIRST, SECOND = "02:00:00:00:aa:00", "02:00:00:00:ab:00"
BURST_S, LEAVES_MS = 1.5, 2530  # the second burst begins at 2.5 s
ETHERNET_BYTES = 14
RECORD = Path(hack_record.__file__).read_text()
PLACE = f"""\
name: roaming
nodes:
  h1: {{kind: host, roles: [server]}}
  s1: {{kind: switch}}
  ap1: {{kind: ap, ssid: x, mode: a, channel: 36, bssid: "{FIRST}", rate: 54 Mbit/s, hack: more-data}}
  ap2: {{kind: ap, ssid: x, mode: a, channel: 36, bssid: "{SECOND}", rate: 54 Mbit/s, hack: more-data}}
  sta1:
    {{kind: sta, ssid: x, mac: "{STA}", roles: [client], rate: 54 Mbit/s, hack: {{mode: timer, timer: 5 s}}}}
links: [{{between: [h1, s1], delay: 1 ms}}, {{between: [s1, ap1]}}, {{between: [s1, ap2]}}]
medium: {{snr: [{{between: [ap1, sta1], is: 40 dB}}, {{between: [ap2, sta1], is: 30 dB}}]}}  # it begins at ap1
"""
PATIENT = (
    "{at: 500 ms, exec: server, run: [sysctl, -w, net.ipv4.tcp_early_retrans=0]}",
    "{at: 500 ms, exec: server, run: [ip, route, change, 10.0.0.0/8, dev, h1-eth0, rto_min, 1s]}",
)


def wpa(command: str, at_ms: int) -> str:
    return f"{{at: {at_ms} ms, exec: client, run: [wpa_cli, -i, sta1-wlan0, {command}]}}"


def run(boot: Boot, *events: str) -> Ran:
    text = work(
        bursts=3,
        size_bytes=20_000,
        every_s=BURST_S,
        duration="8 s",
        files=(f"recorder: {{on: client, path: /opt/record.py, text: {quoted(RECORD)}}}",),
        processes=("{on: client, run: [python3, /opt/record.py], as: record, ready: {log: ready}}",),
        probes=('{on: server, probe: tcpdump, as: wire, filter: "tcp port 5201", snaplen: 200 B}',),
        timeline=(f"{{at: 400 ms, exec: client, run: [nft, {quoted(hack_record.RULES)}]}}", *PATIENT, *events),
    )
    return boot(PLACE, text, pcap="air")


def held(ran: Ran) -> list[bytes]:
    """What the station's TCP had sent when the station left, but had not come to the server by then."""
    leaves_ns = ran.guest()["epoch_ns"] + LEAVES_MS * 1_000_000
    lines = [line.split() for line in ran.raw("record.out").splitlines()[1:]]
    came = {packet for at_ns, packet in on_wire(ran, up=True) if at_ns < leaves_ns}
    packets = [bytes.fromhex(packet) for at_ns, packet in lines if int(at_ns) < leaves_ns]
    return [packet for packet in packets if packet not in came]


def on_wire(ran: Ran, *, up: bool) -> list[tuple[int, bytes]]:
    """(time, IP packet) of what came to the server, or what it sent."""
    found = []
    for at_ns, frame in pcap.load(ran.directory / "raw" / "wire.pcap").frames():
        packet = frame[ETHERNET_BYTES:]
        if (int.from_bytes(packet[20:22], "big") == PORT) == up:
            found.append((at_ns, packet[: int.from_bytes(packet[2:4], "big")]))
    return found


def resent(ran: Ran) -> int:
    """How many segments the server sent again after the station had left."""
    leaves_ns = ran.guest()["epoch_ns"] + LEAVES_MS * 1_000_000
    data = [(at_ns, p[24:28]) for at_ns, p in on_wire(ran, up=False) if int.from_bytes(p[2:4], "big") > 100]
    before = {number for at_ns, number in data if at_ns < leaves_ns}
    return sum(at_ns > leaves_ns and number in before for at_ns, number in data)


def heard_natively(ran: Ran, packet: bytes, access_point: str) -> bool:
    """Whether the station sent the packet to that access point in a data frame, after it had left."""
    (path,) = (ran.directory / "raw").glob("air-*")
    leaves_ns = ran.guest()["epoch_ns"] + LEAVES_MS * 1_000_000
    return any(
        frame.kind == DATA
        and frame.stamp_ns > leaves_ns
        and (frame.transmitter.hex(":"), frame.receiver.hex(":")) == (STA, access_point)
        and frame.body.endswith(packet)
        for frame in air.frames(path)
    )


@pytest.mark.parametrize(
    ("events", "access_point"),
    [
        ((f"{{at: {LEAVES_MS} ms, roam: sta1, to: ap2}}",), SECOND),
        ((wpa("disconnect", LEAVES_MS), wpa("reconnect", LEAVES_MS + 300)), FIRST),
    ],
    ids=["to another access point", "and back"],
)
def test_held_acks_go_to_the_next_access_point(boot: Boot, events: tuple[str, ...], access_point: str) -> None:
    ran = run(boot, *events)
    kept = held(ran)
    assert kept
    assert all(heard_natively(ran, packet, access_point) for packet in kept)
    assert {*kept} <= {packet for _, packet in on_wire(ran, up=True)}
    assert resent(ran) == 0


def test_they_are_of_no_use_after_a_second(boot: Boot) -> None:
    """The server has sent again, or will, what they acknowledge."""
    ran = run(boot, wpa("disconnect", LEAVES_MS), wpa("reconnect", LEAVES_MS + 1200))
    kept = held(ran)
    assert kept
    assert not any(heard_natively(ran, packet, FIRST) for packet in kept)
    assert resent(ran) > 0
    back_ns = ran.guest()["epoch_ns"] + (LEAVES_MS + 1200) * 1_000_000
    later = [packet for at_ns, packet in on_wire(ran, up=True) if at_ns > back_ns]
    assert any(heard_natively(ran, packet, FIRST) for packet in later)  # they would be found
