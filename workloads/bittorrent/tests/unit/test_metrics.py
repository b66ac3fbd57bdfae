# SPDX-License-Identifier: MIT
"""Metrics of peers, and the titles of their pictures."""

from __future__ import annotations

from collections.abc import Callable

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


@pytest.mark.parametrize(
    ("uploaded", "pauses_s"),
    [
        ((0, 0, 0, 10, 20, 20, 20, 30), [3]),  # not what is before the first byte
        ((0, 10, 20, 20, 20, 20), [3]),  # up to the end
        ((0, 10, 20), [1]),
        ((0, 0), []),
    ],
)
def test_the_longest_pause_of_a_peer_that_gives(uploaded: tuple[int, ...], pauses_s: list[int]) -> None:
    found = source("transmission", values={"size": 200})
    for second, amount in enumerate(uploaded):
        found.parsed.add("uploaded", "B", second * SECOND, amount)
    assert computed("pause", found, unit="s").values == [pause_s * SECOND for pause_s in pauses_s]


def test_the_steady_rate_begins_after_a_quarter_and_ends_with_the_download() -> None:
    """8 s, or the 4 s until it has everything: without the first 2 s or the first one."""
    assert computed("steady-rate", peer(0, 0, 10, 20, 30, 40, 50, 60, 70), unit="bit/s").values == [8 * 60 / 6]
    assert computed("steady-rate", peer(0, 20, 80, 140, 200, 200, 200, 200), unit="bit/s").values == [8 * 180 / 3]
    assert computed("steady-rate", peer(0, size=0), unit="bit/s").values == []
    assert computed("steady-rate", peer(7), unit="bit/s").values == []


def leg(queued: Callable[[float], int], drops_s: list[float], until_s: float = 10) -> Source:
    """Return what shared-rate finds: a look each 50 ms."""
    found = source("shared-rate", values={"packets": 0, "lost": 0, "most_queued": 0})
    for look in range(round(20 * until_s) + 1):
        t_s = look / 20
        found.parsed.add("queued", "packets", round(t_s * SECOND), queued(t_s))
        found.parsed.add("lost", "packets", round(t_s * SECOND), sum(at_s < t_s for at_s in drops_s))
    return found


def after_drops(found: Source) -> list[tuple[float, float]]:
    """Return the time (s) and the share (%) of each event."""
    metric = wanted("after-drop", found.id, unit="%")
    rows = load("after-drop").compute(metric, context(found)).rows
    return [(row["at_ns"] / SECOND, round(row["share"], 6)) for row in rows]


def test_a_queue_that_halves_a_round_trip_after_a_drop() -> None:
    assert after_drops(leg(lambda t_s: 50 if t_s < 5.2 else 25, [5.01])) == [(5, 50)]
    assert after_drops(leg(lambda _: 50, [5.01])) == [(5, 100)]
    assert after_drops(leg(lambda _: 0, [5.01])) == []


def test_drops_that_follow_within_a_window_belong_to_the_event() -> None:
    assert after_drops(leg(lambda _: 50, [3.01, 3.02, 4.2])) == [(3, 100)]
    assert after_drops(leg(lambda _: 50, [3.01, 4.31])) == [(3, 100), (4.3, 100)]


@pytest.mark.parametrize("at_s", [0.51, 9.01])
def test_an_event_without_whole_windows_has_no_share(at_s: float) -> None:
    assert after_drops(leg(lambda _: 50, [at_s])) == []
