# SPDX-License-Identifier: MIT
"""How callers write times, commands and overrides, and where in their files.

Anything else raises CallError, which says what to write instead.
"""

from __future__ import annotations

import json
import os
import signal
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
    """Convert a time to ns.

    ``what``: the name of the parameter, for messages.
    """
    if not isinstance(time, str | float | int):
        raise CallError(f"{what}: {time!r} is not a time; write a number of seconds, such as 12.5")
    text = time if isinstance(time, str) else f"{float(time):.9f} s"
    try:
        found = int(units.DURATION.parse(text, usual="s"))
    except units.UnitError as error:
        raise CallError(f"{what}: {error}; or write a number of seconds, such as 12.5") from None
    if found < 0:
        raise CallError(f"{what}: {text} is below 0; write a number of seconds, such as 12.5")
    return found


def longer_duration(end_ns: int) -> str:
    """Return what to write for a timeline that ends later than at ``end_ns``."""
    return f'write a longer duration="{max(1, 2 * end_ns // 10**9)} s"'


def argv_of(argv: Sequence[str], example: str) -> list[str]:
    """Check the words of a command."""
    if isinstance(argv, str):
        listed = json.dumps(argv.split())
        raise CallError(
            f'{example}("{argv}"): a command is a list of words; write {example}({listed})',
            hint=f'for pipes and variables: {example}(["sh", "-c", "{argv}"])',
        )
    words = [text_of(word, f"{example}: the word") for word in argv]
    if not words:
        raise CallError(f'{example}([]): there is no command; write {example}(["ping", "-c", "3", "h1"])')
    return words


def text_of(text: object, what: str) -> str:
    """Check a text, or a path, that a program of a node can get."""
    if not isinstance(text, str | os.PathLike):
        wanted = text.decode(errors="replace") if isinstance(text, bytes) else str(text)
        raise CallError(f"{what} {text!r} is not text; write {json.dumps(wanted)}")
    found = str(text)
    if "\0" in found:
        raise CallError(f"{what} {found!r} has a zero byte, which ends a text; leave it out")
    return found


def bytes_of(content: object, what: str) -> bytes:
    """Convert a text, or bytes, to bytes."""
    if isinstance(content, str):
        return content.encode()
    if not isinstance(content, bytes | bytearray | memoryview):
        raise CallError(f'{what} {content!r} is neither text nor bytes; write "{content}" or b"{content}"')
    return bytes(content)


def environment_of(values: Mapping[str, str] | None) -> dict[str, str]:
    """Check variables of an environment."""
    if not isinstance(values, Mapping | None):
        raise CallError(f'env: {values!r} has no names and values; write env={{"NAME": "value"}}')
    found = {text_of(name, "env: the name"): text_of(value, f"env: {name}:") for name, value in (values or {}).items()}
    for name in found:
        if not name or "=" in name:
            raise CallError(f'env: "{name}" is not a valid name of a variable; write env={{"NAME": "value"}}')
    return found


def mode_of(mode: int) -> int:
    """Check the permissions of a file."""
    if not isinstance(mode, int) or not 0 <= mode <= 0o7777:
        raise CallError(f"mode: {mode!r} is not a valid mode; write a number, such as 0o644")
    return mode


def signal_of(number: int) -> int:
    """Check the number of a signal."""
    if not isinstance(number, int) or not 1 <= number < signal.NSIG:
        raise CallError(f"{number!r} is not a signal; write one of Python's module signal, such as signal.SIGTERM")
    return int(number)


def override(key: str, value: Any) -> str:
    """Return an override as ``--set`` takes it: ``key=value``."""
    return f"{key}={value if isinstance(value, str) else json.dumps(value)}"


def caller() -> str:
    """Return FILE:LINE of the innermost caller outside of the lab."""
    frame = sys._getframe(1)
    while frame.f_back is not None and Path(frame.f_code.co_filename).is_relative_to(PACKAGE):
        frame = frame.f_back
    return f"{label_of(Path(frame.f_code.co_filename))}:{frame.f_lineno}"
