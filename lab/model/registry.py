# SPDX-License-Identifier: MIT
"""Finds the models of kinds by their folders: ``lab/nodes/ap/file.py`` has the model of kind ``ap``."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from types import ModuleType
from typing import Any

from lab.errors import suggestion
from lab.model.base import Model, refuse
from lab.shared.kinds import name_of, names, part


@cache
def kinds(room: str) -> dict[str, type[Model]]:
    """Return all kinds of a package (``lab.nodes``), by name in alphabetical order."""
    return {kind: _model(part(room, kind, "file")) for kind in names(room)}


def _model(module: ModuleType) -> type[Model]:
    """Return the model of a file.py: the last class that it defines, so models of parts can precede it."""
    classes = [member for member in vars(module).values() if isinstance(member, type) and issubclass(member, Model)]
    return [member for member in classes if member.__module__ == module.__name__][-1]


def kind_of(model: Model) -> str:
    """Return the name of a model's kind."""
    return name_of(type(model).__module__)


def pick_kind(room: str, value: Any) -> str:
    """Return the kind that a mapping names with ``kind:``; refuse an unknown one, listing the known."""
    known = kinds(room)
    if not isinstance(value, dict):
        refuse(f"must be a mapping, such as {{kind: {next(iter(known))}}}")
    if "kind" not in value:
        alike = next((str(key) for key in value if suggestion(str(key), ["kind"])), None)
        missing = f'unknown key "{alike}" (did you mean kind?)' if alike else '"kind" is missing'
        refuse(f"{missing}; write one of {', '.join(known)}", key=alike)
    kind = str(value["kind"])
    if kind not in known:
        refuse(f'unknown kind "{kind}"{suggestion(kind, known)}; known kinds: {", ".join(known)}', key="kind")
    return kind


def pick_model(noun: str, known: Iterable[str], value: Any) -> str:
    """Return the kind that a mapping names with ``model:``; refuse an unknown one, listing the known."""
    names = list(known)
    if not isinstance(value, dict):
        refuse(f"must be a mapping, such as {{model: {value if value in names else names[0]}}}")
    if "model" not in value:
        refuse(f'"model" is missing; write one of {", ".join(names)}')
    name = str(value["model"])
    if name not in names:
        refuse(f'unknown {noun} "{name}"{suggestion(name, names)}; known: {", ".join(names)}', key="model")
    return name


def pick_key(room: str, noun: str, value: Any) -> str:
    """Return the kind whose name is a key of the mapping (``roam: sta1``)."""
    known = kinds(room)
    if not isinstance(value, dict):
        refuse(f"{noun} must look like {{at: 5 s, {next(iter(known))}: …}}")
    given = [key for key in value if key in known]
    if len(given) > 1:
        refuse(
            f"{noun} does one thing, but this one has {' and '.join(given)}; write {len(given)} entries", key=given[1]
        )
    if not given:
        others = [str(key) for key in value if key != "at"]
        alike = next((key for key in others if suggestion(key, known)), None)
        meant = f'"{", ".join(others)}"' if alike is None else f'"{alike}"{suggestion(alike, known)}'
        found = f"unknown kind of {noun.split()[-1]} {meant}; " if others else ""
        refuse(f"{found}{noun} needs one of these keys: {', '.join(known)}")
    return str(given[0])
