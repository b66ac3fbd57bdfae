# SPDX-License-Identifier: MIT
"""TP on this machine, built once, under sanitizers."""

from __future__ import annotations

from pathlib import Path

import pytest

from .session import compiled


@pytest.fixture(scope="session")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return compiled(tmp_path_factory.mktemp("tp"))
