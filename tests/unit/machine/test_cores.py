# SPDX-License-Identifier: MIT
"""Guests side by side take different cores."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from lab.machine.cores import Core


def test_each_guest_has_a_core_of_its_own_while_there_are_some(tmp_path: Path) -> None:
    available = os.sched_getaffinity(0)
    taken = [Core(tmp_path) for _ in available]
    assert {core.number for core in taken} == available
    assert Core(tmp_path).number is None
    first = taken[0].number
    taken[0].release()
    assert Core(tmp_path).number == first


def test_what_is_started_meanwhile_runs_there_and_we_do_not(tmp_path: Path) -> None:
    before = os.sched_getaffinity(0)
    core = Core(tmp_path)
    with core.bound():
        shown = subprocess.run(
            [sys.executable, "-c", "import os; print(*os.sched_getaffinity(0))"], stdout=subprocess.PIPE, check=True
        ).stdout
    assert shown.split() == [str(core.number).encode()]
    assert os.sched_getaffinity(0) == before


def test_a_directory_that_cannot_be_written_costs_only_the_core(tmp_path: Path) -> None:
    assert Core(tmp_path / "missing").number is None
