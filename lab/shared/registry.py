# SPDX-License-Identifier: MIT
"""The rule of lab.registry: a file has one public class that is derived from the base class of its room.

The guest finds ``guest.py`` of events and kinds of nodes by name, those of stacks too: all are in the lab's folder
there (lab.machine.guest_code).
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from types import ModuleType
from typing import TypeVar

T = TypeVar("T")
RULE = "a file has one class that other files know by the name of the file; names of helpers begin with _"


class RuleError(Exception):
    """A file has no such class, or several."""


def only(module: ModuleType, base: Callable[..., T]) -> type[T]:
    """Return the public class of a module that is derived from ``base``.

    Raises:
        RuleError: If it has none, or several.
    """
    found = [
        member
        for name, member in vars(module).items()
        if isinstance(member, type) and base in member.__mro__ and member.__module__ == module.__name__
        if not name.startswith("_")
    ]
    if len(found) != 1:
        has = " and ".join(one.__name__ for one in found) if found else "no public class"
        raise RuleError(f"has {has} derived from {base.__name__}; write exactly one")
    return found[0]


def _in_bundle(room: str, name: str) -> ModuleType:
    return importlib.import_module(f"lab.{room}.{name.replace('-', '_')}.guest")


module: Callable[[str, str], ModuleType] = _in_bundle  # by room and name; lab.registry has another one for the host
