# SPDX-License-Identifier: MIT
"""Metrics of an experiment: their numbers in their units, and what is refused before anything runs."""

import math
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lab.errors import InputError
from lab.experiments.analysis.metrics import absent, check, values
from lab.experiments.types import TrialMetric
from lab.metrics.base import summary
from lab.plan.load import load
from lab.shared.types import Plan


@pytest.fixture(scope="module")
def plan() -> Plan:
    return load("two-aps-handoff", "http/download")


def measured(unit: str, *values: float) -> dict[str, Any]:
    return {"unit": unit, "each": list(values), "values": summary(values)}


RECORD = {
    "metrics": {
        "goodput": measured("Mbit/s", 4.0, 6.0, 20.0),
        "outage": measured("ms"),
        "rtt": measured("ms", 0.3, 0.1),
        "retries": measured("frames", 3.0, 4.0),
        "loss": measured("%", 12.5),
        "transfer-time": measured("s", 22.612559),
    },
    "plan": {
        "processes": [
            {"id": "fetch@sta2", "name": "fetch"},
            {"id": "fetch@sta10", "name": "fetch"},
            {"id": "web", "name": "web"},
        ],
        "files": [
            {"name": "file", "sha256": "aa", "random_bytes": 5000, "text": None, "path": "/srv/file"},
            {"name": "page", "sha256": "bb", "random_bytes": None, "text": "\u00e4", "path": "/srv/page"},
        ],
    },
    "processes": [{"id": "fetch@sta2", "exit": 0}, {"id": "fetch@sta10", "exit": 28}, {"id": "web", "exit": None}],
    "sources": {
        "fetch@sta10": {"values": {"bytes": 2000, "time_total_s": 2.5, "sha256": "cc"}},
        "fetch@sta2": {"values": {"bytes": 6000, "time_total_s": 0.5, "sha256": "aa", "flows": {"a": {"b": 1}}}},
        "web": {"values": {}},
    },
}


@pytest.mark.parametrize(
    ("that", "unit", "value"),
    [
        ("goodput", "Mbit/s", 10.0),
        ("goodput", "kbit/s", 10_000.0),
        ("goodput.mean", "Mbit/s", 10.0),
        ("goodput.median", "Mbit/s", 6.0),
        ("goodput.p90", "Mbit/s", 17.2),
        ("p90(goodput)", "Mbit/s", 17.2),
        ("goodput.count", "transfers", 3.0),
        ("goodput.count", "", 3.0),
        ("sum(goodput)", "Mbit/s", 30.0),
        ("goodput.sum", "Mbit/s", 30.0),
        ("max(goodput)", "bit/s", 20e6),
        ("max(goodput, 50 Mbit/s)", "Mbit/s", 50.0),
        ("max(goodput / 2)", "Mbit/s", 10.0),
        ("median(goodput)", "Mbit/s", 6.0),
        ("mean(goodput - 1 Mbit/s)", "Mbit/s", 9.0),
        ("first(goodput) + last(goodput)", "Mbit/s", 24.0),
        ("len(goodput)", "", 3.0),
        ("abs(goodput)", "Mbit/s", 10.0),
        ("abs(min(goodput) - max(goodput))", "Mbit/s", 16.0),
        ("max(goodput) / goodput", "", 2.0),
        ("100% * (goodput.min / goodput.max)", "%", 20.0),
        ("rtt", "ms", 0.2),
        ("rtt.min", "us", 100.0),
        ("retries", "frames", 3.5),
        ("loss.max", "%", 12.5),
        ("transfer-time", "s", 22.612559),
        ("transfer-time", "ms", 22612.559),
        ("outage", "ms", None),
        ("outage.max", "ms", None),
        ("outage.p95", "ms", None),
        ("outage.max + rtt", "ms", None),
        ("outage.count", "handoffs", 0.0),
        ("outage.sum", "ms", 0.0),
        ("sum(outage)", "s", 0.0),
        ("sum(outage / 2) + 1 ms", "ms", 1.0),
        ("max(outage)", "ms", None),
        ("rtt / outage.sum", "", None),
        ("geomean(goodput - 4 Mbit/s)", "Mbit/s", None),
        ("goodput.mean * " + " * ".join(["9" * 30] * 12), "Mbit/s", None),
        ("sum(fetch.bytes)", "kB", 8.0),
        ("max(fetch.exit)", "", 28.0),
        ("first(fetch.time_total)", "s", 0.5),
        ("fetch@sta10.time_total", "ms", 2500.0),
        ("fetch@sta2.bytes / fetch@sta10.bytes", "", 3.0),
        ("100% * (fetch@sta2.bytes / sum(fetch.bytes))", "%", 75.0),
        ("file.size", "", 5000.0),
        ("page.size", "bytes", 2.0),
        ("web.exit", "", None),
        ("fetch@sta2.http_code", "", None),
        ("web.bytes", "B", None),
        ("fetch@sta2.flows", "", None),
    ],
)
def test_numbers_of_a_run(that: str, unit: str, value: float | None) -> None:
    assert values([TrialMetric("m", that, unit)], RECORD) == {"m": pytest.approx(value, rel=1e-12)}


def test_every_metric_has_an_answer() -> None:
    metrics = [TrialMetric("a", "goodput", "Mbit/s"), TrialMetric("b", "outage", "ms")]
    assert values(metrics, RECORD) == {"a": 10.0, "b": None}
    assert values([], RECORD) == {}


def test_a_record_without_the_metric_says_so() -> None:
    with pytest.raises(InputError, match=r'metrics\.m\.that: the workload has no metric "jitter"'):
        values([TrialMetric("m", "jitter", "ms")], RECORD)


@pytest.mark.parametrize(
    ("that", "unit", "message"),
    [
        ("fetch@sta2.bytes", "ms", "is a size, but ms measures a duration; write one of B,"),
        (
            "fetch.bytes",
            "B",
            "is a list with one value per node; write NAME@NODE for one, or a function such as sum();",
        ),
        ("fetch@sta2.sha256", "", 'is the text "aa"; a metric must be a number'),
        ("fetch@sta2.bytes + goodput", "B", "a size (in B) cannot be compared with a rate (in Mbit/s)"),
        ("fetsh.bytes", "B", 'the workload has no metric "fetsh" (did you mean fetch?); known: goodput, '),
    ],
)
def test_a_parsed_value_that_does_not_fit_is_reported_with_its_place(that: str, unit: str, message: str) -> None:
    with pytest.raises(InputError) as failure:
        values([TrialMetric("m", that, unit, "x.yaml:9")], RECORD)
    assert failure.value.message.startswith(f"metrics.m.that: {message}")
    assert failure.value.where == "x.yaml:9"


def test_what_a_parser_did_not_find_is_reported() -> None:
    metrics = [
        TrialMetric("a", "fetch@sta2.byts", "B"),
        TrialMetric("b", "outage.max", "ms"),
        TrialMetric("c", "sum(fetch.http_code)", ""),
        TrialMetric("d", "fetch@sta2.flows", ""),
    ]
    assert absent(metrics, RECORD) == [
        'metric a: fetch@sta2 has no "byts" (did you mean bytes?); known: exit, bytes, time_total, sha256, flows',
        'metric c: fetch has no "http_code"; known: exit, bytes, time_total, sha256, flows',
        "metric d: fetch@sta2.flows has several values; write fetch@sta2.flows.a",
    ]


def test_a_program_has_an_exit_status_and_what_several_nodes_run_several_values() -> None:
    found = load("wired-pair", "ping/ping", overrides=("nodes.h1.roles=[server, client]",))
    assert [process.id for process in found.processes] == ["echo@h1", "echo@h2"]
    check(TrialMetric("m", "sum(echo.exit)", ""), found)
    check(TrialMetric("m", "echo@h2.rtt_mean", "ms"), found)
    with pytest.raises(InputError, match="is a list with one value per node"):
        check(TrialMetric("m", "echo.rtt_mean", "ms"), found)


@pytest.mark.parametrize(
    ("that", "unit"),
    [
        ("fetch.bytes", "B"),
        ("fetch.time_total + outage.max", "ms"),
        ("fetch.exit", ""),
        ("file.size", ""),
        ("goodput", "kbit/s"),
        ("sum(goodput)", "Mbit/s"),
        ("outage.max", "s"),
        ("outage.count", "handoffs"),
        ("retries.max", "frames"),
        ("goodput.max / goodput.min", ""),
        ("100% * (1 - goodput.min / goodput.max)", "%"),
        ("outage / (outage.max - outage.min)", ""),
        ("goodput / (outage.max / outage.min - 1.5)", "Mbit/s"),
        ("geomean(goodput - 5 Mbit/s)", "Mbit/s"),
    ],
)
def test_what_fits(that: str, unit: str, plan: Plan) -> None:
    check(TrialMetric("m", that, unit), plan)


@pytest.mark.parametrize(
    ("that", "unit", "message"),
    [
        ("", "ms", "is empty; write an expression, such as outage.max, or sum(goodput)"),
        ("goodputt", "Mbit/s", 'the workload has no metric "goodputt" (did you mean goodput?); known: goodput, '),
        ("transfer_time", "s", 'the workload has no metric "transfer_time" (did you mean transfer-time?); known: '),
        (
            "outage.maximum",
            "ms",
            'outage has no "maximum" (did you mean max?); known: count, sum, mean, median, min, max',
        ),
        ("outage.meen", "ms", 'outage has no "meen" (did you mean mean?); known: count, sum,'),
        ("fetch.exit", "ms", 'is a number without a unit, not a duration in ms; write unit: ""'),
        ("fetch", "ms", "fetch has several values; write fetch.exit"),
        ("lighttpd.bytes", "B", 'lighttpd has no "bytes"; known: exit'),
        ("file.length", "", 'file has no "length"; known: sha256, size, path'),
        ("file.sha256", "", 'is the text "'),
        ("file.size", "B", 'is a number without a unit, not a size in B; write unit: ""'),
        ("outage", "Mbit/s", "is a duration, but Mbit/s measures a rate; write one of ns, us,"),
        ("outage", "msec", 'is a duration, and "msec" is not a unit of it; known: ns, us,'),
        ("outage", "", 'is a number in ms; write unit: "ms"'),
        ("outage.count", "ms", 'is a number without a unit, not a duration in ms; write unit: ""'),
        ("goodput.max / goodput.min", "%", "is a number without a unit, not a percentage in %; multiply"),
        ("retries", "segments", "is a number of frames, not of segments; write unit: frames"),
        ("retries", "ms", "is a number of frames, not of ms; write unit: frames"),
        ("outage + goodput", "ms", "a duration (in ms) cannot be compared with a rate (in Mbit/s)"),
        ("sum(outage, goodput)", "ms", "a duration (in ms) cannot be compared with a rate (in Mbit/s)"),
        ("outage < 5 ms", "ms", "is true or false; a metric must be a number"),
        ("'fast'", "ms", 'is the text "fast"; a metric must be a number'),
        ("outage[2 m]", "ms", 'unexpected "["'),
        ("summ(outage)", "ms", 'unknown function "summ" (did you mean sum?); known: '),
        ("outage / 0", "ms", "division by 0, whatever the run measures"),
        ("1 ms * " + " * ".join(["9" * 30] * 12), "ms", "a number in it is too large, whatever the run measures"),
    ],
)
def test_what_is_refused(that: str, unit: str, message: str, plan: Plan) -> None:
    with pytest.raises(InputError) as failure:
        check(TrialMetric("m", that, unit), plan)
    assert failure.value.message.startswith(message)


PIECES = """
goodput outage.max rtt retries x ( ) , + - * / < == and not 5 0 1 ms s % Mbit/s frames 'a' true max( sum( mean( abs(
geomean( first( len( median( rising( outage .
"""


@settings(deadline=None)
@given(
    st.lists(st.sampled_from(PIECES.split()), max_size=10).map(" ".join) | st.text(max_size=30),
    st.sampled_from(["ms", "Mbit/s", "%", "frames", ""]),
)
def test_any_text_is_a_number_or_an_input_error(that: str, unit: str) -> None:
    try:
        (value,) = values([TrialMetric("m", that, unit)], RECORD).values()
    except InputError as error:
        assert str(error)
    else:
        assert value is None or math.isfinite(value)


@settings(deadline=None)
@given(st.lists(st.sampled_from(PIECES.split()), max_size=10).map(" ".join), st.sampled_from(["ms", "Mbit/s", ""]))
def test_what_is_checked_has_numbers(plan: Plan, that: str, unit: str) -> None:
    record = {"metrics": {metric.name: measured(metric.unit, 2.5, 9.0) for metric in plan.metrics}}
    metric = TrialMetric("m", that, unit)
    try:
        check(metric, plan)
    except InputError:
        return
    values([metric], record)
    values([metric], {"metrics": {metric.name: measured(metric.unit) for metric in plan.metrics}})
