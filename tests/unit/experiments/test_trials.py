# SPDX-License-Identifier: MIT
"""Trials: what a point and a repetition become."""

from __future__ import annotations

import itertools
import json
import shlex
from pathlib import Path

import pytest

from lab.errors import InputError
from lab.experiments.run import trials
from lab.experiments.types import Experiment, Point, Repetitions
from lab.plan.load import load

MACHINE: dict[str, str | None] = {"kernel": "k", "image": "i", "code": "c", "series": None}
PLACE = """\
name: pair
about: Two hosts.
nodes:
  h1: {kind: host, roles: [server]}
  h2: {kind: host, roles: [client]}
links:
  - {between: [h1, h2]}
"""


def experiment(*points: Point, seed: int = 7) -> Experiment:
    return Experiment("test", "", {}, "test.yaml", seed, (), points, Repetitions(3, 3), (), (), (), ())


def test_a_trial_is_what_its_command_runs() -> None:
    point = Point(4, {"delay": "5 ms"}, "wired-pair", "ping/ping", ("links.0.delay=5 ms", "workload.duration=3 s"))
    trial = trials.trial(experiment(point), point, 2)
    assert (trial.point, trial.seed) == (4, 9)
    assert trial.plan == load("wired-pair", "ping/ping", 9, point.overrides).to_json()
    lab, run, topology, workload, *options = shlex.split(trial.command)
    assert (lab, run) == ("lab", "run")
    settings = [word for option, word in itertools.pairwise(options) if option == "--set"]
    assert options[-2] == "--seed"
    assert load(topology, workload, int(options[-1]), settings).to_json() == trial.plan


def test_what_is_wrong_with_a_setting_is_reported_where_it_is_written() -> None:
    point = Point(0, {}, "wired-pair", "ping/ping", ("links.0.delai=5 ms",), {"links.0.delai": "x.yaml:7"})
    with pytest.raises(InputError) as reported:
        trials.trial(experiment(point), point, 0)
    assert str(reported.value).startswith("x.yaml:7  ") and "--set" not in str(reported.value)


def test_where_settings_are_written_is_not_content() -> None:
    settings = ("workload.timeline=[{at: 1 s, exec: client, run: [ls]}]",)
    points = [
        Point(0, {}, "wired-pair", "ping/ping", settings, {"workload.timeline": f"x.yaml:{line}"}) for line in (7, 8)
    ]
    seventh, eighth = (trials.trial(experiment(point), point, 0).plan for point in points)
    assert json.loads(seventh)["events"][0]["source"] == "x.yaml:7"  # by which a failed event is reported
    assert trials.key(seventh, MACHINE) == trials.key(eighth, MACHINE)


def test_its_command_is_quoted_for_a_shell() -> None:
    point = Point(0, {}, "my place.yaml", "ping/ping", ("nodes.sta1.bgscan=simple:2:-60:30", "nodes.h1.x=$(a 'b')"))
    assert trials.command(point, 1) == (
        "lab run 'my place.yaml' ping/ping --set nodes.sta1.bgscan=simple:2:-60:30 "
        "--set 'nodes.h1.x=$(a '\"'\"'b'\"'\"')' --seed 1"
    )


def key_of(text: str, path: Path, *settings: str, seed: int = 1) -> str:
    path.write_text(text)
    return trials.key(load(str(path), "ping/ping", seed, settings).to_json(), MACHINE)


def test_a_key_is_of_all_that_rules_what_happens(tmp_path: Path) -> None:
    path = tmp_path / "pair.yaml"
    first = key_of(PLACE, path)
    assert len(first) == 64
    others = [
        key_of(PLACE, path, seed=2),
        key_of(PLACE, path, "links.0.delay=5 ms"),
        key_of(PLACE.replace("h2", "h3"), path),
    ]
    assert len({first, *others}) == 4
    assert key_of(PLACE, path) == first


def test_a_comment_more_and_other_words_about_it_leave_the_key_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "pair.yaml"
    changed = "# a comment\n" + PLACE.replace("Two hosts.", "A pair of hosts.")
    assert key_of(changed, path) == key_of(PLACE, path)


@pytest.mark.parametrize("changed", ["kernel", "image", "code"])
def test_a_key_is_of_the_machine_too(changed: str) -> None:
    plan = load("wired-pair", "ping/ping").to_json()
    assert trials.key(plan, {**MACHINE, changed: "other"}) != trials.key(plan, MACHINE)


def test_the_order_of_keys_in_json_does_not_count() -> None:
    plan = load("one-ap", "ping/ping").to_json()
    turned = json.dumps(dict(reversed(json.loads(plan).items())))
    assert trials.key(turned, MACHINE) == trials.key(plan, MACHINE)
