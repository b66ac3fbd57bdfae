# SPDX-License-Identifier: MIT
"""The writer of pcapng, read back by the specification."""

from __future__ import annotations

import io
import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lab.captures.pcapng import PcapngError, Writer, between, frames
from tests import air

PACKETS = st.lists(
    st.tuples(st.integers(0, 2**64 - 1), st.binary(max_size=70), st.text(max_size=20)),
    max_size=5,
)


def written(packets: list[tuple[int, bytes, str]]) -> bytes:
    file = io.BytesIO()
    writer = Writer(file, 127, "channel 6", "802.11 medium at 2437 MHz")
    for stamp_ns, frame, comment in packets:
        writer.write(stamp_ns, frame, comment=comment)
    return file.getvalue()


def test_a_file_without_frames_by_its_bytes() -> None:
    application = struct.pack("<HH", 4, 9) + b"hwsim-lab\0\0\0" + bytes(4)
    section = struct.pack("<IHHq", 0x1A2B3C4D, 1, 0, -1) + application
    name = struct.pack("<HH", 2, 9) + b"channel 6\0\0\0"
    description = struct.pack("<HH", 3, 25) + b"802.11 medium at 2437 MHz\0\0\0"
    resolution = struct.pack("<HH", 9, 1) + b"\x09\0\0\0"
    interface = struct.pack("<HHI", 127, 0, 0) + name + description + resolution + bytes(4)
    expected = b""
    for kind, body in ((0x0A0D0D0A, section), (1, interface)):
        size = struct.pack("<I", 12 + len(body))
        expected += struct.pack("<I", kind) + size + body + size
    assert written([]) == expected


def test_a_frame_by_its_bytes() -> None:
    block = written([(0x1_0000_0002, b"\x11\x22\x33", "x")])[len(written([])) :]
    body = struct.pack("<5I", 0, 1, 2, 3, 3) + b"\x11\x22\x33\0" + struct.pack("<HH", 1, 1) + b"x\0\0\0" + bytes(4)
    assert block == struct.pack("<II", 6, 48) + body + struct.pack("<I", 48)


@given(PACKETS)
def test_what_is_written_is_read_back(packets: list[tuple[int, bytes, str]]) -> None:
    data = written(packets)
    reported = air.interface(data)
    assert reported.link_type == 127 and reported.options[9] == b"\x09" and reported.options[2] == b"channel 6"
    found = [(stamp, frame, said.get(1, b"").decode()) for stamp, frame, length, said in air.packets(data)]
    assert found == packets
    assert list(frames(data)) == packets
    assert all(length == len(frame) for _, frame, length, _ in air.packets(data))


@given(PACKETS, st.integers(0, 2**64 - 1), st.integers(0, 2**64 - 1))
def test_a_span_has_the_frames_of_its_times(packets: list[tuple[int, bytes, str]], begin_ns: int, end_ns: int) -> None:
    within = [packet for packet in packets if begin_ns <= packet[0] < end_ns]
    assert between(written(packets), begin_ns, end_ns) == written(within)


def test_a_span_ends_before_its_end_and_without_a_truncated_frame() -> None:
    packets = [(stamp_ns, b"abc", "") for stamp_ns in (1, 2, 3)]
    assert between(written(packets), 2, 3) == written(packets[1:2])
    assert between(written(packets)[:-1], 0, 9) == written(packets[:2])


@pytest.mark.parametrize("data", [b"", b"no capture at all", written([])[::-1], written([]) + bytes(12)])
def test_a_span_of_something_else_is_refused(data: bytes) -> None:
    with pytest.raises(PcapngError, match=r"byte \d+: "):
        between(data, 0, 1)
