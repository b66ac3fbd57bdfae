# SPDX-License-Identifier: MIT
"""Each claim of the wP2P study can fail: one about a difference if there is none, one that things are alike if not."""

from __future__ import annotations

import itertools

import pytest

from lab.experiments.analysis import claims
from lab.experiments.file import resolve
from lab.experiments.types import Claim, Experiment
from tests.shown.pictures import experiments
from tests.unit.experiments.samples import rows

ALIKE = {
    "bittorrent/fig17bc": {"with uploads, it stays about the same"},
    "bittorrent/fig18a": {"the pairs are alike without AM"},
    "transmission-wp2p/ledbat": {"two that use TCP get the same", "two that use µTP get the same"},
    "transmission-wp2p/long-walk": {"no element alone costs more than a tenth of the download"},
    "transmission-wp2p/mobility": {"with changes, uploads hardly matter"},
    "transmission-wp2p/modern": {
        "with half of either file, the stock client in sequence can play at least half of what MA can"
    },
    "transmission-wp2p/modern-utp": {
        "over µTP without a limit, a station has what LIHD gives it over TCP, within a tenth"
    },
    "transmission-wp2p/neighbour": {"with AM and LIHD, the neighbour has no less"},
    "transmission-wp2p/walk": {"no element alone costs more than a tenth of the download"},
}
NAMES = [name for name in experiments() if name.startswith(("bittorrent/", "transmission-wp2p/"))]


@pytest.fixture(params=NAMES)
def experiment(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Experiment:
    monkeypatch.setattr(resolve, "_try", lambda source, experiment: None)  # tests/unit/experiments plans all points
    return resolve.load(request.param)


def holds(claim: Claim, experiment: Experiment, other: tuple[str, int, float] | None = None) -> bool:
    """Whether it does if each metric is 100 at each point, but the one of a point is another one."""
    means = {metric.name: [100.0] * len(experiment.points) for metric in experiment.metrics}
    if other is not None:
        name, number, value = other
        means[name][number] = value
    return claims.judge(claim, experiment, rows(experiment, **means)).passed


def test_a_claim_fails_if_nothing_differs_or_if_one_value_does(experiment: Experiment) -> None:
    others = itertools.product(
        (metric.name for metric in experiment.metrics), range(len(experiment.points)), (1.0, 1000.0)
    )
    tried = [None, *others]
    for claim in experiment.claims:
        assert not all(holds(claim, experiment, other) for other in tried), claim.name


def test_only_claims_that_something_makes_no_difference_hold_if_there_is_none(experiment: Experiment) -> None:
    alike = {claim.name for claim in experiment.claims if holds(claim, experiment)}
    assert alike == ALIKE.get(experiment.name, set())
