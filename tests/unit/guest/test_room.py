# SPDX-License-Identifier: MIT
"""What code that runs in the guest may import: its own room, what is shared with the host, what its Python has."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from lab.checkout import PACKAGE

# files, and what they may import; a kind's guest.py is also imported on the host, which has no Mininet
ROOMS = {
    "guest/**/*.py": ("lab.guest", "lab.shared", "mininet"),
    "shared/**/*.py": ("lab.shared",),
    "events/*/guest.py": ("lab.guest", "lab.shared"),
    "nodes/*/guest.py": ("lab.guest", "lab.shared"),
    "events/**/__init__.py": (),
    "nodes/**/__init__.py": (),
}


def imported(path: Path) -> Iterator[str]:
    """The modules that a file names in imports, wherever they stand in it."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield f"{node.module}.{node.names[0].name}" if node.module == "lab" else node.module or ""


@pytest.mark.parametrize("room", ROOMS)
def test_the_room_imports_nothing_that_the_guest_lacks(room: str) -> None:
    paths = list(PACKAGE.glob(room))
    assert paths
    for path in paths:
        for name in imported(path):
            known = name.split(".")[0] in sys.stdlib_module_names
            assert known or name.startswith(ROOMS[room]), f"{path.relative_to(PACKAGE)} imports {name}"
