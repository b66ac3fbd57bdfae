# SPDX-License-Identifier: MIT
"""What the observer of HTTP says of connections."""

from __future__ import annotations

from itertools import count, repeat
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from . import fuzz
from .sessions import FIXTURES, Connection, Event, Piece, observed, recorded, split_anyhow, whole

GET = b"GET / HTTP/1.1\r\nHost: a\r\n\r\n"
ANSWER = b"HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nabc"
UPGRADE = b"GET / HTTP/1.1\r\nHost: a\r\nConnection: upgrade\r\nUpgrade: websocket\r\n\r\n"


@pytest.fixture(scope="module")
def web() -> list[Connection]:
    """Sessions of curl, Python's client and a program of its own with lighttpd 1.4.79."""
    return recorded(FIXTURES / "web.pcap")


def http(program: Path, *pieces: Piece) -> list[Event]:
    """Return what is said of pieces, also if each byte is a piece of its own."""
    return split_anyhow(program, "http", pieces, repeat(1))


def test_a_page_and_objects_of_one_connection(program: Path, web: list[Connection]) -> None:
    """A page, a picture, one that is not there, an answer in chunks, HEAD, POST twice, 304, OPTIONS."""
    events = [event for event in observed(program, "http", web[0].pieces) if event.kind == "end"]
    assert whole(events) == [
        *("> HTTP-3 1", "< HTTP-4 1"),
        *(f"{way} {label} {number}" for number in range(2, 7) for way, label in ((">", "HTTP-5"), ("<", "HTTP-6"))),
        *("> other 7", "< other 7", "> other 8", "< other 8", "> HTTP-5 9", "< HTTP-6 9", "> other 10", "< other 10"),
    ]
    asked, answered = ([event.more for event in events if event.way == way] for way in "><")
    assert [more["method"] for more in asked] == [*["GET"] * 5, "HEAD", "POST", "POST", "GET", "OPTIONS"]
    assert [more["target"] for more in asked][:4] == ["/index.html", "/a.png", "/none", "/chunks.cgi"]
    assert [more["status"] for more in answered] == [*["200", "200", "404"], *["200"] * 5, "304", "200"]
    assert [more.get("length") for more in answered][:6] == ["4096", "2048", "158", None, "2048", "2048"]
    assert {event.label for event in events if event.thin} == {"HTTP-3", "HTTP-5"}


def test_every_byte_of_a_recorded_session_is_in_a_message(program: Path, web: list[Connection]) -> None:
    """Of one, the answer lasts until the server closes the connection."""
    assert [connection.protocol for connection in web] == ["http"] * 7
    for connection in web[:4] + web[5:6]:
        events = observed(program, "http", connection.pieces)
        for way in "<>":
            size = sum(len(piece) for direction, piece in connection.pieces if direction == way)
            assert max(event.end or 0 for event in events if event.way == way) == size


def test_requests_ahead_of_answers(program: Path, web: list[Connection]) -> None:
    assert whole(observed(program, "http", web[1].pieces)) == [
        *(f"> HTTP-5 {number}" for number in range(1, 5)),
        *(f"< HTTP-6 {number}" for number in range(1, 5)),
    ]


def test_http_2_is_left_alone(program: Path, web: list[Connection]) -> None:
    """After an upgrade, and from the beginning."""
    assert whole(observed(program, "http", web[4].pieces)) == ["> HTTP-5 1", "< other 1", "alone unknown"]
    assert whole(observed(program, "http", web[6].pieces)) == ["alone unknown"]


def test_an_interim_answer_is_followed_by_another(program: Path, web: list[Connection]) -> None:
    """100, while the body of the request is still to come."""
    events = observed(program, "http", web[5].pieces)
    assert whole(events) == ["< other 1", "> other 1", "< other 1"]
    assert [event.more["status"] for event in events if event.way == "<" and event.kind == "end"] == ["100", "200"]


@pytest.mark.parametrize(
    ("header", "label"),
    [
        (b"Accept: text/html\r\n", "HTTP-3"),
        (b"aCCEPT:text/html,*/*\r\n", "HTTP-3"),
        (b"Accept: text/htm\r\n", "HTTP-5"),
        (b"Accept: */*,text/html\r\n", "HTTP-5"),
        (b"Accept-: text/html\r\n", "HTTP-5"),
        (b"Accep: text/html\r\n", "HTTP-5"),
        (b"Accept: text/html\r\nAccept-Language: de\r\n", "HTTP-3"),
        (b"A-header-that-is-longer-than-what-is-kept: text/html\r\n", "HTTP-5"),
    ],
)
def test_what_asks_for_a_page(program: Path, header: bytes, label: str) -> None:
    """The next request is judged by its own header."""
    request = b"GET / HTTP/1.1\r\nHost: a\r\n" + header + b"\r\n"
    assert whole(http(program, (">", request + GET))) == [f"> {label} 1", "> HTTP-5 2"]


def test_a_long_target_is_not_kept(program: Path) -> None:
    for length in (1024, 1025):
        target = b"/" + b"a" * (length - 1)
        event = http(program, (">", b"GET " + target + b" HTTP/1.1\r\nHost: a\r\n\r\n"))[0]
        assert event.more.get("target") == (target.decode() if length == 1024 else None)


def test_an_answer_is_known_when_its_header_has_come(program: Path) -> None:
    head, _, _ = ANSWER.partition(b"abc")
    begin = http(program, (">", GET), ("<", head))[-1]
    assert (begin.kind, begin.way, begin.label, begin.start, begin.more["length"]) == ("begin", "<", "HTTP-6", 0, "3")
    assert http(program, (">", GET), ("<", head[:-1]))[-1].way == ">"


@pytest.mark.parametrize(
    ("pieces", "messages"),
    [
        ([(">", GET), ("<", b"HTTP/1.1 204 No\r\n\r\n"), (">", GET)], ["< HTTP-6 1", "> HTTP-5 2"]),
        ([(">", GET), ("<", b"HTTP/1.0 200 OK\r\n\r\nabc"), ("<", b"")], ["< HTTP-6 1"]),
        ([(">", GET), ("<", b"HTTP/1.0 200 OK\r\n\r\nabc"), ("<", b""), ("<", b"")], ["< HTTP-6 1"]),
        ([(">", GET), ("<", b"HTTP/1.0 200 OK\r\n\r\n"), ("<", b""), ("<", b"a")], ["< HTTP-6 1", "alone malformed"]),
        ([(">", GET), ("<", b"HTTP/1.0 200 OK\r\n\r\nabc")], []),
        ([(">", GET), ("<", ANSWER[:-1]), ("<", b"")], []),
        ([(">", GET), ("<", ANSWER), (">", b"")], ["< HTTP-6 1"]),
        ([(">", GET), ("<", ANSWER + ANSWER)], ["< HTTP-6 1", "alone malformed"]),
        ([(">", GET), ("<", b"HTTP/1.1 103 E\r\n\r\n" + ANSWER)], ["< other 1", "< HTTP-6 1"]),
        ([(">", GET), ("<", b"220 server ESMTP\r\n")], ["alone malformed"]),
        ([(">", b"\r\n" + GET)], []),
    ],
    ids=count(),
)
def test_where_messages_end(program: Path, pieces: list[Piece], messages: list[str]) -> None:
    assert whole(http(program, *pieces)) == ["> HTTP-5 1", *messages]


def test_an_answer_to_head_has_no_body(program: Path) -> None:
    pieces = [(">", b"HEAD / HTTP/1.1\r\nHost: a\r\n\r\n" + GET), ("<", ANSWER[:-3] + ANSWER)]
    assert whole(http(program, *pieces)) == ["> HTTP-5 1", "> HTTP-5 2", "< HTTP-6 1", "< HTTP-6 2"]


@pytest.mark.parametrize(
    ("request_bytes", "why"),
    [
        (b"POST / HTTP/1.1\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n", "malformed"),
        (b"POST / HTTP/1.1\r\nContent-Length: 3\r\nContent-Length: 4\r\n\r\n", "malformed"),
        (b"POST / HTTP/1.1\r\nTransfer-Encoding: chunked, identity\r\n\r\n", "malformed"),
        (b"POST / HTTP/1.1\r\nContent-Length: 99999999999999999999999\r\n\r\n", "malformed"),
        (b"POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n3 \r\nabc\r\n0\r\n\r\n", "malformed"),
        (b"POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabcd\r\n0\r\n\r\n", "malformed"),
        (b"GET / HTTP/1.1\r\nHost: a\rx\r\n\r\n", "malformed"),
        (b"GET / HTTP/1.1\r\nHost : a\r\n\r\n", "malformed"),
        (b"GET / HTTP/1.1\nHost: a\n\n", "malformed"),
        (b"EHLO a\r\n", "malformed"),
        (b"\x16\x03\x01\x02\0", "encrypted"),
    ],
)
def test_what_is_left_alone(program: Path, request_bytes: bytes, why: str) -> None:
    """What proxies and servers have read in different ways, what is not HTTP, and TLS."""
    assert whole(http(program, (">", request_bytes)))[-1] == f"alone {why}"


def test_an_answer_that_nobody_asked_for_is_left_alone(program: Path) -> None:
    assert whole(http(program, ("<", b"HTTP/1.1 408 Timeout\r\nContent-Length: 0\r\n\r\n"))) == ["alone malformed"]
    assert whole(http(program, (">", GET), ("<", ANSWER), ("<", b"\x16"))) == [
        "> HTTP-5 1",
        "< HTTP-6 1",
        "alone malformed",
    ]


def test_an_upgrade_that_the_server_refuses(program: Path) -> None:
    """The client waits for the answer; then it goes on as if it had not asked, and may ask again."""
    refused: list[Piece] = [
        (">", UPGRADE),
        ("<", ANSWER),
        (">", GET),
        ("<", ANSWER),
        (">", UPGRADE),
        ("<", ANSWER),
        (">", GET),
    ]
    assert whole(http(program, *refused))[-3:] == ["> HTTP-5 3", "< HTTP-6 3", "> HTTP-5 4"]
    assert whole(http(program, (">", UPGRADE + b"x")))[-1] == "alone early"
    assert whole(http(program, (">", GET + UPGRADE), ("<", ANSWER), (">", b"x")))[-1] == "alone early"
    assert whole(http(program, (">", GET + UPGRADE), ("<", ANSWER + ANSWER), (">", GET)))[-1] == "> HTTP-5 3"


def test_an_upgrade_and_a_tunnel_that_the_server_grants(program: Path) -> None:
    switched = ("<", b"HTTP/1.1 101 S\r\nConnection: upgrade\r\nUpgrade: websocket\r\n\r\nx")
    assert whole(http(program, (">", UPGRADE), switched)) == ["> HTTP-5 1", "< other 1", "alone unknown"]
    connect = (">", b"CONNECT a:1 HTTP/1.1\r\nHost: a:1\r\n\r\n")
    assert whole(http(program, connect, ("<", b"HTTP/1.1 200 OK\r\n\r\nx")))[-2:] == ["< other 1", "alone unknown"]
    refused = ("<", b"HTTP/1.1 403 No\r\nContent-Length: 0\r\n\r\n")
    assert whole(http(program, connect, refused, (">", GET)))[-1] == "> HTTP-5 2"
    assert whole(http(program, (">", connect[1] + b"x")))[-1] == "alone early"


def test_limits(program: Path) -> None:
    """64 requests without an answer; one more is too many. Bodies have no limit."""
    most: list[Piece] = [(">", GET * 64)]
    assert whole(observed(program, "http", most))[-1] == "> HTTP-5 64"
    assert whole(observed(program, "http", [*most, (">", GET)]))[-1] == "alone limit"
    rounds: list[Piece] = [(">", GET * 40), ("<", ANSWER * 40)] * 3
    assert whole(observed(program, "http", rounds))[-1] == "< HTTP-6 120"
    long = b"POST / HTTP/1.1\r\nContent-Length: 300000\r\n\r\n" + bytes(300_000)
    (_, end) = observed(program, "http", [(">", long)])
    assert end.end == len(long)


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(seed=st.integers(0, 1 << 30), number=st.integers(0, 6))
def test_pieces_of_any_size_give_the_same_events(program: Path, web: list[Connection], seed: int, number: int) -> None:
    """Also of sessions with mistakes; what is said is consistent, and no byte outside of a piece is read."""
    list(fuzz.tried(program, seed, [web[number]]))
