# SPDX-License-Identifier: MIT
"""The guest's own programs and libraries on this machine: unpacked from its image, run by the loader that is in it.

sap-get needs a newer libcurl than this machine's Debian may have, and mod_sap the very lighttpd of the image. With the
loader and the libraries of the image they run here too, where sanitizers, valgrind and a kernel with UDP-Lite are.
"""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType

from lab.builders.debian_source import ensure_source
from lab.builders.image.image import Image
from lab.builders.stack.files import BUILD_PACKAGES, listed
from lab.builders.stack.stack import compiler, variable
from lab.builders.stack.sysroot import LIBRARIES, ensure_sysroot
from lab.cache.report import SilentReport
from lab.cache.store import content_key
from lab.errors import BuildError
from workloads.sap.tests.library import native

STACK = native.STACK
LOADER = "ld-linux-x86-64.so.2"
PLAIN = ["-g", "-O1"]
SANITIZED = ["-g", *native.SANITIZED]


@dataclass(frozen=True)
class GuestFiles:
    """What was unpacked, below ``root``."""

    root: Path
    image: Image

    def command(self, program: Path, *preloaded: Path) -> list[str]:
        """The beginning of a command that runs a program as the guest would, with libraries of ours before its own."""
        libraries = self.root / LIBRARIES
        first = ["--preload", ":".join(map(str, preloaded))] if preloaded else []
        return [str(libraries / LOADER), "--library-path", str(libraries), *first, str(program)]

    def build(self, part: str, flags: list[str], changed: Mapping[str, str] = MappingProxyType({})) -> Path:
        """Compile libsap and a folder of the stack, as the lab does but with other CFLAGS; where the results are.

        Only once for the same files (native.built). ``changed``: files of the folder that have another content.
        """
        where = str(STACK / BUILD_PACKAGES)
        sysroot = ensure_sysroot(SilentReport(), self.image, listed(STACK / BUILD_PACKAGES), where)
        source = ensure_source(SilentReport(), self.image, "lighttpd", str(STACK / "sources"))

        def make(to: Path) -> None:
            for name in ("libsap", "common", part):
                shutil.copytree(STACK / name, to / name, ignore=shutil.ignore_patterns("build"))
            for name, content in changed.items():
                (to / part / name).write_text(content)
            variables = {
                "CC": compiler(to, sysroot.path, {}, {}),
                "CFLAGS": " ".join(flags),
                "LDFLAGS": "-static-libasan -static-libubsan" if flags == SANITIZED else "",
                variable("lighttpd"): str(source.path),
            }
            words = [f"{key}={value}" for key, value in variables.items()]
            native.run(["make", "-C", str(to / "libsap"), *words, "build/libsap.a"])
            native.run(["make", "-C", str(to / part), *words])

        paths = (str(sysroot.path), str(source.path))
        key = content_key(
            native.run(["gcc", "--version"]), part, *flags, *paths, *native.contents(STACK), json.dumps(dict(changed))
        )
        return native.built(key, make) / part / "build"


def unpack(image: Image, to: Path) -> GuestFiles:
    """lighttpd and all libraries of the image."""
    wanted = [LIBRARIES, "usr/lib/lighttpd", "usr/sbin/lighttpd"]
    native.run(["unsquashfs", "-quiet", "-no-progress", "-dest", str(to), str(image.path), *wanted])
    return GuestFiles(to, image)


def let_valgrind_see(files: GuestFiles) -> None:
    """Put what valgrind has to know about the C library where it looks: next to it, in ``.debug``.

    Raises:
        BuildError: Debian has that of another version only; nothing would be watched.
    """
    sysroot = ensure_sysroot(SilentReport(), files.image, ["libc6-dbg"], __file__)
    libraries = files.root / LIBRARIES
    (libraries / ".debug").mkdir()
    for name in (LOADER, "libc.so.6"):
        (build_id,) = re.findall(r"Build ID: (\w+)", native.run(["readelf", "--notes", str(libraries / name)]))
        known = sysroot.path / "usr" / "lib" / "debug" / ".build-id" / build_id[:2] / f"{build_id[2:]}.debug"
        if not known.exists():
            raise BuildError(
                f"Debian's archive no longer has the libc6-dbg of {name}, which is in the image",
                hint="`lab rootfs --refresh` builds an image from today's packages",
            )
        (libraries / ".debug" / known.name).symlink_to(known)
