# SPDX-License-Identifier: MIT
"""The experiments that come with the lab, one point of each: guests boot, files are written, figures show something."""

from __future__ import annotations

import json
import re
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from ruamel.yaml import YAML

from lab import library, runs
from lab.cli.results import print_reproduced
from lab.experiments.command import ReproduceOptions, reproduce
from lab.experiments.file import resolve
from lab.experiments.output import files
from lab.experiments.types import Experiment
from tests.shown.pictures import experiments

pytestmark = pytest.mark.guest

_TITLE = r"<title>[^<]*\bn = 1\)?</title>"  # of a bar, a point, a cell
_TRIAL = {"time-series": r'<path d="M[^"]{100,}" class="stroke-0"'}  # a line of more than a few points


def shorter(name: str) -> dict[str, Any]:
    """What its stack's tests set to make an experiment shorter, and the point that they choose."""
    path = library.find("experiment", name).parents[1] / "tests" / "shorter.yaml"
    known: dict[str, dict[str, Any]] = YAML(typ="safe").load(path) if path.exists() else {}
    assert known.keys() <= experiments().keys()
    return known.get(name, {})


def one_point(experiment: Experiment, chosen: dict[str, str]) -> dict[str, str]:
    """The first value of each axis, or the one that figures are about, most of which are then drawn, or one chosen."""
    first = {axis.name: axis.levels[0].label for axis in experiment.axes}
    for figure in experiment.figures:
        first |= figure.where
    return first | chosen


def written(name: str, changes: dict[str, Any], directory: Path) -> str:
    """The path of an experiment with these settings."""
    yaml = YAML(typ="safe")
    yaml.sort_base_mapping_type_on_output = False  # type: ignore[assignment] # axes keep their order
    path = library.find("experiment", name)
    contents = yaml.load(path)
    contents["set"] = contents.get("set", {}) | changes
    for levels in contents["grid"].values():
        for settings in levels.values() if isinstance(levels, dict) else ():
            if "duration" in settings and "duration" in changes:  # that of a level would count
                settings["duration"] = changes["duration"]
    short = directory / path.name
    yaml.dump(contents, short)
    return str(short)


@pytest.mark.parametrize("name", experiments())
def test_an_experiment_that_comes_with_the_lab_runs(
    name: str,
    tmp_path: Path,
    machine: runs.Machine,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """In this process: a command takes a second to import what all of them need.

    A trial that depends on nothing that has changed since an earlier run comes from the store, as a user's does;
    that its key has all that it depends on is for test_trial_keys.py.

    Without PDF, whose fonts take longer than a short trial: tests/unit/drawing and test_reproduce.py have it.
    """
    monkeypatch.setattr(files, "write", partial(files.write, formats=("svg", "png")))
    with monkeypatch.context() as patched:
        patched.setattr(resolve, "_try", lambda source, experiment: None)  # tests/unit/experiments plans all points
        changes = shorter(name)
        point = changes.pop("point", {})
        if changes:
            name = written(name, changes, tmp_path)
        experiment = resolve.load(name)
    chosen = one_point(experiment, point)
    only = [f"{axis}={label}" for axis, label in chosen.items()]
    out = tmp_path / "out"
    done = reproduce(ReproduceOptions(name, out, only=only, reps=1))
    print_reproduced(done, as_json=False)
    said = capsys.readouterr().out
    results = json.loads((out / "results.json").read_text())
    assert [trial["error"] for trial in results["trials"]] == [None], said
    assert done.results.passed == all(
        claim["passed"] is not False for claim in results["claims"]
    )  # of means: one trial may miss it
    assert re.search(r"1 trial run, 0 taken|0 trials run, 1 taken", said)
    about = [figure for figure in experiment.figures if figure.where.items() <= chosen.items()]
    figures = [f"figure-{number}" for number in range(1, len(about) + 1)]
    assert figures
    pictures = {f"{figure}.{kind}" for figure in figures for kind in ("svg", "png")}
    others = {"report.html", "results.json", "results.csv", "trials.csv", "junit.xml"}
    assert {path.name for path in out.iterdir()} == pictures | others

    (row,) = results["rows"]
    for metric in experiment.metrics:
        assert (row[metric.name]["n"], row[metric.name]["missing"]) == (1, 0), metric.name
        assert row[metric.name]["mean"] > 0 or metric.unit in ("%", "failures", "timeouts")  # may be 0
    for figure, kind in zip(figures, (one.kind for one in about), strict=True):
        svg = (out / f"{figure}.svg").read_text()
        assert re.search(_TRIAL.get(kind, _TITLE), svg), f"{figure} shows no trial"
        assert (out / f"{figure}.png").read_bytes().startswith(b"\x89PNG")
