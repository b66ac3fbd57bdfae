# SPDX-License-Identifier: MIT
"""What observers say of connections: drive, which passes bytes to one, and recorded connections.

Fixtures are captures of the lab (tcpdump, of every packet of a connection as a whole), without losses.
"""

from __future__ import annotations

import struct
import subprocess
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from ..libraries import libraries
from ..programs import SANITIZED, Change, program

HERE = Path(__file__).parent
OBSERVE = HERE.parents[1] / "a3d" / "observe"
FIXTURES = HERE.parent / "fixtures" / "observe"
_ENDLESS_S = 300  # what runs longer is in a loop
SERVERS = {25: "smtp", 445: "smb", 80: "http"}  # by port

Piece = tuple[str, bytes]  # direction (> to the server, < to the client), and bytes; none: the direction has ended


def compiled(mistake: Change | None = None) -> Path:
    """Return drive."""
    sources = (HERE / "drive.c", *sorted(OBSERVE.glob("*.c")))
    return program(sources, (OBSERVE, libraries().headers), SANITIZED, libraries().link, mistake)


@dataclass(frozen=True)
class Event:
    """A line of drive. ``end`` is None if it was not known."""

    kind: str
    way: str
    label: str
    start: int
    end: int | None
    exchange: int
    thin: bool = False
    more: dict[str, str] = field(default_factory=dict)


def observed(program: Path, protocol: str, pieces: Iterable[Piece]) -> list[Event]:
    """Return what the observer says; it must neither crash nor break its word."""
    return each_observed(program, protocol, [pieces])[0]


def each_observed(program: Path, protocol: str, connections: Iterable[Iterable[Piece]]) -> list[list[Event]]:
    """Return what an observer says of each connection."""
    script = "=\n".join("".join(f"{way}{piece.hex()}\n" for way, piece in pieces) for pieces in connections)
    done = subprocess.run([program, protocol], input=script, capture_output=True, text=True, timeout=_ENDLESS_S)
    assert done.returncode == 0, done.stderr
    found = [[_event(line) for line in said.splitlines()] for said in done.stdout.split("=\n")]
    for events in found:
        check(events)
    return found


def split_anyhow(program: Path, protocol: str, pieces: Iterable[Piece], sizes: Iterator[int]) -> list[Event]:
    """Return what is said of pieces; if they are cut into smaller ones, that must be the same."""
    whole_pieces = list(pieces)
    events, of_smaller = each_observed(program, protocol, [whole_pieces, cut(whole_pieces, sizes)])
    assert events == of_smaller
    return events


def _event(line: str) -> Event:
    """Read a line of drive."""
    kind, way, label, start, end, exchange, *rest = line.split(" ")
    thin = rest[:1] == ["thin"]
    more = dict(word.split("=", 1) for word in rest[thin:])
    return Event(kind, way, label, int(start), None if end == "?" else int(end), int(exchange), thin, more)


def check(events: list[Event]) -> None:
    """Fail unless messages lie end to end in each direction and begin and end once; nothing comes after "alone"."""
    at = {">": 0, "<": 0}
    begun: dict[str, Event] = {}
    for number, event in enumerate(events):
        assert event.start == at[event.way], event
        if event.kind == "alone":
            assert number == len(events) - 1, events[number + 1]
        elif event.kind == "begin":
            assert event.way not in begun, event
            begun[event.way] = event
        else:
            first = begun.pop(event.way)
            assert first.label == event.label and first.exchange == event.exchange and first.more == event.more, event
            assert event.end is not None and first.end in (None, event.end) and event.end > event.start, event
            at[event.way] = event.end


def whole(events: Iterable[Event]) -> list[str]:
    """Return messages that have ended, and whether the connection is left alone: ``> SMTP-4 2``."""
    return [
        f"alone {event.label}" if event.kind == "alone" else f"{event.way} {event.label} {event.exchange}"
        for event in events
        if event.kind != "begin"
    ]


def cut(pieces: Iterable[Piece], sizes: Iterator[int]) -> Iterator[Piece]:
    """Cut pieces into smaller ones, of the given sizes."""
    for way, piece in pieces:
        if not piece:
            yield way, piece
        while piece:
            size = next(sizes)
            yield way, piece[:size]
            piece = piece[size:]


@dataclass
class Connection:
    """A recorded connection: the protocol of its server's port, and what was sent, in the order of the capture."""

    protocol: str
    pieces: list[Piece] = field(default_factory=list)
    next_seq: dict[str, int] = field(default_factory=dict)

    def take(self, way: str, seq: int, flags: int, payload: bytes) -> None:
        """Take a segment; what has come before is left out, and a gap cannot be."""
        if flags & 2:  # SYN
            self.next_seq[way] = seq + 1
        new = payload[(self.next_seq[way] - seq) % 2**32 :] if payload else b""
        assert not payload or (self.next_seq[way] - seq) % 2**32 <= len(payload), "a gap in the capture"
        if new:
            self.pieces.append((way, new))
            self.next_seq[way] = (self.next_seq[way] + len(new)) % 2**32
        if flags & 1:  # FIN
            self.pieces.append((way, b""))


def recorded(path: Path) -> list[Connection]:
    """Return the TCP connections of a capture, in the order in which they began."""
    found: dict[tuple[int, int], Connection] = {}
    for packet in _packets(path.read_bytes()):
        header = (packet[0] & 15) * 4
        tcp = packet[header : int.from_bytes(packet[2:4], "big")]
        source, to, seq, _, offset, flags = struct.unpack("!HHIIBB", tcp[:14])
        way, client, server = (">", source, to) if to in SERVERS else ("<", to, source)
        connection = found.setdefault((client, server), Connection(SERVERS[server]))
        connection.take(way, seq, flags, tcp[(offset >> 4) * 4 :])
    return list(found.values())


def _packets(capture: bytes) -> Iterator[bytes]:
    """Yield IP packets of a capture of Ethernet."""
    at = 24
    while at < len(capture):
        (length,) = struct.unpack("<I", capture[at + 8 : at + 12])
        yield capture[at + 16 + 14 : at + 16 + length]
        at += 16 + length
