# SPDX-License-Identifier: MIT
"""What all tests share."""

from __future__ import annotations

import pytest

import conftest
from lab.registry import Room


@pytest.mark.parametrize("mistake", ["import nowhere", "def nothing("])
def test_a_kind_that_cannot_be_imported_ends_the_session_at_once(monkeypatch: pytest.MonkeyPatch, mistake: str) -> None:
    def broken(room: Room[object]) -> None:
        exec(compile(mistake, f"{room.folder}/file.py", "exec"))

    monkeypatch.setattr(Room, "classes", broken)
    with pytest.raises(pytest.exit.Exception, match=r"^nodes/file\.py:1: (ModuleNotFound|Syntax)Error: .*n"):
        conftest.pytest_sessionstart()
