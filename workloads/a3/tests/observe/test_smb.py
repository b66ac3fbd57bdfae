# SPDX-License-Identifier: MIT
"""What the observer of SMB says of connections: SMB2 and SMB3, and SMB1."""

from __future__ import annotations

import struct
from itertools import count, repeat
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from . import fuzz
from .sessions import FIXTURES, Connection, Event, Piece, observed, recorded, split_anyhow, whole

NEGOTIATE, SESSION_SETUP, CREATE, CLOSE, READ, WRITE, CANCEL, ECHO, QUERY_INFO, BREAK = 0, 1, 5, 6, 8, 9, 12, 13, 16, 18
ANSWER, ASYNC, RELATED, SIGNED = 1, 2, 4, 8
PENDING, END_OF_FILE, OVERFLOW = 0x103, 0xC0000011, 0x80000005
NOBODY = 2**64 - 1
FILE = bytes(range(16))
SMB1_SET_UP = ["> CIFS-1 1", "< CIFS-2 1", "> CIFS-3 2", "< CIFS-4 2", "> CIFS-3 3", "< CIFS-4 3"]
SET_UP = [*SMB1_SET_UP, "> CIFS-5 4", "< CIFS-6 4"]


@pytest.fixture(scope="module")
def files() -> list[Connection]:
    """Sessions of smbclient, smbget and a program of its own with Samba 4.22."""
    return recorded(FIXTURES / "files.pcap")


def frame(*messages: bytes) -> bytes:
    content = b"".join(messages)
    return len(content).to_bytes(4, "big") + content


def smb2(
    command: int, body: bytes = b"", message: int = 1, flags: int = 0, status: int = 0, following: int = 0
) -> bytes:
    """Return a message of SMB2; ``following``: where the next one in the frame starts, which fills it up."""
    head = struct.pack("<4sHHIHHIIQIIQ16x", b"\xfeSMB", 64, 1, status, command, 31, flags, following, message, 0, 7, 5)
    return (head + body).ljust(following, b"\0")


def smb1(
    command: int, words: bytes = b"", data: bytes = b"", message: int = 1, flags: int = 0, flags2: int = 0xC843
) -> bytes:
    head = struct.pack("<4sBIBHH8s2xHHHH", b"\xffSMB", command, 0, flags, flags2, 0, b"", 3, 9, 4, message)
    return head + bytes([len(words) // 2]) + words + len(data).to_bytes(2, "little") + data


def read(offset: int = 0, length: int = 1000) -> bytes:
    return struct.pack("<HBBIQ16sIIIHHB", 49, 80, 0, length, offset, FILE, 0, 0, 0, 0, 0, 0)


def block(content: bytes) -> bytes:
    return struct.pack("<HBBIII", 17, 80, 0, len(content), 0, 0) + content


def query(level: int, kind: int = 1) -> bytes:
    return struct.pack("<HBBIHHIII16s", 41, kind, level, 1024, 0, 0, 0, 0, 0, FILE)


def opened(oplock: int = 0, contexts: bytes = b"", size: int = 77) -> bytes:
    at = (152, len(contexts)) if contexts else (0, 0)
    body = struct.pack("<HBBI32xQQII16sII", 89, oplock, 0, 1, 4096, size, 0, 0, FILE, *at)
    return body + (contexts or b"\0")


def lease(state: int, name: bytes = b"RqLs", following: int = 0) -> bytes:
    head = struct.pack("<IHHHHI4s4x", following, 16, len(name), 0, 24, 32, name)
    return head + b"K" * 16 + struct.pack("<IIQ", state, 0, 0)


def create() -> bytes:
    return struct.pack("<HBBIQQIIIIIHHII", 57, 0, 9, 2, 0, 0, 0x12019F, 0, 7, 1, 0, 120, 2, 0, 0) + b"a\0"


def smb(program: Path, *pieces: Piece) -> list[Event]:
    """Return what is said of pieces, also if each byte is a piece of its own."""
    return split_anyhow(program, "smb", pieces, repeat(1))


def asked(program: Path, command: int, body: bytes, answer: bytes, status: int = 0, flags: int = 0) -> list[Event]:
    """Return what is said of a request and its answer."""
    pieces = [(">", frame(smb2(command, body))), ("<", frame(smb2(command, answer, 1, ANSWER | flags, status)))]
    return smb(program, *pieces)


def test_a_file_of_smbclient(program: Path, files: list[Connection]) -> None:
    """By SMB3; IPC$, where smbclient asks for a referral, comes first."""
    events = [event for event in observed(program, "smb", files[0].pieces) if event.kind == "end"]
    assert whole(events) == [
        *SET_UP,
        *("> other 5", "< other 5", "> other 6", "< other 6", "> CIFS-5 7", "< CIFS-6 7", "> CIFS-7 8", "< CIFS-8 8"),
        *("> CIFS-9 9", "< CIFS-10 9", "> CIFS-11 10", "< CIFS-12 10"),
        *("> other 11", "< other 11", "> other 12", "< other 12"),
    ]
    by_label = {event.label: event for event in events}
    assert by_label["CIFS-8"].more["size"] == by_label["CIFS-10"].more["size"] == "3072"
    assert by_label["CIFS-8"].more["file"] == by_label["CIFS-9"].more["file"] == by_label["CIFS-11"].more["file"]
    assert (by_label["CIFS-11"].more["length"], by_label["CIFS-12"].more["length"]) == ("3072", "3072")
    assert {event.label for event in events if not event.thin} == {"CIFS-12", "other"}


@pytest.mark.parametrize(("number", "version", "blocks"), [(1, "2", [16384, 2048]), (5, "1", [16384, 2048])])
def test_blocks_of_smbget(program: Path, files: list[Connection], number: int, version: str, blocks: list[int]) -> None:
    """It asks for the next one when one has come. At the end of the file, it asks once more."""
    events = observed(program, "smb", files[number].pieces)
    asked = [event for event in events if event.kind == "end" and event.label == "CIFS-11"]
    came = [event for event in events if event.kind == "end" and event.label == "CIFS-12"]
    assert [int(event.more.get("offset", 0)) for event in asked] == [0, 16384, 18432]
    assert [int(event.more.get("length", 0)) for event in came] == [*blocks, 0]
    assert [event.exchange for event in asked] == [event.exchange for event in came]
    assert {event.more["version"] for event in events} == {version}


def test_every_byte_of_a_recorded_session_is_in_a_message(program: Path, files: list[Connection]) -> None:
    assert len(files) == 10
    for connection in files:
        events = observed(program, "smb", connection.pieces)
        for way in "<>":
            size = sum(len(piece) for direction, piece in connection.pieces if direction == way)
            assert max(event.end or 0 for event in events if event.way == way) == size


def test_a_block_lies_where_it_is_said_to_lie(program: Path, files: list[Connection]) -> None:
    """The data of both versions, at its place in the stream, is the file."""
    contents = []
    for number in (1, 5):
        stream = b"".join(piece for way, piece in files[number].pieces if way == "<")
        blocks = [event for event in observed(program, "smb", files[number].pieces) if event.label == "CIFS-12"]
        places = [
            (event.start + 4 + int(event.more["data"]), event)
            for event in blocks
            if event.kind == "begin" and "length" in event.more
        ]
        contents.append(b"".join(stream[at : at + int(event.more["length"])] for at, event in places))
    assert contents[0] == contents[1] and len(contents[0]) == 18 << 10


@pytest.mark.parametrize(("number", "write"), [(3, 47), (4, 9)])
def test_what_is_put(program: Path, files: list[Connection], number: int, write: int) -> None:
    """By SMB1, then SMB3."""
    events = [event for event in observed(program, "smb", files[number].pieces) if event.kind == "end"]
    writes = [event for event in events if event.more.get("command") == str(write)]
    assert [(event.way, event.more["length"]) for event in writes] == [(">", "5120"), ("<", "5120")]
    data = int(writes[0].more["data"])
    assert writes[0].end == writes[0].start + 4 + data + 5120


def test_sizes_in_smb1(program: Path, files: list[Connection]) -> None:
    """A file of 6144 bytes, asked for with SMB1: size from the open, and from the query by transaction."""
    events = {event.label: event for event in observed(program, "smb", files[2].pieces) if event.kind == "end"}
    assert events["CIFS-8"].more["size"] == events["CIFS-10"].more["size"] == "6144"
    assert events["CIFS-9"].more["file"] == events["CIFS-8"].more["file"] == events["CIFS-11"].more["file"]


def test_an_oplock_and_a_lease_that_are_taken_back(program: Path, files: list[Connection]) -> None:
    """What a second client's open and write leave of what the server granted."""
    events = [event for event in observed(program, "smb", files[8].pieces) if event.kind == "end"]
    grants = [event.more for event in events if event.label == "CIFS-8"]
    assert (grants[0]["oplock"], grants[1]["oplock"], grants[1]["lease_state"]) == ("9", "255", "7")
    breaks = [event for event in events if "breaks" in event.more]
    assert [(event.way, event.exchange > 0, event.more["breaks"], event.more.get("oplock")) for event in breaks] == [
        *(("<", False, "1", "1"), (">", True, "1", "1"), ("<", True, "1", "1"), ("<", False, "1", None)),
        *(("<", False, "2", "255"), (">", True, "2", "255"), ("<", True, "2", "255"), ("<", False, "2", "255")),
    ]
    assert [event.more.get("lease_state") for event in breaks[4:]] == ["3", "3", "3", None]
    assert {event.more["file"] for event in breaks[:4]} == {grants[0]["file"]}
    assert {event.more["lease"] for event in breaks[4:]} == {grants[1]["lease"]} == {"4b" * 16}


def test_several_messages_in_a_frame(program: Path, files: list[Connection]) -> None:
    """Open, query, read and close of one file, related; the frame's four bytes belong to the first."""
    events = observed(program, "smb", files[8].pieces)
    assert whole(events)[38:46] == [
        *("> CIFS-7 18", "> CIFS-9 19", "> CIFS-11 20", "> other 21"),
        *("< CIFS-8 18", "< CIFS-10 19", "< CIFS-12 20", "< other 21"),
    ]
    four = [event for event in events if event.kind == "end" and event.exchange in (18, 19, 20, 21)]
    assert [event.more.get("related") for event in four] == [None, "1", "1", "1"] * 2


def test_an_answer_that_takes_long(program: Path, files: list[Connection]) -> None:
    """The open of a file with an oplock has an interim answer; so has a notification, which is cancelled."""
    events = [
        event for event in observed(program, "smb", files[9].pieces) if event.exchange == 5 and event.kind == "end"
    ]
    assert whole(events) == ["> CIFS-7 5", "< other 5", "< CIFS-8 5"]
    assert [event.more.get("interim") for event in events] == [None, "1", None]
    found = whole(observed(program, "smb", files[8].pieces))
    assert found[-9:-5] == ["> other 28", "< other 28", "> other 29", "< other 28"]


def test_signed_and_encrypted_sessions_are_left_alone(program: Path) -> None:
    """Log-ins with a password: SMB3 twice, smbget, SMB3 with encryption, SMB1; and log-ins that fail."""
    found = [whole(observed(program, "smb", connection.pieces)) for connection in recorded(FIXTURES / "signed.pcap")]
    assert [messages[-1] for messages in found[:5]] == ["alone signed"] * 3 + ["alone encrypted", "alone signed"]
    assert all(messages[:-1] == SMB1_SET_UP for messages in found[:5])
    assert not any("alone" in messages[-1] for messages in found[5:])


@pytest.mark.parametrize("command", range(19))
def test_signatures(program: Path, command: int) -> None:
    """Only a log-in may be signed: its last answer is, also in sessions that are not."""
    body = {0: 36, 1: 25, 3: 9, 5: 57, 6: 24, 8: 49, 9: 49, 16: 41, 18: 24}.get(command, 4)
    message = frame(smb2(command, body.to_bytes(2, "little").ljust(80, b"\0"), flags=SIGNED))
    assert whole(smb(program, (">", message)))[-1] == ("> CIFS-3 1" if command == SESSION_SETUP else "alone signed")


@pytest.mark.parametrize(("flags2", "signature", "alone"), [(0, 1, True), (4, 0, True), (0, 0, False)])
def test_signatures_in_smb1(program: Path, flags2: int, signature: int, alone: bool) -> None:
    for command, ever in ((0x72, False), (0x73, False), (0x2B, True)):
        message = bytearray(smb1(command, flags2=flags2))
        message[14 + 7] = signature
        assert (whole(smb(program, (">", frame(bytes(message)))))[-1] == "alone signed") == (alone and ever)
    message[14:22] = b"BSRSPYL "  # what Samba sends instead, while there is no key
    message[10] &= ~4
    assert whole(smb(program, (">", frame(bytes(message))))) == ["> other 1"]


@pytest.mark.parametrize(
    ("message", "why"),
    [
        (b"\xfdSMB" + bytes(60), "encrypted"),
        (b"\xfcSMB" + bytes(60), "unknown"),  # compressed
        (b"\xfbSMB" + bytes(60), "malformed"),
        (b"\xfeSMC" + bytes(60), "malformed"),
        (b"SSH", "malformed"),
        (smb2(ECHO)[:63], "malformed"),
        (smb1(0x2B)[:34], "malformed"),
        (smb2(ECHO).replace(b"SMB\x40", b"SMB\x41"), "malformed"),
        (smb2(19), "unknown"),
        (smb2(ECHO, flags=ANSWER), "malformed"),
        (smb1(0x2B, flags=0x80), "malformed"),
        (smb2(READ, read()[:47]), "malformed"),
        (smb2(READ, b"\x30" + read()[1:]), "malformed"),
        (smb2(BREAK, b"\x17\0" + bytes(22)), "malformed"),
        (smb2(BREAK, b"\x18\0" + bytes(21)), "malformed"),
        (smb2(BREAK, b"\x2c\0" + bytes(42)), "malformed"),  # what only a server sends
        (smb2(ECHO, bytes(4), following=60), "malformed"),
        (smb2(ECHO, bytes(4), following=76), "malformed"),
        (smb2(ECHO, bytes(4), following=72) + b"\xfeSMB", "malformed"),
        (smb2(ECHO, bytes(4), following=72) + smb1(0x2B), "malformed"),
        (smb2(ECHO)[:20] + (160).to_bytes(4, "little") + smb2(ECHO)[24:], "malformed"),
        (smb1(0x1A, bytes(20)), "unknown"),
        (smb1(0x1B, bytes(20)), "unknown"),
        (smb1(0x1D, bytes(20)), "unknown"),
        (smb1(0x1E, bytes(20)), "unknown"),
        (smb1(0x2E, bytes(18)), "malformed"),
        (smb1(0x0A, bytes(8)), "malformed"),
        (smb1(0x2F, bytes(22)), "malformed"),
        (smb1(0x24, bytes(14)), "malformed"),
        (smb1(0x04), "malformed"),
    ],
    ids=count(),
)
def test_what_is_left_alone(program: Path, message: bytes, why: str) -> None:
    assert whole(smb(program, (">", frame(message))))[-1] == f"alone {why}"


@pytest.mark.parametrize(
    ("answer", "why"),
    [
        (smb2(READ, block(b"a"), 2, ANSWER), "malformed"),  # nobody asked
        (smb2(ECHO, b"\4\0\0\0", 1, ANSWER), "malformed"),  # not what was asked
        (smb2(READ, block(b"a"), 1), "malformed"),  # a request
        (smb2(READ, b"\x12" + block(b"a")[1:], 1, ANSWER), "malformed"),
        (smb2(READ, block(b"")[:15], 1, ANSWER), "malformed"),
        (smb2(READ, b"", NOBODY, ANSWER), "malformed"),
        (smb2(BREAK, b"\x24\0" + bytes(42), NOBODY, ANSWER), "malformed"),  # what only a client sends
        (smb1(0x2B, flags=0x80), "malformed"),
        (smb1(0x24, bytes(16), message=0xFFFF), "malformed"),  # takes nothing back
        (smb1(0x24, b"\xff\0\0\0\1\0\2\3" + bytes(8), message=5), "malformed"),  # is an answer to nothing
    ],
    ids=count(),
)
def test_answers_that_are_left_alone(program: Path, answer: bytes, why: str) -> None:
    pieces = [(">", frame(smb2(READ, read()))), ("<", frame(answer))]
    assert whole(smb(program, *pieces)) == ["> CIFS-11 1", f"alone {why}"]


def test_frames_without_a_message(program: Path) -> None:
    """Of NetBIOS: a session request and its answer, keep-alives, also empty ones."""
    pieces = [(">", b"\x81\0\0\x44" + bytes(68)), ("<", b"\x82\0\0\0"), ("<", b"\x85\0\0\0"), (">", b"\0\0\0\0")]
    events = smb(program, *pieces)
    assert whole(events) == ["> other 0", "< other 0", "< other 0", "> other 0"]
    assert all(event.more == {} for event in events)
    for kind in (0x01, 0x80, 0x86):
        assert whole(smb(program, (">", bytes([kind, 0, 0, 0])))) == ["alone malformed"]


def test_reads(program: Path) -> None:
    request, _, answer, end = asked(program, READ, read(2**40 + 1, 2**20), block(b"a" * 2000))
    assert (request.more["offset"], request.more["length"], request.more["file"]) == (
        str(2**40 + 1),
        "1048576",
        FILE.hex(),
    )
    assert "data" not in request.more
    header = {name: request.more[name] for name in ("message", "session", "tree", "charge", "credits")}
    assert header == {"message": "1", "session": "5", "tree": "7", "charge": "1", "credits": "31"}
    assert (answer.more["length"], answer.more["data"], answer.end) == ("2000", "80", 4 + 80 + 2000)
    assert answer.kind == "begin" and end.end == answer.end and not answer.thin
    assert "length" not in asked(program, READ, read(), b"\x09\0" + bytes(6), END_OF_FILE)[-1].more
    assert asked(program, READ, read(), block(b"a" * 9), OVERFLOW)[-1].more["length"] == "9"


def test_a_read_is_known_before_all_of_it_has_come(program: Path) -> None:
    answer = frame(smb2(READ, block(b"a" * 2000), 1, ANSWER))
    pieces = [(">", frame(smb2(READ, read()))), ("<", answer[: 4 + 64 + 64])]
    assert [event.kind for event in smb(program, *pieces)] == ["begin", "end", "begin"]
    pieces[1] = ("<", answer[: 4 + 64 + 63])
    assert len(smb(program, *pieces)) == 2


@pytest.mark.parametrize(
    ("level", "kind", "place"), [(5, 1, 8), (18, 1, 48), (34, 1, 40), (4, 1, None), (5, 2, None), (6, 1, None)]
)
def test_which_queries_are_of_a_size(program: Path, level: int, kind: int, place: int | None) -> None:
    content = bytes(place or 0) + (2**40).to_bytes(8, "little")
    body = struct.pack("<HHI", 9, 72, len(content)) + content
    request, _, answer, _ = asked(program, QUERY_INFO, query(level, kind), body)
    expected = ("other", "other", None) if place is None else ("CIFS-9", "CIFS-10", str(2**40))
    assert (request.label, answer.label, answer.more.get("size")) == expected
    if place is not None:
        answer = asked(program, QUERY_INFO, query(level, kind), body[:-1])[2]
        assert answer.label == "CIFS-10" and "size" not in answer.more
        answer = asked(program, QUERY_INFO, query(level, kind), b"\x09\0" + bytes(7), 0xC0000022)[2]
        assert answer.label == "CIFS-10" and "size" not in answer.more


@pytest.mark.parametrize(
    ("contexts", "state"),
    [
        (lease(7), "7"),
        (lease(1, b"RqLx", 56) + lease(3), "3"),
        (lease(1, b"RqLx", 64) + bytes(8) + lease(3), "3"),
        (lease(1, b"RqLx", 8) + lease(3), None),
        (lease(1, b"RqLx", 0) + lease(3), None),
        (lease(7)[:-1], None),
        (lease(7)[:12] + (31).to_bytes(4, "little") + lease(7)[16:], None),
        (bytes(900) + lease(7), None),
        (lease(1, b"RqLx", 904) + bytes(848) + lease(7), None),  # behind what is kept
        (b"", None),
    ],
)
def test_a_lease_is_found_among_contexts(program: Path, contexts: bytes, state: str | None) -> None:
    """What is not found is not granted."""
    answer = asked(program, CREATE, create(), opened(0xFF, contexts))[-1]
    assert (answer.more.get("lease_state"), answer.more["size"], answer.more["oplock"]) == (state, "77", "255")


def test_a_lease_behind_the_contexts_is_none(program: Path) -> None:
    """The last context says that another one follows, in bytes that are not theirs."""
    body = bytearray(opened(0xFF, lease(1, b"RqLx", 56) + lease(3)))
    body[84:88] = (56).to_bytes(4, "little")
    answer = asked(program, CREATE, create(), bytes(body))[-1]
    assert answer.label == "CIFS-8" and "lease_state" not in answer.more
    body[84:88] = (112).to_bytes(4, "little")
    assert asked(program, CREATE, create(), bytes(body))[-1].more["lease_state"] == "3"


def test_a_lease_counts_only_where_one_is_granted(program: Path) -> None:
    answer = asked(program, CREATE, create(), opened(9, lease(7)))[-1]
    assert answer.more["oplock"] == "9" and "lease" not in answer.more


def test_who_asks_in_smb1_may_be_answered_in_smb2(program: Path) -> None:
    body = struct.pack("<H", 65) + bytes(64)
    pieces = [(">", frame(smb1(0x72, data=b"\2SMB 2.???\0"))), ("<", frame(smb2(NEGOTIATE, body, 0, ANSWER)))]
    assert whole(smb(program, *pieces)) == ["> CIFS-1 1", "< CIFS-2 1"]
    pieces[0] = (">", frame(smb1(0x73)))
    assert whole(smb(program, *pieces)) == ["> CIFS-3 1", "alone malformed"]


@pytest.mark.parametrize(
    ("words", "size"),
    [
        ((7, 0x107), 48),
        ((7, 0x102), 8),
        ((7, 1018), 48),
        ((7, 1005), 8),
        ((7, 1034), 40),
        ((5, 0x107), 48),
        ((7, 0x101), None),
        ((6, 0x107), None),
    ],
)
def test_queries_by_transactions_of_smb1(program: Path, words: tuple[int, int], size: int | None) -> None:
    """Answers may come in parts, of which the first has the size."""
    call, level = words
    level_bytes = level.to_bytes(2, "little")
    parameters = b"\x21\x43" + level_bytes if call == 7 else level_bytes + bytes(2)
    request = smb1(0x32, struct.pack("<20xHHHBBH", 68, 0, 0, 1, 0, call), bytes(3) + parameters)
    content = bytes(size or 0) + (2**40).to_bytes(8, "little")

    def answer(displaced: int) -> bytes:
        return smb1(0x32, struct.pack("<6xHHHHHHH", 0, 0, 0, len(content), 55, displaced, 0), content, flags=0x80)

    events = smb(program, (">", frame(request)), ("<", frame(answer(0))), ("<", frame(answer(9))))
    labels = [event.label for event in events if event.kind == "begin"]
    assert labels == (["CIFS-9", "CIFS-10", "other"] if size else ["other"] * 3)
    assert [event.more.get("size") for event in events if event.kind == "begin"] == [
        None,
        str(2**40) if size else None,
        None,
    ]
    assert {event.exchange for event in events} == {1}
    assert events[0].more.get("file") == ("2143" if call == 7 else None)
    events = smb(program, (">", frame(request)), ("<", frame(answer(9))))
    assert "size" not in events[-1].more


@pytest.mark.parametrize(
    ("command", "asked", "answered", "more"),
    [
        (0x08, b"", bytes(6) + struct.pack("<I", 99) + bytes(10), ("CIFS-9", "CIFS-10", "99")),
        (0x23, bytes(2), bytes(12) + struct.pack("<I", 99) + bytes(6), ("CIFS-9", "CIFS-10", "99")),
        (0x02, bytes(4), b"\x21\x43" + bytes(6) + struct.pack("<I", 99) + bytes(2), ("CIFS-7", "CIFS-8", "99")),
        (
            0x2D,
            bytes(30),
            bytes(4) + b"\x21\x43" + bytes(6) + struct.pack("<I", 99) + bytes(14),
            ("CIFS-7", "CIFS-8", "99"),
        ),
        (
            0xA2,
            bytes(48),
            bytes(4) + b"\3\x21\x43" + bytes(48) + struct.pack("<Q", 99) + bytes(5),
            ("CIFS-7", "CIFS-8", "99"),
        ),
        (0x75, bytes(8), bytes(6), ("CIFS-5", "CIFS-6", None)),
    ],
)
def test_requests_of_smb1(
    program: Path, command: int, asked: bytes, answered: bytes, more: tuple[str, str, str | None]
) -> None:
    pieces = [(">", frame(smb1(command, asked))), ("<", frame(smb1(command, answered, flags=0x80)))]
    request, _, answer, _ = smb(program, *pieces)
    assert (request.label, answer.label, answer.more.get("size")) == more
    if more[1] == "CIFS-8":
        assert answer.more["file"] == "2143" and answer.more.get("oplock") == ("3" if command == 0xA2 else None)
        short = [pieces[0], ("<", frame(smb1(command, answered[:-2], flags=0x80)))]
        assert whole(smb(program, *short))[-1] == "alone malformed"


def test_reads_and_writes_of_smb1(program: Path) -> None:
    words = struct.pack("<4xHIHHIH", 0x4321, 5, 0x10, 0, 1, 0)
    (request, _) = smb(program, (">", frame(smb1(0x2E, words))))
    assert (request.more["file"], request.more["offset"], request.more["length"]) == ("2143", "5", str(0x10010))
    header = {name: request.more[name] for name in ("message", "session", "tree")}
    assert header == {"message": str(9 << 16 | 1), "session": "4", "tree": "3"}
    for command, asked_words, least in ((0x2E, words, 24), (0x0A, bytes(10), 10), (0x2F, bytes(24), 10)):
        for size in (least, least - 2):
            short = ("<", frame(smb1(command, bytes(size), flags=0x80)))
            said = whole(smb(program, (">", frame(smb1(command, asked_words))), short))[-1]
            assert (said == "alone malformed") == (size < least), (command, size)
    (request, _) = smb(program, (">", frame(smb1(0x2E, struct.pack("<4xHIHHIHI", 1, 5, 16, 0, 2**32 - 1, 0, 2)))))
    assert (request.more["offset"], request.more["length"]) == (str(2 << 32 | 5), "16")
    answer = struct.pack("<10xHHH8x", 9, 60, 1)
    events = smb(program, (">", frame(smb1(0x2E, words))), ("<", frame(smb1(0x2E, answer, flags=0x80))))
    assert (events[-1].more["length"], events[-1].more["data"]) == (str(0x10009), "60")
    old = struct.pack("<HHIH", 0x4321, 100, 7, 0)
    events = smb(program, (">", frame(smb1(0x0A, old))), ("<", frame(smb1(0x0A, b"\x64\0" + bytes(8), flags=0x80))))
    assert (events[0].more["offset"], events[0].more["length"], events[-1].more["length"]) == ("7", "100", "100")
    assert events[-1].more["data"] == "48"
    words = struct.pack("<4xHIIHHHHHI", 0x4321, 5, 0, 0, 0, 1, 2, 64, 3)
    (request, _) = smb(program, (">", frame(smb1(0x2F, words))))
    assert (request.more["offset"], request.more["length"], request.more["data"]) == (str(3 << 32 | 5), "65538", "64")
    (request, _) = smb(program, (">", frame(smb1(0x2F, words[:-4]))))
    assert request.more["offset"] == "5"


def test_an_oplock_of_smb1_that_is_taken_back(program: Path) -> None:
    """The client's agreement has no answer, unless it unlocks something as well; so its number may come again."""
    broken = ("<", frame(smb1(0x24, b"\xff\0\0\0\x21\x43\2\1" + bytes(8), message=0xFFFF)))
    agreed = (">", frame(smb1(0x24, b"\xff\0\0\0\x21\x43\2\1" + bytes(8))))
    events = smb(program, broken, agreed, agreed)
    assert whole(events) == ["< other 0", "> other 1", "> other 2"]
    assert [(event.more["breaks"], event.more["oplock"], event.more["file"]) for event in events] == [
        ("1", "1", "2143")
    ] * 6
    for counts in (b"\1\0\0\0", b"\0\0\1\0"):
        unlocks = (">", frame(smb1(0x24, b"\xff\0\0\0\x21\x43\2\1" + bytes(4) + counts)))
        assert whole(smb(program, unlocks, unlocks))[-1] == "alone malformed"
    locks = (">", frame(smb1(0x24, b"\xff\0\0\0\x21\x43\0\1" + bytes(8))))
    assert "breaks" not in smb(program, locks)[0].more
    assert whole(smb(program, locks, locks))[-1] == "alone malformed"


def test_requests_without_an_answer(program: Path) -> None:
    """They may have the number of another one: what is cancelled, or goes on."""
    for command in (0xA4, 0x26, 0x33, 0xA1):
        found = whole(smb(program, (">", frame(smb1(0x2B))), (">", frame(smb1(command))), (">", frame(smb1(command)))))
        assert found == ["> other 1", "> other 2", "> other 3"]
    found = whole(smb(program, (">", frame(smb2(ECHO))), (">", frame(smb2(CANCEL))), (">", frame(smb2(ECHO)))))
    assert found == ["> other 1", "> other 2", "alone malformed"]


def test_limits(program: Path) -> None:
    """512 requests without an answer; what may have more answers makes room for others, the oldest first."""
    requests: list[Piece] = [(">", frame(smb2(ECHO, message=number))) for number in range(512)]
    assert whole(observed(program, "smb", requests))[-1] == "> other 512"
    assert whole(observed(program, "smb", [*requests, (">", frame(smb2(ECHO, message=512)))]))[-1] == "alone limit"
    one = ("<", frame(smb2(ECHO, message=3, flags=ANSWER)))
    assert whole(observed(program, "smb", [*requests, one, (">", frame(smb2(ECHO, message=512)))]))[-1] == "> other 513"
    answered = [
        piece
        for number in range(600)
        for piece in ((">", frame(smb1(0x2B, message=number))), ("<", frame(smb1(0x2B, message=number, flags=0x80))))
    ]
    again = [("<", frame(smb1(0x2B, message=number, flags=0x80))) for number in (599, 88, 87)]
    assert whole(observed(program, "smb", answered + again))[-3:] == ["< other 600", "< other 89", "alone malformed"]


def test_a_number_may_be_used_again_when_it_is_answered(program: Path) -> None:
    for version in (smb1, smb2):
        command = 0x2B if version is smb1 else ECHO
        ask = (">", frame(version(command)))
        answer = ("<", frame(version(command, flags=0x80 if version is smb1 else ANSWER)))
        assert whole(smb(program, ask, answer, ask, answer))[-1] == "< other 2"
        assert whole(smb(program, ask, ask)) == ["> other 1", "alone malformed"]
    assert whole(smb(program, ask, answer, answer)) == ["> other 1", "< other 1", "alone malformed"]  # of SMB2


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(seed=st.integers(0, 1 << 30), number=st.integers(0, 9))
def test_pieces_of_any_size_give_the_same_events(
    program: Path, files: list[Connection], seed: int, number: int
) -> None:
    """Also of sessions with mistakes; what is said is consistent, and no byte outside of a piece is read."""
    list(fuzz.tried(program, seed, [files[number]]))
