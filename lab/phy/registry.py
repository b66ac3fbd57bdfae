# SPDX-License-Identifier: MIT
"""Kinds discovered from the files of a folder, each with the parameters of its dataclass.

Each module of the folder has one dataclass, a subclass of the base class in ``base.py``; its ``name`` is what users
write. ``base`` and files that start with ``_`` are not kinds.
"""

from __future__ import annotations

import dataclasses
import importlib
import math
import pkgutil
from functools import cache
from types import ModuleType
from typing import Any, ClassVar, TypeVar

from lab.errors import InputError, suggestion


class Kind:
    """Base class of all kinds."""

    name: ClassVar[str]
    about: ClassVar[str]


class BoundsError(InputError):
    """A parameter is out of bounds; ``key`` is its name in the dataclass, ``wanted`` says what to write."""

    def __init__(self, key: str, value: object, wanted: str) -> None:
        self.key = key
        self.wanted = wanted
        super().__init__(f"{key} is {value}; {wanted}")


def param(about: str, *, default: Any = dataclasses.MISSING, unit: str = "") -> Any:
    """Declare a field of a kind's dataclass as a parameter.

    Args:
        about: what it means, in a sentence.
        default: without one, the parameter is required.
        unit: its unit, which files write with the value. A name may end with the unit (``k_db``); files leave that
            suffix out (``k: 6 dB``).
    """
    return dataclasses.field(default=default, metadata={"about": about, "unit": unit})


K = TypeVar("K", bound=Kind)


@cache
def _modules(package: str) -> tuple[ModuleType, ...]:
    folder = importlib.import_module(package)
    names = (info.name for info in pkgutil.iter_modules(folder.__path__))
    return tuple(
        importlib.import_module(f"{package}.{name}") for name in names if name != "base" and not name.startswith("_")
    )


def kinds(package: str, base: type[K]) -> dict[str, type[K]]:
    """Return every kind of a package, sorted by name."""
    found: dict[str, type[K]] = {}
    for module in _modules(package):
        (kind,) = (
            member
            for member in vars(module).values()
            if isinstance(member, type) and issubclass(member, base) and member.__module__ == module.__name__
        )
        found[kind.name] = kind
    return dict(sorted(found.items()))


def build(package: str, base: type[K], noun: str, name: str, params: dict[str, Any]) -> K:
    """Create the kind of that name with those parameters; ``noun`` is what messages call it.

    Raises:
        InputError: an unknown kind, or an unknown, missing or out-of-bounds parameter.
    """
    known = kinds(package, base)
    if name not in known:
        raise InputError(f'unknown {noun} "{name}"{suggestion(name, known)}; known: {", ".join(known)}')
    fields = {field.name: field for field in dataclasses.fields(known[name]) if field.init}  # type: ignore[arg-type]
    for key in params:
        if key not in fields:
            has = f"its parameters are {', '.join(fields)}" if fields else "it has no parameters"
            raise InputError(f'{noun} {name} has no "{key}"{suggestion(key, fields)}; {has}')
    for key, field in fields.items():
        if key not in params and field.default is dataclasses.MISSING:
            raise InputError(f'{noun} {name} needs the parameter "{key}"')
    return known[name](**params)


def check(key: str, value: object, least: float, most: float, unit: str = "") -> None:
    """Refuse a parameter that is not a number from ``least`` to ``most``.

    Raises:
        BoundsError: says what to write.
    """
    number = isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)
    if not (number and least <= value <= most):  # type: ignore[operator]
        raise BoundsError(key, value, f"write a number from {least:g} to {most:g}{f' {unit}' if unit else ''}")
