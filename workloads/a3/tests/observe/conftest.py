# SPDX-License-Identifier: MIT
"""The observers on this machine, built once, under sanitizers."""

from __future__ import annotations

from pathlib import Path

import pytest

from .sessions import compiled


@pytest.fixture(scope="session")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return compiled(tmp_path_factory.mktemp("observe") / "drive")
