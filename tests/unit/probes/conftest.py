# SPDX-License-Identifier: MIT
"""Fixtures for tests of parsers."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from lab.probes.base import Parsed, Raw, TimeSeries, load

FIXTURES = Path(__file__).parents[2] / "fixtures"


def parser_of(fixtures: Path) -> Callable[..., Parsed]:
    """Return a function that parses files of ``fixtures/<probe>/``."""

    def parse(probe: str, name: str, **context: Any) -> Parsed:
        return load(probe).parse(Raw(fixtures / probe, name, **context))

    return parse


@pytest.fixture
def pasted() -> Callable[..., Parsed]:
    """Parse a fixture: ``pasted("ping", "replies", epoch_ns=…)``."""
    return parser_of(FIXTURES)


@pytest.fixture
def typed(tmp_path: Path) -> Callable[..., Parsed]:
    """Parse text given in the test: ``typed("ping", out="…")``."""

    def parse(probe: str, **files: str) -> Parsed:
        for suffix, text in files.items():
            (tmp_path / f"x.{suffix}").write_text(text, encoding="utf-8")
        return load(probe).parse(Raw(tmp_path, "x"))

    return parse


@pytest.fixture
def series() -> Callable[[Parsed, str], TimeSeries]:
    """The series of that name."""

    def find(parsed: Parsed, name: str) -> TimeSeries:
        (found,) = [item for item in parsed.series if item.name == name]
        return found

    return find
