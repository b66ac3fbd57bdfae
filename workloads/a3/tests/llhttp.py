# SPDX-License-Identifier: MIT
"""llhttp of the guest's Debian, for programs that tests compile on this machine: it needs little of a C library."""

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
_HEADERS = tempfile.TemporaryDirectory(prefix="llhttp-")


@dataclass(frozen=True)
class Llhttp:
    """What gcc needs to find it."""

    compile: tuple[str, ...]
    link: tuple[str, ...]


@cache
def llhttp() -> Llhttp:
    """Fetch it unless it is there."""
    root = ensure_sysroot(SilentReport(), ensure_image(SilentReport()), listed(_PACKAGES), str(_PACKAGES)).path
    shutil.copy(root / "usr" / "include" / "llhttp.h", _HEADERS.name)
    return Llhttp(("-isystem", _HEADERS.name), (str(root / LIBRARIES / "libllhttp.a"),))
