# SPDX-License-Identifier: MIT
"""The monitor of a browser's state: what it tells a3d, and how it talks with a browser."""

from __future__ import annotations

import json
import socket
import struct
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ... import asm

HELLO = b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\n\r\n"


@given(st.lists(st.tuples(st.binary(min_size=1, max_size=asm.MOST_TARGET), st.booleans()), max_size=200))
def test_datagrams_have_all_objects_in_their_order(objects: list[tuple[bytes, bool]]) -> None:
    read = []
    for one in asm.datagrams(objects):
        assert one[:4] == b"A3s1" and len(one) <= asm.MOST_BYTES + 5 and 1 <= one[4] <= asm.MOST_OBJECTS
        at = 5
        for _ in range(one[4]):
            on_screen, length = struct.unpack_from("!BH", one, at)
            read.append((one[at + 3 : at + 3 + length], bool(on_screen)))
            at += 3 + length
        assert at == len(one)
    assert read == objects


@pytest.mark.parametrize(
    ("url", "asked"),
    [
        ("http://10.0.0.1/a.png", b"/a.png"),
        ("http://10.0.0.1:8080/a/b.png?c=d&e#f", b"/a/b.png?c=d&e"),
        ("http://10.0.0.1", b"/"),
        ("https://10.0.0.1/a.png", b""),  # a3d cannot read it
        ("data:image/png;base64,AAAA", b""),
        ("http://10.0.0.1/" + "x" * 1024, b""),
        ("http://[", b""),
        ("http://10.0.0.1/\udc80", b""),  # half of a pair, as JSON can say it
    ],
)
def test_what_a_request_for_a_url_asks_for(url: str, asked: bytes) -> None:
    assert asm.target(url) == asked


@pytest.mark.parametrize(
    "payload",
    [
        "",
        "x",
        "1",
        "{}",
        '["ab"]',
        '[["/a.png", 1]]',
        "[[1, true]]",
        '[["/a.png", true, 1]]',
        pytest.param("[" * 100_000, id="deep"),
    ],
)
def test_what_a_script_of_the_page_says_in_another_form_is_left_out(payload: str) -> None:
    assert asm.said(payload) == []


def test_what_a_page_says() -> None:
    assert asm.said('[["http://h/a.png", true], null, ["http://h/b.png", false]]') == [
        ("http://h/a.png", True),
        ("http://h/b.png", False),
    ]


def frame(data: bytes, kind: int = asm.TEXT, last: bool = True) -> bytes:
    head = bytes([(0x80 if last else 0) | kind])
    if len(data) < 126:
        return head + bytes([len(data)]) + data
    return (
        head
        + (struct.pack("!BH", 126, len(data)) if len(data) < 1 << 16 else struct.pack("!BQ", 127, len(data)))
        + data
    )


@contextmanager
def browser(says: bytes) -> Iterator[tuple[str, list[bytes]]]:
    """A browser that says this to whoever connects, and then ends; what it was told is in the list afterwards."""
    heard: list[bytes] = []
    with socket.create_server(("127.0.0.1", 0)) as listener:

        def serve() -> None:
            peer, _ = listener.accept()
            with peer:
                peer.sendall(says)
                peer.shutdown(socket.SHUT_WR)
                while got := peer.recv(1 << 16):
                    heard.append(got)

        serving = threading.Thread(target=serve)
        serving.start()
        yield f"ws://127.0.0.1:{listener.getsockname()[1]}/devtools", heard
        serving.join()


@pytest.mark.parametrize("size", [0, 125, 126, 65_535, 65_536])
def test_messages_of_any_length_in_one_frame_or_several(size: int) -> None:
    data = b"x" * size
    says = (
        HELLO + frame(data) + frame(b"ab", last=False) + frame(b"?", asm.PING) + frame(b"c", 0) + frame(b"", asm.CLOSE)
    )
    with browser(says) as (url, heard):
        talk = asm.Socket(url)
        assert list(talk.messages()) == [data, b"abc"]
        talk.send(data)
        talk.close()
    told = b"".join(heard)
    assert told.startswith(b"GET /devtools HTTP/1.1\r\n")
    pong = bytes([0x80 | asm.PONG, 0x81]) + bytes(4) + b"?"
    assert pong in told and told.endswith(bytes(4) + data)


@pytest.mark.parametrize(
    ("says", "message"),
    [(b"HTTP/1.1 403 no\r\n\r\n", "does not talk"), (HELLO + b"\x81\x05abc", "has ended"), (HELLO, "has ended")],
)
def test_a_browser_that_refuses_or_ends(says: bytes, message: str) -> None:
    with browser(says) as (url, _), pytest.raises(ConnectionError, match=message):
        talk = asm.Socket(url)
        try:
            list(talk.messages())
        finally:
            talk.close()


def test_it_watches_pages_and_says_what_changes() -> None:
    def event(method: str, **params: Any) -> bytes:
        return frame(json.dumps({"method": method, "params": params}).encode())

    payload = json.dumps([["http://h/1.png", True], ["http://h/2.png", False]])
    says = HELLO + event("Target.attachedToTarget", sessionId="w", targetInfo={"type": "worker"})
    says += event("Target.attachedToTarget", sessionId="s", targetInfo={"type": "page"}) + frame(b'{"id": 1}')
    says += event("Runtime.bindingCalled", name="other", payload="[]")
    says += event("Runtime.bindingCalled", name="a3said", payload=payload) + frame(b"", asm.CLOSE)
    with browser(says) as (url, heard):
        talk = asm.Socket(url)
        assert list(asm.watch(talk)) == [[("http://h/1.png", True), ("http://h/2.png", False)]]
        talk.close()
    told = b"".join(heard)
    assert told.count(b'"sessionId": "s"') == 5 and b'"sessionId": "w"' not in told
    assert b"addScriptToEvaluateOnNewDocument" in told and b"a3said" in told
