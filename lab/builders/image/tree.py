# SPDX-License-Identifier: MIT
"""Trees of Debian packages, from which images are made: that of the base, and others on top of it.

The base's tree is kept in the cache, with what apt and dpkg know, which the image lacks. Packages of a node image are
installed into a copy of it. Files that installation scripts make have the time 0 in a tree, since those of the base's
would otherwise look like packaged ones.
"""

from __future__ import annotations

import re
import shlex
import tarfile
import time
from pathlib import Path

from lab.builders.image.debian import ConflictError, NoPackageError, fetch_tar
from lab.builders.image.layer import name_of
from lab.builders.step import BuildLog
from lab.cache.report import Report
from lab.cache.store import Store
from lab.checkout import DATA
from lab.errors import BuildError
from lab.library import shown
from lab.text import entries

PACKAGES = DATA / "images" / "base" / "packages"
SHELF, FILE = "tree", "tree.tar"
BASE_BYTES = 1_500_000_000  # of the tree, its tar files and the packages
MORE_BYTES = 3_000_000_000
# Files that no node reads.
NO_DOCUMENTS = ("doc", "man", "locale", "info", "lintian", "bash-completion", "zsh")
OPTIONS = [
    '--aptopt=Apt::Install-Recommends "false"',
    *(f"--dpkgopt=path-exclude=/usr/share/{name}/*" for name in NO_DOCUMENTS),
]
BASE = ["--variant=essential", *OPTIONS]
# What is chosen for a node may be older than what the base has of it, but must not take anything from the base.
_MORE = [
    "--variant=custom",
    *OPTIONS,
    '--aptopt=APT::Get::allow-downgrades "true"',
    '--aptopt=APT::Get::Remove "false"',
]
_ALWAYS = ["--skip=output/dev", "--dpkgopt=force-unsafe-io"]  # no devices; no waiting for the disk after each file
_FETCHED = ("var/cache/apt/", "var/lib/apt/lists/")
# of Debian's policy, 5.6.1 and 5.6.12; apt would take another end (curl-) or beginning for something else to do
_PACKAGE = re.compile(r"[a-z0-9][a-z0-9.+-]*[a-z0-9.+](=[0-9][A-Za-z0-9.+:~-]*)?")


def read_packages(path: Path = PACKAGES) -> list[str]:
    """Read the package names of a list: one a line, ``#`` starts a comment.

    Raises:
        BuildError: If a line holds more than one name, or something else.
    """
    names = []
    for number, words in entries(path.read_text()):
        if len(words) > 1:
            raise BuildError(
                f'"{" ".join(words)}" is more than one package; write one per line', where=f"{shown(path)}:{number}"
            )
        if not _PACKAGE.fullmatch(words[0]):
            raise BuildError(
                f'"{words[0]}" is not the name of a Debian package; write curl, or curl=8.14.1-2 for one version',
                where=f"{shown(path)}:{number}",
            )
        names += words
    return names


def ensure_tree(report: Report, key: str, *, refresh: bool = False) -> Path:
    """Return the tar file of the base's tree; make it unless it is cached under the key.

    Raises:
        BuildError: If a step failed.
        HostError: If a tool, space or permission is missing.
    """
    store = Store(SHELF, "the tree of Debian packages")

    def make(directory: Path) -> None:
        log = BuildLog(store.log, directory)
        _fetch(directory / FILE, BASE, PACKAGES, "making the image's tree", log, report, BASE_BYTES)

    return store.build(key, make, report, needed_bytes=BASE_BYTES, replace=refresh) / FILE


def extend_tree(base: Path, tree: Path, packages: Path, what: str, log: BuildLog, report: Report) -> None:
    """Write a tar file of the base's tree with the packages of a list, and what they need.

    ``what`` is for messages: "making the tree of the image peer".

    Raises:
        BuildError: If a package does not exist, with the line that names it; on a conflict; if a step failed.
        HostError: If a tool, space or permission is missing.
    """
    into = f"--setup-hook=tar-in {shlex.quote(str(base))} /"
    try:
        _fetch(tree, [*_MORE, into], packages, what, log, report, MORE_BYTES)
    except ConflictError as error:
        raise BuildError(error.message, where=shown(packages), hint=error.hint) from None


def _fetch(
    tree: Path, options: list[str], packages: Path, what: str, log: BuildLog, report: Report, needed_bytes: int
) -> None:
    raw, started_s = tree.with_name("raw.tar"), int(time.time())
    try:
        names = read_packages(packages)
        fetch_tar(raw, [*_ALWAYS, *options], names, what, log, report, needed_bytes)
    except NoPackageError as error:
        for number, words in entries(packages.read_text()):
            if words == [error.package]:
                raise BuildError(error.message, where=f"{shown(packages)}:{number}", hint=error.hint) from None
        raise
    settle(raw, tree, started_s)
    raw.unlink()


def settle(raw: Path, tree: Path, started_s: int) -> None:
    """Copy mmdebstrap's tree, without packages and lists, and with times that do not depend on the day.

    What is newer than ``started_s``, the start of mmdebstrap, an installation script created: it gets the time 0.
    Packaged files keep their time, since compiled Python files record it.
    """
    with tarfile.open(raw) as source, tarfile.open(tree, "w", format=tarfile.PAX_FORMAT) as target:
        for member in source:
            if name_of(member).startswith(_FETCHED):
                continue
            member.mtime = int(member.mtime) if member.mtime < started_s else 0
            member.pax_headers = {key: value for key, value in member.pax_headers.items() if key != "mtime"}
            target.addfile(member, source.extractfile(member) if member.isreg() else None)
