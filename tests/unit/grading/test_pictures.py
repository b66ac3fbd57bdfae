# SPDX-License-Identifier: MIT
"""Pictures of exercises: given/NAME.svg is what ``lab show given/NAME.yaml --svg given/NAME.svg`` draws."""

from __future__ import annotations

from pathlib import Path

import pytest

from lab.grading.exercise import GIVEN, TASK, known
from lab.plan.load import load
from lab.report.topology import write

PICTURES = sorted(path for folder in known().values() for path in (folder / GIVEN).glob("*.svg"))


@pytest.mark.parametrize("picture", PICTURES, ids=lambda path: f"{path.parents[1].name}-{path.stem}")
def test_a_picture_is_up_to_date_and_the_task_shows_it(picture: Path, tmp_path: Path) -> None:
    drawn = tmp_path / picture.name
    write(load(str(picture.with_suffix(".yaml")), "idle", 1), drawn)
    assert picture.read_text() == drawn.read_text()
    assert f"]({picture.name})" in (picture.parents[1] / TASK).read_text()


def test_every_exercise_has_a_picture() -> None:
    assert {path.parents[1].name for path in PICTURES} == set(known())
