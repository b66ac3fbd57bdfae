# SPDX-License-Identifier: MIT
"""Copies files out of nodes into the run's directory, each below the name of its node."""

from __future__ import annotations

import fnmatch
import glob
import os
import stat
from collections.abc import Iterator
from pathlib import Path

from lab.guest.commands import size_text
from lab.guest.errors import GuestError
from lab.guest.network.container import Root
from lab.shared import types
from lab.shared.names import escaped
from lab.shared.paths import COLLECTED

_CHUNK_BYTES = 1 << 20
_NAMES_SHOWN = 8
_SPECIAL = ("proc", "sys", "dev")


def collect(root: Root, wanted: types.Collect) -> None:
    """Copy what an entry asks for.

    Raises:
        GuestError: If no such file exists, it is one of /proc, /sys or /dev, they are too large, or they cannot be
            copied.
    """
    with root.files():
        _refuse(wanted)
        found = _matching(wanted.path)
        nearby = [] if found else _nearby(wanted.path)
    if not found and not wanted.optional:
        raise GuestError(
            f"{wanted.source}: collect: {wanted.node} has no file {wanted.path}{_listed(nearby)}; write optional: true "
            "if it may be missing",
            wanted.node,
        )
    room_bytes = wanted.at_most_bytes
    for path in found:
        try:
            room_bytes -= _copy(root, path, COLLECTED / wanted.node / path.lstrip("/"), room_bytes)
        except OSError as error:
            raise GuestError(
                f"{wanted.source}: collect: {escaped(path)} of {wanted.node}: {error.strerror}", wanted.node
            ) from None
        if room_bytes < 0:
            raise GuestError(
                f"{wanted.source}: collect: the files {wanted.path} of {wanted.node} are larger than "
                f"{size_text(wanted.at_most_bytes)} in total; write a larger at_most:, or collect less",
                wanted.node,
            )


def _refuse(wanted: types.Collect) -> None:
    """Raise GuestError if the path without its pattern is neither a folder nor a regular file. Call it in the node."""
    parts = wanted.path.split("/")
    fixed = next((number for number, part in enumerate(parts) if glob.has_magic(part)), len(parts))
    real = os.path.realpath("/" + "/".join(parts[:fixed]).lstrip("/"))
    if is_special(real):
        why = f"leads to {escaped(real)}; files of /proc, /sys and /dev are not copied: have a program copy it first"
    elif fixed == len(parts) and Path(real).exists() and not (Path(real).is_dir() or Path(real).is_file()):
        why = "is not a regular file; have a program copy its content first"
    else:
        return
    raise GuestError(f"{wanted.source}: collect: {wanted.path} of {wanted.node} {why}", wanted.node)


def is_special(real: str) -> bool:
    """Check whether a path without symbolic links is one of the kernel's or of a device, which might never end."""
    parts = real.split("/")
    return parts[1] in _SPECIAL and parts[1:3] != ["dev", "shm"]


def _matching(pattern: str) -> list[str]:
    """Return the regular files that match, and those in folders that match, by path. Call it in the node.

    As names of files, symbolic links count as what they lead to; as folders, only where the path names them.
    """
    found = set()
    for name in _expanded("/", pattern.strip("/").split("/")):
        if not Path(name).is_dir():
            found.add(name)
            continue
        for place, folders, names in os.walk(name):  # follows no links
            if is_special(os.path.realpath(place)):
                folders.clear()
                continue
            found |= {str(Path(place, one)) for one in names}
    return sorted(name for name in found if _is_regular(name))


def _is_regular(name: str) -> bool:
    real = os.path.realpath(name)
    return not is_special(real) and Path(real).is_file()


def _expanded(place: str, parts: list[str]) -> Iterator[str]:
    """Yield what is at a pattern of glob.glob below a folder; wildcards match no links to folders."""
    if not parts:
        yield place
        return
    first, *rest = parts
    if not glob.has_magic(first):
        if os.path.lexists(Path(place, first)):
            yield from _expanded(str(Path(place, first)), rest)
        return
    if is_special(os.path.realpath(place)):
        return
    if first == "**":
        yield from _expanded(place, rest)
    for path in _children(place):
        if first == "**":
            if path.is_dir():
                yield from _expanded(str(path), parts)
            elif not rest:
                yield str(path)
        elif fnmatch.fnmatchcase(path.name, first) and (path.is_dir() or not rest):
            yield from _expanded(str(path), rest)


def _children(place: str) -> list[Path]:
    """Return what is in a folder, without links to folders."""
    try:
        return [path for path in Path(place).iterdir() if not (path.is_symlink() and path.is_dir())]
    except OSError:  # it is a file, or was removed
        return []


def _nearby(pattern: str) -> list[str]:
    """Return the innermost folder of a path that exists, and the names in it. Call it in the node's file system."""
    folder = Path(pattern).parent
    while not folder.is_dir():
        folder = folder.parent
    return [str(folder), *sorted(path.name for path in folder.iterdir())]


def _listed(nearby: list[str]) -> str:
    folder, *names = nearby
    more = ", …" if len(names) > _NAMES_SHOWN else ""
    shown = ", ".join(escaped(name) for name in names[:_NAMES_SHOWN])
    return f"; {escaped(folder)} has {shown or 'no files'}{more}"


def _copy(root: Root, path: str, target: Path, room_bytes: int) -> int:
    """Copy a file as far as there is room for it; return its size, or more than ``room_bytes``."""
    with root.files():
        # it stays the node's file outside; it may have been replaced since it was found
        file = os.fdopen(os.open(os.path.realpath(path), os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK), "rb")
    copied = 0
    with file:
        if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
            return 0
        target.parent.mkdir(parents=True, exist_ok=True)
        with target.open("wb") as kept:
            while (chunk := file.read(_CHUNK_BYTES)) and copied <= room_bytes:
                copied += len(chunk)
                if copied <= room_bytes:
                    kept.write(chunk)
    return copied
