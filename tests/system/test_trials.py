# SPDX-License-Identifier: MIT
"""Many trials in one process: each has the same result as if it were the first."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from lab import runs
from lab.shared.types import Plan

pytestmark = pytest.mark.guest

PLACE = """\
name: alone
nodes:
  h1: {kind: host, roles: [server]}
"""
WORK = """\
name: draw
roles: {server: 1}
duration: 1 s
processes:
  - {on: server, run: [cat, /proc/sys/kernel/random/uuid], as: drawn}
"""


def test_a_trial_leaves_the_same_whatever_ran_before_it(
    tmp_path: Path, machine: runs.Machine, plan_of: Callable[..., Plan]
) -> None:
    def trial(name: str, seed: int) -> tuple[str, str]:
        directory = tmp_path / name
        directory.mkdir()
        runs.run_plan(plan_of(PLACE, WORK, seed), machine, directory)
        return (directory / "raw" / "drawn.out").read_text(), (directory / "record.json").read_text()

    first, other, again = trial("first", 1), trial("other", 2), trial("again", 1)
    assert again == first
    assert other[0] != first[0]


def test_what_is_to_be_done_meanwhile_is_done_while_the_guest_runs(
    tmp_path: Path, machine: runs.Machine, plan_of: Callable[..., Plan]
) -> None:
    directory = tmp_path / "run"
    directory.mkdir()
    seen = []

    def meanwhile() -> None:
        seen.append(((directory / "plan.json").is_file(), (directory / "guest.json").exists()))

    runs.run_plan(plan_of(PLACE, WORK), machine, directory, meanwhile=meanwhile)
    assert seen == [(True, False)]
