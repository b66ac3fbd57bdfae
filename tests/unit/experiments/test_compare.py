# SPDX-License-Identifier: MIT
"""Results of two builds, compared."""

import io
import json
from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rich.console import Console
from scipy import stats

from lab.errors import InputError, RecordError
from lab.experiments.numbers import compare
from lab.experiments.numbers.statistics import summarise
from lab.report.numbers import MINUS, NONE

A = [5.0, 5.2, 4.9, 5.1]


def results(*points: tuple[str, Sequence[float]], name: str = "handoff/outage", unit: str = "Mbit/s") -> dict[str, Any]:
    """What results.json holds of one axis and one metric."""
    rows = []
    for label, values in points:
        found = summarise(values, unit)
        told = {"mean": found.mean, "ci95": found.ci95, "n": found.n, "unit": unit}
        rows.append({"distance": label, "throughput": told})
    return {"name": name, "rows": rows, "claims": [], "provenance": {}}


def test_a_difference_with_its_confidence() -> None:
    b = [6.0, 6.4, 6.2]
    (found,) = compare.compare(results(("2 m", A)), results(("2 m", b)))
    theirs = stats.ttest_ind(b, A, equal_var=False)
    interval = theirs.confidence_interval(0.95)
    assert (found.labels, found.metric, found.unit) == ({"distance": "2 m"}, "throughput", "Mbit/s")
    assert [found.a, found.b, found.n_a, found.n_b] == pytest.approx([5.05, 6.2, 4, 3])
    assert found.percent == pytest.approx(100 * 1.15 / 5.05)
    assert found.half_width_percent == pytest.approx(100 * (interval.high - interval.low) / 2 / 5.05)
    assert found.significant is True


@settings(deadline=None)
@given(
    st.lists(st.integers(-1000, 1000).map(float), min_size=2, max_size=9).filter(lambda found: len(set(found)) > 1),
    st.lists(st.integers(-1000, 1000).map(float), min_size=2, max_size=9).filter(lambda found: len(set(found)) > 1),
)
def test_what_is_significant_is_so_to_scipy(a: list[float], b: list[float]) -> None:
    (found,) = compare.compare(results(("2 m", a)), results(("2 m", b)))
    (back,) = compare.compare(results(("2 m", b)), results(("2 m", a)))
    p = float(stats.ttest_ind(b, a, equal_var=False).pvalue)
    if abs(p - 0.05) > 1e-6:
        assert found.significant is (p < 0.05)
    assert found.significant is back.significant and found.difference == -(back.difference or 0.0)


def test_what_cannot_be_judged() -> None:
    points = [("one", [5.0]), ("none", []), ("zero", [0.0, 0.0]), ("same", [4.0, 4.0]), ("other", [4.0, 4.0])]
    after = [("one", [6.0]), ("none", [1.0, 2.0]), ("zero", [1.0, 1.0]), ("same", [4.0, 4.0]), ("other", [5.0, 5.0])]
    one, none, zero, same, other = compare.compare(results(*points), results(*after))
    assert one.percent == pytest.approx(20)
    assert (one.half_width, one.significant) == (None, None)
    assert (none.a, none.percent, none.significant) == (None, None, None)
    assert (zero.difference, zero.percent, zero.significant) == (1.0, None, True)
    assert (same.percent, same.half_width_percent, same.significant) == (0.0, 0.0, False)
    assert (other.percent, other.half_width_percent, other.significant) == (25.0, 0.0, True)


def test_points_are_matched_by_their_labels() -> None:
    a, b = results(("2 m", A), ("4 m", [1.0, 2.0])), results(("4 m", [1.0, 2.0]), ("2 m", A))
    assert [one.percent for one in compare.compare(a, b)] == [0.0, 0.0]


@pytest.mark.parametrize(
    ("b", "message"),
    [
        (results(("2 m", A), name="ping"), "A is handoff/outage, B is ping: only results of the same experiment can"),
        (results(("2 m", A)), "the grids of A and B are not the same: only A has distance 4 m"),
        (
            results(*((f"{metres} m", A) for metres in range(4, 12))),
            "the grids of A and B are not the same: only A has distance 2 m; only B has distance 5 m and distance 6 m "
            "and distance 7 m and distance 8 m and distance 9 m and 2 more points",
        ),
        (results(("2 m", A), ("4 m", A), unit="ms"), "throughput is in Mbit/s in A and in ms in B; use one unit"),
        ({"name": "handoff/outage", "rows": [{"distance": "2 m"}, {"distance": "4 m"}]}, "only A has the metric thr"),
    ],
)
def test_what_cannot_be_compared(b: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError) as failure:
        compare.compare(results(("2 m", A), ("4 m", A)), b)
    assert failure.value.message.startswith(message)


@pytest.mark.parametrize("row", [5, {"distance": "2 m", "throughput": {}}, {"throughput": {"mean": "x", "n": 1}}])
def test_damaged_rows(row: Any) -> None:
    with pytest.raises(RecordError, match="the rows of B are damaged"):
        compare.compare(results(("2 m", A)), {"name": "handoff/outage", "rows": [row]})


@pytest.mark.parametrize(
    ("a", "b", "line"),
    [
        ({"kernel": "1", "code": "2"}, {"kernel": "1", "code": "3"}, "A and B differ in code; the same: kernel"),
        ({"kernel": "1"}, {"kernel": "2", "image": None}, "A and B differ in kernel"),
        ({"kernel": "1", "code": "2"}, {"kernel": "1", "code": "2"}, "A and B were run with the same kernel, code"),
        ({}, {"kernel": "1"}, ""),
    ],
)
def test_builds(a: dict[str, str], b: dict[str, str], line: str) -> None:
    found = compare.builds({"provenance": {"hashes": a}}, {"provenance": {"hashes": b}})
    assert found.startswith(line) and bool(found) == bool(line)


def test_the_table_and_the_verdict() -> None:
    a, b = results(("2 m", A), ("4 m", A), ("6 m", [1.0])), results(("2 m", [4.0, 4.1]), ("4 m", A), ("6 m", [2.0]))
    differences = compare.compare(a, b)
    out = io.StringIO()
    Console(file=out, width=150).print(compare.rich_tables(differences))
    lines = [" ".join(line.split()) for line in out.getvalue().splitlines()]
    assert lines[0] == "throughput in Mbit/s: B against A"
    assert "distance A B runs difference, % of A ± (95 % CI), % of A significant" in lines
    assert f"2 m 5.05 4.05 4, 2 {MINUS}19.8 4.64 yes" in lines
    assert "4 m 5.05 5.05 4 0 4.42 no" in lines
    assert f"6 m 1 2 1 +100 {NONE} {NONE}" in lines
    assert lines[-1] == compare.verdict(differences)
    assert compare.verdict(differences) == (
        "1 of 2 differences is significant (Welch's t, 95 %: of equal ones, one in twenty is); "
        f"1 cannot be judged ({NONE})"
    )
    assert compare.verdict(differences[1:2]) == "None of 1 differences are significant (Welch's t, 95 %)"
    assert compare.verdict(differences[2:]).startswith("No difference can be judged: that takes two runs")


def test_json_has_all_numbers() -> None:
    found = compare.as_json(compare.compare(results(("2 m", A)), results(("2 m", [6.0, 6.1]))))
    (difference,) = json.loads(json.dumps(found))["differences"]
    assert difference["labels"] == {"distance": "2 m"} and difference["significant"] is True
    assert difference["percent"] == pytest.approx(100 * difference["difference"] / difference["a"])
