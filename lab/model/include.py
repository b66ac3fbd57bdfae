# SPDX-License-Identifier: MIT
"""``include:`` a file takes over what other files say.

Lists of included files come first, in their order. Mappings are joined: a name may be given once. Of single values,
such as ``duration``, a file's own count, and ``name`` and ``about`` of included files do not.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from lab.errors import InputError
from lab.model.document import Document, Keys, label_of, parse

KEY = "include"
_MOST_BYTES = 20_000_000  # of YAML, which takes a second for 100 KB
_OWN = (KEY, "name", "about")  # of each file
_PATHS = (("medium", "errors", "table"), ("topology",), ("workload",))  # may be relative to their file


def read(path: Path) -> Document:
    """Read and parse a file with those that it includes.

    Raises:
        InputError: If a file cannot be read, is not UTF-8 text, or is not YAML; includes itself, or what it includes
            says the same (file:line).
    """
    return _read(path, ())


def _read(path: Path, through: tuple[Path, ...]) -> Document:
    document = parse(_text(path), path, label_of(path))
    if not isinstance(document.data, dict) or KEY not in document.data:
        return document
    names = document.data[KEY]
    listed = [names] if isinstance(names, str) else names
    if not isinstance(listed, list) or not all(isinstance(name, str) for name in listed):
        raise document.error((KEY,), "must be a list of files, such as [neighbours.yaml]")
    through = (*through, Path(os.path.realpath(path)))
    for index, name in reversed(list(enumerate(listed))):
        other = path.parent / name
        keys: Keys = (KEY,) if isinstance(names, str) else (KEY, index)
        if Path(os.path.realpath(other)) in through:
            raise document.error(keys, f"{name} includes itself; remove this")
        if not other.is_file():
            raise document.error(keys, f"{label_of(other)} does not exist; write a path relative to this file")
        _take_over(document, _read(other, through), keys)
    return document


def _text(path: Path) -> str:
    if path.suffix == ".py":
        raise InputError("is a Python script; topologies and workloads are YAML files", where=label_of(path))
    if path.is_dir():
        raise InputError("is a folder; name a file in it", where=label_of(path))
    try:
        if path.exists() and not path.is_file():  # a device or a pipe may have no end
            raise InputError("is not a regular file", where=label_of(path))
        if (size := path.stat().st_size) > _MOST_BYTES:
            raise InputError(
                f"has {size / 1e6:,.0f} MB; a file has at most {_MOST_BYTES / 1e6:g} MB", where=label_of(path)
            )
        return path.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise InputError(f"is not UTF-8 text (byte {error.start})", where=label_of(path)) from error
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror}", where=label_of(path)) from error


def _take_over(document: Document, other: Document, keys: Keys) -> None:
    """Put the content of a file that is included before a document's own."""
    if not isinstance(other.data, dict):
        raise document.error(keys, f"{other.label} is not a mapping")
    move_paths(other, document.path.parent)
    for key, value in other.data.items():
        if key in _OWN:
            continue
        own = document.data.get(key)
        if key not in document.data:
            document.data[key] = value
            _take_locations(document, other, key)
        elif isinstance(own, list) and isinstance(value, list):
            _make_room(document, key, len(value))
            document.data[key] = value + own
            _take_locations(document, other, key)
        elif isinstance(own, dict) and isinstance(value, dict):
            for name in value:
                if name in own:
                    raise document.error(
                        (key, name), f"is also at {other.where((key, name))}, which is included; remove one of them"
                    )
            document.data[key] = {**value, **own}
            _take_locations(document, other, key)


def move_paths(other: Document, folder: Path) -> None:
    """Make paths in an included file relative to the folder of the file that includes it."""
    files: Any = other.data.get("files")
    named: list[Keys] = [("files", name, "from") for name in files] if isinstance(files, dict) else []
    entries: Any = other.data.get("mobility")
    named += [("mobility", index, "file") for index in range(len(entries))] if isinstance(entries, list) else []
    for *keys, last in (*named, *_PATHS):
        holder: Any = other.data
        for key in keys:
            holder = holder[key] if isinstance(key, int) else holder.get(key) if isinstance(holder, dict) else None
        value = holder.get(last) if isinstance(holder, dict) else None
        # topology: and workload: may be a name instead of a path
        if isinstance(value, str) and (last in ("from", "table", "file") or (other.path.parent / value).is_file()):
            holder[last] = os.path.relpath(other.path.parent / value, folder)


def _take_locations(document: Document, other: Document, key: str) -> None:
    """Take over where the values below a key are, without the location of a key that the document has itself."""
    found = {keys: location for keys, location in other.locations.items() if keys[:1] == (key,)}
    document.locations = {**found, **document.locations}


def _make_room(document: Document, key: str, count: int) -> None:
    """Move the locations of a list's entries by ``count``."""
    moved: dict[Keys, str] = {}
    for keys, location in document.locations.items():
        first = keys[1] if keys[:1] == (key,) and len(keys) > 1 else None
        moved[(key, first + count, *keys[2:]) if isinstance(first, int) else keys] = location
    document.locations = moved
