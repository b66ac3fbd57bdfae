# SPDX-License-Identifier: MIT
"""A class of the lab has a name of its own, so that a name says which thing is meant."""

from __future__ import annotations

import ast
from collections import defaultdict
from pathlib import Path

import lab
from lab import library

LAB = Path(lab.__file__).parent
WRITTEN, OFFERED, OTHER = "what a user writes", "what programs import from lab", "any other"


def found_by_file(path: Path, tree: ast.ClassDef) -> bool:
    """Whether the registry finds the class by its file, whatever its name: ``goodput`` is a metric and its view."""
    rooms = [LAB / room for room in library.NOUNS]
    is_part = path.stem in ("file", "guest")
    name = path.parent.name if is_part else path.stem
    room = path.parent.parent if is_part else path.parent
    return room in rooms and bool(tree.bases) and not name.startswith("_") and name != "base"


def convention(path: Path, tree: ast.ClassDef) -> str:
    """The classes of one convention have different names; those of two may share one.

    A model of a file and what it resolves to are one thing: ``lab.model.node.Node``, ``lab.shared.types.Node``. So is
    what a program gets from ``from lab import Node``.
    """
    if path.parent == LAB / "model" and tree.bases:
        return WRITTEN
    return OFFERED if path.parent == LAB / "lockstep" and tree.name in lab.__all__ else OTHER


def shared(folder: Path) -> dict[str, list[str]]:
    """The public names that several classes of one convention have, with their files."""
    files: dict[tuple[str, str], list[str]] = defaultdict(list)
    for path in sorted(folder.rglob("*.py")):
        for tree in ast.parse(path.read_text()).body:
            if isinstance(tree, ast.ClassDef) and not tree.name.startswith("_") and not found_by_file(path, tree):
                files[tree.name, convention(path, tree)].append(path.relative_to(folder).as_posix())
    return {name: where for (name, _), where in files.items() if len(where) > 1}


def test_no_two_classes_share_a_name() -> None:
    assert shared(LAB) == {}


def test_a_shared_name_is_found(tmp_path: Path) -> None:
    for name in ("one.py", "other.py"):
        (tmp_path / name).write_text("class Outcome:\n    pass\n\n\nclass _Private:\n    pass\n")
    assert shared(tmp_path) == {"Outcome": ["one.py", "other.py"]}
