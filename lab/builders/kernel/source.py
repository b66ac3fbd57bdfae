# SPDX-License-Identifier: MIT
"""Where the kernel's source comes from: Debian's linux-source package, or a tree or archive given by path."""

from __future__ import annotations

import gzip
import json
import os
import re
import shutil
import tarfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from lab.builders.image.debian import fetch_tar
from lab.builders.step import BuildLog
from lab.cache.report import Report
from lab.cache.store import Store, content_key, file_sha256
from lab.errors import BuildError, InputError

PACKAGE = "linux-source-6.12"
NEEDED_BYTES = 900_000_000
# Architectures that ARCH=um does not use, except for Kconfig files: not unpacked, which saves 1 GB.
OTHER_ARCHITECTURES = "alpha arc arm arm64 csky hexagon loongarch m68k microblaze mips nios2 openrisc parisc powerpc"
OTHER_ARCHITECTURES += " riscv s390 sh sparc xtensa"
UNUSED = (
    *(f"arch/{name}/*.[chS]" for name in OTHER_ARCHITECTURES.split()),
    "arch/*/boot/dts/*",
    "Documentation/*/*",
    "drivers/gpu/*.[ch]",
    "drivers/staging/*.[ch]",
    "drivers/media/*.[ch]",
    "drivers/net/ethernet/*.[ch]",
    "drivers/scsi/*.[ch]",
    "sound/*.[ch]",
    "tools/testing/*",
)


@dataclass(frozen=True)
class KernelSource:
    """A kernel source that a build can start from."""

    path: Path  # an archive or a directory
    version: str  # "6.12.117-1" of the Debian package; of a tree the version in its Makefile
    sha256: str  # of the archive; for a tree, of names, sizes and times of its files
    debian: bool


def ensure_source(report: Report, *, refresh: bool = False) -> KernelSource:
    """Return Debian's source package; fetch it unless it is cached (``refresh``: always).

    It only reads the checksum stored with the package; call ``verify`` before use.

    Raises:
        BuildError: If it cannot be fetched.
        HostError: If a tool, space or permission is missing.
    """
    store = Store("source", "the kernel source")
    entry = store.build(
        PACKAGE, lambda made: _fetch(made, store, report), report, needed_bytes=NEEDED_BYTES, replace=refresh
    )
    note = json.loads((entry / "source.json").read_text())
    return KernelSource(entry / note["archive"], note["version"], note["sha256"], debian=True)


def _fetch(directory: Path, store: Store, report: Report) -> None:
    report.step(f"kernel source: fetching {PACKAGE} from Debian (about 160 MB)")
    tar = directory / "packages.tar"
    log = BuildLog(store.log, directory)
    fetch_tar(tar, ["--variant=extract"], [PACKAGE], "fetching the kernel source", log, report, NEEDED_BYTES)
    archive = directory / f"{PACKAGE}.tar.xz"
    with tarfile.open(tar) as packages:
        _extract(packages, f"./usr/src/{PACKAGE}.tar.xz", archive)
        _extract(packages, f"./usr/share/doc/{PACKAGE}/changelog.Debian.gz", directory / "changelog.gz")
    tar.unlink()
    note = {
        "archive": archive.name,
        "version": _changelog_version(directory / "changelog.gz"),
        "sha256": file_sha256(archive),
    }
    (directory / "changelog.gz").unlink()
    (directory / "source.json").write_text(json.dumps(note, indent=2) + "\n")


def _extract(packages: tarfile.TarFile, name: str, target: Path) -> None:
    try:
        content = packages.extractfile(name)
    except KeyError:
        content = None
    if content is None:
        raise BuildError(
            f"the Debian package {PACKAGE} does not contain {name}", hint="give a source with --kernel-source"
        )
    with target.open("wb") as file:
        shutil.copyfileobj(content, file)


def _changelog_version(path: Path) -> str:
    """Return the version in the first line: ``linux (6.12.117-1) trixie-security; urgency=high``."""
    with gzip.open(path, "rt", errors="replace") as file:
        first = file.readline()
    found = re.match(r"\S+ \(([^)]+)\)", first)
    if not found:
        raise BuildError(f"the changelog of {PACKAGE} starts with {first!r}, not with a version")
    return found[1]


def given_source(path: Path) -> KernelSource:
    """Return a kernel source tree, or an archive of one, named by the user.

    Raises:
        InputError: If the path is not a kernel source.
    """
    path = path.resolve()
    if path.is_dir():
        return KernelSource(path, tree_version(path), tree_fingerprint(path), debian=False)
    if path.is_file() and ".tar" in path.name:
        return KernelSource(path, path.name.split(".tar")[0], file_sha256(path), debian=False)
    raise InputError(f"{path} is neither a kernel source tree nor an archive (.tar.xz) of one")


def tree_version(tree: Path) -> str:
    """Return the version that the top Makefile of a kernel tree states.

    Raises:
        InputError: If it is not a kernel tree.
    """
    makefile = tree / "Makefile"
    text = makefile.read_text(errors="replace") if makefile.is_file() else ""
    found = dict(re.findall(r"^(VERSION|PATCHLEVEL|SUBLEVEL|EXTRAVERSION) *= *(\S*)$", text, re.MULTILINE))
    if len(found) < 3 or not (tree / "arch" / "um").is_dir():
        raise InputError(f"{tree} is not a kernel source tree: no Makefile with a VERSION, or no arch/um")
    return f"{found['VERSION']}.{found['PATCHLEVEL']}.{found['SUBLEVEL']}{found.get('EXTRAVERSION', '')}"


def all_files(directory: Path) -> Iterator[tuple[str, os.stat_result]]:
    """Yield the files below a folder, which may not exist, with what lstat says of them; without those of git."""
    try:
        with os.scandir(directory) as entries:
            found = sorted(entries, key=lambda entry: entry.name)
    except FileNotFoundError:
        return
    for entry in found:
        if not entry.is_dir(follow_symlinks=False):
            yield entry.path, entry.stat(follow_symlinks=False)
        elif entry.name != ".git":
            yield from all_files(Path(entry.path))


def tree_fingerprint(tree: Path) -> str:
    """Hash names, sizes and times of files, as make compares them; reading a gigabyte would take ten seconds."""
    start = len(f"{tree}/")
    lines = [f"{path[start:]} {facts.st_size} {facts.st_mtime_ns}" for path, facts in all_files(tree)]
    return content_key("\n".join(lines))


def newest_file_ns(tree: Path) -> int:
    """Return the time of the newest file, ns since the epoch; 0 without files."""
    return max((facts.st_mtime_ns for _, facts in all_files(tree)), default=0)


def verify(source: KernelSource) -> None:
    """Compare an archive with the checksum stored when it was fetched.

    Raises:
        BuildError: If it is damaged.
    """
    if source.path.is_file() and file_sha256(source.path) != source.sha256:
        raise BuildError(
            f"kernel source fails its checksum: {source.path} differs from the fetched file (sha256 {source.sha256})",
            hint="`lab kernel --refresh` fetches it again",
        )


def unpack(source: KernelSource, target: Path, log: BuildLog) -> None:
    """Put the source tree at ``target``, a directory that does not exist yet.

    Raises:
        BuildError: If the archive is damaged, or the tree contains a build.
    """
    verify(source)
    target.mkdir()
    if source.path.is_dir():
        if (source.path / ".config").exists() or (source.path / "include/config").exists():
            raise BuildError(
                f"{source.path} contains a build",
                hint=f"clean it (make -C {source.path} mrproper), or give another tree",
            )
        argv = ["cp", "--archive", "--reflink=auto", f"{source.path}/.", str(target)]
    else:
        exclude = [f"--exclude=*/{pattern}" for pattern in UNUSED] if source.debian else []
        argv = ["tar", "--extract", "--file", str(source.path), "--strip-components=1", "--no-same-owner"]
        argv += ["--wildcards", "--wildcards-match-slash", *exclude, "--directory", str(target)]
    log.run("unpacking the kernel source", argv)
