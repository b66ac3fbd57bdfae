# SPDX-License-Identifier: MIT
"""TCP packets for the tests of a3d, made and read without its code; and drive, which passes them to it."""

from __future__ import annotations

import json
import struct
import subprocess
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from functools import cache
from ipaddress import IPv4Address, IPv6Address, ip_address
from pathlib import Path
from typing import Any

from ..libraries import libraries
from ..programs import PLAIN, SANITIZED, Change, program

HERE = Path(__file__).parent
A3D = HERE.parents[1] / "a3d"
_ENDLESS_S = 60  # what runs longer is in a loop
OBSERVERS = sorted((A3D / "observe").glob("*.c"))
_CHAIN = (
    *(
        A3D / f"{name}.c"
        for name in ("segment", "track", "rar", "table", "ae", "store", "private", "pf", "monitor", "notice")
    ),
    *(A3D / f"{name}.c" for name in ("half", "journal", "relay", "relay_disk", "chain")),
    *sorted(A3D.glob("tp*.c")),
    *OBSERVERS,
)
LOGIC = {
    "drive": _CHAIN,
    "drive_tp": _CHAIN,
    "drive_rules": tuple(A3D / name for name in ("rules.c", "fail.c")),
    "drive_pf": tuple(A3D / name for name in ("pf.c", "monitor.c", "listen.c")),
    "drive_half": (
        *(A3D / f"{name}.c" for name in ("segment", "track", "half", "journal", "relay", "relay_disk")),
        HERE / "disk.c",
    ),
}
_CALLS = ("fdatasync", "fsync", "openat", "pwritev", "pread", "pwrite", "ftruncate", "renameat", "unlinkat")
WRAPPED = {  # disk.c and drive_rules.c say what becomes of them
    "drive_half": [f"-Wl,--wrap={call}" for call in _CALLS],
    "drive_rules": [f"-Wl,--wrap={call}" for call in ("fopen", "socket", "sendto", "recv")],
}
FIN, SYN, RST, PSH, ACK, URG = (1 << bit for bit in range(6))
CLIENT, SERVER = ("10.0.0.2", 40000), ("10.0.0.1", 25)


def compiled(name: str = "drive", mistake: Change | None = None, sanitized: bool = False) -> Path:
    """Return a driver; with a ``mistake``, it has a sanitizer only if it is to be ``sanitized``."""
    how = SANITIZED if sanitized or mistake is None else PLAIN
    how += ('-DRULES_RUN="."',) if name == "drive_rules" else ()
    sources = (HERE / f"{name}.c", *LOGIC[name])
    link = (*WRAPPED.get(name, ()), *libraries().link)
    return program(sources, (A3D, libraries().headers), how, link, mistake)


@cache
def _address(text: str) -> IPv4Address | IPv6Address:
    return ip_address(text)


@dataclass(frozen=True)
class Segment:
    """A TCP segment."""

    source: tuple[str, int] = CLIENT
    to: tuple[str, int] = SERVER
    seq: int = 0
    ack: int = 0
    flags: int = ACK
    data: bytes = b""
    stamp: int | None = 7
    options: bytes = b""
    id: int = 0
    window: int = 500
    echo: int = 0  # the newest timestamp of the other end
    left_to_card: bool = False  # TCP's checksum is only that of the pseudo header

    def packet(self) -> bytes:
        """Return the IP packet."""
        options = b"" if self.stamp is None else struct.pack("!BBBBII", 1, 1, 8, 10, self.stamp, self.echo)
        options += self.options
        options += b"\0" * (-len(options) % 4)
        source, to = (_address(end[0]) for end in (self.source, self.to))
        head = struct.pack(
            "!HHIIBBHHH",
            *(self.source[1], self.to[1], self.seq % 2**32, self.ack % 2**32, (20 + len(options)) << 2, self.flags),
            *(self.window, 0, 0),
        )
        data = head + options + self.data
        pseudo = source.packed + to.packed + struct.pack("!II", len(data), 6)
        found = 0xFFFF - checksum(pseudo) if self.left_to_card else checksum(pseudo + data)
        data = data[:16] + found.to_bytes(2, "big") + data[18:]
        if source.version == 6:
            return struct.pack("!IHBB", 6 << 28, len(data), 6, 64) + source.packed + to.packed + data
        ip = struct.pack("!BBHHHBBH", 0x45, 0, 20 + len(data), self.id, 0x4000, 64, 6, 0) + source.packed + to.packed
        return ip[:10] + checksum(ip).to_bytes(2, "big") + ip[12:] + data


@dataclass(frozen=True)
class Read:
    """What a packet of TCP says, with valid checksums; the SACK blocks in pairs, the timestamps as sent."""

    seq: int
    ack: int
    flags: int
    window: int
    data: bytes
    sack: tuple[tuple[int, int], ...] = ()
    stamps: tuple[int, int] | None = None


def read(packet: bytes) -> Read:
    head = 20 if packet[0] >> 4 == 4 else 40
    pseudo = packet[12:20] if head == 20 else packet[8:40]
    tcp = packet[head:]
    assert checksum(pseudo + struct.pack("!II", len(tcp), 6) + tcp) == 0
    assert len(packet) == (struct.unpack("!H", packet[2:4])[0] if head == 20 else 40 + len(tcp))
    seq, ack, offset, flags, window = struct.unpack("!IIBBH", tcp[4:16])
    sack: tuple[tuple[int, int], ...] = ()
    stamps, at, end = None, 20, offset >> 2
    while at < end and tcp[at]:
        if tcp[at] == 1:
            at += 1
            continue
        kind, value = tcp[at], tcp[at + 2 : at + tcp[at + 1]]
        if kind == 5:
            numbers = struct.unpack(f"!{len(value) // 4}I", value)
            sack = tuple(zip(numbers[::2], numbers[1::2], strict=True))
        if kind == 8:
            stamps = struct.unpack("!II", value)
        at += tcp[at + 1]
    return Read(seq, ack, flags, window, tcp[end:], sack, stamps)


def checksum(data: bytes) -> int:
    """Return the Internet checksum (RFC 1071); of data with a valid one, 0."""
    data += b"\0" * (len(data) % 2)
    total: int = sum(struct.unpack(f"!{len(data) // 2}H", data))
    while total >> 16:
        total = (total & 0xFFFF) + (total >> 16)
    return ~total & 0xFFFF


def summed(packet: bytes) -> bytes:
    """Return a packet with a valid checksum of TCP, if it is long enough to have one."""
    start, address = (20, packet[12:20]) if packet[:1] < b"\x60" else (40, packet[8:40])
    tcp = packet[start:]
    if len(tcp) < 20:
        return packet
    tcp = tcp[:16] + b"\0\0" + tcp[18:]
    found = checksum(address + len(tcp).to_bytes(4, "big") + b"\0\0\0\6" + tcp)
    return packet[:start] + tcp[:16] + found.to_bytes(2, "big") + tcp[18:]


@dataclass
class Talk:
    """Packets of one connection in their order, with their times. Numbers count from those after the SYNs."""

    client: tuple[str, int] = CLIENT
    server: tuple[str, int] = SERVER
    first: tuple[int, int] = (1000, 5000)  # the numbers of the SYNs: of the client, of the server
    lines: list[str] = field(default_factory=list)
    stamp: int = 0

    def raw(self, at_us: int, packet: bytes, left_to_card: bool = False) -> None:
        self.lines.append(f"{at_us} {packet.hex() or '-'}{' card' * left_to_card}")

    def segment(self, way: int, seq: int, ack: int, **values: Any) -> Segment:
        """Return a segment: way 0 is from the client, 1 from the server."""
        self.stamp += 1
        ends = (self.client, self.server) if way == 0 else (self.server, self.client)
        mine, theirs = self.first if way == 0 else self.first[::-1]
        made = Segment(*ends, seq=mine + 1 + seq, ack=theirs + 1 + ack, stamp=self.stamp)
        return replace(made, **values)

    def send(self, at_us: int, way: int, seq: int, ack: int, data: bytes = b"", **values: Any) -> Segment:
        made = self.segment(way, seq, ack, data=data, **values)
        self.raw(at_us, made.packet(), made.left_to_card)
        return made

    def open(self, at_us: int = 0, rtt_us: int = 0) -> None:
        """Shake hands; the client's side is here, so its SYN comes back after a round trip."""
        self.send(at_us, 0, -1, 0, flags=SYN)
        self.send(at_us + rtt_us, 1, -1, 0, flags=SYN | ACK)
        self.send(at_us + rtt_us, 0, 0, 0)


@dataclass
class Tracked:
    """What drive track printed: a word for each packet with its numbers, and the bytes of each direction."""

    said: list[list[str]]
    streams: dict[tuple[int, int], bytes]  # by the client's port and the direction
    counts: dict[str, Any]

    @property
    def kinds(self) -> list[str]:
        return [words[0] for words in self.said]


def drive(command: list[str], lines: Iterable[str]) -> list[str]:
    text = "".join(f"{line}\n" for line in lines)
    done = subprocess.run(command, input=text, capture_output=True, text=True, timeout=_ENDLESS_S)
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


def track(program: Path, lines: Iterable[str]) -> Tracked:
    """Pass lines to drive track. What a sanitizer reports is the failure."""
    *printed, counts = drive([str(program), "track"], lines)
    said, streams = [], dict[tuple[int, int], bytes]()
    for words in (line.split() for line in printed):
        if words[0] == "bytes":
            key = (int(words[1]), int(words[2]))
            streams[key] = streams.get(key, b"") + bytes.fromhex(words[3])
        else:
            said.append(words)
    return Tracked(said, streams, json.loads(counts))


@dataclass
class Chained:
    """What drive client or server printed: a verdict for each packet, and what it sent, with its times in ns."""

    verdicts: list[str]
    sent: list[tuple[int, bytes]]
    released: list[tuple[str, int, int]]  # "go" or "gone", time in ns, number of the packet
    counts: dict[str, Any]


def chain(
    program: Path,
    side: str,
    lines: Iterable[str],
    copies: int = 2,
    stagger: int = 10,
    alpha: int = 0,
    tables: Path | None = None,
    pf: str = "",
    ib: Path | None = None,
) -> Chained:
    """Pass lines to drive; alpha is in microseconds, and tables the folder of AE's tables (None: without AE).

    With ``pf``, PF is on, alone, or has this rate; with ``ib``, IB is on, with this folder.
    """
    folder = [*([] if tables is None else [str(tables)]), *([f"pf={pf}"] if pf else []), *([f"ib={ib}"] if ib else [])]
    *printed, counts = drive([str(program), side, str(copies), str(stagger), str(alpha), *folder], lines)
    sent = [line.split() for line in printed if line.startswith("send ")]
    released = [line.split() for line in printed if line.startswith("go")]
    verdicts = [line for line in printed if not line.startswith(("send ", "go", "changed "))]
    return Chained(
        verdicts,
        [(int(at), bytes.fromhex(packet)) for _, at, packet in sent],
        [(what, int(at), int(number)) for what, at, number in released],
        json.loads(counts),
    )


def ib(program: Path, side: str, folder: Path, lines: Iterable[str]) -> tuple[list[str], dict[str, Any]]:
    """Pass lines to drive with IB; return what it printed, line for line, and the counts."""
    *printed, counts = drive([str(program), "ib", side, str(folder)], lines)
    return printed, json.loads(counts)
