# SPDX-License-Identifier: MIT
"""Which files of a node are copied, and what is said of others."""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import Any

import pytest

from lab.guest import collecting
from lab.guest.errors import GuestError
from lab.shared.types import Collect

Copied = Callable[..., list[str]]


class Here:
    """A node whose files are those of this machine."""

    def files(self) -> AbstractContextManager[None]:
        """Stay here."""
        return nullcontext()


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """The folder that is collected from."""
    folder = tmp_path / "root"
    folder.mkdir()
    return folder


@pytest.fixture
def copied(tmp_path: Path, root: Path, monkeypatch: pytest.MonkeyPatch) -> Copied:
    """Collect a path below root; returns the paths of the copies there."""
    monkeypatch.setattr(collecting, "COLLECTED", tmp_path / "collected")
    kept = tmp_path / "collected" / "h1" / str(root).lstrip("/")

    def collect(pattern: str) -> list[str]:
        here: Any = Here()
        collecting.collect(here, Collect("h1", f"{root}/{pattern}", False, 1000, "w.yaml:3"))
        return sorted(path.relative_to(kept).as_posix() for path in kept.rglob("*") if path.is_file())

    return collect


def test_names_in_messages_are_clean(root: Path, copied: Copied) -> None:
    for name in (b"\x1b[31mred", b"a\xff"):
        (root / os.fsdecode(name)).touch()
    with pytest.raises(GuestError) as told:
        copied("x")
    assert rf"; {root} has \x1b[31mred, a\xff; write optional: true" in told.value.message
