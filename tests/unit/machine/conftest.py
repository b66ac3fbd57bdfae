# SPDX-License-Identifier: MIT
"""Fixtures for tests of builds: a report that remembers its calls, a store in a temporary directory."""

from __future__ import annotations

from pathlib import Path

import pytest

from lab.build.cache import Store
from lab.build.report import KeptReport
from lab.build.step import BuildLog


@pytest.fixture
def told() -> KeptReport:
    return KeptReport()


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store("thing", "the thing", root=tmp_path / "cache")


@pytest.fixture
def log(tmp_path: Path) -> BuildLog:
    return BuildLog(tmp_path / "log" / "thing.log", tmp_path)
