# SPDX-License-Identifier: MIT
"""A server with files and oplocks, a client with credits, and another client: what they see with TP in between.

The server answers in any order and grants as few credits as it may. It ends the test if a request has a number that
was not granted. The client checks each answer: its number, each byte of it, and that a block is what the file has been
at some moment between its request and the answer.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any

from .session import Session
from .smb import (
    END_OF_FILE,
    FILE_CLOSED,
    NOT_FOUND,
    PENDING,
    READ_ACCESS,
    WRITE_ACCESS,
    Answer,
    Dialect,
    Request,
    frame,
    frames,
)


@dataclass
class File:
    """Its content, at all times."""

    versions: list[tuple[int, bytes]]

    @property
    def now(self) -> bytes:
        return self.versions[-1][1]

    def between(self, since: int, until: int) -> list[bytes]:
        """Return what it has been in a time."""
        ends = [begin for begin, _ in self.versions[1:]] + [until + 1]
        return [
            content for (begin, content), end in zip(self.versions, ends, strict=True) if begin <= until and end > since
        ]


@dataclass(eq=False)
class Open:
    server: Server | None  # None: the other client's
    file: str
    id: bytes
    oplock: int
    breaking: bool = False


@dataclass
class World:
    files: dict[str, File]
    time: int = 0
    opens: list[Open] = field(default_factory=list)
    opened: int = 0

    def open(self, name: str, server: Server | None, oplock: int, levels: tuple[int, int, int]) -> Open | None:
        """Open a file. None: others were told first, and have not agreed yet. levels: none, level 2, exclusive."""
        none, level_2, exclusive = levels
        others = [one for one in self.opens if one.file == name]
        waits = False
        for one in others:
            if one.server is not None and one.oplock == one.server.dialect.exclusive:
                waits = True
                if not one.breaking:
                    one.breaking = True
                    one.server.notify(one.id)
        if waits:
            return None
        level = exclusive if not others else level_2
        self.opened += 1
        id = (0x4000 + self.opened).to_bytes(2, "little") + bytes([self.opened % 251]) * 14
        made = Open(server, name, id, level if oplock != none else none)
        self.opens.append(made)
        return made

    def write(self, name: str, offset: int, data: bytes, by: Open) -> None:
        """Write; others with an oplock are told."""
        old = self.files[name].now.ljust(offset, b"\0")
        self.files[name].versions.append((self.time, old[:offset] + data + old[offset + len(data) :]))
        for one in self.opens:
            if one is not by and one.file == name and one.server is not None and one.oplock != one.server.dialect.none:
                assert one.oplock != one.server.dialect.exclusive, "two with an exclusive oplock"
                one.oplock = one.server.dialect.none
                one.server.notify(one.id)


@dataclass
class Pending:
    request: Request
    announced: bool = False


class Server:
    """One connection of the server."""

    def __init__(
        self, world: World, dialect: Dialect, random: Random, generous: int, grants_oplocks: bool = True
    ) -> None:
        self.world, self.dialect, self.random = world, dialect, random
        self.generous, self.grants_oplocks = generous, grants_oplocks
        self.stream, self.out = bytearray(), bytearray()
        self.pending: list[Pending] = []
        self.free = {0}  # numbers that were granted
        self.granted = 1
        self.most_pending = 0
        self.reads = 0
        self.asked: list[tuple[int, int]] = []  # places and lengths of reads

    def take(self, data: bytes) -> None:
        self.stream += data
        for message in frames(self.stream):
            request = self.dialect.read(message)
            if request.op == "cancel":
                continue
            if self.dialect.version == 2:
                numbers = set(range(request.number, request.number + max(1, request.charge)))
                assert numbers <= self.free, f"{request.op} has number {request.number}, which was not granted"
                self.free -= numbers
            if request.op == "agree" and self.dialect.version == 1:
                self._agree(request)
                continue
            assert all(one.request.number != request.number for one in self.pending), "a number is used twice"
            self.pending.append(Pending(request))
            self.most_pending = max(self.most_pending, sum(not one.announced for one in self.pending))

    def notify(self, file: bytes) -> None:
        """Tell the client that an oplock is taken back."""
        self.out += frame(self.dialect.breaks(file, self.dialect.none))

    def step(self) -> bool:
        """Answer one request, if it can be answered."""
        ready = [one for one in self.pending if self._ready(one)]
        if not ready:
            return False
        one = self.random.choice(ready)
        if self.dialect.version == 2 and not one.announced and self.random.random() < 0.1:
            one.announced = True
            self._send(one.request, PENDING, self._grant(one.request), interim=True)
            return True
        made = self._done(one)
        if made is not None:
            self.pending.remove(one)
        return made is not None

    def _ready(self, one: Pending) -> bool:
        """Whether it does not depend on others. What changes a file is done after what was asked for before."""
        if one.request.op in ("write", "close"):
            return all(
                other is one or other.request.file != one.request.file
                for other in self.pending[: self.pending.index(one)]
            )
        return True

    def _grant(self, request: Request) -> int:
        if self.dialect.version == 1:
            return 0
        more = self.random.randrange(self.generous + 1) if self.generous else 0
        count = max(request.charge, 1) + min(more, max(request.credits - 1, 0))
        self.free |= set(range(self.granted, self.granted + count))
        self.granted += count
        return count

    def _send(self, request: Request, status: int = 0, credits: int | None = None, **values: Any) -> bool:
        granted = self._grant(request) if credits is None else credits
        self.out += frame(self.dialect.answer(request, status, granted, **values))
        return True

    def _open_of(self, request: Request) -> Open | None:
        found = [one for one in self.world.opens if one.server is self and request.file[:2] == one.id[:2]]
        return found[0] if found else None

    def _agree(self, request: Request) -> None:
        one = self._open_of(request)
        if one is not None:
            one.oplock, one.breaking = self.dialect.none, False

    def _done(self, one: Pending) -> bool | None:
        """Do what is asked for. None: not yet."""
        request, dialect, later = one.request, self.dialect, one.announced
        granted = 0 if later else None
        if request.op == "open":
            if request.name not in self.world.files:
                return self._send(request, NOT_FOUND, granted, later=later)
            levels = (dialect.none, self.random.choice([dialect.none, dialect.level_2]), dialect.exclusive)
            if not self.grants_oplocks:
                levels = (dialect.none,) * 3
            made = self.world.open(request.name, self, request.oplock, levels)
            if made is None:
                return None
            size = len(self.world.files[made.file].now)
            file = made.id[: 2 if dialect.version == 1 else 16]
            return self._send(request, 0, granted, file=file, oplock=made.oplock, size=size, later=later)
        if request.op not in ("read", "write", "close", "agree"):
            return self._send(request, 0, granted, later=later)
        found = self._open_of(request)
        if found is None:
            return self._send(request, FILE_CLOSED, granted, later=later)
        if request.op == "read":
            return self._read(request, found, later)
        if request.op == "write":
            self.world.write(found.file, request.offset, request.data, found)
        if request.op == "close":
            self.world.opens.remove(found)
        if request.op == "agree":
            self._agree(request)
        return self._send(request, 0, granted, data=request.data, file=request.file, oplock=request.oplock, later=later)

    def _read(self, request: Request, found: Open, later: bool) -> bool:
        self.reads += 1
        data = self.world.files[found.file].now[request.offset : request.offset + request.length]
        self.asked.append((request.offset, request.length))
        status = 0 if data else END_OF_FILE
        return self._send(request, status, 0 if later else None, data=data, later=later)


@dataclass
class Asked:
    request: Request
    at: int
    file: str = ""
    then: Callable[[Answer], None] | None = None


class Client:
    """One that asks, with the numbers and credits that it was granted, and checks answers."""

    def __init__(self, world: World, dialect: Dialect) -> None:
        self.world, self.dialect = world, dialect
        self.number, self.credits = 0, 1
        self.stream, self.out = bytearray(), bytearray()
        self.waiting: dict[int, Asked] = {}
        self.got: dict[str, bytes] = {}
        self.breaks: list[Answer] = []

    def can(self, cost: int = 1) -> bool:
        return self.dialect.version == 1 or self.credits >= cost

    def ask(
        self, op: str, name: str = "", then: Callable[[Answer], None] | None = None, credits: int = 1, **values: Any
    ) -> None:
        if op == "open":
            values["name"] = name
        message = self.dialect.ask(op, self.number, credits, **values)
        request = self.dialect.read(message)
        if self.dialect.version == 2:
            self.credits -= max(1, request.charge)
            assert self.credits >= 0
        if not (op == "agree" and self.dialect.version == 1):
            self.waiting[request.number] = Asked(request, self.world.time, name, then)
        self.number += max(1, request.charge)
        self.out += frame(message)

    def take(self, data: bytes) -> None:
        self.stream += data
        for message in frames(self.stream):
            answer = self.dialect.answered(message)
            self.credits += answer.credits
            if answer.op == "break":
                self.breaks.append(answer)
                continue
            asked = self.waiting[answer.number]
            self._check(asked, answer)
            if answer.interim:
                continue
            del self.waiting[answer.number]
            if asked.then is not None:
                asked.then(answer)

    def _check(self, asked: Asked, answer: Answer) -> None:
        request, raw = asked.request, answer.raw
        assert answer.op == request.op, (answer.op, request.op)
        if self.dialect.version == 2:
            assert raw[6:8] == request.raw[6:8] and raw[40:48] == request.raw[40:48], "another charge or session"
            assert raw[16] & 2 or raw[32:40] == request.raw[32:40], "another process or tree"
        else:
            assert raw[24:32] == request.raw[24:32], "another tree, process, user or number"
        if answer.op != "read" or answer.interim:
            return
        seen = self.world.files[asked.file].between(asked.at, self.world.time)
        blocks = [content[request.offset : request.offset + request.length] for content in seen]
        if answer.status:
            assert answer.status == END_OF_FILE and b"" in blocks, hex(answer.status)
            return
        assert answer.data in blocks, f"{asked.file}: {len(answer.data)} bytes at {request.offset} were not there"
        expected = self.dialect.answer(request, data=answer.data)
        if self.dialect.version == 1 or not raw[16] & 2:
            without = self.dialect.without_credits
            assert without(raw) == without(expected), "not what the server would have said"


@dataclass
class Run:
    """A client that reads files, with others around it; each decision comes from the seed."""

    program: Path
    dialect: Dialect
    seed: int
    sizes: dict[str, int]
    own_oplock: bool = False
    writes: bool = False  # of the client itself
    others: bool = False  # another client opens and writes files
    window: int = 1
    generous: int = 32
    pieces: bool = True
    block: int = 0
    settings: dict[str, Any] = field(default_factory=dict)
    grants_oplocks: bool = True
    rooms: bool = False
    whole: bool = True  # each file is read from its first byte to its end

    def __post_init__(self) -> None:
        self.random = Random(self.seed)
        files = {name: File([(0, Random(f"{name} {size}").randbytes(size))]) for name, size in self.sizes.items()}
        self.world = World(files)
        self.server = Server(self.world, self.dialect, self.random, self.generous, self.grants_oplocks)
        self.client = Client(self.world, self.dialect)
        self.steps: list[Callable[[], bool]] = []
        self.state = "watches"

    def go(self) -> Session:
        with Session(self.program, **self.settings) as session:
            self.session = session
            script = [self._say("negotiate"), self._say("setup"), self._say("setup"), self._say("tree")]
            for step in script:
                self._until(step)
            readers = [Reader(self, name) for name in self.sizes]
            other = Other(self) if self.others else None
            while not all(reader.done for reader in readers):
                moves = [self._deliver, self.server.step, self._from_server, *(reader.move for reader in readers)]
                if other is not None:
                    moves.append(other.move)
                if self.rooms:
                    moves.append(self._more_room)
                self.random.shuffle(moves)
                self.world.time += 1
                assert any(move() for move in moves), "nothing goes on"
                assert session.state != "broken", session.why
            while not (other is None or other.idle) or self.client.waiting or self.server.pending or self.server.out:
                self.world.time += 1
                if other is not None and not other.idle:
                    other.closes()
                moved = self._deliver() | self.server.step() | self._from_server()
                assert moved or (other is not None and not other.idle), "nothing goes on at the end"
            self.state = session.state
        return session

    def _say(self, op: str) -> Callable[[], bool]:
        def once() -> bool:
            self.client.ask(op, credits=8)
            return True

        return once

    def _until(self, step: Callable[[], bool]) -> None:
        step()
        while self.client.waiting:
            assert self._deliver() | self.server.step() | self._from_server()

    def _piece(self, stream: bytearray) -> bytes:
        size = len(stream)
        if self.pieces and self.random.random() < 0.7:
            size = min(size, self.random.choice([1, 3, 70, 200, 1448, 9000]))
        found = bytes(stream[:size])
        del stream[:size]
        return found

    def _pass(self) -> None:
        self.server.take(self.session.taken(">"))
        self.client.take(self.session.taken("<"))

    def _deliver(self) -> bool:
        if not self.client.out:
            return False
        self.session.give(">", self._piece(self.client.out))
        self._pass()
        return True

    def _from_server(self) -> bool:
        if not self.server.out:
            return False
        self.session.give("<", self._piece(self.server.out))
        self._pass()
        return True

    def _more_room(self) -> bool:
        self.session.say(f"room {self.random.choice([0, 500, 70_000, 200_000])}")
        self._pass()
        return True


class Reader:
    """Reads one file, and closes it."""

    def __init__(self, run: Run, name: str) -> None:
        self.run, self.name, self.client = run, name, run.client
        self.file: bytes | None = None
        self.asked = False
        self.at = 0
        self.under_way = 0
        self.ended = self.done = False
        self.block = run.block or run.random.choice([700, 4096, 16384, 20_000, 65_536])

    def move(self) -> bool:
        if self.done or not self.client.can():
            return False
        random = self.run.random
        if not self.asked:
            self.asked = True
            oplock = self.run.dialect.exclusive if self.run.own_oplock else self.run.dialect.none
            access = WRITE_ACCESS if self.run.writes else READ_ACCESS
            self.client.ask("open", self.name, self._opened, oplock=oplock, access=access)
            return True
        if self.file is None:
            return False
        if self.client.breaks and self._agrees():
            return True
        if self.ended:
            if self.under_way or self.done:
                return False
            self.ended, self.done = False, True
            self.client.ask("close", self.name, file=self.file)
            return True
        if self.under_way >= self.run.window:
            return False
        self.under_way += 1
        dice = random.random()
        if self.run.writes and dice < 0.1:
            place, data = random.randrange(1 << 16), random.randbytes(random.choice([1, 100, 5000]))
            self.client.ask("write", self.name, self._answered, file=self.file, offset=place, data=data)
        elif not self.run.whole and dice < 0.3:
            place, length = random.randrange(1 << 17), random.choice([1, 100, 16384, 65_536])
            self.client.ask("read", self.name, self._answered, file=self.file, offset=place, length=length)
        elif dice < 0.35 and not self.run.whole:
            self.client.ask("echo", self.name, self._answered)
        else:
            self.client.ask(
                "read",
                self.name,
                self._read,
                file=self.file,
                offset=self.at,
                length=self.block,
                credits=random.choice([0, 1, 30]),
            )
            self.at += self.block
        return True

    def _agrees(self) -> bool:
        for one in self.client.breaks:
            if self.file is not None and one.file[:2] == self.file[:2]:
                self.client.breaks.remove(one)
                self.client.ask("agree", self.name, file=self.file)
                return True
        return False

    def _opened(self, answer: Answer) -> None:
        assert answer.status == 0
        assert answer.oplock == self.run.dialect.none or self.run.own_oplock, "an oplock that it did not ask for"
        self.file = answer.file

    def _answered(self, answer: Answer) -> None:
        self.under_way -= 1

    def _read(self, answer: Answer) -> None:
        self.under_way -= 1
        if answer.status == END_OF_FILE or len(answer.data) < self.block:
            self.ended = True
        self.client.got[self.name] = self.client.got.get(self.name, b"") + answer.data


class Other:
    """Another client of the server: opens a file, writes, closes it."""

    def __init__(self, run: Run) -> None:
        self.run = run
        self.open: Open | None = None
        self.wants = ""

    @property
    def idle(self) -> bool:
        return self.open is None

    def move(self) -> bool:
        world, random = self.run.world, self.run.random
        if random.random() < 0.8:
            return bool(self.run.server.pending or self.run.server.out or self.run.client.out)
        if self.open is None:
            self.wants = self.wants or random.choice(list(world.files))
            self.open = world.open(self.wants, None, 0, (0, 0, 0))
        elif random.random() < 0.8:
            data = random.randbytes(random.choice([1, 1000, 30_000]))
            world.write(self.open.file, random.randrange(len(world.files[self.open.file].now) or 1), data, self.open)
        else:
            self.closes()
        return True

    def closes(self) -> None:
        if self.open is not None:
            self.run.world.opens.remove(self.open)
            self.open, self.wants = None, ""
