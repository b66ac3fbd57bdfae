# SPDX-License-Identifier: MIT
"""What the medium offers to stacks above: bytes on answers, MORE DATA, packets tried once, frames with a wrong FCS."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from lab.captures import pcap, radiotap
from lab.phy.curves import NAMED
from lab.phy.error_models import load
from lab.phy.error_rates import per
from lab.shared.types import Plan
from tests import stored
from tests.system.asking import agent_machine, asked
from tests.system.conftest import Ran
from tests.validation.rows import Row, record, rounded

pytestmark = pytest.mark.guest

BSSID = "02:00:00:00:aa:00"
MAC = "02:00:00:00:bb:00"
MARK = 7
LOST = 5

# Runs in the agent. Its arguments say what to do: a command with attributes as JSON, or a dump.
ASK = """
import json, struct, sys
from lab.guest.netlink.generic import Family, KernelSocket
from lab.guest.medium.uapi import FAMILY, VERSION, Attr as A, Command as C, encoded
from lab.guest.netlink.wire import attribute

family = Family(FAMILY, VERSION, KernelSocket())
for command, values in json.loads(sys.argv[1]):
    for key in ("ADDR", "PAYLOAD"):
        if key in values:
            values[key] = bytes.fromhex(values[key])
    payload = b"".join(encoded(A[key], value) for key, value in values.items())
    if command != "GET_PEER":
        family.send([(C[command], payload)])
        continue
    peers = [
        {
            "radio": struct.unpack("=I", answer[A.RADIO])[0],
            "addr": answer[A.ADDR].hex(":"),
            "payload": answer[A.PAYLOAD].decode(),
            "arrivals": struct.unpack("=Q", answer[A.ARRIVALS])[0],
            "more_data": answer[A.MORE_DATA][0],
        }
        for answer in family.dump(C.GET_PEER, payload)
    ]
    print(json.dumps(peers))
"""

TOPOLOGY = f"""\
name: stacks
nodes:
  h1: {{kind: host, roles: [server]}}
  ap1: {{kind: ap, ssid: x, mode: MODE, channel: 36, bssid: "{BSSID}", rate: RATE}}
  sta1: {{kind: sta, mac: "{MAC}", roles: [client], rate: RATE}}
links: [{{between: [h1, ap1]}}]
medium: {{}}
"""
BURST = "import socket;s=socket.socket(2,2);[s.sendto(b'x'*1400,('10.0.0.2',9)) for _ in range(40)]"
MARKED = (
    "import socket,time;s=socket.socket(2,2);s.setsockopt(1,36,{mark})\\n"
    "for _ in range({count}):\\n s.sendto(b'x'*1400,('10.0.0.1',9));time.sleep({gap_s})"
)
SINK = "import socket,signal;s=socket.socket(2,2);s.bind(('',9));signal.pause()"

Place = Callable[..., Ran]


def ask(*requests: tuple[str, dict[str, Any]]) -> str:
    """An event that asks the medium for all of that, as YAML without its time."""
    return asked(ASK, json.dumps(requests))


@pytest.fixture
def place(plan_of: Callable[..., Plan], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Place:
    """Boot a topology and a workload whose events may ask."""
    machine = agent_machine(tmp_path, monkeypatch)

    def run(topology: str, workload: str, seed: int = 1) -> Ran:
        directory = tmp_path / f"run-{len(list(tmp_path.iterdir()))}"
        directory.mkdir()
        stored.boot(plan_of(topology, workload, seed), machine, directory)
        return Ran(directory)

    return run


@pytest.mark.parametrize(("mode", "rate"), [("a", "54 Mbit/s"), ("n", "MCS 7")])
def test_bytes_go_with_answers_and_more_data_is_seen(place: Place, mode: str, rate: str) -> None:
    """The station's ACKs and BlockAcks carry bytes; the access point says whether more frames wait."""
    payload = ("SET_PAYLOAD", {"RADIO": 1, "ADDR": BSSID.replace(":", ""), "PAYLOAD": b"more".hex()})
    more = ("SET_RADIO", {"RADIO": 0, "MORE_DATA": 1})
    end = ("SET_PAYLOAD", {"RADIO": 1, "ADDR": BSSID.replace(":", ""), "PAYLOAD": ""})
    dump = ("GET_PEER", {"ID": 1})
    ran = place(
        TOPOLOGY.replace("MODE", mode).replace("RATE", rate),
        "name: payload\nduration: 4 s\nroles: {server: 1, client: 1}\nprocesses:\n"
        f'  - {{on: client, run: [python3, -c, "{SINK}"], as: sink, ready: {{listening: udp/9}}}}\n'
        f'  - {{on: server, at: 1500 ms, run: [python3, -c, "{BURST}"], as: one}}\n'
        f'  - {{on: server, at: 3 s, run: [python3, -c, "{BURST}"], as: two}}\n'
        "timeline:\n"
        f"  - {{at: 1 s, {ask(dump, payload, more)}}}\n"
        f"  - {{at: 2500 ms, {ask(dump, end)}}}\n"
        f"  - {{at: 3800 ms, {ask(dump)}}}\n",
    )
    before, between, after = map(json.loads, ran.raw("asked").splitlines())
    assert before == []
    (at_ap,) = [peer for peer in between if peer["radio"] == 0]
    assert (at_ap["addr"], at_ap["payload"]) == (MAC, "more")
    answers = 40 if mode == "a" else 1  # at least: each frame has its ACK, a BlockAck is for many
    assert at_ap["arrivals"] >= answers
    (at_sta,) = [peer for peer in between if peer["radio"] == 1]
    assert (at_sta["addr"], at_sta["arrivals"]) == (BSSID, 0)  # it is there for more data was seen
    assert at_sta["more_data"] == 0  # but not in the last frame of the burst
    assert [peer for peer in after if peer["radio"] == 0] == [at_ap]  # no more came


@pytest.mark.parametrize("marked", [True, False])
def test_a_marked_packet_is_tried_once(place: Place, marked: bool) -> None:
    code = MARKED.format(mark=MARK if marked else 0, count=40, gap_s=0.05)
    ran = place(
        TOPOLOGY.replace("MODE", "a").replace("RATE", "24 Mbit/s"),
        "name: once\nduration: 5 s\nroles: {server: 1, client: 1}\nprocesses:\n"
        f'  - {{on: server, run: [python3, -c, "{SINK}"], as: sink, ready: {{listening: udp/9}}}}\n'
        f'  - {{on: client, at: 1500 ms, run: [python3, -c, "{code}"], as: send}}\n'
        "timeline:\n"
        f"  - {{at: 1 s, {ask(('SET_RADIO', {'RADIO': 1, 'NO_RETRY_MARK': MARK}))}}}\n"
        f"  - {{at: 2 s, fault: damage, frames: data, from: sta1, to: ap1, count: {LOST}}}\n",
    )
    counts = ran.link("sta1", "ap1")
    lost = LOST + counts["collided"]  # packets, and other frames of the station, without a mark, may meet beacons
    assert counts["damaged"] == LOST
    if marked:
        assert counts["dropped"] >= LOST and counts["dropped"] + counts["retries"] == lost
    else:
        assert counts["dropped"] == 0 and counts["retries"] == lost


def flips(frame: bytes) -> int:
    """Wrong bits of the datagram, of which every byte is an x."""
    body = frame[-1400:]
    return sum((byte ^ ord("x")).bit_count() for byte in body)


def heard(ran: Ran, capture: str = "raw/air.pcap") -> Iterator[tuple[dict[str, tuple[int, ...]], bytes]]:
    """Radiotap and the rest of what the monitor heard."""
    for _, frame in pcap.load(ran.directory / capture).frames():
        yield radiotap.fields(frame), frame[radiotap.length(frame) :]


MONITORED = """\
name: damaged
nodes:
  h1: {kind: host, roles: [server]}
  ap1: {kind: ap, ssid: x, mode: a, channel: 36}
  sta1: {kind: sta, roles: [client], rate: 54 Mbit/s}
  mon1: {kind: monitor, channel: 36, roles: [monitor]}
links: [{between: [h1, ap1]}]
medium: {bursts: BURSTS, snr: [{between: [mon1, sta1], is: 22.6 dB}]}
"""
MPDU_BYTES = 24 + 8 + 28 + 1400 + 4  # header, SNAP, IP and UDP, datagram, FCS


@pytest.mark.validation
def test_a_monitor_gets_damaged_frames_as_they_arrived_and_control_frames(boot: Callable[..., Ran]) -> None:
    """Independent errors damage a bit or two, bursts five at rate 3/4; equally many frames are damaged."""
    code = MARKED.format(mark=0, count=2000, gap_s=0.002)
    work = (
        "name: listen\nduration: 6 s\nroles: {server: 1, client: 1, monitor: 1}\nprocesses:\n"
        f'  - {{on: server, run: [python3, -c, "{SINK}"], as: sink, ready: {{listening: udp/9}}}}\n'
        f'  - {{on: client, at: 1500 ms, run: [python3, -c, "{code}"], as: send}}\n'
        "probes:\n  - {on: monitor, probe: tcpdump, as: air, snaplen: 2000 B}\n"
        "timeline:\n  - {at: 1 s, exec: mon1, run: [iw, dev, mon1-wlan0, set, monitor, control, otherbss, fcsfail]}\n"
    )
    shares, means = [], []
    for bursts in ("false", "true"):
        frames = list(heard(boot(MONITORED.replace("BURSTS", bursts), work)))
        data = [(header, body) for header, body in frames if body[0] == 0x08 and len(body) >= 1400]
        damaged = [flips(body) for header, body in data if header["flags"][0] & radiotap.FLAG_BAD_FCS]
        right = [flips(body) for header, body in data if not header["flags"][0] & radiotap.FLAG_BAD_FCS]
        assert len(damaged) > 50 and sum(right) == 0
        assert sum(bool(count) for count in damaged) > 0.9 * len(damaged)  # else in headers or FCS
        shares.append(len(damaged) / len(data))
        means.append(sum(damaged) / len(damaged))
        acks = sum(body[0] == 0xD4 for _, body in frames)
        assert acks > 0.9 * len(right)
    assert means[0] < 2 and means[1] > 2.5 * means[0]
    assert shares[0] == pytest.approx(shares[1], rel=0.3)
    computed = 100 * float(per(load("nist"), NAMED["64qam-3/4"], 22.6, 8 * MPDU_BYTES))
    name = "frames of 1464 B at 22.6 dB that a monitor gets damaged (54 Mbit/s)"
    # three standard deviations of 2000 frames are 2.04
    record(Row("mininet-wifi", name, rounded(100 * shares[0]), "%", [rounded(computed)], absolute=2, peer="0"))


APPROXIMATE = """\
name: approximate
nodes:
  h1: {kind: host, roles: [server]}
  ap1: {kind: ap, ssid: x, mode: a, channel: 36, roles: [access]}
  sta1: {kind: sta, roles: [client], rate: 54 Mbit/s}
links: [{between: [h1, ap1]}]
medium: {bursts: true, snr: [{between: [ap1, sta1], is: 22.6 dB}]}
"""


@pytest.mark.parametrize("approximate", [False, True])
def test_a_radio_in_approximate_mode_gets_its_damaged_frames(place: Place, approximate: bool) -> None:
    """A monitor interface of the radio shows them, although it did not ask for any (no fcsfail)."""
    code = MARKED.format(mark=0, count=400, gap_s=0.002)
    ran = place(
        APPROXIMATE,
        "name: listen\nduration: 6 s\nroles: {server: 1, client: 1, access: 1}\nprocesses:\n"
        f'  - {{on: server, run: [python3, -c, "{SINK}"], as: sink, ready: {{listening: udp/9}}}}\n'
        "  - {on: access, at: 1200 ms, run: [tcpdump, -Z, root, -i, look, -U, -w, /tmp/air.pcap], as: look, "
        "may_run_on: true}\n"
        f'  - {{on: client, at: 1500 ms, run: [python3, -c, "{code}"], as: send}}\n'
        "timeline:\n"
        f"  - {{at: 900 ms, {ask(('SET_RADIO', {'RADIO': 0, 'APPROX': int(approximate)}))}}}\n"
        "  - {at: 1 s, exec: ap1, run: [iw, dev, ap1-wlan1, interface, add, look, type, monitor, flags, none]}\n"
        "  - {at: 1100 ms, exec: ap1, run: [ip, link, set, look, up]}\n"
        "  - {at: 5500 ms, stop: look}\ncollect: [{on: access, path: /tmp/air.pcap}]\n",
    )
    damaged = ran.link("sta1", "ap1")["damaged"]
    flags = [header["flags"][0] for header, body in heard(ran, "collected/ap1/tmp/air.pcap") if len(body) >= 1400]
    seen = sum(bool(flag & radiotap.FLAG_BAD_FCS) for flag in flags)
    assert damaged > 20 and len(flags) - seen == 400
    # not those whose header no longer names the radio
    assert 0.8 * damaged < seen <= damaged if approximate else seen == 0
