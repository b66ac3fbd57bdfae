# SPDX-License-Identifier: MIT
"""What makes the record of a run, on the host: the lab's code and that of stacks, and the versions of what runs it.

The code is lab.record and the probes and metrics of the plan, each with what it imports. It counts by its meaning
(lab.builders.meaning), without comments and docstrings, unless some of it reads these. The data files of a stack that
its code names (lab.builders.data_files) count byte by byte. What the code computes may depend on the host's Python and
on the packages that it imports, such as NumPy and Pillow: their versions count. Those of packages that these import in
turn do not, nor those of packages imported by computed names. NumPy and SciPy also compute plans, but what they find is
in the plan, which counts.
"""

from __future__ import annotations

import importlib
import itertools
import sys
from collections.abc import Collection, Container, Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from lab.builders.data_files import data_files
from lab.builders.imports import Imports
from lab.builders.meaning import meanings, reads_text
from lab.cache.store import content_key
from lab.checkout import PACKAGE
from lab.machine.uses import Uses
from lab.metrics.base import METRICS
from lab.probes.base import PROBES

_RECORDING = "record/build.py"
_SPLITTING = "captures/split.py"  # of a capture of the air


@dataclass(frozen=True)
class Recording:
    """What makes a record."""

    files: dict[str, bytes]  # code and data, by name in the lab or among the workloads
    code: str  # the key of what they mean
    versions: dict[str, str | None]  # ``host python`` and ``host <package>``


def recording(uses: Uses) -> Recording:
    """Return what makes the record of a plan that uses this.

    The file that is named after a probe or metric counts, wherever its class is defined. Of two files of one name, in a
    stack that is in two folders, the second has its number in the name.
    """
    named = [PROBES.file(name) for name in uses.probes]
    named += [METRICS.file(kind) for kind in uses.metrics]
    roots = [PACKAGE / _RECORDING, *([PACKAGE / _SPLITTING] if uses.air else []), *(file.path for file in named)]
    own = {file.package: file.folder for file in named if file.stack is not None}
    imports = Imports()
    code = imports.closure(roots, own)
    imported = imports.foreign(code.values(), own)
    data = _data(code, own.values())
    known = meanings()
    literally = any(map(reads_text, code.values()))
    files: dict[str, bytes] = {}
    key: list[str | bytes] = []
    found = {**code, **data}
    for path in [*_in_order(code, own.values()), *_in_order(data, own.values())]:
        name, content = _free_name(path, own.values(), files), found[path]
        files[name] = content
        key += [name, content if literally or path in data else known.of(content)]
    known.keep()
    return Recording(files, content_key(*key), _versions(imported))


def _data(code: Mapping[Path, bytes], folders: Iterable[Path]) -> dict[Path, bytes]:
    """Return the data files that the code of stacks names; each stack's, in each folder of workloads, in its own."""
    of_stack: dict[Path, list[bytes]] = {}
    for path, content in code.items():
        for folder in folders:
            if path.is_relative_to(folder):
                of_stack.setdefault(folder / path.relative_to(folder).parts[0], []).append(content)
    return {
        path: content
        for stack, contents in of_stack.items()
        for path, content in data_files(contents, stack, but=code).items()
    }


def _in_order(files: Iterable[Path], folders: Collection[Path]) -> list[Path]:
    """Return the lab's files, then those of stacks, by name: where they are must not matter."""
    named = {path: _name(path, folders) for path in files}
    return sorted(named, key=lambda path: (any(map(path.is_relative_to, folders)), named[path], path))


def _name(path: Path, folders: Iterable[Path]) -> Path:
    """Return the name of a file in its folder of workloads, or next to the lab."""
    return path.relative_to(next((one for one in folders if path.is_relative_to(one)), PACKAGE.parent))


def _free_name(path: Path, folders: Iterable[Path], taken: Container[str]) -> str:
    """Return the name of a file, with a number after it if another has it."""
    name = str(_name(path, folders))
    numbered = (name if number == 1 else f"{name} {number}" for number in itertools.count(1))
    return next(one for one in numbered if one not in taken)


def _versions(packages: list[str]) -> dict[str, str | None]:
    python = f"{sys.version_info.major}.{sys.version_info.minor}"  # a later one may add up floats more exactly
    return {"host python": python, **{f"host {name}": _version(name) for name in packages}}


@cache
def _version(package: str) -> str | None:
    """Return the version of a package by the name of its import; None if it has none, or is not installed."""
    try:
        return version(package)
    except PackageNotFoundError:  # distributed under another name: PIL is Pillow
        pass
    try:
        found = getattr(importlib.import_module(package), "__version__", None)
    except ImportError:  # recording reports it
        return None
    return None if found is None else str(found)
