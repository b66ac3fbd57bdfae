# SPDX-License-Identifier: MIT
"""``{axis}`` in the texts of an experiment, and its overrides in the form of ``--set``.

Only the name of an axis in braces is a reference. ``%{http_code}``, ``${HOME}`` and ``{server.ip}`` stay unchanged, and
``{{axis}}`` gives the text ``{axis}``.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache
from typing import Any

from lab.errors import InputError
from lab.model.document import scalar

_NAME = r"[A-Za-z_][A-Za-z0-9_]*(?:-[A-Za-z0-9_]+)*"
_REFERENCE = re.compile(rf"(?<![%$])\{{({_NAME})\}}")
_QUOTED = re.compile(rf"\{{(\{{{_NAME}\}})\}}")


def names(value: Any) -> Iterator[str]:
    """Yield every axis that a value (any YAML) names, in order."""
    if isinstance(value, str):
        for piece in _QUOTED.split(value)[::2]:
            yield from _REFERENCE.findall(piece)
    elif isinstance(value, list):
        for item in value:
            yield from names(item)
    elif isinstance(value, dict):
        for key, item in value.items():
            yield from names(key)
            yield from names(item)


def fill(text: str, labels: Mapping[str, str]) -> str:
    """Replace names of axes in a text by their labels."""
    pieces = _QUOTED.split(text)
    pieces[::2] = [_REFERENCE.sub(lambda match: labels.get(match[1], match[0]), piece) for piece in pieces[::2]]
    return "".join(pieces)


def override(key: str, value: Any, labels: Mapping[str, str]) -> tuple[str, str]:
    """Return key and text of ``--set key=text``, which parses to the same value.

    A text in which an axis was replaced is parsed as if written literally: ``"{count}"`` becomes a number.
    """
    return fill(key, labels), _write(value, labels, _top)


def _write(value: Any, labels: Mapping[str, str], text_of: Callable[[str, bool], str]) -> str:
    """Format a value as YAML on one line."""
    if isinstance(value, str):
        filled = fill(value, labels)
        return text_of(filled, filled != value)
    if isinstance(value, list):
        return f"[{', '.join(_write(item, labels, _inner) for item in value)}]"
    if isinstance(value, dict):
        items = (f"{_key(fill(key, labels))}: {_write(item, labels, _inner)}" for key, item in value.items())
        return f"{{{', '.join(items)}}}"
    if value is None or isinstance(value, bool):
        return json.dumps(value)
    return str(getattr(value, "written", value))


@lru_cache(10_000)
def _top(text: str, filled: bool) -> str:
    """Format a text on its own, quoted if YAML would parse it as something else."""
    return text if text == text.strip() and _same(text, text, filled) else _quoted(text)


@lru_cache(10_000)
def _inner(text: str, filled: bool) -> str:
    plain = text == text.strip() and _same(f"[{text}]", [text], filled) and _same(f"{{a: {text}}}", {"a": text}, filled)
    return text if plain else _quoted(text)


@lru_cache(10_000)
def _key(text: str) -> str:
    return text if text == text.strip() and _same(f"{{{text}: 0}}", {text: 0}, False) else _quoted(text)


def _same(written: str, expected: Any, filled: bool) -> bool:
    """Return whether a text parses to the expected value; after a replacement, to a number or boolean."""
    try:
        found = scalar(written, "")
    except InputError:
        return False
    if found == expected and type(found) is type(expected):
        return True
    return filled and isinstance(_single(found), int | float)


def _single(value: Any) -> Any:
    """Return the only entry of a list or mapping, else the value itself."""
    inner = list(value.values()) if isinstance(value, dict) else value
    return inner[0] if isinstance(inner, list) and len(inner) == 1 else value


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)
