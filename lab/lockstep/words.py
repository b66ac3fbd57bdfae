# SPDX-License-Identifier: MIT
"""How callers write times, commands and settings, and where in their files."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from lab import units
from lab.checkout import PACKAGE
from lab.lockstep.errors import CallError
from lab.model.document import label_of

__tracebackhide__ = True  # pytest shows the line of the caller
Time = float | str  # seconds, or text with a unit: "12.5 s", "300 ms"


def time_ns(time: Time, what: str) -> int:
    """A time in ns.

    Args:
        time: as the caller gave it.
        what: the name of the parameter, for messages.

    Raises:
        CallError: It is not a time.
    """
    text = time if isinstance(time, str) else f"{float(time):.9f} s"
    try:
        found = int(units.DURATION.parse(text, usual="s"))
    except units.UnitError as error:
        raise CallError(f"{what}: {error}; or write a number of seconds, such as 12.5") from None
    if found < 0:
        raise CallError(f"{what}: {text} is below 0; write a number of seconds, such as 12.5")
    return found


def longer_duration(end_ns: int) -> str:
    """What to write for a timeline that ends later than at ``end_ns``."""
    return f'write a longer duration="{max(1, 2 * end_ns // 10**9)} s"'


def argv_of(argv: Sequence[str], example: str) -> list[str]:
    """The words of a command.

    Raises:
        CallError: It is a single text, or empty.
    """
    if isinstance(argv, str):
        listed = json.dumps(argv.split())
        raise CallError(
            f'{example}("{argv}"): a command is a list of words; write {example}({listed})',
            hint=f'for pipes and variables: {example}(["sh", "-c", "{argv}"])',
        )
    words = [os.fspath(word) for word in argv]
    if not words:
        raise CallError(f'{example}([]): there is no command; write {example}(["ping", "-c", "3", "h1"])')
    return words


def setting(key: str, value: Any) -> str:
    """A setting as ``--set`` takes it: ``key=value``."""
    return f"{key}={value if isinstance(value, str) else json.dumps(value)}"


def settings_of(values: Mapping[str, Any]) -> list[str]:
    """Settings as ``--set`` takes them."""
    return [setting(key, value) for key, value in values.items()]


def caller() -> str:
    """FILE:LINE of the innermost caller outside of the lab."""
    frame = sys._getframe(1)
    while frame.f_back is not None and Path(frame.f_code.co_filename).is_relative_to(PACKAGE):
        frame = frame.f_back
    return f"{label_of(Path(frame.f_code.co_filename))}:{frame.f_lineno}"
