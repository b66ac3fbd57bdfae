# SPDX-License-Identifier: MIT
"""jitter and out-of-order, compared with numbers computed by hand."""

from __future__ import annotations

from typing import Any

import pytest

from lab.metrics.base import MetricValues, Source, load
from lab.probes.base import TimeSeries
from tests.unit.metrics.samples import context, source, wanted

MS, SECOND = 10**6, 10**9


def sink(identifier: str = "sink", **changes: Any) -> Source:
    """Of three intervals with mean delays of 10, 16 and 4 ms, and changes of 1, 3 and 2 ms between packets."""
    t_ns = [second * SECOND for second in (1, 2, 3)]
    series = [TimeSeries("delay", "ms", t_ns, [10, 16, 4]), TimeSeries("delay_change", "ms", t_ns, [1, 3, 2])]
    values = {
        "packets": 8, "bytes": 800, "lost": 2, "out_of_order": 2, "first_ns": 0, "last_ns": 2 * SECOND,
        "delay_min_ns": 1 * MS, "delay_mean_ns": 10 * MS, "delay_max_ns": 20 * MS, "jitter_packets_ns": 2 * MS,
        "jitter_intervals_ns": 9 * MS, "jitter_smoothed_ns": 1.5 * MS,
    }  # fmt: skip
    return source("flow-sink", identifier=identifier, series=series, values=values | changes)


def computed(kind: str, unit: str, *sources: Source, per: str | None = None) -> MetricValues:
    return load(kind).compute(wanted(kind, *(one.id for one in sources), unit=unit, per=per), context(*sources))


@pytest.mark.parametrize(
    ("per", "value_ms"), [(None, 2), ("process", 2), ("intervals", 9), ("smoothed", 1.5)]
)  # fmt: skip
def test_each_reading_of_jitter(per: str | None, value_ms: float) -> None:
    found = computed("jitter", "ms", sink(), per=per)
    assert found.values == [value_ms * MS]
    assert found.rows == [{"process": "sink", "packets": 2 * MS, "intervals": 9 * MS, "smoothed": 1.5 * MS}]
    (over_time,) = found.series
    assert (over_time.name, over_time.unit, over_time.values) == ("sink", "ns", [MS, 3 * MS, 2 * MS])
    assert over_time.t_ns == [SECOND, 2 * SECOND, 3 * SECOND]


def test_a_flow_too_short_for_a_reading_has_none() -> None:
    short = sink("short", jitter_intervals_ns=None)
    assert computed("jitter", "ms", short, per="intervals").rows == []
    assert computed("jitter", "ms", short, sink(), per="intervals").values == [9 * MS]
    assert computed("jitter", "ms", short).values == [2 * MS]


def test_out_of_order_is_a_share_of_what_arrived() -> None:
    found = computed("out-of-order", "%", sink(), sink("other", out_of_order=0))
    assert found.values == [25, 0]
    assert found.rows[0] == {"process": "sink", "out_of_order": 2, "share": 25}


def test_nothing_arrived() -> None:
    nothing = sink(packets=0, bytes=0, lost=0)
    for kind in ("jitter", "out-of-order"):
        found = computed(kind, "ms" if kind == "jitter" else "%", nothing)
        assert found.values == [] and found.rows == []


def test_a_flow_that_was_lost_as_a_whole_counts_as_loss() -> None:
    assert computed("loss", "%", sink(packets=0, bytes=0, lost=12), sink("other")).values == [100, 20]
