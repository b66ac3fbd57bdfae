# SPDX-License-Identifier: MIT
"""Base class of the models of radio propagation, each a dataclass whose fields are its parameters."""

from __future__ import annotations

import dataclasses
import math
from typing import Any, ClassVar

from lab.errors import InputError


class PhyModel:
    """Base class of all models of radio propagation."""

    name: ClassVar[str]  # that of its file
    about: ClassVar[str]

    def __init_subclass__(cls) -> None:
        cls.name = cls.__module__.rpartition(".")[2]


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


def check(key: str, value: object, least: float, most: float, unit: str = "") -> None:
    """Refuse a parameter that is not a number from ``least`` to ``most``.

    Raises:
        BoundsError: If it is out of bounds; says what to write.
    """
    number = isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)
    if not (number and least <= value <= most):  # type: ignore[operator]
        raise BoundsError(key, value, f"write a number from {least:g} to {most:g}{f' {unit}' if unit else ''}")
