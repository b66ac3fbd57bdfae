# SPDX-License-Identifier: MIT
"""The files of ``workloads/<stack>`` that are its code, and the two lists next to its Makefile."""

from __future__ import annotations

import fnmatch
import os
from dataclasses import dataclass
from pathlib import Path

from lab import library
from lab.builders.image.tree import read_packages
from lab.cache.store import content_key
from lab.errors import BuildError, HostError
from lab.library import shown
from lab.text import entries

BUILD_PACKAGES = "build-packages"  # Debian packages whose headers and libraries the code is compiled with
SOURCES = "sources"  # packages of images whose source the code is compiled with
# The output of a make by hand is for the host. If it were copied, make would consider its work done.
_MADE = ("*.o", "*.a", "*.so", "*.so.*", "*.lo", "*.la", "*.d", "*.pyc", ".*")
_MADE_FOLDERS = ("build", "__pycache__", ".*")
_NOT_CODE = ("*.yaml", "*.md")  # in the folder itself
_NOT_CODE_FOLDERS = (library.EXERCISES, library.EXPERIMENTS, library.FIGURES, library.MODULES, *library.ROOMS)
_ELF = b"\x7fELF"


@dataclass(frozen=True)
class StackFile:
    """A file of a stack; ``name`` is relative to its folder."""

    name: str
    content: bytes
    executable: bool


def stack_files(stack: Path) -> list[StackFile]:
    """Return all files that make sees, in a fixed order; links are followed.

    Left out are files for the host and for readers (``*.yaml`` and ``*.md`` in the folder itself, everything below
    ``exercises``, ``experiments``, ``figures``, ``modules``, ``tests`` and rooms such as ``probes``), and what a make
    by hand leaves: objects, libraries, programs, ``build/``, hidden files.

    Raises:
        HostError: If a file cannot be read.
    """
    found = []
    for directory, names, files in os.walk(stack):
        top = Path(directory) == stack
        left_out = _MADE_FOLDERS + _NOT_CODE_FOLDERS if top else _MADE_FOLDERS
        names[:] = [name for name in names if not _matches(name, left_out)]
        for name in files:
            if _matches(name, _MADE + _NOT_CODE if top else _MADE):
                continue
            path = Path(directory, name)
            try:
                content = path.read_bytes()
                executable = bool(path.stat().st_mode & 0o111)
            except OSError as error:
                raise HostError(f"{path} cannot be read: {error.strerror}") from None
            if not content.startswith(_ELF):
                found.append(StackFile(str(path.relative_to(stack)), content, executable))
    return sorted(found, key=lambda file: file.name)


def _matches(name: str, patterns: tuple[str, ...]) -> bool:
    return any(fnmatch.fnmatch(name, pattern) for pattern in patterns)


def files_key(files: list[StackFile]) -> str:
    """Hash names, contents and execute permissions."""
    parts: list[bytes | str] = []
    for file in files:
        parts += [file.name, "x" if file.executable else "-", file.content]
    return content_key(*parts)


def copy_files(files: list[StackFile], target: Path) -> None:
    """Copy the files to a directory that does not exist yet."""
    target.mkdir()
    for file in files:
        path = target / file.name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(file.content)
        path.chmod(0o755 if file.executable else 0o644)


def listed(path: Path) -> list[str]:
    """Return the packages of a list; none without that file.

    Raises:
        BuildError: If a line holds more than one name.
    """
    return read_packages(path) if path.is_file() else []


def listed_sources(stack: Path) -> list[tuple[str, str]]:
    """Return (FILE:LINE, package) of its list of sources; a package of a node image has that in front, with a slash.

    Raises:
        BuildError: If a line holds more than one name, or a package is listed twice.
    """
    path = stack / SOURCES
    found: dict[str, tuple[str, str]] = {}
    for number, words in entries(path.read_text(encoding="utf-8", errors="replace")) if path.is_file() else ():
        where = f"{shown(path)}:{number}"
        if len(words) > 1:
            raise BuildError(f'"{" ".join(words)}" is more than one package; write one per line', where=where)
        first, _ = found.setdefault(words[0].rpartition("/")[2], (where, words[0]))
        if first != where:
            raise BuildError(f"{words[0]} is the package of another line, {first}", where=where)
    return list(found.values())


def build_packages(stack: Path) -> list[str]:
    """Return the packages to compile a stack with: its own, and those that headers of the stacks that it uses need.

    Raises:
        BuildError: If a line of a list holds more than one name.
        InputError: If its list of stacks is not valid.
    """
    lists = [listed(folder / BUILD_PACKAGES) for folder in (stack, *library.used_by(stack))]
    return list(dict.fromkeys(package for packages in lists for package in packages))
