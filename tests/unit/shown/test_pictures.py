# SPDX-License-Identifier: MIT
"""Pictures of experiments in the documentation: their names, and how new ones come into the place of old ones."""

import json
from pathlib import Path

from tests.shown.pictures import complete, experiments, folder, pictures, take


def drawn(folder: Path, *texts: str) -> Path:
    """A directory as ``lab reproduce`` leaves it."""
    folder.mkdir()
    for number, text in enumerate(texts, 1):
        (folder / f"figure-{number}.svg").write_text(text)
        (folder / f"figure-{number}.png").write_text("")
    return folder


def held(folder: Path) -> dict[str, str]:
    return {path.name: path.read_text() for path in sorted(folder.iterdir())}


def test_several_figures_are_numbered() -> None:
    assert pictures("handoff/outage", 1) == ["experiment-outage.svg"]
    assert pictures("handoff/outage", 2) == ["experiment-outage-1.svg", "experiment-outage-2.svg"]


def test_new_pictures_take_the_place_of_those_of_their_experiment(tmp_path: Path) -> None:
    images = tmp_path / "images"
    images.mkdir()
    for name in (
        "experiment-a",
        "experiment-a-2",
        "experiment-a-3",
        "experiment-a-b",
        "experiment-ab",
        "report",
    ):
        (images / f"{name}.svg").write_text("old")
    others = {"experiment-a-b.svg": "old", "experiment-ab.svg": "old", "report.svg": "old"}

    assert take("x/a", drawn(tmp_path / "two", "1", "2"), images) == ["experiment-a-1.svg", "experiment-a-2.svg"]
    assert held(images) == {"experiment-a-1.svg": "1", "experiment-a-2.svg": "2", **others}
    take("x/a", drawn(tmp_path / "one", "only"), images)
    assert held(images) == {"experiment-a.svg": "only", **others}
    many = [str(number) for number in range(1, 12)]  # 10 comes after 9
    take("x/a", drawn(tmp_path / "many", *many), images)
    assert (images / "experiment-a-11.svg").read_text() == "11"


def test_what_failed_is_not_taken_and_a_claim_that_does_not_hold_is_no_failure(tmp_path: Path) -> None:
    out = drawn(tmp_path / "drawn", "1")
    assert not complete(out)  # it was refused before anything ran
    for errors, whole in ([None, None], True), ([None, "swp-get ended with status 28"], False):
        results = {"passed": False, "trials": [{"error": error} for error in errors]}
        (out / "results.json").write_text(json.dumps(results))
        assert complete(out) is whole


def test_each_experiment_has_pictures_of_its_own() -> None:
    stems = [folder(experiment) / name for experiment in experiments() for name in pictures(experiment, 1)]
    assert stems and len(set(stems)) == len(stems)
