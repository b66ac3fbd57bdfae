# SPDX-License-Identifier: MIT
"""Small conversions for several probes. Standard library only."""

from __future__ import annotations

import json
import math
import re
from typing import Any, TypeVar

from lab.probes.base import ProbeOutputError, Raw

T = TypeVar("T")
_DECIMAL = re.compile(r"[+-]?[0-9]+(\.[0-9]+)?", re.ASCII)
_DIGITS_AT_MOST = 40  # a quantity is never longer, and Python refuses to convert very long numbers


def seconds(ns: int) -> str:
    """Return nanoseconds as exact decimal seconds, as tools expect them: ``0.25``, ``30``."""
    whole, rest = divmod(ns, 1_000_000_000)
    return f"{whole}.{rest:09d}".rstrip("0").rstrip(".")


def stamp_ns(text: str) -> int:
    """Convert an absolute time stamp such as ``1795260956.978297`` to ns, without the rounding of a float.

    Raises:
        ValueError: If it is not a decimal number with at most nine decimal places.
    """
    whole, _, fraction = text.partition(".")
    if not (whole + fraction).isdigit() or not text.isascii() or len(fraction) > 9 or len(whole) > 12:
        raise ValueError(f"{text!r} is not a time stamp")
    return int(whole) * 1_000_000_000 + int(fraction.ljust(9, "0"))


def number(text: str) -> float:
    """Convert a plain decimal number; raise ValueError for anything else (also exponents, nan and inf)."""
    if len(text) > _DIGITS_AT_MOST or not _DECIMAL.fullmatch(text):
        raise ValueError(f"{text!r} is not a number")
    return float(text) if "." in text else int(text)


def documents(raw: Raw, suffix: str = "out") -> list[tuple[int, Any]]:
    """Yield the JSON documents in a file, each with the number of its first line."""
    text = raw.text(suffix)
    decoder = json.JSONDecoder(parse_constant=_refuse)
    found: list[tuple[int, Any]] = []
    position = 0
    while position < len(text):
        if text[position].isspace():
            position += 1
            continue
        line = text.count("\n", 0, position) + 1
        try:
            document, position = decoder.raw_decode(text, position)
        except (ValueError, RecursionError) as error:
            line += getattr(error, "lineno", line) - line
            raise ProbeOutputError(f"{raw.id}.{suffix}:{line}: not JSON: {error}") from None
        found.append((line, document))
    return found


def _refuse(constant: str) -> float:
    raise ValueError(f"{constant} is not a valid JSON number")


class Json:
    """Typed access to a JSON document; a wrong type or missing member raises a ProbeOutputError that names the key."""

    def __init__(self, value: Any, where: str) -> None:
        self._value = value
        self.where = where

    def __contains__(self, key: str) -> bool:
        return isinstance(self._value, dict) and key in self._value

    def __getitem__(self, key: str) -> Json:
        """Return a member of an object."""
        if key not in self:
            raise ProbeOutputError(f"{self.where}: {key!r} is missing")
        return Json(self._value[key], f"{self.where}: {key}")

    def members(self) -> dict[str, Json]:
        """Return the members of an object, by name."""
        return {key: self[key] for key in self._of(dict, "an object")}

    def absent(self) -> bool:
        """Return whether the value is null."""
        return self._value is None

    def items(self) -> list[Json]:
        """Return the elements of an array."""
        items = enumerate(self._of(list, "a list"))
        return [Json(item, f"{self.where}[{index}]") for index, item in items]

    def text(self) -> str:
        """Return a string."""
        return self._of(str, "a string")

    def number(self) -> float:
        """Return a finite number."""
        value = self._value
        if isinstance(value, bool) or not isinstance(value, int | float) or abs(value) > 1e18 or math.isnan(value):
            raise ProbeOutputError(f"{self.where}: must be a number, not {value!r:.60}")
        return float(value) if isinstance(value, float) else int(value)

    def integer(self) -> int:
        """Return an integer."""
        value = self.number()
        if not isinstance(value, int):
            raise ProbeOutputError(f"{self.where}: must be a whole number, not {value!r:.60}")
        return value

    def flag(self) -> bool:
        """Return true or false."""
        return self._of(bool, "true or false")

    def _of(self, wanted: type[T], noun: str) -> T:
        if not isinstance(self._value, wanted):
            raise ProbeOutputError(f"{self.where}: must be {noun}, not {self._value!r:.60}")
        return self._value
