# SPDX-License-Identifier: MIT
"""TCP/HACK where the two ends know less of each other than in a download: relays, other routers, late frames."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from typing import Any

import pytest

from lab.captures import pcap
from tests.system.conftest import Ran
from workloads.hack.tests.system.hacking import counts, exchanges, nothing_is_wrong, place, quoted, work

pytestmark = pytest.mark.guest

Boot = Callable[..., Ran]

MS = 1_000_000
ETHERNET_BYTES = 14
RELAY = """\
name: relay
nodes:
  h1: {{kind: host, roles: [server]}}
  ap1: {{kind: ap, ssid: x, channel: 36, mode: a, rate: 54 Mbit/s, hack: {hack}}}
  sta1: {{kind: sta, roles: [other], rate: 54 Mbit/s, hack: {hack}}}
  sta2: {{kind: sta, roles: [client], rate: 54 Mbit/s, hack: {hack}}}
links: [{{between: [h1, ap1], delay: 1 ms}}]
medium: {{}}
"""
RELAYED = """\
name: relayed
roles: {server: 1, client: 1, other: 1}
duration: 6 s
processes:
  - {on: client, run: {probe: iperf3-server}, as: sink, ready: {listening: tcp/5201}}
  - {on: other, at: 1 s, run: {probe: iperf3, server: "{client.ip}", duration: 4 s}, as: flow}
"""
BESIDE = """\
name: beside
roles: {server: 1, client: 1, other: 1}
duration: 9 s
processes:
  - {on: client, run: {probe: iperf3-server}, as: sink, ready: {listening: tcp/5201}}
  - {on: client, run: {probe: iperf3-server, port: 5202}, as: second, ready: {listening: tcp/5202}}
  - {on: server, at: 1 s, run: {probe: iperf3, server: "{client.ip}", duration: 7 s}, as: flow}
  - {on: other, at: 1500 ms, run: {probe: iperf3, server: "{client.ip}", port: 5202, duration: 1 s}, as: one}
  - {on: other, at: 3 s, run: {probe: iperf3, server: "{client.ip}", port: 5202, duration: 1 s}, as: two}
  - {on: other, at: 4500 ms, run: {probe: iperf3, server: "{client.ip}", port: 5202, duration: 1 s}, as: three}
"""
# a client that answers each read with some bytes, so that its ACKs go with data and without
ANSWERING = """\
import socket, sys, time
with socket.create_server(("", int(sys.argv[1]))) as server:
    while True:
        connection, _ = server.accept()
        total = 0
        while data := connection.recv(20000):
            total += len(data)
            connection.sendall(bytes(300))
        connection.close()
"""
ASKING = """\
import socket, sys, threading
def drop(connection):
    while connection.recv(1 << 20):
        pass
with socket.create_connection((sys.argv[1], 5201)) as connection:
    reader = threading.Thread(target=drop, args=(connection,))
    reader.start()
    for _ in range(200):
        connection.sendall(bytes(20000))
    connection.shutdown(socket.SHUT_WR)
    reader.join()
"""
WIRE = '{on: server, probe: tcpdump, as: wire, filter: "tcp src port 5201", snaplen: 200 B}'
TWO_WAYS = """\
name: two-ways
roles: {{server: 1, client: 1}}
duration: 4 s
files:
  asking: {{on: server, path: /opt/asking.py, text: {asking}}}
  answering: {{on: client, path: /opt/answering.py, text: {answering}}}
processes:
  - {{on: client, run: [python3, /opt/answering.py, "5201"], as: sink, ready: {{listening: tcp/5201}}}}
  - {{on: server, at: 1 s, run: [python3, /opt/asking.py, "{{client.ip}}"], as: flow}}
probes:
  - {{on: server, probe: tcpdump, as: wire, filter: "tcp src port 5201", snaplen: 200 B}}
"""


def test_acks_to_another_station_are_not_compressed_in_vain(boot: Boot) -> None:
    """They do not leave mac80211 at the access point, which learns nothing of their flow, and says so by RESET."""
    stock, found = (boot(RELAY.format(hack=mode), RELAYED) for mode in ("'off'", "more-data"))
    sent = counts(found, "sta2")
    assert sent["resets"] > 0 and sent["acks"] == 0
    assert sent["natives"] > 30 * sent["flushed"]
    assert found.iperf3_mbps("flow") > 0.9 * stock.iperf3_mbps("flow")  # one loss more is 7 %


def test_a_flow_that_cannot_be_restored_does_no_harm_to_others(boot: Boot) -> None:
    found = boot(RELAY.format(hack="more-data"), BESIDE)
    sent, before = (sent_by("sta2", look) for look in (found.looks()[8], found.looks()[6]))
    assert sent["resets"] > 0
    acks, natives = (sent[kind] - before[kind] for kind in ("acks", "natives"))
    assert acks > 0.9 * (acks + natives) and acks > 1000


def sent_by(node: str, look: dict[str, Any]) -> dict[str, int]:
    (pair,) = (pair for pair in look["hack"] if pair["node"] == node)
    found: dict[str, int] = pair["sent"]
    return found


@pytest.mark.parametrize("mode", ["a", "n"])
def test_more_data_is_said_of_what_is_there_when_a_frame_goes_again(boot: Boot, mode: str) -> None:
    """A frame that others waited behind may be the only one left when it is sent again."""
    lose = "{at: 900 ms, fault: lose, frames: data, from: ap1, to: sta1, share: 20%, count: 100000}"
    bursts = work(bursts=40, size_bytes=60_000, every_s=0.1, duration="6 s", timeline=(lose,))
    found = boot(place(mode), bursts, pcap="air")
    ends = [one for one, after in pairwise(exchanges(found)) if after.end_ns - one.end_ns > 5 * MS]
    assert len(ends) > 20 and any(one.retry for one in ends)
    assert not any(one.more_data for one in ends if one.answer)


def test_acks_go_to_the_address_that_their_flow_now_has(boot: Boot) -> None:
    """The server's interface gets another address, as when a standby takes over a gateway's IP address."""
    other = "02:00:00:00:ee:00"
    steps = (
        f"{{at: 2 s, exec: server, run: [ip, link, set, h1-eth0, address, '{other}']}}",
        f"{{at: 2 s, exec: client, run: [ip, neigh, replace, '{{server.ip}}', lladdr, '{other}', dev, sta1-wlan0]}}",
    )
    found = boot(place("a"), work(size_bytes=12_000_000, duration="7 s", probes=(WIRE,), timeline=steps))
    assert found.raw("flow.out").strip() == "12000000" and counts(found, "sta1")["acks"] > 3000
    assert nothing_is_wrong(counts(found, "ap1", "received"))
    to = [(time_ns, frame[:6].hex(":")) for time_ns, frame in capture(found, "wire").frames()]
    since_ns = found.guest()["epoch_ns"] + 2_003 * MS
    late = [address for time_ns, address in to if time_ns > since_ns]
    assert len(late) > 1000 and set(late) == {other}


def test_data_does_not_overtake_the_acks_of_its_flow(boot: Boot) -> None:
    slow = "hack: {mode: more-data, turnaround: 1 ms}"
    found = boot(place("a", sta=slow), TWO_WAYS.format(asking=quoted(ASKING), answering=quoted(ANSWERING)))
    numbers = [ip_of(frame)[2] for _, frame in capture(found, "wire").frames()]
    assert counts(found, "sta1")["flushed"] > 50
    assert not [after for before, after in pairwise(numbers[1:]) if (after - before) % (1 << 32) > 1 << 31]


def test_sync_says_what_is_known_when_a_frame_is_sent(boot: Boot) -> None:
    """In a TXOP, a frame is built before the one before it is answered: here, the one that is sent again."""
    lose = "{at: 1500 ms, fault: lose, frames: ack, from: sta1, to: ap1, share: 5%, count: 100}"
    keys = "hack: more-data, wmm: true, edca: {best_effort: {txop_limit: 3008 us}}"
    found = boot(place("a", ap=keys), work(duration="4 s", timeline=(lose,)))
    sent, received = counts(found, "sta1"), counts(found, "ap1", "received")
    assert sent["payloads"] > received["payloads"] + 10
    assert sent["syncs"] == received["duplicates"] == 0


def test_tcpdump_at_the_station_sees_compressed_acks(boot: Boot) -> None:
    """Those that go with an answer pass no queue, so the driver shows them to it."""
    own_too = '{on: client, probe: tcpdump, as: own, filter: "tcp src port 5201", snaplen: 200 B}'
    found = boot(place("a"), work(duration="4 s", probes=(own_too, WIRE)))
    own, wire = ([ip_of(frame) for _, frame in capture(found, name).frames()] for name in ("own", "wire"))
    assert counts(found, "sta1")["acks"] > 1000
    assert set(wire) <= set(own) and len(own) < 1.01 * len(wire)


def capture(found: Ran, name: str) -> pcap.PcapFile:
    return pcap.load(found.directory / "raw" / f"{name}.pcap")


def ip_of(frame: bytes) -> tuple[int, int, int]:
    """Return IPv4 identification, sequence number and ACK number of a TCP segment."""
    ip = frame[ETHERNET_BYTES:]
    return int.from_bytes(ip[4:6], "big"), int.from_bytes(ip[24:28], "big"), int.from_bytes(ip[28:32], "big")
