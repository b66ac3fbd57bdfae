# SPDX-License-Identifier: MIT
"""a3d's logic on this machine, built once, under sanitizers."""

from __future__ import annotations

from pathlib import Path

import pytest

from .packets import compiled


@pytest.fixture(scope="session")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return compiled(tmp_path_factory.mktemp("a3d"))


@pytest.fixture(scope="session")
def half(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Halves and relays, without what is in the bytes."""
    return compiled(tmp_path_factory.mktemp("half"), name="drive_half")
