# SPDX-License-Identifier: MIT
"""From raw/air.unsplit, what the guest's tcpdump saw of the medium, to raw/air-<MHz>.pcapng, a file a channel.

The kernel shows a transmission when it ends, stamped with its start. So frames that overlap come in the order of their
ends; here they are put in the order of their starts. Only as many are held as began within the longest time that
a transmission can take, whatever the length of the capture.
"""

from __future__ import annotations

import heapq
from contextlib import ExitStack
from pathlib import Path
from typing import BinaryIO

from lab.captures import pcap, pcapng, radiotap
from lab.shared.paths import AIR_CAPTURE

CAPTURED = AIR_CAPTURE.name
FILES = "air-*.pcapng"
COLLISION = "collision: another transmission overlapped this one"
PAYLOAD = "payload: {count} bytes of a stack's go with this answer, after its own fields"
# the LENGTH of a DSSS PPDU's header counts microseconds in 16 bits (IEEE 802.11-2020, 15.2.3.6); all others are shorter
LONGEST_NS = 65_535_000
# frame control's first byte, bytes without FCS: IEEE 802.11-2020, 9.3.1.4 and 9.3.1.8 (compressed)
_ANSWERS = {0xD4: 10, 0x94: 28}
_FCS_BYTES = 4
_FIRST_5GHZ_MHZ = 5000
_FIRST_2GHZ_MHZ = 2407  # channel 0
_CHANNEL_14_MHZ = 2484


class AirError(ValueError):
    """A capture that cannot be split: damaged, or not what the lab's kernel makes. Says which frame."""


class _Channel:
    """A file, and the frames that are not in it yet."""

    def __init__(self, file: BinaryIO, frequency_mhz: int) -> None:
        name = f"channel {_number(frequency_mhz)}"
        self._writer = pcapng.Writer(file, pcap.RADIOTAP, name, f"802.11 medium at {frequency_mhz} MHz")
        self._held: list[tuple[int, int, bytes, str]] = []
        self._latest_ns = 0
        self._written_ns = 0

    def add(self, number: int, stamp_ns: int, frame: bytes, comment: str) -> None:
        """Take a frame, and write those that nothing can come before any more."""
        if stamp_ns < self._written_ns:
            raise AirError(f"began {(self._latest_ns - stamp_ns) / 1e6:g} ms before one that was over earlier")
        heapq.heappush(self._held, (stamp_ns, number, frame, comment))
        self._latest_ns = max(self._latest_ns, stamp_ns)
        self._write(self._latest_ns - LONGEST_NS)

    def end(self) -> None:
        """Write what is left."""
        self._write(self._latest_ns)

    def _write(self, until_ns: int) -> None:
        while self._held and self._held[0][0] <= until_ns:
            stamp_ns, _, frame, comment = heapq.heappop(self._held)
            self._writer.write(stamp_ns, frame, comment=comment)
            self._written_ns = stamp_ns


def split(raw: Path, until_ns: int | None = None) -> list[Path]:
    """Make the files, and remove ``air.unsplit``; nothing where there is none.

    A last frame that is cut off (the guest was killed) is left out.

    Args:
        raw: the directory of raw files.
        until_ns: leave out what begins later, in ns since the Unix epoch; None: nothing.

    Returns:
        The files, by frequency.

    Raises:
        AirError: the capture is damaged; ``air.unsplit`` is then kept, and nothing made of it.
    """
    source = raw / CAPTURED
    if not source.exists():
        return []
    with ExitStack() as files:
        channels = _Channels(raw, files)
        try:
            for stamp_ns, frame in pcap.stream(files.enter_context(source.open("rb")), pcap.RADIOTAP):
                if until_ns is None or stamp_ns <= until_ns:
                    channels.add(stamp_ns, frame)
            channels.end()
        except (AirError, pcap.PcapError) as error:
            for path in channels.paths():
                path.unlink()
            raise AirError(f"{CAPTURED}: {error}") from None
    source.unlink()
    return channels.paths()


class _Channels:
    """The files, each made with its first frame."""

    def __init__(self, raw: Path, files: ExitStack) -> None:
        self._raw = raw
        self._files = files  # closes them
        self._by_mhz: dict[int, _Channel] = {}
        self._count = 0

    def add(self, stamp_ns: int, frame: bytes) -> None:
        """Give a frame to its channel."""
        self._count += 1
        try:
            frequency_mhz, comment = _judged(frame)
            channel = self._by_mhz.get(frequency_mhz) or self._new(frequency_mhz)
            channel.add(self._count, stamp_ns, frame, comment)
        except (AirError, radiotap.RadiotapError) as error:
            raise AirError(f"frame {self._count}: {error}") from None

    def end(self) -> None:
        """Write what is left."""
        for channel in self._by_mhz.values():
            channel.end()

    def paths(self) -> list[Path]:
        """The files, by frequency."""
        return [self._path(frequency_mhz) for frequency_mhz in sorted(self._by_mhz)]

    def _path(self, frequency_mhz: int) -> Path:
        return self._raw / f"air-{frequency_mhz}.pcapng"

    def _new(self, frequency_mhz: int) -> _Channel:
        file = self._files.enter_context(self._path(frequency_mhz).open("wb"))
        channel = self._by_mhz[frequency_mhz] = _Channel(file, frequency_mhz)
        return channel


def _judged(frame: bytes) -> tuple[int, str]:
    """The frequency of a frame in MHz, and what there is to remark about it."""
    found = radiotap.fields(frame)
    if "channel" not in found:
        raise AirError("its radiotap header names no channel")
    (flags,) = found.get("flags", (0,))
    remarks = [COLLISION] if flags & radiotap.FLAG_BAD_FCS else []
    count = _payload_bytes(frame[radiotap.length(frame) :])
    if count:
        remarks.append(PAYLOAD.format(count=count))
    return found["channel"][0], "; ".join(remarks)


def _payload_bytes(mpdu: bytes) -> int:
    """How many bytes go with an ACK or BlockAck (HWSIM_MEDIUM_CMD_SET_PAYLOAD): dissectors take no notice of them."""
    own = _ANSWERS.get(mpdu[0]) if mpdu else None
    return max(0, len(mpdu) - own - _FCS_BYTES) if own else 0


def _number(frequency_mhz: int) -> int:
    """The channel of a frequency in MHz (IEEE 802.11-2020, annex E)."""
    if frequency_mhz >= _FIRST_5GHZ_MHZ:
        return (frequency_mhz - _FIRST_5GHZ_MHZ) // 5
    return 14 if frequency_mhz == _CHANNEL_14_MHZ else (frequency_mhz - _FIRST_2GHZ_MHZ) // 5
