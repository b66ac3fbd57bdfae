# SPDX-License-Identifier: MIT
"""What the observer of SMTP says of connections."""

from __future__ import annotations

from itertools import repeat
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from . import fuzz
from .sessions import FIXTURES, Connection, Event, Piece, observed, recorded, split_anyhow, whole

GREETING = ("<", b"220 server.lab ESMTP\r\n")
OPEN: list[Piece] = [GREETING, (">", b"EHLO a\r\n"), ("<", b"250-server.lab\r\n250 SIZE\r\n")]
OPENED = ["< SMTP-1 0", "> SMTP-2 1", "< SMTP-3 1"]
TO_TEXT: list[Piece] = [*OPEN, (">", b"DATA\r\n"), ("<", b"354 go\r\n")]
BEFORE_TEXT = [*OPENED, "> SMTP-8 2", "< SMTP-8 2"]


@pytest.fixture(scope="module")
def mail() -> list[Connection]:
    """Sessions of msmtp and smtplib with Postfix 3.10."""
    return recorded(FIXTURES / "mail.pcap")


def smtp(program: Path, *pieces: Piece) -> list[Event]:
    """Return what is said of pieces, also if each byte is a piece of its own."""
    return split_anyhow(program, "smtp", pieces, repeat(1))


def test_a_mail_of_msmtp_with_commands_ahead_of_answers(program: Path, mail: list[Connection]) -> None:
    events = observed(program, "smtp", mail[0].pieces)
    assert whole(events) == [
        *("< SMTP-1 0", "> SMTP-2 1", "< SMTP-3 1", "> SMTP-4 2", "< SMTP-5 2", "> SMTP-6 3", "> SMTP-8 4"),
        *("< SMTP-7 3", "< SMTP-8 4", "> SMTP-9 5", "> SMTP-11 5", "< SMTP-12 5", "> SMTP-13 6", "< SMTP-14 6"),
    ]
    codes = [event.more["code"] for event in events if event.kind == "end" and event.way == "<"]
    assert codes == ["220", "250", "250", "250", "354", "250", "221"]
    assert {event.label for event in events if not event.thin} == {"SMTP-9", "SMTP-11"}


def test_two_mails_and_commands_that_figure_1_does_not_have(program: Path, mail: list[Connection]) -> None:
    """NOOP, RSET, VRFY, HELP; a recipient and a command that are refused, and DATA without a recipient."""
    found = whole(observed(program, "smtp", mail[1].pieces))
    assert found.count("> other 2") == 1 and found[-1] == "< SMTP-14 20"
    assert [line for line in found if "SMTP-9" in line or "SMTP-8" in line] == [
        *("> SMTP-8 9", "< SMTP-8 9", "> SMTP-9 10", "> SMTP-8 15", "< SMTP-8 15"),
        *("> SMTP-8 18", "< SMTP-8 18", "> SMTP-9 19"),
    ]


def test_mail_and_rcpt_say_their_paths(program: Path) -> None:
    """Without angle brackets and parameters; what is longer than RFC 5321 allows is not kept."""
    longest = b"a" * 64 + b"@" + b"b" * 189
    commands = [
        *(b"MAIL FROM:<a@b.c> SIZE=10", b"mail from: <>", b"RCPT TO:<d@e.f>", b"RCPT TO:<%s>" % longest),
        *(b"RCPT TO:<%s>" % (b"x" * 300), b"RCPT TO:d@e.f", b"VRFY <g@h.i>"),
    ]
    events = smtp(program, *OPEN, (">", b"".join(command + b"\r\n" for command in commands)))
    ends = [event.more for event in events if event.kind == "end" and event.exchange > 1]
    assert [more.get("path") for more in ends] == [b"a@b.c".hex(), None, b"d@e.f".hex(), longest.hex(), *[None] * 3]
    assert ["has_path" in more for more in ends] == [True] * 4 + [False] * 3


def test_every_byte_of_a_recorded_session_is_in_a_message(program: Path, mail: list[Connection]) -> None:
    for connection in mail[:3]:
        events = observed(program, "smtp", connection.pieces)
        for way in "<>":
            size = sum(len(piece) for direction, piece in connection.pieces if direction == way)
            assert max(event.end or 0 for event in events if event.way == way) == size


def test_a_session_is_left_alone_when_tls_begins(program: Path, mail: list[Connection]) -> None:
    assert whole(observed(program, "smtp", mail[3].pieces)) == [
        *OPENED,
        *("> other 2", "< other 2", "alone encrypted"),
    ]


def test_chunks_have_their_own_lengths(program: Path, mail: list[Connection]) -> None:
    """The recorded ones have lines of one dot, which end nothing."""
    found = whole(observed(program, "smtp", mail[4].pieces))
    assert found[5:10] == ["> other 4", "> SMTP-9 4", "> other 5", "> SMTP-9 5", "> SMTP-13 6"]
    assert found[12:] == ["< SMTP-12 4", "< SMTP-12 5", "< SMTP-14 6"]
    chunks = smtp(program, *OPEN, (">", b"BDAT 0\r\nbdat 0000000000000000003 last\r\nabcNOOP\r\n"))
    assert whole(chunks)[3:] == ["> other 2", "> other 3", "> SMTP-9 3", "> other 4"]
    after_longer = smtp(program, *OPEN, (">", b"NOOP 99999\r\nBDAT 3\r\nabcQUIT\r\n"))
    assert whole(after_longer)[-3:] == ["> other 3", "> SMTP-9 3", "> SMTP-13 4"]
    begins = [event for event in chunks if event.kind == "begin" and event.label == "SMTP-9"]
    assert begins[0].end == begins[0].start + 3


@pytest.mark.parametrize(
    "command",
    [
        b"BDAT\r\n",
        b"BDAT x\r\n",
        b"BDAT -1\r\n",
        b"BDAT 1 LAST \r\n",
        b"BDAT 1 FIRST\r\n",
        b"BDAT 12345678901234567890\r\n",
        b"BDAT 1                                      LAST\r\n",
    ],
)
def test_a_chunk_of_no_known_size(program: Path, command: bytes) -> None:
    assert whole(smtp(program, *OPEN, (">", command)))[3:] == ["alone malformed"]


@pytest.mark.parametrize(
    ("text", "messages"),
    [
        (b"a\r\n.\r\n", ["> SMTP-9 3", "> SMTP-11 3"]),
        (b".\r\n", ["> SMTP-11 3"]),  # no text at all
        (b"..\r\n.\r\n", ["> SMTP-9 3", "> SMTP-11 3"]),
        (b".a\r\n.\r\n", ["> SMTP-9 3", "> SMTP-11 3"]),
        (b"a.\r\n.b\r\n..\r\n\r\n.\r\n", ["> SMTP-9 3", "> SMTP-11 3"]),
        (b"a\nb\rc\n\r.d\n.d\r\n.\r\nRSET\r\n", ["> SMTP-9 3", "> SMTP-11 3", "> other 4"]),
        (b"\r\r\n.\r\n", ["> SMTP-9 3", "> SMTP-11 3"]),
        (b"a\r\n.\n", ["alone ambiguous"]),
        (b"a\n.\r\n", ["alone ambiguous"]),
        (b"a\n.\n", ["alone ambiguous"]),
        (b"a\r.\r", ["alone ambiguous"]),
        (b"a\r\n.\r\r\n", ["alone ambiguous"]),
        (b"a\r\n.\rb", ["alone ambiguous"]),
        (b".\n", ["alone ambiguous"]),
        (b"\n.\r\n", ["alone ambiguous"]),
        (b"a\n\r.\r\n", ["alone ambiguous"]),
    ],
)
def test_where_a_text_ends(program: Path, text: bytes, messages: list[str]) -> None:
    """What only some servers take for the end is not guessed."""
    assert whole(smtp(program, *TO_TEXT, (">", text))) == BEFORE_TEXT + messages


def test_a_text_begins_with_its_first_byte_and_ends_before_the_dot(program: Path) -> None:
    text = b"a\r\n" * 5000
    begin, end, _, stop = smtp(program, *TO_TEXT, (">", text + b".\r\n"))[-4:]
    assert (begin.kind, begin.start, begin.end) == ("begin", 14, None)
    assert (end.start, end.end, stop.start, stop.end) == (14, 14 + len(text), 14 + len(text), 17 + len(text))
    assert smtp(program, *TO_TEXT, (">", b"a"))[-1] == begin
    assert smtp(program, *TO_TEXT, (">", b"."))[-1].label == "SMTP-8"


@pytest.mark.parametrize(
    ("command", "answer", "more", "messages"),
    [
        (b"DATA\r\n", b"503 no\r\n", b"RSET\r\n", ["> SMTP-8 2", "< SMTP-8 2", "> other 3"]),
        (b"data \r\n", b"354-a\r\n354 b\r\n", b"RSET\r\n", ["> SMTP-8 2", "< SMTP-8 2"]),
        (b"STARTTLS\r\n", b"454 no\r\n", b"QUIT\r\n", ["> other 2", "< other 2", "> SMTP-13 3"]),
        (b"AUTH LOGIN\r\n", b"334 VXNlcg==\r\n", b"QUIT\r\n", ["> other 2", "< other 2", "> other 3"]),
        (b"AUTH PLAIN\r\n", b"235 yes\r\n", b"QUIT\r\n", ["> other 2", "< other 2", "> SMTP-13 3"]),
        (b"AUTH X\r\n", b"504 no\r\n", b"DATA\r\n", ["> other 2", "< other 2", "> SMTP-8 3"]),
        (b"XYZ\r\n", b"500 no\r\n", b"QUIT\r\n", ["> other 2", "< other 2", "> SMTP-13 3"]),
        (b"XYZ\r\n", b"250 yes\r\n", b"QUIT\r\n", ["> other 2", "< other 2", "alone unknown"]),
        (b"XYZ\r\n", b"334 go on\r\n", b"QUIT\r\n", ["> other 2", "< other 2", "alone unknown"]),
        (b"XUIT\r\n", b"250 yes\r\n", b"", ["> other 2", "< other 2", "alone unknown"]),
        (b"QUITE\r\n", b"250 yes\r\n", b"", ["> other 2", "< other 2", "alone unknown"]),
        (b"\r\n", b"500 no\r\n", b"RSET\r\n", ["> other 2", "< other 2", "> other 3"]),
        (b"rcpt\tto:<a>\r\n", b"250\r\n", b"", ["> SMTP-6 2", "< SMTP-7 2"]),
        (b"HELO a\r\n", b"250-\r\n250 \r\n", b"", ["> SMTP-2 2", "< SMTP-3 2"]),
    ],
)
def test_an_answer_decides_what_comes_next(
    program: Path, command: bytes, answer: bytes, more: bytes, messages: list[str]
) -> None:
    pieces = [*OPEN, (">", command), ("<", answer), *([(">", more)] if more else [])]
    assert whole(smtp(program, *pieces)) == OPENED + messages


def test_an_answer_to_a_challenge_is_not_a_command(program: Path) -> None:
    """It waits for the answer as the command does, and may be a challenge again."""
    challenge = ("<", b"334 x\r\n")
    pieces = [(">", b"AUTH LOGIN\r\n"), challenge, (">", b"DATA\r\n"), challenge, (">", b"*\r\n"), ("<", b"501 no\r\n")]
    assert whole(smtp(program, *OPEN, *pieces, (">", b"QUIT\r\n")))[3:] == [
        *("> other 2", "< other 2", "> other 3", "< other 3", "> other 4", "< other 4", "> SMTP-13 5")
    ]


@pytest.mark.parametrize("command", [b"DATA\r\n", b"STARTTLS\r\n", b"AUTH LOGIN\r\n", b"XYZ\r\n"])
def test_who_does_not_wait_is_left_alone(program: Path, command: bytes) -> None:
    """Also in the same piece; the answers to commands before are not that answer."""
    assert whole(smtp(program, *OPEN, (">", b"RSET\r\n" + command + b"x")))[-1] == "alone early"
    pieces: list[Piece] = [(">", b"RSET\r\n" + command), ("<", b"354 odd\r\n"), (">", b"x")]
    assert whole(smtp(program, *OPEN, *pieces))[-1] == "alone early"


@pytest.mark.parametrize(
    ("pieces", "why"),
    [
        ([("<", b"220 a\n")], "ambiguous"),
        ([("<", b"22 a\r\n")], "malformed"),
        ([("<", b"120 a\r\n")], "malformed"),
        ([("<", b"620 a\r\n")], "malformed"),
        ([("<", b"22x a\r\n")], "malformed"),
        ([("<", b"2x0 a\r\n")], "malformed"),
        ([("<", b"220a\r\n")], "malformed"),
        ([("<", b"SSH-2.0-a\r\n")], "malformed"),
        ([("<", b"220-a\r\n221 a\r\n")], "malformed"),
        ([GREETING, ("<", b"250 nobody asked\r\n")], "malformed"),
        ([GREETING, (">", b"RSET\n")], "ambiguous"),
        ([GREETING, (">", b"RSET\rQUIT\r\n")], "ambiguous"),
        ([GREETING, (">", b"RSET\r\r\n")], "ambiguous"),
    ],
)
def test_what_is_not_smtp_is_left_alone(program: Path, pieces: list[Piece], why: str) -> None:
    assert whole(smtp(program, *pieces, (">", b"NOOP\r\n")))[-1] == f"alone {why}"


def test_a_server_may_say_that_it_closes(program: Path) -> None:
    """In the middle of a text, or while nothing is asked; what a client says then is not what it answers."""
    closing: list[Piece] = [("<", b"421-x\r\n"), (">", b"QUIT\r\n"), ("<", b"421 x\r\n")]
    assert whole(smtp(program, *OPEN, *closing, ("<", b"221 x\r\n"))) == [
        *OPENED,
        *("> SMTP-13 2", "< other 0", "< SMTP-14 2"),
    ]
    assert whole(smtp(program, *TO_TEXT, (">", b"a"), ("<", b"421 timeout\r\n"))) == [*BEFORE_TEXT, "< other 0"]


def test_limits(program: Path) -> None:
    """The longest line, and the most commands without an answer; one more is too many. Longer texts have no limit."""
    for way, line in ((">", b"NOOP "), ("<", b"250 ")):
        pieces: list[Piece] = [*OPEN, (">", b"NOOP\r\n")]
        assert "alone" not in whole(observed(program, "smtp", [*pieces, (way, line.ljust(12_288, b"x") + b"\r\n")]))[-1]
        assert whole(observed(program, "smtp", [*pieces, (way, line.ljust(12_289, b"x"))]))[-1] == "alone limit"
    most: list[Piece] = [*OPEN, (">", b"NOOP\r\n" * 256)]
    assert whole(observed(program, "smtp", most))[-1] == "> other 257"
    assert whole(observed(program, "smtp", [*most, (">", b"NOOP\r\n")]))[-1] == "alone limit"
    rounds: list[Piece] = [(">", b"NOOP\r\n" * 200), ("<", b"250 x\r\n" * 200)] * 3
    assert whole(observed(program, "smtp", [*OPEN, *rounds]))[-1] == "< other 601"


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(seed=st.integers(0, 1 << 30), number=st.integers(0, 5))
def test_pieces_of_any_size_give_the_same_events(program: Path, mail: list[Connection], seed: int, number: int) -> None:
    """Also of sessions with mistakes; what is said is consistent, and no byte outside of a piece is read."""
    list(fuzz.tried(program, seed, [mail[number]]))
