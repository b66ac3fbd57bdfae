# SPDX-License-Identifier: MIT
"""Cache of plans: planning, including its imports, takes as long as a guest takes to boot.

A cached plan is used if the arguments and the current directory are the same, and nothing that planning may read has
changed: the lab's code, the folders of topologies and workloads, the installed packages. As in git, a file counts as
unchanged if its size, inode number and times are the same. A plan is not cached if planning read a file anywhere else
or printed a warning, or if files changed within the last seconds: their next change might not be noticed.
"""

from __future__ import annotations

import contextlib
import itertools
import json
import os
import sys
import time
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

from lab import errors, library
from lab.cache.report import SilentReport
from lab.cache.store import Store, content_key
from lab.checkout import PACKAGE
from lab.errors import HostError
from lab.shared.types import Plan

_FILE = "plan.json"
_NEEDED_BYTES = 10_000_000
_SETTLED_NS = 2_000_000_000  # coarser than the time stamps of any file system
_MADE_BY_IMPORTS = "__pycache__"


def plan(topology: str, workload: str, seed: int, settings: list[str], pcap: str | None) -> Plan:
    """Return the plan of ``lab run``, from the cache or from lab.plan.load.

    Raises:
        InputError, InputErrors: mistakes in what the user wrote.
    """
    before = _state(topology, workload)
    store = Store("plan", "a plan")
    key = content_key(json.dumps([topology, workload, seed, settings, pcap]), json.dumps(before))
    if before is not None and store.has(key):
        with contextlib.suppress(OSError, ValueError):  # `lab clean` came between, or a power cut
            return Plan.from_json((store.path(key) / _FILE).read_text())
    with _opened():
        from lab.plan.load import load

        made = load(topology, workload, seed, settings, pcap=pcap)
    places = _known_places()
    elsewhere = any(not path.startswith(places) for path in _opened().paths)
    elsewhere = elsewhere or bool(made.docker_images())  # another program has read those
    if before is None or elsewhere or errors.has_warned() or _state(topology, workload) != before:
        return made
    with contextlib.suppress(HostError):  # no room, no permission: the next run plans again
        store.build(key, lambda entry: _write(entry, made), SilentReport(), needed_bytes=_NEEDED_BYTES)
    return made


def _write(directory: Path, made: Plan) -> None:
    (directory / _FILE).write_text(made.to_json())


def _folders() -> list[Path]:
    """Return the folders in which planning may find topologies, workloads and the lab's code."""
    return [PACKAGE, *(folder for kind in ("topology", "workload", "image") for folder in library.folders(kind))]


def _known_places() -> tuple[str, ...]:
    """Return the folders whose changes the state shows."""
    return tuple(f"{place.resolve()}{os.sep}" for place in (*_folders(), *_packages()))


def _packages() -> list[Path]:
    """The folders of Python and of installed packages. Others in sys.path, such as a checkout, change at any time."""
    places = [Path(place) for place in sys.path if place.startswith((sys.prefix, sys.base_prefix))]
    return [place for place in places if place.is_dir()]


def _state(*names: str) -> list[Any] | None:
    """Return the current state of everything that planning may read; None if a change of it might not be noticed.

    ``names`` are the topology and the workload as the user wrote them: files with these names take precedence over
    those in the folders.
    """
    files: list[list[object]] = []
    settled_ns = time.time_ns() - _SETTLED_NS
    try:
        for entry in itertools.chain.from_iterable(map(_entries, _folders())):
            stat = entry.stat(follow_symlinks=False)
            if entry.is_symlink() or stat.st_ctime_ns > settled_ns:
                return None
            files.append([entry.path, stat.st_size, stat.st_ino, stat.st_mtime_ns, stat.st_ctime_ns])
    except OSError:  # something has just been removed, or cannot be read
        return None
    packages = [[str(place), place.stat().st_mtime_ns] for place in _packages()]
    shadows = [Path(name).exists() for name in names]
    return [str(Path.cwd()), sys.version, packages, shadows, sorted(files)]


def _entries(folder: Path) -> Iterator[os.DirEntry[str]]:
    """Yield all files and links below a folder, except for bytecode."""
    with os.scandir(folder) as entries:
        for entry in entries:
            if not entry.is_dir(follow_symlinks=False):
                yield entry
            elif entry.name != _MADE_BY_IMPORTS:
                yield from _entries(Path(entry.path))


class _Opened:
    """The files that planning has opened in this process; the next plan also uses what an earlier one imported."""

    def __init__(self) -> None:
        self.paths: set[str] = set()
        self._listening = False
        sys.addaudithook(self._hear)

    def _hear(self, event: str, arguments: tuple[Any, ...]) -> None:
        if self._listening and event == "open" and isinstance(arguments[0], str | bytes):
            self.paths.add(os.path.realpath(os.fsdecode(arguments[0])))

    def __enter__(self) -> None:
        self._listening = True

    def __exit__(self, *_: object) -> None:
        self._listening = False


@cache
def _opened() -> _Opened:
    """Return the single instance of this process: audit hooks cannot be removed."""
    return _Opened()
