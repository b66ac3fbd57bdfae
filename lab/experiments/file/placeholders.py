# SPDX-License-Identifier: MIT
"""``{axis}`` in the texts of an experiment, and its settings as ``--set`` takes them.

Only the name of an axis in braces is a reference. ``%{http_code}``, ``${HOME}`` and ``{server.ip}`` stay as they are,
and ``{{axis}}`` gives the text ``{axis}``.
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
    """Every axis that a value (any YAML) names, in order."""
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
    """The text with the labels of axes in place of their names."""
    pieces = _QUOTED.split(text)
    pieces[::2] = [_REFERENCE.sub(lambda match: labels.get(match[1], match[0]), piece) for piece in pieces[::2]]
    return "".join(pieces)


def setting(key: str, value: Any, labels: Mapping[str, str]) -> tuple[str, str]:
    """Key and text of ``--set key=text``, from which the same value is read again.

    A text in which an axis was filled in is read as if it had been written so: ``"{count}"`` is then a number.
    """
    return fill(key, labels), _write(value, labels, _top)


def _write(value: Any, labels: Mapping[str, str], text_of: Callable[[str, bool], str]) -> str:
    """A value as YAML in one line."""
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
    """A text by itself, in quotes where it would be read as something else."""
    return text if text == text.strip() and _same(text, text, filled) else _quoted(text)


@lru_cache(10_000)
def _inner(text: str, filled: bool) -> str:
    """A text within a list or mapping."""
    plain = text == text.strip() and _same(f"[{text}]", [text], filled) and _same(f"{{a: {text}}}", {"a": text}, filled)
    return text if plain else _quoted(text)


@lru_cache(10_000)
def _key(text: str) -> str:
    """A key of a mapping."""
    return text if text == text.strip() and _same(f"{{{text}: 0}}", {text: 0}, False) else _quoted(text)


def _same(written: str, meant: Any, filled: bool) -> bool:
    """Whether what is written is read as what is meant; where it was filled in, a number or a truth will do."""
    try:
        found = scalar(written, "")
    except InputError:
        return False
    if found == meant and type(found) is type(meant):
        return True
    return filled and isinstance(_single(found), int | float)


def _single(value: Any) -> Any:
    """The one thing in a list or mapping; else the value."""
    inner = list(value.values()) if isinstance(value, dict) else value
    return inner[0] if isinstance(inner, list) and len(inner) == 1 else value


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)
