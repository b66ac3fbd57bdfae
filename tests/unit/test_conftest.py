# SPDX-License-Identifier: MIT
"""What all tests share."""

from __future__ import annotations

import pytest

import conftest
from lab.model import registry


@pytest.mark.parametrize("mistake", ["import nowhere", "def nothing("])
def test_a_kind_that_cannot_be_imported_ends_the_session_at_once(monkeypatch: pytest.MonkeyPatch, mistake: str) -> None:
    def broken(room: str) -> None:
        exec(compile(mistake, f"{room}/file.py", "exec"))

    monkeypatch.setattr(registry, "kinds", broken)
    with pytest.raises(pytest.exit.Exception, match=r"^lab\.nodes/file\.py:1: (ModuleNotFound|Syntax)Error: .*n"):
        conftest.pytest_sessionstart()
