# SPDX-License-Identifier: MIT
"""Kinds discovered from the files of a folder: ``nodes/ap.py`` holds the only class of kind ``ap``."""

from __future__ import annotations

import importlib
import pkgutil
from functools import cache
from typing import Any

from lab.errors import suggestion
from lab.model.base import Model, refuse


@cache
def kinds(package: str) -> dict[str, type[Model]]:
    """Return every kind of a package, sorted by name: each module has one subclass of ``base``."""
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
    """Return the kind that a mapping names with ``kind:``; refuse an unknown one, listing the known."""
    known = kinds(package)
    if not isinstance(value, dict):
        refuse(f"must be a mapping, such as {{kind: {next(iter(known))}}}")
    if "kind" not in value:
        refuse(f'"kind" is missing; write one of {", ".join(known)}')
    kind = str(value["kind"])
    if kind not in known:
        refuse(f'unknown kind "{kind}"{suggestion(kind, known)}; known kinds: {", ".join(known)}', key="kind")
    return kind


def pick_key(package: str, noun: str, value: Any) -> str:
    """Return the kind whose name is a key of the mapping (``roam: sta1``)."""
    known = kinds(package)
    if not isinstance(value, dict):
        refuse(f"{noun} must look like {{at: 5 s, {next(iter(known))}: …}}")
    given = [key for key in value if key in known]
    if len(given) > 1:
        refuse(
            f"{noun} does one thing, but this one has {' and '.join(given)}; write {len(given)} entries", key=given[1]
        )
    if not given:
        others = ", ".join(str(key) for key in value if key != "at")
        found = f'unknown kind of {noun.split()[-1]} "{others}"; ' if others else ""
        refuse(f"{found}{noun} needs one of these keys: {', '.join(known)}")
    return str(given[0])
