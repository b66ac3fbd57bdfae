# SPDX-License-Identifier: MIT
"""a3d's logic on this machine, built once, under sanitizers."""

from __future__ import annotations

from pathlib import Path

import pytest

from .packets import compiled


@pytest.fixture(scope="session")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder for programs and their objects, of which they share most."""
    return tmp_path_factory.mktemp("a3d")


@pytest.fixture(scope="session")
def program(built: Path) -> Path:
    return compiled(built)


@pytest.fixture(scope="session")
def half(built: Path) -> Path:
    """Halves and relays, without what is in the bytes."""
    return compiled(built, name="drive_half")


@pytest.fixture(scope="session")
def pf(built: Path) -> Path:
    """PF without packets."""
    return compiled(built, name="drive_pf")
