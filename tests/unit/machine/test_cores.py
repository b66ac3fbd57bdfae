# SPDX-License-Identifier: MIT
"""Guests side by side take different cores, and share them evenly when there are more guests."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from lab.machine.cores import CORES, Core


@pytest.fixture
def cores(tmp_path: Path) -> Path:
    """A directory for each core, as the kernel has it: with two others, a file and a link to what cores share."""
    (tmp_path / "node0").mkdir()
    for number in os.sched_getaffinity(0):
        for name in ("cache", "topology"):
            (tmp_path / f"cpu{number}" / name).mkdir(parents=True)
        (tmp_path / f"cpu{number}" / "a_file").touch()
        (tmp_path / f"cpu{number}" / "node0").symlink_to(tmp_path / "node0")
    return tmp_path


def test_each_guest_has_a_core_of_its_own_while_there_are_some(cores: Path) -> None:
    available = os.sched_getaffinity(0)
    taken = [Core(cores) for _ in available]
    assert {core.number for core in taken} == available


def test_more_guests_share_the_cores_evenly(cores: Path) -> None:
    available = sorted(os.sched_getaffinity(0))
    taken = [Core(cores) for _ in available * 3]
    assert [core.number for core in taken] == available * 3
    assert Core(cores).number is None  # as many as there are directories: the scheduler decides


def test_the_next_guest_takes_the_core_that_has_fewest(cores: Path) -> None:
    taken = [Core(cores) for _ in sorted(os.sched_getaffinity(0)) * 2]
    last = taken[-1].number
    taken[-1].release()
    assert Core(cores).number == last


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
