# SPDX-License-Identifier: MIT
"""A server with files, oplocks and leases, a client with credits, and another client: what they see with TP in between.

The server answers in any order and grants as few credits as it may. It ends the test if a request has a number that
was not granted. It takes an oplock back by itself if nobody agrees to a break for 35 s. The line from it may stand
still for that long. The client checks each answer: its number, each byte of it, and that a block is what the file has
been at some moment between its request and the answer; and that it hears of breaks of its own oplocks only.
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
    MORE_PROCESSING,
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

REVOKED_S = 35


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
    broken_s: float | None = None  # when it was taken back; nobody has agreed yet

    @property
    def alone(self) -> bool:
        return self.server is not None and self.oplock in (self.server.dialect.exclusive, self.server.dialect.lease)


@dataclass
class World:
    files: dict[str, File]
    step: int = 0
    time_s: float = 0
    opens: list[Open] = field(default_factory=list)

    def open(self, name: str, server: Server | None, oplock: int, levels: tuple[int, int, int]) -> Open | None:
        """Open a file. None: others were told first, and have not agreed yet. levels: none, level 2, exclusive."""
        none, level_2, exclusive = levels
        others = [
            one
            for one in self.opens
            if one.file == name and not (server is not None and server.lenient and one.server is server)
        ]
        for one in others:
            if one.alone and one.server is not None and one.broken_s is None:
                one.broken_s = self.time_s
                one.server.notify(one)
            elif one.alone and one.broken_s is not None and self.time_s - one.broken_s >= REVOKED_S:
                one.oplock = none
        if any(one.alone for one in others):
            return None
        level = (oplock if oplock not in (none, level_2) else exclusive) if not others else level_2
        id = next(
            made
            for number in range(1, 1000)
            if (made := (0x4000 + number).to_bytes(2, "little") + bytes([number % 251]) * 14)
            not in [one.id for one in self.opens]
        )
        made_open = Open(server, name, id, level if oplock != none and exclusive != none else none)
        self.opens.append(made_open)
        return made_open

    def write(self, name: str, offset: int, data: bytes, by: Open) -> None:
        """Write; others with an oplock are told."""
        old = self.files[name].now.ljust(offset, b"\0")
        self.files[name].versions.append((self.step, old[:offset] + data + old[offset + len(data) :]))
        for one in self.opens:
            if one is by or one.file != name or one.server is None or one.oplock == one.server.dialect.none:
                continue
            assert not one.alone or one.server.lenient, "another one has an exclusive oplock"
            if not one.alone:
                one.server.notify(one)
                one.oplock = one.server.dialect.none


@dataclass
class Pending:
    request: Request
    announced: bool = False


class Server:
    """One connection of the server. A lenient one lets a client break no oplock of its own."""

    def __init__(self, world: World, dialect: Dialect, random: Random, generous: int, lenient: bool) -> None:
        self.world, self.dialect, self.random = world, dialect, random
        self.generous, self.lenient = generous, lenient
        self.stream, self.out = bytearray(), bytearray()
        self.pending: list[Pending] = []
        self.free = {0}  # numbers that were granted
        self.granted = 1
        self.setups = 0
        self.most_pending = 0
        self.asked: list[tuple[int, int]] = []  # places and lengths of reads

    def take(self, data: bytes) -> None:
        self.stream += data
        for message in frames(self.stream):
            for one in self._messages(message):
                self._request(self.dialect.read(one))

    def _messages(self, message: bytes) -> list[bytes]:
        found = []
        while self.dialect.version == 2 and (following := int.from_bytes(message[20:24], "little")):
            found.append(message[:following])
            message = message[following:]
        return [*found, message]

    def _request(self, request: Request) -> None:
        if request.op == "cancel":
            return
        if self.dialect.version == 2:
            numbers = set(range(request.number, request.number + max(1, request.charge)))
            assert numbers <= self.free, f"{request.op} has number {request.number}, which was not granted"
            self.free -= numbers
        if request.op == "agree" and self.dialect.version == 1:
            self._agree(request)
            return
        assert all(one.request.number != request.number for one in self.pending), "a number is used twice"
        self.pending.append(Pending(request))
        self.most_pending = max(self.most_pending, sum(not one.announced for one in self.pending))

    def notify(self, one: Open) -> None:
        """Tell the client that an oplock is taken back."""
        id = one.id[: 2 if self.dialect.version == 1 else 16]
        self.out += frame(self.dialect.breaks(id, self.dialect.none, one.oplock == self.dialect.lease))

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
        """Whether it does not depend on others. A file is closed after all that was asked for before."""
        if one.request.op in ("close", "untree"):
            return self.pending[0] is one
        return True

    def _grant(self, request: Request) -> int:
        if self.dialect.version == 1:
            return 0
        more = self.random.randrange(self.generous + 1) if self.generous else 0
        count = max(request.charge, 1) + (150 if request.op == "tree" else min(more, max(request.credits - 1, 0)))
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
        for one in self.world.opens:
            if one.server is self and request.file in (one.id, one.id[:2], b"key " + one.id[:12]):
                one.oplock, one.broken_s = self.dialect.none, None

    def _done(self, one: Pending) -> bool | None:
        """Do what is asked for. None: not yet."""
        request, later = one.request, one.announced
        granted = 0 if later else None
        if request.op == "open":
            return self._open(request, granted, later)
        if request.op == "setup":
            self.setups += 1
            return self._send(request, 0 if self.setups % 2 == 0 else MORE_PROCESSING, granted, later=later)
        if request.op == "untree":
            self.world.opens[:] = [open for open in self.world.opens if open.server is not self]
        if request.op in ("agree", "agree-lease"):
            self._agree(request)
        if request.op not in ("read", "write", "close"):
            return self._send(request, 0, granted, file=request.file, later=later)
        found = self._open_of(request)
        if found is None:
            return self._send(request, FILE_CLOSED, granted, later=later)
        if request.op == "read":
            return self._read(request, found, later)
        if request.op == "write":
            self.world.write(found.file, request.offset, request.data, found)
        if request.op == "close":
            self.world.opens.remove(found)
        return self._send(request, 0, granted, data=request.data, file=request.file, later=later)

    def _open(self, request: Request, granted: int | None, later: bool) -> bool | None:
        dialect = self.dialect
        if request.name not in self.world.files:
            return self._send(request, NOT_FOUND, granted, later=later)
        levels = (dialect.none, self.random.choice([dialect.none, dialect.level_2]), dialect.exclusive)
        made = self.world.open(request.name, self, request.oplock, levels)
        if made is None:
            return None
        size = len(self.world.files[made.file].now)
        file = made.id[: 2 if dialect.version == 1 else 16]
        return self._send(request, 0, granted, file=file, oplock=made.oplock, size=size, later=later)

    def _read(self, request: Request, found: Open, later: bool) -> bool:
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
        self.oplocks: set[bytes] = set()  # files that were opened with one, and keys

    def can(self, cost: int = 1) -> bool:
        return self.dialect.version == 1 or self.credits >= cost

    def ask(
        self, op: str, name: str = "", then: Callable[[Answer], None] | None = None, credits: int = 1, **values: Any
    ) -> None:
        self.out += frame(self._made(op, name, then, credits, **values))

    def ask_together(self, name: str, then: Callable[[Answer], None], file: bytes) -> None:
        """Ask for a file's size and close it, in one frame."""
        first = self._made("query", name, None, 1, file=file, following=104)
        self.out += frame(first.ljust(104, b"\0"), self._made("close", name, then, 1, file=file))

    def _made(self, op: str, name: str, then: Callable[[Answer], None] | None, credits: int, **values: Any) -> bytes:
        if op == "open":
            values["name"] = name
        message = self.dialect.ask(op, self.number, credits, **values)
        request = self.dialect.read(message)
        if self.dialect.version == 2:
            self.credits -= max(1, request.charge)
            assert self.credits >= 0
        if not (op == "agree" and self.dialect.version == 1):
            self.waiting[request.number] = Asked(request, self.world.step, name, then)
        self.number += max(1, request.charge)
        return message

    def take(self, data: bytes) -> None:
        self.stream += data
        for message in frames(self.stream):
            answer = self.dialect.answered(message)
            self.credits += answer.credits
            if answer.op == "break":
                assert answer.file in self.oplocks, "a break of an oplock that it has not asked for"
                self.breaks.append(answer)
                continue
            asked = self.waiting[answer.number]
            self._check(asked, answer)
            if answer.interim:
                continue
            del self.waiting[answer.number]
            self._note(asked, answer)
            if asked.then is not None:
                asked.then(answer)

    def _note(self, asked: Asked, answer: Answer) -> None:
        if answer.op != "open" or answer.status:
            return
        assert answer.oplock == self.dialect.none or asked.request.oplock, "an oplock that it did not ask for"
        self.oplocks -= {answer.file}
        if answer.oplock:
            self.oplocks |= {answer.file, b"key " + answer.file[:12]}

    def _check(self, asked: Asked, answer: Answer) -> None:
        request, raw = asked.request, answer.raw
        assert answer.raw[4:5] == request.raw[4:5] if self.dialect.version == 1 else answer.op[:5] == request.op[:5]
        if self.dialect.version == 2:
            assert raw[6:8] == request.raw[6:8] and raw[40:48] == request.raw[40:48], "another charge or session"
            assert raw[16] & 2 or raw[32:40] == request.raw[32:40], "another process or tree"
        else:
            assert raw[24:32] == request.raw[24:32], "another tree, process, user or number"
        if answer.op != "read" or answer.interim:
            return
        seen = self.world.files[asked.file].between(asked.at, self.world.step)
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
    """A client that reads files again and again, with others around it; each decision comes from the seed."""

    program: Path
    dialect: Dialect
    seed: int
    sizes: dict[str, int]
    rounds: int = 1  # how often each file is read
    oplocks: float = 0  # how many opens ask for an oplock or a lease
    writes: bool = False  # the client itself writes, by another handle
    lenient: bool = False
    others: bool = False  # another client opens and writes files
    stalls: float = 0  # how often the line from the server stands still
    window: int = 1
    generous: int = 32
    pieces: bool = True
    block: int = 0
    settings: dict[str, Any] = field(default_factory=dict)
    slow: bool = False
    rooms: bool = False
    whole: bool = True  # each file is read from its first byte to its end

    def __post_init__(self) -> None:
        self.random = Random(self.seed)
        files = {name: File([(0, Random(f"{name} {size}").randbytes(size))]) for name, size in self.sizes.items()}
        self.world = World(files)
        self.server = Server(self.world, self.dialect, self.random, self.generous, self.lenient)
        self.client = Client(self.world, self.dialect)
        self.state = "watches"
        self.told_s = 0.0
        self.stalled = self.idle = 0  # steps
        self.readers: list[Reader] = []
        self.writers: list[Writer | Other] = []

    def go(self) -> Session:
        with Session(self.program, **self.settings) as session:
            self.session = session
            for op in ("negotiate", "setup", "setup", "tree", "echo", "echo", "echo"):
                self.client.ask(op, credits=8)
                self._until_answered()
            self.readers = [Reader(self, name) for name in self.sizes]
            writer = [Writer(self)] if self.writes else []
            other = [Other(self)] if self.others else []
            self.writers = [*writer, *other]
            while not all(reader.done for reader in self.readers):
                actors = [*self.readers, *self.writers]
                moves = [self._deliver, self.server.step, self._from_server, *(actor.move for actor in actors)]
                if self.rooms:
                    moves.append(self._more_room)
                self._passes(moves)
                assert session.state != "broken", session.why
            while writer and not writer[0].idle:
                self._passes([self._deliver, self.server.step, self._from_server, writer[0].closes])
            while other and not other[0].idle:
                other[0].closes()
            self.stalled = 0
            session.say("room 10000000")
            self._pass()
            self._until_answered()
            self.state = session.state
        return session

    def _passes(self, moves: list[Callable[[], bool]]) -> None:
        """Let one thing happen, or time pass."""
        self.world.step += 1
        self.world.time_s += 0.001
        if not self.stalled and self.ripe() and self.random.random() < self.stalls:
            self.stalled = 150
            self.writers[-1].hurries()
        if self.stalled:
            self.stalled -= 1
            self.world.time_s += self.random.choice([0, 0.1, 3])
        if self.world.time_s - self.told_s > 0.05:
            self.told_s = self.world.time_s
            self.session.say(f"time {round(self.told_s * 1e9)}")
            self._pass()
        self.random.shuffle(moves)
        moved = any(move() for move in moves)
        self.idle = 0 if moved or self.stalled else self.idle + 1
        assert self.idle < 500, "nothing goes on"

    def _until_answered(self) -> None:
        while self.client.waiting or self.server.pending or self.server.out:
            self.world.step += 1
            assert self._deliver() | self.server.step() | self._from_server(), "nothing goes on at the end"

    def _piece(self, stream: bytearray) -> bytes:
        size = len(stream)
        if self.pieces and self.random.random() < 0.4:
            size = min(size, self.random.choice([1, 3, 70, 200, 1448, 9000, 9000]))
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
        if not self.server.out or self.stalled:
            return False
        self.session.give("<", self._piece(self.server.out))
        self._pass()
        return True

    def _more_room(self) -> bool:
        self.session.say(f"room {self.random.choice([0, 500, 70_000, 200_000])}")
        self._pass()
        return True

    def ripe(self) -> bool:
        """Whether this is a good moment to write: nobody does, and TP keeps what will be read, or has asked for it."""
        counts = self.session.counts
        kept = counts.fetched - counts.served - counts.wasted > 8000
        asked = sum(one.request.op == "read" for one in self.server.pending) > self.window + 1
        return (kept or asked) and not any(one.name for one in self.writers)

    def read_now(self) -> Reader | None:
        """Return one that is in the middle of a file."""
        begun = [one for one in self.readers if one.at and not one.ended and not one.done]
        return self.random.choice(begun) if begun else None

    def oplock(self) -> int:
        """Return what an open asks for."""
        if self.random.random() >= self.oplocks:
            return self.dialect.none
        return self.random.choice(
            [self.dialect.exclusive, *([self.dialect.lease] if self.dialect.version == 2 else [])]
        )

    def agrees(self, name: str, file: bytes | None) -> bool:
        """Let the client agree to a break of its file; whether there was one."""
        for one in self.client.breaks:
            if file is not None and one.file in (file, b"key " + file[:12]):
                self.client.breaks.remove(one)
                self.client.ask("agree-lease" if one.file != file else "agree", name, file=one.file)
                return True
        return False


class Reader:
    """Reads one file, and closes it, in one of several ways, as often as it is to be read."""

    def __init__(self, run: Run, name: str) -> None:
        self.run, self.name, self.client = run, name, run.client
        self.left = run.rounds
        self.done = False
        self._begin()

    def _begin(self) -> None:
        self.file: bytes | None = None
        self.asked = self.ended = self.closing = False
        self.at = self.under_way = 0
        self.waits = 0  # for somebody who writes
        self.slow = self.run.slow and self.run.random.random() < 0.7
        self.client.got[self.name] = b""
        self.block = self.run.block or self.run.random.choice([4096, 16384, 20_000, 40_000])

    def move(self) -> bool:
        random = self.run.random
        if self.done or self.closing or not self.client.can(3):
            return False
        if not self.asked:
            self.asked = True
            self.client.ask("open", self.name, self._opened, oplock=self.run.oplock(), access=READ_ACCESS)
            return True
        if self.file is None:
            return False
        if self.run.agrees(self.name, self.file):
            return True
        if self.at and self.slow and random.random() < 0.7:
            return False
        if self.waits < 400 and any(one.name == self.name for one in self.run.writers):
            self.waits += 1
            return False
        if not self.run.whole and random.random() < 0.02:
            self.ended = True
        if self.ended:
            return not self.under_way and self._closes()
        if self.under_way >= self.run.window:
            return False
        self.under_way += 1
        self._asks()
        return True

    def _asks(self) -> None:
        random, file = self.run.random, self.file or b""
        dice = random.random()
        if not self.run.whole and dice < 0.1:
            place, length = random.randrange(1 << 17), random.choice([1, 100, 16384, 65_536])
            self.client.ask("read", self.name, self._answered, file=file, offset=place, length=length)
        elif not self.run.whole and dice < 0.15:
            self.client.ask(random.choice(["echo", "lock"]), self.name, self._answered, file=file)
        else:
            asked = random.choice([0, 1, 30])
            place, self.at = self.at, self.at + self.block
            self.client.ask("read", self.name, self._read, file=file, offset=place, length=self.block, credits=asked)

    def _closes(self) -> bool:
        self.closing = True
        dice = self.run.random.random()
        if self.run.whole or dice < 0.7:
            self.client.ask("close", self.name, self._closed, file=self.file)
        elif dice < 0.85 and self.run.dialect.version == 2:
            self.client.ask_together(self.name, self._closed, self.file or b"")
        elif len(self.run.sizes) == 1 and not self.run.writes:
            self.client.ask("untree", self.name, self._without_tree)
        else:
            self.client.ask("close", self.name, self._closed, file=self.file)
        return True

    def _without_tree(self, answer: Answer) -> None:
        self.client.ask("tree", self.name, self._closed)

    def _closed(self, answer: Answer) -> None:
        self.client.breaks = [one for one in self.client.breaks if self.file is None or self.file[:2] not in one.file]
        self.left -= 1
        self.done = not self.left
        if self.left:
            self._begin()

    def _opened(self, answer: Answer) -> None:
        assert answer.status == 0
        self.file = answer.file

    def _answered(self, answer: Answer) -> None:
        self.under_way -= 1

    def _read(self, answer: Answer) -> None:
        self.under_way -= 1
        if answer.status == END_OF_FILE or len(answer.data) < self.block:
            self.ended = True
        self.client.got[self.name] += answer.data


class Writer:
    """The client's other handle of a file, by which it writes; it does not always wait for answers."""

    def __init__(self, run: Run) -> None:
        self.run, self.client = run, run.client
        self.name = ""
        self.file: bytes | None = None
        self.written = False

    @property
    def idle(self) -> bool:
        return not self.name

    def hurries(self) -> None:
        """It does not."""

    def move(self) -> bool:
        random = self.run.random
        reader = self.run.read_now()
        if not self.client.can(20) or random.random() < (0.5 if not self.idle else 0.85 if self.run.ripe() else 0.999):
            return False
        if self.idle:
            if reader is None:
                return False
            self.name = reader.name
            self.client.ask("open", self.name, self._opened, oplock=self.run.oplock(), access=WRITE_ACCESS)
            return True
        if self.file is None:
            return False
        if self.run.agrees(self.name, self.file):
            return True
        if not self.written or random.random() < 0.5:
            self.written = True
            size = len(self.run.world.files[self.name].now)
            place = min(reader.at, size) if reader else random.randrange(size or 1)
            data = random.randbytes(random.choice([100, 60_000]))[: size - place]
            self.client.ask("write", self.name, None, file=self.file, offset=place, data=data)
            return True
        return self.closes()

    def closes(self) -> bool:
        if self.file is None or not self.client.can():
            return False
        self.client.ask("close", self.name, self._closed, file=self.file)
        self.file = None
        return True

    def _opened(self, answer: Answer) -> None:
        assert answer.status == 0
        self.file = answer.file

    def _closed(self, answer: Answer) -> None:
        self.client.breaks.clear()
        self.name, self.written = "", False


class Other:
    """Another client of the server: opens a file, writes, closes it."""

    def __init__(self, run: Run) -> None:
        self.run = run
        self.open: Open | None = None
        self.name = ""
        self.written = False

    @property
    def idle(self) -> bool:
        return self.open is None

    def hurries(self) -> None:
        reader = self.run.read_now()
        self.name = self.name or (reader.name if reader else "")

    def move(self) -> bool:
        world, random = self.run.world, self.run.random
        if random.random() < (0.5 if self.name else 0.85 if self.run.ripe() else 0.999):
            return False
        if not self.name:
            self.hurries()
        elif self.open is None:
            self.open = world.open(self.name, None, 0, (0, 0, 0))
        elif not self.written or random.random() < 0.5:
            size = len(world.files[self.open.file].now)
            place = random.choice([0, 0, size // 2, random.randrange(size or 1)])
            world.write(self.open.file, place, random.randbytes(size - place), self.open)
            self.written = True
        else:
            self.closes()
        return True

    def closes(self) -> None:
        if self.open is not None:
            self.run.world.opens.remove(self.open)
            self.open, self.name, self.written = None, "", False
