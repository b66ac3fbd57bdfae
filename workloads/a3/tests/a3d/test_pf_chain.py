# SPDX-License-Identifier: MIT
"""PF in the chain of elements: what a monitor says becomes a notice, and a notice puts packets in order."""

from __future__ import annotations

from ipaddress import ip_address
from pathlib import Path
from random import Random

import pytest

from . import fuzz
from .notices import Notice
from .packets import Talk, chain, compiled
from .planted_pf import PLANTED_PF_CHAIN
from .test_pf import datagram

MS = 1000
PHONE, SERVER = "10.0.0.2", ("10.0.0.1", 80)
BODY = 4000
PAGE = b"GET / HTTP/1.1\r\nHost: h\r\nAccept: text/html,*/*\r\n\r\n"


def request(path: str) -> bytes:
    return f"GET {path} HTTP/1.1\r\nHost: h\r\nAccept: image/png\r\n\r\n".encode()


ANSWER = b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % BODY + bytes(BODY)


class Browser:
    """Connections of one device to one server; each asks for one object at a time."""

    def __init__(self, address: str = PHONE, server: tuple[str, int] = SERVER) -> None:
        self.lines: list[str] = []
        self.address, self.server = address, server
        self.talks: dict[int, Talk] = {}
        self.at: dict[int, list[int]] = {}

    def asks(self, at: int, connection: int, what: bytes) -> None:
        if connection not in self.talks:
            self.talks[connection] = Talk((self.address, 40000 + connection), self.server, lines=self.lines)
            self.talks[connection].open(at)
            self.at[connection] = [0, 0]
        mine, theirs = self.at[connection]
        self.talks[connection].send(at, 0, mine, theirs, what)
        self.at[connection][0] += len(what)

    def comes(self, at: int, connection: int, data: bytes = ANSWER) -> list[int]:
        """An answer comes, in segments; return their numbers among all packets."""
        numbers = []
        for piece in (data[start : start + 1000] for start in range(0, len(data), 1000)):
            numbers.append(sum("@" not in line for line in self.lines))
            mine, theirs = self.at[connection]
            self.talks[connection].send(at, 1, theirs, mine, piece)
            self.at[connection][1] += len(piece)
        return numbers

    def says(self, at: int, *objects: tuple[int, bytes], address: str | None = None) -> None:
        where = ip_address(address or self.address).packed.hex()
        self.lines.append(f"{at} @{where} {datagram(*objects).hex()}")

    def notices(self, *of: tuple[int, tuple[tuple[int, int], ...]]) -> list[bytes]:
        return [Notice((self.address, 40000 + number), self.server, entries).packet() for number, entries in of]


ADDRESSES = pytest.mark.parametrize(
    ("address", "server"), [(PHONE, SERVER), ("2001:db8::2", ("2001:db8::1", 80))], ids=["ipv4", "ipv6"]
)


@ADDRESSES
def test_the_far_end_is_told_what_is_not_on_the_screen(program: Path, address: str, server: tuple[str, int]) -> None:
    browser = Browser(address, server)
    browser.asks(0, 1, PAGE)
    browser.says(1 * MS, (0, b"/early"), (1, b"/high"))
    for connection, path in ((2, "/early"), (3, "/high"), (4, "/late")):
        browser.asks(2 * MS, connection, request(path))
    browser.says(3 * MS, (0, b"/late"))
    browser.says(4 * MS, (0, b"/late"))
    browser.says(5 * MS, (1, b"/early"), (0, b"/high"))
    done = chain(program, "client", browser.lines, copies=0, pf="on")
    sent = [packet for _, packet in done.sent if packet[6 if packet[0] >> 4 == 6 else 9] == 253]
    later, first = ((1, 0),), ((0, 0),)
    assert sent == browser.notices((2, later), (4, later), (3, later), (2, first))
    assert done.counts["pf_notices"] == 4 and done.counts["pf_refused"] == 0
    assert set(done.verdicts) == {"pass"}


def test_a_second_request_of_a_connection_is_named_by_its_offset(program: Path) -> None:
    browser = Browser()
    browser.asks(0, 1, request("/a"))
    browser.comes(1 * MS, 1)
    browser.says(1 * MS, (0, b"/b"))
    browser.asks(2 * MS, 1, request("/b"))
    sent = [packet for _, packet in chain(program, "client", browser.lines, copies=0, pf="on").sent if packet[9] == 253]
    assert sent == browser.notices((1, ((1, len(request("/a"))),)))


def test_requests_of_a_connection_that_change_at_once_are_in_one_notice(program: Path) -> None:
    browser = Browser()
    browser.asks(0, 1, request("/a") + request("/b"))
    browser.says(1 * MS, (0, b"/a"), (0, b"/b"))
    sent = [packet for _, packet in chain(program, "client", browser.lines, copies=0, pf="on").sent if packet[9] == 253]
    assert sent == browser.notices((1, ((1, 0), (1, len(request("/a"))))))


def test_who_has_no_connection_says_nothing(program: Path) -> None:
    """A monitor speaks for its own device only."""
    browser = Browser()
    browser.asks(0, 1, request("/a"))
    browser.says(1 * MS, (0, b"/a"), address="10.0.0.9")
    browser.lines.append(f"1000 @{ip_address(PHONE).packed.hex()} 00")
    done = chain(program, "client", browser.lines, copies=0, pf="on")
    assert done.counts["pf_refused"] == 2 and done.counts["pf_notices"] == 0
    other = Browser("10.0.0.9")
    other.lines, other.at = browser.lines, {}
    other.asks(2 * MS, 7, request("/b"))
    other.says(3 * MS, (0, b"/a"))
    assert chain(program, "client", browser.lines, copies=0, pf="on").counts["pf_notices"] == 0


def test_a_device_with_many_connections_is_told_of_some(program: Path) -> None:
    """So a datagram costs no more, however many there are."""
    browser = Browser()
    for connection in range(70):
        browser.asks(connection, connection, request("/a"))
    browser.says(1 * MS, (0, b"/a"))
    assert chain(program, "client", browser.lines, copies=0, pf="on").counts["pf_later"] == 64


def raced(notice: bytes | None, address: str = PHONE, server: tuple[str, int] = SERVER) -> tuple[Browser, list[int]]:
    """Two answers come at once, the first one of an object that a notice may be about; then numbers of its packets."""
    browser = Browser(address, server)
    browser.asks(0, 1, request("/low"))
    browser.asks(0, 2, request("/high"))
    if notice is not None:
        browser.lines.append(f"1000 {notice.hex()}")
    low = browser.comes(2 * MS, 1)
    browser.comes(2 * MS, 2)
    return browser, low


@ADDRESSES
def test_a_notice_puts_an_answer_behind_others(program: Path, address: str, server: tuple[str, int]) -> None:
    notice = Notice((address, 40001), server, ((1, 0),)).packet()
    for packet, order in ((notice, False), (None, True)):
        browser, low = raced(packet, address, server)
        done = chain(program, "server", browser.lines, copies=0, pf="100000")
        left = [number for what, _, number in done.released if what == "go" and number >= low[0]]
        assert (left == sorted(left)) == order
        if packet:
            assert set(left[-4:]) <= set(low), "the later object is not last"
            assert done.verdicts[8] == "drop" and done.counts["pf_notices"] == 1
    browser, low = raced(notice, address, server)
    assert set(chain(program, "client", browser.lines, copies=0).verdicts) == {"pass"}, "PF is off"


@pytest.mark.parametrize(
    "wrong",
    [
        Notice((PHONE, 40001), SERVER, ()).packet(),
        Notice((PHONE, 40001), SERVER, ((2, 0),)).packet(),
        Notice((PHONE, 40001), SERVER, ((1, 0),)).packet() + b"x",
        Notice((PHONE, 40001), SERVER, ((1, 0),)).packet()[:-1],
        Notice((PHONE, 40001), SERVER, ((1, 0),) * 33).packet(),
    ],
    ids=range(5),
)
def test_a_notice_that_is_malformed_is_dropped_and_changes_nothing(program: Path, wrong: bytes) -> None:
    browser, low = raced(wrong)
    done = chain(program, "server", browser.lines, copies=0, pf="100000")
    left = [number for _, _, number in done.released if number >= low[0]]
    assert left == sorted(left) and done.counts["pf_refused"] == 1 and done.verdicts[8] == "drop"


@pytest.mark.parametrize(
    "other",
    [
        Notice((PHONE, 40009), SERVER, ((1, 0),)),
        Notice(("10.0.0.9", 40001), SERVER, ((1, 0),)),
        Notice(SERVER, (PHONE, 40001), ((1, 0),)),
        Notice((PHONE, 40001), SERVER, ((1, 5),)),
    ],
    ids=["port", "address", "direction", "offset"],
)
def test_a_notice_of_something_else_changes_nothing(program: Path, other: Notice) -> None:
    browser, low = raced(other.packet())
    done = chain(program, "server", browser.lines, copies=0, pf="100000")
    left = [number for _, _, number in done.released if number >= low[0]]
    assert left == sorted(left) and done.counts["pf_refused"] == 0


def test_other_packets_of_the_protocol_are_not_touched(program: Path) -> None:
    packet = bytearray(Notice((PHONE, 40001), SERVER, ((1, 0),)).packet())
    packet[41] = 7
    assert chain(program, "server", [f"0 {packet.hex()}"], pf="100000").verdicts == ["pass"]


def test_without_a_far_end_requests_wait_until_the_page_has_come(program: Path) -> None:
    browser = Browser()
    browser.asks(0, 1, PAGE)
    browser.says(1 * MS, (0, b"/low"))
    browser.asks(2 * MS, 2, request("/low"))
    browser.comes(90 * MS, 1)
    done = chain(program, "client", browser.lines, copies=0, pf="alone")
    assert done.verdicts[4:8] == ["pass", "pass", "pass", "held"]
    assert done.released == [("go", 90 * MS * 1000, 7)] and done.counts["pf_notices"] == 0


def test_a_request_that_waits_has_no_copies_that_would_not(program: Path) -> None:
    browser = Browser()
    browser.asks(0, 1, PAGE)
    browser.says(1 * MS, (0, b"/low"))
    browser.asks(500 * MS, 2, request("/low"))
    browser.comes(600 * MS, 1)
    done = chain(program, "client", browser.lines, copies=2, pf="alone")
    assert done.verdicts[7] == "held" and done.released == [("go", 600 * MS * 1000, 7)]
    assert any(PAGE in packet for _, packet in done.sent)
    assert not any(request("/low") in packet for _, packet in done.sent)


def test_a_connection_that_is_not_followed_passes_the_queue_too(program: Path) -> None:
    talk = Talk(server=SERVER)
    for number in range(3):
        talk.send(0, 1, 1000 * number, 0, bytes(1000))
    done = chain(program, "server", talk.lines, copies=0, pf="100000")
    assert done.verdicts == ["pass", "held", "held"] and [number for _, _, number in done.released] == [1, 2]


@pytest.mark.parametrize(("side", "pf"), [("server", "100000"), ("client", "alone")])
def test_when_a3d_ends_what_waits_leaves_before_what_comes(program: Path, side: str, pf: str) -> None:
    """In order of arrival; nothing has to wait any more."""
    browser = Browser()
    browser.asks(0, 1, PAGE)
    browser.says(1 * MS, (0, b"/low"))
    browser.asks(2 * MS, 2, request("/low"))
    if side == "server":
        browser.comes(3 * MS, 1)
    lines = [line for line in browser.lines if side == "client" or "@" not in line]
    now_us = int(lines[-1].split()[0])
    before = chain(program, side, lines, copies=0, pf=pf)
    held = [number for number, verdict in enumerate(before.verdicts) if verdict == "held"]
    talk = Talk(server=SERVER)
    talk.send(now_us, 1 if side == "server" else 0, 1000, 0, b"more")
    done = chain(program, side, [*lines, f"{now_us} leave", *talk.lines], copies=0, pf=pf)
    waiting = [number for _, at, number in before.released if at > now_us * 1000]
    assert held and waiting and done.verdicts[-1] == "pass"
    assert [number for _, at, number in done.released if at == now_us * 1000] == sorted(waiting)


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize(("side", "pf"), [("server", "50000"), ("client", "alone"), ("client", "on")])
def test_random_packets_do_no_harm(program: Path, seed: int, side: str, pf: str) -> None:
    """Also words of monitors and notices, whole and damaged; what comes leaves once, or is dropped."""
    random, lines = Random(seed), list(fuzz.packets(seed, 600))
    for at in range(0, len(lines), 7):
        now = lines[at].split()[0]
        packet = bytearray(Notice(("10.0.0.2", random.randrange(1, 4)), SERVER, ((1, random.randrange(40)),)).packet())
        said = bytearray(datagram((random.randrange(2), b"/"), (1, b"/x")))
        for damaged in (packet, said):
            if random.random() < 0.3:
                damaged[random.randrange(len(damaged))] = random.randrange(256)
        lines[at] += f"\n{now} {packet.hex()}\n{now} @0a000002 {said.hex()}"
    done = chain(program, side, lines, pf=pf)
    held = [number for number, verdict in enumerate(done.verdicts) if verdict == "held"]
    assert sorted(number for _, _, number in done.released) == held
    assert done.counts["pf_waiting"] == 0


@pytest.mark.parametrize("name", PLANTED_PF_CHAIN)
def test_planted_mistakes_are_found(program: Path, tmp_path: Path, name: str) -> None:
    mistake = PLANTED_PF_CHAIN[name]
    wrong_program = compiled(mistake=mistake)
    with pytest.raises(AssertionError):
        globals()[mistake.found_by](wrong_program, *mistake.values)
