# SPDX-License-Identifier: MIT
"""Approximate frames: UDP-Lite with partial coverage arrives with its errors where accepted, and is sent once, if not
told otherwise."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import pytest

from tests import air
from tests.system.conftest import Ran

pytestmark = pytest.mark.guest

Boot = Callable[..., Ran]

UDP, UDPLITE = 17, 136
COUNT, SIZE_BYTES = 100, 1000
DAMAGED = 30
# of 1087 bytes 8 are neither payload nor headers that are checked: duration, sequence control, FCS
UNHARMED = range(COUNT - DAMAGED, COUNT - DAMAGED + 3)
COVERED_BYTES = 16  # UDP-Lite's header, and the number of the datagram
ALL = 0
AP, STA, SERVER = "02:00:00:00:aa:00", "02:00:00:00:bb:00", "02:00:00:00:cc:00"
IPV4, IPV6 = "('10.0.0.1',9)", "('fe80::ff:fe00:cc00',9,0,socket.if_nametoindex('sta1-wlan0'))"

SEND = (
    "import socket,time;to={to};s=socket.socket(2 if len(to)==2 else 10,2,{protocol})\\n"
    "if {protocol}==136: s.setsockopt(136,10,{coverage})\\n"
    "for n in range({count}):\\n s.sendto(n.to_bytes(8,'big')+b'x'*{rest},to);time.sleep({gap_s})"
)
# prints of each datagram its number and how many bits of the rest are wrong
SINK = (
    "import socket;s=socket.socket(10,2,{protocol});s.bind(('::',9))\\n"
    "if {protocol}==136: s.setsockopt(136,11,8)\\n"
    "while True:\\n d=s.recv(9000);print(int.from_bytes(d[:8],'big'),"
    "sum((b^120).bit_count() for b in d[8:]),len(d),flush=True)"
)
BEACONS = "beacon_interval: 1000 TU"  # of many one would collide
PLACE = """\
name: approximate
nodes:
  h1: {{kind: host, roles: [server], mac: "{server}"}}
  ap1: {{kind: ap, ssid: x, mode: {mode}, channel: 36, bssid: "{ap}", approximate: {approximate}, {beacons}}}
  sta1: {{kind: sta, mac: "{sta}", roles: [client], rate: {rate}}}
links: [{{between: [h1, ap1]}}]
medium: {{}}
"""
WORK = """\
name: approximate
duration: 5 s
roles: {{server: 1, client: 1}}
processes:
  - {{on: server, run: [python3, -c, "{sink}"], as: sink, ready: {{listening: {listening}/9}}}}
  - {{on: client, at: 1500 ms, run: [python3, -c, "{send}"], as: send}}
timeline:
  # an access point repeats the question for the server's address, at the time of the first datagram: they collide
  - {{at: 1 s, exec: client, run: [ip, neigh, replace, "{ip}", lladdr, "{server}", dev, sta1-wlan0]}}
"""
LOOK = 1  # the second, at 1 s: before, hosts say that they are there
FAULTS = 10
# not so many in a row that a frame would be given up
DAMAGE = "".join(
    f"  - {{at: {2000 + 40 * number} ms, fault: damage, frames: data, from: sta1, to: ap1, "
    f"count: {DAMAGED // FAULTS}}}\n"
    for number in range(FAULTS)
)


@dataclass(frozen=True)
class Arrival:
    """A datagram that an application got."""

    number: int
    wrong_bits: int


def place(approximate: bool = True, mode: str = "a", rate: str = "24 Mbit/s") -> str:
    reported = str(approximate).lower()
    return PLACE.format(approximate=reported, mode=mode, rate=rate, ap=AP, sta=STA, server=SERVER, beacons=BEACONS)


def work(
    coverage: int, protocol: int = UDPLITE, damage: str = DAMAGE, size_bytes: int = SIZE_BYTES, to: str = IPV4
) -> str:
    """A datagram each 10 ms from 1.5 s on; frames are damaged from 2 s on."""
    send = SEND.format(protocol=protocol, coverage=coverage, count=COUNT, rest=size_bytes - 8, gap_s=0.01, to=to)
    listening = "udplite" if protocol == UDPLITE else "udp"
    ip = to.split("'")[1]
    return (
        WORK.format(sink=SINK.format(protocol=protocol), send=send, listening=listening, ip=ip, server=SERVER) + damage
    )


def arrivals(ran: Ran, size_bytes: int = SIZE_BYTES) -> list[Arrival]:
    """What the server's application got, in order."""
    lines = [[int(word) for word in line.split()] for line in ran.raw("sink.out").splitlines()]
    assert all(length == size_bytes for _, _, length in lines)
    return [Arrival(number, wrong) for number, wrong, _ in lines]


def right(got: list[Arrival]) -> int:
    """How many have no wrong bit."""
    return sum(not arrival.wrong_bits for arrival in got)


@pytest.mark.parametrize("to", [IPV4, IPV6], ids=["ipv4", "ipv6"])
def test_approximate_data_arrives_with_its_errors(boot: Boot, to: str) -> None:
    """Those with damaged headers do not: UDP-Lite's checksum, and that of IPv4, drop them."""
    ran = boot(place(), work(COVERED_BYTES, to=to))
    got, counts = arrivals(ran), ran.link_since(LOOK, "sta1", "ap1")
    assert counts["damaged"] == counts["dropped"] == DAMAGED  # nobody acknowledged them
    assert counts["retries"] == counts["collided"] == 0
    wrong = [arrival for arrival in got if arrival.wrong_bits]
    assert all(arrival.wrong_bits == 1 for arrival in wrong)  # that is what a fault does
    assert right(got) in UNHARMED
    assert 0.75 * DAMAGED < len(wrong) <= counts["approximate"] <= DAMAGED  # 8 % of the bits are in headers
    assert [arrival.number for arrival in got] == sorted({arrival.number for arrival in got})


def test_without_the_switch_nothing_damaged_arrives(boot: Boot) -> None:
    """The sender still sends its frames only once: the datagram itself says so."""
    ran = boot(place(approximate=False), work(COVERED_BYTES))
    got, counts = arrivals(ran), ran.link_since(LOOK, "sta1", "ap1")
    assert (counts["damaged"], counts["dropped"], counts["retries"]) == (DAMAGED, DAMAGED, 0)
    assert counts["approximate"] == 0
    assert len(got) == COUNT - DAMAGED and not any(arrival.wrong_bits for arrival in got)


def test_rts_is_repeated_and_what_it_is_for_is_not(boot: Boot) -> None:
    """A lost CTS costs no datagram, since it was not sent yet."""
    lose = "  - {at: 1750 ms, fault: lose, frames: cts, from: ap1, to: sta1, count: 5}\n"
    ran = boot(
        place().replace("rate:", "rts_threshold: 500 B, rate:"), work(COVERED_BYTES, damage=lose + DAMAGE), pcap="air"
    )
    got, counts = arrivals(ran), ran.link_since(LOOK, "sta1", "ap1")
    (path,) = (ran.directory / "raw").glob("air-*")
    assert sum(frame.kind == air.RTS for frame in air.frames(path)) == COUNT + 5
    assert counts["damaged"] == counts["dropped"] == DAMAGED and counts["retries"] == 0
    assert right(got) in UNHARMED


def test_an_access_point_passes_them_on(boot: Boot) -> None:
    """To its stations, as to its wire: from there on, the FCS is correct, even for nodes that refuse damaged ones."""
    server = f'roles: [server], mac: "{SERVER}"'
    topology = place().replace(f", {server}", "")
    topology = topology.replace("links:", f"  sta2: {{kind: sta, {server}}}\nlinks:")
    ran = boot(topology, work(COVERED_BYTES, to="('10.0.0.3',9)"))
    got, last = arrivals(ran), ran.link_since(LOOK, "ap1", "sta2")
    wrong = [arrival for arrival in got if arrival.wrong_bits]
    assert right(got) in UNHARMED and len(wrong) > 0.75 * DAMAGED
    assert last["damaged"] == last["approximate"] == 0


@pytest.mark.parametrize(("protocol", "coverage"), [(UDPLITE, ALL), (UDPLITE, 8 + SIZE_BYTES), (UDP, ALL)])
def test_precise_data_is_what_it_always_was(boot: Boot, protocol: int, coverage: int) -> None:
    """Damaged copies go up and are dropped by their checksum; the retry does not count as their duplicate."""
    ran = boot(place(), work(coverage, protocol))
    got, counts = arrivals(ran), ran.link_since(LOOK, "sta1", "ap1")
    assert (counts["damaged"], counts["dropped"], counts["retries"]) == (DAMAGED, 0, DAMAGED)
    assert counts["approximate"] > 0.9 * DAMAGED
    assert list(dict.fromkeys(got)) == [Arrival(number, 0) for number in range(COUNT)]
    assert len(got) <= COUNT + 2  # of what is damaged where nobody looks both copies arrive


def test_a_damaged_fragment_is_no_rival_of_its_repetition(boot: Boot) -> None:
    """Its headers may be correct: reassembly would keep it, and drop the retry as a duplicate."""
    size_bytes = 4000
    ran = boot(place(), work(ALL, UDP, size_bytes=size_bytes))
    assert ran.link_since(LOOK, "sta1", "ap1")["damaged"] == DAMAGED
    assert arrivals(ran, size_bytes) == [Arrival(number, 0) for number in range(COUNT)]


def test_the_timeline_turns_the_switch(boot: Boot) -> None:
    """Off at first, on, and off again."""
    times = "".join(
        f"  - {{at: {at} ms, approximate: ap1, enabled: {value}}}\n  - {{at: {at + 1} ms, fault: damage, frames: data, "
        "from: sta1, to: ap1, count: 10}\n"
        for at, value in ((1700, "false"), (2000, "true"), (2300, "false"))
    )
    ran = boot(place(approximate=False), work(COVERED_BYTES, damage=times))
    got = {arrival.number for arrival in arrivals(ran)}
    missing = [number for number in range(COUNT) if number not in got]
    wrong = [arrival.number for arrival in arrivals(ran) if arrival.wrong_bits]
    lost = [number for number in missing if not 45 <= number < 75]  # in between those whose headers were hit
    assert len(lost) == 20 and max(lost[:10]) < 45 and min(lost[10:]) >= 75
    assert len(wrong) >= 7 and all(45 <= number < 75 for number in wrong)
    assert ran.link_since(LOOK, "sta1", "ap1")["approximate"] <= 10


def test_no_blockack_agreement_holds_them_up(boot: Boot) -> None:
    """An agreement for other data of the TID ends, and none begins while they flow; later, other data get one again."""
    burst = "{probe: udp-sender, to: '{server.ip}', buffer: 100000 B, count: 1000}"
    text = work(COVERED_BYTES).replace(
        "timeline:",
        "  - {on: server, run: {probe: udp-sink}, as: other, ready: {listening: udp/9000}}\n"
        f"  - {{on: client, run: {burst}, as: before}}\n"
        f"  - {{on: client, at: 3700 ms, run: {burst}, as: after}}\n"
        "timeline:",
    )
    ran = boot(place(mode="n", rate="MCS 5"), text, pcap="air")
    (path,) = (ran.directory / "raw").glob("air-*")
    epoch_ns = ran.guest()["epoch_ns"]
    answers = [frame.stamp_ns - epoch_ns for frame in air.frames(path) if frame.kind == air.BA]
    first_ns, last_ns = 1_500_000_000, 1_500_000_000 + COUNT * 10_000_000
    assert any(at < first_ns for at in answers) and any(at > last_ns for at in answers)
    assert not [at for at in answers if first_ns + 50_000_000 < at < last_ns]
    got = arrivals(ran)
    assert len(got) > COUNT - 0.25 * DAMAGED
    assert [arrival.number for arrival in got] == sorted({arrival.number for arrival in got})


REPEATED = "approximate_retries: true, rate:"


def test_a_radio_that_is_told_to_repeats_them(boot: Boot) -> None:
    """Every copy arrives: each datagram in the end without errors, those that a fault hits with errors before."""
    ran = boot(place().replace("rate:", REPEATED), work(COVERED_BYTES))
    got, counts = arrivals(ran), ran.link_since(LOOK, "sta1", "ap1")
    assert (counts["damaged"], counts["dropped"], counts["retries"]) == (DAMAGED, 0, DAMAGED)
    wrong = [arrival for arrival in got if arrival.wrong_bits]
    assert 0.75 * DAMAGED < len(wrong) <= counts["approximate"] <= DAMAGED
    assert {arrival.number: arrival.wrong_bits for arrival in got} == dict.fromkeys(range(COUNT), 0)  # the last copies
    assert COUNT <= right(got) <= COUNT + 2


def test_of_what_is_repeated_in_vain_damaged_copies_remain(boot: Boot) -> None:
    """Two attempts, both damaged: without the key a datagram has one chance that its head is right, with it two."""
    damage = "  - {at: 2 s, fault: damage, frames: data, from: sta1, to: ap1, count: 30}\n"
    ran = boot(
        place().replace("rate:", REPEATED).replace("medium: {}", "medium: {retries: 2}"),
        work(COVERED_BYTES, damage=damage),
    )
    got, counts = arrivals(ran), ran.link_since(LOOK, "sta1", "ap1")
    assert (counts["damaged"], counts["dropped"], counts["retries"]) == (DAMAGED, DAMAGED / 2, DAMAGED / 2)
    wrong = [arrival.number for arrival in got if arrival.wrong_bits]
    assert len(wrong) > 0.75 * DAMAGED and len(set(wrong)) == DAMAGED / 2


def test_agreements_survive_those_that_are_repeated(boot: Boot) -> None:
    """Other data of the TID go on in A-MPDUs, and all arrive, in order."""
    other = "{probe: udp-sender, to: '{server.ip}', buffer: 100000 B, count: 1000}"
    text = work(COVERED_BYTES, damage="").replace(
        "timeline:",
        "  - {on: server, run: {probe: udp-sink}, as: other, ready: {listening: udp/9000}}\n"
        f"  - {{on: client, at: 1600 ms, run: {other}, as: beside}}\n"
        "timeline:",
    )
    ends = {}
    for key in ("rate:", REPEATED):
        ran = boot(place(mode="n", rate="MCS 0").replace("rate:", key), text, pcap="air")
        (path,) = (ran.directory / "raw").glob("air-*")
        start_ns = ran.guest()["epoch_ns"] + 1_650_000_000
        answers = [frame.stamp_ns for frame in air.frames(path) if frame.kind == air.BA]
        ends[key] = sum(start_ns < at < start_ns + 800_000_000 for at in answers)
        assert [arrival.number for arrival in arrivals(ran)] == list(range(COUNT))
    assert ends["rate:"] == 0 and ends[REPEATED] > 20


def test_what_is_refused(plan_of: Callable[..., object]) -> None:
    """Nobody could read damaged frames of an encrypted network, and the perfect medium damages none."""
    from lab.errors import LabError

    encrypted = place().replace("ssid: x", "ssid: x, encrypt: wpa2, passwd: secret-words")
    for topology, words in (
        (encrypted, "x is encrypted (wpa2): one wrong bit makes a frame's integrity check fail"),
        (
            place().replace("medium: {}\n", "").replace(", rate: 24 Mbit/s", "").replace(f", {BEACONS}", ""),
            "perfect medium, which damages no frames",
        ),
    ):
        with pytest.raises(LabError) as caught:
            plan_of(topology, work(COVERED_BYTES, damage=""))
        assert words in str(caught.value) and "nodes.ap1.approximate" in str(caught.value)
