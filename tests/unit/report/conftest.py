# SPDX-License-Identifier: MIT
"""A record for tests of reports."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from lab.record import Record, build

RECORDED = Path(__file__).parents[2] / "fixtures" / "recorded"
HASHES = {"kernel": "a" * 64, "image": "b" * 64, "series": "c" * 64}
VERSIONS = {"lab": "0.1.0", "packages": {"curl": "8.14.1-2"}}

Recorder = Callable[..., Record]


@pytest.fixture
def recorded(tmp_path: Path) -> Recorder:
    """Make the record of tests/fixtures/recorded/handoff, with keys of plan or guest.json changed, raw files added."""

    def make(guest: dict[str, Any] | None = None, raw: dict[str, str] | None = None, **plan: Any) -> Record:
        directory = Path(shutil.copytree(RECORDED / "handoff", tmp_path / "run"))
        for name, text in (raw or {}).items():
            (directory / "raw" / name).write_text(text)
        for name, changes in (("plan.json", plan), ("guest.json", guest or {})):
            path = directory / name
            path.write_text(json.dumps(json.loads(path.read_text()) | changes))
        return build(directory, hashes=HASHES, versions=VERSIONS)

    return make


@pytest.fixture
def record(recorded: Recorder) -> Record:
    """Return the record unchanged."""
    return recorded()
