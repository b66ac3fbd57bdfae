# SPDX-License-Identifier: MIT
"""The source of a package of the image: exactly the version that runs in the guest, with Debian's patches applied."""

from __future__ import annotations

import json
import re
import shlex
import shutil
import tarfile
from dataclasses import dataclass
from pathlib import Path

from lab.builders.image.debian import fetch_tar
from lab.builders.image.image import Image
from lab.builders.image.node_image import ensure_node_image
from lab.builders.step import BuildLog
from lab.cache.report import Report
from lab.cache.store import Store, content_key
from lab.errors import BuildError, InputError
from lab.library import image_called

NEEDED_BYTES = 1_000_000_000
# mmdebstrap must have a package to extract; this one is small and needs no other
_SMALL = "netbase"
_SOURCES_TOO = 'sed "s/^deb /deb-src /" "$1/etc/apt/sources.list" >"$1/etc/apt/sources.list.d/source.list"'
_FETCH = 'mkdir "$1/fetched"; cd "$1/fetched"; APT_CONFIG="$MMDEBSTRAP_APT_CONFIG" apt-get source --download-only {}'
_GONE = re.compile(r"^E: (Unable to find a source package|Version '.*' (for|of) '.*' was not found)", re.MULTILINE)
_REBUILT = re.compile(r"\+b\d+$")  # the same source, compiled again


@dataclass(frozen=True)
class DebianSource:
    """An unpacked source package."""

    package: str  # of the image or a node image
    version: str  # of the source
    path: Path


def ensure_source(report: Report, image: Image, package: str, where: str) -> DebianSource:
    """Return the source of a package; fetch it if the cache does not hold it.

    ``package``: of the image, or ``peer/transmission-daemon`` of the node image peer, which is built unless it is
    cached; ``where``: ``file:line`` that names the package.

    Raises:
        BuildError: If the image lacks the package, or the archive has no source of it.
        HostError: If a tool, space or permission is missing.
        InputError: If the node image does not exist.
    """
    package, version = _found(report, image, package, where)
    store = Store("debian-source", "sources of Debian packages")
    key = content_key(package, version)
    entry = store.build(
        key, lambda directory: _make(directory, package, version, store, report), report, needed_bytes=NEEDED_BYTES
    )
    return DebianSource(package, json.loads((entry / "source.json").read_text())["version"], entry / "tree")


def _found(report: Report, image: Image, written: str, where: str) -> tuple[str, str]:
    """Return a package and its version."""
    name, _, package = written.rpartition("/")
    if name:
        try:
            folder = image_called(name)
        except InputError as error:
            raise InputError(error.message, where=where, hint=error.hint) from None
        of_nodes = ensure_node_image(report, folder, image)
        # a package that the layer does not have comes from the base
        version = of_nodes.packages.get(package, image.packages.get(package))
        owner, lists = f"the image {name}", f"images/{name}/packages"
    else:
        version, owner, lists = image.packages.get(package), "the image", "images/base/packages"
    if version is None:
        raise BuildError(
            f"{package} is not a package of {owner}",
            where=where,
            hint=f"name one that {lists} lists or that comes with one of those; IMAGE/{package}, if it is of the node "
            f"image IMAGE",
        )
    return package, version


def _make(directory: Path, package: str, version: str, store: Store, report: Report) -> None:
    report.step(f"source of {package} {version}: fetching it from Debian")
    log, tar, fetched = BuildLog(store.log, directory), directory / "fetched.tar", directory / "fetched"
    fetch = _FETCH.format(shlex.quote(f"{package}={version}"))
    options = ["--variant=extract", f"--setup-hook={_SOURCES_TOO}", f"--extract-hook={fetch}"]
    try:
        fetch_tar(tar, options, [_SMALL], f"fetching the source of {package}", log, report, NEEDED_BYTES)
    except BuildError:
        if _GONE.search(log.path.read_text(errors="replace")):
            raise _gone(package, version) from None
        raise
    with tarfile.open(tar) as source:
        files = [member for member in source if Path(member.name).parent == Path(fetched.name)]
        source.extractall(directory, files, filter="data")
    tar.unlink()
    (description,) = fetched.glob("*.dsc")
    source_version = described_version(description.read_text(errors="replace"))
    if _REBUILT.sub("", version) != source_version:
        raise _gone(package, version)
    # apt has checked the files against Debian's keys
    log.run(f"unpacking {description.name}", ["dpkg-source", "--no-check", "--extract", str(description), "tree"])
    shutil.rmtree(fetched)
    (directory / "source.json").write_text(json.dumps({"package": package, "version": source_version}) + "\n")


def described_version(description: str) -> str:
    """Return the version that a .dsc file states.

    Raises:
        BuildError: If it states none.
    """
    found = re.search(r"^Version: (\S+)$", description, re.MULTILINE)
    if not found:
        raise BuildError("Debian's source description (.dsc) has no version")
    return found[1]


def _gone(package: str, version: str) -> BuildError:
    return BuildError(
        f"Debian's archive no longer has the source of {package} {version}, which is in the image",
        hint="`lab rootfs --refresh` builds an image from the current packages",
    )
