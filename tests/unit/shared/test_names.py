# SPDX-License-Identifier: MIT
"""Names of files for messages and records."""

from __future__ import annotations

import os

import pytest

from lab.shared.names import escaped


@pytest.mark.parametrize(
    ("name", "text"),
    [
        (b"rtt 1.csv", "rtt 1.csv"),
        ("größe.csv".encode(), "größe.csv"),
        (b"a\xff.csv", r"a\xff.csv"),
        (b"\x1b[31mred\n", r"\x1b[31mred\n"),
    ],
)
def test_names_become_text(name: bytes, text: str) -> None:
    assert escaped(os.fsdecode(name)) == text
