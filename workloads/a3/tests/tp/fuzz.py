# SPDX-License-Identifier: MIT
"""Sessions through TP by a seed: modelled ones, recorded ones, and recorded ones with mistakes.

``python -m workloads.a3.tests.tp.fuzz`` tries one seed after the other until something is wrong.
"""

from __future__ import annotations

import struct
from itertools import count, repeat
from pathlib import Path
from random import Random
from typing import Any

from ..observe.fuzz import spoiled
from ..observe.sessions import FIXTURES, Connection, Piece, cut, recorded
from .model import Run
from .session import Counts, Session
from .smb import Dialect, Request, Smb1, Smb2, frame, frames


def modelled(program: Path, seed: int, **settings: Any) -> Counts:
    """Run a client, a server and others, and return what TP has counted."""
    random = Random(seed)
    dialects: list[Dialect] = [Smb2(), Smb1(), Smb2(charges=False)]
    writes = random.random() < 0.8
    run = Run(
        program,
        dialects[seed % 3],
        seed,
        {name: random.choice([0, 40_000, 150_000]) for name in "ab"[: random.choice([1, 1, 2])]} | {"c": 150_000},
        rounds=12,
        oplocks=random.choice([0, 0.1]),
        writes=writes,
        lenient=writes and random.random() < 0.9,
        others=True,
        stalls=random.choice([0, 0.1, 0.3]),
        slow=True,
        window=random.choice([1, 1, 2, 5]),
        generous=random.choice([1, 32]),
        rooms=random.random() < 0.2,
        whole=random.random() < 0.5,
        settings={"serialise": random.random() < 0.15} | settings,
        pieces=random.random() < 0.8,
    )
    session = run.go()
    assert session.counts.served + session.counts.wasted <= session.counts.fetched  # the rest is still kept
    return session.counts


def replayed(program: Path, connection: Connection, size: int) -> Counts:
    """Send what a client sent, to a server that answers as recorded, and grants each oplock that is asked for."""
    replay = _Replay(connection)
    with Session(program) as session:
        for request, answer in zip(replay.requests, replay.answers, strict=True):
            for way, piece in cut([(">", frame(request))], repeat(size)):
                session.give(way, piece)
            _served(session, replay, size)
            (got,) = frames(bytearray(session.taken("<")))
            without = replay.dialect.without_credits
            assert without(got) == without(answer)
        assert session.state in ("acts", "watches"), session.why
        return session.counts


def _served(session: Session, replay: _Replay, size: int) -> None:
    """Let the server answer all that has come to it."""
    while requests := frames(bytearray(session.taken(">"))):
        for request in requests:
            for way, piece in cut([("<", frame(replay.answer(request)))], repeat(size)):
                session.give(way, piece)


class _Replay:
    """A server that answers as a recorded one: a request by its number, a read by its place."""

    def __init__(self, connection: Connection) -> None:
        sent = {way: bytearray(b"".join(piece for one, piece in connection.pieces if one == way)) for way in "<>"}
        self.requests, self.answers = frames(sent[">"]), frames(sent["<"])
        self.dialect: Dialect = Smb1() if self.requests[0][0] == 0xFF else Smb2()
        self.content, self.empty = b"", b""
        for asked, answer in zip(self.requests, self.answers, strict=True):
            if self._is_read(asked):
                data = self.dialect.answered(answer).data
                self.content += data
                self.empty = self.empty if data else answer
        self._next = 0

    def _is_read(self, message: bytes) -> bool:
        return message[4] == 0x2E if message[0] == 0xFF else message[12:14] == b"\x08\0"

    def answer(self, message: bytes) -> bytes:
        """Return the answer to a request that may have been changed, or be from TP."""
        if self._is_read(message):
            return self._block(self.dialect.read(message))
        while self._is_read(self.requests[self._next]):
            self._next += 1
        asked, answer = self.requests[self._next], bytearray(self.answers[self._next])
        self._next += 1
        version_2 = message[0] == 0xFE
        if version_2:
            answer[24:32] = message[24:32]
        at = (67 if message[12] == 5 else 0) if version_2 else (33 + 7 if message[4] == 0xA2 else 0)
        if at and message[at] != asked[at]:
            answer[66 if version_2 else 33 + 4] = self.dialect.exclusive
        return bytes(answer)

    def _block(self, request: Request) -> bytes:
        """Return the recorded answer to a read with another place, with its data in place of what was there."""
        data = self.content[request.offset : request.offset + request.length]
        recorded_one = next(
            answer
            for asked, answer in zip(self.requests, self.answers, strict=True)
            if self._is_read(asked) and bool(self.dialect.answered(answer).data) == bool(data)
        )
        if self.dialect.version == 2:
            made = bytearray(recorded_one[:80] if data else recorded_one)
            made[24:32] = request.raw[24:32]
            if data:
                made[68:72] = len(data).to_bytes(4, "little")
            return bytes(made) + data
        made = bytearray(recorded_one[:60])
        made[24:32] = request.raw[24:32]
        made[33 + 10 : 33 + 12] = len(data).to_bytes(2, "little")
        made[57:59] = (len(data) + 1).to_bytes(2, "little")
        return bytes(made) + data


def spoiled_sessions(program: Path, seed: int) -> None:
    """Recorded sessions with mistakes. As long as nothing was changed but credits, what leaves is what has come."""
    random = Random(seed)
    connections = [one for name in ("files", "signed", "dialects") for one in recorded(FIXTURES / f"{name}.pcap")]
    for connection in connections:
        pieces: list[Piece] = [(way, piece) for way, piece in spoiled(seed, connection.pieces) if piece]
        with Session(program) as session:
            sent, got = {">": b"", "<": b""}, {">": b"", "<": b""}
            for way, piece in cut(pieces, iter(lambda: random.choice([1, 50, 2000, 9000]), None)):
                session.give(way, piece)
                sent[way] += piece
                for one in "<>":
                    got[one] += session.taken(one)
            if session.state == "left":
                assert got[">"] == sent[">"] and len(got["<"]) == len(sent["<"])
                unlike = [
                    at for at, (mine, theirs) in enumerate(zip(got["<"], sent["<"], strict=True)) if mine != theirs
                ]
                assert all(b"\xfeSMB" in got["<"][at - 15 : at - 10] for at in unlike), "more than credits differs"


def spoiled_replay(program: Path, connection: Connection, seed: int) -> int:
    """Replay a session with mistakes in the heads of messages; whatever TP answers is what the file has there.

    Returns how many reads it has answered.
    """
    random, replay = Random(seed), _Replay(connection)

    def with_mistake(message: bytes) -> bytes:
        made = bytearray(message)
        if random.random() < 0.04:
            made[random.randrange(min(len(made), 60))] ^= 1 << random.randrange(8)
        return bytes(made)

    with Session(program) as session:
        for request in replay.requests:
            answered, asked = session.counts.answered, with_mistake(request)
            session.give(">", frame(asked))
            if session.counts.answered > answered:
                (got,) = frames(bytearray(session.taken("<")))
                place = replay.dialect.read(asked)
                assert replay.dialect.answered(got).data == replay.content[place.offset : place.offset + place.length]
            for one in frames(bytearray(session.taken(">"))):
                try:
                    answer = replay.answer(one)
                except (AssertionError, LookupError, struct.error, StopIteration):  # not what a server understands
                    return session.counts.answered
                session.give("<", frame(with_mistake(answer)))
            session.taken("<")
        return session.counts.answered


def main() -> None:
    from .session import compiled

    program = compiled()
    for seed in count():
        print(f"seed {seed}: {modelled(program, seed)}", flush=True)
        if seed % 20 == 0:
            spoiled_sessions(program, seed // 20)


if __name__ == "__main__":
    main()
