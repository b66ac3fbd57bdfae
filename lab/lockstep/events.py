# SPDX-License-Identifier: MIT
"""Events of a timeline, as objects: ``roam("sta1", "ap2")`` is ``roam: sta1, to: ap2`` of a file."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from lab.lockstep.errors import CallError

__tracebackhide__ = True  # pytest shows the line of the caller
_PYTHON_KEYWORDS = {"from_": "from"}  # keys that no parameter can be called


@dataclass(frozen=True)
class Event:
    """An event without its time. ``written`` is what a file has in braces, without ``at:``."""

    written: str


def event(kind: str, target: Any, **keys: Any) -> Event:
    """Return any event of a timeline (docs/reference/files.md lists them).

    Args:
        kind: its first key, such as ``netem``.
        target: the value of that.
        keys: the others; ``from_`` is ``from``. Quantities are text with a unit: ``delay="20 ms"``.

    Raises:
        CallError: If a value is neither text nor a number, nor a list or dict of them.
    """
    values = {kind: target, **{_PYTHON_KEYWORDS.get(key, key): value for key, value in keys.items()}}
    return Event(", ".join(f"{key}: {_written(str(key), value)}" for key, value in values.items()))


def _written(key: str, value: Any) -> str:
    try:
        return json.dumps(value)
    except (TypeError, ValueError):  # an object without a text, or a list in itself
        raise CallError(
            f"{key}: {value!r} cannot be written into a timeline; write text, a number, or a list of them"
        ) from None


def roam(station: str, to: str) -> Event:
    """Hand a station off to an access point."""
    return event("roam", station, to=to)


def move(node: str, to: Sequence[str], speed: str | None = None) -> Event:
    """Move a node: ``move("sta1", ["42 m", "0 m", "1 m"], speed="3 m/s")``; without a speed, at once."""
    return event(
        "move", node, to=list(to) if isinstance(to, Iterable) else to, **({} if speed is None else {"speed": speed})
    )


def power(ap: str, to: str) -> Event:
    """Switch an access point ``"off"`` or ``"on"``."""
    return event("power", ap, to=to)


def link(one: str, other: str, to: str) -> Event:
    """Take the wired link between two nodes ``"down"`` or ``"up"``."""
    return event("link", [one, other], to=to)
