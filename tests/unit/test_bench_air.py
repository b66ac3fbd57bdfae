# SPDX-License-Identifier: MIT
"""The air's time in a download: each part is found, and together they are all of it."""

from __future__ import annotations

from pathlib import Path

import pytest

from bench.ns3.air import PARTS, budget, bursts, table
from bench.ns3.frames import Frame, of_ns3
from lab.errors import RunError

# a segment and its ACK, an answer that collides with the next segment, both again
AIR = [
    Frame(0, 1310, "segment", False, "a", 1448, 1),
    Frame(1320, 1568, "ack"),
    Frame(1700, 1956, "answer", False, "a"),
    Frame(1700, 3010, "segment", False, "b", 1448, 1),
    Frame(3100, 3356, "answer", True, "a"),
    Frame(3366, 3614, "ack"),
    Frame(3700, 4340, "beacon"),
    Frame(4500, 5810, "segment", True, "b", 1448, 1),
    Frame(5820, 6068, "ack"),
]


def test_each_part_is_found() -> None:
    spent = budget(AIR, 0, 7000)
    assert spent.segments == 2
    assert dict(spent.times) == {
        **{"segments": 2, "answers of TCP": 1, "ACK of the MAC": 3, "SIFS": 3, "beacons": 1},
        **{"wait before an exchange": 3, "wait after a collision": 1, "collisions": 1},
    }
    assert spent.us["wait after a collision"] == 90
    assert spent.us["collisions"] == 1310


def test_the_parts_are_all_of_the_time() -> None:
    spent = budget(AIR, 0, 7000)
    assert sum(spent.us[part] for part in PARTS) == 6068


def test_a_segment_counts_once_and_only_if_it_was_answered() -> None:
    twice = [*AIR, Frame(7000, 8310, "segment", True, "b", 1448, 1), Frame(8320, 8568, "ack")]
    lost = [*AIR, Frame(7000, 8310, "segment", False, "b", 1448, 1449)]
    assert budget(twice, 0, 9000).segments == budget(lost, 0, 9000).segments == 2


def test_frames_that_overlap_are_one_burst() -> None:
    assert [len(burst) for burst in bursts(AIR)] == [1, 1, 2, 1, 1, 1, 1, 1]


def test_what_ns3_wrote_is_read_from_its_first_tcp_frame_on(tmp_path: Path) -> None:
    path = tmp_path / "frames"
    path.write_text(
        "1000\t2000\t0\tbeacon\t56\t0\t\t\t\t\n"
        "5000\t9000\t0\tdata\t1536\t1\t0a020001\t1448\t77\t1\n"
        "9500\t9900\t1\tack\t14\t0\t\t\t\t\n"
        "12000\t13000\t1\tdata\t88\t0\t0a020001\t0\t1\t1525\n"
    )
    assert of_ns3(path) == [
        Frame(0, 4, "segment", True, "0a020001", 1448, 77),
        Frame(4.5, 4.9, "ack"),
        Frame(7, 8, "answer", False, "0a020001", 0, 1),
    ]


def test_a_run_without_tcp_is_refused(tmp_path: Path) -> None:
    (tmp_path / "frames").write_text("1000\t2000\t0\tbeacon\t56\t0\t\t\t\t\n")
    with pytest.raises(RunError, match="no frame of TCP"):
        of_ns3(tmp_path / "frames")


def test_the_table_says_what_more_is_spent() -> None:
    later = [*AIR, Frame(6200, 6456, "answer", False, "a"), Frame(6466, 6714, "ack")]
    printed = table({"ns-3": budget(AIR, 0, 9000), "lab": budget(later, 0, 9000)}).splitlines()
    assert printed[3].split()[-1] == "+128.0"  # an answer of 256 µs for two segments
    assert printed[-2].split() == ["all", "3034.0", "3357.0", "+323.0"]
