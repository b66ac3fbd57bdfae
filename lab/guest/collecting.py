# SPDX-License-Identifier: MIT
"""Copies files out of nodes into the run's directory, each below the name of its node."""

from __future__ import annotations

import glob
import os
from pathlib import Path

from lab.guest.commands import size_text
from lab.guest.errors import GuestError
from lab.guest.network.container import Container
from lab.shared import types
from lab.shared.names import escaped
from lab.shared.paths import COLLECTED

_CHUNK_BYTES = 1 << 20
_NAMES_SHOWN = 8


def collect(container: Container, wanted: types.Collect) -> None:
    """Copy what an entry asks for.

    Raises:
        GuestError: There is no such file, they are too large, or they cannot be copied.
    """
    with container.files():
        found = _matching(wanted.path)
        beside = [] if found else _beside(wanted.path)
    if not found and not wanted.optional:
        raise GuestError(
            f"{wanted.source}: collect: {wanted.node} has no file {wanted.path}{_listed(beside)}; write optional: true "
            "if there may be none",
            wanted.node,
        )
    room_bytes = wanted.at_most_bytes
    for path in found:
        try:
            room_bytes -= _copy(container, path, COLLECTED / wanted.node / path.lstrip("/"), room_bytes)
        except OSError as error:
            raise GuestError(
                f"{wanted.source}: collect: {escaped(path)} of {wanted.node}: {error.strerror}", wanted.node
            ) from None
        if room_bytes < 0:
            raise GuestError(
                f"{wanted.source}: collect: the files {wanted.path} of {wanted.node} have more than "
                f"{size_text(wanted.at_most_bytes)} together; write at_most: with more, or collect less",
                wanted.node,
            )


def _matching(pattern: str) -> list[str]:
    """Return the files that match, and those in folders that match, by path. Call it in the node's file system."""
    found = set()
    for name in glob.iglob(pattern, recursive=True, include_hidden=True):  # noqa: PTH207  # Path's ** finds no files
        if not Path(name).is_dir():
            found.add(name)
            continue
        for place, _, names in os.walk(name):
            found |= {str(Path(place, one)) for one in names}
    return sorted(name for name in found if Path(name).is_file())  # to read anything else might never end


def _beside(pattern: str) -> list[str]:
    """Return the innermost folder of a path that is there, and the names in it. Call it in the node's file system."""
    folder = Path(pattern).parent
    while not folder.is_dir():
        folder = folder.parent
    return [str(folder), *sorted(path.name for path in folder.iterdir())]


def _listed(beside: list[str]) -> str:
    folder, *names = beside
    more = ", …" if len(names) > _NAMES_SHOWN else ""
    shown = ", ".join(escaped(name) for name in names[:_NAMES_SHOWN])
    return f"; {escaped(folder)} has {shown or 'no files'}{more}"


def _copy(container: Container, path: str, target: Path, room_bytes: int) -> int:
    """Copy a file up to what there is room for; returns its size, or more than ``room_bytes``."""
    with container.files():
        file = Path(path).open("rb")  # noqa: SIM115  # it stays the node's file outside
    copied = 0
    with file:
        target.parent.mkdir(parents=True, exist_ok=True)
        with target.open("wb") as kept:
            while (chunk := file.read(_CHUNK_BYTES)) and copied <= room_bytes:
                copied += len(chunk)
                if copied <= room_bytes:
                    kept.write(chunk)
    return copied
