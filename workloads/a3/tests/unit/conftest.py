# SPDX-License-Identifier: MIT
"""Shared parts of the lab's tests of probes and plans, with the fixtures of this stack."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from lab.probes.base import Parsed
from tests.unit.plan.conftest import plans as plans
from tests.unit.probes.conftest import parser_of
from tests.unit.probes.conftest import typed as typed

FIXTURES = Path(__file__).parents[1] / "fixtures"


@pytest.fixture
def pasted() -> Callable[..., Parsed]:
    """Parse a fixture of this stack."""
    return parser_of(FIXTURES)
