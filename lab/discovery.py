# SPDX-License-Identifier: MIT
"""Finds code by its file: ``lab/<room>/<name>.py``, and ``workloads/<stack>/<room>/<name>.py`` of each stack.

``<room>/<name>.py`` beside a workload that is given by its path, or in the current directory, is found as well: that
folder counts as a stack.

A room (``probes``, ``metrics``, ``views``) has one probe, metric or view per file; the file's name, with ``-`` for
``_``, is its name in workloads. Files that begin with ``_``, and ``base.py``, are helpers. Stacks are searched for in
the folders of workloads: a file in the current directory's folder takes precedence over the same file in the lab's.

A view goes with the metric of its name in the same stack, or of the lab if the view is the lab's: a stack's view never
shows a metric of somebody else.

A file is imported only when it is used, so that an invalid file does not affect other runs. Within a stack, modules use
relative imports (``from ..probes._kinds import Payload``), which do not depend on the name of the stack. Host only:
the guest loads none of this.
"""

from __future__ import annotations

import hashlib
import importlib
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import TypeVar

import lab
from lab import library
from lab.checkout import PACKAGE
from lab.errors import InputError, LabError

Thing = TypeVar("Thing")
_UNFIT = re.compile(r"\W")  # in the name of a package
_GOES_WITH = {"views": "metrics"}  # a file in one room needs a file of the same name and stack in the other


@dataclass(frozen=True)
class Place:
    """A file with a probe, metric or view."""

    path: Path
    folder: Path  # folder of its package: the lab, a folder of workloads, or one beside a workload
    stack: str | None = None  # None: part of the lab; with a slash at its end: a folder beside a workload

    @property
    def package(self) -> str:
        """Name of the package of its folder."""
        return _package(self.folder)

    @property
    def module(self) -> str:
        """Its module name."""
        within = ".".join(self.path.relative_to(self.folder).with_suffix("").parts)
        return f"{self.package}.{within}"


def known(room: str) -> tuple[str, ...]:
    """Return all names in a room, in alphabetical order, without an import."""
    return tuple(_found(room, _homes()))


def place(room: str, name: str) -> Place:
    """Return the file of a name.

    Raises:
        KeyError: there is no such name.
        InputError: two stacks, or a stack and the lab, have a file of that name.
    """
    places = _found(room, _homes())[name]
    if len(places) > 1:
        first, second = (library.shown(one.path) for one in places[:2])
        raise InputError(
            f'another file has the same name, "{name}": {first}',
            where=second,
            hint=f"rename one of them: names of {room} must be unique across all stacks and the lab",
        )
    return places[0]


def load(room: str, name: str) -> ModuleType:
    """Import and return the module of that name.

    Raises:
        KeyError: there is no such module.
        InputError: two files have that name, or the import fails.
    """
    found = place(room, name)
    try:
        return importlib.import_module(found.module)
    except (Exception, SystemExit) as error:  # a user's file may raise anything
        if found.stack is None:
            raise
        raise InputError(
            f"cannot be imported: {type(error).__name__}: {error}".partition("\n")[0],
            where=_blamed(error, found),
            hint=f"the file is part of the stack {found.stack} ({room}/{name})",
        ) from error


def holds(room: str, name: str, variable: str, kind: type[Thing]) -> Thing:
    """Return the instance of ``kind`` in ``variable`` of a module. Errors as in ``load``, or it is missing."""
    module = load(room, name)
    value = getattr(module, variable, None)
    if not isinstance(value, kind):
        raise InputError(
            f"has no {variable}",
            where=library.shown(place(room, name).path),
            hint=f"write {variable} = …() at the end of the file",
        )
    return value


@contextmanager
def blaming(room: str, name: str, what: str, error: type[LabError] = InputError) -> Iterator[None]:
    """Turn what the code of a stack raises into one message that names its file and line.

    Exceptions of the lab's own code stay as they are, and so does a LabError.

    Args:
        room: the room of the code.
        name: its name.
        what: what the lab called, such as ``parse``.
        error: the class of the message.
    """
    try:
        yield
    except LabError:
        raise
    except Exception as raised:  # a user's code may raise anything
        found = place(room, name)
        if found.stack is None:
            raise
        raise error(
            f"{what} raised {type(raised).__name__}: {raised}".partition("\n")[0].rstrip(": "),
            where=_blamed(raised, found),
            hint=f"the file is part of the stack {found.stack} ({room}/{name})",
        ) from raised


def where(room: str, name: str) -> str:
    """Return the file of a name, for messages. Errors as in ``place``."""
    return library.shown(place(room, name).path)


def stray(room: str) -> Iterator[InputError]:
    """Yield an error for each file of a stack that lacks the file it goes with: a view without its metric."""
    usable = _found(room, _homes())
    for name, places in _all(room, _homes()).items():
        for one in places:
            if one not in usable.get(name, ()):
                other = _GOES_WITH[room]
                yield InputError(
                    f'the stack {one.stack} has no file "{name}" in {other}, so this one is not used',
                    where=library.shown(one.path),
                    hint=f"a stack's {room} go with its own {other}: name the file like one of them, or remove it",
                )


@dataclass(frozen=True)
class _Home:
    """Where stacks are."""

    folder: Path
    is_stack: bool  # itself, instead of the folders in it


_settled: ContextVar[tuple[_Home, ...] | None] = ContextVar("settled", default=None)


@contextmanager
def settled() -> Iterator[None]:
    """Look for the folders of stacks only once meanwhile: a plan asks for a hundred names, an experiment for plans."""
    before = _settled.set(_homes())
    try:
        yield
    finally:
        _settled.reset(before)


def _homes() -> tuple[_Home, ...]:
    if (found := _settled.get()) is not None:
        return found
    stacks = (_Home(folder, is_stack=False) for folder in library.folders("workload"))
    return (*stacks, *(_Home(folder, is_stack=True) for folder in library.beside()))


@cache
def _found(room: str, homes: tuple[_Home, ...]) -> dict[str, list[Place]]:
    """Return all usable files in a room, by name; more than one for a name is an error when the name is used."""
    found = _all(room, homes)
    if room not in _GOES_WITH:
        return found
    needed = {name: {one.stack for one in places} for name, places in _all(_GOES_WITH[room], homes).items()}
    usable = {name: [one for one in places if one.stack in needed.get(name, ())] for name, places in found.items()}
    return {name: places for name, places in usable.items() if places}


def _all(room: str, homes: tuple[_Home, ...]) -> dict[str, list[Place]]:
    """Return all files in a room, by name."""
    found: dict[str, dict[str | None, Place]] = {}
    for one in (*_of_lab(room), *(one for home in homes for one in _of_stacks(room, home))):
        name = one.path.stem.replace("_", "-")
        found.setdefault(name, {}).setdefault(one.stack, one)  # the first one of two files of the same stack
    return {name: list(found[name].values()) for name in sorted(found)}


def _of_lab(room: str) -> Iterator[Place]:
    yield from (Place(path, PACKAGE) for path in _files(PACKAGE / room))


def _of_stacks(room: str, home: _Home) -> Iterator[Place]:
    for path in [home.folder / room] if home.is_stack else sorted(home.folder.glob(f"*/{room}")):
        stack = f"{path.parent.name}/" if home.is_stack else path.parent.name
        yield from (Place(file, home.folder, stack) for file in _files(path))


def _files(room: Path) -> list[Path]:
    return [path for path in sorted(room.glob("*.py")) if path.stem != "base" and not path.stem.startswith("_")]


def _package(folder: Path) -> str:
    """Return the package of the files of a folder; Python finds submodules by itself.

    The package of the lab's own folder is ``workloads``, so that its modules have the same names in tests and mypy.
    """
    if folder == PACKAGE:
        return lab.__name__
    own = folder.resolve() == library.own_folder("workload")
    name = (
        folder.name if own else f"{_UNFIT.sub('_', folder.name)}_{hashlib.sha256(str(folder).encode()).hexdigest()[:8]}"
    )
    if name not in sys.modules:
        package = ModuleType(name, f"Stacks in {folder}.")
        package.__path__ = [str(folder)]
        sys.modules[name] = package
    return name


def _blamed(error: BaseException, found: Place) -> str:
    """Return ``file:line`` of an error: of a syntax error, or the last line of the stack in the traceback."""
    import traceback  # no lab file raises in most runs

    if isinstance(error, SyntaxError) and error.filename:
        return f"{library.shown(Path(error.filename))}:{error.lineno}"
    lines = [
        f"{library.shown(Path(frame.filename))}:{frame.lineno}"
        for frame in traceback.extract_tb(error.__traceback__)
        if Path(frame.filename).is_relative_to(found.folder)
    ]
    return lines[-1] if lines else library.shown(found.path)
