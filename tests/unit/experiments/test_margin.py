# SPDX-License-Identifier: MIT
"""How clearly claims hold: signs agree with verdicts, sizes are relative."""

from __future__ import annotations

import pytest

from lab.experiments.analysis import claims
from lab.experiments.analysis.margin import margin
from lab.experiments.types import Claim
from tests.unit.experiments.samples import experiment, rows

PLAIN = experiment()
# by distance: never, quick, sap-approximate
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


def test_a_claim_about_a_point_without_a_value_has_no_margin() -> None:
    assert margin(Claim("c", "all(never < quick)"), PLAIN, GAP) is None
    assert margin(Claim("c", "quick[2 m] < 4 Mbit/s"), PLAIN, GAP) == pytest.approx(0.5)
