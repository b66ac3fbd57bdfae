# SPDX-License-Identifier: MIT
"""Libraries of the guest's Debian, for programs that tests compile on this machine: they need little of a C library."""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from lab.builders.image.image import ensure_image
from lab.builders.stack.files import BUILD_PACKAGES, listed
from lab.builders.stack.sysroot import LIBRARIES, ensure_sysroot
from lab.cache.report import SilentReport
from lab.cache.store import Store, content_key

_PACKAGES = Path(__file__).parents[1] / BUILD_PACKAGES
_HEADERS = Store("c-headers", "headers of tests in C")


@dataclass(frozen=True)
class Libraries:
    """What gcc needs to find them."""

    headers: Path
    link: tuple[str, ...]


@cache
def libraries() -> Libraries:
    """Fetch them unless they are there."""
    root = ensure_sysroot(SilentReport(), ensure_image(SilentReport()), listed(_PACKAGES), str(_PACKAGES)).path

    def copy(directory: Path) -> None:
        """Without others of the guest, which must not come before those of this machine."""
        for name in ("llhttp.h", "sha2.h", "zconf.h", "zlib.h"):
            shutil.copy(root / "usr" / "include" / name, directory)

    headers = _HEADERS.build(content_key(str(root)), copy, SilentReport(), needed_bytes=1_000_000)
    archives = (str(root / LIBRARIES / name) for name in ("libllhttp.a", "libz.a", "libmd.a"))
    return Libraries(headers, tuple(archives))
