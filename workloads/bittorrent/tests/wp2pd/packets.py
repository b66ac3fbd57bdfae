# SPDX-License-Identifier: MIT
"""TCP packets for the tests of wp2pd, made and read without its code; and drive, which passes them to it."""

from __future__ import annotations

import json
import struct
import subprocess
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from ipaddress import ip_address
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
WP2PD = HERE.parents[1] / "wp2pd"
LOGIC = ("segment.c", "age.c")
_FLAGS = ["gcc", "-std=c11", "-D_GNU_SOURCE", "-Wall", "-Wextra", "-Wpedantic", "-Wshadow", "-Wconversion", "-Werror"]
_SANITIZED = ["-O1", "-g", "-fsanitize=address,undefined", "-fno-sanitize-recover=all"]
FIN, SYN, RST, PSH, ACK, URG, ECE, CWR = (1 << bit for bit in range(8))
MOBILE, FIXED = ("10.0.0.2", 40000), ("10.0.0.1", 51413)


def compiled(to: Path, **changes: Path) -> Path:
    """Compile drive; ``changes`` names other files for ``age`` and ``segment``."""
    sources = [HERE / "drive.c", *(changes.get(name[:-2], WP2PD / name) for name in LOGIC)]
    command = [*_FLAGS, *_SANITIZED, "-I", str(WP2PD), "-o", str(to), *map(str, sources)]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return to


@dataclass(frozen=True)
class Segment:
    """A TCP segment. ``payload`` is a number of bytes; ``sack`` are pairs of sequence numbers."""

    source: tuple[str, int] = MOBILE
    to: tuple[str, int] = FIXED
    seq: int = 1000
    ack: int = 5000
    flags: int = ACK
    window: int = 500
    payload: int = 0
    times: tuple[int, int] | None = (7, 8)
    sack: tuple[tuple[int, int], ...] = ()
    more_options: bytes = b""
    traffic_class: int = 0

    def options(self) -> bytes:
        found = b"" if self.times is None else struct.pack("!BBBBII", 1, 1, 8, 10, *self.times)
        if self.sack:
            blocks = b"".join(struct.pack("!II", *block) for block in self.sack)
            found += struct.pack("!BBBB", 1, 1, 5, 2 + len(blocks)) + blocks
        found += self.more_options
        return found + b"\0" * (-len(found) % 4)

    def packet(self) -> bytes:
        """Return the IP packet, with valid checksums."""
        options = self.options()
        source, to = (ip_address(end[0]) for end in (self.source, self.to))
        head = struct.pack(
            "!HHIIBBHHH",
            *(self.source[1], self.to[1], self.seq % 2**32, self.ack % 2**32, (20 + len(options)) << 2, self.flags),
            *(self.window, 0, 0),
        )
        data = head + options + bytes(self.payload)
        pseudo = source.packed + to.packed + struct.pack("!II", len(data), 6)
        data = data[:16] + checksum(pseudo + data).to_bytes(2, "big") + data[18:]
        if source.version == 6:
            first = 6 << 28 | self.traffic_class << 20
            return struct.pack("!IHBB", first, len(data), 6, 64) + source.packed + to.packed + data
        ip = struct.pack("!BBHHHBBH", 0x45, self.traffic_class, 20 + len(data), 0, 0x4000, 64, 6, 0)
        ip += source.packed + to.packed
        return ip[:10] + checksum(ip).to_bytes(2, "big") + ip[12:] + data


def checksum(data: bytes) -> int:
    """Return the Internet checksum (RFC 1071); of data with a valid one, 0."""
    data += b"\0" * (len(data) % 2)
    total: int = sum(struct.unpack(f"!{len(data) // 2}H", data))
    while total >> 16:
        total = (total & 0xFFFF) + (total >> 16)
    return ~total & 0xFFFF


def read(packet: bytes) -> Segment:
    """Return the segment of a packet; its checksums must be valid, and its length that of its headers."""
    if packet[0] >> 4 == 6:
        traffic_class, size, tcp = struct.unpack("!I", packet[:4])[0] >> 20 & 0xFF, 16, packet[40:]
        source, to = packet[8:24], packet[24:40]
        assert packet[6] == 6 and int.from_bytes(packet[4:6], "big") == len(tcp)
    else:
        traffic_class, size, tcp = packet[1], 4, packet[20:]
        source, to = packet[12:16], packet[16:20]
        assert packet[0] == 0x45 and checksum(packet[:20]) == 0 and packet[6:8] == b"\x40\0"
        assert int.from_bytes(packet[2:4], "big") == len(packet)
    assert len(source) == size and checksum(source + to + struct.pack("!II", len(tcp), 6) + tcp) == 0
    source_port, to_port, seq, ack, offset, flags, window, _, urgent = struct.unpack("!HHIIBBHHH", tcp[:20])
    head = (offset >> 4) * 4
    assert urgent == 0 and 20 <= head <= len(tcp)
    found = Segment(
        source=(str(ip_address(source)), source_port),
        to=(str(ip_address(to)), to_port),
        **{"seq": seq, "ack": ack, "flags": flags, "window": window, "payload": len(tcp) - head},
        times=None,
        traffic_class=traffic_class,
    )
    return _with_options(found, tcp[20:head])


def _with_options(segment: Segment, options: bytes) -> Segment:
    while options and options[0]:
        if options[0] == 1:
            options = options[1:]
            continue
        kind, length = options[:2]
        value, options = options[2:length], options[length:]
        if kind == 8:
            segment = replace(segment, times=struct.unpack("!II", value))
        elif kind == 5:
            blocks = struct.unpack(f"!{len(value) // 4}I", value)
            segment = replace(segment, sack=tuple(zip(blocks[::2], blocks[1::2], strict=True)))
        else:
            raise AssertionError(f"option {kind}")
    return segment


@dataclass
class Talk:
    """Packets of a mobile host, with their times, for drive."""

    lines: list[str] = field(default_factory=list)

    def raw(self, way: str, at_us: int, packet: bytes) -> None:
        self.lines.append(f"{way} {at_us} {packet.hex()}")

    def sends(self, at_us: int, **values: Any) -> None:
        self.raw("out", at_us, Segment(**values).packet())

    def receives(self, at_us: int, **values: Any) -> None:
        mobile, fixed = values.pop("to", MOBILE), values.pop("source", FIXED)
        self.raw("in", at_us, Segment(source=fixed, to=mobile, **values).packet())


@dataclass(frozen=True)
class Done:
    """What drive did with each packet, and its counts. ``pure`` are the ACKs that it added, by the packet's number."""

    said: list[str]
    pure: dict[int, Segment]
    counts: dict[str, int]


def drive(program: Path, lines: Iterable[str], young_below: int = 9000, dupacks: str = "all") -> Done:
    """Pass lines to drive. What a sanitizer reports is the failure."""
    text = "".join(f"{line}\n" for line in lines)
    done = subprocess.run([program, str(young_below), dupacks], input=text, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    *said, counts = done.stdout.splitlines()
    pure = {number: read(bytes.fromhex(line[4:])) for number, line in enumerate(said) if line.startswith("ack ")}
    return Done([line.partition(" ")[0] for line in said], pure, json.loads(counts))
