# SPDX-License-Identifier: MIT
"""A session through TP of which a test says each message."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from .session import Session
from .smb import MORE_PROCESSING, Answer, Dialect, Request, frame, frames

CONTENT = bytes(range(256)) * 2000  # of each file


class Talk:
    """A client that has opened nothing yet, and a server that answers when the test says so.

    The client has 128 credits. TP keeps those that come after the session has begun: ``spare`` at first. ``recent``
    bytes have just come from the server.
    """

    def __init__(
        self,
        session: Session,
        dialect: Dialect,
        spare: int = 20,
        channels: bool = False,
        recent: int = 100_000,
        signed: bool = False,
    ) -> None:
        self.session, self.dialect = session, dialect
        self.number = 0
        self._to_server, self._to_client = bytearray(), bytearray()
        self.asked: list[Request] = []  # what the server has seen, and not answered
        for op, status in (("negotiate", 0), ("setup", MORE_PROCESSING), ("setup", 0), ("tree", 0)):
            self.ask(op)
            granted = 128 if op == "tree" else 1
            values: dict[str, dict[str, Any]] = {
                "negotiate": {"capabilities": 8 * channels},
                "setup": {"signed": signed and not status},
            }
            self.answer(self.asked[0], status, granted, **values.get(op, {}))
            assert self.got().op == op
        self.ask("echo")
        self.answer(self.asked[0], credits=spare)
        self.seen()
        self.padding(recent)

    def ask(self, op: str, **values: Any) -> int:
        """Send a request of the client. Returns its number."""
        number = self.number
        self.number += 1
        self.send(self.dialect.ask(op, number, **values))
        return number

    def send(self, *messages: bytes) -> None:
        """Send messages of the client in one frame."""
        self.session.give(">", frame(*messages))
        self.look()

    def look(self) -> None:
        self._to_server += self.session.taken(">")
        self._to_client += self.session.taken("<")
        self.asked += [self.dialect.read(message) for message in frames(self._to_server)]

    def answer(self, request: Request, status: int = 0, credits: int = 1, **values: Any) -> None:
        """Answer a request; a read with what is in the file."""
        if request.op == "read" and "data" not in values and not status and not values.get("interim"):
            values["data"] = CONTENT[request.offset : request.offset + request.length]
        if not values.get("interim"):
            self.asked.remove(request)
        self.say(self.dialect.answer(request, status, credits, **values))

    def say(self, *messages: bytes) -> None:
        """Send messages of the server in one frame."""
        self.session.give("<", frame(*messages))
        self.look()

    def raw(self) -> list[bytes]:
        """Return the content of frames that the client has seen since the last time."""
        self.look()
        return frames(self._to_client)

    def seen(self) -> list[Answer]:
        """Return what the client has seen since the last time."""
        return [self.dialect.answered(message) for message in self.raw()]

    def got(self) -> Answer:
        """Return the only message that the client has seen."""
        (answer,) = self.seen()
        return answer

    @property
    def reads(self) -> list[tuple[int, int]]:
        """Places and lengths of the reads that the server has not answered."""
        return [(request.offset, request.length) for request in self.asked if request.op == "read"]

    def file(self, number: int = 1) -> bytes:
        return bytes([0x40 + number, number]) * (1 if self.dialect.version == 1 else 8)

    def open(self, number: int = 1, size: int = 100_000, granted: int | None = None, **values: Any) -> bytes:
        """Open a file, with an exclusive oplock if one is asked for, unless it says what is granted."""
        self.ask("open", name=f"file{number}", **values)
        request = self.asked[-1]
        level = request.oplock if granted is None else granted
        self.answer(request, file=self.file(number), oplock=level, size=size)
        assert self.got().file == self.file(number)
        return self.file(number)

    def begin(self, number: int = 1, block: int = 16384, **values: Any) -> bytes:
        """Open a file, and read its first block, which the server has not answered yet."""
        file = self.open(number, **values)
        self.ask("read", file=file, length=block)
        return file

    def answer_all(self) -> None:
        while self.asked:
            self.answer(self.asked[0])

    def padding(self, length: int) -> None:
        """Let bytes come that are no message."""
        self.session.give("<", b"\x85" + length.to_bytes(3, "big") + bytes(length))
        self.session.taken("<")

    def at_s(self, seconds: float) -> None:
        """Let it be so late."""
        self.session.say(f"time {round(seconds * 1e9)}")
        self.look()


def talk(
    program: Path, dialect: Dialect, *, predict: bool = True, serialise: bool = False, early: bool = True, **values: Any
) -> Talk:
    return Talk(Session(program, predict, serialise, early), dialect, **values)
