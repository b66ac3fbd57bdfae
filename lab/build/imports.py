# SPDX-License-Identifier: MIT
"""Which files of Python code need which others, without running any: what a result depends on is told by this.

Imports are read from the syntax tree, those in functions too; those for type checkers alone are none. What is imported
by a name that is put together at run time (``importlib.import_module``) is not seen: whoever does that adds the files
that it may mean. Files of the standard library and of other packages are not ours, and left out.
"""

from __future__ import annotations

import ast
import contextlib
import hashlib
import json
import os
from collections.abc import Iterable, Iterator
from pathlib import Path

from lab.build.cache import cache_root
from lab.checkout import PACKAGE

_MOST_REMEMBERED = 5000  # files: a few checkouts
_INIT = "__init__.py"

Import = tuple[int, str, tuple[str, ...]]  # level (0: absolute), module, names taken from it


def imports(source: str) -> list[Import]:
    """The imports of a module, in no particular order, each once.

    Raises:
        SyntaxError: it is no Python.
    """
    return sorted(set(_imports(ast.parse(source))))


def _imports(tree: ast.AST) -> Iterator[Import]:
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.Import):
            yield from ((0, alias.name, ()) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield node.level, node.module or "", tuple(sorted(alias.name for alias in node.names))
        elif isinstance(node, ast.If) and _is_for_type_checkers(node.test):
            for statement in node.orelse:
                yield from _imports(ast.Module([statement], []))
        else:
            yield from _imports(node)


def _is_for_type_checkers(test: ast.expr) -> bool:
    return "TYPE_CHECKING" in (getattr(test, "id", None), getattr(test, "attr", None))


class Imports:
    """Finds what files need. Remembers what it read of each, by content, for the next process too."""

    def __init__(self, memory: Path | None = None, package: Path = PACKAGE) -> None:
        """Use the memory in the cache, or another file; ``package`` is where the lab is."""
        self._memory = memory or cache_root() / "imports.json"
        self._package = package
        self._known: dict[str, list[Import]] | None = None
        self._used: dict[str, list[Import]] = {}
        self._learned = False

    def closure(self, files: Iterable[Path], own: Iterable[Path] = ()) -> list[Path]:
        """These files, and all of ours that they need, in alphabetical order.

        Args:
            files: resolved.
            own: folders besides the lab's package whose files are ours, too: that of a stack.
        """
        ours = [self._package, *own]
        found: set[Path] = set()
        waiting = list(files)
        while waiting:
            file = waiting.pop()
            if file in found:
                continue
            found.add(file)
            waiting += self._needed(file, ours)
        self._remember()
        return sorted(found)

    def _needed(self, file: Path, ours: list[Path]) -> Iterator[Path]:
        yield from _inits(file.parent, ours)
        for level, module, names in self._read(file):
            for place in self._places(file, level, module):
                found = list(_modules(place, module, names, ours))
                if found:
                    yield from found
                    break

    def _places(self, file: Path, level: int, module: str) -> Iterator[Path]:
        """Directories in which Python would find a module of ours that ``file`` imports."""
        first = module.partition(".")[0]
        if level:
            yield file.parents[level - 1]
        elif first == self._package.name:
            yield self._package.parent
        else:
            yield from (parent.parent for parent in file.parents if parent.name == first)

    def _read(self, file: Path) -> list[Import]:
        content = file.read_bytes()
        digest = hashlib.sha256(content).hexdigest()
        if self._known is None:
            self._known = _load(self._memory)
        found = self._known.get(digest)
        if found is None:
            try:
                found = imports(content.decode())
            except (SyntaxError, ValueError):  # whoever runs it is told; it needs nothing
                found = []
            self._known[digest] = found
            self._learned = True
        self._used[digest] = found
        return found

    def _remember(self) -> None:
        if not self._learned or self._known is None:
            return
        self._learned = False
        kept = self._known if len(self._known) <= _MOST_REMEMBERED else self._used
        with contextlib.suppress(OSError):  # somebody else's cache: then it is read again next time
            self._memory.parent.mkdir(parents=True, exist_ok=True)
            fresh = self._memory.with_suffix(f".{os.getpid()}")
            fresh.write_text(json.dumps(kept, separators=(",", ":")) + "\n")
            fresh.replace(self._memory)


def _load(memory: Path) -> dict[str, list[Import]]:
    try:
        known = json.loads(memory.read_text())
        return {
            digest: [(level, module, tuple(names)) for level, module, names in found] for digest, found in known.items()
        }
    except (OSError, ValueError, TypeError, AttributeError):
        return {}


def _modules(place: Path, module: str, names: tuple[str, ...], ours: list[Path]) -> Iterator[Path]:
    """The files of a module below ``place``, and of its submodules of those names; only ours."""
    base = place.joinpath(*module.split(".")) if module else place
    for path in (base, *(base / name for name in names)):
        for file in (path.with_name(f"{path.name}.py"), path / _INIT):
            if any(file.is_relative_to(folder) for folder in ours) and file.is_file():
                yield file
                yield from _inits(file.parent, ours)
                break


def _inits(directory: Path, ours: list[Path]) -> Iterator[Path]:
    """The __init__.py of a directory and of those around it: Python runs them first."""
    while any(directory.is_relative_to(folder) for folder in ours):
        if (directory / _INIT).is_file():
            yield directory / _INIT
        directory = directory.parent
