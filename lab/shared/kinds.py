# SPDX-License-Identifier: MIT
"""Kinds of events and of nodes: each is a folder of ``lab/events`` or ``lab/nodes``, whose modules are loaded by name.

A folder's name is the kind's, with ``_`` for ``-``.
"""

from __future__ import annotations

import importlib
from types import ModuleType

EVENTS = "lab.events"
NODES = "lab.nodes"


def names(room: str) -> list[str]:
    """The kinds that a room has, in alphabetical order."""
    import pkgutil  # only the host asks for names

    folders = importlib.import_module(room).__path__
    return sorted(found.name.replace("_", "-") for found in pkgutil.iter_modules(folders) if found.ispkg)


def name_of(module: str) -> str:
    """The kind that a module of a kind's folder belongs to."""
    return module.split(".")[-2].replace("_", "-")


def part(room: str, kind: str, name: str) -> ModuleType:
    """A module of a kind's folder, such as ``guest``."""
    return importlib.import_module(f"{room}.{kind.replace('-', '_')}.{name}")


def part_or_none(room: str, kind: str, name: str) -> ModuleType | None:
    """A module of a kind's folder that may be left out."""
    import importlib.util

    folder = f"{room}.{kind.replace('-', '_')}"
    if importlib.util.find_spec(folder) is None or importlib.util.find_spec(f"{folder}.{name}") is None:
        return None
    return part(room, kind, name)
