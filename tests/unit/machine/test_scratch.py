# SPDX-License-Identifier: MIT
"""Scratch directories of labs that start at the same time, and of others."""

from __future__ import annotations

import fcntl
import os
import time
from contextlib import suppress
from pathlib import Path

import pytest

from lab.errors import HostError
from lab.machine import scratch


def test_a_lab_that_starts_spares_one_that_is_starting(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It looks for leftovers just when another has made its directory and not locked it yet."""
    lock = fcntl.flock

    def flock(file: int, operation: int) -> None:
        monkeypatch.setattr(fcntl, "flock", lock)
        assert scratch.clean_stale(tmp_path) == 0
        lock(file, operation)

    monkeypatch.setattr(fcntl, "flock", flock)
    with scratch.scratch({"link": tmp_path}, tmp_path) as place:
        assert (place / "link").samefile(tmp_path)
        assert scratch.clean_stale(tmp_path) == 0
    assert list(tmp_path.iterdir()) == []


def test_leftovers_go_and_what_others_have_stays(tmp_path: Path) -> None:
    left, other = tmp_path / "hwsim-lab-01234567", tmp_path / "hwsim-lab-notes"
    for directory in (left, other):
        directory.mkdir()
    assert scratch.clean_stale(tmp_path) == 1
    assert list(tmp_path.iterdir()) == [other]


def test_an_interrupt_between_its_making_and_its_locking_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    make = Path.mkdir

    def mkdir(path: Path, mode: int = 0o777) -> None:
        make(path, mode)
        raise KeyboardInterrupt

    monkeypatch.setattr(Path, "mkdir", mkdir)
    with suppress(KeyboardInterrupt), scratch.scratch({}, tmp_path):
        pass
    assert list(tmp_path.iterdir()) == []


def test_a_tmp_that_cannot_be_written_is_reported(tmp_path: Path) -> None:
    none, long = scratch.scratch({}, tmp_path / "none"), scratch.scratch({"x" * 300: tmp_path}, tmp_path)
    with pytest.raises(HostError, match="cannot make .*/hwsim-lab-.*: No such file"), none:
        pass
    with pytest.raises(HostError, match="cannot make .*/hwsim-lab-.*: File name too long"), long:
        pass
    assert list(tmp_path.iterdir()) == []


def test_what_a_lab_left_that_was_killed_while_it_made_its_directory_continuesce_it_is_old(tmp_path: Path) -> None:
    old, young, held = (tmp_path / f".hwsim-lab-0123456{digit}" for digit in range(3))
    for directory in (old, young, held):
        directory.mkdir()
    with (held / "lock").open("a") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        for directory in (old, held):
            os.utime(directory, (time.time() - 3600,) * 2)
        assert scratch.clean_stale(tmp_path) == 0  # it had no guest
        assert sorted(tmp_path.iterdir()) == [young, held]


def test_a_directory_that_goes_meanwhile_is_left_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its lab ends between two looks of the one that starts."""
    directory = tmp_path / "hwsim-lab-0123abcd"
    directory.mkdir()
    look = Path.stat

    def stat(path: Path, *, follow_symlinks: bool = True) -> os.stat_result:
        found = look(path, follow_symlinks=follow_symlinks)
        if path == directory:
            directory.rmdir()
        return found

    monkeypatch.setattr(Path, "stat", stat)
    assert scratch.clean_stale(tmp_path) == 0
    assert not directory.exists()
