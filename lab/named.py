# SPDX-License-Identifier: MIT
"""What has names that users write: nodes, metrics, interfaces."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NoReturn, TypeVar

from lab.errors import LabError, unknown

V = TypeVar("V")


class Named(dict[str, V]):
    """A dict that lists its names if it lacks one. ``noun`` is what they name: "metric"."""

    def __init__(self, noun: str, found: Mapping[str, V], error: type[LabError] = LabError) -> None:
        super().__init__(found)
        self._noun = noun
        self._error = error

    def __missing__(self, name: object) -> NoReturn:
        raise self._error(unknown(self._noun, str(name), self))
