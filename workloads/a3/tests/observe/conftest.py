# SPDX-License-Identifier: MIT
"""The observers on this machine, built once, under sanitizers."""

from __future__ import annotations

from pathlib import Path

import pytest

from .sessions import compiled


@pytest.fixture(scope="session")
def program() -> Path:
    return compiled()
