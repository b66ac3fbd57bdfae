# SPDX-License-Identifier: MIT
"""The terminal of a program that the host types to."""

from __future__ import annotations

import fcntl
import os
import struct
import termios
from pathlib import Path

from lab.guest.errors import GuestError
from lab.guest.loop import Loop

_SIZE = struct.pack("HHHH", 24, 80, 0, 0)  # lines and columns
_BLOCK_BYTES = 1 << 16


class Terminal:
    """The master of a terminal: what comes from it is appended to ``out``."""

    def __init__(self, loop: Loop, master: int, out: Path) -> None:
        fcntl.ioctl(master, termios.TIOCSWINSZ, _SIZE)
        os.set_blocking(master, False)
        self._loop = loop
        self._master = master
        self._out = out
        loop.add_reader(master, self.read)

    def read(self) -> None:
        """Take what has come; close it if no program has it any more."""
        if self._master < 0:
            return
        with self._out.open("ab") as file:
            try:
                while data := os.read(self._master, _BLOCK_BYTES):
                    file.write(data)
            except BlockingIOError:
                return
            except OSError:  # EIO: the last program that had it has ended
                pass
        self._loop.remove_reader(self._master)
        os.close(self._master)
        self._master = -1

    def type(self, text: str) -> None:
        """Type text; raise GuestError if the program has ended, or reads nothing."""
        data = text.encode()
        try:
            if self._master >= 0 and os.write(self._master, data) == len(data):
                return
        except BlockingIOError:
            pass
        except OSError:
            self.read()
        why = "no program has its terminal any more" if self._master < 0 else "its terminal is full: it reads nothing"
        raise GuestError(f"send: {why}")
