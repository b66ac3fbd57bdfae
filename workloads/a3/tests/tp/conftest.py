# SPDX-License-Identifier: MIT
"""TP on this machine, built once, under sanitizers."""

from __future__ import annotations

from pathlib import Path

import pytest

from .session import QUICK, compiled


@pytest.fixture(scope="session")
def drive(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return compiled(tmp_path_factory.mktemp("tp"))


@pytest.fixture(scope="session")
def program(drive: Path) -> Path:
    return drive


@pytest.fixture(scope="session")
def quick(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a program without sanitizers, with which programs with mistakes are linked."""
    return compiled(tmp_path_factory.mktemp("quick"), flags=QUICK)
