# SPDX-License-Identifier: MIT
"""From the guest's capture to a file a channel."""

from __future__ import annotations

import struct
import tracemalloc
from collections.abc import Iterable
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from lab.captures import AirError, split
from lab.captures.split import COLLISION, LONGEST_NS, PAYLOAD
from tests import air
from tests.unit.metrics.samples import pcap

EPOCH_NS = 1_767_225_600 * 10**9
MS = 1_000_000


def frame(mhz: int, number: int = 0, flags: int = 0) -> bytes:
    """Radiotap with flags and channel, and four bytes of a frame."""
    return struct.pack("<BBHIBxHHI", 0, 0, 14, 0b1010, flags, mhz, 0, number)[:18]


def save(raw: Path, frames: Iterable[tuple[int, bytes]], link_type: int = 127) -> None:
    (raw / "air.unsplit").write_bytes(pcap(((EPOCH_NS + t_ns, data) for t_ns, data in frames), link_type))


def read(path: Path) -> list[tuple[int, int, str]]:
    """(time in ns, number, comment) of each frame."""
    return [
        (stamp - EPOCH_NS, struct.unpack("<I", data[14:18])[0], said.get(1, b"").decode())
        for stamp, data, _, said in air.packets(path.read_bytes())
    ]


def test_each_channel_gets_its_frames_in_the_order_of_their_starts(tmp_path: Path) -> None:
    # 3 began while 2 was on the air and ended before it
    save(
        tmp_path,
        [(0, frame(2412, 1)), (30, frame(5180, 9)), (20, frame(2412, 3, 0x40)), (10, frame(2412, 2, 0x40))],
    )
    assert [path.name for path in split(tmp_path)] == ["air-2412.pcapng", "air-5180.pcapng"]
    assert read(tmp_path / "air-2412.pcapng") == [(0, 1, ""), (10, 2, COLLISION), (20, 3, COLLISION)]
    assert read(tmp_path / "air-5180.pcapng") == [(30, 9, "")]
    assert not (tmp_path / "air.unsplit").exists()


@pytest.mark.parametrize(("mhz", "name"), [(2412, "1"), (2472, "13"), (2484, "14"), (5180, "36"), (5825, "165")])
def test_an_interface_is_called_after_its_channel(tmp_path: Path, mhz: int, name: str) -> None:
    save(tmp_path, [(0, frame(mhz))])
    (path,) = split(tmp_path)
    reported = air.interface(path.read_bytes())
    assert reported.link_type == 127
    assert reported.options == {2: f"channel {name}".encode(), 3: f"802.11 medium at {mhz} MHz".encode(), 9: b"\x09"}


def test_bytes_that_go_with_an_answer_are_remarked(tmp_path: Path) -> None:
    ack, block_ack, data = (bytes([kind]) + bytes(size - 1) for kind, size in ((0xD4, 14), (0x94, 32), (0x08, 60)))
    header, collided = frame(5180)[:14], frame(5180, 0, 0x40)[:14]
    bodies = [header + ack, header + ack + bytes(3), header + block_ack, collided + block_ack + bytes(9), header + data]
    save(tmp_path, enumerate(bodies))
    (path,) = split(tmp_path)
    three, nine = (PAYLOAD.format(count=count) for count in (3, 9))
    assert [comment for _, _, comment in read(path)] == ["", three, "", f"{COLLISION}; {nine}", ""]


def test_frames_of_one_moment_stay_in_their_order(tmp_path: Path) -> None:
    save(tmp_path, [(5, frame(2412, number)) for number in (4, 3, 8)])
    (path,) = split(tmp_path)
    assert [number for _, number, _ in read(path)] == [4, 3, 8]


def test_what_begins_after_the_end_is_left_out(tmp_path: Path) -> None:
    save(tmp_path, [(1, frame(2412, 1)), (2, frame(2412, 2)), (3, frame(2437, 3))])
    (path,) = split(tmp_path, EPOCH_NS + 2)
    assert [number for _, number, _ in read(path)] == [1, 2]


def test_a_frame_may_come_as_late_as_a_transmission_is_long_and_no_later(tmp_path: Path) -> None:
    last = (2 * LONGEST_NS, frame(2412, 2))
    save(tmp_path, [(0, frame(2412, 1)), last, (LONGEST_NS, frame(2412, 3))])
    (path,) = split(tmp_path)
    assert [number for _, number, _ in read(path)] == [1, 3, 2]
    path.unlink()
    save(tmp_path, [(LONGEST_NS, frame(2412, 1)), last, (LONGEST_NS - MS, frame(2412, 3))])
    with pytest.raises(AirError, match=r"air\.unsplit: frame 3: started 66\.535 ms before"):
        split(tmp_path)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"\x0a\x0d\x0d\x0a" + bytes(40), "byte 0: .* starts with 0a0d0d0a"),
        (pcap([(0, b"")], link_type=105), "byte 20: link type 105, expected 127"),
        (pcap([(0, bytes(4))], link_type=127), "frame 1: 4 bytes are too few"),
        (
            pcap([(0, frame(1)), (0, bytes.fromhex("0000080000000000"))], link_type=127),
            "frame 2: .* has no channel field",
        ),
        (pcap([], link_type=127) + struct.pack("<4I", 0, 0, 4, 9) + bytes(4), "byte 24: invalid record: 4 bytes of 9"),
        (pcap([], link_type=127) + struct.pack("<4I", 0, 10**9, 0, 0), "byte 24: invalid record: 0 bytes of 0"),
        (pcap([], link_type=127) + struct.pack("<4I", 0, 0, 1 << 31, 1 << 31), "byte 24: invalid record: 2147483648"),
    ],
)
def test_a_damaged_capture_is_refused_and_kept(tmp_path: Path, content: bytes, message: str) -> None:
    (tmp_path / "air.unsplit").write_bytes(content)
    with pytest.raises(AirError, match=f"air.unsplit: {message}"):
        split(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["air.unsplit"]


def test_a_guest_that_is_ended_before_tcpdump_has_written_anything_leaves_no_capture(tmp_path: Path) -> None:
    (tmp_path / "air.unsplit").touch()
    assert split(tmp_path) == []
    assert list(tmp_path.iterdir()) == []


def test_nothing_to_split(tmp_path: Path) -> None:
    assert split(tmp_path) == []
    save(tmp_path, [])
    assert split(tmp_path) == []
    assert list(tmp_path.iterdir()) == []


@given(
    frames=st.lists(st.tuples(st.integers(0, LONGEST_NS), st.sampled_from([2412, 2437, 5180])), max_size=20),
    cut=st.integers(0, 40),
)
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_order_is_put_right_and_a_cut_end_left_out(tmp_path: Path, frames: list[tuple[int, int]], cut: int) -> None:
    whole = pcap(((EPOCH_NS + t_ns, frame(mhz, n)) for n, (t_ns, mhz) in enumerate(frames)), 127)
    (tmp_path / "air.unsplit").write_bytes(whole[: max(24, len(whole) - cut)])
    left = frames[: max(0, len(frames) - -(-cut // 34))]  # a record is 16 + 18 bytes
    found = []
    for path in split(tmp_path):
        packets = read(path)
        assert packets and all(before <= after for before, after in pairwise(packets))
        found += [(t_ns, int(path.stem[4:]), number) for t_ns, number, _ in packets]
        path.unlink()
    assert sorted(found) == sorted((t_ns, mhz, n) for n, (t_ns, mhz) in enumerate(left))


def test_memory_does_not_grow_with_the_capture(tmp_path: Path) -> None:
    count = 10_000
    record = pcap([(EPOCH_NS, frame(2412) + bytes(1500))], 127)
    with (tmp_path / "air.unsplit").open("wb") as file:
        file.write(record[:24])
        for number in range(count):
            file.write(struct.pack("<II", *divmod(EPOCH_NS + number * MS, 10**9)) + record[32:])
    tracemalloc.start()
    (path,) = split(tmp_path)
    _, most_bytes = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert path.stat().st_size > count * 1500
    assert most_bytes < 1_000_000  # 66 frames are held at a time
