# SPDX-License-Identifier: MIT
"""What has been typed at prompts, from session to session."""

from __future__ import annotations

import stat
from pathlib import Path

import pytest

from lab.runs import history


@pytest.fixture(autouse=True)
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    return tmp_path / "hwsim-lab" / "history"


def test_lines_are_kept_for_their_user_alone(state: Path) -> None:
    assert history.lines() == []
    for line in ("links", "sta1 ping -c 1 h1", "", "two\nlines", "x" * 5000):
        history.add(line)
    assert history.lines() == ["links", "sta1 ping -c 1 h1"]
    assert stat.S_IMODE(state.stat().st_mode) == 0o600


def test_the_oldest_lines_go(state: Path) -> None:
    for number in range(400):
        history.add(f"{number} {'x' * 4000}")
    assert state.stat().st_size < 2 << 20
    assert len(history.lines()) <= 1000 and history.lines()[-1].startswith("399 ")


def test_without_a_place_nothing_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "file"))
    history.add("links")
    assert history.lines() == []
