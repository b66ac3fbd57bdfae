# SPDX-License-Identifier: MIT
"""From a point of the grid and a repetition to a trial: its plan, the command that repeats it, its key."""

from __future__ import annotations

import hashlib
import json
import shlex
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from lab.experiments.types import Experiment, Point, Trial
from lab.plan.load import load

_WORDS = ("about", "image_folders")  # of a plan; the content of images counts by its hash


@dataclass(frozen=True)
class Job:
    """A trial for a worker. Plain data, passed between processes and machines."""

    key: str
    plan: str  # JSON
    hashes: dict[str, str | None]  # which the worker's must equal


def trial(experiment: Experiment, point: Point, repetition: int) -> Trial:
    """The ``repetition``-th run of a point, counted from 0.

    Raises:
        InputError: The topology, the workload or the settings are not valid.
    """
    seed = experiment.seed + point.seed_offset + repetition
    plan = load(point.topology, point.workload, seed, point.settings, places=point.places)
    return Trial(point.number, seed, plan.to_json(), command(point, seed))


def command(point: Point, seed: int) -> str:
    """The command, quoted for a shell, that runs only this trial."""
    settings = [word for setting in point.settings for word in ("--set", setting)]
    return shlex.join(["lab", "run", point.topology, point.workload, *settings, "--seed", str(seed)])


def key(plan: str, hashes: Mapping[str, str | None]) -> str:
    """The key of a trial: SHA-256 of its plan and of what it is run with, in hexadecimal.

    Args:
        plan: JSON. The order of keys does not matter, and descriptions for people do not count.
        hashes: of the parts of a run (lab.runs.made_of.hashes).
    """
    content = {"plan": _without_words(json.loads(plan)), "machine": dict(hashes)}
    text = json.dumps(content, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return hashlib.sha256(text.encode()).hexdigest()


def _without_words(plan: dict[str, Any]) -> dict[str, Any]:
    """A plan without what is only for people: an additional comment in a topology changes all later line numbers."""
    content = {name: value for name, value in plan.items() if name not in _WORDS}
    for name, value in content.items():
        if isinstance(value, list):
            content[name] = [_without_source(item) for item in value]
    for node in content.get("nodes", []):
        node |= {name: _without_source(value) for name, value in node.items() if name == "docker"}
    return content


def _without_source(item: Any) -> Any:
    return {word: item[word] for word in item if word != "source"} if isinstance(item, dict) else item
