# SPDX-License-Identifier: MIT
"""Metrics of what flow samples over time, around handoffs and gaps."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

import pytest

from lab.metrics.base import MetricValues, Source, load
from lab.probes.base import TimeSeries
from lab.shared.outcome import Happened
from tests.unit.metrics.samples import SECOND, context, source, wanted


def sink(*goodput: float, every_ns: int = SECOND) -> Source:
    stamps = [(number + 1) * every_ns for number in range(len(goodput))]
    return source("flow-sink", identifier="sink", series=[TimeSeries("goodput", "bit/s", stamps, list(goodput))])


def dip(flow: Source, roams_s: Sequence[int], per: str | None = None) -> MetricValues:
    given = context(flow, roams_ns=[moment * SECOND for moment in roams_s])
    return load("dip").compute(wanted("dip", "sink", unit="%", per=per), given)


def test_a_dip_is_the_lowest_interval_after_a_handoff() -> None:
    flow = sink(*[10.0] * 10, 8, 2, 6, 9, *[9.0] * 16)
    found = dip(flow, [10])
    assert found.values == [20]
    assert found.rows == [{"process": "sink", "at_s": 10, "lowest": 20, "recovered": pytest.approx(90)}]
    assert dip(flow, [10], per="recovered").values == [pytest.approx(90)]
    assert dip(sink(*[10.0] * 30), [10]).values == [100]


def test_a_dip_needs_something_to_compare_with() -> None:
    assert not dip(sink(*[10.0] * 30), []).rows
    assert not dip(sink(*[0.0] * 10, *[5.0] * 20), [10]).rows, "nothing arrived before"
    assert not dip(sink(*[10.0] * 15), [10]).rows, "the run ends too early to say whether it recovered"


def test_two_stations_that_roam_at_once_are_one_handoff() -> None:
    assert len(dip(sink(*[10.0] * 30), [10, 10]).rows) == 1


def elsewhere(flow: Source, roams_s: Sequence[int]) -> MetricValues:
    given = context(flow, roams_ns=[moment * SECOND for moment in roams_s])
    return load("dip-elsewhere").compute(wanted("dip-elsewhere", "sink", unit="%"), given)


def test_where_there_is_no_handoff_a_flow_falls_too() -> None:
    steady = elsewhere(sink(*[10.0] * 50), [])
    assert steady.rows == [{"process": "sink", "lowest": 100, "moments": 3}], "45, 46 and 47 s"
    assert elsewhere(sink(*[10.0, 20.0] * 25), []).values == [pytest.approx(100 * 10 / 15)]


def test_a_handoff_is_no_moment_without_one() -> None:
    flow = sink(*[10.0] * 60, 1, *[10.0] * 139)
    moments = elsewhere(flow, [60]).rows[0]["moments"]
    assert elsewhere(flow, [60]).values == [100]
    assert moments == 153 - (60 + 30 - 58), "45 to 197 s without 58 to 89 s"
    assert elsewhere(flow, []).values[0] < 100
    assert elsewhere(sink(*[10.0] * 47), []).rows == [], "too short"
    assert elsewhere(sink(*[0.0] * 60), []).rows == [], "nothing arrives"


def since_25_s(flow: Source) -> list[float]:
    return load("alongside").compute(wanted("alongside", "sink", unit="bit/s"), context(flow)).values


def test_what_a_flow_had_alone_does_not_count() -> None:
    assert since_25_s(sink(*[100.0] * 25, *[4.0] * 275)) == [pytest.approx(4)]
    assert since_25_s(sink(*[100.0] * 25, *[0.0] * 275)) == [0], "it starves"
    assert since_25_s(sink(*[1.0] * 300, 1000)) == [pytest.approx(1)], "the last packets are late"
    assert since_25_s(sink(*[1.0] * 25)) == [], "too short"


def test_scatter_is_from_interval_to_interval() -> None:
    def found(flow: Source) -> list[float]:
        return load("scatter").compute(wanted("scatter", "sink", unit="%"), context(flow)).values

    assert found(sink(*[0.0] * 25, *[9.0, 11.0] * 127, 10, 500)) == [pytest.approx(9.98, abs=0.01)]
    assert found(sink(*[10.0] * 100)) == [0]
    assert found(sink(*[10.0] * 25, *[0.0] * 100)) == [], "nothing arrives"
    assert found(sink(*[1.0] * 20)) == [], "too short"


def lost(*packets: float) -> Source:
    stamps = [(number + 1) * SECOND for number in range(len(packets))]
    return source("flow-sink", identifier="sink", series=[TimeSeries("lost", "packets", stamps, list(packets))])


def test_losses_at_handoffs_are_compared_with_those_at_other_times() -> None:
    def found(flow: Source, roams_s: Sequence[int]) -> list[float]:
        given = context(flow, roams_ns=[moment * SECOND for moment in roams_s])
        return load("lost-at-handoff").compute(wanted("lost-at-handoff", "sink", unit="%"), given).values

    assert found(lost(*[10.0] * 10, 30, 10, 20, *[10.0] * 10), [10]) == [pytest.approx(200)]
    assert found(lost(*[10.0] * 30), [10, 10]) == [pytest.approx(100)]
    assert found(lost(*[10.0] * 30), []) == [], "no handoff"
    assert found(lost(*[0.0] * 10, 5, *[0.0] * 10), [10]) == [], "nothing is lost otherwise"


def test_a_decline_is_around_second_35() -> None:
    def found(flow: Source) -> list[float]:
        return load("decline").compute(wanted("decline", "sink", unit="%"), context(flow)).values

    assert found(sink(*[10.0] * 30, *[4.0] * 10, *[8.0] * 60)) == [pytest.approx(50)]
    assert found(sink(*[10.0] * 29, 1, *[10.0] * 10, 1, *[10.0] * 60)) == [pytest.approx(100)], "before and after"
    assert found(sink(*[10.0] * 45)) == [], "too short"


def recovery(flow: Source, *moments: tuple[float, str]) -> list[float]:
    events = [Happened(int(t_s * SECOND), kind, "sta1", {}, True, "OK") for t_s, kind in moments]
    given = dataclasses.replace(context(flow), events=events)
    return load("recovery-time").compute(wanted("recovery-time", "sink", unit="s"), given).values


def test_a_flow_has_recovered_when_half_of_its_rate_arrives() -> None:
    flow = sink(*[10.0] * 10, 0, 0, 1, 4.9, 5, 10)
    assert recovery(flow, (10, "disconnect"), (12, "connect")) == [3 * SECOND]


def test_a_flow_that_does_not_recover_counts_until_the_end_of_the_run() -> None:
    flow = sink(*[10.0] * 10, *[1.0] * 10)
    assert recovery(flow, (10, "disconnect"), (12, "connect")) == [18 * SECOND]


def test_a_gap_is_from_a_disconnect_to_the_next_connect() -> None:
    flow = sink(*[10.0] * 30)
    assert recovery(flow, (10, "disconnect")) == []
    assert recovery(flow, (10, "connect")) == []
    assert recovery(flow, (10, "disconnect"), (12, "roam"), (13, "connect")) == [SECOND]
    assert recovery(sink(*[0.0] * 30), (10, "disconnect"), (12, "connect")) == [], "nothing arrived before"


@pytest.mark.parametrize(
    ("kind", "quantity", "unit", "factor"),
    [
        ("congestion-window", "cwnd", "packets", 1),
        ("allowed-rate", "allowed_rate", "bit/s", 1),
        ("loss-event-rate", "loss_event_rate", "%", 1),
        ("transport-rtt", "rtt", "ns", 1_000_000),
        ("sent-rate", "sent", "bit/s", 1),
    ],
)
def test_what_a_sender_samples(kind: str, quantity: str, unit: str, factor: int) -> None:
    flow = source("flow-send", identifier="flow", series=[TimeSeries(quantity, "", [1, 2], [3.0, 5.0])])
    silent = source("flow-send", identifier="silent")
    found = load(kind).compute(wanted(kind, "flow", "silent", unit=unit), context(flow, silent))
    assert found.values == [3 * factor, 5 * factor]
    assert found.series == [TimeSeries("flow", unit, [1, 2], [3 * factor, 5 * factor])]


def test_lost_packets_over_time() -> None:
    flow = source("flow-sink", identifier="sink", series=[TimeSeries("lost", "packets", [1, 2], [7, -1])])
    found = load("lost-packets").compute(wanted("lost-packets", "sink", unit="packets"), context(flow))
    assert found.values == [7, -1]
