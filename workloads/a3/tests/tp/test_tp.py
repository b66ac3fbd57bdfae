# SPDX-License-Identifier: MIT
"""Transaction prediction: what is asked for ahead, what the client is answered from here, and what never is."""

from __future__ import annotations

import struct
from itertools import pairwise, repeat
from pathlib import Path
from typing import Any

import pytest

from ..observe.sessions import FIXTURES, Connection, cut, recorded
from . import fuzz
from .model import Run
from .planted import MODELLED, PLANTED
from .session import Session, compiled
from .smb import END_OF_FILE, PENDING, WRITE_ACCESS, Dialect, Smb1, Smb2, frame, frames
from .talk import CONTENT, Talk, talk

DIALECTS = [pytest.param(Smb1(), id="SMB1"), pytest.param(Smb2(), id="SMB2"), pytest.param(Smb2(False), id="SMB2.0.2")]
BLOCKS = [*((16384 * number, 16384) for number in range(6)), (98304, 1696)]  # of a file of 100 000 bytes
SPOILED = list(enumerate(["NT1", "SMB2_02", "SMB2_10", "SMB3_11"] * 2))
SIGNED = 2  # as the observer's numbers have it
each = pytest.mark.parametrize("dialect", DIALECTS)


@each
def test_the_rest_of_a_file_is_asked_for_when_its_first_block_is(program: Path, dialect: Dialect) -> None:
    """And each byte that comes is served."""
    said = talk(program, dialect)
    file = said.begin(size=100_000)
    assert said.reads == BLOCKS
    said.answer_all()
    first = said.got()
    assert (first.op, first.data) == ("read", CONTENT[:16384])
    for at, length in BLOCKS[1:]:
        number = said.ask("read", file=file, offset=at, length=16384)
        assert not said.asked
        answer = said.got()
        assert (answer.number, answer.data, answer.status) == (number, CONTENT[at : at + length], 0)
    counts = said.session.counts
    assert (counts.predicted, counts.answered, counts.oplocks) == (6, 6, 1)
    assert counts.fetched == counts.served == 100_000 - 16384 and not counts.wasted


@each
def test_a_read_waits_for_a_block_that_is_under_way(program: Path, dialect: Dialect) -> None:
    """The server may answer in any order, and for the time being."""
    said = talk(program, dialect)
    file = said.begin(size=40_000)
    second = said.ask("read", file=file, offset=16384, length=16384)
    assert said.reads == [*BLOCKS[:2], (32768, 7232)] and not said.seen()
    first_request, second_request, third_request = said.asked
    said.answer(third_request)
    if dialect.version == 2:
        said.answer(second_request, PENDING, interim=True)
    assert not said.seen()
    said.answer(second_request, credits=0 if dialect.version == 2 else 1, later=dialect.version == 2)
    answer = said.got()
    assert (answer.number, answer.data) == (second, CONTENT[16384:32768])
    expected = dialect.answer(
        dialect.read(dialect.ask("read", second, file=file, offset=16384, length=16384)), data=answer.data
    )
    assert dialect.without_credits(answer.raw) == dialect.without_credits(expected)
    said.answer(first_request)
    assert said.got().data == CONTENT[:16384]


@each
def test_reads_of_other_lengths_are_put_together(program: Path, dialect: Dialect) -> None:
    """Also of two blocks, and of the end: there, less than was asked for, then nothing."""
    said = talk(program, dialect)
    file = said.begin(size=40_000)
    said.answer_all()
    said.seen()
    for at, length in ((16384, 1000), (17384, 20_000), (37384, 60_000)):
        said.ask("read", file=file, offset=at, length=length)
        assert said.got().data == CONTENT[at : min(40_000, at + length)]
    said.ask("read", file=file, offset=40_000, length=100)
    assert said.reads == [(40_000, 100)]
    said.answer(said.asked[0], END_OF_FILE)
    assert said.got().status == END_OF_FILE
    assert said.session.counts.wasted == 0


def test_small_reads_are_asked_for_several_at_a_time(program: Path) -> None:
    said = talk(program, Smb2())
    said.begin(block=1000, size=50_000)
    assert said.reads == [(0, 1000), (1000, 17_000), (18_000, 17_000), (35_000, 15_000)]


def test_a_read_that_wants_more_than_is_left_is_the_servers(program: Path) -> None:
    said = talk(program, Smb2())
    file = said.begin(size=20_000)
    said.answer_all()
    said.seen()
    said.ask("read", file=file, offset=16384, length=16384, least=5000)
    assert said.reads == [(16384, 16384)]


@each
def test_a_block_is_served_once(program: Path, dialect: Dialect) -> None:
    said = talk(program, dialect)
    file = said.begin()
    said.answer_all()
    said.seen()
    for _ in range(2):
        said.ask("read", file=file, offset=16384, length=16384)
    assert said.got().data == CONTENT[16384:32768] and said.reads == [(16384, 16384)]


@each
def test_a_block_is_served_to_its_own_handle_only(program: Path, dialect: Dialect) -> None:
    """Of the same client."""
    said = talk(program, dialect)
    first = said.begin(1)
    second = said.open(2, granted=dialect.none)
    said.answer_all()
    said.seen()
    said.ask("read", file=second, offset=16384, length=16384)
    assert said.reads == [(16384, 16384)] and not said.seen()
    said.answer_all()
    said.seen()
    said.ask("read", file=first, offset=16384, length=16384)
    assert said.got().data == CONTENT[16384:32768]


@each
def test_a_block_is_not_served_to_the_next_file(program: Path, dialect: Dialect) -> None:
    """Though it was under way when the one before was closed, and comes when the next one has the same number."""
    said = talk(program, dialect)
    file = said.begin()
    comes = said.asked[1:]
    said.ask("close", file=file)
    said.answer(said.asked[-1])
    said.answer(said.asked[0])
    said.seen()
    said.ask("open", name="file2")
    said.answer(said.asked[-1], file=file, oplock=dialect.exclusive, size=100_000)
    for request in comes:
        said.answer(request)
    said.seen()
    said.ask("read", file=file, offset=16384, length=16384)
    assert said.reads == [(16384, 16384)] and not said.seen()


@each
def test_one_file_at_a_time(program: Path, dialect: Dialect) -> None:
    said = talk(program, dialect)
    first = said.open(1)
    said.ask("open", name="file2")
    assert said.asked[-1].oplock == dialect.none
    said.answer(said.asked[-1], file=said.file(2), size=100_000)
    said.seen()
    said.ask("close", file=first)
    said.answer_all()
    said.seen()
    said.begin(3)
    assert said.reads == BLOCKS


def test_a_block_is_of_its_session_and_tree(program: Path) -> None:
    """Another user's session on the same connection may have the same number of a file."""
    for at in (36, 40):
        said = talk(program, Smb2())
        file = said.begin()
        said.answer_all()
        said.seen()
        request = bytearray(Smb2().ask("read", said.number, file=file, offset=16384, length=16384))
        request[at] ^= 1
        said.send(bytes(request))
        assert said.reads == [(16384, 16384)] and not said.seen()


@each
def test_nothing_is_predicted_without_an_oplock(program: Path, dialect: Dialect) -> None:
    """One that others may share is not enough, and its break is nobody's matter."""
    said = talk(program, dialect)
    said.begin(granted=dialect.none)
    assert said.reads == BLOCKS[:1] and said.session.counts.oplocks == 0
    said = talk(program, dialect)
    file = said.begin(granted=dialect.level_2)
    assert said.reads == BLOCKS[:1] and said.session.counts.oplocks == 0
    said.say(dialect.breaks(file, dialect.none))
    assert not said.seen() and [request.op for request in said.asked] == ["read"]


@each
def test_the_client_hears_nothing_of_an_oplock_that_is_asked_for_here(program: Path, dialect: Dialect) -> None:
    said = talk(program, dialect)
    said.ask("open", name="file1")
    request = said.asked[0]
    assert request.oplock == dialect.exclusive
    said.answer(request, file=said.file(), oplock=dialect.exclusive, size=1)
    assert said.got().oplock == dialect.none


def test_an_open_is_answered_in_the_middle_of_a_frame(program: Path) -> None:
    dialect, said = Smb2(), talk(program, Smb2())
    said.ask("echo")
    said.ask("open", name="file1")
    first = bytearray(dialect.answer(said.asked[0]).ljust(72, b"\0"))
    first[20:24] = struct.pack("<I", 72)
    second = dialect.answer(said.asked[1], file=said.file(), oplock=8, size=100_000)
    said.say(bytes(first), second)
    (seen,) = said.raw()
    without = dialect.answer(said.asked[1], file=said.file(), oplock=0, size=100_000)
    assert seen[72:] == without and seen[:72] == first
    said.asked.clear()
    said.ask("read", file=said.file(), length=16384)
    assert said.reads == BLOCKS


@pytest.mark.parametrize("related", [False, True])
def test_a_close_in_a_compound(program: Path, related: bool) -> None:
    """Ends the file, and before it, the reads that wait."""
    dialect, said = Smb2(), talk(program, Smb2())
    file = said.begin()
    said.ask("read", file=file, offset=16384, length=16384)
    first = dialect.ask("query", said.number, file=file, following=104).ljust(104, b"\0")
    values: dict[str, Any] = {"file": b"\xff" * 16, "flags": 4} if related else {"file": file}
    second = dialect.ask("close", said.number + 1, **values)
    said.number += 2
    said.session.give(">", frame(first, second))
    *reads, whole = frames(bytearray(said.session.taken(">")))
    assert [dialect.read(message).offset for message in reads] == [16384]
    asked = [dialect.read(message) for message in (whole[:104], whole[104:])]
    one = bytearray(dialect.answer(asked[0]))
    one += bytes(-len(one) % 8)
    one[20:24] = struct.pack("<I", len(one))
    said.say(bytes(one), dialect.answer(asked[1]))
    said.answer_all()
    said.raw()
    said.ask("open", name="file2")
    assert said.asked[-1].oplock == 8


@each
def test_an_oplock_is_asked_for_only_to_read(program: Path, dialect: Dialect) -> None:
    """Not by one that creates a file, or writes, or has one itself; not while something may change the file."""
    changing: list[dict[str, Any]] = [{"access": WRITE_ACCESS}, {"disposition": 3}]
    for values in changing:
        said = talk(program, dialect)
        said.ask("open", name="file1", **values)
        assert said.asked[0].oplock == dialect.none
    for level in (dialect.exclusive, dialect.level_2, 9) if dialect.version == 2 else (dialect.exclusive,):
        said = talk(program, dialect)
        file = said.begin(oplock=level)
        assert said.reads == BLOCKS[:1]
        said.say(dialect.breaks(file, dialect.none))
        assert said.got().op == "break"
    said = talk(program, dialect)
    other = said.open(5, access=WRITE_ACCESS)
    said.ask("write", file=other, data=b"x")
    said.ask("open", name="file1")
    assert said.asked[-1].oplock == dialect.none


@pytest.mark.parametrize(("queries", "oplock"), [(63, 8), (64, 0)])
def test_an_oplock_is_asked_for_only_if_the_client_has_credits_to_spare(
    program: Path, queries: int, oplock: int
) -> None:
    said = talk(program, Smb2(), spare=1)  # it has 128
    for _ in range(queries):
        said.ask("query")
    said.ask("open", name="file1")
    assert said.asked[-1].oplock == oplock


def test_an_agreement_needs_a_credit(program: Path) -> None:
    """If the client has spent all, the server's next answer brings one."""
    said = talk(program, Smb2(), spare=1)
    file = said.open()
    for _ in range(128):
        said.ask("query")
    assert len(said.asked) == 128
    said.say(Smb2().breaks(file, 0))
    assert len(said.asked) == 128
    said.answer(said.asked[0])
    assert said.asked[-1].op == "agree"


@each
def test_an_oplock_is_not_asked_for_once_long_frames_have_passed(program: Path, dialect: Dialect) -> None:
    """An agreement to a break could not overtake them."""
    said = talk(program, dialect)
    for size, oplock in ((60_000, dialect.exclusive), (140_000, dialect.none)):
        said.send(dialect.ask("ioctl", said.number, file=said.file(9)).ljust(size, b"\0"))
        said.number += 1
        said.answer_all()
        said.ask("open", name="file1")
        assert said.asked[-1].oplock == oplock
        said.answer(said.asked[-1], 0xC0000022)


def opened_with_lease(said: Talk, state: int) -> bytes:
    """Open a file with a lease. Returns its number."""
    said.ask("open", name="file1", oplock=0xFF)
    request = said.asked.pop()
    context = struct.pack("<IHHHHI4s4x16sIIQ", 0, 16, 4, 0, 24, 32, b"RqLs", b"K" * 16, state, 0, 0)
    message = bytearray(said.dialect.answer(request, file=said.file(), oplock=0xFF, size=100_000))
    message[64 + 80 : 64 + 88] = struct.pack("<II", 152, len(context))
    said.say(bytes(message) + context)
    answer = said.got()
    assert answer.oplock == 0xFF
    return answer.file


def lease_break() -> bytes:
    head = struct.pack("<4sHHIHHIIQIIQ16x", b"\xfeSMB", 64, 0, 0, 18, 0, 1, 0, 2**64 - 1, 0, 0, 0)
    return head + struct.pack("<HHI16sIIIII", 44, 0, 1, b"K" * 16, 7, 0, 0, 0, 0)


@pytest.mark.parametrize("state", [1, 3, 7])
def test_a_lease_of_the_client_is_its_own(program: Path, state: int) -> None:
    """It is not predicted, and its break passes, also while an oplock is asked for here."""
    said = talk(program, Smb2())
    file = opened_with_lease(said, state)
    said.ask("read", file=file, length=16384)
    assert said.reads == BLOCKS[:1]
    said.answer_all()
    said.seen()
    said.ask("open", name="file2")
    said.say(lease_break())
    assert len(said.seen()) == 1
    said.answer(said.asked[0], file=said.file(2), oplock=8, size=100_000)
    said.seen()
    said.ask("read", file=said.file(2), length=16384)
    assert said.reads == BLOCKS and said.session.state == "acts"


@pytest.mark.parametrize(("channels", "signed", "predicts"), [(False, True, 7), (True, True, 1), (True, False, 7)])
def test_a_session_that_another_connection_may_join(program: Path, channels: bool, signed: bool, predicts: int) -> None:
    """Nothing is predicted there: a break may come on the other one. None joins a session without a key."""
    said = talk(program, Smb2(), channels=channels, signed=signed)
    said.begin()
    assert len(said.reads) == predicts


@each
def test_a_break_of_its_own_oplock_stays_here(program: Path, dialect: Dialect) -> None:
    """What is kept is dropped before it agrees to the break; what comes later of what was asked for before, as well."""
    said = talk(program, dialect)
    file = said.begin()
    kept, comes = said.asked[1:3]
    said.answer(kept)
    waiting = said.ask("read", file=file, offset=32768, length=16384)
    said.say(dialect.breaks(file, dialect.none))
    assert not said.seen()
    assert [request.op for request in said.asked[-2:]] == ["agree", "read"] and said.asked[-2].file[:2] == file[:2]
    said.answer(comes)
    assert not said.seen()
    if dialect.version == 2:
        said.answer(said.asked[-2], file=file)
        assert not said.seen()
    said.answer(said.asked[-1], data=b"new" + bytes(16381))
    answer = said.got()
    assert (answer.number, answer.data[:3]) == (waiting, b"new")
    said.ask("read", file=file, offset=16384, length=16384)
    assert said.asked[-1].offset == 16384
    counts = said.session.counts
    assert (counts.breaks, counts.served, counts.wasted) == (1, 0, 2 * 16384)


@each
def test_what_is_kept_is_not_served_long_after_the_last_answer(program: Path, dialect: Dialect) -> None:
    """A break may be on its way. What the server answers says that none was, when that was asked."""
    said = talk(program, dialect)
    file = said.begin()
    said.answer_all()
    said.seen()
    said.at_s(4.9)
    said.ask("read", file=file, offset=16384, length=16384)
    assert not said.asked
    said.seen()
    said.at_s(5)
    said.ask("read", file=file, offset=32768, length=16384)
    assert said.reads == [(32768, 16384)] and said.session.counts.stale == 1
    said.answer_all()
    said.seen()
    for at_s, at in ((9.9, 49152), (10, 65536)):
        said.at_s(at_s)
        said.ask("read", file=file, offset=at, length=16384)
    assert said.reads == [(65536, 16384)] and said.session.counts.wasted == 2 * 16384
    said.answer_all()
    assert [len(answer.data) for answer in said.seen()] == [16384, 16384]


@each
def test_an_answer_that_took_long_says_little(program: Path, dialect: Dialect) -> None:
    """A read waits for a block that was asked for 5 s ago: that is not served."""
    said = talk(program, dialect)
    file = said.begin()
    said.ask("read", file=file, offset=16384, length=16384)
    said.at_s(5)
    said.answer(said.asked[1])
    assert said.reads[-1] == (16384, 16384) and not said.seen()
    said.answer(said.asked[-1])
    assert said.got().data == CONTENT[16384:32768]


@each
def test_an_answer_says_nothing_of_the_time_after_its_request(program: Path, dialect: Dialect) -> None:
    """It may have been under way for long, with a break behind it."""
    said = talk(program, dialect)
    file = said.begin()
    said.answer_all()
    said.at_s(1)
    said.ask("query", file=file)
    said.at_s(6)
    said.answer_all()
    said.ask("read", file=file, offset=16384, length=16384)
    assert said.reads == [(16384, 16384)]


@each
def test_a_break_of_a_file_of_the_same_number(program: Path, dialect: Dialect) -> None:
    """After the end of its tree or session, or another open with its number, TP's file is gone."""
    for op in ("untree", "logoff", "open"):
        said = talk(program, dialect)
        said.begin()
        said.answer_all()
        said.seen()
        if op != "open":
            said.ask(op)
            said.answer_all()
            said.seen()
        file = said.open(oplock=dialect.exclusive)
        said.say(dialect.breaks(file, dialect.none))
        assert said.got().op == "break" and not said.asked
        said.ask("read", file=file, offset=16384, length=16384)
        assert said.reads == [(16384, 16384)]


@each
def test_a_break_after_a_close_that_has_failed(program: Path, dialect: Dialect) -> None:
    said = talk(program, dialect)
    file = said.open()
    said.ask("close", file=file)
    said.say(dialect.breaks(file, dialect.none))
    assert not said.seen() and [request.op for request in said.asked] == ["close"]
    said.answer(said.asked[0], 0xC000035C)
    assert said.got().op == "close" and [request.op for request in said.asked] == ["agree"]
    said.say(dialect.breaks(file, dialect.none))
    assert not said.seen()


@each
def test_after_a_close_a_break_still_stays_here(program: Path, dialect: Dialect) -> None:
    """It was under way when the client closed the file."""
    said = talk(program, dialect)
    file = said.open()
    said.ask("close", file=file)
    said.say(dialect.breaks(file, dialect.none))
    assert not said.seen() and [request.op for request in said.asked] == ["close"]
    said.answer(said.asked[0])
    assert said.got().op == "close"


@each
def test_a_break_before_the_open_is_answered(program: Path, dialect: Dialect) -> None:
    """Nobody knows whose it is: the client hears of it, the file is not predicted, and its oplock is given back."""
    said = talk(program, dialect)
    said.ask("open", name="file1")
    said.say(dialect.breaks(said.file(), dialect.none))
    assert said.got().op == "break"
    said.answer(said.asked[0], file=said.file(), oplock=dialect.exclusive, size=100_000)
    assert said.got().oplock == dialect.none
    assert [(request.op, request.file[:2]) for request in said.asked] == [("agree", said.file()[:2])]
    if dialect.version == 2:
        said.answer(said.asked[0], 0xC00000E3)
    said.asked.clear()
    said.ask("read", file=said.file(), length=16384)
    assert said.reads == BLOCKS[:1] and not said.seen()
    said.say(dialect.breaks(said.file(), dialect.none))
    assert [request.op for request in said.asked] == ["read", "agree"] and not said.seen()


def test_an_agreement_is_a_message_of_its_own(program: Path) -> None:
    """Of one credit, whatever the open was like; only one waits for its answer."""
    said = talk(program, Smb2())
    message = bytearray(Smb2().ask("open", said.number, name="file1"))
    message[6] = 3
    said.send(bytes(message))
    said.number += 3
    said.answer(said.asked[0], file=said.file(), oplock=8, size=100_000)
    for _ in range(2):
        said.say(Smb2().breaks(said.file(), 0))
        (agrees,) = said.asked
        assert (agrees.op, agrees.charge, agrees.raw[20:24]) == ("agree", 1, bytes(4))
    said.answer(agrees, file=said.file())
    assert [request.op for request in said.asked] == ["agree"]


@pytest.mark.parametrize("op", ["setup", "logoff"])
@each
def test_another_log_in_ends_the_connection(program: Path, dialect: Dialect, op: str) -> None:
    """Its messages may be signed, with numbers that TP changes. Before any change, TP leaves it."""
    said = talk(program, dialect)
    said.begin()
    if op == "logoff":
        said.ask("logoff")
        said.answer_all()
    said.ask("setup")
    assert (said.session.state, said.session.why) == ("broken", "log-in")
    said = talk(program, dialect)
    said.open(oplock=dialect.exclusive)
    said.ask("setup")
    assert (said.session.state, said.session.why) == ("left", "log-in") and said.asked[-1].op == "setup"


@pytest.mark.parametrize("op", ["write", "lock", "ioctl"])
@each
def test_what_may_change_a_file_empties_what_is_kept(program: Path, dialect: Dialect, op: str) -> None:
    said = talk(program, dialect)
    file = said.begin()
    said.answer_all()
    said.seen()
    said.ask(op, file=file)
    said.answer_all()
    said.seen()
    said.ask("read", file=file, offset=16384, length=16384)
    assert said.reads == [(16384, 16384)]


@each
def test_reads_that_wait_go_before_a_change(program: Path, dialect: Dialect) -> None:
    """To the server, and a close as well: else a read could come behind it."""
    for op in ("write", "close", "untree"):
        said = talk(program, dialect)
        file = said.begin()
        number = said.ask("read", file=file, offset=16384, length=16384)
        said.ask(op, **({} if op == "untree" else {"file": file}))
        assert [request.op for request in said.asked[-2:]] == ["read", op] and said.session.offered is False
        said.answer(said.asked[1])
        assert not said.seen()
        said.answer(said.asked[-2])
        assert said.got().number == number
        said.answer_all()
        assert [answer.op for answer in said.seen()] == ["read", op]


@each
def test_what_is_harmless_empties_nothing(program: Path, dialect: Dialect) -> None:
    said = talk(program, dialect)
    file = said.begin()
    said.answer_all()
    for op in ("echo", "query"):
        said.ask(op, **({} if op == "echo" else {"file": file}))
        said.answer_all()
    said.seen()
    said.ask("read", file=file, offset=16384, length=16384)
    assert not said.reads


@each
def test_reads_elsewhere_end_the_prediction(program: Path, dialect: Dialect) -> None:
    """A file whose first read is not of its first byte is not predicted at all."""
    said = talk(program, dialect)
    file = said.open()
    said.ask("read", file=file, offset=50_000, length=1000)
    assert said.reads == [(50_000, 1000)]
    said = talk(program, dialect, recent=30_000)
    file = said.begin()
    assert said.reads == BLOCKS[:2]
    said.ask("read", file=file, offset=90_000, length=1000)
    said.answer_all()
    assert not said.asked
    said = talk(program, dialect)
    file = said.open(size=1_000_000)
    said.ask("read", file=file, length=65_537)
    assert said.reads == [(0, 65_537)]


@each
def test_what_was_not_asked_for_ahead_goes_on_from_there(program: Path, dialect: Dialect) -> None:
    """With one block under way at a time: a read of the next one passes, and the one behind it is asked for."""
    said = talk(program, dialect, recent=0)
    file = said.begin()
    assert said.reads == BLOCKS[:2]
    for at in (16384, 32768):
        said.ask("read", file=file, offset=at, length=16384)
    assert said.reads == BLOCKS[:3]
    said.answer(said.asked[1])
    assert said.got().data == CONTENT[16384:32768]
    assert said.reads == [BLOCKS[0], *BLOCKS[2:4]]


def test_only_so_much_is_under_way(program: Path) -> None:
    """What has come in the last one to two seconds; what has come makes room for more, also if it was not served."""
    said = talk(program, Smb2(), recent=40_000)
    said.begin()
    assert said.reads == BLOCKS[:3]
    said.answer(said.asked[2])
    assert said.reads == [*BLOCKS[:2], *BLOCKS[3:5]]
    for at_s, blocks in ((0, 7), (1.9, 7), (2, 2)):
        said = talk(program, Smb2())
        said.at_s(at_s)
        said.begin()
        assert len(said.reads) == blocks
    said = talk(program, Smb2(), recent=150_000)
    said.at_s(1)
    said.padding(0)
    said.at_s(1.9)
    said.begin()
    assert len(said.reads) == 7
    said = talk(program, Smb2(), recent=150_000)
    said.at_s(1)
    said.padding(0)
    said.at_s(1.9)
    file = said.open()
    said.at_s(2)
    said.ask("read", file=file, length=16384)
    assert len(said.reads) == 2


def test_what_is_kept_is_bounded(program: Path) -> None:
    """If the client does not go on to read, 64 blocks."""
    said = talk(program, Smb2(), spare=65, recent=1 << 23)
    said.begin(size=1_500_000)
    for _ in range(100):
        if said.asked:
            said.answer(said.asked[0])
    assert not said.asked and said.session.counts.predicted == 64


def test_a_read_of_smb1_without_half_of_its_place_passes(program: Path) -> None:
    """Of ten words: there is none beyond 4 GiB."""
    said = talk(program, Smb1())
    file = said.open()
    message = bytearray(Smb1().ask("read", said.number, file=file, length=16384))
    message[32] = 10
    del message[33 + 20 : 33 + 24]
    said.session.give(">", frame(bytes(message)))
    assert said.session.taken(">") == frame(bytes(message)) and said.session.counts.predicted == 0


def test_what_the_client_has_beyond_64_credits_is_spent(program: Path) -> None:
    """If it then spends all that it thinks it has, some of that waits for answers."""
    said = talk(program, Smb2(), spare=1, recent=1 << 22)
    file = said.begin(size=1_200_000)
    assert len(said.reads) == 1 + 63  # it had 127
    for _ in range(70):
        said.ask("query", file=file)
    assert len(said.asked) == 1 + 63 + 64 and said.session.offered
    said.answer(said.asked[1])
    assert len(said.asked) == 63 + 64 + 1
    said.answer_all()
    assert not said.session.offered and said.session.state == "acts"


def test_a_compound_waits_for_credits_as_well(program: Path) -> None:
    """For those of all its messages, of which it knows only the first one."""
    dialect, said = Smb2(), talk(program, Smb2(), spare=1, recent=1 << 22)
    said.begin(size=1_200_000)
    messages = [dialect.ask("echo", said.number + at, following=72).ljust(72, b"\0") for at in range(65)]
    messages[-1] = dialect.ask("echo", said.number + 64)
    said.number += 65
    said.send(*messages)
    assert len(said.asked) == 64 and said.session.offered
    for _ in range(9):  # it takes 72 bytes for a message, TP 64
        said.answer(said.asked[1])
    assert len(said.asked) == 64 - 9 + 1 and len(said.asked[-1].raw) == 64 * 72 + 68


def test_what_a_block_has_cost_comes_back(program: Path) -> None:
    """What the server grants too little for one, the client gets less; and what it grants too much, more."""
    said = talk(program, Smb2(), recent=0)
    said.begin(size=1_000_000)
    said.answer(said.asked[1], credits=0)
    said.ask("echo")
    said.answer(said.asked[-1], credits=3)
    assert said.got().credits == 2
    said.answer(said.asked[1], credits=5)
    for granted, given in ((1, 5), (60_000, 60_000)):
        said.ask("echo")
        said.answer(said.asked[-1], credits=granted)
        assert said.got().credits == given
    said.answer(said.asked[1], credits=60_001)
    for granted, given in ((60_000, 65_535), (1, 54_466)):  # a server of a client with no limit
        said.ask("echo")
        said.answer(said.asked[-1], credits=granted)
        assert said.got().credits == given


def test_what_is_answered_here_costs_nothing_in_the_end(program: Path) -> None:
    """With 64 queries under way, the client has the 64 credits that are not spent here."""
    said = talk(program, Smb2(), spare=1)
    file = said.begin()
    said.answer_all()
    for at, length in BLOCKS[1:]:
        said.ask("read", file=file, offset=at, length=length)
    said.ask("close", file=file)
    said.answer_all()
    for _ in range(64):
        said.ask("query")
    said.ask("open", name="file2")
    assert said.asked[-1].oplock == 0 and said.session.counts.answered == 6


def test_credits_of_an_answer_for_the_time_being(program: Path) -> None:
    """Of a block: the last answer has none."""
    said = talk(program, Smb2(), recent=0)
    said.begin()
    block = said.asked[1]
    said.answer(block, PENDING, interim=True)
    said.answer(block, credits=0, later=True)
    said.ask("echo")
    said.answer(said.asked[-1])
    assert said.got().credits == 1


def test_a_client_with_few_credits_keeps_them(program: Path) -> None:
    said = talk(program, Smb2(), recent=0)
    said.begin(size=1_000_000)
    said.answer(said.asked[1], credits=0)
    for _ in range(100):
        said.ask("query")
    for granted, left in ((1, 1), (1, 1), (30, 29), (1, 1)):
        said.answer(said.asked[-1], credits=granted)
        assert said.got().credits == left


def test_compounds_and_long_requests_do_not_wait_for_credits(program: Path) -> None:
    """Nor for the end of the prediction."""
    dialect, said = Smb2(), talk(program, Smb2(), recent=400_000)
    said.begin(size=10_000_000)
    assert len(said.reads) > 10
    while said.asked:
        said.answer(said.asked[0], credits=0)
    messages = []
    for number in range(said.number, said.number + 90):
        messages.append(dialect.ask("echo", number, following=72).ljust(72, b"\0"))
    said.number += 90
    messages[-1] = dialect.ask("echo", said.number - 1)
    said.session.give(">", frame(*messages))
    assert len(said.session.taken(">")) == 4 + 89 * 72 + 68
    said = talk(program, Smb2())
    said.begin(size=10_000_000)
    said.ask("read", file=said.file(7), length=30 << 16)
    long = said.asked[-1]
    said.number += 29
    said.ask("echo")
    assert (long.charge, said.asked[-1].number) == (30, long.number + 30)


def test_more_requests_than_are_remembered_wait(program: Path) -> None:
    """The client's that wait here are counted as well."""
    said = talk(program, Smb2(), recent=1 << 20, spare=700)
    file = said.begin(size=2_000_000)
    said.session.say("room 0")
    for at in range(16384, 16384 * 41, 16384):
        said.ask("read", file=file, offset=at, length=16384)
    for _ in range(520):
        said.ask("notify", file=file)
    assert said.session.offered and said.session.state == "acts"
    said.session.say("room 10000000")
    said.answer_all()
    assert not said.session.offered and said.session.state == "acts"


def test_credits_of_a_read_that_is_answered_here(program: Path) -> None:
    """The client gets back what it has spent."""
    said = talk(program, Smb2())
    file = said.begin()
    said.answer_all()
    said.seen()
    said.ask("read", file=file, offset=16384, length=16384)
    assert said.got().credits == 1


def test_no_more_is_sent_than_there_is_room_for(program: Path) -> None:
    said = talk(program, Smb2())
    file = said.begin()
    said.answer_all()
    said.seen()
    said.session.say("room 16000")
    said.ask("read", file=file, offset=16384, length=16384)
    assert not said.seen() and not said.asked
    said.session.say("room 16600")
    assert said.got().data == CONTENT[16384:32768]


def test_an_answer_from_here_waits_for_the_end_of_a_frame(program: Path) -> None:
    """Of one that is being passed on."""
    dialect, said = Smb2(), talk(program, Smb2())
    file = said.begin()
    for request in said.asked[1:]:
        said.answer(request)
    first = frame(dialect.answer(said.asked[0], data=CONTENT[:16384]))
    said.session.give("<", first[:1000])
    said.ask("read", file=file, offset=16384, length=16384)
    assert not said.seen()
    said.session.give("<", first[1000:])
    assert [answer.data for answer in said.seen()] == [CONTENT[:16384], CONTENT[16384:32768]]


@each
def test_a_disk_that_is_full_only_costs_time(program: Path, dialect: Dialect) -> None:
    said = talk(program, dialect)
    said.session.say("store 66000")  # one block, and a bit of the second one
    file = said.begin()
    said.answer_all()
    said.seen()
    said.ask("read", file=file, offset=16384, length=16384)
    assert said.got().data == CONTENT[16384:32768]
    said.ask("read", file=file, offset=32768, length=16384)
    assert said.reads == BLOCKS[2:3]
    said.answer_all()
    assert said.got().data == CONTENT[32768:49152]


@pytest.mark.parametrize("harm", ["lose", "damage"])
def test_what_cannot_be_read_back_as_it_came_is_asked_of_the_server(program: Path, harm: str) -> None:
    said = talk(program, Smb2())
    file = said.begin()
    said.answer_all()
    said.seen()
    said.ask("read", file=file, offset=16384, length=16384)
    assert said.got().data == CONTENT[16384:32768]
    said.session.say(harm)
    said.ask("read", file=file, offset=32768, length=16384)
    assert said.reads == [(32768, 16384)] and said.session.state == "acts"
    said.answer_all()
    assert said.got().data == CONTENT[32768:49152]


@pytest.mark.parametrize("harm", ["lose", "damage"])
def test_what_the_disk_damages_between_two_reads_of_a_block_is_not_served(program: Path, harm: str) -> None:
    """The first quarter was right."""
    said = talk(program, Smb2())
    file = said.begin()
    said.answer_all()
    said.seen()
    said.ask("read", file=file, offset=16384, length=4096)
    assert said.got().data == CONTENT[16384:20480]
    said.session.say(harm)
    said.ask("read", file=file, offset=20480, length=4096)
    assert said.reads == [(20480, 4096)] and said.session.state == "acts"


def test_a_block_that_there_is_no_room_for_is_not_asked_for(program: Path) -> None:
    said = talk(program, Smb2())
    said.session.say("reserve 66000")
    said.begin()
    assert said.reads == BLOCKS[:2]


@each
def test_an_oplock_that_the_client_gives_back_unasked_is_gone(program: Path, dialect: Dialect) -> None:
    """The server may let others write from then on."""
    said = talk(program, dialect)
    file = said.begin()
    said.answer_all()
    said.seen()
    said.ask("agree", file=said.file(2))
    said.ask("read", file=file, offset=16384, length=16384)
    assert not said.reads
    said.ask("agree", file=file)
    said.ask("read", file=file, offset=32768, length=16384)
    assert said.reads == [(32768, 16384)]


@pytest.mark.parametrize("process", [Smb1.PROCESS, Smb1.PROCESS + 1])
def test_the_end_of_a_process_closes_what_it_has_opened(program: Path, process: int) -> None:
    said = talk(program, Smb1())
    said.open()
    message = bytearray(Smb1().ask("exit", said.number))
    message[26] = process
    said.send(bytes(message))
    said.number += 1
    answer = bytearray(Smb1().answer(said.asked.pop()))
    answer[26] = process
    said.say(bytes(answer))
    said.raw()
    said.ask("open", name="file2")
    assert said.asked[-1].oplock == (Smb1.exclusive if process == Smb1.PROCESS else Smb1.none)


@pytest.mark.parametrize("op", ["read", "write"])
def test_a_chain_that_closes_the_file(program: Path, op: str) -> None:
    """If it succeeds."""
    for status, oplock in ((0, Smb1.exclusive), (0xC0000022, Smb1.none)):
        said = talk(program, Smb1())
        file = said.begin()
        said.answer_all()
        said.seen()
        message = bytearray(Smb1().ask(op, said.number, file=file, offset=16384, length=10))
        message[33] = 0x04
        said.send(bytes(message))
        said.number += 1
        assert said.asked[0].op == op
        said.answer(said.asked[0], status)
        said.seen()
        said.ask("open", name="file2")
        assert said.asked[-1].oplock == oplock


@each
def test_a_close_that_fails_since_all_is_over(program: Path, dialect: Dialect) -> None:
    for status in (0xC0000008, 0xC00000C9, 0xC0000128, 0xC0000203):
        said = talk(program, dialect)
        file = said.open()
        said.ask("close", file=file)
        said.answer(said.asked[0], status)
        said.seen()
        said.ask("open", name="file2")
        assert said.asked[-1].oplock == dialect.exclusive


def test_more_requests_than_are_remembered_wait_also_after_the_prediction(program: Path) -> None:
    said = talk(program, Smb2(), spare=700)
    file = said.begin()
    said.answer_all()
    said.ask("close", file=file)
    said.answer_all()
    for _ in range(520):
        said.ask("notify", file=file)
    assert len(said.asked) == 504 and said.session.state == "acts"
    said.answer_all()
    assert not said.session.offered and said.session.state == "acts"


def test_reads_that_are_let_go_keep_the_limit_of_smb1(program: Path) -> None:
    said = talk(program, Smb1(), recent=400_000)
    file = said.begin(size=1_000_000)
    for at in range(16384, 16384 * 21, 16384):
        said.ask("read", file=file, offset=at, length=16384)
    for _ in range(30):
        said.ask("query", file=file)
    assert len(said.asked) == 50
    said.say(Smb1().breaks(file, 0))
    assert [request.op for request in said.asked[50:]] == ["agree"]  # which has no answer
    said.asked.pop()
    while said.asked:
        said.answer(said.asked[0])
        assert len(said.asked) <= 50
    assert not said.session.offered


@each
def test_a_block_that_the_server_refuses_is_asked_for_again_by_the_client(program: Path, dialect: Dialect) -> None:
    """Also one that is longer or shorter than it may be."""
    said = talk(program, dialect)
    file = said.begin()
    said.answer(said.asked[1], 0xC0000022)
    said.answer(said.asked[1], data=bytes(16385))
    said.answer(said.asked[1], data=bytes(16383))
    said.answer_all()
    said.seen()
    for at in (16384, 32768, 49152):
        said.ask("read", file=file, offset=at, length=16384)
    assert said.reads == BLOCKS[1:4]


def test_one_request_at_a_time(program: Path) -> None:
    """For servers that need it; what is announced to take long does not count, and a cancellation does not wait."""
    said = talk(program, Smb2(), predict=False, serialise=True)
    file = said.open()
    for at in range(3):
        said.ask("read", file=file, offset=at, length=1)
    for at in range(3):
        assert said.reads == [(at, 1)]
        said.answer(said.asked[0])
        assert said.got().data == CONTENT[at : at + 1]
    said.ask("notify", file=file)
    waits = said.asked[0]
    said.send(Smb2().ask("cancel", waits.number))
    said.ask("echo")
    assert [request.op for request in said.asked] == ["notify", "cancel"]
    said.answer(waits, PENDING, interim=True)
    assert said.asked[-1].op == "echo"
    said = talk(program, Smb2(), serialise=True)
    said.begin()
    assert said.reads == BLOCKS[:1]
    said.answer(said.asked[0])
    assert said.reads == BLOCKS[1:2]


def test_smb1_is_not_serialised(program: Path) -> None:
    """Some of its requests have no answer."""
    said = talk(program, Smb1(), serialise=True)
    for _ in range(3):
        said.ask("echo")
    assert len(said.asked) == 3


def test_a_number_of_the_client_that_is_used_here(program: Path) -> None:
    """Its request waits until that one is answered."""
    said = talk(program, Smb1())
    file = said.begin()
    said.number = 0xE000
    said.ask("query", file=file)
    assert said.asked[-1].op == "read"
    said.answer(said.asked[1])
    assert said.asked[-1].op == "query"


def test_the_limit_of_requests_in_smb1_is_kept(program: Path) -> None:
    """It is 50. A request that has no answer does not wait."""
    said = talk(program, Smb1())
    file = said.begin(size=1_000_000)
    for _ in range(49):
        said.ask("query", file=file)
    assert len(said.asked) == 50 and said.session.offered
    assert sum(request.op == "read" for request in said.asked) > 5
    said.answer(said.asked[1])
    assert len(said.asked) == 50 and said.asked[-1].op == "query"


def test_agreeing_to_a_break_does_not_wait(program: Path) -> None:
    """Nor does what the client has asked before it: after a break, its requests are not serialised any more."""
    said = talk(program, Smb2(), predict=False, serialise=True)
    file = said.open(oplock=8)
    said.ask("open", name="file1")
    said.ask("echo")
    said.ask("agree", file=file)
    assert [request.op for request in said.asked] == ["open"]
    said.say(Smb2().breaks(file, 0))
    assert [request.op for request in said.asked] == ["open", "echo", "agree"]


def test_a_cancelled_read_that_waits_here(program: Path) -> None:
    """The server does not know it; of one that it knows, the cancellation has the server's number."""
    said = talk(program, Smb2())
    file = said.begin()
    held = said.ask("read", file=file, offset=16384, length=16384)
    echo = said.ask("echo")
    at_server = said.asked[-1]
    assert (at_server.op, at_server.number > echo) == ("echo", True)
    said.send(Smb2().ask("cancel", held))
    assert said.asked[-1] is at_server
    said.send(Smb2().ask("cancel", echo))
    assert (said.asked[-1].op, said.asked[-1].number) == ("cancel", at_server.number)


def test_several_messages_in_a_frame_pass(program: Path) -> None:
    """With their numbers; so does a read among them. The server may answer in one frame as well."""
    dialect, said = Smb2(), talk(program, Smb2())
    file = said.begin()
    predicted = said.asked[1:]
    said.answer(said.asked[0])
    said.seen()
    first, second = said.number, said.number + 1
    messages = [
        dialect.ask("echo", first, following=72),
        dialect.ask("read", second, file=file, offset=16384, length=100),
    ]
    said.number += 2
    said.session.give(">", frame(messages[0].ljust(72, b"\0"), messages[1]))
    (whole,) = frames(bytearray(said.session.taken(">")))
    numbers = [int.from_bytes(whole[at + 24 : at + 32], "little") for at in (0, 72)]
    assert numbers == [predicted[-1].number + 1, predicted[-1].number + 2] and len(whole) == 72 + 113
    requests = [dialect.read(whole[:72]), dialect.read(whole[72:])]
    echoed = bytearray(dialect.answer(requests[0]).ljust(72, b"\0"))
    echoed[20:24] = struct.pack("<I", 72)
    said.say(bytes(echoed), dialect.answer(requests[1], data=CONTENT[16384:16484]))
    (seen,) = said.raw()
    assert [int.from_bytes(seen[at + 24 : at + 32], "little") for at in (0, 72)] == [first, second]
    two = [dialect.answer(request, data=CONTENT[:10]) for request in predicted[:2]]
    one = bytearray(two[0].ljust(96, b"\0"))
    one[20:24] = struct.pack("<I", 96)
    said.say(bytes(one), two[1])
    assert (said.session.state, said.session.why) == ("broken", "frame")


def test_numbers_that_are_not_in_order_are_left_alone(program: Path) -> None:
    said = talk(program, Smb2())
    said.number += 1
    message = Smb2().ask("echo", said.number)
    said.send(message)
    assert said.session.state == "left" and said.session.why == "order" and said.asked[-1].raw == message


@each
def test_the_end_of_a_direction_waits_for_what_is_held_back(program: Path, dialect: Dialect) -> None:
    said = talk(program, dialect)
    file = said.begin()
    said.ask("read", file=file, offset=16384, length=16384)
    said.session.say("end >")
    assert not said.session.finished
    said.answer(said.asked[1])
    said.session.say("end >")
    assert said.session.finished
    said.say(dialect.breaks(file, dialect.none))
    assert {request.op for request in said.asked} == {"read"}
    said.answer_all()
    said.seen()
    said = talk(program, dialect)
    file = said.begin()
    said.answer_all()
    said.seen()
    said.session.say("room 0")
    said.ask("read", file=file, offset=16384, length=16384)
    said.session.say("end <")
    assert not said.session.finished
    said.session.say("room 20000")
    said.session.say("end <")
    assert said.session.finished and said.got().data == CONTENT[16384:32768]


def test_a_message_that_never_gets_whole_is_sent_at_the_end(program: Path) -> None:
    said = talk(program, Smb2())
    piece = frame(Smb2().ask("echo", said.number))[:40]
    said.session.give(">", piece)
    assert not said.session.taken(">")
    said.session.say("end >")
    assert said.session.finished and said.session.taken(">") == piece


@pytest.mark.parametrize("seed", range(6))
def test_what_a_client_sees_is_what_a_server_could_have_said(program: Path, seed: int) -> None:
    """For any pieces, any order of answers, few credits, other clients that write: model.py has the rules."""
    fuzz.modelled(program, seed)


@each
def test_prediction_is_exact(program: Path, dialect: Dialect) -> None:
    """Whoever reads all of a file asks for each byte that was fetched, and the server is asked for no byte twice."""
    for seed, block in enumerate((4096, 16384, 64_000, 65_536)):
        run = Run(program, dialect, seed, {"a": 130_000}, block=block)
        counts = run.go().counts
        assert counts.fetched == counts.served and counts.served + block >= 130_000 and not counts.wasted
        assert run.client.got["a"] == run.world.files["a"].now
        places = sorted(run.server.asked)
        assert all(at + length <= after for (at, length), (after, _) in pairwise(places))


def dialects() -> dict[str, Connection]:
    """Sessions of smbget and smbclient, without and with a password, by each version of the protocol."""
    names = [
        f"{client} {user} {version}"
        for client in ("smbget", "smbclient")
        for user in ("guest", "user")
        for version in ("NT1", "SMB2_02", "SMB2_10", "SMB3_02", "SMB3_11")
    ]
    return dict(zip(names, recorded(FIXTURES / "dialects.pcap"), strict=True))


@pytest.mark.parametrize("name", [name for name in dialects() if "guest" in name or "NT1" in name])
def test_recorded_sessions(program: Path, name: str) -> None:
    """The client gets what it got from Samba alone, byte for byte but for credits."""
    blocks = 2 if name.startswith("smbget guest") else 0  # of 16 KiB, behind the first one
    for size in (60, 100_000):
        counts = fuzz.replayed(program, dialects()[name], size)
        assert (counts.predicted, counts.answered, counts.wasted) == (blocks, blocks, 0)


def test_sessions_of_users_in_smb2_and_3_are_left_alone(program: Path) -> None:
    """Untouched: they sign, with the message's number in what is signed."""
    for name, connection in dialects().items():
        if "user" not in name or "NT1" in name:
            continue
        with Session(program) as session:
            for way, piece in connection.pieces:
                if piece:
                    session.give(way, piece)
                    assert session.taken(way) == piece
            assert (session.state, session.why, session.alone) == ("left", "observed", SIGNED), name


def _without_credits(stream: bytes) -> list[bytes]:
    return [message if message[0] == 0xFF else Smb2.without_credits(message) for message in frames(bytearray(stream))]


def test_recorded_sessions_in_which_nothing_is_predicted_are_not_changed(program: Path) -> None:
    """But for the oplock that is asked for; Samba's answers grant none here. Credits stay with TP."""
    for number, connection in enumerate([*recorded(FIXTURES / "files.pcap"), *recorded(FIXTURES / "signed.pcap")]):
        for size in (100_000, 150 if number else 1):
            sent = {way: b"".join(piece for one, piece in connection.pieces if one == way) for way in "<>"}
            got = {way: b"" for way in "<>"}
            with Session(program) as session:
                for way, piece in cut(connection.pieces, repeat(size)):
                    if piece:
                        session.give(way, piece)
                    for one in "<>":
                        got[one] += session.taken(one)
                assert session.state != "broken"
            assert _without_credits(got["<"]) == _without_credits(sent["<"]) and len(got[">"]) == len(sent[">"])
            changes = [bits ^ other for bits, other in zip(got[">"], sent[">"], strict=True) if bits != other]
            assert set(changes) <= {2, 8} and len(changes) <= 3


def test_malformed_sessions_do_no_harm(program: Path) -> None:
    fuzz.spoiled_sessions(program, 0)
    assert sum(fuzz.spoiled_replay(program, dialects()[f"smbget guest {name}"], seed) for seed, name in SPOILED) > 3


@pytest.mark.parametrize("name", PLANTED)
def test_planted_mistakes_are_found(name: str) -> None:
    mistake = PLANTED[name]
    wrong_program = compiled(mistake=mistake)
    with pytest.raises((AssertionError, LookupError, ValueError)):
        globals()[mistake.found_by](wrong_program, *mistake.values)


@pytest.mark.parametrize("name", MODELLED)
def test_the_model_finds_what_is_old(name: str) -> None:
    """In most runs: they do predict, and meet breaks and writes while something is kept."""
    wrong_program = compiled(mistake=MODELLED[name])
    found = 0
    for seed in range(8):
        try:
            fuzz.modelled(wrong_program, seed)
        except (AssertionError, LookupError, ValueError):
            found += 1
        if found == MODELLED[name].least:
            return
    assert found >= MODELLED[name].least
