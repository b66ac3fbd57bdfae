# SPDX-License-Identifier: MIT
"""The language of checks: what holds, what is said about it, and what is refused."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lab.errors import InputError
from lab.expressions.expression import CheckOutcome, ValueWithUnit, evaluate, names
from lab.expressions.values import FUNCTIONS
from tests.refused import refused

CONTEXT: dict[str, Any] = {
    "outage": {"max": ValueWithUnit(312, "ms"), "mean": ValueWithUnit(200.5, "ms"), "count": 2, "sum": None},
    "goodput": {"mean": ValueWithUnit(17.2, "Mbit/s")},
    "loss": {"max": ValueWithUnit(0.5, "%")},
    "retries": {"sum": ValueWithUnit(12, "frames")},
    "fetch": {"exit": 0, "sha256": "ab" * 32, "bytes": ValueWithUnit(67108864, "B"), "ok": True},
    "file": {"sha256": "ab" * 32},
    "flow": [{"exit": 0, "goodput": ValueWithUnit(4, "Mbit/s")}, {"exit": 1, "goodput": ValueWithUnit(6, "Mbit/s")}],
    "flow@sta2": {"exit": 1},
    "wpa-events": {"connections": 3},
}


@pytest.mark.parametrize(
    "text",
    [
        "outage.max < 500 ms",
        "outage.max < 0.5 s",
        "outage.max == 0.312 s",
        "0 ms < outage.mean <= outage.max",
        "outage.count == 2",
        "goodput.mean > 17000 kbit/s",
        "fetch.sha256 == file.sha256",
        "fetch.sha256 != 'x'",
        "fetch.bytes == 64 MiB",
        "loss.max < 5%",
        "retries.sum < 20",
        "fetch.ok == true and not false",
        "fetch.ok",
        "goodput.mean > 20 Mbit/s or fetch.exit == 0",
        "not goodput.mean > 20 Mbit/s",
        "not not fetch.exit == 0",
        "(1 + 2) * 3 == 9 and 1 + 2 * 3 == 7",
        "7 / 2 == 3.5",
        "--1 == 1 and -1 < 0",
        "outage.max - outage.mean > 100 ms",
        "outage.max - 1 s < 0 ms",
        "2 * outage.max == 624 ms",
        "outage.max / outage.mean > 1.5",
        "outage.max / 2 == 156 ms",
        "abs(outage.mean - outage.max) == 111.5 ms",
        "max(outage.mean, outage.max, 1 s) == 1 s",
        "min(flow.goodput) == 4 Mbit/s",
        "mean(flow.goodput) == 5 Mbit/s",
        "sum(flow.goodput) == 10 Mbit/s",
        "geomean(1, 4) > 1.99 and geomean(1, 4) < 2.01",
        "len(flow.exit) == 2 and len('abc') == 3",
        "envelope(1 s, 2 ms) == 1000 ms and sum(envelope(flow.goodput, flow.goodput)) == 10 Mbit/s",
        "median(flow.goodput) == 5 Mbit/s and median(3, 1, 2) == 2 and median(4, 1) == 2.5",
        "p90(1, 2, 3, 4, 5, 6) == 5.5 and p99(0, 100) == 99",
        "p95(1, 2, 3, 4, 5) > 4.79 and p95(1, 2, 3, 4, 5) < 4.81 and p95(7 ms) == 7 ms",
        "share(flow.exit == 0) == 50% and share(1 < 2, 3 < 2, 1 < 3) > 66%",
        "deviation(2, 4, 9) > 3.605 and deviation(2, 4, 9) < 3.606",
        "deviation(1 s, 1002 ms) < 1.5 ms and deviation(1 s, 1002 ms) > 1.4 ms",
        "first(flow.exit) == 0 and last(flow.exit) == 1",
        "rising(flow.exit) and not falling(flow.goodput)",
        "any(flow.exit == 0)",
        "not all(flow.exit == 0)",
        "all(flow.goodput > 3 Mbit/s)",
        "flow.goodput > 3 Mbit/s",
        "flow.goodput * 2 > 7 Mbit/s",
        "flow@sta2.exit == 1",
        "wpa-events.connections - 1 == 2",
        "'a' < 'b'",
    ],
)
def test_what_holds(text: str) -> None:
    assert evaluate(text, CONTEXT).passed, evaluate(text, CONTEXT).explanation


@pytest.mark.parametrize(
    "text",
    [
        "outage.max < 300 ms",
        "flow.exit == 0",
        "outage.sum < 5 ms",
        "outage.sum == outage.sum",
        "outage.sum + 1 ms < 1 h",
        "max(outage.sum, 1 ms) < 1 h",
        "0 ms < outage.max < 300 ms",
        "fetch.exit == 1 or fetch.exit == 2",
        "deviation(1) >= 0",
        "deviation(1, outage.sum / 1 ms) >= 0",
    ],
)
def test_what_does_not_hold(text: str) -> None:
    assert not evaluate(text, CONTEXT).passed


@pytest.mark.parametrize(
    ("text", "explanation"),
    [
        ("outage.max < 500 ms", "outage.max = 312 ms, wanted < 500 ms"),
        ("500 ms > outage.max", "500 ms > outage.max = 312 ms"),
        (
            "fetch.sha256 == file.sha256",
            "both are abababababab…",
        ),
        (
            "fetch.sha256 != file.sha256",
            "fetch.sha256 = abababababab…, wanted != file.sha256 = abababababab…",
        ),
        (
            "goodput.mean > 20 Mbit/s and fetch.exit == 0",
            "goodput.mean = 17.2 Mbit/s, wanted > 20 Mbit/s; fetch.exit = 0, wanted == 0",
        ),
        ("outage.sum < 5 ms", "outage.sum = no value, wanted < 5 ms"),
        ("loss.max < 5%", "loss.max = 0.5%, wanted < 5%"),
        ("flow.exit == 0", "flow.exit = [0, 1], wanted == 0 (1 of 2 hold)"),
        ("any(flow.exit == 0)", "any(flow.exit = [0, 1], wanted == 0 (1 of 2 hold))"),
        ("max(flow.goodput) < 9 Mbit/s", "max(flow.goodput) = 6 Mbit/s, wanted < 9 Mbit/s"),
        ("not fetch.exit == 1", "not (fetch.exit = 0, wanted == 1)"),
        ("fetch.ok", "fetch.ok = true"),
        ("0 ms < outage.max < 1 s", "0 ms < outage.max = 312 ms; outage.max = 312 ms, wanted < 1 s"),
    ],
)
def test_explanations_show_the_values(text: str, explanation: str) -> None:
    assert evaluate(text, CONTEXT).explanation == explanation


@pytest.mark.parametrize(
    ("text", "explanation"),
    [
        ("outage.max < 500", 'cannot be evaluated: "500" has no unit; write 500 ms'),
        (
            "outage.max < 20 Mbit/s",
            "cannot be evaluated: a duration (in ms) cannot be compared with a rate (in Mbit/s)",
        ),
        (
            "outage.mx < 5 ms",
            'cannot be evaluated: outage has no "mx" (did you mean max?); known: max, mean, count, sum',
        ),
        ("outge.max < 5 ms", 'cannot be evaluated: unknown name "outge" (did you mean outage?); known: '),
        ("outage < 5 ms", "cannot be evaluated: outage has several values; write one of outage.max, .mean"),
        ("flow < 5 ms", "cannot be evaluated: flow has several values; write one of flow.exit"),
        ("fetch.exit.x == 0", "cannot be evaluated: fetch.exit is a single value, so it has no x"),
        (
            "fetch.exit",
            "cannot be evaluated: the result is not true or false; write a comparison, such as outage.max < 500 ms",
        ),
        ("fetch.sha256 == 5", 'cannot be evaluated: the text "abababababab…" cannot be compared with the number 5'),
        ("fetch.ok < true", "cannot be evaluated: the truth value true has no order; compare it with == or !="),
        ("1 / 0 == 1", "cannot be evaluated: division by 0"),
        ("1 ms / 0 ms == 1", "cannot be evaluated: division by 0"),
        (
            "1 ms * 2 ms == 1",
            "cannot be evaluated: 1 ms times 2 ms has no known unit; one of the two must be a plain number",
        ),
        ("'a' + 1 == 1", 'cannot be evaluated: the text "a" is not a number'),
        ("len(5) == 1", "cannot be evaluated: the number 5 has no length"),
        ("geomean(0, 1) == 1", "cannot be evaluated: geomean needs numbers above 0"),
        (
            "any(flow.exit)",
            "cannot be evaluated: the result is not true or false; write a comparison, such as outage.max < 500 ms",
        ),
    ],
)
def test_what_cannot_be_judged_fails_and_says_why(text: str, explanation: str) -> None:
    outcome = evaluate(text, CONTEXT)
    assert not outcome.passed
    assert outcome.explanation.startswith(explanation)


def test_lists_of_different_lengths_cannot_be_paired() -> None:
    context = {"a": [1, 2], "b": [1, 2, 3]}
    assert evaluate("a < b", context) == CheckOutcome(False, "cannot be evaluated: 2 values cannot be paired with 3")


def test_numbers_too_large_for_floats() -> None:
    nines = "9" * 30
    text = " * ".join([nines] * 12) + f" > {nines}"
    assert evaluate(text, {}) == CheckOutcome(False, "cannot be evaluated: a number in it is too large")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "is empty; write a comparison, such as outage.max < 500 ms"),
        ("a = b", 'unexpected "="; write == to compare\n  a = b\n    ^'),
        ("a && b", 'unexpected "&"; write and\n  a && b\n    ^'),
        ("a[x] < 1", 'unexpected "["\n  a[x] < 1\n   ^'),  # labels are for claims
        ("a <", "a value is missing here\n  a <\n     ^"),
        ("(a < b", "unclosed bracket; add )\n  (a < b\n  ^"),
        ("max(a", "unclosed bracket; add )\n  max(a\n  ^"),
        ("a b", 'unexpected "b"; write and, or, a comparison, or end here\n  a b\n    ^'),
        ("and a", 'a value is missing before "and"\n  and a\n  ^'),
        ("'x", "unexpected \"'\"; close the quote\n  'x\n  ^"),
        ("abs(a, b) < 1", "abs takes one value, not 2\n  abs(a, b) < 1\n  ^"),
    ],
)
def test_what_is_no_check(text: str, message: str) -> None:
    assert refused(names, text) == message


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("outage.max < 5 mss", 'unknown unit "mss" (did you mean ms?); known: ns, us, ms, s, h, bit/s,'),
        ("maximum(a) < 1", 'unknown function "maximum" (did you mean max?); known: abs, all, any,'),
        ("(" * 100, "is nested too deeply"),
        ("a" * 3000, "has 3000 characters; a check has at most 2000, so split it"),
    ],
)
def test_what_else_is_no_check(text: str, message: str) -> None:
    assert refused(names, text).startswith(message)


def test_names_are_found_everywhere() -> None:
    text = "not a.b < max(c.d, -e) + 1 and wpa-events.count == 1 or any(f@sta1.x == 'g')"
    assert names(text) == [("a", "b"), ("c", "d"), ("e",), ("wpa-events", "count"), ("f@sta1", "x")]


def test_every_function_is_explained() -> None:
    assert all(function.about for function in FUNCTIONS.values())


PIECES = """
outage.max goodput.mean fetch.exit fetch.sha256 flow.goodput flow x ( ) , + - * / < <= == != > and or not 5 5.5 1 ms s
% Mbit/s 'a' true max( min( abs( len( all( any( sum( mean( geomean( . @ = # ünï
"""


@settings(deadline=None)  # other work on the machine must not fail a test
@given(st.lists(st.sampled_from(PIECES.split()), max_size=12).map(" ".join) | st.text(max_size=30))
def test_any_text_is_judged_or_an_input_error(text: str) -> None:
    try:
        names(text)
        outcome = evaluate(text, CONTEXT)
    except InputError as error:
        assert str(error)
    else:
        assert outcome.explanation
