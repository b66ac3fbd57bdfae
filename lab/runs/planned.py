# SPDX-License-Identifier: MIT
"""Plans that have been made before: planning, with what it imports, takes as long as a guest takes to boot.

A plan is taken from the cache if it was asked for in the same words, in the same directory, while all that planning may
look at was as it is now: the lab's code, the folders of topologies and workloads, which packages are installed. Files
count as unchanged by size, number, and times of change, as git has it. A plan is not kept if planning read a file
anywhere else or warned of something, or if files changed within the last seconds: their next change might not show.
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
from lab.build.cache import Store, content_key
from lab.build.report import SilentReport
from lab.checkout import PACKAGE
from lab.errors import HostError
from lab.shared.types import Plan

_FILE = "plan.json"
_NEEDED_BYTES = 10_000_000
_SETTLED_NS = 2_000_000_000  # coarser than the time stamps of any file system
_MADE_BY_IMPORTS = "__pycache__"


def plan(topology: str, workload: str, seed: int, settings: list[str], pcap: str | None) -> Plan:
    """The plan of ``lab run``, as lab.plan.load makes it.

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
    if before is None or elsewhere or errors.has_warned() or _state(topology, workload) != before:
        return made
    with contextlib.suppress(HostError):  # no room, no permission: the next run plans again
        store.build(key, lambda entry: _write(entry, made), SilentReport(), needed_bytes=_NEEDED_BYTES)
    return made


def _write(directory: Path, made: Plan) -> None:
    (directory / _FILE).write_text(made.to_json())


def _folders() -> list[Path]:
    """The folders in which planning may find files of ours."""
    return [PACKAGE, *library.folders("topology"), *library.folders("workload")]


def _known_places() -> tuple[str, ...]:
    """Where files lie whose change shows in the state."""
    return tuple(f"{place.resolve()}{os.sep}" for place in (*_folders(), *_packages()))


def _packages() -> list[Path]:
    """The folders of Python and of installed packages. Others in sys.path, such as a checkout, change at any time."""
    places = [Path(place) for place in sys.path if place.startswith((sys.prefix, sys.base_prefix))]
    return [place for place in places if place.is_dir()]


def _state(*names: str) -> list[Any] | None:
    """All that planning may look at, as it is now; None: a change of it might not show.

    ``names`` are what the user calls topology and workload: files of these names come before those in the folders.
    """
    files: list[list[object]] = []
    settled_ns = time.time_ns() - _SETTLED_NS
    try:
        for entry in itertools.chain.from_iterable(map(_entries, _folders())):
            stat = entry.stat(follow_symlinks=False)
            if entry.is_symlink() or stat.st_ctime_ns > settled_ns:
                return None
            files.append([entry.path, stat.st_size, stat.st_ino, stat.st_mtime_ns, stat.st_ctime_ns])
    except OSError:  # something has just been removed, or may not be looked at
        return None
    packages = [[str(place), place.stat().st_mtime_ns] for place in _packages()]
    shadows = [Path(name).exists() for name in names]
    return [str(Path.cwd()), sys.version, packages, shadows, sorted(files)]


def _entries(folder: Path) -> Iterator[os.DirEntry[str]]:
    """All files and links below a folder, but what imports leave there."""
    with os.scandir(folder) as entries:
        for entry in entries:
            if not entry.is_dir(follow_symlinks=False):
                yield entry
            elif entry.name != _MADE_BY_IMPORTS:
                yield from _entries(Path(entry.path))


class _Opened:
    """The files that planning has opened in this process; what one plan has imported serves the next, too."""

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
    """The one of this process: nothing removes an audit hook."""
    return _Opened()
