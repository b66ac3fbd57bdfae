# SPDX-License-Identifier: MIT
"""Many connections over one line of bytes, between a session's guest and the programs of the host that are attached.

A frame is the number of its connection, its kind, its length and its data. What one end of a connection reads it sends
as data, at most ``WINDOW`` bytes ahead of what the other end says it has written.
"""

from __future__ import annotations

import json
import os
import select
import struct
from collections.abc import Iterator
from enum import IntEnum
from typing import Any, NamedTuple, Protocol

WINDOW = 1 << 16
_HEADER = struct.Struct(">HBH")
_BLOCK_BYTES = 4096


class Kind(IntEnum):
    """What a frame says; the data of all but DATA are JSON."""

    OPEN = 0  # what to connect to
    DATA = 1
    TAKEN = 2  # how many bytes have been written
    SIZE = 3  # of a terminal: lines and columns
    CLOSE = 4  # how it ended


class Frame(NamedTuple):
    """A frame."""

    number: int
    kind: int
    data: bytes

    def packed(self) -> bytes:
        """Return its bytes."""
        return _HEADER.pack(self.number, self.kind, len(self.data)) + self.data


def frame(number: int, kind: Kind, content: Any) -> Frame:
    """Return a frame of JSON."""
    return Frame(number, kind, json.dumps(content).encode())


class Reader:
    """Cuts what comes over a line into frames."""

    def __init__(self) -> None:
        self._read = b""

    def frames(self, data: bytes) -> Iterator[Frame]:
        """Yield the frames that are complete with this data."""
        self._read += data
        while len(self._read) >= _HEADER.size:
            number, kind, length = _HEADER.unpack_from(self._read)
            if len(self._read) < _HEADER.size + length:
                return
            end = _HEADER.size + length
            found = Frame(number, kind, self._read[_HEADER.size : end])
            self._read = self._read[end:]
            yield found


class WireOwner(Protocol):
    """Who has the ends of connections."""

    def opened(self, number: int, asked: dict[str, Any]) -> None:
        """Open a connection: ``join`` or ``close`` it."""

    def resized(self, number: int, size: list[int]) -> None:
        """Take the size of the terminal at the other end."""

    def drained(self, number: int) -> dict[str, Any]:
        """Return how a connection ended of which nothing more comes from this end; close its files."""

    def closed(self, number: int, how: dict[str, Any]) -> None:
        """Close the files of a connection that the other end has closed."""


class _End:
    def __init__(self, source: int, sink: int) -> None:
        self.source, self.sink = source, sink
        self.out = b""  # to be written
        self.room = WINDOW  # of the other end
        self.how: dict[str, Any] | None = None  # it ended, once the other end has closed it


class Wire:
    """This end of a line; ``step`` does what is to be done."""

    def __init__(self, line: int, owner: WireOwner) -> None:
        os.set_blocking(line, False)
        self._line = line
        self._owner = owner
        self._reader = Reader()
        self._out = b""
        self._over = False  # whether the line has ended
        self._ends: dict[int, _End] = {}
        self._ready: dict[int, int] = {}  # events of files

    def send(self, sent: Frame) -> None:
        """Send a frame, as soon as the line has room."""
        self._out += sent.packed()

    def join(self, number: int, source: int, sink: int) -> None:
        """Have a connection read from and write to open files."""
        os.set_blocking(sink, False)
        self._ends[number] = _End(source, sink)

    def close(self, number: int, **how: Any) -> None:
        """End a connection."""
        self._ends.pop(number, None)
        self.send(frame(number, Kind.CLOSE, how))

    def step(self, within_ms: int | None = None) -> None:
        """Wait for something to do, at most for that time, and do it.

        Raises:
            EOFError: If the line has ended, and what came over it has been written.
        """
        self._poll(within_ms)
        if events := self._ready.get(self._line, 0):
            self._serve_line(events)
        for number, end in [*self._ends.items()]:
            if self._ends.get(number) is end:
                self._serve(number, end)
        if self._over and not any(end.out for end in self._ends.values()):
            raise EOFError

    def _poll(self, within_ms: int | None) -> None:
        wanted = {} if self._over else {self._line: select.POLLIN | (select.POLLOUT if self._out else 0)}
        for end in self._ends.values():
            if end.room > 0 and end.how is None:
                wanted[end.source] = wanted.get(end.source, 0) | select.POLLIN
            if end.out:
                wanted[end.sink] = wanted.get(end.sink, 0) | select.POLLOUT
        poller = select.poll()
        for source, events in wanted.items():
            poller.register(source, events)
        self._ready = dict(poller.poll(within_ms))

    def _serve_line(self, events: int) -> None:
        if events & select.POLLOUT:
            try:
                self._out = self._out[os.write(self._line, self._out) :]
            except BlockingIOError:
                pass
            except OSError:
                self._out = b""  # nobody reads it, but what has come is to be read
        try:
            if events & ~select.POLLOUT:
                data = os.read(self._line, _BLOCK_BYTES)
                self._over = not data
                for found in self._reader.frames(data):
                    self._take(found)
        except BlockingIOError:
            return
        except OSError:
            self._over = True

    def _take(self, found: Frame) -> None:
        end = self._ends.get(found.number)
        if found.kind == Kind.OPEN:
            self._owner.opened(found.number, json.loads(found.data))
        elif end is None:
            if found.kind == Kind.CLOSE:
                self._owner.closed(found.number, json.loads(found.data))
        elif found.kind == Kind.DATA:
            end.out += found.data
        elif found.kind == Kind.TAKEN:
            end.room += json.loads(found.data)
        elif found.kind == Kind.SIZE:
            self._owner.resized(found.number, json.loads(found.data))
        elif found.kind == Kind.CLOSE:
            end.how = dict(json.loads(found.data))

    def _serve(self, number: int, end: _End) -> None:
        """Write and read what is possible; end it when either side has."""
        if end.out and self._ready.get(end.sink, 0) & ~select.POLLIN:
            try:
                written = os.write(end.sink, end.out)
            except BlockingIOError:
                written = 0
            except OSError:
                written = len(end.out)  # nobody reads it
            end.out = end.out[written:]
            self.send(frame(number, Kind.TAKEN, written))
        if end.how is not None:
            if not end.out:
                del self._ends[number]
                self._owner.closed(number, end.how)
        elif end.room > 0 and self._ready.get(end.source, 0) & ~select.POLLOUT:
            try:
                data = os.read(end.source, min(_BLOCK_BYTES, end.room))
            except BlockingIOError:
                return
            except OSError:  # EIO: no program has the terminal any more
                data = b""
            if data:
                end.room -= len(data)
                self.send(Frame(number, Kind.DATA, data))
            else:
                self.close(number, **self._owner.drained(number))
