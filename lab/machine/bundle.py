# SPDX-License-Identifier: MIT
"""The lab's own Python code for the guest: the packages that run there, in a directory of their own.

The guest mounts it over hostfs. It is a copy, so that editing the checkout while a guest runs changes nothing in it.
"""

from __future__ import annotations

import shutil
from pathlib import Path

from lab.machine.build_report import SilentReport
from lab.machine.cache import Store, content_key

PACKAGE = Path(__file__).resolve().parents[1]
PARTS = ("__init__.py", "guest", "plan", "probes")
_NEEDED_BYTES = 10_000_000


def sources() -> list[Path]:
    """All files that go into the guest, relative to the package, in a fixed order."""
    found: list[Path] = []
    for part in PARTS:
        path = PACKAGE / part
        files = [path] if path.is_file() else path.rglob("*.py")
        found += [file.relative_to(PACKAGE) for file in files]
    return sorted(found)


def ensure_bundle() -> Path:
    """The directory to mount, made if the cache does not have this code yet."""
    files = sources()
    parts: list[bytes | str] = []
    for file in files:
        parts += [str(file), (PACKAGE / file).read_bytes()]
    key = content_key(*parts)
    store = Store("bundle", "the guest's code")

    def make(directory: Path) -> None:
        for file in files:
            target = directory / "lab" / file
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(PACKAGE / file, target)

    return store.path(key) if store.has(key) else store.build(key, make, SilentReport(), needed_bytes=_NEEDED_BYTES)
