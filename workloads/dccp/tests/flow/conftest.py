# SPDX-License-Identifier: MIT
"""flow on this machine, built once."""

from __future__ import annotations

from pathlib import Path

import pytest

from workloads.dccp.tests.building import FLOW, compiled


@pytest.fixture(scope="session")
def flow(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The program itself, with AddressSanitizer and UndefinedBehaviorSanitizer."""
    return compiled(tmp_path_factory.mktemp("flow") / "flow", sorted(FLOW.glob("*.c")))
