# SPDX-License-Identifier: MIT
"""The experiments that come with the lab, one point of each: guests boot, files are written, figures show something."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from ruamel.yaml import YAML

from lab import library, runs
from lab.cli.results import print_reproduced
from lab.experiments.command import ReproduceOptions, reproduce
from lab.experiments.file import resolve
from lab.experiments.types import Experiment
from tests.shown.pictures import experiments

pytestmark = pytest.mark.guest

_TITLE = r"<title>[^<]*\bn = 1\)?</title>"  # of a bar, a point, a cell
_TRIAL = {"time-series": r'<path d="M[^"]{100,}" class="stroke-0"'}  # a line of more than a few points


def one_point(experiment: Experiment) -> dict[str, str]:
    """The first value of each axis, or the one that figures are about: most of them are drawn."""
    chosen = {axis.name: axis.levels[0].label for axis in experiment.axes}
    for figure in experiment.figures:
        chosen |= figure.where
    return chosen


def shorter(name: str, directory: Path) -> str:
    """The experiment, or the path of one whose runs are shorter, if its stack's tests say how."""
    path = library.find("experiment", name)
    changes = path.parents[1] / "tests" / "shorter.yaml"
    yaml = YAML(typ="safe")
    known = yaml.load(changes) if changes.exists() else {}
    assert known.keys() <= experiments().keys()
    if name not in known:
        return name
    contents = yaml.load(path)
    contents["set"] |= known[name]
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
    """In this process: a command takes a second to import what all of them need."""
    with monkeypatch.context() as patched:
        patched.setattr(resolve, "_try", lambda source, experiment: None)  # tests/unit/experiments plans all points
        name = shorter(name, tmp_path)
        experiment = resolve.load(name)
    chosen = one_point(experiment)
    only = [f"{axis}={label}" for axis, label in chosen.items()]
    out = tmp_path / "out"
    done = reproduce(ReproduceOptions(name, out, only=only, reps=1, fresh=True))
    print_reproduced(done, as_json=False)
    said = capsys.readouterr().out
    results = json.loads((out / "results.json").read_text())
    assert [trial["error"] for trial in results["trials"]] == [None], said
    assert done.results.passed == all(
        claim["passed"] is not False for claim in results["claims"]
    )  # of means: one trial may miss it
    assert "1 trial run, 0 taken from the store" in said
    about = [figure for figure in experiment.figures if figure.where.items() <= chosen.items()]
    figures = [f"figure-{number}" for number in range(1, len(about) + 1)]
    assert figures
    pictures = {f"{figure}.{kind}" for figure in figures for kind in ("svg", "png", "pdf")}
    others = {"report.html", "results.json", "results.csv", "trials.csv", "junit.xml"}
    assert {path.name for path in out.iterdir()} == pictures | others

    (row,) = results["rows"]
    for metric in experiment.metrics:
        assert row[metric.name]["n"] == 1 and row[metric.name]["missing"] == 0
        assert row[metric.name]["mean"] > 0 or metric.unit in ("%", "failures", "timeouts")  # may be 0
    for figure, kind in zip(figures, (one.kind for one in about), strict=True):
        svg = (out / f"{figure}.svg").read_text()
        assert re.search(_TRIAL.get(kind, _TITLE), svg), f"{figure} shows no trial"
        assert (out / f"{figure}.png").read_bytes().startswith(b"\x89PNG")
