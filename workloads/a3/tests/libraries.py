# SPDX-License-Identifier: MIT
"""Libraries of the guest's Debian, for programs that tests compile on this machine: they need little of a C library."""

from __future__ import annotations

import shutil
import tempfile
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from lab.builders.image.image import ensure_image
from lab.builders.stack.files import BUILD_PACKAGES, listed
from lab.builders.stack.sysroot import LIBRARIES, ensure_sysroot
from lab.cache.report import SilentReport

_PACKAGES = Path(__file__).parents[1] / BUILD_PACKAGES
# without others of the guest, which must not come before those of this machine
_HEADERS = tempfile.TemporaryDirectory(prefix="a3-headers-")


@dataclass(frozen=True)
class Libraries:
    """What gcc needs to find them."""

    compile: tuple[str, ...]
    link: tuple[str, ...]


@cache
def libraries() -> Libraries:
    """Fetch them unless they are there."""
    root = ensure_sysroot(SilentReport(), ensure_image(SilentReport()), listed(_PACKAGES), str(_PACKAGES)).path
    for name in ("llhttp.h", "sha2.h", "zconf.h", "zlib.h"):
        shutil.copy(root / "usr" / "include" / name, _HEADERS.name)
    archives = (str(root / LIBRARIES / name) for name in ("libllhttp.a", "libz.a", "libmd.a"))
    return Libraries(("-isystem", _HEADERS.name), tuple(archives))
