# SPDX-License-Identifier: MIT
"""Connections that IB takes over: what was acknowledged is delivered, whatever happens to a3d and its disk."""

from __future__ import annotations

import json
import tempfile
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from . import fuzz
from .packets import ACK, FIN, RST, SYN, URG, Read, Talk, chain, compiled, drive, ib, read
from .planted import PLANTED_RELAY

MS = 1000
PAGE = b"GET / HTTP/1.1\r\nHost: server\r\nAccept: text/html\r\n\r\n"
ANSWER = b"HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n"
SERVER = ("10.0.0.1", 80)
LARGE = 50_000_000


def relay(
    program: Path,
    numbers: list[int],
    quota: int = LARGE,
    crash: int | str = 0,
    down_ms: int = 100,
    what: str = "all",
    disk: str = "power",
    ib: bool = True,
    mtu: int = 0,
) -> dict[str, Any]:
    """Pass bytes through a relay; numbers: seed, bytes, other bytes, loss, repeated, reordered, room, pause in ms.

    Of what the relay sends, packets longer than ``mtu`` are refused; if it is negative, nobody says so.
    At the end everybody must have what is due to them, and nothing may be left in the folder.
    """
    with tempfile.TemporaryDirectory() as folder:
        words = [*(str(number) for number in numbers), folder if ib else "-", str(quota)]
        words += [str(crash), str(down_ms), what, disk, str(mtu)]
        done = json.loads(drive([str(program), "relay", *words], [])[-1])
        assert not list(Path(folder).iterdir())
    assert isinstance(done, dict) and done["right"] and done["wrong"] == 0
    return done


# a crash before, or in the middle of, every so many calls that change a file; or every so many ms
CRASHES = st.one_of(st.integers(1, 60).map("c{}".format), st.sampled_from([0, 50, 300, 1000, 2500]))


SEARCH = settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
ANY: dict[str, Any] = {
    "seed": st.integers(1, 2**32),
    "sizes": st.tuples(
        st.one_of(st.integers(0, 2000), st.integers(0, 300_000), st.integers(0, 1_500_000)),
        st.one_of(st.integers(0, 60_000), st.integers(0, 60_000), st.integers(0, 1_000_000)),
    ),
    "harm": st.tuples(st.integers(0, 100), st.integers(0, 150), st.integers(0, 250)),
    "room": st.integers(700, 60_000),
    "pause_ms": st.sampled_from([0, 100, 500]),
    "quota": st.sampled_from([0, 30_000, 100_000, LARGE, LARGE]),
    "crash": CRASHES,
    "down_ms": st.integers(1, 1500),
    "what": st.sampled_from(["all", "all", "client-away"]),
    "disk": st.sampled_from(["kill", "power", "power", "failing", "folder", "full", "fills"]),
    "mtu": st.sampled_from([0, 0, 0, 1300, -1300]),
}
GONE: dict[str, Any] = {
    "seed": st.integers(1, 2**32),
    "sizes": st.tuples(st.integers(100_000, 900_000), st.just(20_000)),
    "harm": st.tuples(st.integers(0, 60), st.integers(0, 150), st.integers(0, 250)),
    "room": st.integers(700, 60_000),
    "crash": CRASHES,
    "what": st.sampled_from(["server-gone", "server-forgets", "client-gone", "client-forgets"]),
    "disk": st.sampled_from(["kill", "power", "power", "failing", "full"]),
}


def relayed(
    half: Path,
    *,
    seed: int,
    sizes: tuple[int, int],
    harm: tuple[int, int, int],
    room: int,
    pause_ms: int = 200,
    **values: Any,
) -> None:
    relay(half, [seed, *sizes, *harm, room, pause_ms], **values)


@given(**ANY)
@settings(SEARCH, max_examples=20)
def test_both_hosts_get_all_that_the_other_one_sends(half: Path, **values: Any) -> None:
    """With losses, a slow reader, small quotas, more than memory keeps, and crashes at any call, or of the power."""
    relayed(half, **values)


@given(**GONE)
@settings(SEARCH, max_examples=12)
def test_if_a_host_is_gone_after_a_crash_the_other_one_gets_what_was_acknowledged_and_a_reset(
    half: Path, **values: Any
) -> None:
    relayed(half, **values)


@pytest.mark.sweep
@given(st.one_of(st.fixed_dictionaries(ANY), st.fixed_dictionaries(GONE)))
@settings(SEARCH, max_examples=400)
def test_both_hosts_get_what_is_due_to_them(half: Path, values: dict[str, Any]) -> None:
    """A longer search."""
    relayed(half, **values)


@pytest.mark.parametrize("seed", range(5))
def test_after_crashes_all_that_was_acknowledged_is_delivered(half: Path, seed: int) -> None:
    done = relay(half, [seed + 1, 300_000, 20_000, 20, 0, 50, 10_000, 200], crash=700)
    assert done["crashes"] == 5


@pytest.mark.parametrize("what", ["server-gone", "server-forgets"])
def test_the_answer_of_the_near_host_is_enough_to_deliver(half: Path, what: str) -> None:
    """The server had sent all and was told so; it is silent, or has forgotten it. The client gets it, then a reset."""
    done = relay(half, [1, 300_000, 20_000, 0, 0, 0, 10_000, 200], crash=700, what=what)
    assert done["acked"] == 300_000 == done["received"][1]


def test_a_near_host_that_is_away_for_two_minutes_gets_everything(half: Path) -> None:
    done = relay(half, [1, 300_000, 20_000, 20, 0, 50, 10_000, 200], crash=700, what="client-away")
    assert done["client_ms"] > 120_000 and done["resets"] == 0


def test_if_no_sync_succeeds_nothing_is_acknowledged_that_the_client_does_not_have(half: Path) -> None:
    """The page that could not be written is no longer dirty: the next sync of that file would succeed."""
    done = relay(half, [1, 300_000, 20_000, 20, 0, 50, 10_000, 200], disk="failing")
    assert done["stored"] == 0 and done["server_ms"] > done["client_ms"]


def test_more_than_memory_keeps_is_delivered_from_disk(half: Path) -> None:
    done = relay(half, [1, 1_500_000, 100, 0, 0, 0, 60_000, 200])
    assert done["stored"] > 1_300_000 and done["server_ms"] < 2000 and done["client_ms"] > 4000


def test_an_old_acknowledgement_that_comes_after_a_restart_is_not_believed(half: Path) -> None:
    """It is less than what the journal lacks because it was delivered. This seed has one."""
    relay(half, [656, 142288, 3280, 32, 128, 250, 35564, 120], 696000, 472, 17)


@pytest.mark.parametrize(("seed", "mtu"), [(3, 1490), (3, 300), (5, 1290), (3, -1300), (3, -600), (5, -1290)])
def test_a_link_that_carries_less_than_the_handshake_said_gets_shorter_segments(
    half: Path, seed: int, mtu: int
) -> None:
    """Of IPv4 (seed 3) and IPv6 (seed 5), also if what is too long is just lost, and with a crash."""
    done = relay(half, [seed, 200_000, 20_000, 0, 0, 0, 10_000, 100], crash=700, mtu=mtu)
    assert done["resets"] == 0 and done["client_ms"] < (80_000 if mtu < 0 else 10_000)


def test_what_the_near_host_sends_without_reading_is_noted(half: Path) -> None:
    """The journal's numbers may be 256 KiB behind here. Nothing of 3 MB would be believed, and 300 kB would be lost."""
    done = relay(half, [1, 300_000, 3_000_000, 0, 0, 0, 20_000, 20_000], crash=15_000)
    assert done["crashes"] == 5 and done["resumed"] == 1 and 0 < done["near_ms"] < 30_000


def test_what_cannot_be_noted_is_not_passed_on_while_bytes_are_stored(half: Path) -> None:
    """A disk of which no sync succeeds any more, and a power cut: the client still gets what was acknowledged."""
    done = relay(half, [1, 300_000, 3_000_000, 0, 0, 0, 20_000, 2_000], crash=12_000, disk="breaks")
    assert done["acked"] > 100_000


def test_a_folder_that_cannot_be_synced_is_not_tried_at_every_packet(half: Path) -> None:
    done = relay(half, [1, 1_000_000, 20_000, 0, 0, 0, 60_000, 100], 100_000, disk="folder")
    assert done["calls"] < 200


def test_an_end_is_noted_on_a_full_disk_as_well(half: Path) -> None:
    """The client's FIN has gone on when a3d is killed; nobody would know it as one, nor when the connection is over."""
    done = relay(half, [1, 300_000, 1_000_000, 0, 0, 0, 10_000, 200], crash=4000, disk="fills")
    assert done["resets"] == 0 and done["ms"] < 120_000


def test_an_end_that_is_not_written_is_not_noted(half: Path) -> None:
    """Where writing over takes room. The server sends its FIN again, so the client has it after a kill as well."""
    relay(half, [1, 300_000, 100, 0, 0, 0, 10_000, 200], crash=4000, disk="copies")


def test_bytes_that_the_disk_has_changed_are_not_delivered(half: Path) -> None:
    """The client gets what memory keeps, and is reset when it comes to what does not have its CRC any more."""
    done = relay(half, [1, 1_500_000, 100, 0, 0, 0, 60_000, 200], disk="lying")
    assert 0 < done["received"][1] < 1_500_000


def test_what_a_host_had_before_a_restart_beyond_a_gap_is_believed_when_the_gap_is_filled(half: Path) -> None:
    """It acknowledges more than was sent since. This seed has such a gap at the server, while the client is away."""
    numbers = [3794469629, 486040, 34197, 47, 15, 198, 20_000, 0]
    relay(half, numbers, 100_000, "c2", 658, "client-away")


def test_hosts_that_refuse_what_the_other_one_says_come_to_an_end(half: Path) -> None:
    """With this seed, each once answered the other one's answers for ever, while the client was away."""
    relay(half, [1688840354, 690410, 27951, 0, 58, 122, 20_000, 500], 0, "c35", 1100, "client-away", "failing")


def test_the_server_is_done_before_a_slow_reader_has_half(half: Path) -> None:
    """A reader of 20 kB every half second takes 7.5 s for 300 kB, and so does the server without IB."""
    fast = relay(half, [1, 300_000, 500, 0, 0, 0, 65_000, 0], ib=False)
    slow = relay(half, [1, 300_000, 500, 0, 0, 0, 20_000, 500], ib=False)
    buffered = relay(half, [1, 300_000, 500, 0, 0, 0, 20_000, 500])
    assert slow["ms"] > 7000 and buffered["ms"] > 7000
    assert buffered["server_ms"] <= 1.05 * fast["ms"] and buffered["stored"] > 200_000


def test_for_a_fast_reader_nothing_is_stored(half: Path) -> None:
    """It acknowledges within 20 ms and its window is never full: there is nothing that the disk would have to keep."""
    assert relay(half, [1, 14_000, 500, 0, 0, 0, 65_000, 0])["stored"] == 0


def test_with_a_full_disk_it_is_as_fast_as_the_reader(half: Path) -> None:
    some, none = (relay(half, [1, 300_000, 500, 0, 0, 0, 20_000, 500], quota=quota) for quota in (100_000, 1000))
    assert some["server_ms"] > 4000 and none["full"] > 0 and none["stored"] == 0 and none["ms"] > 7000


@pytest.mark.parametrize("seed", range(5))
def test_a_server_that_resets_does_not_take_back_what_was_acknowledged(half: Path, seed: int) -> None:
    """The client gets it, and then the reset."""
    relay(half, [seed + 1, 300_000, 100, 0, 0, 0, 10_000, 300], what="server")


@pytest.mark.parametrize("seed", range(5))
def test_a_client_that_resets_ends_it(half: Path, seed: int) -> None:
    relay(half, [seed + 1, 300_000, 100, 0, 0, 0, 10_000, 300], what="client")


class Page(Talk):
    """A request of a page, and the first part of its answer, seen by the client's side."""

    def __init__(self, port: int = 40_000, begin_us: int = 0, client: str = "10.0.0.2") -> None:
        super().__init__(client=(client, port), server=("2001:db8:9::1", 80) if ":" in client else SERVER)
        self.begin_us = begin_us
        # MSS 1460, SACK, and windows that are scaled by 7
        options = bytes([2, 4, 5, 180, 4, 2, 3, 3, 7, 0])
        self.send(begin_us, 0, -1, 0, flags=SYN, options=options)
        self.send(begin_us + 1 * MS, 1, -1, 0, flags=SYN | ACK, options=options)
        self.send(begin_us + 2 * MS, 0, 0, 0)
        self.send(begin_us + 3 * MS, 0, 0, 0, PAGE)

    def answer(self, at_us: int, seq: int, data: bytes, ack: int = len(PAGE)) -> None:
        self.send(at_us, 1, seq, ack, data)


def sent(printed: list[str]) -> list[tuple[bool, Read]]:
    """Return what was sent, with whether it is for the server."""
    packets = [bytes.fromhex(line.split()[2]) for line in printed if line.startswith("send ")]
    return [(packet[22:24] == b"\0\x50", read(packet)) for packet in packets]


def test_after_a_loss_with_much_under_way_the_other_elements_still_see_it(program: Path, tmp_path: Path) -> None:
    """The server was told 8 MiB. 434 kB come ahead of a gap, then what fills it; the next request is thin."""
    talk, body = Page(), bytes(301 * 1448)
    head = b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % len(body)
    talk.answer(50 * MS, 0, head)
    for at in [*range(1448, len(body), 1448), 0]:
        talk.answer(60 * MS, len(head) + at, body[at : at + 1448])
    end = len(head) + len(body)
    talk.send(100 * MS, 0, len(PAGE), 0, PAGE)
    talk.answer(150 * MS, end, ANSWER, 2 * len(PAGE))
    done = chain(program, "client", talk.lines, ib=tmp_path)
    assert done.counts["taken"] == 1 and done.counts["left"] == [0] * 7 and done.counts["stored"] == 0
    assert done.counts["thin"] == 3


def test_the_end_of_what_was_handed_over_is_seen(program: Path, tmp_path: Path) -> None:
    """The FIN comes ahead of a gap. When both have ended, the connection is over for the other elements, too."""
    talk = Page()
    talk.answer(50 * MS, 0, b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n")
    at = 38
    talk.send(60 * MS, 1, at + 1, len(PAGE), b"b", flags=ACK | FIN)
    talk.answer(70 * MS, at, b"a")
    talk.send(80 * MS, 0, len(PAGE), at + 3, flags=ACK | FIN)
    talk.send(90 * MS, 1, at + 3, len(PAGE) + 1)
    again = Page(begin_us=200 * MS)
    done = chain(program, "client", [*talk.lines, *again.lines], ib=tmp_path)
    assert done.counts["left"] == [0] * 7 and done.counts["connections"] == 2 and done.counts["thin"] == 4


def changed(lines: list[str]) -> list[str]:
    """Return lines whose packets are of a changed connection."""
    return [f"{line} changed" for line in lines]


def test_a_connection_is_noted_before_the_first_changed_packet_leaves(program: Path, tmp_path: Path) -> None:
    """All up to the request passes; from the answer on nothing does, and the client gets its bytes from here."""
    talk = Page()
    talk.answer(50 * MS, 0, ANSWER)
    printed, counts = ib(program, "client", tmp_path, talk.lines)
    assert printed[:4] == ["pass"] * 4 and printed[4:6] == ["changed 1 4 40000 80", "drop"]
    assert not any(line == "pass" for line in printed[4:]) and counts["taken"] == 1
    to_client = [one for outward, one in sent(printed) if not outward]
    assert to_client[0].data == ANSWER and to_client[0].seq == 5001
    assert len(list(tmp_path.iterdir())) == 1


def test_the_window_is_the_largest_and_only_what_is_safe_is_acknowledged(program: Path, tmp_path: Path) -> None:
    """The client does not acknowledge, its window was 500 * 2^7: 20 ms later all is on disk, and acknowledged."""
    talk = Page()
    talk.answer(50 * MS, 0, ANSWER)
    printed, _ = ib(program, "client", tmp_path, talk.lines)
    acks = [
        (int(line.split()[1]), one)
        for line, (outward, one) in zip(
            (line for line in printed if line.startswith("send ")), sent(printed), strict=True
        )
        if outward
    ]
    assert [one.ack - 5001 for _, one in acks] == [0, len(ANSWER)]
    assert acks[1][0] == 70 * MS * 1000
    assert all(one.window << 7 > 900_000 for _, one in acks)


def test_syncs_have_a_least_interval(program: Path, tmp_path: Path) -> None:
    """The client's window is closed, so each byte would be stored at once; there are 100 of them in 10 ms."""
    talk = Page()
    talk.answer(50 * MS, 0, ANSWER)
    talk.send(51 * MS, 0, len(PAGE), len(ANSWER), window=0)
    for number in range(100):
        talk.answer(100 * MS + number * 100, len(ANSWER) + number, b"x")
    printed, _ = ib(program, "client", tmp_path, talk.lines)
    acks = {one.ack for outward, one in sent(printed) if outward and one.ack > 5001 + len(ANSWER)}
    assert 2 <= len(acks) <= 4 and max(acks) == 5001 + len(ANSWER) + 100


def test_while_something_is_under_way_it_is_not_taken_over(program: Path, tmp_path: Path) -> None:
    """The answer comes in two segments before the client has acknowledged the first one, which passed."""
    talk = Page()
    talk.answer(50 * MS, 0, ANSWER, ack=5)
    printed, counts = ib(program, "client", tmp_path, talk.lines)
    assert printed == ["pass"] * 5 and counts["taken"] == 0


def test_while_it_ends_it_takes_none_over(program: Path, tmp_path: Path) -> None:
    """What is due in a connection would not be sent before there is another a3d."""
    talk = Page()
    talk.lines.append(f"{40 * MS} leave")
    talk.answer(50 * MS, 0, ANSWER)
    printed, counts = ib(program, "client", tmp_path, talk.lines)
    assert printed == ["pass"] * 5 and counts["taken"] == 0 and not list(tmp_path.iterdir())


def test_smtp_is_taken_over_by_the_servers_side_only(program: Path, tmp_path: Path) -> None:
    for side, taken in (("client", 0), ("server", 1)):
        talk = Talk()
        talk.open(0)
        said = [
            (1, b"220 a\r\n"),
            (0, b"EHLO b\r\n"),
            (1, b"250 a\r\n"),
            (0, b"MAIL FROM:<a@b.c>\r\n"),
            (1, b"250 a\r\n"),
            (0, b"RCPT TO:<d@e.f>\r\n"),
            (1, b"250 a\r\n"),
            (0, b"DATA\r\n"),
            (1, b"354 a\r\n"),
            (0, b"text\r\n"),
        ]
        at = [0, 0]
        for number, (way, data) in enumerate(said):
            talk.send(number * MS, way, at[way], at[1 - way], data)
            at[way] += len(data)
        (tmp_path / side).mkdir()
        assert ib(program, side, tmp_path / side, talk.lines)[1]["taken"] == taken


def test_what_an_ended_daemon_has_changed_and_not_written_down_is_reset(program: Path, tmp_path: Path) -> None:
    """Both ends are reset with the numbers that they expect."""
    talk = Talk(server=SERVER)
    talk.send(1 * MS, 1, 700, 30, b"data")
    printed, counts = ib(program, "client", tmp_path, changed(talk.lines))
    resets = {outward: one for outward, one in sent(printed) if one.flags & RST}
    assert printed[0] == "drop" and counts["lost"] == 1
    assert resets[True].seq == 1001 + 30 and resets[False].seq == 5001 + 700
    assert not any(line.startswith("changed") for line in printed)


@pytest.mark.parametrize("way", [0, 1])
def test_the_mark_of_a_lost_connection_goes_when_a_host_has_forgotten_it(
    program: Path, tmp_path: Path, way: int
) -> None:
    """Each is asked, and answers with a reset whose number is that of the question. Other resets say nothing."""
    talk = Talk(server=SERVER)
    talk.send(1 * MS, 1, 700, 30, b"data")
    asked = [one for outward, one in sent(ib(program, "client", tmp_path, changed(talk.lines))[0]) if outward == way]
    assert [one.flags & RST for one in asked] == [RST, 0] and asked[1].ack == (1001 + 30, 5001 + 704)[way]
    for number, lines in ((asked[1].ack + 1, 0), (asked[1].ack, 1)):
        reset = replace(talk.segment(way, 0, 0, flags=RST), seq=number)
        again = [*talk.lines, f"{2 * MS} {reset.packet().hex()}"]
        printed, _ = ib(program, "client", tmp_path, changed(again))
        assert printed.count("changed 0 4 40000 80") == lines and printed.count("pass") == 0


def test_a_new_connection_with_the_ports_of_a_changed_one_is_any_other_one(program: Path, tmp_path: Path) -> None:
    """When the server has answered it. Anybody can send a SYN, and a server that knows the old connection is reset."""
    talk = Talk(server=SERVER)
    talk.send(1 * MS, 0, -1, 0, flags=SYN)
    talk.send(2 * MS, 1, 700, 30)
    talk.send(3 * MS, 1, -1, 7, flags=SYN | ACK)
    talk.send(4 * MS, 1, -1, 0, flags=SYN | ACK)
    printed, _ = ib(program, "client", tmp_path, changed(talk.lines))
    said = [line for line in printed if not line.startswith("send ")]
    assert said == ["pass", "drop", "drop", "changed 0 4 40000 80", "pass"]


def test_the_next_daemon_asks_both_hosts_and_goes_on(program: Path, tmp_path: Path) -> None:
    """The client has acknowledged nothing. The next a3d asks, and sends what is missing when it knows that."""
    talk = Page()
    talk.answer(50 * MS, 0, ANSWER)
    ib(program, "client", tmp_path, talk.lines)
    again = Talk(server=SERVER, stamp=1000)
    again.send(2000 * MS, 0, len(PAGE), 0)
    again.send(2001 * MS, 1, len(ANSWER), len(PAGE))
    printed, counts = ib(program, "client", tmp_path, changed(again.lines))
    assert counts["resumed"] == 1 and counts["lost"] == 0 and printed[0] == "changed 1 4 40000 80"
    packets = sent(printed)
    assert [(outward, one.data) for outward, one in packets[:2]] == [(False, b""), (True, b"")]
    assert next(one.data for outward, one in packets if not outward and one.data) == ANSWER


OF = "-0a000002-9c40-0a000001-0050"  # the connection of a page, in the name of its journal


def test_a_file_that_was_not_ready_is_removed_and_others_stay(program: Path, tmp_path: Path) -> None:
    """The other side's journals are not its own: near is far there."""
    others = ["client-0a000002-9c4-0a000001-0050", "client-3", "notes", f"server{OF}", f"server{OF}.new"]
    for name in (*others, f"client{OF}.new"):
        (tmp_path / name).write_bytes(b"2h3a torn")
    assert not any(line.startswith("changed") for line in ib(program, "client", tmp_path, [])[0])
    assert sorted(path.name for path in tmp_path.iterdir()) == others


def test_a_journal_that_cannot_be_read_now_stays_and_none_of_its_connection_passes(
    program: Path, tmp_path: Path
) -> None:
    """It is no file that a3d has made, or there is no memory, or no descriptor left: nothing is thrown away."""
    talk = Page()
    talk.answer(50 * MS, 0, ANSWER)
    ib(program, "client", tmp_path, talk.lines)
    (tmp_path / f"client{OF}").rename(tmp_path / "elsewhere")
    (tmp_path / f"client{OF}").symlink_to(tmp_path / "elsewhere")
    printed, _ = ib(program, "client", tmp_path, [])
    assert printed == ["changed 1 4 40000 80"] and len(list(tmp_path.iterdir())) == 2


def test_a_connection_whose_journal_has_a_damaged_head_is_reset(program: Path, tmp_path: Path) -> None:
    """Nobody knows what of it is missing at the client. Also after a reboot, until a new one has its ports."""
    talk = Page()
    talk.answer(50 * MS, 0, ANSWER)
    ib(program, "client", tmp_path, talk.lines)
    (path,) = tmp_path.iterdir()
    stored = bytearray(path.read_bytes())
    stored[50] ^= 1
    path.write_bytes(stored)
    printed, counts = ib(program, "client", tmp_path, answers_after_restart(0, len(ANSWER)))
    assert printed[:2] == ["changed 1 4 40000 80", "drop"] and counts["resumed"] == 0 and counts["lost"] == 2
    assert {outward for outward, one in sent(printed) if one.flags & RST} == {True, False} and path.exists()
    again = Talk(server=SERVER)
    again.send(1 * MS, 0, -1, 7, flags=SYN)
    again.send(2 * MS, 1, -1, 0, flags=SYN | ACK)
    printed, _ = ib(program, "client", tmp_path, changed(again.lines))
    assert printed[-1] == "pass" and "changed 0 4 40000 80" in printed and not path.exists()


def test_a_server_that_refuses_a_new_connection_is_heard(program: Path, tmp_path: Path) -> None:
    """Its ports are those of a changed one. A reset that answers no SYN does not pass."""
    talk = Talk(server=SERVER)
    talk.send(1 * MS, 0, -1, 7, flags=SYN)
    talk.raw(2 * MS, replace(talk.segment(1, 0, 0), seq=0, flags=RST | ACK).packet())
    talk.raw(3 * MS, replace(talk.segment(1, 0, 5), seq=0, flags=RST | ACK).packet())
    printed, _ = ib(program, "client", tmp_path, changed(talk.lines))
    assert printed == ["pass", "pass", "drop"]


def test_a_forged_segment_does_not_make_it_refuse_what_is_real(program: Path, tmp_path: Path) -> None:
    """It came before the connection was taken over, with a timestamp of the far future and a number of another one."""
    talk = Page()
    talk.raw(20 * MS, replace(talk.segment(1, 700_000_000, 0), stamp=2**31 - 9).packet())
    talk.answer(50 * MS, 0, ANSWER)
    printed, counts = ib(program, "client", tmp_path, talk.lines)
    assert counts["taken"] == 1 and any(one.data == ANSWER for _, one in sent(printed))


def test_a_connection_with_urgent_data_is_not_taken_over(program: Path, tmp_path: Path) -> None:
    talk = Page()
    talk.send(20 * MS, 0, len(PAGE), 0, b"x", flags=ACK | URG)
    talk.answer(50 * MS, 0, ANSWER, len(PAGE) + 1)
    assert ib(program, "client", tmp_path, talk.lines)[1]["taken"] == 0


def resets(printed: list[str]) -> list[str]:
    """Return packets of resets, in hexadecimal."""
    packets = [line.split()[2] for line in printed if line.startswith("send ")]
    return [packet for packet in packets if read(bytes.fromhex(packet)).flags & RST]


def answered(clients: list[str], step_us: int = 60 * MS, begin_us: int = 0) -> list[str]:
    """Return pages, one after the other, whose answers begin; each from a port of its own."""
    lines = []
    for number, client in enumerate(clients):
        talk = Page(40_000 + number, begin_us + number * step_us, client)
        talk.answer(talk.begin_us + 5 * MS, 0, ANSWER)
        lines += talk.lines
    return lines


def test_a_device_has_a_part_of_the_places(program: Path, tmp_path: Path) -> None:
    """Addresses of IPv6 with equal first halves are those of one device."""
    clients = [f"2001:db8::{number:x}" for number in range(1, 40)] + ["2001:db8:1::1"]
    _, counts = ib(program, "client", tmp_path, answered(clients))
    assert counts["taken"] == 32 + 1 and counts["not_taken"] == 39 - 32


def test_only_so_many_are_taken_over_at_once(program: Path, tmp_path: Path) -> None:
    """Each costs syncs, for which all packets wait. One that is not taken over may be so at its next segment."""
    lines = answered(["10.0.0.2"] * 30, 0, 1000 * 1000 * MS)
    lines.sort(key=lambda line: int(line.split()[0]))
    _, counts = ib(program, "client", tmp_path, lines)
    assert counts["taken"] == 16 and counts["not_taken"] == 0


def test_only_so_many_ends_are_noted_at_once(program: Path, tmp_path: Path) -> None:
    """Each costs a sync, too. 40 servers end at once: 16 ends go on, and then one in 5 ms."""
    clients = [f"10.0.{number % 2}.2" for number in range(40)]
    lines = answered(clients)
    for number, client in enumerate(clients):
        talk = Page(40_000 + number, 0, client)
        talk.lines.clear()
        talk.send(3000 * MS, 0, len(PAGE), len(ANSWER))
        talk.send(3001 * MS, 1, len(ANSWER), len(PAGE), flags=ACK | FIN)
        lines += talk.lines
    lines.sort(key=lambda line: int(line.split()[0]))
    printed, counts = ib(program, "client", tmp_path, lines)
    came = [line.split() for line in printed if line.startswith("send ")]
    at_ms: dict[str, float] = {}
    for _, at, packet in came:
        one = read(bytes.fromhex(packet))
        if one.flags & FIN:
            at_ms.setdefault(packet[40:48], int(at) / 1_000_000)
    times = sorted(at_ms.values())
    assert counts["taken"] == len(times) == 40
    assert times == [3001] * 16 + [3001 + 5 * number for number in range(1, 25)]


def test_one_that_has_been_idle_for_two_hours_leaves_its_place_to_another_one(program: Path, tmp_path: Path) -> None:
    """Its hosts answer whenever they are asked; with 128 of them, nobody else would have IB any more.

    The first one has moved a byte later than the others.
    """
    lines = answered([f"10.0.{number % 4}.2" for number in range(128)])
    for second in range(60, 7500, 1000):
        for number in range(128):
            talk = Page(40_000 + number, 0, f"10.0.{number % 4}.2")
            talk.lines.clear()
            talk.stamp = 10 + second
            end, data = len(ANSWER) + (number == 0 and second > 1060), b"x" * ((number, second) == (0, 1060))
            talk.send(second * 1000 * MS, 1, end, len(PAGE), data)
            talk.send(second * 1000 * MS, 0, len(PAGE), end + len(data))
            lines += talk.lines
    for second in (7600, 7601):
        late = Page(50_000 + second, second * 1000 * MS, "10.0.9.9")
        late.answer(late.begin_us + 5 * MS, 0, ANSWER)
        lines += late.lines
    printed, counts = ib(program, "client", tmp_path, lines)
    assert counts["taken"] == 128 + 1 and counts["not_taken"] == 1
    assert [line for line in printed if line.startswith("changed 1")][-1] == "changed 1 4 57601 80"
    assert not any(packet[40:48] == "00509c40" for packet in resets(printed))


def answers_after_restart(talk_ack: int, server: int | None) -> list[str]:
    """Return what the hosts answer the next a3d: how much the client has; None: a reset of the server."""
    again = Talk(server=SERVER, stamp=1000)
    again.send(2000 * MS, 0, len(PAGE), talk_ack)
    if server is None:
        again.send(2001 * MS, 1, 0, 0, flags=RST)
    else:
        again.send(2001 * MS, 1, server, len(PAGE))
    return changed(again.lines)


def test_a_damaged_record_is_not_delivered_and_both_hosts_are_reset(program: Path, tmp_path: Path) -> None:
    """A bit of a stored byte is wrong, as its CRC tells. The server was told that it is there."""
    talk = Page()
    talk.answer(50 * MS, 0, ANSWER)
    talk.answer(100 * MS, len(ANSWER), b"x" * 1000)
    ib(program, "client", tmp_path, talk.lines)
    (path,) = tmp_path.iterdir()
    stored = bytearray(path.read_bytes())
    stored[-5] ^= 1
    path.write_bytes(stored)
    has_the_rest = Talk(server=SERVER, stamp=2000)
    has_the_rest.send(2100 * MS, 0, len(PAGE), len(ANSWER))
    lines = [*answers_after_restart(0, len(ANSWER) + 1000), *changed(has_the_rest.lines)]
    packets = sent(ib(program, "client", tmp_path, lines)[0])
    assert {one.data for outward, one in packets if not outward} == {b"", ANSWER}
    resets = [(outward, one.seq) for outward, one in packets if one.flags & RST]
    assert resets and resets[0][0] and (False, 5001 + len(ANSWER)) in resets


def test_a_torn_record_that_was_never_synced_is_cut_off(program: Path, tmp_path: Path) -> None:
    talk = Page()
    talk.answer(50 * MS, 0, ANSWER)
    ib(program, "client", tmp_path, talk.lines)
    (path,) = tmp_path.iterdir()
    with path.open("ab") as file:
        file.write(b"2b3a, and what a torn record has")
    printed, counts = ib(program, "client", tmp_path, answers_after_restart(0, len(ANSWER)))
    assert counts["resumed"] == 1 and not any(one.flags & RST for _, one in sent(printed))


def test_a_fin_that_is_stored_alone_is_delivered_after_a_restart(program: Path, tmp_path: Path) -> None:
    """All before it was delivered. It was acknowledged, so the server may have forgotten it."""
    talk = Page()
    talk.answer(50 * MS, 0, ANSWER)
    talk.send(60 * MS, 0, len(PAGE), len(ANSWER))
    talk.send(70 * MS, 1, len(ANSWER), len(PAGE), flags=ACK | FIN)
    printed, _ = ib(program, "client", tmp_path, talk.lines)
    assert [one.ack for outward, one in sent(printed) if outward][-1] == 5001 + len(ANSWER) + 1
    printed, _ = ib(program, "client", tmp_path, answers_after_restart(len(ANSWER), len(ANSWER) + 1))
    to_client = [one for outward, one in sent(printed) if not outward and one.flags & FIN]
    assert to_client and {one.seq for one in to_client} == {5001 + len(ANSWER)}


def test_the_journal_of_an_old_connection_does_nothing_to_a_new_one(program: Path, tmp_path: Path) -> None:
    """Its ports are the same, its numbers are others: what the hosts say cannot be an answer."""
    talk = Page()
    talk.answer(50 * MS, 0, ANSWER)
    ib(program, "client", tmp_path, talk.lines)
    again = Talk(server=SERVER, stamp=1000, first=(900_000_000, 2_000_000_000))
    again.send(2000 * MS, 0, len(PAGE), 0, b"data")
    again.send(2001 * MS, 1, 30, len(PAGE), b"data")
    printed, counts = ib(program, "client", tmp_path, changed(again.lines))
    assert counts["resumed"] == 0 and not any(one.data for _, one in sent(printed))


def test_none_of_a_connection_that_was_reset_passes_before_a_host_has_forgotten_it(
    program: Path, tmp_path: Path
) -> None:
    """The client sends urgent data, and both are reset. As long as no host says that it is gone, its mark stays."""
    talk = Page()
    talk.answer(50 * MS, 0, ANSWER)
    talk.send(60 * MS, 0, len(PAGE), 0, b"x", flags=ACK | URG)
    printed, _ = ib(program, "client", tmp_path, talk.lines)
    assert not any(line.startswith("changed 0") for line in printed)
    assert {outward for outward, one in sent(printed) if one.flags & RST} == {True, False}
    again = Talk(server=SERVER, first=(9, 8))
    again.send(100 * MS, 0, -1, 0, flags=SYN)
    again.send(110 * MS, 1, -1, 0, flags=SYN | ACK)
    printed, _ = ib(program, "client", tmp_path, [*talk.lines, *changed(again.lines)])
    assert any(line.startswith("changed 0") for line in printed)
    talk.send(100 * MS, 0, len(PAGE), 0, flags=RST)
    printed, _ = ib(program, "client", tmp_path, talk.lines)
    assert any(line.startswith("changed 0") for line in printed)


def test_connections_that_are_over_make_room_for_others(program: Path, tmp_path: Path) -> None:
    """There are 128 places, and each is kept for a minute after the end, unless somebody needs it."""
    lines = []
    for number in range(140):
        talk = Page(40_000 + number, number * 100 * MS)
        at = talk.begin_us
        talk.send(at + 50 * MS, 1, 0, len(PAGE), b"x", flags=ACK | FIN)
        talk.send(at + 60 * MS, 0, len(PAGE), 2, flags=ACK | FIN)
        talk.send(at + 70 * MS, 1, 2, len(PAGE) + 1)
        lines += talk.lines
    _, counts = ib(program, "client", tmp_path, lines)
    assert counts["taken"] == 140 and counts["not_taken"] == 0


@pytest.mark.parametrize("seed", range(4))
def test_hosts_that_do_anything_do_no_harm(program: Path, tmp_path: Path, seed: int) -> None:
    """Twice: the second time, it begins with the journals that are left."""
    for count in ("taken", "resumed"):
        done = chain(program, "client", fuzz.pages(seed, 1000), copies=2, ib=tmp_path)
        assert done.counts[count] > 10


@pytest.mark.parametrize("name", PLANTED_RELAY)
def test_planted_mistakes_of_ib_are_found(half: Path, program: Path, tmp_path: Path, name: str) -> None:
    mistake = PLANTED_RELAY[name]
    test = globals()[mistake.found_by]
    chain = "program" in test.__code__.co_varnames[: test.__code__.co_argcount]
    wrong_program = compiled("drive" if chain else "drive_half", mistake)
    folder = tmp_path / "journals"
    folder.mkdir()
    with pytest.raises((AssertionError, ValueError)):
        test(wrong_program, *([folder] if chain else []), *mistake.values)
