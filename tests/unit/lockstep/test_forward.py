# SPDX-License-Identifier: MIT
"""Forwarded ports: the host's thread against the guest's code, whose node is this machine."""

from __future__ import annotations

import contextlib
import hashlib
import http.client
import http.server
import logging
import socket
import threading
import time
import urllib.request
from collections.abc import Iterator
from typing import Any

import pytest

from lab.guest.connections import Connections
from lab.guest.errors import GuestError
from lab.guest.loop import Loop, now_ns
from lab.lockstep import forward
from lab.lockstep.errors import CallError
from lab.lockstep.forward import Forward, Forwarder

END_NS = 10**18
BIG = bytes(range(256)) * 40_000


class Container:
    """This machine."""

    name = "h1"

    @contextlib.contextmanager
    def network(self) -> Iterator[None]:
        yield


class Agent:
    """The agent of a guest whose time is that of this machine while it is asked; ``end_ns``: of its timeline."""

    def __init__(self, end_ns: int = END_NS) -> None:
        self.shared = False
        self.now_ns = 0
        self.exchanges = 0
        self._lock = threading.RLock()
        self._end_ns = end_ns
        self._connections = Connections(Loop())

    @contextlib.contextmanager
    def alone(self) -> Iterator[None]:
        with self._lock:
            yield

    def ask(self, do: str, **asked: Any) -> dict[str, Any]:
        begun_ns = now_ns() - self.now_ns
        try:
            if do == "connect":
                container: Any = Container()
                return {"connection": self._connections.connect(container, ["127.0.0.1"], asked["port"])}
            assert do == "exchange"
            self.exchanges += 1
            asked["until_ns"] = begun_ns + min(asked["until_ns"], self._end_ns)
            return self._connections.exchange(**asked, stops=lambda: False)
        except GuestError as error:
            raise CallError(error.message) from None
        finally:
            self.now_ns = now_ns() - begun_ns


class Page(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        self._answer(BIG if self.path == "/big" else b"hello")

    def do_POST(self) -> None:
        data = self.rfile.read(int(self.headers["Content-Length"]))
        self._answer(hashlib.sha256(data).hexdigest().encode())

    def _answer(self, body: bytes) -> None:
        self.wfile.write(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%b" % (len(body), body))  # in one piece

    def log_message(self, *_: object) -> None:
        pass


class Server(http.server.ThreadingHTTPServer):
    def handle_error(self, request: Any, client_address: Any) -> None:
        """Connections that are reset are part of the tests."""


@pytest.fixture
def server() -> Iterator[int]:
    """The port of a web server."""
    with Server(("127.0.0.1", 0), Page) as made:
        thread = threading.Thread(target=made.serve_forever, args=(0.01,))
        thread.start()
        yield made.server_address[1]
        made.shutdown()
        thread.join()


@pytest.fixture
def silent() -> Iterator[int]:
    """A port that accepts connections and says nothing."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        yield listener.getsockname()[1]


@contextlib.contextmanager
def forwarded(port: int, agent: Agent | None = None, end_ns: int = END_NS, quiet_ns: int = 10**10) -> Iterator[Forward]:
    given: Any = agent or Agent()
    forwarder = Forwarder(given, given.ask, end_ns)
    try:
        yield forwarder.add("h1", port, quiet_ns)
    finally:
        forwarder.end()
        forwarder.join()


def read(one: Forward, path: str = "/", data: bytes | None = None) -> bytes:
    with urllib.request.urlopen(one.url + path, data=data, timeout=20) as answer:
        found: bytes = answer.read()
    return found


def test_a_page_and_large_bodies_both_ways(server: int) -> None:
    with forwarded(server) as one:
        assert read(one) == b"hello"
        assert read(one, "/big") == BIG
        assert read(one, "/", BIG).decode() == hashlib.sha256(BIG).hexdigest()


def test_two_connections_of_which_one_is_not_read(server: int) -> None:
    with forwarded(server) as one:
        first, second = (http.client.HTTPConnection(*one.address, timeout=20) for _ in range(2))
        first.request("GET", "/big")
        second.request("GET", "/")
        assert second.getresponse().read() == b"hello"
        assert first.getresponse().read() == BIG
        first.close()
        second.close()


def test_time_passes_until_a_server_reads() -> None:
    agent = Agent()

    def answer() -> None:
        peer, _ = listener.accept()
        with peer:
            while agent.now_ns < 200_000_000:
                time.sleep(0.01)
            count = len(BIG)
            while count:
                count -= len(peer.recv(1 << 16))
            peer.sendall(b"done")

    with socket.create_server(("127.0.0.1", 0)) as listener:
        thread = threading.Thread(target=answer)
        thread.start()
        port = listener.getsockname()[1]
        with forwarded(port, agent) as one, socket.create_connection(one.address, 20) as client:
            client.sendall(BIG)
            assert client.makefile("rb").read() == b"done"
        thread.join()
    assert agent.exchanges < 1000


def test_a_server_that_speaks_first() -> None:
    def greet() -> None:
        peer, _ = listener.accept()
        with peer:
            peer.sendall(b"220 hello\r\n")

    with socket.create_server(("127.0.0.1", 0)) as listener:
        thread = threading.Thread(target=greet)
        thread.start()
        with forwarded(listener.getsockname()[1]) as one, socket.create_connection(one.address, 20) as client:
            assert client.makefile("rb").read() == b"220 hello\r\n"
        thread.join()


def test_a_port_that_closed_resets_connections(silent: int, caplog: pytest.LogCaptureFixture) -> None:
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        with forwarded(unused.getsockname()[1]) as one:
            with pytest.raises(ConnectionResetError), socket.create_connection(one.address, 20) as client:
                client.recv(1)
            assert "h1 does not accept a connection to port" in caplog.text


def test_no_answer_resets_its_connection(
    silent: int, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(forward, "ANSWER_NS", 50_000_000)
    with forwarded(silent) as one, socket.create_connection(one.address, 20) as client:
        client.sendall(b"GET / HTTP/1.1\r\n\r\n")
        with pytest.raises(ConnectionResetError):
            client.recv(1)
    assert f"port {silent} of h1: no answer in" in caplog.text


def test_no_answer_where_the_timeline_ends(silent: int, caplog: pytest.LogCaptureFixture) -> None:
    end_ns = 50_000_000
    with forwarded(silent, Agent(end_ns), end_ns) as one, socket.create_connection(one.address, 20) as client:
        client.sendall(b"GET / HTTP/1.1\r\n\r\n")
        with pytest.raises(ConnectionResetError):
            client.recv(1)
    assert "no answer where the timeline ends" in caplog.text


def test_a_quiet_connection_lets_no_time_pass(server: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(forward, "_IDLE_S", 0.05)
    agent = Agent()
    with forwarded(server, agent, quiet_ns=50_000_000) as one:
        client = http.client.HTTPConnection(*one.address, timeout=20)
        client.request("GET", "/")
        assert client.getresponse().read() == b"hello"
        with agent.alone():  # as other calls of the lab wait until it is quiet
            exchanges = agent.exchanges
        with socket.create_connection(one.address, 20):
            pass
        client.request("GET", "/")
        assert client.getresponse().read() == b"hello"
        assert agent.exchanges > exchanges
        client.close()


def test_what_is_closed_accepts_nothing_more(silent: int) -> None:
    with forwarded(silent) as one:
        with socket.create_connection(one.address, 20) as client:
            client.sendall(b"x")
            one.close()
            one.close()
            with pytest.raises(ConnectionResetError):
                client.recv(1)
        with pytest.raises(ConnectionRefusedError):
            socket.create_connection(one.address, 20)


def test_the_end_of_the_lab_ends_the_thread(silent: int, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.WARNING)

    def ask(do: str, **_: Any) -> dict[str, Any]:
        raise CallError("the lab has ended")

    agent: Any = Agent()
    forwarder = Forwarder(agent, ask, END_NS)
    one = forwarder.add("h1", silent, 10**9)
    with pytest.raises(ConnectionResetError), socket.create_connection(one.address, 20) as client:
        client.recv(1)
    forwarder.end()
    forwarder.join()
