# SPDX-License-Identifier: MIT
"""The guest's root file system: Debian trixie packages in one squashfs file.

The guest's kernel maps the file as a block device. The same packages give the same bytes, regardless of day and
user: ``curate`` drops or fixes what else a tree has.
"""

from __future__ import annotations

import io
import json
import os
import tarfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from lab.builders.image.debian import SUITE
from lab.builders.image.layer import entry_of, name_of
from lab.builders.image.tree import BASE, NO_DOCUMENTS, ensure_tree, read_packages
from lab.builders.step import BuildLog
from lab.cache.report import Report
from lab.cache.store import Store, content_key, file_sha256

SHELF, FILE, FACTS = "image", "image.squashfs", "packages.json"  # the cache's name for images, and files of an entry
RECIPE = 5  # increment when the code below changes the result
NEEDED_BYTES = 700_000_000

# Not compressed: packing takes 0.5 s instead of 18 s with zstd, guests read it as fast (within the noise), and its
# bytes do not depend on the version of a compressor. -comp only names what the kernel must support.
SQFSTAR = ["sqfstar", "-quiet", "-no-progress", "-comp", "zstd", "-noI", "-noD", "-noF", "-noX"]

# Differs with every build or host, and is of no use in the guest: files, and what is in directories.
DROPPED = (
    "dev/",
    "var/cache/",
    "var/log/",
    "var/lib/apt/",
    "var/lib/dpkg/info/",
    "var/lib/dpkg/triggers/",
    "var/lib/systemd/",
    "etc/apt/",
    "etc/dpkg/dpkg.cfg.d/",
    "etc/resolv.conf",
    "etc/.pwd.lock",
    *(f"usr/share/{name}/" for name in NO_DOCUMENTS),
    # what systemd-tmpfiles makes only where it finds /proc: not if root may not mount
    "etc/credstore",
    "etc/credstore.encrypted",
    "etc/default/locale",
    "etc/vconsole.conf",
    "root/.ssh",
    "run/",
    "var/lib/libuuid",
    "var/lib/private",
)
DROPPED_SUFFIXES = (
    "-old",
    "/passwd-",
    "/group-",
    "/shadow-",
    "/gshadow-",
    "/subuid-",
    "/subgid-",
    "/lock",
    "/lock-frontend",
)
DIRECTORIES = {"proc": 0o555, "sys": 0o555, "dev": 0o755, "run": 0o755, "tmp": 0o1777, "lab": 0o755}
FILES = {
    "etc/machine-id": "6877736d2d6c61622d67756573742d31\n",  # "hwsm-lab-guest-1": the same in every guest
    "etc/hostname": "",
    "etc/hosts": "127.0.0.1 localhost\n::1 localhost ip6-localhost\n",
    "etc/fstab": "",
}
LINKS = {"etc/mtab": "../proc/self/mounts"}
# The day on which accounts were created, since the epoch: fixed, or the image would change every day.
SHADOW = ("etc/shadow",)
SHADOW_DAY = "20000"


@dataclass(frozen=True)
class Image:
    """A root file system, ready to mount."""

    path: Path
    sha256: str
    packages: dict[str, str]  # name: version
    key: str


def image_key(packages: list[str]) -> str:
    """Hash what an image depends on, except for the day: it stays until a refresh."""
    return content_key(SUITE, *sorted(packages), *SQFSTAR, *BASE, str(RECIPE), json.dumps([FILES, LINKS]))


def ensure_image(report: Report, *, refresh: bool = False) -> Image:
    """Return the image; build it unless it is cached.

    ``refresh``: build it again, with newer packages.

    Raises:
        BuildError: If a step failed; with its name and the last lines of its log.
        HostError: If a tool, space or permission is missing.
    """
    store = Store(SHELF, "the image")
    packages = read_packages()
    key = image_key(packages)
    entry = store.build(
        key,
        lambda made: _make(made, packages, key, store, report, refresh),
        report,
        needed_bytes=NEEDED_BYTES,
        replace=refresh,
    )
    facts = json.loads((entry / FACTS).read_text())
    return Image(entry / FILE, facts["sha256"], facts["packages"], key)


def _make(directory: Path, packages: list[str], key: str, store: Store, report: Report, refresh: bool) -> None:
    report.step(f"image: Debian {SUITE} with {len(packages)} packages and what they need")
    tree = ensure_tree(report, key, refresh=refresh)
    report.step("image: packing")
    log = BuildLog(store.log, directory)
    clean, image = directory / "clean.tar", directory / FILE
    versions, newest_s = curate(tree, clean)
    pack(clean, image, newest_s, log)
    facts = {"sha256": file_sha256(image), "suite": SUITE, "packages": versions}
    (directory / FACTS).write_text(json.dumps(facts, indent=2, sort_keys=True) + "\n")


def pack(tree: Path, image: Path, newest_s: int, log: BuildLog, *options: str) -> None:
    """Pack a tar file into a squashfs, and remove it. ``newest_s``: the time of the squashfs itself."""
    # sqfstar makes its user the owner of the top directory (4.5 ignores its option for that); so run it as root
    as_root = [] if os.geteuid() == 0 else ["unshare", "--user", "--map-root-user", "--"]
    argv = [*as_root, *SQFSTAR, *options, str(image)]
    with tree.open("rb") as stream:
        log.run("packing the image", argv, stdin=stream, env={"SOURCE_DATE_EPOCH": str(newest_s)})
    tree.unlink()


def curate(tree: Path, clean: Path) -> tuple[dict[str, str], int]:
    """Copy a tree, without what depends on the day.

    Returns the versions of its packages and the time of the newest packaged file, in seconds since the epoch. Files
    that installation scripts made get that time, too.
    """
    with tarfile.open(tree) as source, tarfile.open(clean, "w", format=tarfile.PAX_FORMAT) as target:
        members = sorted(_kept(source), key=name_of)
        newest_s = max((int(member.mtime) for member in members), default=0)
        for name, mode in DIRECTORIES.items():  # before their files
            target.addfile(entry_of(f"./{name}", tarfile.DIRTYPE, mode, newest_s))
        for member in members:
            member.mtime = member.mtime or newest_s
            name = name_of(member)
            content = source.extractfile(member) if member.isreg() else None
            if content is not None and name in SHADOW:
                content = _sized(member, _fixed_shadow(content.read().decode()).encode())
            target.addfile(member, content)
        for name, text in FILES.items():
            entry = entry_of(f"./{name}", tarfile.REGTYPE, 0o644, newest_s)
            target.addfile(entry, _sized(entry, text.encode()))
        for name, to in LINKS.items():
            entry = entry_of(f"./{name}", tarfile.SYMTYPE, 0o777, newest_s)
            entry.linkname = to
            target.addfile(entry)
        status = source.extractfile("./var/lib/dpkg/status")
        assert status is not None
        return package_versions(status.read().decode()), newest_s


def _kept(source: tarfile.TarFile) -> Iterator[tarfile.TarInfo]:
    for member in source:
        name = name_of(member)
        replaced = name in DIRECTORIES or name in FILES or name in LINKS
        dropped = any(name == path or (path.endswith("/") and name.startswith(path)) for path in DROPPED)
        if name not in (".", "") and not (replaced or dropped or name.endswith(DROPPED_SUFFIXES)):
            yield member


def _sized(entry: tarfile.TarInfo, content: bytes) -> io.BytesIO:
    entry.size = len(content)
    return io.BytesIO(content)


def _fixed_shadow(text: str) -> str:
    lines = [line.split(":") for line in text.splitlines()]
    return "".join(":".join([*fields[:2], SHADOW_DAY, *fields[3:]]) + "\n" for fields in lines)


def package_versions(status: str) -> dict[str, str]:
    """Return name and version of each installed package of a dpkg status file."""
    versions = {}
    for paragraph in status.split("\n\n"):
        fields = dict(line.split(": ", 1) for line in paragraph.splitlines() if ": " in line and line[0] != " ")
        if fields.get("Status", "").endswith(" installed"):
            versions[fields["Package"]] = fields["Version"]
    return dict(sorted(versions.items()))
