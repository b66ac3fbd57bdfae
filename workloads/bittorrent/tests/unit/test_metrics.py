# SPDX-License-Identifier: MIT
"""Metrics of peers, and the titles of their pictures."""

from __future__ import annotations

import pytest

from lab.metrics.base import MetricValues, Source, load
from lab.record.record import RecordedMetric
from lab.views import base as views
from tests.unit.metrics.samples import SECOND, context, source, wanted


def peer(*have: int, size: int = 200, up: int = 50) -> Source:
    """Return what the probe finds: these bytes at each second, half of them playable."""
    found = source("transmission", values={"size": size, "complete": False, "wasted": 0, "error": ""})
    for second, amount in enumerate(have):
        for name, value in (("have", amount), ("playable", amount // 2), ("downloaded", amount), ("uploaded", up)):
            found.parsed.add(name, "B", second * SECOND, value)
    return found


def computed(kind: str, found: Source, per: str | None = None, unit: str = "%") -> MetricValues:
    return load(kind).compute(wanted(kind, "transmission", unit=unit, per=per), context(found))


def test_shares_at_the_end_and_over_time() -> None:
    have = computed("have", peer(0, 50, 100))
    assert (have.values, have.rows) == ([50], [{"process": "transmission", "bytes": 100, "share": 50}])
    assert have.series[0].values == [0, 25, 50]
    assert computed("playable", peer(0, 100)).values == [25]
    assert computed("have", peer(0, 50, 100), per="sample").values == [0, 25, 50]


@pytest.mark.parametrize("kind", ["have", "playable"])
def test_a_peer_that_does_not_know_the_torrent_yet_has_no_share(kind: str) -> None:
    assert computed(kind, peer(0, size=0)) == MetricValues()


def test_a_seeds_ratio_is_that_of_the_torrent() -> None:
    assert computed("share-ratio", peer(0, 100)).values == [0.5]
    assert computed("share-ratio", peer(0)).values == [0.25]
    assert computed("share-ratio", peer(0, size=0)).values == []


@pytest.mark.parametrize(
    ("kind", "title"),
    [
        ("have", "1 of 2 peers have everything at the end"),
        ("playable", "Every peer can play at least 40 % at the end"),
    ],
)
def test_pictures_say_how_it_ended(kind: str, title: str) -> None:
    rows = [{"process": "a", "share": 100}, {"process": "b", "share": 40}]
    result = RecordedMetric(kind, kind, "about", [], "process", "%", {}, [], rows, [], [])
    assert views.load(kind).title(result) == title  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("found", "stall_s"),
    [
        (peer(0, 0, 10, 20, 20, 20, 30, 200, 200, 200), 3),  # not what is before the first byte or after the last one
        (peer(0, 10, 20, 20, 20, 20), 3),  # up to the end
        (peer(0, 200), 0),
    ],
)
def test_the_longest_stall(found: Source, stall_s: int) -> None:
    assert computed("stall", found, unit="s").values == [stall_s * SECOND]


def test_who_gets_nothing_has_no_stall() -> None:
    assert computed("stall", peer(0, 0), unit="s").values == []


def test_the_steady_rate_begins_after_a_quarter_and_ends_with_the_download() -> None:
    """8 s, or the 4 s until it has everything: without the first 2 s or the first one."""
    assert computed("steady-rate", peer(0, 0, 10, 20, 30, 40, 50, 60, 70), unit="bit/s").values == [8 * 60 / 6]
    assert computed("steady-rate", peer(0, 20, 80, 140, 200, 200, 200, 200), unit="bit/s").values == [8 * 180 / 3]
    assert computed("steady-rate", peer(0, size=0), unit="bit/s").values == []
    assert computed("steady-rate", peer(7), unit="bit/s").values == []
