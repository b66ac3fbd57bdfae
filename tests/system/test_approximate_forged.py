# SPDX-License-Identifier: MIT
"""Damaged frames that no node of the network sent: what an approximate station does with them, and remembers."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from lab.shared.types import Plan
from tests import stored
from tests.system.asking import RUN, agent_machine, asked, with_script
from tests.system.conftest import Ran

pytestmark = pytest.mark.guest

AP, STA = "02:00:00:00:aa:00", "02:00:00:00:bb:00"
RADIO_OF_STA = 1
COUNT, SIZE_BYTES = 40, 1000
FORGED = 1_000_000  # their numbers begin here; those of its own traffic with 0

# Runs in mon1: [["send", how, how many, number of the first]], as JSON. Frames look as if the
# access point had sent them, and ask for no ACK: that would go to the access point.
SWITCH = """
import json, sys
from lab.guest.netlink.generic import Family, KernelSocket
from lab.guest.medium.uapi import FAMILY, VERSION, Attr, Command, encoded

payload = b"".join(encoded(Attr[key], value) for key, value in json.loads(sys.argv[1]).items())
Family(FAMILY, VERSION, KernelSocket()).send([(Command.SET_RADIO, payload)])
"""
FORGE = f"""
import json, socket, struct, sys, time

FROM_DS, TO_DS, MORE_FRAGMENTS, PROTECTED = 0x200, 0x100, 0x400, 0x4000
FLAGS = {{"more fragments": MORE_FRAGMENTS, "protected": PROTECTED, "four addresses": TO_DS}}
RADIOTAP = struct.pack("<BxHI", 0, 10, 1 << 15) + struct.pack("<H", 8)  # TX flags: no ACK
AP, STA = bytes.fromhex("{AP}".replace(":", "")), bytes.fromhex("{STA}".replace(":", ""))
STRANGER = bytes.fromhex("0200000000dd")
ARP = struct.pack("!HHBBH", 1, 0x800, 6, 4, 1) + AP + bytes([10, 0, 0, 77]) + bytes(6) + bytes([10, 0, 0, 2])


def checksum(data):
    total = sum(struct.unpack(f"!{{len(data) // 2}}H", data))
    while total >> 16:
        total = (total & 0xFFFF) + (total >> 16)
    return ~total & 0xFFFF


def datagram(number):
    payload = number.to_bytes(8, "big") + b"x" * {SIZE_BYTES - 8}
    ends = bytes([10, 0, 0, 1]) + bytes([10, 0, 0, 2])
    covered = struct.pack("!4H", 9, 9, 16, 0) + payload[:8]
    check = checksum(ends + struct.pack("!xBH", 136, 8 + len(payload)) + covered)
    udplite = struct.pack("!4H", 9, 9, 16, check) + payload
    ip = struct.pack("!BBHHHBBH", 0x45, 0, 20 + len(udplite), 0, 0x4000, 64, 136, 0) + ends
    return ip[:10] + struct.pack("!H", checksum(ip)) + ip[12:] + udplite


def frame(how, number):
    sequence = (number % 4096) << 4 | (how == "fragment")
    fourth = AP if how == "four addresses" else b""
    sender = STRANGER if how == "stranger" else AP
    packet = b"\\x08\\x06" + ARP if how == "ARP" else b"\\x08\\x00" + datagram(number)
    return (
        RADIOTAP
        + struct.pack("<HH", 0x88 | FROM_DS | FLAGS.get(how, 0), 0)
        + STA + sender + AP + struct.pack("<H", sequence) + fourth
        + struct.pack("<H", 0x80 if how == "aggregate" else 0)
        + bytes.fromhex("aaaa03000000")
        + packet
    )


air = socket.socket(socket.AF_PACKET, socket.SOCK_RAW)
air.bind(("mon1-wlan0", 0))
for _, how, count, first in json.loads(sys.argv[1]):
    for number in range(first, first + count):
        air.send(frame(how, number))
        time.sleep(0.005)
"""
SINK = (
    "import socket;s=socket.socket(2,2,136);s.setsockopt(136,11,8);s.bind(('',9))\\n"
    "while True:\\n d=s.recv(9000);print(int.from_bytes(d[:8],'big'),"
    "sum((b^120).bit_count() for b in d[8:]),flush=True)"
)
SEND = (
    "import socket,time;s=socket.socket(2,2,136);s.setsockopt(136,10,16)\\n"
    f"for n in range({COUNT}):\\n s.sendto(n.to_bytes(8,'big')+b'x'*{SIZE_BYTES - 8},('10.0.0.2',9));time.sleep(0.01)"
)
PLACE = f"""\
name: forged
nodes:
  h1: {{kind: host, roles: [server]}}
  ap1: {{kind: ap, ssid: x, mode: a, channel: 36, bssid: "{AP}", ENCRYPTION}}
  sta1: {{kind: sta, mac: "{STA}", roles: [client]}}
  mon1: {{kind: monitor, channel: 36}}
links: [{{between: [h1, ap1]}}]
medium: {{}}
"""
WORK = f"""\
name: forged
duration: 4 s
roles: {{server: 1, client: 1}}
processes:
  - {{on: client, run: [python3, -c, "{SINK}"], as: sink, ready: {{listening: udplite/9}}}}
  - {{on: server, at: 3 s, run: [python3, -c, "{SEND}"], as: send}}
timeline:
"""
OPEN, WPA2, WPA3 = "encrypt: open", "encrypt: wpa2, passwd: secret-words", "encrypt: wpa3, passwd: secret-words"
FAULTS, EACH = 3, 5  # of its own traffic; not so many in a row that a frame would be given up

WHOLE = {number: 0 for number in range(COUNT)}  # all of its own traffic, as it was sent

Forged = Callable[..., Ran]


def forge(at: str, *requests: tuple[Any, ...]) -> str:
    """An event at which the monitor forges frames or sets a radio."""
    if requests[0][0] == "set":
        return f"  - {{at: {at}, {asked(SWITCH, json.dumps(requests[0][1]))}}}\n"
    command = RUN.format(arguments=f", '{json.dumps(requests)}'")
    return f"  - {{at: {at}, exec: mon1, run: {command}}}\n"


def switch(enabled: bool) -> tuple[str, dict[str, int]]:
    """A request to turn the switch of the station's radio."""
    return "set", {"RADIO": RADIO_OF_STA, "APPROX": int(enabled)}


def damage(at: str, sender: str, count: int) -> str:
    """An event from which on frames to the station are damaged."""
    return f"  - {{at: {at}, fault: damage, frames: data, from: {sender}, to: sta1, count: {count}}}\n"


OWN_DAMAGE = "".join(damage(f"{3045 + 100 * number} ms", "ap1", EACH) for number in range(FAULTS))


def arrivals(ran: Ran) -> dict[int, int]:
    """How many bits of each datagram are wrong that the station's application got."""
    lines = [[int(word) for word in line.split()] for line in ran.raw("sink.out").splitlines()]
    assert len({number for number, _ in lines}) == len(lines)
    return {number: bits for number, bits in lines}


@pytest.fixture
def forged(plan_of: Callable[..., Plan], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Forged:
    """Boot the place with a timeline."""
    machine = agent_machine(tmp_path, monkeypatch)

    def run(timeline: str, encryption: str = OPEN) -> Ran:
        directory = tmp_path / f"run-{len(list(tmp_path.iterdir()))}"
        directory.mkdir()
        plan = plan_of(PLACE.replace("ENCRYPTION", encryption), WORK + timeline)
        stored.boot(with_script(plan, "mon1", FORGE), machine, directory)
        return Ran(directory)

    return run


DUMP = "exec: sta1, run: [iw, dev, sta1-wlan0, station, dump]"


def dumps(ran: Ran) -> list[str]:
    """What each `iw station dump` said about the access point, except for the clock."""
    return [re.sub(r"current time:.*", "", output) for output in ran.outputs() if "rx packets" in output]


def rx_bytes(dump: str) -> int:
    """Bytes of the frames that counted."""
    found = re.search(r"rx bytes:\s*(\d+)", dump)
    assert found is not None
    return int(found[1])


def test_a_station_gets_damaged_frames_and_does_not_count_them(forged: Forged) -> None:
    """Statistics of the access point are those of a run without these frames. Intact frames count."""
    timeline = (
        forge("900 ms", switch(True))
        + damage("990 ms", "mon1", COUNT)
        + f"  - {{at: 1 s, {DUMP}}}\n"
        + forge("1100 ms", ("send", "plain", COUNT, FORGED))
        + f"  - {{at: 1800 ms, {DUMP}}}\n"
        + forge("1900 ms", ("send", "plain", COUNT, 2 * FORGED))
        + f"  - {{at: 2500 ms, {DUMP}}}\n"
    )
    ran, without = forged(timeline), forged(timeline.replace("damage", "lose"))
    got = arrivals(ran)
    wrong = [bits for number, bits in got.items() if FORGED <= number < 2 * FORGED]
    assert len(wrong) > 0.75 * COUNT and sum(wrong) > 0.9 * len(wrong)
    assert arrivals(without) == {number: bits for number, bits in got.items() if not FORGED <= number < 2 * FORGED}
    assert ran.link("mon1", "sta1")["approximate"] == COUNT
    assert dumps(ran) == dumps(without)
    before, between, after = map(rx_bytes, dumps(ran))
    assert between - before < COUNT * 100  # beacons
    assert after - between > COUNT * SIZE_BYTES


@pytest.mark.parametrize("how", ["aggregate", "more fragments", "fragment", "four addresses", "protected", "stranger"])
def test_what_would_have_to_be_taken_apart_is_dropped(forged: Forged, how: str) -> None:
    """An A-MSDU, a fragment, another header or sender, real or due to a wrong bit: it leaves no trace."""
    ran = forged(
        forge("900 ms", switch(True)) + damage("990 ms", "mon1", COUNT) + forge("1 s", ("send", how, COUNT, FORGED))
    )
    counts = ran.link("mon1", "sta1")
    assert counts["damaged"] == COUNT
    assert counts["approximate"] == (0 if how == "protected" else COUNT)  # the medium looks no closer
    assert arrivals(ran) == WHOLE


def test_a_damaged_arp_request_is_not_learnt_from(forged: Forged) -> None:
    """It has no checksum. A whole one is."""
    ran = forged(
        forge("900 ms", switch(True))
        + damage("990 ms", "mon1", COUNT)
        + forge("1 s", ("send", "ARP", COUNT, FORGED))
        + "  - {at: 1500 ms, exec: sta1, run: [ip, neigh]}\n"
        + forge("1600 ms", ("send", "ARP", 1, FORGED))
        + "  - {at: 1700 ms, exec: sta1, run: [ip, neigh]}\n"
    )
    _, damaged, _, whole = ran.outputs()
    counts = ran.link("mon1", "sta1")
    assert (counts["damaged"], counts["delivered"]) == (COUNT, 1) and counts["approximate"] > 0.75 * COUNT
    assert damaged == "" and "10.0.0.77" in whole


@pytest.mark.parametrize("encryption", [WPA2, WPA3])
def test_the_switch_does_nothing_in_an_encrypted_network(forged: Forged, encryption: str) -> None:
    """Topologies cannot switch it on there; netlink can. A node with a key accepts no plain frame, whole or damaged."""
    timeline = (
        damage("990 ms", "mon1", COUNT)
        + forge("1 s", ("send", "plain", 2 * COUNT, FORGED))  # half of them whole
        + OWN_DAMAGE
    )
    ran, stock = forged(forge("900 ms", switch(True)) + timeline, encryption), forged(timeline, encryption)
    counts, stocks = ran.link("mon1", "sta1"), stock.link("mon1", "sta1")
    assert counts["damaged"] == counts["delivered"] == COUNT
    assert (counts["approximate"], stocks["approximate"]) == (COUNT, 0)
    assert arrivals(ran) == arrivals(stock) == WHOLE
    counts, stocks = ran.link("ap1", "sta1"), stock.link("ap1", "sta1")
    assert counts["retries"] == counts["damaged"] == FAULTS * EACH  # nothing of it is taken for approximate
    assert counts == stocks


def test_netlink_turns_the_switch_while_frames_arrive(forged: Forged) -> None:
    """Off, on, off and on again: deliveries and the counter follow."""
    ran = forged(
        damage("3045 ms", "ap1", COUNT)
        + forge("3095 ms", switch(True))
        + forge("3195 ms", switch(False))
        + forge("3295 ms", switch(True))
    )
    got, counts = arrivals(ran), ran.link("ap1", "sta1")
    whole, on = set(range(5)), {*range(10, 20), *range(30, 40)}  # a datagram each 10 ms
    assert whole <= got.keys() <= whole | on
    assert len(got) > len(whole) + 0.75 * len(on)  # 8 % of the bits are in headers
    assert {number for number, bits in got.items() if bits} <= on
    assert (counts["damaged"], counts["approximate"]) == (COUNT - len(whole), len(on))
    assert (counts["dropped"], counts["retries"]) == (counts["damaged"], 0)
