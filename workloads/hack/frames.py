# SPDX-License-Identifier: MIT
"""Read the frames of a span of time from a capture of the air, with tshark and the dissector of this stack.

ACK and CTS do not name their sender: it is the radio that the receiver has just sent a frame to.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import groupby
from pathlib import Path

from lab.captures import pcapng
from lab.errors import HostError, RecordError

DATA, QOS_DATA = 0x20, 0x28  # wlan.fc.type_subtype
BEACON, BAR, BLOCK_ACK, RTS, CTS, ACK = 0x08, 0x18, 0x19, 0x1B, 0x1C, 0x1D
BEFORE_NS = 100_000_000  # how much earlier reading begins, to know what the first answers are for
_ANSWER_NS = 100_000  # an answer comes sooner after what it is for, even one that is late
_AGAIN = "run it again with --pcap air"
_SCRIPT = Path(__file__).parent / "wireshark" / "hack.lua"
_FIELDS = (
    "frame.time_epoch",
    "frame.len",
    "radiotap.length",
    "radiotap.ampdu.reference",
    "radiotap.flags.badfcs",
    "wlan_radio.duration",
    "wlan_radio.preamble",
    "wlan_radio.data_rate",
    "wlan.ta",
    "wlan.ra",
    "wlan.fc.type_subtype",
    "wlan.seq",
    "wlan.fc.retry",
    "wlan.fc.moredata",
    "tcp.len",
    "tcp.flags",
    "hack.items",
    "hack.bytes",
    "_ws.col.Info",
)
_NOT_ACK = 0x07  # RST, SYN, FIN: RFC 9293, 3.1


@dataclass(frozen=True)
class Frame:
    """A frame on the air, or an A-MPDU; times are those of its PPDU, in ns since the Unix epoch."""

    begin_ns: int
    end_ns: int
    kind: int  # one of the numbers above, or another wlan.fc.type_subtype
    transmitter: str | None  # None: unknown
    receiver: str | None  # None: a group of radios
    collided: bool
    sequences: tuple[int, ...] = ()
    again: bool = False
    more_data: bool = False
    segments: int = 0  # TCP segments with data
    tcp_acks: int = 0  # TCP segments with only an ACK
    carried: int = 0  # TCP ACKs in a link-layer ACK
    carried_bytes: int = 0
    name: str = ""  # Wireshark's


def read(capture: Path, begin_ns: int, end_ns: int) -> list[Frame]:
    """Return the frames that are on the air between two times, in order of their starts.

    Raises:
        HostError: If tshark is missing, or fails.
        RecordError: If the capture is damaged.
    """
    try:
        span = pcapng.between(capture.read_bytes(), begin_ns - BEFORE_NS, end_ns)
    except (OSError, pcapng.PcapngError) as error:
        raise RecordError(f"{capture} cannot be read: {error}", hint=_AGAIN) from None
    lines = filter(None, _tshark(span, capture).split("\n"))  # payload in a column may have other ends of lines
    rows = [dict(zip(_FIELDS, line.split("\t"), strict=True)) for line in lines]
    found = _answered(_ppdus(rows))
    return [frame for frame in found if frame.end_ns > begin_ns and frame.begin_ns < end_ns]


def _tshark(span: bytes, capture: Path) -> str:
    """Return a line for each frame of a part of a capture.

    root runs tshark as nobody, since Wireshark 4.4 loads no scripts for root.
    """
    if shutil.which("tshark") is None:
        raise HostError("tshark is missing", hint="install it: apt-get install --no-install-recommends tshark")
    is_root = os.geteuid() == 0
    with tempfile.TemporaryDirectory(prefix="ladder-") as home:
        Path(home).chmod(0o755)  # open to nobody
        script = shutil.copy(_SCRIPT, home)
        argv = ["tshark", "-n", "-X", f"lua_script:{script}", "-o", "wlan_radio.tsf_at_end:FALSE", "-r", "-"]
        argv += ["-T", "fields", "-E", "aggregator=,", *(word for name in _FIELDS for word in ("-e", name))]
        done = subprocess.run(
            argv,
            env={"PATH": os.environ.get("PATH", os.defpath), "HOME": home, "LC_ALL": "C.UTF-8"},
            input=span,
            capture_output=True,
            user="nobody" if is_root else None,
            group="nogroup" if is_root else None,
            extra_groups=[] if is_root else None,
        )
    reported = done.stderr.decode(errors="replace")
    if done.returncode != 0 or "Lua" in reported:
        raise HostError(f"tshark cannot read {capture}: {reported.strip()}", hint=_AGAIN)
    return done.stdout.decode()


def _ppdus(rows: Iterable[dict[str, str]]) -> Iterator[Frame]:
    """Yield the frames; those of an A-MPDU as one."""
    numbered = enumerate(rows)

    def transmission(row: tuple[int, dict[str, str]]) -> tuple[str, str]:
        number, fields = row
        reference = fields["radiotap.ampdu.reference"]
        return (fields["frame.time_epoch"], reference) if reference else ("", str(number))

    for _, together in groupby(numbered, transmission):
        yield _ppdu([fields for _, fields in together])


def _ppdu(mpdus: list[dict[str, str]]) -> Frame:
    first = mpdus[0]
    seconds, _, fraction = first["frame.time_epoch"].partition(".")
    begin_ns = int(seconds) * 1_000_000_000 + int(fraction[:9].ljust(9, "0"))
    segments = [segment for mpdu in mpdus for segment in _segments(mpdu)]
    receiver = first["wlan.ra"]
    return Frame(
        begin_ns,
        begin_ns + 1_000 * _air_us(mpdus),
        int(first["wlan.fc.type_subtype"], 0),
        first["wlan.ta"] or None,
        None if int(receiver[:2], 16) & 1 else receiver,
        any(_true(mpdu["radiotap.flags.badfcs"]) for mpdu in mpdus),
        tuple(int(mpdu["wlan.seq"]) for mpdu in mpdus if mpdu["wlan.seq"]),
        any(_true(mpdu["wlan.fc.retry"]) for mpdu in mpdus),
        any(_true(mpdu["wlan.fc.moredata"]) for mpdu in mpdus),
        segments=sum(size > 0 for size, _ in segments),
        tcp_acks=sum(size == 0 and not flags & _NOT_ACK for size, flags in segments),
        carried=int(first["hack.items"] or 0),
        carried_bytes=int(first["hack.bytes"] or 0),
        name=first["_ws.col.Info"].partition(",")[0],
    )


def _air_us(mpdus: list[dict[str, str]]) -> int:
    """Return the air time; Wireshark has that of frames, but takes each one of an A-MPDU for a transmission.

    A-MPDU: a delimiter before each MPDU, all but the last padded to words (IEEE 802.11-2020, 9.7.1); symbols of 4 µs,
    with SERVICE and tail bits of one encoder (19.4.3). With a short guard interval or two encoders, it is right to a
    symbol.
    """
    first = mpdus[0]
    if not first["radiotap.ampdu.reference"]:
        return int(first["wlan_radio.duration"])
    sizes = [int(mpdu["frame.len"]) - int(mpdu["radiotap.length"]) for mpdu in mpdus]
    psdu_bytes = sum(4 + size + -size % 4 for size in sizes[:-1]) + 4 + sizes[-1]
    payload_us = (16 + 8 * psdu_bytes + 6) / float(first["wlan_radio.data_rate"])
    preamble_us = max(int(mpdu["wlan_radio.preamble"] or 0) for mpdu in mpdus)  # the first of a capture has none
    return preamble_us + 4 * -int(-payload_us // 4)


def _segments(mpdu: dict[str, str]) -> Iterator[tuple[int, int]]:
    """Yield bytes and flags of each TCP segment."""
    if mpdu["tcp.len"]:
        for size, flags in zip(mpdu["tcp.len"].split(","), mpdu["tcp.flags"].split(","), strict=True):
            yield int(size), int(flags, 0)


def _true(field: str) -> bool:
    """Return whether a bit is set: 1, or True since Wireshark 4.2."""
    return field in ("1", "True")


def _answered(frames: Iterable[Frame]) -> Iterator[Frame]:
    """Yield the frames, with the senders of ACK and CTS."""
    last: dict[str, Frame] = {}  # by transmitter
    for frame in frames:
        found = frame
        if frame.transmitter is None and frame.receiver is not None:
            asking = last.get(frame.receiver)
            if asking and frame.begin_ns - asking.end_ns <= _ANSWER_NS:
                found = replace(frame, transmitter=asking.receiver)
            elif frame.kind == CTS:  # CTS-to-self
                found = replace(frame, transmitter=frame.receiver, receiver=None)
        if found.transmitter is not None:
            last[found.transmitter] = found
        yield found
