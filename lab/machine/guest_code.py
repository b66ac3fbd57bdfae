# SPDX-License-Identifier: MIT
"""The lab's own Python code for the guest: the packages that run there, in a directory of their own.

The guest mounts it over hostfs. It is a copy, so that editing the checkout while a guest runs changes nothing in it.
Its bytecode is beside it, as the guest's Python wants it: compiling took every guest 20 ms of its boot.
"""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from pathlib import Path

from lab.build.cache import Store, content_key
from lab.build.image.image import Image
from lab.build.kernel.kernel import Kernel
from lab.build.report import Report
from lab.checkout import PACKAGE
from lab.machine.doctor import memory_directory
from lab.machine.process import MEMORY_BYTES, Guest, GuestFiles, command_line
from lab.machine.scratch import scratch
from lab.machine.watch import Watch

PARTS = ("__init__.py", "guest", "shared")
ROOMS = ("events", "nodes")  # of each kind the part that runs in the guest
BYTECODE = "__pycache__"
_NEEDED_BYTES = 10_000_000


@dataclass(frozen=True)
class Bundle:
    """The code, ready to be mounted."""

    path: Path
    key: str  # of the code alone, whichever Python compiled it


def sources() -> list[Path]:
    """All files that go into the guest, relative to the package, in a fixed order."""
    found: list[Path] = []
    for part in PARTS:
        path = PACKAGE / part
        files = [path] if path.is_file() else path.rglob("*.py")
        found += [file.relative_to(PACKAGE) for file in files]
    for room in ROOMS:
        files = [PACKAGE / room / "__init__.py", *(PACKAGE / room).glob("*/__init__.py")]
        found += [file.relative_to(PACKAGE) for file in [*files, *(PACKAGE / room).glob("*/guest.py")]]
    return sorted(found)


def ensure_bundle(report: Report, kernel: Kernel, image: Image, initrd: Path) -> Bundle:
    """The directory to mount, made if the cache does not have this code yet.

    Args:
        report: Told that it is being compiled.
        kernel: Of the guest that compiles it.
        image: The same; its Python is the one that reads the bytecode.
        initrd: The same.

    Raises:
        HostError: No room, an unwritable cache.
        RunError: The guest did not compile it.
    """
    files = sources()
    parts: list[bytes | str] = []
    for file in files:
        parts += [str(file), (PACKAGE / file).read_bytes()]
    code = content_key(*parts)
    key = content_key(code, image.sha256, Path(__file__).read_bytes())
    store = Store("bundle", "the guest's code")

    def make(directory: Path) -> None:
        report.step("Compiling the guest's code")
        for file in files:
            target = directory / "lab" / file
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(PACKAGE / file, target)
        _compile(directory, kernel, image, initrd)

    if not store.has(key):
        store.build(key, make, report, needed_bytes=_NEEDED_BYTES)
    return Bundle(store.path(key), code)


def _compile(bundle: Path, kernel: Kernel, image: Image, initrd: Path) -> None:
    """Have a guest compile the code in ``bundle``, and put what it made beside it."""
    run = bundle / "run"
    run.mkdir()
    files = GuestFiles(kernel.path, initrd, image.path, bundle, run)
    with scratch(files.links()) as place, (run / "console.log").open("wb") as console:
        arguments = command_line(files, place, seed=0, radios=0, mode="compile", memory_bytes=MEMORY_BYTES)
        guest = Guest(arguments, run, memory_directory(), console)
        try:
            Watch(guest, place, 0).follow()
        finally:
            guest.kill()
    for made in sorted(run.rglob(BYTECODE)):
        made.rename(bundle / made.relative_to(run))
    shutil.rmtree(run)
