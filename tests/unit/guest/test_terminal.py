# SPDX-License-Identifier: MIT
"""The terminal of a program in a node: what is typed and what comes back, here without a program."""

from __future__ import annotations

import fcntl
import os
import pty
import struct
import termios
import tty
from collections.abc import Iterator
from pathlib import Path

import pytest

from lab.guest.errors import GuestError
from lab.guest.loop import Loop, now_ns
from lab.guest.terminal import Terminal

SOON_NS = 10**10


@pytest.fixture
def slave() -> Iterator[tuple[int, int]]:
    """Yield both ends of a terminal; the test closes the second one."""
    master, made = pty.openpty()
    yield master, made


def test_what_a_program_writes_is_kept_and_what_is_typed_is_read(slave: tuple[int, int], tmp_path: Path) -> None:
    master, program = slave
    loop, out = Loop(), tmp_path / "out"
    out.touch()
    terminal = Terminal(loop, master, out)
    size = fcntl.ioctl(program, termios.TIOCGWINSZ, bytes(8))
    assert struct.unpack("HHHH", size)[:2] == (24, 80)
    os.write(program, b"name? ")
    loop.run_until(now_ns() + SOON_NS, lambda: out.read_bytes() == b"name? ")
    terminal.type("you\n")
    assert os.read(program, 100) == b"you\n"
    terminal.read()
    assert out.read_bytes() == b"name? you\r\n"
    os.close(program)


def test_a_program_that_has_ended_takes_nothing(slave: tuple[int, int], tmp_path: Path) -> None:
    master, program = slave
    loop, out = Loop(), tmp_path / "out"
    terminal = Terminal(loop, master, out)
    os.write(program, b"bye")
    os.close(program)
    loop.step(now_ns() + SOON_NS)
    assert out.read_bytes() == b"bye"
    terminal.read()
    with pytest.raises(GuestError, match="no program has its terminal any more"):
        terminal.type("more")


def test_a_program_that_reads_nothing_is_named(slave: tuple[int, int], tmp_path: Path) -> None:
    master, program = slave
    tty.setraw(program)
    terminal = Terminal(Loop(), master, tmp_path / "out")
    with pytest.raises(GuestError, match="its terminal is full: it reads nothing"):
        for _ in range(100):
            terminal.type("x" * 4096)
    os.close(program)
