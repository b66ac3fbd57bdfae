# SPDX-License-Identifier: MIT
"""Connections that a3d follows: the bytes of both directions, and when it leaves one alone."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from .packets import ACK, FIN, RST, SYN, URG, Segment, Talk, track

MS = 1000
KEY = 40000  # the client's port
TO_SERVER, TO_CLIENT = 0, 1
FOLLOWED, MIDDLE, OPTIONS, GAP, MEMORY, ODD = range(6)
STORED = 256 * 1024
SCALE = bytes([3, 3, 7, 0])  # of windows


def left_of(words: list[str]) -> int:
    return int(words[1])


@pytest.mark.parametrize("first", [(1000, 5000), (2**32 - 3, 2**31 - 2), (2**32 - 1, 2**32 - 1)])
@pytest.mark.parametrize("ends", [("10.0.0.2", "10.0.0.1"), ("2001:db8::2", "2001:db8::1")])
def test_bytes_of_both_directions_to_the_end(program: Path, first: tuple[int, int], ends: tuple[str, str]) -> None:
    talk = Talk((ends[0], KEY), (ends[1], 25), first)
    talk.open()
    talk.send(1, 1, 0, 0, b"220 hello\r\n")
    talk.send(2, 0, 0, 11, b"QUIT\r\n")
    talk.send(3, 1, 11, 6, b"221 bye\r\n", flags=ACK | FIN)
    talk.send(4, 0, 6, 21, flags=ACK | FIN)
    talk.send(5, 1, 21, 7)
    done = track(program, talk.lines)
    assert done.kinds == ["new", "new", "nothing", "new", "new", "new", "new", "nothing"]
    assert done.streams == {(KEY, TO_CLIENT): b"220 hello\r\n221 bye\r\n", (KEY, TO_SERVER): b"QUIT\r\n"}
    assert [words[2] for words in done.said] == ["0"] * 7 + ["1"] and done.counts["left"] == [0] * 7


def test_what_is_ahead_of_a_gap_waits(program: Path) -> None:
    talk = Talk()
    talk.open()
    talk.send(1, 0, 3, 0, b"def", flags=ACK | FIN)
    talk.send(2, 0, 1, 0, b"bcd")
    talk.send(3, 0, 3, 0, b"def", flags=ACK | FIN)
    talk.send(4, 0, 0, 0, b"ab")
    done = track(program, talk.lines)
    assert done.kinds[3:] == ["ahead", "ahead", "ahead", "new"]
    assert done.streams == {(KEY, TO_SERVER): b"abcdef"} and done.counts["stored"] == 0


STREAM = bytes(number % 251 for number in range(5000))


@given(
    cuts=st.lists(st.tuples(st.integers(0, 4999), st.integers(1, 1448)), max_size=40),
    order=st.randoms(use_true_random=False),
    wrap=st.booleans(),
)
@settings(max_examples=20, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_order_and_repetition_gives_the_same_bytes(
    program: Path, cuts: list[tuple[int, int]], order: Random, wrap: bool
) -> None:
    """Overlapping pieces in any order, then all of it in order: what came is that stream, and nothing is kept."""
    talk = Talk(first=(2**32 - 2000, 7) if wrap else (9, 7))
    talk.open()
    pieces = [(seq, STREAM[seq : seq + length]) for seq, length in cuts]
    order.shuffle(pieces)
    pieces += [(seq, STREAM[seq : seq + 1000]) for seq in range(0, 5000, 1000)]
    for number, (seq, data) in enumerate(pieces):
        talk.send(number, 0, seq, 0, data)
    done = track(program, talk.lines)
    assert done.streams == {(KEY, TO_SERVER): STREAM}
    assert done.counts["stored"] == 0 and done.counts["left"] == [0] * 7


def test_a_connection_without_its_beginning_is_left(program: Path) -> None:
    talk = Talk()
    talk.send(0, 0, 0, 0, b"MAIL")
    talk.send(1, 1, 0, 4, b"250")
    done = track(program, talk.lines)
    assert done.kinds == ["not-followed"] * 2 and not done.streams
    assert done.counts["left"][MIDDLE] == 1 and done.counts["connections"] == 1


@pytest.mark.parametrize(
    "values",
    [
        {"options": bytes([30, 4, 0, 0])},  # MPTCP
        {"options": bytes([19, 18]) + bytes(16)},  # a signature, RFC 2385
        {"options": bytes([29, 4, 0, 0])},  # RFC 5925
        {"flags": ACK | URG},
    ],
)
def test_what_it_does_not_know_is_left(program: Path, values: dict[str, object]) -> None:
    talk = Talk()
    talk.open()
    talk.send(1, 0, 0, 0, b"MA", **values)
    talk.send(2, 0, 2, 0, b"IL")
    done = track(program, talk.lines)
    assert done.kinds[3:] == ["not-followed"] * 2 and not done.streams
    assert done.counts["left"][OPTIONS] == 1


def test_known_options_are_followed(program: Path) -> None:
    """MSS, window scale, SACK permitted, SACK; and an end of options before other bytes."""
    talk = Talk()
    talk.open()
    talk.send(1, 0, 0, 0, b"a", options=bytes([2, 4, 5, 180, 3, 3, 7, 4, 2, 1, 1, 0]))
    talk.send(2, 0, 1, 0, b"b", options=bytes([1, 1, 5, 10]) + bytes(8) + bytes([0, 30, 4, 0]))
    assert track(program, talk.lines).streams == {(KEY, TO_SERVER): b"ab"}


def test_data_with_a_syn_is_left(program: Path) -> None:
    """TCP Fast Open."""
    talk = Talk()
    talk.raw(0, Segment(seq=1000, flags=SYN, data=b"early").packet())
    done = track(program, talk.lines)
    assert left_of(done.said[0]) == OPTIONS


def test_an_acknowledgement_of_what_was_not_seen_is_a_gap(program: Path) -> None:
    talk = Talk()
    talk.open()
    talk.send(1, 0, 0, 0, b"1234")
    talk.send(2, 1, 0, 4)
    talk.send(3, 1, 0, 5)
    done = track(program, talk.lines)
    assert [left_of(words) for words in done.said[3:]] == [FOLLOWED, FOLLOWED, GAP]


def test_what_is_kept_has_a_limit(program: Path) -> None:
    """Each piece counts with what it takes to keep it, 16 bytes and a pointer."""
    talk = Talk()
    talk.send(0, 0, -1, 0, flags=SYN, options=SCALE)
    talk.send(0, 1, -1, 0, flags=SYN | ACK, options=SCALE)
    talk.send(0, 1, 0, 0, window=5000)
    piece, number = 1448, 0
    for number in range(STORED // piece + 1):
        talk.send(number, 0, 1 + number * piece, 0, bytes(piece))
    done = track(program, talk.lines)
    lefts = [left_of(words) for words in done.said]
    assert lefts.index(MEMORY) - 3 == STORED // (piece + 24)
    assert done.counts["stored"] == 0


@pytest.mark.parametrize(
    "values",
    [
        {"flags": RST},
        {"flags": RST | ACK},
        {"stamp": 2**31 - 9, "window": 1},
        {"flags": ACK | URG},
        {"options": bytes([30, 4, 0, 0])},
        {"data": b"forged", "ack": 5_000_000},
    ],
)
@pytest.mark.parametrize("seq", [-70_000, -1000, 70_000, 2**31 + 9])
def test_what_is_outside_the_window_counts_for_nothing(program: Path, seq: int, values: dict[str, Any]) -> None:
    """Anybody can send it who does not see the connection: it goes on."""
    talk = Talk()
    talk.open()
    talk.send(1, 0, 0, 0, b"ab")
    talk.send(2, 1, 0, 2)
    forged = {"stamp": 2**31 - 9} | values
    talk.raw(3, replace(talk.segment(0, seq, 0), **forged).packet())
    talk.send(4, 0, 2, 0, b"cd")
    done = track(program, talk.lines)
    assert done.streams == {(KEY, TO_SERVER): b"abcd"} and done.counts["left"] == [0] * 7
    assert done.said[-1][2] == "0"


def test_a_reset_that_answers_a_syn_ends_it(program: Path) -> None:
    for ack, closed in ((0, "1"), (9, "0")):
        talk = Talk()
        talk.send(0, 0, -1, 0, flags=SYN)
        talk.raw(1, replace(talk.segment(1, 0, ack), seq=0, flags=RST | ACK).packet())
        assert track(program, talk.lines).said[-1][2] == closed


def test_data_after_the_end_is_odd(program: Path) -> None:
    talk = Talk()
    talk.open()
    talk.send(1, 0, 0, 0, b"end", flags=ACK | FIN)
    talk.send(2, 0, 0, 0, b"end", flags=ACK | FIN)
    talk.send(3, 0, 3, 0, b"more")
    done = track(program, talk.lines)
    assert done.kinds[3:] == ["new", "repeated", "not-followed"] and left_of(done.said[-1]) == ODD


def test_a_syn_with_another_number_is_not_believed(program: Path) -> None:
    """Neither its ends would (a challenge ACK answers it): the connection goes on."""
    talk = Talk()
    talk.open()
    talk.send(1, 0, 0, 0, b"ab")
    talk.send(2, 0, 2, 0, flags=SYN)
    talk.send(3, 1, 7, 0, flags=SYN | ACK)
    talk.send(4, 0, 2, 0, b"cd")
    done = track(program, talk.lines)
    assert done.kinds[4:] == ["nothing", "nothing", "new"] and done.streams == {(KEY, TO_SERVER): b"abcd"}


@pytest.mark.parametrize("end", ["rst", "fin"])
def test_a_port_that_is_used_again_is_another_connection(program: Path, end: str) -> None:
    talk = Talk()
    talk.open()
    if end == "rst":
        talk.send(1, 1, 0, 0, flags=RST)
    else:
        talk.send(1, 0, 0, 0, flags=ACK | FIN)
        talk.send(2, 1, 0, 1, flags=ACK | FIN)
        talk.send(3, 0, 1, 1)
    again = Talk(first=(77, 88))
    again.open(4)
    again.send(5, 0, 0, 0, b"new")
    done = track(program, [*talk.lines, *again.lines])
    assert done.streams == {(KEY, TO_SERVER): b"new"} and done.counts["connections"] == 2
    assert done.counts["left"] == [0] * 7


def test_the_round_trip_of_the_handshake_is_measured_in_both_directions(program: Path) -> None:
    """If a SYN is repeated, from then on: what was lost is it or its answer, unless the way takes a second."""
    talk = Talk()
    talk.send(5 * MS, 0, -1, 0, flags=SYN)
    talk.send(85 * MS, 1, -1, 0, flags=SYN | ACK)
    talk.send(88 * MS, 0, 0, 0)
    talk.send(400 * MS, 0, 0, 0, b"one")
    talk.send(999 * MS, 1, 0, 3)
    said = track(program, talk.lines).said
    assert [(int(words[3]) // 1_000_000, int(words[4]) // 1_000_000) for words in said] == [
        *((0, 0), (80, 0), (80, 3), (80, 3), (80, 3))
    ]
    talk.lines.insert(0, talk.lines[0])
    talk.lines[0] = talk.lines[0].replace(f"{5 * MS} ", "1 ", 1)
    assert {int(words[3]) // 1_000_000 for words in track(program, talk.lines).said} == {0, 80}


def test_many_connections_do_not_push_out_those_that_are_followed(program: Path) -> None:
    """Half-open ones make room for others; with 5000 that are open, some are not followed. None is confused."""
    half = Talk(("10.9.0.1", 1))
    half.open()
    lines = half.lines[:]
    for port in range(2, 5000):
        lines.append(f"5 {Segment(('10.9.0.1', port), seq=port, flags=SYN).packet().hex()}")
    half.lines.clear()
    half.send(6, 0, 0, 0, b"still here")
    done = track(program, [*lines, *half.lines])
    assert done.streams == {(1, TO_SERVER): b"still here"} and done.counts["not_followed"] < 100
    full: list[str] = []
    for port in range(1, 5000):
        talk = Talk(("10.9.0.1", port), first=(port, 2 * port))
        talk.open(port)
        talk.send(port, 0, 0, 0, b"%d" % port)
        full += talk.lines
    done = track(program, full)
    assert 900 < len(done.streams) <= 1024 and done.counts["not_followed"] >= 3 * (4999 - 1024)
    assert all(data == b"%d" % port for (port, _), data in done.streams.items())


def test_an_idle_connection_makes_room_after_ten_minutes(program: Path) -> None:
    lines: list[str] = []
    for second, ports in ((0, range(1, 3000)), (601, range(3000, 6000))):
        for port in ports:
            talk = Talk(("10.9.0.1", port))
            talk.open(second * 1_000_000)
            talk.send(second * 1_000_000, 0, 0, 0, b"x")
            lines += talk.lines
    ports_seen = [port for port, _ in track(program, lines).streams]
    assert len([port for port in ports_seen if port >= 3000]) > 900


def test_pieces_that_are_there_are_not_kept_again(program: Path) -> None:
    """A segment ahead of a gap that comes a thousand times takes the room of one."""
    talk = Talk()
    talk.open()
    for number in range(1000):
        talk.send(number, 0, 100, 0, bytes(1448))
    done = track(program, talk.lines)
    assert done.counts["left"] == [0] * 7 and 1448 < done.counts["stored"] < 1500


def test_an_option_that_is_longer_than_its_packet_is_not_tcp(program: Path) -> None:
    talk = Talk()
    talk.open()
    talk.send(1, 0, 0, 0, b"", options=bytes([1, 1, 5, 34]))
    talk.send(2, 0, 0, 0, b"", options=bytes([1, 1, 1, 5]))
    talk.send(3, 0, 0, 0, b"", options=bytes([1, 1, 5, 1]))
    assert track(program, talk.lines).kinds[3:] == ["none"] * 3
