# SPDX-License-Identifier: MIT
"""The experiments that come with the lab: each can be run, all of it, and the documentation shows what it draws."""

from __future__ import annotations

import hashlib
import html
import json
import re
from functools import cache
from pathlib import Path

import pytest

from lab.experiments.file import resolve
from lab.experiments.file.grid import MOST_TRIALS, trials
from lab.experiments.run.trials import trial
from lab.experiments.types import Experiment, Point
from lab.experiments.variations import uncertain
from lab.plan.load import load
from lab.shared.types import Plan
from tests.shown.pictures import ROOT, experiments, folder, pictures

_PAGES = (ROOT / "docs" / "experiments.md", *sorted(ROOT.glob("workloads/*/*.md")))
each = pytest.mark.parametrize("name", experiments())


def whole(experiment: Experiment, point: Point) -> Plan:
    """The plan of a point that is run, where `lab check` takes a draft of it."""
    seed = experiment.seed + point.seed_offset
    return load(point.topology, point.workload, seed, point.overrides, locations=point.locations)


@cache
def planned(name: str) -> tuple[Experiment, dict[int, bytes]]:
    """An experiment, and a digest of the plan of each point: those that loading it tries are not made again."""
    digests: dict[int, bytes] = {}

    def plan(experiment: Experiment, point: Point) -> Plan:
        made = whole(experiment, point)
        digests[point.number] = hashlib.sha256(json.dumps(made.data(), sort_keys=True).encode()).digest()
        return made

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(resolve, "drafted", plan)
        experiment = resolve.load(name)
    for point in experiment.points:
        if point.number not in digests:
            plan(experiment, point)
    return experiment, digests


def loaded(name: str) -> Experiment:
    """An experiment: it is frozen, and several tests look at it."""
    return planned(name)[0]


def drawn(experiment: Experiment) -> list[Path]:
    """Its pictures in the documentation."""
    return [folder(experiment.name) / name for name in pictures(experiment.name, len(experiment.figures))]


@each
def test_every_point_of_every_experiment_can_be_run(name: str) -> None:
    experiment, digests = planned(name)
    assert len(set(digests.values())) == len(experiment.points) > 1  # each point is another run
    assert trials(experiment) <= MOST_TRIALS
    assert experiment.about and experiment.figures and experiment.claims


@each
def test_lab_check_finds_no_mistake_in_an_experiment_and_what_it_may_change(name: str) -> None:
    uncertain.check(loaded(name))


def test_places_can_be_drawn_from_what_is_uncertain() -> None:
    """Not only the ends of a range can be run, which ``lab check`` tries. Parameters of several experiments: once."""
    drawn_from = {uncertain.known_parameters(loaded(name)): loaded(name) for name in experiments()}
    for known, experiment in drawn_from.items():
        for place in uncertain.places(uncertain.parameters(experiment), 3, experiment.seed) if known else ():
            assert trial(experiment, place.at(experiment.points[0]), 0).plan, experiment.name


@each
def test_an_experiment_with_published_numbers_claims_how_near_they_are(name: str) -> None:
    experiment = loaded(name)
    for metric in {entry.metric for entry in experiment.published}:
        assert any(f"paper.{metric}" in claim.that for claim in experiment.claims), metric


@each
def test_the_documentation_shows_every_figure(name: str) -> None:
    experiment = loaded(name)
    text = "".join(page.read_text() for page in _PAGES)
    assert f"**{name}**" in text
    for picture, figure in zip(drawn(experiment), experiment.figures, strict=True):
        assert f"figures/{picture.name})" in text
        words = " ".join(html.unescape(re.sub(r"<[^>]*>", " ", picture.read_text())).split())
        lines = [level.label for axis in experiment.axes if axis.name == figure.by for level in axis.levels]
        for said in (figure.title, *lines):
            assert said in words, f"{picture} is of an older file; run: make figures"


def test_the_documentation_has_no_figure_of_what_is_not_there() -> None:
    known = {picture for name in experiments() for picture in drawn(loaded(name))}
    assert set(ROOT.glob("workloads/*/figures/experiment-*")) == known
