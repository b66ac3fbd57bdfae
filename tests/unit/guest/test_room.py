# SPDX-License-Identifier: MIT
"""What the guest's code may import: its own room, what host and guest share, and what the guest's Python has."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from lab.checkout import PACKAGE

ROOMS = {"guest": ("lab.guest", "lab.shared", "mininet"), "shared": ("lab.shared",)}


def imported(path: Path) -> Iterator[str]:
    """The modules that a file names in imports, wherever they stand in it."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield f"{node.module}.{node.names[0].name}" if node.module == "lab" else node.module or ""


@pytest.mark.parametrize("room", ROOMS)
def test_the_room_imports_nothing_that_the_guest_lacks(room: str) -> None:
    for path in (PACKAGE / room).rglob("*.py"):
        for name in imported(path):
            known = name.split(".")[0] in sys.stdlib_module_names
            assert known or name.startswith(ROOMS[room]), f"{path.relative_to(PACKAGE)} imports {name}"
