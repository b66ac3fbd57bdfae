# SPDX-License-Identifier: MIT
"""medium.json in a record: what happened between the looks."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from lab.errors import RecordError
from lab.record import build, load, medium
from lab.shared.medium_types import AccessCounts

from .medium_sample import PLAN, SECOND, TEXT, look


def test_differences_between_looks(tmp_path: Path) -> None:
    (tmp_path / "medium.json").write_text(TEXT)
    found = medium.read(tmp_path)
    assert found is not None and found.t_ns == [0, SECOND, 2 * SECOND]
    first, second = found.channels
    assert first.frequency_mhz == 2412 and first.air_ns["idle"] == [400_000_000, 0]
    assert first.air_ns["data"] == [400_000_000, 800_000_000]
    # a channel that nobody had used before
    assert second.air_ns["idle"] == [100_000_000, 990_000_000]
    to_sta1, to_sta2, from_sta1 = found.links
    assert (to_sta1.sender, to_sta1.receiver) == ("ap1", "sta1")
    counts = to_sta1.total
    assert (counts.sent, counts.retries, counts.dropped, counts.bytes) == (20, 2, 1, 20_000)
    assert to_sta2.total.sent == 10 and from_sta1.categories["be"].sent == 0
    assert found.radios[0].categories["be"] == AccessCounts(20, 18, 1, 2 * SECOND, 0, 0, 0, 0)


def pair(peer: str, acks: int, came: int = 0) -> dict[str, Any]:
    return {"node": "sta1", "peer": peer, "sent": {"acks": acks, "natives": 1}, "received": {"acks": came}}


def grown(tmp_path: Path, *readings: list[dict[str, Any]]) -> list[tuple[str, int, int]]:
    """What a record has of these readings: peer, ACKs sent and received."""
    looks = [{**look(second, [], [], []), "relay": pairs} for second, pairs in enumerate(readings)]
    (tmp_path / "medium.json").write_text(json.dumps({"looks": looks}))
    found = medium.read(tmp_path)
    assert found is not None
    pairs = found.parts["relay"]
    return [(pair.peer, pair.counts["sent"]["acks"], pair.counts["received"]["acks"]) for pair in pairs]


def test_counters_of_a_stack_for_each_pair(tmp_path: Path) -> None:
    readings = [pair("ap1", 5)], [pair("ap1", 9)], [pair("ap1", 20, 3), pair("ap2", 4)]
    assert grown(tmp_path, *readings) == [("ap1", 15, 3), ("ap2", 4, 0)]


def test_counters_of_a_stack_that_begin_anew(tmp_path: Path) -> None:
    """An event switches it off: a pair is absent; or off and on: all of its counters are smaller."""
    readings = [[], [pair("ap1", 10, 2)], [], [pair("ap1", 4, 9)], [pair("ap1", 3, 10)]]
    assert grown(tmp_path, *readings) == [("ap1", 17, 21)]
    assert grown(tmp_path, [], [pair("ap1", 10)], []) == [("ap1", 10, 0)], "also if it stays off"
    assert grown(tmp_path, [pair("ap1", 10)]) == []


def test_a_run_that_left_nothing(tmp_path: Path) -> None:
    assert medium.read(tmp_path) is None
    (tmp_path / "medium.json").write_text('{"looks": []}')
    assert medium.read(tmp_path) is None


@pytest.mark.parametrize(
    "text",
    ["", "[]", "{}", '{"looks": [{"t_ns": 0}]}', '{"looks": 5}', '{"looks": ["x"]}', "[" * 100_000],
    ids=lambda text: text[:30],
)
def test_what_is_damaged_is_refused(tmp_path: Path, text: str) -> None:
    (tmp_path / "medium.json").write_text(text)
    with pytest.raises(RecordError, match=r"medium\.json cannot be read"):
        medium.read(tmp_path)


def test_the_record_has_it_only_where_the_plan_has(run_directory: Path) -> None:
    (run_directory / "raw" / "medium.json").write_text(TEXT)
    assert "medium" not in build(run_directory, hashes={}).data
    path = run_directory / "plan.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | {"medium": PLAN}))
    made = build(run_directory, hashes={})
    assert made.medium is not None and len(made.medium.channels) == 2
    assert load(run_directory).medium == made.medium
