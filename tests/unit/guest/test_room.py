# SPDX-License-Identifier: MIT
"""What code that runs in the guest may import: its own room, what is shared with the host, what its Python has.

The contracts of import-linter (pyproject.toml) put rooms in layers; they would let a kind's guest.py import lab.model.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from importlib.util import resolve_name

import pytest

from lab.checkout import CHECKOUT, PACKAGE

# files, and what they may import; a kind's guest.py is also imported on the host, which has no Mininet
ROOMS = {
    "__init__.py": (),
    "guest/**/*.py": ("lab.guest", "lab.shared", "mininet"),
    "shared/**/*.py": ("lab.shared",),
    "events/*/guest.py": ("lab.guest", "lab.shared"),
    "nodes/*/guest.py": ("lab.guest", "lab.shared"),
    "events/**/__init__.py": (),
    "nodes/**/__init__.py": (),
}


def imported(source: str, package: str) -> Iterator[str]:
    """The modules that a file of a package names in imports, wherever they stand in it."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            module = resolve_name("." * node.level + (node.module or ""), package)
            if module in ("lab", "lab.events", "lab.nodes"):  # what is taken from them are rooms and kinds
                yield from (f"{module}.{alias.name}" for alias in node.names)
            else:
                yield module


def lacking(source: str, package: str, allowed: tuple[str, ...]) -> list[str]:
    """What a file imports that is neither of Python itself nor allowed."""
    places = tuple(f"{name}." for name in allowed)
    return [
        name
        for name in imported(source, package)
        if name.split(".")[0] not in sys.stdlib_module_names and not f"{name}.".startswith(places)
    ]


@pytest.mark.parametrize("room", ROOMS)
def test_the_room_imports_nothing_that_the_guest_lacks(room: str) -> None:
    paths = list(PACKAGE.glob(room))
    assert paths
    for path in paths:
        package = ".".join(path.parent.relative_to(CHECKOUT).parts)
        assert lacking(path.read_text(), package, ROOMS[room]) == [], path.relative_to(PACKAGE)


@pytest.mark.parametrize(
    ("source", "found"),
    [
        ("from lab import shared, model", ["lab.model"]),
        ("from lab.guest import kinds, steps\nimport json, lab.model.event", ["lab.model.event"]),
        ("def f():\n    from lab.model.event import Event", ["lab.model.event"]),
        ("from lab.events.roam import file", ["lab.events.roam"]),
        ("from . import file", ["lab.events.link"]),
        ("from ..roam import guest", ["lab.events.roam"]),
        ("from ... import guest, model", ["lab.model"]),
        ("from ...types import Plan", ["lab.types"]),
        ("from .. import roam", ["lab.events.roam"]),
        ("import lab.guests, pydantic, os.path", ["lab.guests", "pydantic"]),
        ("from lab import guest, shared\nfrom lab.shared import types\nimport lab.guest.steps", []),
    ],
)
def test_a_kind_that_imports_what_the_guest_lacks_is_found(source: str, found: list[str]) -> None:
    assert lacking(source, "lab.events.link", ROOMS["events/*/guest.py"]) == found
