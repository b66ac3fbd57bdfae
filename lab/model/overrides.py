# SPDX-License-Identifier: MIT
"""``--set key=value``: changes documents before they are validated.

A key is a dotted path into the topology or the workload. An entry of a list is addressed by its index or its name:
``links.0.delay``, ``links.h1-s1.delay``, ``processes.fetch.at``.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from lab.errors import InputError, raise_all, suggestion
from lab.model.document import Document, Keys, dotted, scalar

if TYPE_CHECKING:
    from lab.model.base import Model


def parse(texts: Iterable[str]) -> dict[str, str]:
    """Parse ``key=value`` texts into a mapping; the last value of a key wins.

    Raises:
        InputError: If a text lacks ``=`` or the key.
    """
    overrides: dict[str, str] = {}
    for text in texts:
        key, equals, value = text.partition("=")
        if not equals or not key.strip():
            raise InputError(f'--set {text}: write key=value, such as --set "links.0.delay=20 ms"')
        overrides[key.strip()] = value.strip()
    return overrides


def apply(
    overrides: Mapping[str, str],
    documents: Mapping[str, Document],
    models: Mapping[str, type[Model]],
    locations: Mapping[str, str] | None = None,
) -> None:
    """Apply the overrides to the documents ``topology`` and ``workload``.

    ``locations`` maps overrides that do not come from the command line to FILE:LINE.

    Raises:
        InputError: If a key matches nothing; names the override.
    """
    errors = []
    for key, text in overrides.items():
        location = (locations or {}).get(key)
        label = location or f"--set {key}={text}"
        try:
            owner, path = _owner(key, label, documents, models)
            _set(documents[owner], path, text, label)
        except InputError as error:
            keys = (*key.split("."),) if location else ()
            errors.append(InputError(error.message, where=error.where, hint=error.hint, keys=keys))
    raise_all(errors)


def _owner(
    key: str, label: str, documents: Mapping[str, Document], models: Mapping[str, type[Model]]
) -> tuple[str, list[str]]:
    """Return the document that a key belongs to, and the path in it."""
    first, *rest = key.split(".")
    if first in documents and rest:
        return first, rest
    owners = [name for name in documents if first in models[name].described()]
    if len(owners) > 1:
        given = [name for name in owners if isinstance(data := documents[name].data, dict) and first in data]
        owners = given if len(given) == 1 else owners
    if len(owners) == 1:
        return owners[0], [first, *rest]
    if owners:
        raise InputError(
            f"both files have {first}; write {' or '.join(f'{name}.{key}' for name in owners)}", where=label
        )
    known = [word for name in documents for word in models[name].described()]
    deeper = [keys for document in documents.values() for keys in document.locations if keys[-1:] == (first,)]
    meant = f" (did you mean {dotted(deeper[0])}?)" if deeper else suggestion(first, known)
    raise InputError(
        f'neither topology nor workload has a key "{first}"{meant}',
        where=label,
        hint=_listing(known),
    )


def _set(document: Document, path: list[str], text: str, label: str) -> None:
    """Set one value and record where it comes from."""
    holder = document.data
    keys: Keys = ()
    path = _with_dots(path)
    for word in path[:-1]:
        key = _step(holder, word, keys, label)
        holder = holder[key]
        keys = (*keys, key)
    if isinstance(holder, dict):
        last: str | int = path[-1]
    else:
        last = _step(holder, path[-1], keys, label)
    holder[last] = scalar(text, label)
    keys = (*keys, last)
    for inner in [location for location in document.locations if location[: len(keys)] == keys]:
        del document.locations[inner]
    document.locations[keys] = label


def _with_dots(path: list[str]) -> list[str]:
    """Return the path with the name of a sysctl as one key: nodes, h1, sysctls, net.ipv4.tcp_rmem."""
    return [*path[:3], ".".join(path[3:])] if path[0] == "nodes" and path[2:3] == ["sysctls"] and path[3:] else path


def _step(holder: Any, word: str, keys: Keys, label: str) -> str | int:
    """Return the key or index that ``word`` stands for in a mapping or list."""
    about = dotted(keys) or "the file"
    if isinstance(holder, dict):
        if word in holder:
            return word
        raise InputError(f'{about} has no "{word}"{suggestion(word, holder)}', where=label, hint=_listing(holder))
    if isinstance(holder, list):
        names = [_name(entry) for entry in holder]
        if word.isascii() and word.isdigit() and int(word[:9]) < len(holder):
            return int(word)
        if word in names:
            return names.index(word)
        known = [name or str(index) for index, name in enumerate(names)]
        raise InputError(f'{about} has no entry "{word}"{suggestion(word, known)}', where=label, hint=_listing(known))
    mapping = f"to replace it, write {about}={{{word}: …}}" if len(keys) == 1 else None  # medium: perfect
    raise InputError(f"{about} is a single value, so it has no {word}", where=label, hint=mapping)


def _name(entry: Any) -> str:
    """Return the name of a list entry: its name, or the ends of a link."""
    if not isinstance(entry, dict):
        return ""
    for key in ("name", "as", "between", "probe"):
        value = entry.get(key)
        if isinstance(value, list):
            return "-".join(str(end) for end in value)
        if value is not None:
            return str(value)
    return ""


def _listing(known: Iterable[str]) -> str:
    return f"known: {', '.join(dict.fromkeys(known))}"
