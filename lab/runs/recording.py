# SPDX-License-Identifier: MIT
"""What makes the record of a run, on the host: the lab's code and that of stacks, and the versions of what runs it.

The code is lab.record and the probes and metrics of the plan, each with what it imports. It counts by its meaning
(lab.build.meaning), without comments and docstrings. What it computes may depend on the host's Python and on the
packages that it imports, such as NumPy and Pillow: their versions count. Those of packages that these import in turn do
not, nor those of packages imported by computed names. NumPy and SciPy also compute plans, but what they find is in the
plan, which counts.
"""

from __future__ import annotations

import importlib
import itertools
import sys
from dataclasses import dataclass
from functools import cache
from importlib.metadata import PackageNotFoundError, version

from lab import discovery
from lab.build.cache import content_key
from lab.build.imports import Imports
from lab.build.meaning import meanings
from lab.checkout import PACKAGE
from lab.machine.uses import Uses
from lab.metrics import base as metrics

_RECORDING = "record/build.py"
_SPLITTING = "captures/split.py"  # of a capture of the air


@dataclass(frozen=True)
class Recording:
    """What makes a record."""

    files: dict[str, bytes]  # by name in the lab or among the workloads
    code: str  # the key of their meaning
    versions: dict[str, str | None]  # ``host python`` and ``host <package>``


def recording(uses: Uses) -> Recording:
    """What makes the record of a plan that uses this.

    The file that is named after a probe or metric counts, wherever its class is defined. Of two files of one name, in a
    stack that lies in two folders, the second has its number in the name.
    """
    places = [discovery.place("probes", name) for name in uses.probes]
    places += [discovery.place("metrics", metrics.current(kind)) for kind in uses.metrics]
    roots = [PACKAGE / _RECORDING, *([PACKAGE / _SPLITTING] if uses.air else []), *(place.path for place in places)]
    own = {place.package: place.folder for place in places if place.stack is not None}
    imports = Imports()
    files: dict[str, bytes] = {}
    for path, content in imports.closure(roots, own).items():
        folder = next((one for one in own.values() if path.is_relative_to(one)), PACKAGE.parent)
        name = str(path.relative_to(folder))
        numbered = (name if number == 1 else f"{name} {number}" for number in itertools.count(1))
        files[next(one for one in numbered if one not in files)] = content
    return Recording(files, _key(files), _versions(imports.foreign(files.values(), own)))


def _key(files: dict[str, bytes]) -> str:
    known = meanings()
    key = content_key(*itertools.chain.from_iterable((name, known.of(content)) for name, content in files.items()))
    known.keep()
    return key


def _versions(packages: list[str]) -> dict[str, str | None]:
    python = f"{sys.version_info.major}.{sys.version_info.minor}"  # a later one may add up floats more exactly
    return {"host python": python, **{f"host {name}": _version(name) for name in packages}}


@cache
def _version(package: str) -> str | None:
    """The version of a package by the name that Python imports it by; None if it has none, or is not installed."""
    try:
        return version(package)
    except PackageNotFoundError:  # distributed under another name: PIL is Pillow
        pass
    try:
        found = getattr(importlib.import_module(package), "__version__", None)
    except ImportError:  # recording reports it
        return None
    return None if found is None else str(found)
