# SPDX-License-Identifier: MIT
"""One end of a TCP connection that a3d plays: what goes in comes out, and what TCP does when something is lost."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from . import fuzz
from .packets import ACK, FIN, PSH, RST, SYN, URG, Read, Segment, compiled, drive, read
from .planted import PLANTED_HALF

HOST, SELF = ("10.0.0.2", 40000), ("10.0.0.1", 80)
THEIRS, OURS = 2**32 - 20, 5001  # the numbers of the first bytes
MSS = 1000
MS = 1000
OPEN, RESET_BY_HOST, GONE, RESETTING = range(4)


@dataclass
class Host:
    """What a host and the half's owner do, with times in microseconds. Numbers count from 0."""

    mss: int = MSS
    scale: int = 0
    sack: bool = True
    stamps: bool = False
    window: int = 60_000
    lines: list[str] = field(default_factory=list)

    def packet(self, at: int, seq: int = 0, ack: int = 0, data: bytes = b"", **values: Any) -> None:
        values = {"stamp": None, "window": self.window >> self.scale} | values
        made = Segment(HOST, SELF, seq=THEIRS + seq, ack=OURS + ack, data=data, **values)
        self.lines.append(f"{at} {made.packet().hex()}")

    def does(self, at: int, what: str) -> None:
        self.lines.append(f"{at} {what}")


@dataclass
class Played:
    """What the half did: bytes that it handed over, packets with their times, and its state in the end."""

    handed: bytes
    sent: list[tuple[int, Read]]
    state: dict[str, Any]

    def bytes_sent(self) -> list[tuple[int, int, int]]:
        """Return (time, number, length) of what has bytes."""
        return [(at, (one.seq - OURS) % 2**32, len(one.data)) for at, one in self.sent if one.data]

    def acks(self) -> list[int]:
        return [(one.ack - THEIRS) % 2**32 for _, one in self.sent]


def play(program: Path, host: Host) -> Played:
    numbers = [4, host.mss, host.scale, int(host.sack), int(host.stamps), host.window]
    *printed, state = drive([str(program), "host", *(str(number) for number in numbers)], host.lines)
    words = [line.split() for line in printed]
    handed = b"".join(bytes.fromhex(line[1]) for line in words if line[0] == "bytes")
    sent = [(int(line[1]), read(bytes.fromhex(line[2]))) for line in words if line[0] == "send"]
    return Played(handed, sent, json.loads(state))


def content(at: int, length: int) -> bytes:
    """Return bytes that drive_half sends."""
    return bytes((number * 7 % 251) ^ (number >> 11) & 255 for number in range(at, at + length))


@given(
    seed=st.integers(1, 2**32),
    sizes=st.tuples(st.integers(0, 200_000), st.integers(0, 60_000)),
    harm=st.tuples(st.integers(0, 150), st.integers(0, 200), st.integers(0, 300)),
    room=st.integers(700, 300_000),
    pause_ms=st.sampled_from([0, 0, 1, 150, 3000]),
)
@settings(max_examples=20, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_what_goes_in_comes_out_whatever_the_network_does(
    half: Path, seed: int, sizes: tuple[int, int], harm: tuple[int, int, int], room: int, pause_ms: int
) -> None:
    """Losses, repetitions, another order, small windows and pauses; to the FIN of both sides, and nothing is kept."""
    numbers = [seed, *sizes, *harm, room, pause_ms]
    done = json.loads(drive([str(half), "line", *(str(number) for number in numbers)], [])[-1])
    assert done["right"] and done["wrong"] == 0 and done["received"] == [sizes[1], sizes[0]]


def test_without_losses_no_byte_is_sent_twice(half: Path) -> None:
    done = json.loads(drive([str(half), "line", "9", "1000000", "50000", "0", "0", "0", "65535", "0"], [])[-1])
    assert done["repeated"] == [0, 0] and done["ms"] < 600


def test_bytes_are_handed_over_in_order_and_acknowledged_when_it_is_permitted(half: Path) -> None:
    host = Host()
    host.packet(1 * MS, 0, data=b"abcd")
    host.packet(2 * MS, 4, data=b"ef")
    host.does(50 * MS, "permit 4")
    host.does(90 * MS, "permit 6")
    done = play(half, host)
    assert done.handed == b"abcdef" and [(at, one.ack) for at, one in done.sent] == [
        (50 * MS, (THEIRS + 4) % 2**32),
        (90 * MS, (THEIRS + 6) % 2**32),
    ]


def test_a_fin_is_acknowledged_when_it_is_permitted(half: Path) -> None:
    host = Host()
    host.packet(1 * MS, 0, data=b"abcd", flags=ACK | FIN)
    host.does(2 * MS, "permit 4")
    host.packet(3 * MS, 0, data=b"abcd", flags=ACK | FIN)
    host.does(4 * MS, "permit-end 4")
    done = play(half, host)
    assert done.handed == b"abcd" and done.acks() == [4, 4, 5] and done.state["finished"]


def test_a_gap_is_told_by_sack_the_newest_block_first(half: Path) -> None:
    host = Host()
    host.packet(1 * MS, 0, data=bytes(10))
    host.does(1 * MS, "permit 10")
    host.packet(2 * MS, 20, data=bytes(10))
    host.packet(3 * MS, 40, data=bytes(10))
    host.packet(4 * MS, 25, data=bytes(10))
    host.packet(5 * MS, 10, data=bytes(10))
    host.does(6 * MS, "permit 35")
    done = play(half, host)
    blocks = [tuple(((a - THEIRS) % 2**32, (b - THEIRS) % 2**32) for a, b in one.sack) for _, one in done.sent]
    assert blocks == [(), ((20, 30),), ((40, 50), (20, 30)), ((20, 35), (40, 50)), ((40, 50),), ((40, 50),)]
    assert done.acks() == [10, 10, 10, 10, 10, 35] and done.handed == bytes(35)


def test_three_duplicates_bring_a_segment_back_at_once(half: Path) -> None:
    host = Host()
    host.does(1 * MS, "offer 20000")
    for number in range(3):
        host.packet((10 + number) * MS, 0, 1000)
    host.packet(13 * MS, 0, 1000)
    host.does(14 * MS, "nothing")
    done = play(half, host)
    sent = done.bytes_sent()
    assert [seq for _, seq, _ in sent[:10]] == list(range(0, 10_000, 1000))
    assert (13 * MS, 1000, 1000) in sent and len([seq for _, seq, _ in sent if seq == 1000]) == 2
    assert all(one.data == content((one.seq - OURS) % 2**32, len(one.data)) for _, one in done.sent)


def test_a_partial_acknowledgement_brings_the_next_one_back(half: Path) -> None:
    """RFC 6582: of two that are lost in one window, the second one follows when the first one has arrived."""
    host = Host()
    host.does(1 * MS, "offer 10000")
    host.packet(10 * MS, 0, 1000)
    for number in range(3):
        host.packet((11 + number) * MS, 0, 1000)
    host.packet(20 * MS, 0, 4000)
    host.packet(30 * MS, 0, 10_000)
    host.does(2000 * MS, "nothing")
    done = play(half, host)
    assert [one for one in done.bytes_sent()[10:]] == [(13 * MS, 1000, 1000), (20 * MS, 4000, 1000)]
    assert done.state["acked"] == 10_000


def test_without_an_answer_the_timer_doubles_and_ends_after_15_times(half: Path) -> None:
    """The round trip was 100 ms: the first time after 300 ms (RFC 6298 2.2), the last waits are a minute."""
    host = Host()
    host.does(0, "offer 1000")
    host.packet(100 * MS, 0, 1000)
    host.does(200 * MS, "offer 2000")
    host.does(2000_000 * MS, "nothing")
    done = play(half, host)
    again = [at // MS for at, seq, _ in done.bytes_sent() if seq == 1000]
    waits = [b - a for a, b in pairwise(again)]
    assert again[0] == 200 and waits == [300, 600, 1200, 2400, 4800, 9600, 19200, 38400, *[60_000] * 7]
    assert done.state["state"] == GONE


def test_a_closed_window_is_asked_for_and_no_byte_sent_into_it(half: Path) -> None:
    """The question has an old number, so the host answers it. The window opens after 10 s, and bytes follow at once."""
    host = Host(window=2000)
    host.does(0, "offer 5000")
    host.packet(100 * MS, 0, 2000, window=0)
    for at in range(150, 10_000, 1000):
        host.packet(at * MS, 0, 2000, window=0)
    host.packet(10_000 * MS, 0, 2000, window=2000)
    host.does(10_001 * MS, "nothing")
    done = play(half, host)
    assert done.bytes_sent() == [(0, 0, 1000), (0, 1000, 1000), (10_000 * MS, 2000, 1000), (10_000 * MS, 3000, 1000)]
    asked = [(at, one) for at, one in done.sent if not one.data]
    assert 3 <= len(asked) <= 6 and {one.seq for _, one in asked} == {OURS + 1999}


def test_a_window_is_never_passed(half: Path) -> None:
    host = Host(window=2500)
    host.does(0, "offer 9000")
    host.packet(10 * MS, 0, 1000, window=2500)
    host.does(11 * MS, "nothing")
    assert [seq for _, seq, _ in play(half, host).bytes_sent()] == [0, 1000, 2000]


def test_windows_are_scaled_both_ways(half: Path) -> None:
    host = Host(scale=7, window=2048)
    host.does(0, "take 1000000")
    host.does(0, "offer 9000")
    host.packet(10 * MS, 0, 1000, window=16)
    host.does(11 * MS, "nothing")
    done = play(half, host)
    assert [seq for _, seq, _ in done.bytes_sent()] == [0, 1000, 2000]
    assert {one.window for _, one in done.sent} == {1_000_000 >> 7}


def test_what_does_not_fit_is_not_taken_and_the_new_room_is_told(half: Path) -> None:
    host = Host()
    host.does(0, "take 2000")
    host.packet(1 * MS, 0, data=bytes(1500))
    host.packet(2 * MS, 1500, data=bytes(1500))
    host.does(2 * MS, "permit 2000")
    host.does(10 * MS, "take 5000")
    done = play(half, host)
    assert len(done.handed) == 2000 and done.acks()[-1] == 2000
    assert [one.window for _, one in done.sent][-2:] == [0, 3000]


def test_old_timestamps_are_refused_and_new_ones_told(half: Path) -> None:
    """PAWS. Of segments that are acknowledged together, the first one's is told, so that the wait counts."""
    host = Host(stamps=True)
    host.packet(1 * MS, 0, data=bytes(10), stamp=50)
    host.packet(2 * MS, 10, data=bytes(10), stamp=60)
    host.does(3 * MS, "permit 20")
    host.packet(4 * MS, 20, data=bytes(10), stamp=40)
    host.packet(5 * MS, 20, data=bytes(10), stamp=61)
    host.does(6 * MS, "permit 30")
    host.packet(7 * MS, 30, data=bytes(10), stamp=None)
    done = play(half, host)
    assert len(done.handed) == 30 and done.acks() == [20, 20, 30]
    assert [one.stamps for _, one in done.sent] == [(1003, 50), (1004, 60), (1006, 61)]


@pytest.mark.parametrize(
    ("seq", "state", "answers"), [(10, RESET_BY_HOST, 0), (4, RESET_BY_HOST, 0), (500, OPEN, 1), (99_999, OPEN, 0)]
)
def test_a_reset_counts_only_with_a_number_that_the_host_can_have(
    half: Path, seq: int, state: int, answers: int
) -> None:
    """The next one, or one that was acknowledged to it; within the window it is asked to say it again (RFC 5961)."""
    host = Host()
    host.packet(1 * MS, 0, data=bytes(10))
    host.does(2 * MS, "permit 4")
    host.packet(3 * MS, seq, flags=RST)
    done = play(half, host)
    assert done.state["state"] == state and len([at for at, _ in done.sent if at == 3 * MS]) == answers


def test_a_syn_is_answered_and_changes_nothing(half: Path) -> None:
    """The host repeats its SYN if the last part of the handshake was lost behind a3d."""
    host = Host()
    host.packet(1 * MS, -1, -1, flags=SYN | ACK)
    done = play(half, host)
    assert done.acks() == [0] and done.state["state"] == OPEN


def test_after_a_reset_everything_is_answered_with_the_number_it_acknowledges(half: Path) -> None:
    host = Host()
    host.does(0, "offer 3000")
    host.does(1 * MS, "reset")
    host.packet(2 * MS, 0, 1000)
    done = play(half, host)
    resets = [one.seq - OURS for _, one in done.sent if one.flags & RST]
    assert resets == [3000, 1000] and done.state["state"] == RESETTING


def test_an_acknowledgement_of_what_was_never_sent_is_ignored(half: Path) -> None:
    host = Host()
    host.packet(1 * MS, 0, 700, b"x")
    done = play(half, host)
    assert done.state["acked"] == 0 and done.handed == b""


@pytest.mark.parametrize("seq", [-500_000, 700_000_000, 70_000])
def test_what_has_a_number_outside_the_window_counts_for_nothing(half: Path, seq: int) -> None:
    """Neither its acknowledgement, nor its bytes, FIN or timestamp; it is answered (RFC 5961)."""
    host = Host(stamps=True)
    host.does(0, "offer 5000")
    host.packet(1 * MS, 0, data=b"abcd", stamp=10)
    host.does(2 * MS, "permit 4")
    host.packet(3 * MS, seq, 2000, b"wrong", flags=ACK | FIN, stamp=2_000_000)
    host.packet(4 * MS, 4, 1000, b"efgh", stamp=11)
    host.does(5 * MS, "permit 8")
    done = play(half, host)
    assert done.handed == b"abcdefgh" and done.state["acked"] == 1000 and not done.state["finished"]
    assert [at for at, _ in done.sent if at == 3 * MS]


def test_what_is_outside_the_window_is_answered_twice_a_second(half: Path) -> None:
    """If the host takes the answer for the same, each would answer the other one for ever (RFC 5961 10)."""
    host = Host()
    for at in range(0, 1000, 10):
        host.packet(at * MS, 99_999)
    assert len(play(half, host).sent) == 2
    for at in range(1000, 1100, 10):
        host.packet(at * MS, 99_999, data=b"x")
    assert len(play(half, host).sent) == 12


def test_a_fin_in_front_of_bytes_that_have_come_is_ignored(half: Path) -> None:
    host = Host()
    host.packet(1 * MS, 0, data=b"abcdefgh")
    host.does(2 * MS, "permit 4")
    host.packet(3 * MS, 4, flags=ACK | FIN)
    host.packet(4 * MS, 8, data=b"ijkl", flags=ACK | FIN)
    host.does(5 * MS, "permit-end 12")
    done = play(half, host)
    assert done.handed == b"abcdefghijkl" and done.state["finished"] and done.acks()[-1] == 13


def test_an_acknowledgement_that_is_much_too_old_is_answered_and_ignored(half: Path) -> None:
    """RFC 5961 5.2: what it says of the window would also be old."""
    host = Host(window=2000)
    host.does(0, "offer 9000")
    host.packet(1 * MS, 0, 2000)
    host.packet(2 * MS, 0, 4000)
    host.packet(3 * MS, 0, 1900, data=b"x")
    done = play(half, host)
    assert done.handed == b"" and [at for at, _ in done.sent if at == 3 * MS]


def test_after_a_restart_the_host_is_asked_and_its_answer_adopted(half: Path) -> None:
    """Its numbers, if they can be true; and its echo, since the clock of timestamps may have begun again."""
    host = Host(stamps=True)
    host.does(0, "resume 1000")
    host.packet(10 * MS, 200_000, 3000, stamp=5)
    host.packet(20 * MS, 30, 900, stamp=5)
    host.packet(30 * MS, 30, 3000, stamp=5, echo=7_000_000)
    host.does(31 * MS, "offer 4000")
    host.packet(40 * MS, 30, 5000, stamp=6)
    host.does(1500 * MS, "nothing")
    done = play(half, host)
    (asked_at, asked), *later = done.sent
    assert (asked_at, asked.seq, asked.ack) == (0, OURS + 999, THEIRS)
    first = next((at, one) for at, one in later if one.data)
    assert first[0] == 31 * MS and first[1].seq == OURS + 3000
    assert first[1].stamps is not None and first[1].stamps[0] > 7_000_000
    assert done.state["acked"] == 5000


def test_a_host_that_says_old_numbers_first_is_heard_after_a_restart(half: Path) -> None:
    """The first answer was an old segment. What it has sent since is within the window that it was told before."""
    host = Host()
    host.does(0, "resume 1000")
    host.packet(30 * MS, 30, 3000)
    host.packet(40 * MS, 5000, 4000)
    assert play(half, host).state["acked"] == 4000


def test_a_connection_with_impossible_numbers_is_another_one_and_reset(half: Path) -> None:
    """After a reboot, a host may have opened a new one with the same ports. It is not held up for ten minutes."""
    host = Host()
    host.does(0, "resume 1000")
    host.packet(10 * MS, 900_000, 700_000_000)
    host.packet(20 * MS, 30, 3000)
    done = play(half, host)
    resets = [(at, one.seq) for at, one in done.sent if one.flags & RST]
    assert resets == [(10 * MS, OURS + 700_000_000)] and done.state["state"] == OPEN and done.state["acked"] == 3000


@pytest.mark.parametrize(("at", "acked"), [(30_000, 5000), (90_000, 3000)])
def test_minutes_after_a_restart_nothing_is_believed_that_was_not_sent(half: Path, at: int, acked: int) -> None:
    """The first answer may have been an old segment, but after a minute a newer one would have come."""
    host = Host()
    host.does(0, "resume 1000")
    host.packet(30 * MS, 30, 3000)
    host.packet(61_000 * MS if at > 60_000 else 29_000 * MS, 30, 3000)
    host.packet(at * MS, 30, 5000)
    assert play(half, host).state["acked"] == acked


def test_without_an_answer_after_a_restart_the_host_is_gone(half: Path) -> None:
    host = Host()
    host.does(0, "resume 1000")
    host.does(2_000_000 * MS, "nothing")
    done = play(half, host)
    waits = [b - a for (a, _), (b, _) in pairwise(done.sent)]
    assert [wait // MS for wait in waits] == [1000, 2000, 4000, 8000, 16000, 32000, *[60_000] * 8]
    assert done.state["state"] == GONE and not any(one.data for _, one in done.sent)


def test_a_host_that_is_not_heard_for_ten_minutes_is_asked_whether_it_is_there(half: Path) -> None:
    host = Host()
    host.packet(1 * MS, 0, data=b"abcd")
    host.does(1 * MS, "permit 4")
    host.does(2_000_000 * MS, "nothing")
    done = play(half, host)
    asked = [at // MS for at, one in done.sent if one.seq == OURS - 1]
    assert asked[:1] == [600_001] and len(asked) == 15 and done.state["state"] == GONE


def test_a_host_that_answers_with_a_closed_window_is_never_given_up(half: Path) -> None:
    """RFC 1122 4.2.2.17, also if bytes were under way when it closed; they are sent again, and it gets them."""
    host = Host(window=5000)
    host.does(0, "offer 5000")
    for second in range(1, 3000, 20):
        host.packet(second * 1000 * MS, 0, 1000, window=0)
    host.packet(3000_000 * MS, 0, 5000)
    state = play(half, host).state
    assert state["state"] == OPEN and state["acked"] == 5000


def test_a_window_that_was_closed_for_twenty_minutes_is_used_at_once(half: Path) -> None:
    """With what was under way when it closed, in segments as long as before."""
    host = Host(window=5000)
    host.does(0, "offer 5000")
    for second in range(1, 1200, 20):
        host.packet(second * 1000 * MS, 0, 1000, window=0)
    host.packet(1200_000 * MS, 0, 1000, window=5000)
    host.packet(1200_010 * MS, 0, 5000, window=5000)
    done = play(half, host)
    again = [sent for sent in done.bytes_sent() if sent[0] >= 1200_000 * MS]
    assert again[0] == (1200_000 * MS, 1000, 1000) and {length for _, _, length in again} == {1000}
    assert done.state["state"] == OPEN and done.state["acked"] == 5000


def test_urgent_data_end_a_connection(half: Path) -> None:
    """Whether the urgent byte is one of the stream is the program's choice at its host, which nobody knows here."""
    host = Host()
    host.packet(1 * MS, 0, data=b"abc", flags=ACK | URG)
    done = play(half, host)
    assert done.state["state"] == RESETTING and done.sent[0][1].flags & RST and done.handed == b""


def test_a_reset_is_repeated_until_the_host_has_forgotten_the_connection(half: Path) -> None:
    """It is asked; a host that knows it answers, and gets a reset with the number that it expects."""
    host = Host()
    host.does(1 * MS, "reset")
    host.packet(1500 * MS, 0, 4000)
    host.packet(3300 * MS, 0, flags=RST)
    host.does(900_000 * MS, "nothing")
    done = play(half, host)
    said = [(at // MS, (one.seq - OURS) % 2**32, bool(one.flags & RST)) for at, one in done.sent]
    old = 2**32 - 1
    assert said == [(1, 0, True), (1001, old, False), (1500, 4000, True), (2001, old, False)]
    assert done.state["state"] == RESET_BY_HOST


def test_large_segments_that_do_not_arrive_over_ipv6_become_small(half: Path) -> None:
    """The way may carry less than the handshake has said, and who says so speaks to the other host."""
    numbers = ["6", "1400", "0", "1", "0", "60000"]
    printed = drive([str(half), "host", *numbers], ["0 offer 3000", "9000000 nothing"])
    lengths = [len(line.split()[2]) // 2 - 60 for line in printed if line.startswith("send ")]
    assert lengths[0] == 1400 and lengths[-1] == 1220


@pytest.mark.parametrize(("version", "head"), [(4, 40), (6, 60)])
def test_what_is_too_long_for_a_link_leaves_at_once_in_shorter_segments(half: Path, version: int, head: int) -> None:
    """Of several that were sent at once, the first one that is refused makes them shorter."""
    lines = ["0 offer 3000", *[f"0 too-long {1400 + head}"] * 2, "0 nothing"]
    printed = drive([str(half), "host", str(version), "1400", "0", "1", "0", "60000"], lines)
    sent = [len(line.split()[2]) // 2 for line in printed if line.startswith("send ")]
    assert sent == [1400 + head, 1400 + head, 200 + head, 1400, 1400, 3000 - 2 * (1400 - head) + head]


def test_what_came_on_another_way_is_skipped(half: Path) -> None:
    host = Host()
    host.packet(1 * MS, 20, data=b"later", flags=ACK | FIN)
    host.does(2 * MS, "skip 20")
    host.does(3 * MS, "permit-end 25")
    done = play(half, host)
    assert done.handed == b"later" and done.state["finished"] and done.acks()[-1] == 26


def test_a_question_has_an_old_number(half: Path) -> None:
    host = Host()
    host.does(1 * MS, "ask")
    ((_, asked),) = play(half, host).sent
    assert asked.seq == OURS - 1 and asked.ack == THEIRS and not asked.data and asked.flags == ACK


def test_the_end_of_what_is_sent(half: Path) -> None:
    host = Host()
    host.does(0, "end 1500")
    host.packet(10 * MS, 0, 1501)
    done = play(half, host)
    assert [one.flags for _, one in done.sent] == [ACK, ACK | PSH | FIN] and done.state["acked_end"]


def test_pieces_that_are_kept_ahead_of_a_gap_have_a_limit(half: Path) -> None:
    """One byte each, with gaps between them: what it costs to find a place among them grows with their number."""
    host = Host(scale=7)
    host.does(0, "take 8000000")
    for number in range(2000):
        host.packet(1 * MS + number, 10 + 2 * number, data=b"x")
    done = play(half, host)
    assert done.state["pieces"] == 1024


def test_what_is_kept_ahead_of_a_gap_has_a_limit(half: Path) -> None:
    host = Host(scale=7)
    host.does(0, "take 8000000")
    for number in range(900):
        host.packet(1 * MS + number, 10 + 1448 * number, data=bytes(1448))
    done = play(half, host)
    assert (1 << 20) - 1500 < done.state["stored"] <= 1 << 20


@pytest.mark.parametrize("seed", range(8))
def test_a_host_that_does_anything_does_no_harm(half: Path, seed: int) -> None:
    fuzz.half_survives(half, seed, 2000)


@pytest.mark.parametrize("name", PLANTED_HALF)
def test_planted_mistakes_of_a_half_are_found(half: Path, tmp_path: Path, name: str) -> None:
    mistake = PLANTED_HALF[name]
    wrong_program = compiled("drive_half", mistake)
    with pytest.raises((AssertionError, ValueError)):
        globals()[mistake.found_by](wrong_program, *mistake.values)
