# SPDX-License-Identifier: MIT
"""Guests side by side take different cores."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from lab.machine.cores import CORES, Core


@pytest.fixture
def cores(tmp_path: Path) -> Path:
    """A directory for each core, as the kernel has it."""
    for number in os.sched_getaffinity(0):
        (tmp_path / f"cpu{number}").mkdir()
    return tmp_path


def test_each_guest_has_a_core_of_its_own_while_there_are_some(cores: Path) -> None:
    available = os.sched_getaffinity(0)
    taken = [Core(cores) for _ in available]
    assert {core.number for core in taken} == available
    assert Core(cores).number is None
    first = taken[0].number
    taken[0].release()
    assert Core(cores).number == first


def test_the_kernels_own_directories_of_cores_can_be_locked_and_nothing_stays() -> None:
    before = set(Path("/tmp").glob("hwsim-lab-core-*"))
    core = Core()
    assert CORES.is_dir() and set(Path("/tmp").glob("hwsim-lab-core-*")) <= before
    core.release()


def test_what_is_started_meanwhile_runs_there_and_we_do_not(cores: Path) -> None:
    before = os.sched_getaffinity(0)
    core = Core(cores)
    with core.bound():
        shown = subprocess.run(
            [sys.executable, "-c", "import os; print(*os.sched_getaffinity(0))"], stdout=subprocess.PIPE, check=True
        ).stdout
    assert shown.split() == [str(core.number).encode()]
    assert os.sched_getaffinity(0) == before


def test_a_directory_that_is_missing_costs_only_the_core(tmp_path: Path) -> None:
    assert Core(tmp_path / "missing").number is None
