# SPDX-License-Identifier: MIT
"""Find which Python files import which others, without running them, to determine what a result depends on.

It reads imports from the syntax tree, including those in functions, but not those for type checkers only. It does not
see imports by computed names (``importlib.import_module``): callers must add the files that these may import. It leaves
out the standard library and other packages.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from lab.cache.memo import Memo
from lab.cache.store import cache_root
from lab.checkout import PACKAGE

_INIT = "__init__.py"

Import = tuple[int, str, tuple[str, ...]]  # level (0: absolute), module, names taken from it


def imports(source: str | bytes) -> list[Import]:
    """Return the imports of a module, in no particular order, each once.

    Args:
        source: as text, or as bytes in the encoding that Python finds (PEP 263: a byte order mark or a coding line).

    Raises:
        SyntaxError: If it is not valid Python.
        ValueError: If it has a null byte, as bytes.
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
    """Finds the files that others import. Caches the imports of each file, by content, on disk too."""

    def __init__(self, memo: Path | None = None, package: Path = PACKAGE) -> None:
        """Keep the imports of files in ``memo``, a file; ``package`` is the folder of the lab."""
        self._imports = Memo(memo or cache_root() / f"imports-{sys.implementation.cache_tag}.json", _found, _decoded)
        self._package = package

    def closure(self, files: Iterable[Path], own: Mapping[str, Path] | None = None) -> dict[Path, bytes]:
        """Return these files and all files of ours that they import, in alphabetical order, each with its content.

        Args:
            files: below the lab's folder or one of ``own``; a link stands for the file at its place.
            own: further folders whose files are ours, by the name of the package that Python has for each.
        """
        modules = _Modules({self._package.name: self._package, **(own or {})})
        found: dict[Path, bytes] = {}
        waiting = [modules.name(file) for file in files]
        looked_at: set[str] = set()
        while waiting:
            name = waiting.pop()
            if name in looked_at:
                continue
            looked_at.add(name)
            waiting.append(name.rpartition(".")[0])  # Python runs a package before its modules
            file = modules.file(name)
            if file is None:  # not ours, or not a module, such as a function
                continue
            content = found[file] = file.read_bytes()
            package = name.split(".") if file.name == _INIT else name.split(".")[:-1]
            for level, module, names in self._imports.of(content):
                base = ".".join(
                    [*(package[: len(package) - level + 1] if level else []), *([module] if module else [])]
                )
                waiting += [base, *(f"{base}.{one}" for one in names)]
        self._imports.keep()
        return {file: found[file] for file in sorted(found)}

    def foreign(self, contents: Iterable[bytes], own: Iterable[str] = ()) -> list[str]:
        """Return the packages of others that these files import, in alphabetical order, without those of Python itself.

        ``own``: names of further packages that are ours.
        """
        modules = [module for content in contents for level, module, _ in self._imports.of(content) if not level]
        known = {self._package.name, *own} | sys.stdlib_module_names
        return sorted({module.partition(".")[0] for module in modules} - known)


def _found(content: bytes) -> list[Import]:
    try:
        return imports(content)
    except (SyntaxError, ValueError):  # running it reports the error; it imports nothing
        return []


def _decoded(found: Any) -> list[Import]:
    return [(level, module, tuple(names)) for level, module, names in found]


class _Modules:
    """Our modules, by the names that they import each other by."""

    def __init__(self, folders: dict[str, Path]) -> None:
        """Order ``folders``, by package name, inner ones first: an installed lab contains its workloads."""
        self._folders = dict(sorted(folders.items(), key=lambda item: len(item[1].parts), reverse=True))

    def name(self, file: Path) -> str:
        """Return the name of the module in a file."""
        package, folder = next((name, one) for name, one in self._folders.items() if file.is_relative_to(one))
        within = file.relative_to(folder).with_suffix("").parts
        return ".".join([package, *(within[:-1] if file.name == _INIT else within)])

    def file(self, name: str) -> Path | None:
        """Return the file of a module; None if we have no module of that name."""
        for package, folder in self._folders.items():
            if name == package or name.startswith(f"{package}."):
                base = folder.joinpath(*name[len(package) + 1 :].split("."))
                for file in (base / _INIT, base.with_name(f"{base.name}.py")):
                    if file.is_file():
                        return file
        return None
