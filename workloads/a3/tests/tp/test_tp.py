# SPDX-License-Identifier: MIT
"""Transaction prediction: what is asked for ahead, what the client is answered from here, and what never is."""

from __future__ import annotations

import struct
from itertools import pairwise, repeat
from pathlib import Path

import pytest

from ..observe.sessions import FIXTURES, Connection, cut, recorded
from . import fuzz
from .model import Run
from .planted import PLANTED
from .session import A3D, Session, compiled
from .smb import END_OF_FILE, PENDING, WRITE_ACCESS, Dialect, Smb1, Smb2, frame, frames
from .talk import CONTENT, talk

DIALECTS = [pytest.param(Smb1(), id="SMB1"), pytest.param(Smb2(), id="SMB2"), pytest.param(Smb2(False), id="SMB2.0.2")]
BLOCKS = [(16384 * number, 16384) for number in range(7)]
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
        number = said.ask("read", file=file, offset=at, length=length)
        assert not said.asked
        answer = said.got()
        assert (answer.number, answer.data, answer.status) == (number, CONTENT[at : at + length], 0)
    counts = said.session.counts
    assert (counts.predicted, counts.answered, counts.oplocks) == (6, 6, 1)
    assert counts.fetched == counts.served == 6 * 16384 and not counts.wasted


@each
def test_a_read_waits_for_a_block_that_is_under_way(program: Path, dialect: Dialect) -> None:
    """The server may answer in any order, and for the time being."""
    said = talk(program, dialect)
    file = said.begin(size=40_000)
    second = said.ask("read", file=file, offset=16384, length=16384)
    assert said.reads == BLOCKS[:3] and not said.seen()
    first_request, second_request, third_request = said.asked
    said.answer(third_request, data=CONTENT[32768:40_000])
    if dialect.version == 2:
        said.answer(second_request, PENDING, interim=True)
    assert not said.seen()
    said.answer(second_request, credits=0 if dialect.version == 2 else 1, later=dialect.version == 2)
    answer = said.got()
    assert (answer.number, answer.data) == (second, CONTENT[16384:32768])
    expected = dialect.answer(
        dialect.read(dialect.ask("read", second, file=file, offset=16384, length=16384)), data=answer.data
    )
    assert answer.raw == expected
    said.answer(first_request)
    assert said.got().data == CONTENT[:16384]


@each
def test_reads_of_other_lengths_are_put_together(program: Path, dialect: Dialect) -> None:
    """Also of two blocks, and of the end: there, a short block, then nothing."""
    said = talk(program, dialect)
    file = said.begin(size=40_000)
    for request in list(said.asked):
        said.answer(request, data=CONTENT[request.offset : min(40_000, request.offset + request.length)])
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
    assert said.reads == [(0, 1000), (1000, 17_000), (18_000, 17_000), (35_000, 17_000)]


def test_a_read_that_wants_more_than_is_left_is_the_servers(program: Path) -> None:
    said = talk(program, Smb2())
    file = said.begin(size=20_000)
    for request in list(said.asked):
        said.answer(request, data=CONTENT[request.offset : min(20_000, request.offset + request.length)])
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
    """Of the same client, without any oplock."""
    said = talk(program, dialect, unguarded=True)
    first = said.begin(1, granted=dialect.none)
    second = said.open(2, granted=dialect.none)
    said.answer_all()
    said.seen()
    said.ask("read", file=second, offset=16384, length=16384)
    assert said.reads == [(16384, 16384)] and not said.seen()
    said.answer_all()
    said.seen()
    said.ask("read", file=first, offset=16384, length=16384)
    assert said.got().data == CONTENT[16384:32768]


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
    """Unless it is told to. One that others may share is not enough for what the client did not ask for."""
    for granted in (dialect.none, dialect.level_2):
        said = talk(program, dialect)
        said.begin(granted=granted)
        assert said.reads == BLOCKS[:1] and said.session.counts.oplocks == 0
    said = talk(program, dialect, unguarded=True)
    said.begin(granted=dialect.none)
    assert said.reads == BLOCKS


@each
def test_the_client_hears_nothing_of_an_oplock_that_is_asked_for_here(program: Path, dialect: Dialect) -> None:
    said = talk(program, dialect)
    said.ask("open", name="file1")
    request = said.asked[0]
    assert request.oplock == dialect.exclusive
    said.answer(request, file=said.file(), oplock=dialect.exclusive, size=1)
    assert said.got().oplock == dialect.none


@each
def test_an_oplock_is_asked_for_only_to_read(program: Path, dialect: Dialect) -> None:
    """Not by one that creates a file, or writes."""
    for values in ({"access": WRITE_ACCESS}, {"disposition": 3}):
        said = talk(program, dialect)
        said.ask("open", name="file1", **values)
        assert said.asked[0].oplock == dialect.none
    said = talk(program, dialect, unguarded=True)
    said.ask("open", name="file1")
    assert said.asked[0].oplock == dialect.none


@pytest.mark.parametrize(
    ("state", "channels", "predicts"), [(1, False, True), (3, False, True), (2, False, False), (1, True, False)]
)
def test_a_lease_to_read_is_enough(program: Path, state: int, channels: bool, predicts: bool) -> None:
    """Unless the session may have another connection, which could write with the same lease."""
    dialect = Smb2()
    said = talk(program, dialect, channels=channels)
    said.ask("open", name="file1", oplock=0xFF)
    request = said.asked.pop()
    context = struct.pack("<IHHHHI4s4x16sIIQ", 0, 16, 4, 0, 24, 32, b"RqLs", b"K" * 16, state, 0, 0)
    message = bytearray(dialect.answer(request, file=said.file(), oplock=0xFF, size=100_000))
    message[64 + 80 : 64 + 88] = struct.pack("<II", 152, len(context))
    said.say(bytes(message) + context)
    answer = said.got()
    assert answer.oplock == 0xFF
    said.ask("read", file=answer.file, length=16384)
    assert said.reads == (BLOCKS if predicts else BLOCKS[:1])
    if predicts:
        said.answer_all()
        said.seen()
        head = struct.pack("<4sHHIHHIIQIIQ16x", b"\xfeSMB", 64, 0, 0, 18, 0, 1, 0, 2**64 - 1, 0, 0, 0)
        said.say(head + struct.pack("<HHI16sIIIII", 44, 0, 0, b"K" * 16, state, 0, 0, 0, 0))
        assert len(said.seen()) == 1
        said.ask("read", file=answer.file, offset=16384, length=16384)
        assert said.reads == BLOCKS[1:2]


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
    assert (counts.breaks, counts.emptied, counts.served) == (1, 1, 0)


@each
def test_a_break_of_the_clients_oplock_empties_what_is_kept(program: Path, dialect: Dialect) -> None:
    """Before the client hears of it."""
    said = talk(program, dialect)
    file = said.begin(oplock=dialect.exclusive, access=WRITE_ACCESS)
    assert said.reads == BLOCKS
    said.answer_all()
    said.seen()
    said.say(dialect.breaks(file, dialect.level_2))
    assert said.got().op == "break"
    said.ask("agree", file=file, oplock=dialect.level_2)
    assert said.asked.pop().op == "agree"
    said.ask("read", file=file, offset=16384, length=16384)
    assert said.reads == [(16384, 16384)]


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
def test_a_break_before_the_open_is_answered_ends_the_connection(program: Path, dialect: Dialect) -> None:
    said = talk(program, dialect)
    said.ask("open", name="file1")
    said.say(dialect.breaks(said.file(), dialect.none))
    assert (said.session.state, said.session.why) == ("broken", "early")


@pytest.mark.parametrize("op", ["write", "lock", "ioctl", "setup"])
@each
def test_what_may_change_a_file_empties_what_is_kept(program: Path, dialect: Dialect, op: str) -> None:
    said = talk(program, dialect)
    file = said.begin()
    said.answer_all()
    said.seen()
    said.ask(op, **({} if op == "setup" else {"file": file}))
    said.answer_all()
    said.seen()
    said.ask("read", file=file, offset=16384, length=16384)
    assert said.reads == [(16384, 16384)]


@each
def test_a_change_waits_for_the_reads_before_it(program: Path, dialect: Dialect) -> None:
    """A close as well: else a read could come behind it."""
    for op in ("write", "close"):
        said = talk(program, dialect)
        file = said.begin()
        said.ask("read", file=file, offset=16384, length=16384)
        said.ask(op, file=file)
        assert {request.op for request in said.asked} == {"read"} and said.session.offered is False
        said.answer(said.asked[1])
        assert said.asked[-1].op == op and said.got().data == CONTENT[16384:32768]


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
    said = talk(program, dialect, quota=40_000)
    file = said.begin()
    assert said.reads == BLOCKS[:3]
    said.ask("read", file=file, offset=90_000, length=1000)
    said.answer_all()
    assert not said.asked
    said = talk(program, dialect)
    file = said.open(size=1_000_000)
    said.ask("read", file=file, length=65_537)
    assert said.reads == [(0, 65_537)]


@each
def test_what_was_not_asked_for_ahead_goes_on_from_there(program: Path, dialect: Dialect) -> None:
    """With room for one block at a time: a read of the next one passes, and the one behind it is asked for."""
    said = talk(program, dialect, quota=16384)
    file = said.begin()
    assert said.reads == BLOCKS[:2]
    said.ask("read", file=file, offset=32768, length=16384)
    assert said.reads == BLOCKS[:3]
    said.answer_all()
    said.seen()
    said.ask("read", file=file, offset=16384, length=16384)
    assert said.got().data == CONTENT[16384:32768]
    assert said.reads == BLOCKS[3:4]


def test_only_so_much_is_under_way(program: Path) -> None:
    """What has come makes room for more, also if it was not served."""
    said = talk(program, Smb2(), ahead=40_000)
    said.begin()
    assert said.reads == BLOCKS[:3]
    said.answer(said.asked[2])
    assert said.reads == [*BLOCKS[:2], BLOCKS[3]]


def test_half_of_the_credits_are_left_to_the_client(program: Path) -> None:
    """What it has is counted: it may use all of them, and waits for those that are on loan."""
    said = talk(program, Smb2(), granted=9)  # so it has 9 after these four, and 8 after the open and the read
    file = said.begin(size=1_000_000)
    assert len(said.reads) == 1 + 4
    for _ in range(7):
        said.ask("read", file=file, offset=900_000, length=10)
    assert len(said.reads) == 1 + 4 + 4
    said.answer(said.asked[1], credits=3)
    assert len(said.reads) == 4 + 4 + 3


def test_a_server_that_grants_nothing_any_more_ends_the_connection(program: Path) -> None:
    """Rather than that the client waits for ever."""
    said = talk(program, Smb2(), granted=5)
    file = said.begin(size=1_000_000)
    while said.asked:
        said.answer(said.asked[0], credits=0)
    for _ in range(3):
        said.ask("read", file=file, offset=900_000, length=10)
        while said.asked:
            said.answer(said.asked[0], credits=0)
    assert (said.session.state, said.session.why) == ("broken", "credits")


def test_credits_are_granted_from_what_is_left(program: Path) -> None:
    """At least what the request has cost; never more than it asks for."""
    said = talk(program, Smb2())
    file = said.begin()
    while said.asked:
        said.answer(said.asked[0], credits=20)
    said.seen()
    for at, asked, granted in ((1, 0, 1), (2, 1, 1), (3, 5, 5), (4, 1000, None)):
        said.ask("read", file=file, offset=16384 * at, length=16384, credits=asked)
        credits = said.got().credits
        assert credits == granted or (granted is None and 5 < credits < 6 * 20)


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


def test_what_cannot_be_read_back_ends_the_connection(program: Path) -> None:
    said = talk(program, Smb2())
    file = said.begin()
    said.answer_all()
    said.session.say("lose")
    said.ask("read", file=file, offset=16384, length=16384)
    assert (said.session.state, said.session.why) == ("broken", "store")


@each
def test_a_block_that_the_server_refuses_is_asked_for_again_by_the_client(program: Path, dialect: Dialect) -> None:
    """Also one that is longer than it may be."""
    said = talk(program, dialect)
    file = said.begin()
    said.answer(said.asked[1], 0xC0000022)
    said.answer(said.asked[1], data=bytes(16385))
    said.answer_all()
    said.seen()
    for at in (16384, 32768):
        said.ask("read", file=file, offset=at, length=16384)
    assert said.reads == BLOCKS[1:3]


@each
def test_one_request_at_a_time(program: Path, dialect: Dialect) -> None:
    """For servers that need it; what is announced to take long does not count, and a cancellation does not wait."""
    said = talk(program, dialect, predict=False, serialise=True)
    file = said.open(granted=dialect.none)
    for at in range(3):
        said.ask("read", file=file, offset=at, length=1)
    for at in range(3):
        assert said.reads == [(at, 1)]
        said.answer(said.asked[0])
        assert said.got().data == CONTENT[at : at + 1]
    if dialect.version == 2:
        said.ask("notify", file=file)
        waits = said.asked[0]
        said.send(dialect.ask("cancel", waits.number))
        said.ask("echo")
        assert [request.op for request in said.asked] == ["notify", "cancel"]
        said.answer(waits, PENDING, interim=True)
        assert said.asked[-1].op == "echo"
    said = talk(program, dialect, serialise=True)
    said.begin()
    assert said.reads == BLOCKS[:1]
    said.answer(said.asked[0])
    assert said.reads == BLOCKS[1:2]


@each
def test_agreeing_to_a_break_does_not_wait(program: Path, dialect: Dialect) -> None:
    said = talk(program, dialect, predict=False, serialise=True)
    file = said.open(oplock=dialect.exclusive)
    said.ask("open", name="file1")
    said.say(dialect.breaks(file, dialect.none))
    said.ask("agree", file=file)
    assert [request.op for request in said.asked] == ["open", "agree"]


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
    said.ask("write", file=file)
    said.session.say("end >")
    assert not said.session.finished
    said.answer(said.asked[1])
    said.session.say("end >")
    assert said.session.finished
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


@pytest.mark.parametrize("seed", range(24))
def test_what_a_client_sees_is_what_a_server_could_have_said(program: Path, seed: int) -> None:
    """For any pieces, any order of answers, few credits, other clients that write: model.py has the rules."""
    fuzz.modelled(program, seed)


@each
@pytest.mark.parametrize("seed", range(2))
def test_two_clients_of_one_file_one_writes(program: Path, dialect: Dialect, seed: int) -> None:
    """The reader never gets what was there before the write was acknowledged."""
    run = Run(program, dialect, seed, {"a": 150_000, "b": 60_000}, others=True, block=4096)
    counts = run.go().counts
    assert counts.oplocks and counts.predicted


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


def test_recorded_sessions_in_which_nothing_is_predicted_are_not_changed(program: Path) -> None:
    """But for the oplock that is asked for; Samba's answers grant none here. The store has no room."""
    for connection in [*recorded(FIXTURES / "files.pcap"), *recorded(FIXTURES / "signed.pcap")]:
        for size in (1, 100_000):
            sent = {way: b"".join(piece for one, piece in connection.pieces if one == way) for way in "<>"}
            got = {way: b"" for way in "<>"}
            with Session(program, quota=0) as session:
                for way, piece in cut(connection.pieces, repeat(size)):
                    if piece:
                        session.give(way, piece)
                    for one in "<>":
                        got[one] += session.taken(one)
                assert session.state != "broken"
            assert got["<"] == sent["<"] and len(got[">"]) == len(sent[">"])
            changes = [bits ^ other for bits, other in zip(got[">"], sent[">"], strict=True) if bits != other]
            assert set(changes) <= {2, 8} and len(changes) <= 3


def test_malformed_sessions_do_no_harm(program: Path) -> None:
    for seed in range(2):
        fuzz.spoiled_sessions(program, seed)


@pytest.mark.parametrize("name", PLANTED)
def test_planted_mistakes_are_found(program: Path, tmp_path: Path, name: str) -> None:
    mistake = PLANTED[name]
    text = (A3D / mistake.file).read_text()
    assert text.count(mistake.right) == 1
    (tmp_path / mistake.file).write_text(text.replace(mistake.right, mistake.wrong))
    wrong_program = compiled(tmp_path, program.parent, tmp_path / mistake.file)
    with pytest.raises((AssertionError, LookupError, ValueError)):
        globals()[mistake.found_by](wrong_program, *mistake.values)
