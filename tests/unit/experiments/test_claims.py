# SPDX-License-Identifier: MIT
"""Claims: what is refused before anything runs, what holds after, and what is said about it."""

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Literal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lab.errors import InputError
from lab.experiments.analysis import claims
from lab.experiments.analysis.statistics import summarise
from lab.experiments.types import Claim, Experiment, FigureSpec, Published, Row, Verdict
from lab.expressions.grammar import Comparison, Indexed, Language, parse
from lab.numbers import MINUS
from tests.unit.experiments.samples import experiment, rows

PLAIN = experiment()
# by distance: never, quick, swp-approximate
ROWS = rows(PLAIN, throughput=[1, 2, 3, 4, 5, 4.5, 7, 6, 7.75])
TWO = experiment(metrics={"throughput": "Mbit/s", "outage": "ms"})


def claim(that: str) -> Claim:
    return Claim("c", that, None, "e.yaml:9")


def judged(that: str, of: Experiment = PLAIN) -> Verdict:
    claims.check(claim(that), of)
    return claims.judge(claim(that), of, ROWS)


@pytest.mark.parametrize(
    ("that", "passed"),
    [
        ("all(throughput[quick] > throughput[never])", False),
        ("all(swp-approximate > never)", True),
        ("all(never < swp-approximate)", True),
        ("swp-approximate > never", True),
        ("any(quick < never)", True),
        ("any(swp-approximate < never)", False),
        ("1.2 < geomean(quick / never) < 2.0", True),
        ("geomean(throughput[quick] / throughput[never]) > 2", False),
        ("throughput[quick, distance=2 m] < throughput[roaming=quick, 4 m]", True),
        ('throughput["quick", distance="2 m"] == 2 Mbit/s', True),
        ("quick[2 m] == 2 Mbit/s", True),
        ("throughput[quick,distance = 2000 mm] == 2 Mbit/s", True),
        ("throughput[2m,quick] == 2000 kbit/s", True),
        ("mean(throughput[6 m]) > 6 Mbit/s", True),
        ("min(throughput) == 1 Mbit/s and max(throughput) == 7.75 Mbit/s", True),
        ("median(never) == 4 Mbit/s", True),
        ("median(throughput[2 m, never], throughput[4 m, never]) == 2.5 Mbit/s", True),
        ("sum(quick) == 13 Mbit/s", True),
        ("sum(envelope(quick, never)) == 14 Mbit/s", True),
        ("all(envelope(quick, never, swp-approximate) / envelope(never, quick) < 1.2)", False),
        ("last(envelope(quick, never)) == 7 Mbit/s and first(envelope(never, quick)) == 2 Mbit/s", True),
        ("envelope(quick[2 m], never[6 m]) == 7 Mbit/s", True),
        ("first(never) == 1 Mbit/s and last(never) == 7 Mbit/s", True),
        ("all(abs(quick - never) <= 1 Mbit/s)", True),
        ("all(-quick < 0 Mbit/s)", True),
        ("len(quick) == 3", True),
        ("rising(never)", True),
        ("falling(never)", False),
        ("falling(-never)", True),
        ("rising(throughput[2 m])", True),
        ("falling(never - never)", True),
        ("rising(quick / never)", False),
        ("trend(never) == 1 and trend(-never) == -1 and trend(never - never) == 0", True),
        ("-0.51 < trend(abs(never - 4 Mbit/s) + 1 Mbit/s) < 0.51", True),
        ("not all(quick > never)", True),
        ("not quick > never", True),
        ("all(not swp-approximate < never)", True),
        ("all(not quick > never)", False),
        ("any(not quick > never)", True),
        ("all(quick > never or swp-approximate > quick)", True),  # at each place one of them holds, but none at all
        ("any(quick > swp-approximate and quick < never)", False),  # each holds somewhere, but not at one place
        ("any(quick > swp-approximate) and any(quick < never)", True),
        ("all(1 < quick / never < 3)", False),
        ("any(1 < quick / never < 1.5)", True),
        ("share(1 < quick / never < 1.5) > 0% and share(quick > 0 Mbit/s) == 100%", True),
        ("share(quick < 0 Mbit/s or quick > swp-approximate) <= 50%", True),
        ("any(0.5 < quick / never < 0.6)", False),
        ("all(throughput > 0.5 Mbit/s)", True),
        ("1 < 2", True),
    ],
)
def test_what_holds(that: str, passed: bool) -> None:
    found = judged(that)
    assert found.passed is passed, found.value
    assert found.value and found.expected


@pytest.mark.parametrize(
    ("that", "value", "expected"),
    [
        (
            "all(throughput[quick] > throughput[never])",
            "holds at 2 of 3 points; not at distance 6 m (throughput[quick] = 6 Mbit/s, throughput[never] = 7 Mbit/s); "
            "throughput[quick] / throughput[never] from 0.8571 (distance 6 m) to 2 (distance 2 m)",
            "throughput[quick] > throughput[never] at every point",
        ),
        (
            "all(swp-approximate > never)",
            "holds at all 3 points; swp-approximate / never from 1.107 (distance 6 m) to 3 (distance 2 m)",
            "swp-approximate > never at every point",
        ),
        (
            "any(quick < never)",
            "holds at 1 of 3 points; there: distance 6 m (quick = 6 Mbit/s, never = 7 Mbit/s); "
            "quick / never from 0.8571 (distance 6 m) to 2 (distance 2 m)",
            "quick < never at one or more points",
        ),
        (
            "any(swp-approximate < never)",
            "holds at none of 3 points; swp-approximate / never from 1.107 (distance 6 m) to 3 (distance 2 m)",
            "swp-approximate < never at one or more points",
        ),
        (
            "all(throughput < 2.5 Mbit/s)",
            "holds at 2 of 9 points; not at distance 2 m, roaming swp-approximate (throughput = 3 Mbit/s), "
            "distance 4 m, roaming never (throughput = 4 Mbit/s), "
            "distance 4 m, roaming quick (throughput = 5 Mbit/s) and 4 more; throughput from 1 Mbit/s "
            "(distance 2 m, roaming never) to 7.75 Mbit/s (distance 6 m, roaming swp-approximate)",
            "throughput < 2.5 Mbit/s at every point",
        ),
        (
            "all(quick - never > -2 Mbit/s)",
            f"holds at all 3 points; quick - never from {MINUS}1 Mbit/s (distance 6 m) to 1 Mbit/s (distance 2 m)",
            "quick - never > -2 Mbit/s at every point",
        ),
        (
            "1.2 < geomean(quick / never) < 2.0",
            "geomean(quick / never) = 1.289",
            "between 1.2 and 2.0",
        ),
        ("mean(quick) > 4 Mbit/s", "mean(quick) = 4.333 Mbit/s", "> 4 Mbit/s"),
        ("4 Mbit/s < mean(quick)", "mean(quick) = 4.333 Mbit/s", "> 4 Mbit/s"),
        (
            "mean(quick) > mean(never)",
            "mean(quick) = 4.333 Mbit/s, mean(never) = 4 Mbit/s",
            "mean(quick) > mean(never)",
        ),
        ("rising(never)", "1 Mbit/s at distance 2 m, 7 Mbit/s at distance 6 m", "never rising"),
        (
            "falling(never)",
            "4 Mbit/s at distance 4 m is above 1 Mbit/s at distance 2 m; so are 2 of 2 steps",
            "never falling",
        ),
        (
            "rising(throughput[6 m])",
            "6 Mbit/s at roaming quick is below 7 Mbit/s at roaming never",
            "throughput[6 m] rising",
        ),
        (
            "max(quick) < 1 Gbit/s and not min(quick) < 1 Mbit/s",
            "max(quick) = 6 Mbit/s; min(quick) = 2 Mbit/s",
            "max(quick) < 1 Gbit/s and not min(quick) < 1 Mbit/s",
        ),
        ("geomean(never - 1 Mbit/s) > 0 Mbit/s", "cannot be evaluated: geomean needs numbers above 0", None),
        ("mean(never) / (first(never) - 1 Mbit/s) > 0", "cannot be evaluated: division by 0", None),
    ],
)
def test_what_is_said(that: str, value: str, expected: str | None) -> None:
    found = judged(that)
    assert (found.value, found.expected) == (value, expected or that)


@pytest.mark.parametrize(
    ("that", "message"),
    [
        ("", "is empty; write a comparison, such as all(throughput[quick] > throughput[never])"),
        (
            "quik > never",
            'unknown series "quik" (did you mean quick?); known: the metrics throughput; '
            "the labels 2 m, 4 m, 6 m of distance; the labels never, quick, swp-approximate of roaming",
        ),
        ("througput[quick] > never", 'unknown series "througput" (did you mean throughput?); known: '),
        (
            "throughput.max > 1 Mbit/s",
            'claims are about the means of metrics, not "throughput.max"; '
            'add a metric, such as throughput-max: {that: throughput.max, unit: "Mbit/s"}',
        ),
        ("distance > 2 m", '"distance" is an axis; write one of its labels: 2 m, 4 m, 6 m'),
        ("throughput[8 m] > 1 Mbit/s", 'no axis has a label "8 m" (did you mean '),
        ("throughput[dist=2 m] > 1 Mbit/s", 'unknown axis "dist" (did you mean distance?); known: distance, roam'),
        ("throughput[distance=quick] > 1 Mbit/s", 'distance has no label "quick"; known: 2 m, 4 m, 6 m'),
        ("throughput[quick, never] > 1 Mbit/s", "a point cannot have both quick and never as roaming"),
        (
            "throughput[quick] > throughput[2 m]",
            "a series over distance cannot be paired with one over roaming; fix the same axes on both sides",
        ),
        (
            "throughput > quick",
            "a series over distance and roaming cannot be paired with one over distance; fix the same axes",
        ),
        (
            "rising(throughput)",
            "rising works along one axis, but this series has distance and roaming; fix one by a label",
        ),
        (
            "trend(throughput) > 0",
            "trend works along one axis, but this series has distance and roaming; fix one by a label",
        ),
        ("rising(throughput[2 m, quick])", "rising needs several points, but throughput[2 m, quick] has one"),
        ("first(throughput) > 1 Mbit/s", "first works along one axis, but this series has distance and roaming"),
        ("quick > 5", '"5" has no unit; write 5 Mbit/s'),
        ("1.2 Mbit/s < quick / never < 1.35", "quick / never has no unit, but 1.2 Mbit/s has one; write 1.2"),
        ("mean(quick / never) > 5%", "mean(quick / never) has no unit, but 5% has one; write 0.05"),
        ("quick > 5 ms", "a rate (in Mbit/s) cannot be compared with a duration (in ms)"),
        ("quick", "3 Mbit/s is not true or false; write a comparison, such as "),
        ("all(quick)", "3 Mbit/s is not true or false; write a comparison, such as "),
        ("all(quick and never)", "3 Mbit/s is not true or false; write a comparison, such as "),
        ("max(1 Mbit/s, 5 ms) > quick", "a rate (in Mbit/s) cannot be compared with a duration (in ms)"),
        ("throughput[] > 1", "expected a label here; quote it if it contains , = [ ]"),
        ("throughput[quick,] > 1", "expected a label here; quote it if it contains , = [ ]"),
        ("throughput[quick > 1", 'unexpected "["; close the bracket'),
        ("throughput] > 1", 'unexpected "]"; no bracket is open'),
        ("1 * " + " * ".join(["9" * 30] * 12) + " * mean(quick) > 1 Mbit/s", "a number in it is too large"),
    ],
)
def test_what_is_refused_before_anything_runs(that: str, message: str) -> None:
    with pytest.raises(InputError) as failure:
        claims.check(claim(that), PLAIN)
    assert failure.value.where == "e.yaml:9"
    assert failure.value.message.startswith(f'claim "c": {message}')
    assert not claims.judge(claim(that), PLAIN, ROWS).passed


def test_a_claim_on_some_of_its_points_says_so() -> None:
    left = replace(claim("geomean(quick / never) > 1"), left="2 of 5 points")
    assert claims.judge(left, PLAIN, ROWS).value.endswith(" (2 of 5 points; --only leaves out the others)")


def test_a_calculated_metric_has_no_figures_to_suggest() -> None:
    total = replace(PLAIN, metrics=(replace(PLAIN.metrics[0], that="sum(goodput)"),))
    with pytest.raises(InputError, match='not "throughput.max"; add a metric for it$'):
        claims.check(claim("throughput.max > 1 Mbit/s"), total)


def test_a_label_alone_is_of_the_metric_that_the_figures_show() -> None:
    with pytest.raises(
        InputError, match=r'"quick" is ambiguous, .* several metrics; write throughput\[quick\] or outage\[quick\]'
    ):
        claims.check(claim("all(quick < never)"), TWO)
    drawn = replace(TWO, figures=(FigureSpec("bar", "", x="distance", y="outage", by="roaming"),))
    found = claims.judge(
        claim("all(quick < 5 ms)"), drawn, rows(drawn, throughput=[None] * 9, outage=[9, 1, 9, 9, 2, 9, 9, 3, 9])
    )
    assert found.passed, found.value
    claims.check(claim("all(throughput[quick] / 2 < throughput[never]) and outage < 1 s"), TWO)


def printed(labels: str, *numbers: float | None) -> tuple[Published, ...]:
    """A paper's numbers along distance, at one roaming or (nothing said) at any."""
    rest = {"roaming": labels} if labels else {}
    places = zip(("2 m", "4 m", "6 m"), numbers, strict=True)
    return tuple(Published("throughput", {"distance": at, **rest}, one) for at, one in places if one is not None)


WITH_PAPER = replace(PLAIN, published=printed("never", 1.25, 4, 6.4) + printed("quick", 2, None, 5))


@pytest.mark.parametrize(
    ("that", "passed", "value"),
    [
        (
            "all(0.9 < throughput[never] / paper.throughput[never] < 1.1)",
            False,
            "holds at 2 of 3 points; not at distance 2 m (throughput[never] / paper.throughput[never] = 0.8); "
            "throughput[never] / paper.throughput[never] from 0.8 (distance 2 m) to 1.094 (distance 6 m)",
        ),
        ("paper.throughput[never, 4 m] == 4000 kbit/s", True, "paper.throughput[never, 4 m] = 4 Mbit/s"),
        ("paper.never[6 m] < never[6 m]", True, "paper.never[6 m] = 6.4 Mbit/s, never[6 m] = 7 Mbit/s"),
        ("rising(paper.never)", True, "1.25 Mbit/s at distance 2 m, 6.4 Mbit/s at distance 6 m"),
        ("max(paper.throughput[6 m, quick]) < 4 Mbit/s", False, "max(paper.throughput[6 m, quick]) = 5 Mbit/s"),
    ],
)
def test_what_the_paper_has_can_be_compared(that: str, passed: bool, value: str) -> None:
    found = judged(that, WITH_PAPER)
    assert (found.passed, found.value) == (passed, value)


def test_the_papers_numbers_hold_wherever_it_reports_no_difference() -> None:
    same = replace(PLAIN, published=printed("", 1, 4, 7))
    assert judged("all(throughput[never] == paper.throughput[never])", same).passed
    assert not judged("all(throughput[quick] == paper.throughput[quick])", same).passed
    assert judged("all(throughput >= 0.8 * paper.throughput)", same).passed


@pytest.mark.parametrize(
    ("that", "message"),
    [
        (
            "all(quick > paper.throughput[quick])",
            "the paper has no throughput at distance 4 m, roaming quick; fix a label that it has, such as "
            "paper.throughput[distance=2 m, roaming=never]",
        ),
        (
            "all(throughput > paper.throughput)",
            "the paper has no throughput at distance 2 m, roaming swp-approximate and at 3 more; fix a label",
        ),
        ("all(quick > paper.quik)", 'unknown series "quik" (did you mean quick?)'),
        ("paper.throughput[8 m] > 1 Mbit/s", 'no axis has a label "8 m" (did you mean '),
        ("all(paper.never < 5 ms)", "a rate (in Mbit/s) cannot be compared with a duration (in ms)"),
    ],
)
def test_what_the_paper_does_not_have_is_refused(that: str, message: str) -> None:
    with pytest.raises(InputError) as failure:
        claims.check(claim(that), WITH_PAPER)
    assert failure.value.where == "e.yaml:9"
    assert failure.value.message.startswith(f'claim "c": {message}')
    assert not claims.judge(claim(that), WITH_PAPER, ROWS).passed


def test_without_a_paper_there_is_nothing_to_compare_with() -> None:
    message = "the paper has no throughput; write its values in the file under paper: throughput:$"
    with pytest.raises(InputError, match=message):
        claims.check(claim("all(quick > paper.throughput[quick])"), PLAIN)


def test_a_point_that_was_not_measured_fails_a_claim_on_the_paper() -> None:
    some = rows(WITH_PAPER, throughput=[None, 2, 3, 4, 5, 4.5, 7, 6, 7.75])
    found = claims.judge(claim("all(never / paper.never < 2)"), WITH_PAPER, some)
    assert (found.passed, found.value) == (False, "no throughput at distance 2 m, roaming never")
    # the paper's numbers are there, whatever was measured
    assert claims.judge(claim("paper.never > 1 Mbit/s"), WITH_PAPER, some).passed


def test_a_label_may_begin_like_the_papers_numbers() -> None:
    odd = experiment({"kind": ["paper.cup", "glass"]})
    assert claims.judge(claim("paper.cup < glass"), odd, rows(odd, throughput=[1, 2])).passed


def test_missing_points_fail_the_claims_that_need_them() -> None:
    numbers: list[float | None] = [1, 2, 3, None, 5, 4.5, None, 6, 7.75]
    some = rows(PLAIN, throughput=numbers)
    found = claims.judge(claim("any(quick > never)"), PLAIN, some)
    assert (found.passed, found.value) == (
        False,
        "no throughput at distance 4 m, roaming never and at distance 6 m, roaming never",
    )
    assert found.expected == "quick > never at one or more points"
    assert claims.judge(claim("quick > 1 Mbit/s"), PLAIN, some).passed
    assert not claims.judge(claim("quick > 1 Mbit/s"), PLAIN, []).passed
    all_of_them = claims.judge(claim("throughput > 1 Mbit/s"), PLAIN, rows(PLAIN, throughput=[None] * 9))
    assert all_of_them.value.endswith("distance 2 m, roaming swp-approximate and 6 more points")
    single = experiment({})
    assert claims.judge(claim("throughput > 1 Mbit/s"), single, []).value == "no throughput at the only point"


def test_trials_without_a_value_are_reported() -> None:
    some = rows(PLAIN, throughput=[1, 2, 3, 4, 5, 4.5, 7, 6, 7.75])
    summary = some[1].metrics["throughput"]
    some[1] = replace(some[1], metrics={"throughput": replace(summary, missing=2)})
    found = claims.judge(claim("mean(quick) > 4 Mbit/s"), PLAIN, some)
    assert found.value == "mean(quick) = 4.333 Mbit/s (2 of 8 trials have no value)"
    assert claims.judge(claim("mean(never) > 3 Mbit/s"), PLAIN, some).value == "mean(never) = 4 Mbit/s"


def test_points_that_are_left_out_cannot_be_claimed() -> None:
    only = replace(PLAIN, points=tuple(point for point in PLAIN.points if point.labels["roaming"] == "quick"))
    with pytest.raises(InputError, match="no point at roaming never was run"):
        claims.check(claim("all(quick > never)"), only)
    found = claims.judge(claim("all(quick > never)"), only, ROWS)
    assert (found.passed, found.value) == (False, "cannot be evaluated: no point at roaming never was run")
    claims.check(claim("all(quick > 1 Mbit/s)"), only)
    assert claims.judge(claim("all(quick > 1 Mbit/s)"), only, ROWS).passed
    single = replace(PLAIN, points=PLAIN.points[:1])
    assert claims.judge(claim("never > 0 Mbit/s"), single, ROWS).value == "never = 1 Mbit/s"


def test_axes_that_advance_together_are_one_place() -> None:
    grid = experiment({"transport": ["tcp", "udp"], "port": ["80", "90"]}, zipped=True)
    of = rows(grid, throughput=[1, 2])
    assert claims.judge(claim("tcp < udp"), grid, of).value == "tcp = 1 Mbit/s, udp = 2 Mbit/s"
    assert claims.judge(claim("rising(throughput)"), grid, of).passed
    claims.check(claim("throughput[tcp, 80] < throughput[udp]"), grid)
    with pytest.raises(InputError, match="the grid has no point at transport tcp, port 90: the axes advance tog"):
        claims.check(claim("throughput[tcp, 90] < throughput[udp]"), grid)


def test_labels_as_they_are_written() -> None:
    labels = ["54 Mbit/s", "MCS 7", "simple:2:-60:30", "a, b", "802.11r", "5", "on [x]", "it's"]
    grid = experiment({"kind": labels})
    of = rows(grid, throughput=range(1, 9))
    written = ["54 Mbit/s", "MCS  7", "simple:2:-60:30", "'a, b'", "802.11r", "5.0", '"on [x]"', '"it\'s"']
    for number, label in enumerate(written, 1):
        text = f"throughput[{label}] == {number} Mbit/s and throughput[kind={label}] == {number} Mbit/s"
        assert claims.judge(claim(text), grid, of).passed, label
    assert claims.judge(claim("throughput[0.054 Gbit/s] == 1 Mbit/s"), grid, of).passed


def test_a_label_of_two_axes_needs_its_axis() -> None:
    grid = experiment({"senders": ["1", "5"], "receivers": ["1", "5"]})
    with pytest.raises(InputError, match='"5" is a label of senders and receivers; write senders=5 or receivers=5'):
        claims.check(claim("throughput[5] > 1 Mbit/s"), grid)
    claims.check(claim("all(throughput[senders=5, receivers=1] > throughput[receivers=5, senders=1])"), grid)


def test_a_series_has_its_places_in_the_order_of_the_grid() -> None:
    grid = experiment({"roaming": ["never", "quick"], "distance": ["6 m", "2 m"]})
    of = rows(grid, throughput=[1, 2, 3, 4])
    assert claims.judge(claim("first(quick) == 3 Mbit/s and rising(never)"), grid, of).passed


PIECES = """
throughput throughput[ quick never 2 m [ ] distance= roaming= = , ( ) + - * / < <= == != > and or not 5 1.5 Mbit/s ms %
'a' "2 m" true all( any( mean( geomean( rising( trend( first( abs( max( len( . @ #
"""


@settings(deadline=None)
@given(st.lists(st.sampled_from(PIECES.split()), max_size=12).map(" ".join) | st.text(max_size=30))
def test_any_text_is_judged_or_an_input_error(text: str) -> None:
    verdict = claims.judge(claim(text), PLAIN, ROWS)
    assert verdict.value or not text
    try:
        claims.check(claim(text), PLAIN)
    except InputError as error:
        assert str(error).startswith("e.yaml:9")
        assert not verdict.passed


CLAIM = Language("claim", "…", labels=True)


@settings(deadline=None)
@given(st.text(alphabet=st.characters(exclude_characters='"'), max_size=40), st.sampled_from(["", "axis=", "a-b = "]))
def test_any_label_in_quotes_is_read_as_it_is(label: str, axis: str) -> None:
    tree = parse(f'x[{axis}"{label}", "y"]', CLAIM)
    assert isinstance(tree, Indexed)
    assert tree.labels == ((axis.strip(" =") or None, label), (None, "y"))


@settings(deadline=None)
@given(st.text(alphabet=st.characters(exclude_characters="\"',=[]", exclude_categories=["C"]), min_size=1, max_size=40))
def test_most_labels_need_no_quotes(label: str) -> None:
    if not label.strip():
        return
    tree = parse(f"x.y[{label}, axis = {label}] < 1", CLAIM)
    assert isinstance(tree, Comparison) and isinstance(tree.operands[0], Indexed)
    written = " ".join(label.split())
    assert (tree.operands[0].name, tree.operands[0].labels) == ("x.y", ((None, written), ("axis", written)))


NUMBERS = st.lists(st.floats(0.001, 1e6), min_size=9, max_size=9)


@settings(deadline=None)
@given(NUMBERS)
def test_all_and_any_are_those_of_python(numbers: list[float]) -> None:
    of = rows(PLAIN, throughput=numbers)
    means = [row.metrics["throughput"].mean or 0.0 for row in of]
    never, quick = means[0::3], means[1::3]
    holds = [one > other for one, other in zip(quick, never, strict=True)]
    assert claims.judge(claim("all(quick > never)"), PLAIN, of).passed is all(holds)
    assert claims.judge(claim("any(quick > never)"), PLAIN, of).passed is any(holds)
    assert claims.judge(claim("rising(never)"), PLAIN, of).passed is (sorted(never) == never)


@pytest.mark.parametrize(
    ("of", "passed", "value"),
    [("means", False, "throughput = 4 Mbit/s"), ("medians", True, "throughput = 2 Mbit/s (medians)")],
)
def test_claims_are_about_means_or_medians(of: Literal["means", "medians"], passed: bool, value: str) -> None:
    one = experiment({})
    row = Row(one.points[0], {"throughput": summarise([1, 2, 9], "Mbit/s")})
    found = claims.judge(replace(claim("throughput < 3 Mbit/s"), of=of), one, [row])
    assert (found.passed, found.value) == (passed, value)


def test_a_share_is_shown_as_one_number() -> None:
    assert judged("share(quick > never) > 80%").value == "share(quick > never) = 66.67%"


def trials(*of_each_point: Sequence[float]) -> tuple[Experiment, list[Row]]:
    one = experiment({"distance": [f"{2 * number} m" for number in range(1, len(of_each_point) + 1)]})
    points = zip(one.points, of_each_point, strict=True)
    return one, [Row(point, {"throughput": summarise(values, "Mbit/s")}) for point, values in points]


def test_a_trend_is_shown_with_what_the_scatter_of_trials_leaves_of_it() -> None:
    """Means of 1, 3, 2 and 4 Mbit/s: a rank correlation of 0.8, whatever is drawn from equal trials."""
    found = claims.judge(claim("trend(throughput) > 0.7"), *trials([1, 1], [3, 3], [2, 2], [4, 4]))
    assert found.passed and found.expected == "> 0.7"
    assert found.value == (
        "trend(throughput) = 0.8; trend(throughput) is between 0.8 and 0.8 in 95 % of samples of the trials"
    )
    wide = claims.judge(claim("trend(throughput) > 0.7"), *trials([0, 2], [1, 5], [0, 4], [2, 6])).value
    low, high = map(float, re.findall(r"between (\S+) and (\S+) in", wide.replace("\N{MINUS SIGN}", "-"))[0])
    assert -1 <= low < 0.5 and high == 1


def test_a_trend_of_single_trials_or_of_what_is_undefined_in_a_sample_has_no_bounds() -> None:
    assert claims.judge(claim("trend(throughput) > 0.7"), *trials([1], [3])).value == "trend(throughput) = 1"
    found = claims.judge(claim("trend(1 Mbit/s / throughput) < 0"), *trials([0, 1], [0, 3]))
    assert found.passed and "samples" not in found.value


def test_a_trend_of_medians_draws_medians() -> None:
    found = trials([1, 1, 1, 90], [2, 2, 2, 2])
    of_means = claim("trend(throughput) > 0")
    assert not claims.judge(of_means, *found).passed and claims.judge(replace(of_means, of="medians"), *found).passed
    assert "between -1 and 1" in claims.judge(of_means, *found).value.replace("\N{MINUS SIGN}", "-")
