# SPDX-License-Identifier: MIT
"""Notices of PF, made without its code."""

from __future__ import annotations

import struct
from dataclasses import dataclass
from ipaddress import ip_address

MARK = b"\xa3\x02"


@dataclass(frozen=True)
class Notice:
    """A notice, as one end sends it to the other."""

    client: tuple[str, int]
    server: tuple[str, int]
    entries: tuple[tuple[int, int], ...]  # 1: later; offset

    def packet(self) -> bytes:
        ends = [ip_address(end[0]) for end in (self.client, self.server)]
        tcp = struct.pack("!HHIIBBHHH", self.client[1], self.server[1], 0, 0, 5 << 4, 0, 0, 0, 0)
        data = tcp + MARK + b"".join(bytes([later]) + offset.to_bytes(7, "big") for later, offset in self.entries)
        if ends[0].version == 6:
            return struct.pack("!IHBB", 6 << 28, len(data), 253, 64) + ends[0].packed + ends[1].packed + data
        head = struct.pack("!BBHHHBBH", 0x45, 0, 20 + len(data), 0, 0, 64, 253, 0)
        return head + ends[0].packed + ends[1].packed + data
