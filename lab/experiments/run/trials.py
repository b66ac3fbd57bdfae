# SPDX-License-Identifier: MIT
"""From a point of the grid and a repetition to a trial: the plan that is run, the command that repeats it, its key."""

from __future__ import annotations

import hashlib
import json
import shlex
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from lab.experiments.types import Experiment, Point, Trial
from lab.plan.load import load


@dataclass(frozen=True)
class Job:
    """A trial for a worker. Plain data: it crosses from process to process and from machine to machine."""

    key: str
    plan: str  # JSON
    hashes: dict[str, str | None]  # what the worker must have in common with who asks


def trial(experiment: Experiment, point: Point, repetition: int) -> Trial:
    """The ``repetition``-th run of a point, counted from 0.

    Raises:
        InputError: what is wrong with the topology, the workload or the settings.
    """
    seed = experiment.seed + repetition
    plan = load(point.topology, point.workload, seed, point.settings, places=point.places)
    return Trial(point.number, seed, plan.to_json(), command(point, seed))


def command(point: Point, seed: int) -> str:
    """What to type, quoted for a shell, to run that trial alone."""
    settings = [word for setting in point.settings for word in ("--set", setting)]
    return shlex.join(["lab", "run", point.topology, point.workload, *settings, "--seed", str(seed)])


def key(plan: str, hashes: Mapping[str, str | None]) -> str:
    """The name of a trial's content: SHA-256 over its plan and what it is run with, in hexadecimal.

    Args:
        plan: JSON. The keys of objects may have any order, and what it says for people does not count.
        hashes: what a run of it is made of (lab.runs.made_of.hashes).
    """
    content = {"plan": _without_words(json.loads(plan)), "machine": dict(hashes)}
    text = json.dumps(content, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return hashlib.sha256(text.encode()).hexdigest()


def _without_words(plan: dict[str, Any]) -> dict[str, Any]:
    """A plan without what it says for people alone: a comment more in a topology moves every line of it."""
    content = {name: value for name, value in plan.items() if name != "about"}
    for name, value in content.items():
        if isinstance(value, list):
            content[name] = [{word: item[word] for word in item if word != "source"} for item in value]
    return content
