# SPDX-License-Identifier: MIT
"""Code that is found by its file: ``lab/<room>/<name>.py``, and ``workloads/<stack>/<room>/<name>.py`` of each stack.

A room (``probes``, ``metrics``, ``views``) holds one thing per file; the file's name with ``-`` for ``_`` is what
workloads call it. Files that begin with ``_``, and ``base.py``, are helpers. Stacks are looked for where workloads are:
the folders of the current directory come before the lab's own, file by file.

A file is imported when somebody asks for what it holds, so that a broken one concerns nobody else. Within a stack,
modules import each other relatively (``from ..probes._kinds import Payload``): that works whatever the stack is called.
Host only: the guest loads none of this.
"""

from __future__ import annotations

import hashlib
import importlib
import sys
import traceback
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import TypeVar

import lab
from lab import library
from lab.errors import InputError

Thing = TypeVar("Thing")
_LAB = Path(lab.__file__).resolve().parent


@dataclass(frozen=True)
class Place:
    """A file that holds something."""

    path: Path
    folder: Path  # what its package lies in: of the lab's own the lab, else a folder of workloads
    stack: str | None = None  # None: of general use, it lies in the lab

    @property
    def module(self) -> str:
        """The name that it is imported by."""
        within = ".".join(self.path.relative_to(self.folder).with_suffix("").parts)
        return f"{_package(self.folder)}.{within}"


def known(room: str) -> tuple[str, ...]:
    """The names of all that is in a room, in alphabetical order. Nothing is imported."""
    return tuple(_found(room, _folders()))


def place(room: str, name: str) -> Place:
    """Where something lies.

    Raises:
        KeyError: there is none of that name.
        InputError: two stacks have it, or a stack and the lab.
    """
    places = _found(room, _folders())[name]
    if len(places) > 1:
        first, second = (str(_short(one.path)) for one in places[:2])
        raise InputError(
            f'two files are called "{name}"; the other one is {first}',
            where=second,
            hint=f"rename one of them: all {room} share their names, whatever stack they are of",
        )
    return places[0]


def load(room: str, name: str) -> ModuleType:
    """The module of that name.

    Raises:
        KeyError: there is none.
        InputError: it is there twice, or cannot be imported.
    """
    found = place(room, name)
    try:
        return importlib.import_module(found.module)
    except Exception as error:  # whatever a user's file does when it is imported
        if found.stack is None:
            raise
        raise InputError(
            f"cannot be imported: {type(error).__name__}: {error}".partition("\n")[0],
            where=_blamed(error, found),
            hint=f"{name} is one of the {room} of the stack {found.stack}",
        ) from error


def holds(room: str, name: str, variable: str, kind: type[Thing]) -> Thing:
    """What a module has in ``variable``: an instance of ``kind``. Errors as of ``load``, or a stack's has none."""
    module = load(room, name)
    value = getattr(module, variable, None)
    if not isinstance(value, kind):
        raise InputError(
            f"has no {variable}", where=str(_short(place(room, name).path)), hint=f"write {variable} = …() at its end"
        )
    return value


def _folders() -> tuple[Path, ...]:
    return tuple(library.folders("workload"))


@cache
def _found(room: str, folders: tuple[Path, ...]) -> dict[str, list[Place]]:
    """All that is in a room, by name; more than one place is a mistake of whoever asks for it."""
    found: dict[str, dict[str | None, Place]] = {}
    for one in (*_of_lab(room), *(one for folder in folders for one in _of_stacks(room, folder))):
        name = one.path.stem.replace("_", "-")
        found.setdefault(name, {}).setdefault(one.stack, one)  # the nearer of two files of one stack
    return {name: list(found[name].values()) for name in sorted(found)}


def _of_lab(room: str) -> Iterator[Place]:
    yield from (Place(path, _LAB) for path in _files(_LAB / room))


def _of_stacks(room: str, folder: Path) -> Iterator[Place]:
    for path in sorted(folder.glob(f"*/{room}")):
        yield from (Place(file, folder, path.parent.name) for file in _files(path))


def _files(room: Path) -> list[Path]:
    return [path for path in sorted(room.glob("*.py")) if path.stem != "base" and not path.stem.startswith("_")]


def _package(folder: Path) -> str:
    """The package that the files of a folder are imported as parts of; what is below is found as Python does.

    The lab's own folder of workloads is ``workloads``, so that tests and mypy know its modules by the same names.
    """
    if folder == _LAB:
        return lab.__name__
    own = folder.resolve() == library.own_folder("workload")
    name = folder.name if own else f"{folder.name}_{hashlib.sha256(str(folder).encode()).hexdigest()[:8]}"
    if name not in sys.modules:
        package = ModuleType(name, f"Stacks in {folder}.")
        package.__path__ = [str(folder)]
        sys.modules[name] = package
    return name


def _blamed(error: Exception, found: Place) -> str:
    """``file:line`` of a mistake: where Python could not read on, or the last line of the stack's that was running."""
    if isinstance(error, SyntaxError) and error.filename:
        return f"{_short(Path(error.filename))}:{error.lineno}"
    lines = [
        f"{_short(Path(frame.filename))}:{frame.lineno}"
        for frame in traceback.extract_tb(error.__traceback__)
        if Path(frame.filename).is_relative_to(found.folder)
    ]
    return lines[-1] if lines else str(_short(found.path))


def _short(path: Path) -> Path:
    """As a user would write it: from the current directory, where it lies in there."""
    return path.relative_to(Path.cwd()) if path.is_relative_to(Path.cwd()) else path
