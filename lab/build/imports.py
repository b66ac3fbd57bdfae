# SPDX-License-Identifier: MIT
"""Which files of Python code need which others, without running any: what a result depends on follows from this.

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

    def closure(self, files: Iterable[Path], own: Iterable[Path] = ()) -> dict[Path, bytes]:
        """These files and all of ours that they need, in alphabetical order, each with its content.

        Args:
            files: resolved.
            own: folders besides the lab's package whose files are ours, too: those of stacks, workloads/<stack>.
        """
        modules = _Modules({self._package.name: self._package, **{f"{one.parent.name}.{one.name}": one for one in own}})
        found: dict[Path, bytes] = {}
        waiting = [modules.name(file) for file in files]
        looked_at: set[str] = set()
        while waiting:
            name = waiting.pop()
            if name in looked_at:
                continue
            looked_at.add(name)
            waiting.append(name.rpartition(".")[0])  # Python runs a package before what lies in it
            file = modules.file(name)
            if file is None:  # not ours, or no module: a function, say
                continue
            content = found[file] = file.read_bytes()
            package = name.split(".") if file.name == _INIT else name.split(".")[:-1]
            for level, module, names in self._imports(content):
                base = ".".join(
                    [*(package[: len(package) - level + 1] if level else []), *([module] if module else [])]
                )
                waiting += [base, *(f"{base}.{one}" for one in names)]
        self._remember()
        return {file: found[file] for file in sorted(found)}

    def _imports(self, content: bytes) -> list[Import]:
        digest = hashlib.sha256(content).hexdigest()
        if self._known is None:
            self._known = _load(self._memory)
        found = self._known.get(digest)
        if found is None:
            try:
                found = imports(content.decode())
            except (SyntaxError, ValueError):  # whoever runs it gets the error; it needs nothing
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


class _Modules:
    """Modules of ours, by the names that they import each other by."""

    def __init__(self, folders: dict[str, Path]) -> None:
        """``folders``: by the name of the package that each is."""
        self._folders = folders

    def name(self, file: Path) -> str:
        """What the module in a file is called."""
        package, folder = next((name, one) for name, one in self._folders.items() if file.is_relative_to(one))
        within = file.relative_to(folder).with_suffix("").parts
        return ".".join([package, *(within[:-1] if file.name == _INIT else within)])

    def file(self, name: str) -> Path | None:
        """Where a module is; None: there is none of that name that is ours."""
        for package, folder in self._folders.items():
            if name == package or name.startswith(f"{package}."):
                base = folder.joinpath(*name[len(package) + 1 :].split("."))
                for file in (base / _INIT, base.with_name(f"{base.name}.py")):
                    if file.is_file():
                        return file
        return None
