# SPDX-License-Identifier: MIT
"""Kinds found by the files of a folder: ``nodes/ap.py`` holds the one class of kind ``ap``."""

from __future__ import annotations

import importlib
import pkgutil
from functools import cache
from typing import Any

from lab.errors import suggestion
from lab.model.base import Model, refuse


@cache
def kinds(package: str) -> dict[str, type[Model]]:
    """Every kind of a package, by name in alphabetical order: one module, one subclass of its ``base``."""
    folder = importlib.import_module(package)
    found = {}
    for module_info in pkgutil.iter_modules(folder.__path__):
        if module_info.name == "base":
            continue
        module = importlib.import_module(f"{package}.{module_info.name}")
        (found[module_info.name.replace("_", "-")],) = [
            member
            for member in vars(module).values()
            if isinstance(member, type) and issubclass(member, Model) and member.__module__ == module.__name__
        ]
    return dict(sorted(found.items()))


def pick_kind(package: str, value: Any) -> str:
    """The kind that a mapping names with ``kind:``; refuses an unknown one, listing the known."""
    known = kinds(package)
    if not isinstance(value, dict):
        refuse(f"wants keys and values, such as {{kind: {next(iter(known))}}}")
    if "kind" not in value:
        refuse(f'needs "kind", one of {", ".join(known)}')
    kind = str(value["kind"])
    if kind not in known:
        refuse(f'unknown kind "{kind}"{suggestion(kind, known)}; known kinds: {", ".join(known)}', key="kind")
    return kind


def pick_key(package: str, noun: str, value: Any) -> str:
    """The kind that a mapping names by having a key of that name (``roam: sta1``)."""
    known = kinds(package)
    if not isinstance(value, dict):
        refuse(f"{noun} is written as {{at: 5 s, {next(iter(known))}: …}}")
    given = [key for key in value if key in known]
    if len(given) > 1:
        refuse(f"{noun} does one thing, this one has {' and '.join(given)}; write {len(given)} of them", key=given[1])
    if not given:
        others = ", ".join(str(key) for key in value if key != "at")
        found = f'unknown kind of {noun.split()[-1]} "{others}"; ' if others else ""
        refuse(f"{found}{noun} has one of these keys: {', '.join(known)}")
    return str(given[0])
