# SPDX-License-Identifier: MIT
"""Captures of the air, of a run that has ended."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from lab import captures, left
from lab.captures import pcapng

_FREQUENCY = re.compile(r"air-(\d+)\.pcapng")


@dataclass(frozen=True)
class Frame:
    """A captured frame."""

    at_s: float  # of the timeline
    data: bytes  # radiotap header and IEEE 802.11 frame
    comment: str  # such as that of a collision


@dataclass(frozen=True)
class Capture:
    """A file for Wireshark with every frame of a channel."""

    path: Path
    frequency_mhz: int
    epoch_ns: int  # CLOCK_REALTIME at the start of the timeline

    def frames(self) -> Iterator[Frame]:
        """Yield its frames, in the order of their starts."""
        for stamp_ns, data, comment in pcapng.frames(left.content(self.path)):
            yield Frame((stamp_ns - self.epoch_ns) / 1e9, data, comment)


def captures_of(raw: Path, epoch_ns: int) -> list[Capture]:
    """Return the captures in a directory of raw files, by frequency."""
    found = []
    for path in sorted(raw.glob(captures.FILES)):
        match = _FREQUENCY.fullmatch(path.name)
        if match:
            found.append(Capture(path, int(match[1]), epoch_ns))
    return found
