# SPDX-License-Identifier: MIT
"""One registry with one rule (docs/extend/registry.md) for all that the lab and stacks add by a file.

A room is a folder of the lab, ``lab/<room>``, and of each stack, ``workloads/<stack>/<room>``. Each file of a room,
``<name>.py``, or in some rooms ``<name>/<part>.py``, defines one public class that is derived from the base class of
the room. The name of the file or folder, with ``-`` for ``_``, is its name for users. Files that begin with ``_``, and
``base.py``, are helpers.

A folder next to a workload that is given by its path, and the current directory, count as a stack. Stacks are searched
for in the folders of workloads: a file in the current directory's folder takes precedence over the same file in the
lab's. Otherwise a name that two files have is an error when it is used.

A file is imported only when it is used, so that an invalid file does not affect other runs. Within a stack, modules use
relative imports (``from ..probes._results import Payload``), which do not depend on the name of the stack. In the
guest, lab.shared.registry has the same rule.
"""

from __future__ import annotations

import hashlib
import importlib
import re
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any, Generic, TypeVar

from lab import library
from lab.checkout import PACKAGE
from lab.errors import InputError, LabError, unknown
from lab.shared import registry as shared

T = TypeVar("T")
E = TypeVar("E", bound=LabError)
_UNFIT = re.compile(r"\W")  # in the name of a package


@dataclass(frozen=True)
class RoomFile:
    """A file of a room."""

    path: Path
    folder: Path  # folder of its package: the lab, a folder of workloads, or one next to a workload
    stack: str | None = None  # None: part of the lab; with a slash at its end: a folder next to a workload

    @property
    def package(self) -> str:
        """Name of the package of its folder."""
        return _package(self.folder)

    @property
    def module(self) -> str:
        """Its module name."""
        return _module(self)


@dataclass(frozen=True)
class Room(Generic[T]):
    """A folder of things of one sort."""

    folder: str  # in the lab and in a stack: probes, phy/propagation; library.NOUNS has it
    base: Callable[..., T]  # its class; type[T] would allow no abstract one
    part: str = ""  # in rooms of folders: the file of a folder that has the class
    goes_with: str = ""  # a file needs a file of the same name and stack in this room

    @property
    def noun(self) -> str:
        """What messages call one of them."""
        return library.NOUNS[self.folder]

    def known(self) -> tuple[str, ...]:
        """Return all names, in alphabetical order, without an import."""
        return tuple(self._found())

    def unknown(self, name: str) -> str:
        """Return the message about a name that nothing has."""
        return unknown(self.noun, name, self.known())

    def file(self, name: str) -> RoomFile:
        """Return the file of a name.

        Raises:
            InputError: If the name is unknown; or two stacks, or a stack and the lab, have a file of that name.
        """
        files = self._found().get(name)
        if files is None:
            raise InputError(self.unknown(name))
        if len(files) > 1:
            first, second = (library.shown(one.path) for one in files[:2])
            raise InputError(
                f'another file has the same name, "{name}": {first}',
                where=second,
                hint=f"rename one of them: names in {self.folder} must be unique across all stacks and the lab",
            )
        return files[0]

    def where(self, name: str) -> str:
        """Return the file of a name, for messages. Errors as in ``file``."""
        return library.shown(self.file(name).path)

    def get(self, name: str) -> type[T]:
        """Return the class of that name.

        Raises:
            InputError: As in ``file``; or if the import fails, or the file does not have exactly one such class.
        """
        file = self.file(name)
        module = _imported(file, f"{self.folder}/{name}")
        try:
            return _only(module, self.base)
        except shared.RuleError as error:
            raise InputError(str(error), where=library.shown(file.path), hint=shared.RULE) from None

    def made(self, name: str, **given: Any) -> T:
        """Return an instance of the class of that name, with these parameters. Errors as in ``get``."""
        return self.get(name)(**given)

    def classes(self) -> dict[str, type[T]]:
        """Return all classes by name. Errors as in ``get``."""
        return dict(_classes(self, _homes()))

    def name_of(self, found: type[T]) -> str:
        """Return the name of a class."""
        return found.__module__.split(".")[-2 if self.part else -1].replace("_", "-")

    def of_stacks(self) -> list[RoomFile]:
        """Return the files of stacks whose names no other file has."""
        return [files[0] for files in self._found().values() if len(files) == 1 and files[0].stack is not None]

    def stray(self) -> Iterator[InputError]:
        """Yield an error for each file of a stack that lacks the file it goes with: a view without its metric."""
        usable = self._found()
        for name, files in _all(self.folder, self.part, _homes()).items():
            for one in files:
                if one not in usable.get(name, ()):
                    yield InputError(
                        f'the stack {one.stack} has no file "{name}" in {self.goes_with}, so this one is not used',
                        where=library.shown(one.path),
                        hint=f"a stack's {self.folder} go with its own {self.goes_with}: name the file like one of "
                        "them, or remove it",
                    )

    @contextmanager
    def blaming(self, name: str, what: str, error: type[LabError] = InputError) -> Iterator[None]:
        """Turn what the code of a stack raises into one message that names its file and line.

        Exceptions of the lab's own code stay unchanged, and so does a LabError.

        ``what``: what the lab called, such as ``parse``; ``error``: the class of the message.
        """
        try:
            yield
        except LabError:
            raise
        except Exception as raised:  # a user's code may raise anything
            found = self.file(name)
            if found.stack is None:
                raise
            of = f"{found.stack} ({self.folder}/{name})"
            raise _failed(f"{what} raised ", raised, _blamed(raised, found), of, error) from raised

    def _found(self) -> dict[str, list[RoomFile]]:
        return _found(self.folder, self.part, self.goes_with, _homes())


# a plan asks for the same classes again and again
_only = cache(shared.only)


@cache
def _module(file: RoomFile) -> str:
    within = ".".join(file.path.relative_to(file.folder).with_suffix("").parts)
    return f"{file.package}.{within}"


def of_a_stack(raised: Exception) -> InputError | None:
    """Return one message for what the code of a stack raised where nothing expects it; None if no stack did."""
    import traceback  # no lab file raises in most runs

    for frame in reversed(traceback.extract_tb(raised.__traceback__)):
        path = Path(frame.filename)
        for home in _homes() if not path.is_relative_to(PACKAGE) else ():
            words = path.relative_to(home.folder).parts if path.is_relative_to(home.folder) else ()
            stack, *within = (f"{home.folder.name}/", *words) if home.is_stack else words or ("",)
            if within and within[0] in library.CODE_ROOMS:
                return _failed("", raised, f"{library.shown(path)}:{frame.lineno}", stack, InputError)
    return None


def _failed(what: str, raised: BaseException, where: str, of: str, error: type[E]) -> E:
    """Return the message about an exception that the code of a stack raised."""
    said = f"{what}{type(raised).__name__}: {raised}".partition("\n")[0].rstrip(": ")
    hint = f"the file is part of the stack {of}; LAB_TRACEBACK=1 before the command shows the whole traceback"
    return error(said, where=where, hint=hint)


def _imported(file: RoomFile, what: str) -> ModuleType:
    """Import a file; raise InputError if that of a stack fails. The lab's own files raise what they raise."""
    try:
        return importlib.import_module(file.module)
    except (Exception, SystemExit) as error:  # a user's file may raise anything
        if file.stack is None:
            raise
        of = f"{file.stack} ({what})"
        raise _failed("cannot be imported: ", error, _blamed(error, file), of, InputError) from error


def _of_guest(folder: str, name: str) -> ModuleType:
    """Return what the guest does for a name, for a dry run; in the guest, all of it is in the lab's folder."""
    file: RoomFile = Room[Any](folder, object, "guest").file(name)
    return _imported(file, f"{folder}/{name}")


shared.module = _of_guest


@dataclass(frozen=True)
class _Home:
    """Where stacks are."""

    folder: Path
    is_stack: bool  # itself, instead of the folders in it


_settled: ContextVar[tuple[_Home, ...] | None] = ContextVar("settled", default=None)


@contextmanager
def settled() -> Iterator[None]:
    """Look for the folders of stacks only once in this context: a plan asks for a hundred names."""
    before = _settled.set(_homes())
    try:
        with library.settled():
            yield
    finally:
        _settled.reset(before)


def _homes() -> tuple[_Home, ...]:
    if (found := _settled.get()) is not None:
        return found
    stacks = (_Home(folder, is_stack=False) for folder in library.folders("workload"))
    return (*stacks, *(_Home(folder, is_stack=True) for folder in library.folders_with_code()))


@cache
def _found(folder: str, part: str, goes_with: str, homes: tuple[_Home, ...]) -> dict[str, list[RoomFile]]:
    """Return all usable files of a room, by name; more than one for a name is an error when the name is used."""
    found = _all(folder, part, homes)
    if not goes_with:
        return found
    needed = {name: {one.stack for one in files} for name, files in _all(goes_with, "", homes).items()}
    usable = {name: [one for one in files if one.stack in needed.get(name, ())] for name, files in found.items()}
    return {name: files for name, files in usable.items() if files}


@cache
def _classes(room: Room[T], _homes: tuple[_Home, ...]) -> dict[str, type[T]]:
    """Return all classes of a room: thousands of mistakes in one file ask for them."""
    return {name: room.get(name) for name in room.known()}


def _all(folder: str, part: str, homes: tuple[_Home, ...]) -> dict[str, list[RoomFile]]:
    found: dict[str, dict[str | None, RoomFile]] = {}
    of_lab = (RoomFile(path, PACKAGE) for path in _files(PACKAGE / folder, part))
    for one in (*of_lab, *(one for home in homes for one in _of_stacks(folder, part, home))):
        name = (one.path.parent.name if part else one.path.stem).replace("_", "-")
        found.setdefault(name, {}).setdefault(one.stack, one)  # the first one of two files of the same stack
    return {name: list(found[name].values()) for name in sorted(found)}


def _of_stacks(folder: str, part: str, home: _Home) -> Iterator[RoomFile]:
    for path in [home.folder / folder] if home.is_stack else sorted(home.folder.glob(f"*/{folder}")):
        stack = f"{home.folder.name}/" if home.is_stack else path.relative_to(home.folder).parts[0]
        yield from (RoomFile(file, home.folder, stack) for file in _files(path, part))


def _files(room: Path, part: str) -> list[Path]:
    """Return the files of a room that are not helpers."""
    if part:
        return sorted(room.glob(f"[!_]*/{part}.py"))
    return [path for path in sorted(room.glob("[!_]*.py")) if path.stem != "base"]


def _package(folder: Path) -> str:
    """Return the package of the files of a folder; Python finds submodules by itself.

    The package of the lab's own folder is ``workloads``, so that its modules have the same names in tests and mypy.
    """
    if folder == PACKAGE:
        return PACKAGE.name
    own = folder.resolve() == library.own_folder("workload")
    name = (
        folder.name if own else f"{_UNFIT.sub('_', folder.name)}_{hashlib.sha256(str(folder).encode()).hexdigest()[:8]}"
    )
    if name not in sys.modules:
        package = ModuleType(name, f"Stacks in {folder}.")
        package.__path__ = [str(folder)]
        sys.modules[name] = package
    return name


def _blamed(error: BaseException, found: RoomFile) -> str:
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
