# SPDX-License-Identifier: MIT
"""Metrics of TCP ACKs, from the counters of the medium and from samples of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict, replace
from typing import Any

import pytest

from lab.metrics.base import Context, MetricValues, load
from lab.probes.base import Parsed, TimeSeries
from lab.record import Record
from lab.record.record import RecordedMetric
from lab.shared.frozen import fields_of
from lab.shared.medium_types import AccessCounts, FrameCounts, LinkCounters, OnAir, PeerCounters, RadioCounters
from lab.views import base as views
from tests.unit.metrics.samples import AP1, SECOND, context, source, wanted

NAMES = ("acks", "bytes", "packet_bytes", "payloads", "natives", "crc_failures", "unknown", "malformed", "held_ns")
NONE = dict.fromkeys(NAMES, 0)
SENT = NONE | {"acks": 10, "bytes": 40, "packet_bytes": 520, "payloads": 5, "natives": 30, "held_ns": 20_000_000}
RECEIVED = NONE | {"acks": 9, "crc_failures": 1, "unknown": 2, "malformed": 4}
PAIRS = [
    PeerCounters("sta1", AP1, {"sent": SENT, "received": NONE}),
    PeerCounters("ap1", "02:00:00:00:05:00", {"sent": NONE, "received": RECEIVED}),
    PeerCounters("ap1", "02:00:00:00:06:00", {"sent": NONE, "received": RECEIVED | {"crc_failures": 10}}),
]
NO_FRAMES = FrameCounts(**dict.fromkeys(fields_of(FrameCounts) or (), 0))
NO_ACCESS = AccessCounts(**dict.fromkeys(fields_of(AccessCounts) or (), 0))
NOTHING = OnAir([], [], [], [], {})
RATE_A = {"mode": "a", "settings": {"rate": "54 Mbit/s"}}
TIMES_NS = {
    "frames": 3 * 36_000,
    "payloads": 12_000,
    "access": 250_000,
    "late": 3 * 37_000,
    "bits": 2 * 52 * 8 * 1000 / 54,
    "payload-bits": 45 * 8 * 1000 / 24,
}
UNITS = {"acks-compressed": "%", "ack-bytes": "B", "ack-size": "%", "ack-hold-time": "ms", "hack-failures": "failures"}
EPOCH_NS = 1_767_225_600_999_999_744  # of the recorded samples


def computed(kind: str, *of: str, medium: OnAir | None = None) -> MetricValues:
    run: Context = replace(context(), medium=medium or replace(NOTHING, parts={"hack": PAIRS}))
    return load(kind).compute(wanted(kind, *of, unit=UNITS[kind]), run)


@pytest.mark.parametrize(
    ("kind", "value", "column"),
    [
        ("acks-compressed", 25, "share"),
        ("ack-bytes", 4.5, "bytes"),
        ("ack-size", 100 * 45 / 520, "share"),
        ("ack-hold-time", 2_000_000, "held"),
    ],
)
def test_what_a_node_sends(kind: str, value: float, column: str) -> None:
    found = computed(kind, "sta1")
    assert found.values == [pytest.approx(value)]
    assert found.rows == [{"node": "sta1", "acks": 10, "native": 30, column: pytest.approx(value)}]


def test_failures_are_of_all_that_comes_to_a_node() -> None:
    found = computed("hack-failures", "ap1", "sta1")
    failures = {"CRC failures": 11, "unknown": 4, "malformed": 8}
    assert found.rows[0] == {"node": "ap1", "restored": 18, **failures, "failures": 23}
    assert found.values == [23, 0]


@pytest.mark.parametrize("kind", ["ack-bytes", "ack-size", "ack-hold-time"])
def test_where_no_ack_was_compressed_there_is_no_mean(kind: str) -> None:
    assert computed(kind, "ap1", "h1").rows == []


@pytest.mark.parametrize("kind", UNITS)
def test_without_the_key_or_a_medium(kind: str) -> None:
    counts = kind in ("acks-compressed", "hack-failures")
    assert computed(kind, "sta1", medium=NOTHING).values == ([0] if counts else [])
    assert load(kind).compute(wanted(kind, "sta1", unit=UNITS[kind]), context()).values == []


def test_a_time_is_in_units_of_time() -> None:
    assert load("ack-hold-time").scale("ms") == 1_000_000
    with pytest.raises(ValueError, match='unit: "ms" is not a unit'):
        load("hack-failures").check({}, "ms", None)


def times(per: str | None = None, *, medium: bool = True, **radio: Any) -> MetricValues:
    """Of a station that sent two TCP ACKs in three attempts, each answered 37 us late, and ten compressed ones."""
    run = context()
    nodes = [
        replace(node, radio=replace(node.radio, **RATE_A | radio)) if node.radio else node for node in run.plan.nodes
    ]
    access = replace(NO_ACCESS, attempts=3, successes=2, air_ns=108_000, acquire_ns=250_000, answer_ns=3 * 81_000)
    of_sta1 = RadioCounters("sta1", {"be": access, "vo": NO_ACCESS})
    of_ap1 = RadioCounters("ap1", {"be": replace(access, air_ns=10**9, acquire_ns=10**9, answer_ns=10**9)})
    links = [
        LinkCounters("sta1", "ap1", replace(NO_FRAMES, delivered=2, bytes=2 * 88), {}),
        LinkCounters("ap1", "sta1", replace(NO_FRAMES, delivered=4, bytes=4 * 1536), {}),
    ]
    first = replace(PAIRS[0], counts={"sent": SENT | {"air_ns": 12_000}, "received": NONE})
    counters = OnAir([], [], links, [of_sta1, of_ap1], {"hack": [first, *PAIRS[1:]]})
    run = replace(run, plan=replace(run.plan, nodes=nodes), medium=counters if medium else None)
    return load("ack-time").compute(wanted("ack-time", "sta1", unit="ms", per=per), run)


@pytest.mark.parametrize("cause", TIMES_NS)
def test_the_time_of_acks_by_cause(cause: str) -> None:
    found = times(cause)
    assert found.values == [pytest.approx(TIMES_NS[cause])]
    assert found.rows == [{"node": "sta1"} | {key: pytest.approx(value) for key, value in TIMES_NS.items()}]


def test_the_time_of_acks_is_that_of_their_frames_unless_another_is_wanted() -> None:
    assert times().values == [TIMES_NS["frames"]]


@pytest.mark.parametrize(
    "radio",
    [
        {"mode": "g"},
        {"mode": "n", "settings": {"rate": "MCS 7"}},
        {"settings": {}},
        {"wmm": True},
        {"encrypt": "wpa2"},
        {"basic_rates": ["54 Mbit/s"]},
    ],
    ids=str,
)
def test_where_frames_or_answers_are_others_there_is_no_time_of_acks(radio: Mapping[str, Any]) -> None:
    assert times(**radio).rows == []


def test_there_is_no_time_of_acks_without_a_medium_or_a_radio() -> None:
    assert times(medium=False).rows == []
    assert load("ack-time").compute(wanted("ack-time", "h1", unit="ms"), replace(context(), medium=NOTHING)).rows == []


def rates(parsed: Parsed, name: str = "sta1") -> MetricValues:
    probe = source("hack-acks", on=name, series=parsed.series)
    return load("ack-rate").compute(wanted("ack-rate", "hack-acks", unit="ACKs/s"), context(probe))


def sampled(times_s: list[float], **counters: Mapping[Any, int]) -> Parsed:
    """Samples at these times, with counters towards ap1 at some of them."""
    parsed = Parsed()
    parsed.series.append(TimeSeries("pairs", "1", [round(t_s * SECOND) for t_s in times_s], [1] * len(times_s)))
    for name, levels in counters.items():
        times_ns = [round(t_s * SECOND) for t_s in levels]
        parsed.series.append(TimeSeries(f"{name}/{AP1}", "1", times_ns, list(levels.values())))
    return parsed


def test_rates_are_per_second() -> None:
    found = rates(
        sampled([-0.5, 0, 0.5, 1], sent_acks={-0.5: 7, 0: 7, 0.5: 107, 1: 157}, sent_natives={0: 0, 0.5: 0, 1: 5})
    )
    compressed, native = found.series
    assert (compressed.name, native.name) == ("sta1 to ap1, compressed", "sta1 to ap1, native")
    assert compressed.t_ns == [SECOND // 2, SECOND] and compressed.values == [200, 100] and native.values == [0, 10]
    assert found.rows == [{"node": "sta1", "peer": "ap1", "compressed": 150, "native": 5}]
    assert found.values == [155]


def test_counters_begin_anew() -> None:
    """They are absent after 1 s, and smaller than before at 4 s: the interval that ends without one has no rate."""
    levels = {1: 100, 3: 20, 4: 5}
    compressed, _ = rates(sampled([0, 1, 2, 3, 4], sent_acks=levels, sent_natives=dict.fromkeys(levels, 0))).series
    assert compressed.t_ns == [SECOND, 3 * SECOND, 4 * SECOND] and compressed.values == [100, 20, 5]


@pytest.mark.parametrize("times_s", [[], [1], [-2, -1]])
def test_a_rate_needs_two_samples(times_s: list[float]) -> None:
    assert rates(sampled(times_s, sent_acks=dict.fromkeys(times_s, 1))).rows == []


def test_the_figure_is_interrupted_while_nothing_counts(pasted: Callable[..., Parsed], record: Record) -> None:
    """Recorded: hack is off from 2.5 s to 3.2 s."""
    found = rates(pasted("hack-acks", "switched", epoch_ns=EPOCH_NS))
    series = [asdict(one) for one in found.series]
    columns = ["compressed", "native"]
    result = RecordedMetric(
        "ack-rate", "ack-rate", "", ["acks"], "process", "ACKs/s", {}, found.values, found.rows, columns, series
    )
    (figure,) = views.load("ack-rate").figures(result, record)
    assert figure.title == "99.8 % of the TCP ACKs are compressed"
    compressed, native = figure.panels[0].lines
    assert [round(x, 1) for x in compressed.x] == [1.2, 1.7, 2.2, 3.7, 4.2, 4.7] and max(compressed.y) > 1000
    assert compressed.gap is not None and 0.5 < compressed.gap < 1.5 and max(native.y) < 10
