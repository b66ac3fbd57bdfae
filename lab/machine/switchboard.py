# SPDX-License-Identifier: MIT
"""Connects programs of this host to a session: frames go from each one's socket to the guest's line, and back.

Each program knows one connection, number 0. How much is on its way is up to both ends (lab.shared.wire): a program
that gets more than it takes loses its connection.
"""

from __future__ import annotations

import contextlib
import itertools
import os
import select
import socket
import threading
from pathlib import Path

from lab.shared.wire import WINDOW, Frame, Kind, Reader, frame

_BLOCK_BYTES = 1 << 16
_MOST_BYTES = 4 * WINDOW  # that wait for a program or for the guest
_NUMBERS = 1 << 16
_STOP_S = 5.0


class _Program:
    def __init__(self, connection: socket.socket) -> None:
        connection.setblocking(False)
        self.connection = connection
        self.reader = Reader()
        self.out = b""
        self.ended = False  # by the guest: it goes once it has been told


class Switchboard:
    """Serves the programs that connect to a socket, in a thread, until ``stop``."""

    def __init__(self, line: int, path: Path) -> None:
        """``line``: to the guest; ``path``: of the socket, in a directory that only its user can enter."""
        os.set_blocking(line, False)
        self._line = line
        self._out = b""
        self._reader = Reader()
        self._programs: dict[int, _Program] = {}
        self._numbers = itertools.cycle(range(_NUMBERS))
        self._listener = socket.socket(socket.AF_UNIX)
        self._listener.bind(str(path))
        self._listener.listen()
        self._stopping, self._stop = os.pipe()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """Hang up on all programs."""
        os.write(self._stop, b".")
        self._thread.join(_STOP_S)

    def _run(self) -> None:
        try:
            while self._step():
                pass
        finally:
            self._listener.close()
            for program in self._programs.values():
                program.connection.close()

    def _step(self) -> bool:
        """Wait for something to do, and do it; return whether there is a guest to go on with."""
        poller = select.poll()
        poller.register(self._stopping, select.POLLIN)
        poller.register(self._listener, select.POLLIN)
        poller.register(self._line, select.POLLIN | (select.POLLOUT if self._out else 0))
        for program in self._programs.values():
            full = program.ended or len(self._out) > _MOST_BYTES
            poller.register(program.connection, (0 if full else select.POLLIN) | (select.POLLOUT if program.out else 0))
        ready = dict(poller.poll())
        if self._stopping in ready:
            return False
        if self._listener.fileno() in ready:
            number = next(one for one in self._numbers if one not in self._programs)
            self._programs[number] = _Program(self._listener.accept()[0])
        if (events := ready.get(self._line, 0)) and not self._serve_guest(events):
            return False
        for number, program in [*self._programs.items()]:
            if events := ready.get(program.connection.fileno(), 0):
                self._serve_program(number, program, events)
        return True

    def _serve_guest(self, events: int) -> bool:
        try:
            if events & select.POLLOUT:
                self._out = self._out[os.write(self._line, self._out) :]
            if events & ~select.POLLOUT:
                data = os.read(self._line, _BLOCK_BYTES)
                if not data:
                    return False
                for found in self._reader.frames(data):
                    self._to_program(found)
        except BlockingIOError:
            return True
        except OSError:
            return False
        return True

    def _to_program(self, found: Frame) -> None:
        program = self._programs.get(found.number)
        if program is not None:
            program.out += found._replace(number=0).packed()
            program.ended = program.ended or found.kind == Kind.CLOSE
            if len(program.out) > _MOST_BYTES:
                self._hang_up(found.number)

    def _serve_program(self, number: int, program: _Program, events: int) -> None:
        try:
            if events & select.POLLOUT:
                program.out = program.out[program.connection.send(program.out) :]
            if program.ended:
                if not program.out:
                    self._forget(number)
                return
            if events & ~select.POLLOUT:
                data = program.connection.recv(_BLOCK_BYTES)
                if not data:
                    self._hang_up(number)
                for found in program.reader.frames(data):
                    self._out += found._replace(number=number).packed()
        except BlockingIOError:
            return
        except OSError:
            self._hang_up(number)

    def _hang_up(self, number: int) -> None:
        """Tell the guest that a program has gone."""
        self._out += frame(number, Kind.CLOSE, {}).packed()
        self._forget(number)

    def _forget(self, number: int) -> None:
        with contextlib.suppress(KeyError):
            self._programs.pop(number).connection.close()
