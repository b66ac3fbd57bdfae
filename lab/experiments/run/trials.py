# SPDX-License-Identifier: MIT
"""From a point of the grid and a repetition to a trial: the plan that is run, the command that repeats it, its key."""

from __future__ import annotations

import hashlib
import json
import shlex
from collections.abc import Mapping
from typing import Any

from lab.experiments.types import Experiment, Point, Trial
from lab.plan.load import load
from lab.runs import STACK_ENTRY, stack_entry


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
        hashes: of the machine (lab.experiments.run.worker.hashes).
    """
    said = json.loads(plan)
    content = {"plan": _without_words(said), "machine": of_plan(said.get("stack"), hashes)}
    text = json.dumps(content, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return hashlib.sha256(text.encode()).hexdigest()


def of_plan(stack: str | None, hashes: Mapping[str, str | None]) -> dict[str, str | None]:
    """What of the hashes rules a plan with the code of that stack: not those of other stacks."""
    own = stack_entry(stack) if stack else None
    return {name: digest for name, digest in hashes.items() if name == own or not name.startswith(STACK_ENTRY)}


def _without_words(plan: dict[str, Any]) -> dict[str, Any]:
    """A plan without what it says for people alone: a comment more in a topology moves every line of it."""
    said = {name: value for name, value in plan.items() if name != "about"}
    for name, value in said.items():
        if isinstance(value, list):
            said[name] = [{word: item[word] for word in item if word != "source"} for item in value]
    return said
