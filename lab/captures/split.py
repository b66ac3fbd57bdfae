# SPDX-License-Identifier: MIT
"""Splits raw/air.unsplit, the guest's tcpdump capture of the medium, into raw/air-<MHz>.pcapng, one file per channel.

The kernel delivers a transmission when it ends, with the timestamp of its start. So overlapping frames are in the order
of their ends; here they are sorted by their starts. However long the capture, only frames that started within the
longest possible transmission time are held in memory.
"""

from __future__ import annotations

import heapq
from contextlib import ExitStack
from pathlib import Path
from typing import BinaryIO

from lab import left
from lab.captures import pcap, pcapng, radiotap
from lab.shared.paths import AIR_CAPTURE

CAPTURED = AIR_CAPTURE.name
FILES = "air-*.pcapng"
COLLISION = "collision: another transmission overlapped this one"
PAYLOAD = "payload: {count} bytes of a stack follow the fields of this response"
# LENGTH in a DSSS PPDU header is a 16-bit number of microseconds (IEEE 802.11-2020, 15.2.3.6); all others are shorter
LONGEST_NS = 65_535_000
# first byte of Frame Control: bytes without FCS; IEEE 802.11-2020, 9.3.1.4 and 9.3.1.8 (compressed)
_ANSWERS = {0xD4: 10, 0x94: 28}
_FCS_BYTES = 4
_FIRST_5GHZ_MHZ = 5000
_FIRST_2GHZ_MHZ = 2407  # channel 0
_CHANNEL_14_MHZ = 2484


class AirError(ValueError):
    """A capture that cannot be split: damaged, or not from the lab's kernel. Says which frame."""


class _Channel:
    """An output file, and the frames that are not written yet."""

    def __init__(self, file: BinaryIO, frequency_mhz: int) -> None:
        name = f"channel {_number(frequency_mhz)}"
        self._writer = pcapng.Writer(file, pcap.RADIOTAP, name, f"802.11 medium at {frequency_mhz} MHz")
        self._held: list[tuple[int, int, bytes, str]] = []
        self._latest_ns = 0
        self._written_ns = 0

    def add(self, number: int, stamp_ns: int, frame: bytes, comment: str) -> None:
        """Take a frame, and write those that no later frame can precede."""
        if stamp_ns < self._written_ns:
            raise AirError(f"started {(self._latest_ns - stamp_ns) / 1e6:g} ms before one that ended earlier")
        heapq.heappush(self._held, (stamp_ns, number, frame, comment))
        self._latest_ns = max(self._latest_ns, stamp_ns)
        self._write(self._latest_ns - LONGEST_NS)

    def end(self) -> None:
        """Write the remaining frames."""
        self._write(self._latest_ns)

    def _write(self, until_ns: int) -> None:
        while self._held and self._held[0][0] <= until_ns:
            stamp_ns, _, frame, comment = heapq.heappop(self._held)
            self._writer.write(stamp_ns, frame, comment=comment)
            self._written_ns = stamp_ns


def split(raw: Path, until_ns: int | None = None) -> list[Path]:
    """Create the files and remove ``air.unsplit``; do nothing without it.

    If the guest was killed, what tcpdump had not written yet is missing: a truncated last frame is ignored, and an
    empty file is a capture without frames.

    Args:
        raw: the directory of raw files.
        until_ns: leave out frames that start later, in ns since the Unix epoch; None: keep all.

    Returns:
        The files, by frequency.

    Raises:
        AirError: If the capture is damaged; ``air.unsplit`` is then kept, and no file created.
    """
    source = raw / CAPTURED
    if not source.exists():
        return []
    if not source.stat().st_size:
        source.unlink()
        return []
    paths: dict[int, Path] = {}
    with ExitStack() as files:
        channels: dict[int, _Channel] = {}
        captured = pcap.stream(files.enter_context(left.opened(source)), pcap.RADIOTAP)
        kept = ((stamp_ns, frame) for stamp_ns, frame in captured if until_ns is None or stamp_ns <= until_ns)
        try:
            for number, (stamp_ns, frame) in enumerate(kept, 1):
                try:
                    mhz, comment = _judged(frame)
                    if mhz not in channels:
                        paths[mhz] = raw / f"air-{mhz}.pcapng"
                        channels[mhz] = _Channel(files.enter_context(paths[mhz].open("wb")), mhz)
                    channels[mhz].add(number, stamp_ns, frame, comment)
                except (AirError, radiotap.RadiotapError) as error:
                    raise AirError(f"frame {number}: {error}") from None
            for channel in channels.values():
                channel.end()
        except (AirError, pcap.PcapError) as error:
            for path in paths.values():
                path.unlink()
            raise AirError(f"{CAPTURED}: {error}") from None
    source.unlink()
    return [paths[mhz] for mhz in sorted(paths)]


def _judged(frame: bytes) -> tuple[int, str]:
    """Return the frequency of a frame in MHz, and remarks about it."""
    found = radiotap.fields(frame)
    if "channel" not in found:
        raise AirError("its radiotap header has no channel field")
    (flags,) = found.get("flags", (0,))
    remarks = [COLLISION] if flags & radiotap.FLAG_BAD_FCS else []
    count = _payload_bytes(frame[radiotap.length(frame) :])
    if count:
        remarks.append(PAYLOAD.format(count=count))
    return found["channel"][0], "; ".join(remarks)


def _payload_bytes(mpdu: bytes) -> int:
    """Return the payload bytes of an ACK or BlockAck (HWSIM_MEDIUM_CMD_SET_PAYLOAD), which dissectors ignore."""
    own = _ANSWERS.get(mpdu[0]) if mpdu else None
    return max(0, len(mpdu) - own - _FCS_BYTES) if own else 0


def _number(frequency_mhz: int) -> int:
    """Return the channel number of a frequency in MHz (IEEE 802.11-2020, annex E)."""
    if frequency_mhz >= _FIRST_5GHZ_MHZ:
        return (frequency_mhz - _FIRST_5GHZ_MHZ) // 5
    return 14 if frequency_mhz == _CHANNEL_14_MHZ else (frequency_mhz - _FIRST_2GHZ_MHZ) // 5
