# SPDX-License-Identifier: MIT
"""A guest's process: how its end is noticed."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from lab.machine.process import GuestFiles, GuestProcess, Setup, command_line
from tests.system.waiting import DEADLINE_S


@pytest.fixture
def process(tmp_path: Path) -> Iterator[GuestProcess]:
    with (tmp_path / "log").open("wb") as log:
        made = GuestProcess(["sleep", "60"], tmp_path, tmp_path, log)
    yield made
    made.kill()


def test_it_ends_when_it_is_killed(process: GuestProcess) -> None:
    assert not process.ended(within_s=0)
    process.kill()
    assert process.ended(within_s=0)


@pytest.mark.parametrize(
    ("mode", "level", "words"),
    [
        ("run", {}, "loglevel=5"),
        ("run", {"console_level": "info"}, "loglevel=7"),
        ("shell", {}, "loglevel=0"),
        ("shell", {"console_level": "debug"}, "loglevel=8"),
    ],
)
def test_level_of_the_console(mode: str, level: dict[str, Any], words: str) -> None:
    files = GuestFiles(Path("linux"), Path("initrd"), Path("image"), Path("code"), Path("run"))
    assert words in command_line(Setup(files, seed=1, **level), Path("s"), mode)


def test_another_thread_may_end_it_meanwhile(process: GuestProcess, monkeypatch: pytest.MonkeyPatch) -> None:
    """As output that nobody reads does (lab.machine.batch)."""

    def poll() -> None:
        monkeypatch.undo()
        process.kill()

    monkeypatch.setattr(process.process, "poll", poll)
    assert process.ended(within_s=0)


def test_its_files_have_the_same_modes_whatever_the_umask_of_the_user(tmp_path: Path) -> None:
    before = os.umask(0o077)
    try:
        made = GuestProcess(["sh", "-c", f"umask >{tmp_path}/umask"], tmp_path, tmp_path, None)
        assert made.ended(within_s=DEADLINE_S)
        made.kill()
    finally:
        os.umask(before)
    assert (tmp_path / "umask").read_text() == "0022\n"
