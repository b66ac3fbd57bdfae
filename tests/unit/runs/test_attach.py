# SPDX-License-Identifier: MIT
"""What the host's end of an attached terminal learns."""

from __future__ import annotations

import os
import socket

import pytest

from lab.runs.attach import _Program
from lab.shared.wire import Frame, Kind, frame


def program(*sent: Frame) -> tuple[_Program, int, tuple[socket.socket, ...]]:
    """A program's end to which all of that has been sent when its line ends; its output; the sockets, to be kept."""
    ours, theirs = socket.socketpair()
    source, _ = os.pipe()
    output, sink = os.pipe()
    for one in sent:
        theirs.sendall(one.packed())
    theirs.shutdown(socket.SHUT_WR)
    return _Program(ours, {}, source, sink), output, (ours, theirs)


def test_output_and_status_that_come_just_before_the_end() -> None:
    found, output, _open = program(Frame(0, Kind.DATA, b"42\n"), frame(0, Kind.CLOSE, {"status": 4}))
    assert found.run() == {"status": 4}
    assert os.read(output, 100) == b"42\n"


def test_a_line_that_ends_without_a_status() -> None:
    found, output, _open = program(Frame(0, Kind.DATA, b"42\n"))
    with pytest.raises(EOFError):
        found.run()
    assert os.read(output, 100) == b"42\n"
