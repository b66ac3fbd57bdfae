# SPDX-License-Identifier: MIT
"""A YAML file as plain data that remembers the line of each key."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lab.checkout import DATA
from lab.errors import InputError
from lab.model import syntax

if TYPE_CHECKING:
    from ruamel.yaml.nodes import Node

Keys = tuple[str | int, ...]

_NODES_MAX = 200_000  # values in one file, aliases expanded; more is a mistake (or an attack)
_DEPTH_MAX = 60
_BRACES = 'put text with braces in quotes: "{server.ip}"'  # otherwise YAML reads {{x}} as a mapping
NO_TEXT = re.compile("[\0\ud800-\udfff]")  # what neither a path nor UTF-8 can have
_FILES_KEPT = 64  # parsed files: a series of plans parses each file only once


class WrittenInt(int):
    """An integer that knows how it was written, for keys that want text (``run: [sleep, 010]``)."""

    written: str


class WrittenFloat(float):
    """A float that knows how it was written."""

    written: str


@dataclass
class Document:
    """One file: ``data`` as dicts, lists and scalars; ``locations`` maps key paths to ``file:line``."""

    path: Path
    label: str
    data: Any
    locations: dict[Keys, str] = field(default_factory=dict)

    def where(self, keys: Keys) -> str:
        """Return ``file:line`` of the key, or of the innermost enclosing key that the file has."""
        for length in range(len(keys), -1, -1):
            location = self.locations.get(keys[:length])
            if location is not None:
                return location
        return self.label

    def error(self, keys: Keys, message: str, hint: str | None = None) -> InputError:
        """Create an error about the value at ``keys``."""
        return InputError(message, where=self.where(keys), hint=hint, keys=keys)


def dotted(keys: Keys) -> str:
    """Format ``("links", 0, "loss")`` as users write it: ``links.0.loss``."""
    return ".".join(str(key) for key in keys)


def plain(value: Any) -> Any:
    """Return the content of a document in Python's own types: numbers no longer know how they were written."""
    if isinstance(value, dict):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, list):
        return [plain(item) for item in value]
    return next(
        (scalar(value) for scalar in (int, float, str) if isinstance(value, scalar) and type(value) is not bool), value
    )


def unquoted(value: Any) -> str | None:
    """Return the message about text in braces without quotes, which YAML reads as a mapping; None of other values."""
    if not isinstance(value, dict) or len(value) != 1 or next(iter(value.values())) is not None:
        return None
    braces = f"{{{next(iter(value))}}}"
    return f'YAML reads {braces} as a mapping; write "{braces}" in quotes'


def label_of(path: Path) -> str:
    """Return the name of a file for messages and records: relative to the lab's files or current directory if inside.

    The lab's own files have the same name wherever ``lab`` is started, so that equal runs have equal records.
    """
    resolved = Path(os.path.realpath(path))  # of a link to itself, too
    for folder in (DATA, Path.cwd()):
        if resolved.is_relative_to(folder):
            return str(resolved.relative_to(folder))
    return str(path)


def parse(text: str, path: Path, label: str) -> Document:
    """Parse YAML text.

    Raises:
        InputError: If it is not YAML, or empty (file:line).
    """
    data, locations = _built(text, label)
    return Document(path, label, _copied(data), locations.copy())


def scalar(text: str, label: str) -> Any:
    """Return the value of a short YAML text, such as the right side of ``--set``; empty text is an empty string."""
    try:
        return parse(text, Path(label), label).data if text.strip() else ""
    except InputError as error:
        raise InputError(error.message, where=label, hint=error.hint) from None


@lru_cache(_FILES_KEPT)
def _built(text: str, label: str) -> tuple[Any, dict[Keys, str]]:
    """Return data and locations of a file, neither of which must be changed. Errors as in ``parse``."""
    document = Document(Path(label), label, None)
    root = _compose(text, label)
    if root is None:
        raise InputError("is empty", where=label)
    _Builder(document).build(root)
    return document.data, document.locations


def _copied(data: Any) -> Any:
    """Return a copy of data; its scalars cannot be changed."""
    if isinstance(data, dict):
        return {key: _copied(value) for key, value in data.items()}
    if isinstance(data, list):
        return [_copied(value) for value in data]
    return data


def _compose(text: str, label: str) -> Node | None:
    """Return the YAML node tree. InputError names the line of a syntax error."""
    from ruamel.yaml import YAML
    from ruamel.yaml.error import MarkedYAMLError, YAMLError

    try:
        root: Node | None = YAML(typ="safe", pure=True).compose(text)
        return root
    except MarkedYAMLError as failure:
        raise syntax.error(text, label, failure) from failure
    except RecursionError as error:
        raise InputError("is nested too deeply", where=label) from error
    except (YAMLError, ValueError, AttributeError, TypeError, KeyError, IndexError) as error:
        # some syntax errors escape ruamel's scanner as these exceptions; the text is at fault in any case
        raise InputError(f"is not valid YAML: {error}", where=label) from error


class _Builder:
    """Converts YAML nodes into data and records where each was written."""

    def __init__(self, document: Document) -> None:
        self.document = document
        self.count = 0

    def build(self, root: Node) -> None:
        self.document.locations[()] = self._location(root)
        self.document.data = self._value(root, (), 0)

    def _location(self, node: Node) -> str:
        return f"{self.document.label}:{node.start_mark.line + 1}"

    def _value(self, node: Node, keys: Keys, depth: int) -> Any:
        self.count += 1
        if self.count > _NODES_MAX or depth > _DEPTH_MAX:
            raise InputError("is nested too deeply, or refers to itself", where=self._location(node))
        if isinstance(node.value, str):
            return self._scalar(node, keys)
        if node.value and isinstance(node.value[0], tuple):
            return self._mapping(node, keys, depth)
        if node.tag == "tag:yaml.org,2002:map":
            return {}
        return self._sequence(node, keys, depth)

    def _sequence(self, node: Node, keys: Keys, depth: int) -> list[Any]:
        items = []
        for index, item in enumerate(node.value):
            self.document.locations[(*keys, index)] = self._location(item)
            items.append(self._value(item, (*keys, index), depth + 1))
        return items

    def _mapping(self, node: Node, keys: Keys, depth: int) -> dict[str, Any]:
        items: dict[str, Any] = {}
        self._refuse_lost_values(node, keys)
        for key_node, value_node in node.value:
            if not isinstance(key_node.value, str):
                raise InputError("a key must be text", where=self._location(key_node), hint=_BRACES)
            key = key_node.value
            if not key.isprintable():
                raise InputError(
                    f"{key!r} is not a valid key: it has unprintable characters; remove them",
                    where=self._location(key_node),
                )
            path = (*keys, key)
            if key in items:
                raise InputError(
                    f"{dotted(path)}: is a duplicate of the key at {self.document.locations[path]}",
                    where=self._location(key_node),
                )
            self.document.locations[path] = self._location(key_node)
            items[key] = self._value(value_node, path, depth + 1)
        return items

    def _refuse_lost_values(self, node: Node, keys: Keys) -> None:
        """Refuse ``{delay: 0,5 ms}`` and the like."""
        entries = [(key.value, value) for key, value in node.value if isinstance(key.value, str) and key.style is None]
        is_lost = [value.value == "" and value.style is None for _, value in entries]  # not written: {key}
        if not any(is_lost):
            return
        first = is_lost.index(True)
        end = (*is_lost, False).index(False, first)
        lost = [key for key, _ in entries[first:end]]
        before, value = entries[first - 1] if first else ("", None)
        path = dotted((*keys, before)) if value is not None else ""
        error = syntax.lost_values(self._location(node.value[first][0]), path, value.value if value else None, lost)
        if error is not None:
            raise error

    def _scalar(self, node: Node, keys: Keys) -> Any:
        text: str = node.value
        if (unfit := NO_TEXT.search(text)) is not None:
            what = "a zero byte, which ends a text" if unfit[0] == "\0" else "half of a UTF-16 pair, not a character"
            raise self.document.error(keys, f"{text!a} has {what}; remove it")
        tag = str(node.tag).rsplit(":", 1)[-1]
        try:
            return _SCALARS.get(tag, str)(text)
        except ValueError:  # tagged by hand: !!int abc
            raise InputError(f'"{text}" is not a valid {tag}', where=self._location(node)) from None


def _integer(text: str) -> WrittenInt:
    digits = text.replace("_", "")
    if len(digits) > 40:
        raise ValueError(text)
    value = WrittenInt(digits, 0 if digits.lstrip("+-").lower().startswith(("0x", "0o", "0b")) else 10)
    value.written = text
    return value


def _float(text: str) -> WrittenFloat:
    special = text.lower().replace(".inf", "inf").replace(".nan", "nan")
    value = WrittenFloat(special.replace("_", ""))
    value.written = text
    return value


def _boolean(text: str) -> bool:
    if text.lower() not in ("true", "false"):
        raise ValueError(text)
    return text.lower() == "true"


_SCALARS: dict[str, Any] = {"int": _integer, "float": _float, "bool": _boolean, "null": lambda text: None}
