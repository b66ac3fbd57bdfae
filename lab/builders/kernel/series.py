# SPDX-License-Identifier: MIT
"""The parts of the lab's kernel, and how they are put into a source tree.

A part has the patches, new files and options of one subject, in OpenWrt's layout. Those in hwsim-patches are the
instrument's; ``workloads/<stack>/kernel`` is that of a stack, and goes with it.
"""

from __future__ import annotations

import hashlib
import re
import shutil
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from lab.builders.kernel.tree import Changes, Plain
from lab.builders.step import BuildLog
from lab.checkout import DATA
from lab.errors import BuildError
from lab.library import folders, shown
from lab.text import entries

PATCHES = DATA / "hwsim-patches"
DEBUG = "debug"  # the part of kernels that check themselves; not in ``series``
_PATCHED = re.compile(r"^\+\+\+ b/(\S+)", re.MULTILINE)
_TOUCHED = re.compile(r"^(?:\+\+\+ b|--- a)/(\S+)", re.MULTILINE)


@dataclass(frozen=True)
class TestedKernel:
    """The source and the series with which the whole test suite last passed."""

    package_version: str
    sha256: str  # of the source
    series_sha256: str
    objects: int  # number that a build compiles: the length of the progress bar

    def names(self, sha256: str | None, series_sha256: str | None) -> bool:
        """Return whether it is this source with this series."""
        return (sha256, series_sha256) == (self.sha256, self.series_sha256)


@dataclass(frozen=True)
class SeriesPart:
    """A folder with ``patches/`` in the order of ``series``, ``files/`` and ``config/``; each of them may be absent."""

    name: str
    directory: Path

    @property
    def patches(self) -> list[Path]:
        """The patch files in the order of ``series``.

        Raises:
            BuildError: If ``series`` names a patch that does not exist, or does not name an existing one.
        """
        folder = self.directory / "patches"
        return _listed(self.directory / "series", folder, sorted(folder.glob("*.patch")))

    @property
    def files(self) -> list[Path]:
        """Paths of the new files, relative to ``files/`` as to the kernel tree."""
        base = self.directory / "files"
        return sorted(path.relative_to(base) for path in base.rglob("*") if path.is_file())

    @property
    def fragments(self) -> list[Path]:
        """The Kconfig fragments in order."""
        return sorted((self.directory / "config").glob("*.config"))

    def copy_files(self, tree: Path) -> None:
        """Put the new files into a source tree.

        Raises:
            BuildError: If one of them already exists.
        """
        for name in self.files:
            source, target = self.directory / "files" / name, tree / name
            if target.exists():
                raise BuildError(
                    f"{shown(source)} already exists in the kernel source",
                    hint="a change to a file that exists is a patch (make kernel-edit); a new file needs a new name",
                )
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(source, target)


class PatchSeries:
    """The parts of the kernel in the order in which they apply: those that ``series`` lists, then those of stacks."""

    def __init__(self, directory: Path = PATCHES, *, debug: bool = False) -> None:
        """Take ``directory``, hwsim-patches; stacks are in ``workloads`` next to it, those of the lab also here.

        ``debug``: the part of that name comes last.
        """
        self.directory = directory
        self.debug = debug
        self._stacks = folders("workload") if directory == PATCHES else [directory.parent / "workloads"]

    @property
    def parts(self) -> list[SeriesPart]:
        """The parts in order.

        Raises:
            BuildError: If ``series`` names a folder that does not exist, or does not name an existing one; or two parts
                have the same name.
        """
        there = [path for path in sorted(self.directory.glob("[!.]*")) if path.is_dir() and path.name != DEBUG]
        own = [SeriesPart(path.name, path) for path in _listed(self.directory / "series", self.directory, there)]
        found = {path.parent.name: path for folder in reversed(self._stacks) for path in folder.glob("*/kernel")}
        stacks = [SeriesPart(name, path) for name, path in sorted(found.items())]
        for part in stacks:
            if part.name in {DEBUG, *(one.name for one in own)}:
                message = f"{shown(part.directory)}: {shown(self.directory)} already has a part {part.name}"
                raise BuildError(message, hint="rename the stack")
        return [*own, *stacks, *([SeriesPart(DEBUG, self.directory / DEBUG)] if self.debug else [])]

    @property
    def names(self) -> list[str]:
        """The names of the parts."""
        return [part.name for part in self.parts]

    @property
    def patches(self) -> list[Path]:
        """The patch files of all parts in order."""
        return [patch for part in self.parts for patch in part.patches]

    @property
    def files(self) -> list[Path]:
        """Paths of all new files, relative to the kernel tree."""
        return sorted(name for part in self.parts for name in part.files)

    @property
    def patched(self) -> list[Path]:
        """Paths of the kernel's own files that the patches change, relative to the kernel tree."""
        names = {Path(name) for patch in self.patches for name in _PATCHED.findall(patch.read_text())}
        return sorted(names - set(self.files))

    @property
    def fragments(self) -> list[Path]:
        """The Kconfig fragments in order."""
        return [path for part in self.parts for path in part.fragments]

    @property
    def tested(self) -> TestedKernel:
        """The content of ``tested``."""
        lines = (self.directory / "tested").read_text().splitlines()
        facts = dict(line.split(maxsplit=1) for line in lines if line.strip() and not line.startswith("#"))
        return TestedKernel(facts["package"], facts["sha256"], facts["series"], int(facts["objects"]))

    def sha256(self) -> str:
        """Hash the names of parts, and names and content of their patches, new files and configuration."""
        return hash_of(
            (f"{part.name}/{path.relative_to(part.directory)}", path.read_bytes())
            for part in self.parts
            for path in (*part.patches, *(part.directory / "files" / name for name in part.files), *part.fragments)
        )

    def changes(self, plain: Plain, scratch: Path, version: str, log: BuildLog) -> Changes:
        """Return what becomes of plain Linux: the content of each file that the series touches.

        ``plain``: returns Linux's content of a file; ``scratch``: an empty folder. Errors are those of ``apply``.
        """
        touched = {Path(name) for patch in self.patches for name in _TOUCHED.findall(patch.read_text())}
        touched.update(self.files)
        for name in touched:
            if (content := plain(name)) is not None:
                (scratch / name).parent.mkdir(parents=True, exist_ok=True)
                (scratch / name).write_bytes(content)
        self.apply(scratch, version, log)
        return {name: (scratch / name).read_bytes() if (scratch / name).exists() else None for name in touched}

    def apply(self, tree: Path, version: str, log: BuildLog) -> None:
        """Put all parts into an unpacked source.

        Raises:
            BuildError: If a patch does not apply (with its name and that of the file), or a new file already exists.
        """
        for part in self.parts:
            part.copy_files(tree)
            for patch in part.patches:
                _apply_patch(patch, tree, version, log)


def hash_of(contents: Iterable[tuple[object, bytes | None]], beginning: str = "") -> str:
    """Return a hash of files by their names and contents; None: it is removed."""
    digest = hashlib.sha256(beginning.encode())
    for name, content in contents:
        digest.update(f"{name}\0{-1 if content is None else len(content)}\0".encode())
        digest.update(content or b"")
    return digest.hexdigest()


def _listed(listing: Path, folder: Path, there: list[Path]) -> list[Path]:
    """Return what a ``series`` lists, one name a line, of a folder; it must be all that is there."""
    lines = list(entries(listing.read_text())) if listing.exists() else []
    paths = [folder / words[0] for _, words in lines]
    for path, (number, _) in zip(paths, lines, strict=True):
        if not path.exists():
            raise BuildError(f"{shown(path)} does not exist", where=f"{shown(listing)}:{number}")
    if forgotten := [path for path in there if path not in paths]:
        raise BuildError(f"{shown(forgotten[0])} is not listed in {shown(listing)}", hint="add it where it belongs")
    return paths


def _apply_patch(patch: Path, tree: Path, version: str, log: BuildLog) -> None:
    """Apply one patch; context may have moved, but at most one of its lines may have changed."""
    argv = ["patch", "--strip=1", "--fuzz=1", "--batch", "--forward", "--no-backup-if-mismatch"]
    before = len(log.path.read_text(errors="replace"))
    try:
        log.run(f"applying {patch.name}", [*argv, "--reject-file=-", f"--input={patch}"], cwd=tree)
    except BuildError as error:
        output = log.path.read_text(errors="replace")[before:]
        raise BuildError(
            f"patch {patch.name} no longer applies to Linux {version}: {failed_file(output)}",
            where=str(patch),
            hint=f"update it with `make kernel-edit`; output of patch(1): {log.path}",
        ) from error


def failed_file(output: str) -> str:
    """Return the file on which patch(1) failed, from its output."""
    current = "an unnamed file"
    for line in output.splitlines():
        if found := re.match(r"(?:patching file |checking file |\|(?:---|\+\+\+) [ab]/)(\S+)", line):
            current = found[1]
        elif "FAILED" in line or "No file to patch" in line or "previously applied" in line:
            return current
    return current
