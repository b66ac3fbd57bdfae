# SPDX-License-Identifier: MIT
"""How clearly claims hold: signs agree with verdicts, sizes are relative."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lab.experiments.analysis import claims
from lab.experiments.types import Claim
from lab.experiments.variations.judged import margin
from tests.unit.experiments.samples import experiment, rows

PLAIN = experiment()
# by distance: never, quick, swp-approximate
ROWS = rows(PLAIN, throughput=[1, 2, 3, 4, 5, 4.5, 7, 6, 7.75])
GAP = rows(PLAIN, throughput=[1, 2, 3, 4, None, 4.5, 7, 6, 7.75])


@pytest.mark.parametrize(
    ("that", "wanted"),
    [
        ("quick[2 m] < 4 Mbit/s", 0.5),  # 2 against 4
        ("quick[2 m] < 4000 kbit/s", 0.5),
        ("quick[2 m] > 4 Mbit/s", -0.5),
        ("4 Mbit/s > quick[2 m]", 0.5),
        ("1 Mbit/s < quick[2 m] < 8 Mbit/s", 0.5),  # the nearer end
        ("quick[2 m] == 2 Mbit/s", 0.0),
        ("quick[2 m] != 4 Mbit/s", 0.5),
        ("not quick[2 m] < 4 Mbit/s", -0.5),
        ("all(never < quick)", -1 / 7),  # 7 against 6 at one distance
        ("any(never > quick)", 1 / 7),
        ("never < quick", -1 / 7),
        ("all(never < quick or quick > 5 Mbit/s)", 1 / 6),
        ("all(never < quick and quick > 5 Mbit/s)", -0.6),
        ("quick[2 m] < 4 Mbit/s and quick[4 m] < 6 Mbit/s", 1 / 6),
        ("quick[2 m] < 4 Mbit/s or quick[4 m] < 6 Mbit/s", 0.5),
        ("rising(never)", 3 / 7),
        ("falling(never)", -0.75),
        ("geomean(quick / never) > 0.5", 0.6122),
        ("share(never < quick) > 50%", 0.25),
    ],
)
def test_margins(that: str, wanted: float) -> None:
    claim = Claim("c", that)
    claims.check(claim, PLAIN)
    found = margin(claim, PLAIN, ROWS)
    assert found == pytest.approx(wanted, abs=1e-3)
    if wanted:
        assert claims.judge(claim, PLAIN, ROWS).passed is (wanted > 0)


COMPARISONS = st.sampled_from(
    [
        f"{left} {sign} {right}"
        for left in ("never", "quick")
        for sign in ("<", ">=", "==")
        for right in ("quick", "3 Mbit/s")
    ]
    + ["rising(never)", "falling(quick)", "share(never < quick) > 50%", "rising(never) == falling(quick)"]
)
CLAIMS = st.recursive(
    COMPARISONS,
    lambda inner: st.one_of(
        st.tuples(inner, st.sampled_from(["and", "or"]), inner).map(lambda parts: f"({' '.join(parts)})"),
        inner.map(lambda part: f"not ({part})"),
    ),
    max_leaves=4,
)
PLACED = st.tuples(
    st.sampled_from(["all", "any"]),
    st.sampled_from([f"{left} {sign} 3 Mbit/s" for left in ("never", "quick") for sign in ("<", ">")]),
    st.sampled_from(["and", "or"]),
    st.sampled_from(["never < quick", "not never < quick"]),
).map(lambda parts: f"{parts[0]}({parts[1]} {parts[2]} {parts[3]})")
VALUES = st.lists(st.sampled_from([1.0, 2.0, 3.0, 4.0, 5.0]), min_size=9, max_size=9)


@given(CLAIMS | PLACED, VALUES)
def test_its_sign_is_the_verdict(that: str, values: list[float]) -> None:
    claim, found = Claim("c", that), rows(PLAIN, throughput=values)
    value = margin(claim, PLAIN, found)
    passed = claims.judge(claim, PLAIN, found).passed
    assert value is not None
    assert value == 0 or passed is (value > 0), (that, values, value)


@pytest.mark.parametrize(
    ("that", "wanted"),
    [
        ("not (never < quick)", 1 / 7),  # it is not so at every distance
        ("never < 2 Mbit/s or never > 2 Mbit/s", -0.5),  # neither is so at every distance
        ("all(never < 2 Mbit/s or never > 2 Mbit/s)", 0.5),
    ],
)
def test_outside_of_all_each_part_is_about_all_places(that: str, wanted: float) -> None:
    assert margin(Claim("c", that), PLAIN, ROWS) == pytest.approx(wanted)


def test_a_claim_about_a_point_without_a_value_has_no_margin() -> None:
    assert margin(Claim("c", "all(never < quick)"), PLAIN, GAP) is None
    assert margin(Claim("c", "share(never < quick) > 10%"), PLAIN, GAP) is None
    assert margin(Claim("c", "quick[2 m] < 4 Mbit/s"), PLAIN, GAP) == pytest.approx(0.5)
