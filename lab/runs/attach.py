# SPDX-License-Identifier: MIT
"""``lab attach``: a terminal of this host on a node of a running session; and connections to ports of its nodes."""

from __future__ import annotations

import contextlib
import os
import signal
import socket
import sys
import termios
import tty
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from lab.errors import InputError, RunError
from lab.printable import printable
from lab.runs.sessions import connected, session_with
from lab.shared.wire import Kind, Wire, frame

_LOOK_MS = 500  # how often the size of the window is looked at


class _Program:
    """This end of the one connection that a program has."""

    def __init__(self, connection: socket.socket, asked: dict[str, Any], source: int, sink: int) -> None:
        self.how: dict[str, Any] | None = None
        self.wire = Wire(connection.fileno(), self)
        self.wire.send(frame(0, Kind.OPEN, asked))
        self.wire.join(0, source, sink)

    def run(self, *, sized: bool = False) -> dict[str, Any]:
        """Return how the other end has closed the connection, or this one did. ``sized``: it is this terminal.

        Raises:
            EOFError: If the session has ended.
        """
        size = _size() if sized else []
        while self.how is None:
            try:
                self.wire.step(_LOOK_MS if sized else None)
            except EOFError:
                if self.how is None:  # otherwise it said so before it ended
                    raise
            if sized and (now := _size()) != size:
                size = now
                self.wire.send(frame(0, Kind.SIZE, size))
        return self.how

    def opened(self, number: int, asked: dict[str, Any]) -> None:
        """Do nothing: a guest opens no connections."""

    def resized(self, number: int, size: list[int]) -> None:
        """Do nothing: only the host sends sizes."""

    def drained(self, number: int) -> dict[str, Any]:
        """Note that nothing more comes from here."""
        self.how = {"status": 0}
        return self.how

    def closed(self, number: int, how: dict[str, Any]) -> None:
        """Note it."""
        self.how = how


def attach(words: list[str]) -> int:
    """Open a terminal: ``[NAME] NODE [COMMAND]…``; return the exit status of what ran there.

    Raises:
        InputError: If no such session or node is there, or this is not a terminal.
        RunError: If the session has ended meanwhile.
    """
    path, node, argv = session_with(words)
    if not (os.isatty(0) and os.isatty(1)):
        raise InputError("lab attach needs a terminal; commands from a file go to lab shell")
    asked = {"node": node, "argv": argv, "term": os.environ.get("TERM", ""), "size": _size()}
    with connected(path) as connection:
        program = _Program(connection, asked, 0, 1)
        with _raw():
            try:
                how = program.run(sized=True)
            except (EOFError, ValueError):  # or its guest has been taken over
                how = {}
                os.write(1, b"\r\n")  # after what was typed
    if "refused" in how:
        raise InputError(printable(str(how["refused"])))
    if not isinstance(how.get("status"), int):
        raise RunError("the session has ended")
    status: int = how["status"]
    return status


def _size() -> list[int]:
    columns, lines = os.get_terminal_size(0)
    return [lines, columns] if lines and columns else [24, 80]


@contextlib.contextmanager
def _raw() -> Iterator[None]:
    """Pass every key on; leave the terminal as it was."""
    before = termios.tcgetattr(0)
    blocking = os.get_blocking(0), os.get_blocking(1)
    for ending in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(ending, lambda number, _frame: sys.exit(128 + number))
    try:
        tty.setraw(0)
        yield
    finally:
        termios.tcsetattr(0, termios.TCSADRAIN, before)
        for descriptor, was in enumerate(blocking):
            os.set_blocking(descriptor, was)


def pass_on(path: Path, client: socket.socket, node: str, port: int) -> None:
    """Connect a client to a port of a node until one of them closes the connection."""
    with client, contextlib.suppress(EOFError, InputError), connected(path) as connection:
        _Program(connection, {"node": node, "port": port}, client.fileno(), client.fileno()).run()
