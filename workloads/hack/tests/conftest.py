# SPDX-License-Identifier: MIT
"""tshark with the dissector of this stack."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from workloads.hack.tests.dissecting import Dissector


@pytest.fixture
def dissector() -> Iterator[Dissector]:
    with tempfile.TemporaryDirectory() as home:  # tmp_path is closed to others
        yield Dissector(Path(home))
