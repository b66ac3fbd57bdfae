# SPDX-License-Identifier: MIT
"""The lab's Python code for the guest: the part that a plan uses, in a directory that the guest mounts over hostfs.

The directory holds lab/guest, lab/shared, ``guest.py`` of the kinds of nodes and events in the plan, and what those
import; kinds of stacks are in lab/nodes and lab/events there, too. So no other change in the checkout affects the
guest. It is a copy, so that editing the checkout does not affect a running guest. It includes the bytecode of the
guest's Python: compiling the code in every guest would add 20 ms to its boot. One boot compiles everything that any
plan may need.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from lab.builders.imports import Imports
from lab.cache.report import Report, SilentReport
from lab.cache.store import Store, content_key
from lab.checkout import PACKAGE
from lab.machine.uses import Uses
from lab.registry import Room

ROOMS = ("guest", "shared")  # copied to the guest completely
OTHERS = ("mininet_wifi",)  # copied in modes that name them (lab.machine.process)
ENTRY = Path("guest", "__main__.py")  # init starts it
NODES, EVENTS = "nodes", "events"  # <kind>/guest.py is copied if the plan has that kind
KIND_FILE, HOST_FILE = "guest.py", "file.py"
BYTECODE = "__pycache__"
_RECIPE = "1"  # increment when the code below changes the result for the same files
_NEEDED_BYTES = 10_000_000

Compile = Callable[[Path], None]  # compiles all code in that directory


@dataclass(frozen=True)
class Bundle:
    """The code of a plan, ready to be mounted."""

    path: Path
    key: str  # of the code only, regardless of the Python that compiled it


@dataclass(frozen=True)
class GuestCode:
    """All code of this checkout that a guest may need, compiled."""

    path: Path
    compiler: str  # determines the bytecode
    package: Path = PACKAGE

    def bundle(self, uses: Uses, room: str | None = None) -> Bundle:
        """Return the directory for a plan that uses this, created unless it is cached.

        ``room``: one more that is copied completely, and whose ``__main__.py`` is the agent instead.

        Raises:
            HostError: If there is no room, or the cache cannot be written.
        """
        return _bundle(self, uses.nodes, uses.events, room)


@cache
def _bundle(whole: GuestCode, nodes: tuple[str, ...], events: tuple[str, ...], room: str | None) -> Bundle:
    copy = whole.path / whole.package.name  # the compiled code: the checkout may have changed since
    rooms = (*ROOMS, room) if room else ROOMS
    files = _closed(copy, _rooms(copy, rooms) + _of_kinds(copy, NODES, nodes) + _of_kinds(copy, EVENTS, events))
    if room:
        files[ENTRY] = files[Path(room, ENTRY.name)]
    code = _key(files)
    store = Store("bundle", "the guest's code of a plan")

    def make(directory: Path) -> None:
        for file, content in files.items():
            target = directory / copy.name / file
            (target.parent / BYTECODE).mkdir(parents=True, exist_ok=True)
            target.write_bytes(content)
            if room and file == ENTRY:  # its bytecode is that of another file
                continue
            for compiled in (copy / file).parent.glob(f"{BYTECODE}/{file.stem}.*.pyc"):
                shutil.copyfile(compiled, target.parent / BYTECODE / compiled.name)

    key = content_key(code, whole.compiler, _RECIPE)
    return Bundle(store.build(key, make, SilentReport(), needed_bytes=_NEEDED_BYTES), code)


def ensure_guest_code(report: Report, compiler: str, compile_code: Compile, package: Path = PACKAGE) -> GuestCode:
    """Return the code that guests may need, compiled unless it is cached.

    ``compiler``: what determines the bytecode: the image, whose Python reads it; ``compile_code``: compiles it in a
    guest.

    Raises:
        HostError: If there is no room, or the cache cannot be written.
        RunError: If the guest did not compile it.
    """
    files = sources(package)
    key = content_key(_key(files), compiler, _RECIPE)
    store = Store("guest-code", "the guest's code")

    def make(directory: Path) -> None:
        report.step("Compiling the guest's code")
        for file, content in files.items():
            target = directory / package.name / file
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(content)
        compile_code(directory)

    return GuestCode(store.build(key, make, report, needed_bytes=_NEEDED_BYTES), compiler, package)


def sources(package: Path = PACKAGE) -> dict[Path, bytes]:
    """Return all files that a guest may need, by path relative to the package, in a fixed order."""
    kinds = [file for room in (NODES, EVENTS) for file in package.glob(f"{room}/*/{KIND_FILE}")]
    found = (room for room in (*ROOMS, *OTHERS) if (package / room).is_dir())
    return _closed(package, _rooms(package, found) + kinds) | _of_stacks()


def _of_stacks() -> dict[Path, bytes]:
    """Return the files of the kinds of stacks, where they would be if the kinds were the lab's."""
    return {
        Path(room, found.path.parent.name, file.name): file.read_bytes()
        for room in (NODES, EVENTS)
        for found in Room(room, object, Path(KIND_FILE).stem).of_stacks()
        for file in sorted(found.path.parent.glob("*.py"))
        if file.name != HOST_FILE
    }


def _rooms(package: Path, rooms: Iterable[str]) -> list[Path]:
    return [file for room in rooms for file in (package / room).rglob("*.py")]


def _of_kinds(package: Path, room: str, kinds: tuple[str, ...]) -> list[Path]:
    """Return the files of these kinds; a kind without one needs no code in the guest."""
    files = [package / room / kind.replace("-", "_") / KIND_FILE for kind in kinds]
    return [file for file in files if file.is_file()]


def _closed(package: Path, files: list[Path]) -> dict[Path, bytes]:
    """Return these files and all files of the lab that they import."""
    found = Imports(package=package).closure(files)
    return {file.relative_to(package): content for file, content in found.items()}


def _key(files: Mapping[Path, bytes]) -> str:
    return content_key(*(part for file, content in files.items() for part in (str(file), content)))
