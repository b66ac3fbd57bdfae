# SPDX-License-Identifier: MIT
"""a3d's logic on this machine, built once, under sanitizers."""

from __future__ import annotations

from pathlib import Path

import pytest

from .packets import compiled


@pytest.fixture(scope="session")
def program() -> Path:
    return compiled()


@pytest.fixture(scope="session")
def half() -> Path:
    """Halves and relays, without what is in the bytes."""
    return compiled("drive_half")


@pytest.fixture(scope="session")
def pf() -> Path:
    """PF without packets."""
    return compiled("drive_pf")
