# SPDX-License-Identifier: MIT
"""``--only`` and ``--reps``."""

from pathlib import Path

import pytest

from lab.errors import InputError
from lab.experiments.types import Repetitions
from tests.refused import refused

from .files import changed, loaded


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def test_only_some_points() -> None:
    found = loaded(only=["roaming=quick", "distance=4m"])
    assert [(point.number, point.labels) for point in found.points] == [(0, {"distance": "4 m", "roaming": "quick"})]
    assert [[level.label for level in axis.levels] for axis in found.axes] == [["4 m"], ["quick"]]
    assert [one.value for one in found.published] == [0.005]
    assert len(found.figures) == 1


def test_values_of_one_axis_are_alternatives() -> None:
    found = loaded(only=["distance=2 m", "distance = 600 cm"])
    assert [point.labels["distance"] for point in found.points] == ["2 m", "2 m", "6 m", "6 m"]
    assert [point.number for point in found.points] == [0, 1, 2, 3]
    assert len(found.claims) == 1 and not found.unjudged


def test_claims_without_their_points_are_put_aside() -> None:
    found = loaded(only=["roaming=quick"])
    assert not found.claims
    assert [claim.name for claim in found.unjudged] == ["quick is better"]


def test_a_claim_about_more_points_says_of_how_many_it_is_judged() -> None:
    assert [claim.left for claim in loaded().claims] == [""]
    assert [claim.left for claim in loaded(only=["distance=2 m", "distance=6 m"]).claims] == ["4 of 6 points"]


def test_figures_of_other_points_alone_are_left_out() -> None:
    text = changed(("by: roaming}\n", "where: {roaming: never}}\n"))
    assert len(loaded(text, only=["roaming=never"]).figures) == 1
    assert not loaded(text, only=["roaming=quick"]).figures


def test_zipped_axes_are_narrowed_together() -> None:
    text = changed(
        ("grid:", "zip: [[distance, delay_]]\ngrid:\n  delay_: [1 ms, 2 ms, 3 ms]"),
        ("links.0.delay: 5 ms", 'links.0.delay: "{delay_}"'),
    )
    found = loaded(text, only=["delay_=2 ms"])
    assert {point.labels["distance"] for point in found.points} == {"4 m"}
    assert [len(axis.levels) for axis in found.axes] == [1, 1, 2]
    with pytest.raises(InputError, match="no point of mine matches all of them"):
        loaded(text, only=["delay_=2 ms", "distance=2 m"])


def test_a_number_of_repetitions() -> None:
    assert loaded(reps=4).repetitions == Repetitions(4, 4)


@pytest.mark.parametrize(
    ("only", "reported"),
    [
        ("distance", "--only distance: write axis=value; axes of mine: distance, roaming"),
        ("distanc=2 m", '--only distanc=2 m: mine has no axis "distanc" (did you mean distance?)'),
        ("distance=3 m", '--only distance=3 m: the axis distance has no value "3 m"'),
        ("roaming=quik", 'has no value "quik" (did you mean quick?); known: never, quick'),
    ],
)
def test_mistakes(only: str, reported: str) -> None:
    assert reported in refused(loaded, only=[only])


def test_no_repetition_at_all() -> None:
    with pytest.raises(InputError, match="--reps 0: write at least 1"):
        loaded(reps=0)
