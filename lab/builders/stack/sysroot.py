# SPDX-License-Identifier: MIT
"""Headers and libraries of the guest's Debian, for the host's compiler (``--sysroot``).

Programs of a stack run in the guest, whose C library differs from the host's. So they are linked with that of the
image's suite. The compiler finds its own files (its headers, crtbegin.o, libgcc.a) next to itself, wherever the sysroot
is.
"""

from __future__ import annotations

import json
import os
import stat
from dataclasses import dataclass
from pathlib import Path

from lab.builders.image.debian import SUITE, NoPackageError, fetch_tar
from lab.builders.image.image import Image
from lab.builders.step import BuildLog
from lab.cache.report import Report
from lab.cache.store import Store, content_key, file_sha256
from lab.errors import BuildError

PACKAGES = ("libc6-dev", "linux-libc-dev")  # needed by every C program
LIBRARIES = "usr/lib/x86_64-linux-gnu"  # below a sysroot
RECIPE = 1  # increment when the code below changes the result
NEEDED_BYTES = 500_000_000
_OPTIONS = ["--variant=extract", '--aptopt=Apt::Install-Recommends "false"']
# Of programs, only compilers are needed: bin/x86_64-linux-gnu-g++-14 (and what else begins with an x)
_LEFT_OUT = ("bin/[!x]*", "sbin", "share/doc", "share/man", "share/locale")  # of usr
_LINKS = {"lib": "usr/lib", "lib64": "usr/lib64"}  # every Debian has them, but no package contains them


@dataclass(frozen=True)
class Sysroot:
    """Headers and libraries, ready for a compiler."""

    path: Path
    sha256: str  # of its content


def ensure_sysroot(report: Report, image: Image, packages: list[str], where: str) -> Sysroot:
    """Return the sysroot with these packages and their dependencies; fetch it unless it is cached.

    ``image``: its C library determines the sysroot; ``packages``: in addition to ``PACKAGES``; ``where``: the file that
    lists them.

    Raises:
        BuildError: If a package is not available, or the network cannot be reached.
        HostError: If a tool, space or permission is missing.
    """
    store = Store("sysroot", "headers and libraries of the guest")
    wanted = sorted({*PACKAGES, *packages})
    key = content_key(SUITE, image.packages.get("libc6", ""), *wanted, *_OPTIONS, str(RECIPE))
    entry = store.build(
        key, lambda directory: _make(directory, wanted, where, store, report), report, needed_bytes=NEEDED_BYTES
    )
    return Sysroot(entry / "root", json.loads((entry / "sysroot.json").read_text())["sha256"])


def _make(directory: Path, packages: list[str], where: str, store: Store, report: Report) -> None:
    report.step(f"headers and libraries of the guest: Debian {SUITE}'s {', '.join(packages)}")
    log, tar, root = BuildLog(store.log, directory), directory / "packages.tar", directory / "root"
    try:
        fetch_tar(tar, _OPTIONS, packages, "fetching headers and libraries", log, report, NEEDED_BYTES)
    except NoPackageError as error:
        raise BuildError(error.message, where=where, hint=error.hint) from None
    root.mkdir()
    argv = ["tar", "--extract", "--file", str(tar), "--no-same-owner", "--directory", str(root)]
    log.run("unpacking them", [*argv, *(f"--exclude=./usr/{name}" for name in _LEFT_OUT), "./usr"])
    tar.unlink()
    for name, target in _LINKS.items():
        (root / name).symlink_to(target)
    keep_links_inside(root)
    (directory / "sysroot.json").write_text(json.dumps({"packages": packages, "sha256": tree_sha256(root)}) + "\n")


def keep_links_inside(root: Path) -> None:
    """Make absolute links relative: otherwise they would lead to the host's files."""
    for path in root.rglob("*"):
        if path.is_symlink() and (target := path.readlink()).is_absolute():
            path.unlink()
            path.symlink_to(os.path.relpath(root / target.relative_to("/"), path.parent))


def tree_sha256(root: Path) -> str:
    """Hash names, types, execute permissions and content of everything below a directory."""
    lines = []
    for path in sorted(root.rglob("*")):
        name, mode = path.relative_to(root), path.lstat().st_mode
        if stat.S_ISLNK(mode):
            lines.append(f"{name} -> {path.readlink()}")
        elif stat.S_ISREG(mode):
            lines.append(f"{name} {'x' if mode & 0o111 else '-'} {file_sha256(path)}")
        else:
            lines.append(f"{name}/")
    return content_key("\n".join(lines))
