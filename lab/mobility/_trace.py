# SPDX-License-Identifier: MIT
"""What the readers of traces share."""

from __future__ import annotations

import re

from lab.model.mobility import HEIGHT_MM

HEIGHT_M = HEIGHT_MM / 1000  # of nodes whose height a trace does not give
NUMBER = r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d{1,3})?"
_NUMBER = re.compile(NUMBER, re.ASCII)
_MOST = 1e6  # m, s, m/s
WAYPOINTS_MOST = 1_000_000  # of a file


class TraceError(Exception):
    """A line that cannot be read, counted from 1."""

    def __init__(self, line: int, message: str) -> None:
        self.line = line
        self.message = message
        super().__init__(message)


def number(text: str, what: str, line: int) -> float:
    """Return a number of a trace; ``what`` is its name in messages.

    Raises:
        TraceError: If it is not a number, or is out of bounds.
    """
    value = float(text) if _NUMBER.fullmatch(text) else None
    if value is None:
        raise TraceError(line, f'"{text[:40]}" is not a number ({what})')
    if abs(value) > _MOST:
        raise TraceError(line, f"{text[:40]} is too large ({what}); numbers are at most {_MOST:g}")
    return value


def time(text: str, line: int) -> float:
    """Return a time, which must not be negative; raise TraceError as ``number`` does."""
    value = number(text, "time in s", line)
    if value < 0:
        raise TraceError(line, f"{text[:40]} s is before the start")
    return value
