# SPDX-License-Identifier: MIT
"""A recorded run."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

RECORDED = Path(__file__).parents[2] / "fixtures" / "recorded"


@pytest.fixture
def run_directory(tmp_path: Path) -> Path:
    """Return a copy of the files of a download with one handoff (tests/fixtures/recorded/handoff)."""
    return Path(shutil.copytree(RECORDED / "handoff", tmp_path / "run"))
