# SPDX-License-Identifier: MIT
"""Connections over one line, from a program of the host by the switchboard to a guest."""

from __future__ import annotations

import os
import socket
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from lab.machine.switchboard import Switchboard
from lab.runs.attach import pass_on
from lab.shared.wire import Frame, Kind, Reader, Wire, frame


class Echo:
    """A guest: its connections lead to sockets that send back what they get."""

    def __init__(self, line: socket.socket) -> None:
        self.asked: list[dict[str, Any]] = []
        self.hung_up = threading.Event()
        self._line = line
        self._sockets: dict[int, socket.socket] = {}
        self.wire = Wire(line.fileno(), self)
        threading.Thread(target=self._run, daemon=True).start()

    def _run(self) -> None:
        try:
            while True:
                self.wire.step()
        except EOFError:
            self._line.close()

    def opened(self, number: int, asked: dict[str, Any]) -> None:
        self.asked.append(asked)
        if asked["port"] == 0:
            self.wire.close(number, refused="no such port")
            return
        ours, theirs = socket.socketpair()
        self._sockets[number] = ours
        threading.Thread(target=_send_back, args=(theirs,), daemon=True).start()
        self.wire.join(number, ours.fileno(), ours.fileno())

    def resized(self, number: int, size: list[int]) -> None:
        pass

    def drained(self, number: int) -> dict[str, Any]:
        self._sockets.pop(number).close()
        return {"status": 0}

    def closed(self, number: int, how: dict[str, Any]) -> None:
        if number in self._sockets:
            self._sockets.pop(number).close()
        self.hung_up.set()


def _send_back(connection: socket.socket) -> None:
    while data := connection.recv(1 << 14):
        connection.sendall(data)


@pytest.fixture
def board(tmp_path: Path) -> Iterator[tuple[Path, Echo]]:
    line, of_guest = socket.socketpair()
    echo = Echo(of_guest)
    found = Switchboard(line.fileno(), tmp_path / "socket")
    yield tmp_path / "socket", echo
    found.stop()
    line.close()


def _client(path: Path, port: int) -> socket.socket:
    ours, theirs = socket.socketpair()
    threading.Thread(target=pass_on, args=(path, theirs, "h1", port), daemon=True).start()
    return ours


def test_frames_are_cut_anywhere() -> None:
    sent = [frame(3, Kind.OPEN, {"node": "h1"}), Frame(3, Kind.DATA, b"\0" * 5000), Frame(65535, Kind.DATA, b"")]
    reader = Reader()
    data = b"".join(one.packed() for one in sent)
    assert [found for byte in data for found in reader.frames(bytes([byte]))] == sent


def test_several_connections_carry_more_than_is_ahead(board: tuple[Path, Echo]) -> None:
    path, echo = board
    clients = [_client(path, port) for port in (1, 2)]
    texts = [os.urandom(500_000) for _ in clients]
    for client, text in zip(clients, texts, strict=True):
        threading.Thread(target=client.sendall, args=(text,), daemon=True).start()
    for client, text in zip(clients, texts, strict=True):
        got = b""
        while len(got) < len(text) and (data := client.recv(1 << 16)):
            got += data
        assert got == text
    assert sorted(asked["port"] for asked in echo.asked) == [1, 2]
    clients[0].close()
    assert echo.hung_up.wait(60), "the guest hears of it"


def test_a_connection_that_is_refused_is_closed(board: tuple[Path, Echo]) -> None:
    assert _client(board[0], 0).recv(1) == b""


def test_who_gets_more_than_it_takes_loses_the_connection(tmp_path: Path) -> None:
    """A guest that is not the lab's own may send without end."""
    line, of_guest = socket.socketpair()
    board = Switchboard(line.fileno(), tmp_path / "socket")
    client = socket.socket(socket.AF_UNIX)
    client.connect(str(tmp_path / "socket"))
    client.sendall(frame(0, Kind.OPEN, {}).packed())
    (opened,) = Reader().frames(of_guest.recv(4096))
    for _ in range(200):
        of_guest.sendall(Frame(opened.number, Kind.DATA, bytes(4096)).packed())
    (closed,) = Reader().frames(of_guest.recv(4096))
    assert (closed.number, closed.kind) == (opened.number, Kind.CLOSE)
    board.stop()


def test_what_came_before_the_end_is_written(tmp_path: Path) -> None:
    """Also if the line ends right after it, and the terminal takes a part at a time."""
    line, of_guest = socket.socketpair()
    ours, theirs = socket.socketpair()
    echo = Echo.__new__(Echo)
    echo._sockets, echo.hung_up = {0: ours}, threading.Event()
    wire = Wire(line.fileno(), echo)
    wire.join(0, ours.fileno(), ours.fileno())
    data = os.urandom(3000)
    of_guest.sendall(Frame(0, Kind.DATA, data).packed() + frame(0, Kind.CLOSE, {"status": 4}).packed())
    of_guest.close()
    wire.send(frame(0, Kind.SIZE, [24, 80]))  # nobody takes it any more
    with pytest.raises(EOFError):
        while True:
            wire.step()
    theirs.setblocking(False)
    assert theirs.recv(4096) == data and echo.hung_up.is_set()
    line.close()
