# SPDX-License-Identifier: MIT
"""hwsim-patches: the patches and new files of the lab's kernel, and how they are put into a source tree."""

from __future__ import annotations

import hashlib
import re
import shutil
from dataclasses import dataclass
from pathlib import Path

from lab.builders.kernel.config import fragments
from lab.builders.kernel.tree import Changes, Plain
from lab.builders.step import BuildLog
from lab.checkout import DATA
from lab.errors import BuildError

PATCHES = DATA / "hwsim-patches"
_PATCHED = re.compile(r"^\+\+\+ b/(\S+)", re.MULTILINE)
_TOUCHED = re.compile(r"^(?:\+\+\+ b|--- a)/(\S+)", re.MULTILINE)


@dataclass(frozen=True)
class Tested:
    """The source and the series with which the whole test suite last passed."""

    package_version: str
    sha256: str  # of the source
    series_sha256: str
    objects: int  # number that a build compiles: the length of the progress bar

    def names(self, sha256: str | None, series_sha256: str | None) -> bool:
        """Whether it is this source with this series."""
        return (sha256, series_sha256) == (self.sha256, self.series_sha256)


class Series:
    """The folder hwsim-patches, or another one with the same layout."""

    def __init__(self, directory: Path = PATCHES) -> None:
        self.directory = directory

    @property
    def patches(self) -> list[Path]:
        """The patch files in the order of ``series``.

        Raises:
            BuildError: ``series`` names a patch that does not exist, or does not name an existing one.
        """
        listing = self.directory / "series"
        lines = listing.read_text().splitlines() if listing.exists() else []
        names = [name for line in lines if (name := line.partition("#")[0].strip())]
        for number, line in enumerate(lines, 1):
            name = line.partition("#")[0].strip()
            if name and not (self.directory / "patches" / name).is_file():
                raise BuildError(f"patches/{name} does not exist", where=f"{listing}:{number}")
        there = {path.name for path in (self.directory / "patches").glob("*.patch")}
        if forgotten := sorted(there - set(names)):
            raise BuildError(f"patches/{forgotten[0]} is not listed in {listing}", hint="add it where it belongs")
        return [self.directory / "patches" / name for name in names]

    @property
    def files(self) -> list[Path]:
        """Paths of the new files, relative to ``files/`` as to the kernel tree."""
        base = self.directory / "files"
        return sorted(path.relative_to(base) for path in base.rglob("*") if path.is_file())

    @property
    def patched(self) -> list[Path]:
        """Paths of the kernel's own files that the patches change, relative to the kernel tree."""
        names = {name for patch in self.patches for name in _PATCHED.findall(patch.read_text())}
        return sorted(Path(name) for name in names)

    @property
    def fragments(self) -> list[Path]:
        """The Kconfig fragments in order."""
        return fragments(self.directory / "config")

    @property
    def tested(self) -> Tested:
        """The content of ``tested``."""
        lines = (self.directory / "tested").read_text().splitlines()
        facts = dict(line.split(maxsplit=1) for line in lines if line.strip() and not line.startswith("#"))
        return Tested(facts["package"], facts["sha256"], facts["series"], int(facts["objects"]))

    def sha256(self) -> str:
        """A hash of names and content of patches, new files and configuration."""
        digest = hashlib.sha256()
        base = self.directory / "files"
        for path in [*self.patches, *(base / name for name in self.files), *self.fragments]:
            content = path.read_bytes()
            digest.update(f"{path.relative_to(self.directory)}\0{len(content)}\0".encode())
            digest.update(content)
        return digest.hexdigest()

    def changes(self, plain: Plain, scratch: Path, version: str, log: BuildLog) -> Changes:
        """What plain Linux becomes: the content of each file that the series touches.

        Args:
            plain: returns Linux's content of a file.
            scratch: an empty folder.
            version: of Linux.
            log: of the build.

        Raises:
            BuildError: As ``apply``.
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
        """Put files and patches into an unpacked source.

        Raises:
            BuildError: A patch does not apply (names it and the file), or a new file already exists.
        """
        self.copy_files(tree)
        for patch in self.patches:
            apply_patch(patch, tree, version, log)

    def copy_files(self, tree: Path) -> None:
        """Put the new files into a source tree.

        Raises:
            BuildError: One of them already exists.
        """
        for name in self.files:
            target = tree / name
            if target.exists():
                raise BuildError(
                    f"hwsim-patches/files/{name} already exists in the kernel source",
                    hint="a change to a file of the kernel is a patch (make kernel-edit); a new file needs a new name",
                )
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(self.directory / "files" / name, target)


def apply_patch(patch: Path, tree: Path, version: str, log: BuildLog) -> None:
    """Apply one patch; context may have moved, but at most one of its lines may have changed.

    Raises:
        BuildError: It does not apply.
    """
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
    """The file on which patch(1) failed, from its output."""
    current = "an unnamed file"
    for line in output.splitlines():
        if found := re.match(r"(?:patching file |checking file |\|(?:---|\+\+\+) [ab]/)(\S+)", line):
            current = found[1]
        elif "FAILED" in line or "No file to patch" in line or "previously applied" in line:
            return current
    return current
