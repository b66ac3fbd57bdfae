# SPDX-License-Identifier: MIT
"""Node images: ``images/<name>``, a layer of files over the base image, for nodes that need more programs.

    packages          Debian packages, one a line, as in images/base
    requirements.txt  Python packages, in pip's format
    files/            files, copied unchanged, by their paths in the node
    image.yaml        what it is for, and how much memory a node with it needs

Each is optional. The layer is built like the base: the same packages and files give the same bytes, on every day.
"""

from __future__ import annotations

import json
import os
import shutil
import tarfile
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path, PurePosixPath

from lab.builders.image import wheels
from lab.builders.image.debian import SUITE
from lab.builders.image.image import SQFSTAR, Image, curate, pack
from lab.builders.image.layer import AddedFile, Member, listed, unpack, write
from lab.builders.image.tree import BASE, PACKAGES, ensure_tree, extend_tree, read_packages
from lab.builders.step import BuildLog
from lab.cache.report import Report
from lab.cache.store import Store, content_key, file_sha256, remove_tree
from lab.errors import BuildError, InputError
from lab.library import shown

SHELF, FILE, FACTS = "node-image", "layer.squashfs", "image.json"  # as in lab.builders.image.image
REQUIREMENTS, FILES, ABOUT = "requirements.txt", "files", "image.yaml"
RECIPE = 2  # increment when the code below changes the result
NEEDED_BYTES = 3_500_000_000
FILES_TIME_S = 1_750_000_000  # of files in an image without packages
# What nodes have instead of an image's (images/initrd/container.c and the first steps of lab.guest.script): paths in
# files/, and why what is there is never seen.
_OWN = {
    **{name: f"every node has its own /{name}" for name in ("proc", "sys", "dev")},
    **{name: f"/{name} is the lab's" for name in ("lab", "run/lab")},
    "etc/hosts": "the lab writes /etc/hosts, with the names of all nodes",
}


@dataclass(frozen=True)
class NodeImage:
    """The layer of a node image, ready to mount over the base."""

    name: str
    path: Path
    sha256: str
    packages: dict[str, str]  # name: version of what it adds or changes; Python packages as python:NAME
    key: str
    reference: str = field(default="", compare=False)  # of a Docker image: where it was found


@dataclass(frozen=True)
class Folder:
    """What ``images/<name>`` says."""

    path: Path

    @property
    def name(self) -> str:
        """The name of the image."""
        return self.path.name

    @cached_property
    def packages(self) -> list[str]:
        """Debian packages. Errors as in lab.builders.image.tree.read_packages."""
        path = self.path / PACKAGES.name
        return read_packages(path) if path.is_file() else []

    @property
    def requirements(self) -> Path | None:
        """The list of Python packages."""
        path = self.path / REQUIREMENTS
        return path if path.is_file() else None

    @cached_property
    def files(self) -> dict[str, AddedFile]:
        """Files by their paths in the node.

        Raises:
            BuildError: If one is neither a file nor a link.
        """
        root = self.path / FILES
        found = {}
        for path in sorted(root.rglob("*")):
            name = path.relative_to(root).as_posix()
            if path.is_symlink():
                found[name] = AddedFile(b"", link=str(path.readlink()))
            elif path.is_file():
                found[name] = AddedFile(path.read_bytes(), executable=bool(path.stat().st_mode & 0o100))
            elif not path.is_dir():
                raise BuildError("is neither a file, a folder nor a symbolic link", where=shown(path))
        return found

    def check(self) -> None:
        """Check that files are files, folders are folders, and there is something to build.

        Raises:
            InputError: If that does not hold.
        """
        for name in (PACKAGES.name, REQUIREMENTS, ABOUT):
            if (self.path / name).is_dir():
                raise InputError("is a folder; it must be a file", where=shown(self.path / name))
        if (self.path / FILES).is_file():
            raise InputError("is a file; it must be a folder", where=shown(self.path / FILES))
        if not (self.packages or self.requirements or self.files):
            raise InputError(
                "has nothing to build",
                where=shown(self.path),
                hint=f"write {PACKAGES.name} (Debian), {REQUIREMENTS} (Python), or put files into {FILES}/",
            )

        for name in self.files:
            why = next((_OWN[path] for path in (name, *map(str, PurePosixPath(name).parents)) if path in _OWN), None)
            if why:
                raise InputError(f"would never be seen: {why}", where=shown(self.path / FILES / name), hint="remove it")

    def check_against(self, base: Mapping[str, Member]) -> None:
        """Check that each file has a place next to those of the base image.

        Raises:
            InputError: If a file would hide a folder, or the programs behind a link such as /bin.
        """
        for name in self.files:
            where = shown(self.path / FILES / name)
            if name in base and base[name].type == tarfile.DIRTYPE:
                raise InputError(f"is a file, but /{name} is a folder in nodes", where=where)
            for parent in PurePosixPath(name).parents:
                found = base.get(str(parent))
                if found and found.type == tarfile.SYMTYPE:
                    rest = PurePosixPath(name).relative_to(parent)
                    target = os.path.normpath(PurePosixPath("/", parent.parent, found.content, rest))
                    raise InputError(
                        f"/{parent} is a link to {found.content} in nodes; write {FILES}{target}", where=where
                    )

    def content(self) -> list[bytes | str]:
        """Return what its files say, for keys."""
        requirements = self.requirements.read_text() if self.requirements else ""
        parts: list[bytes | str] = [SUITE, "\n".join(sorted(self.packages)), requirements]
        for name, file in self.files.items():
            parts += [name, file.content, str(file.executable), file.link or ""]
        return [*parts, *SQFSTAR, *BASE]

    def key(self, base: Image) -> str:
        """Return what the layer depends on, except for the day: it stays until a refresh."""
        return content_key(base.sha256, *self.content(), *wheels.options(base.packages), str(RECIPE))


def ensure_node_image(report: Report, directory: Path, base: Image, *, refresh: bool = False) -> NodeImage:
    """Return the layer of ``images/<name>``; build it unless it is cached.

    ``refresh``: build it again, with newer packages.

    Raises:
        BuildError: If a list has a mistake, a package is not available, or a step failed.
        HostError: If a tool, space or permission is missing.
        InputError: If the folder has nothing to build, or not what it should have.
    """
    store = Store(SHELF, "a node image")
    folder = Folder(directory)
    folder.check()
    if folder.requirements:
        wheels.check(folder.requirements)
    key = folder.key(base)
    entry = store.build(
        key,
        lambda partial: _make(partial, folder, base, store, report),
        report,
        needed_bytes=NEEDED_BYTES,
        replace=refresh,
    )
    return load(folder.name, entry)


def built_image(name: str, sha256: str | None) -> NodeImage | None:
    """Return the image of that hash, if it is cached, wherever its folder is."""
    store = Store(SHELF, "a node image")
    for facts in sorted(store.directory.glob(f"[!.]*/{FACTS}")):
        found = load(name, facts.parent)
        if found.sha256 == sha256 and store.has(found.key):
            return found
    return None


def load(name: str, entry: Path) -> NodeImage:
    """Return the image of an entry of the cache, by its folder's name: folders of equal content share an entry."""
    facts = json.loads((entry / FACTS).read_text())
    return NodeImage(name, entry / FILE, facts["sha256"], facts["packages"], entry.name)


def _make(directory: Path, folder: Folder, base: Image, store: Store, report: Report) -> None:
    log = BuildLog(store.log, directory)
    layer, image = directory / "layer.tar", directory / FILE
    report.step(f"image {folder.name}: reading the base image")
    unpacked, listing = unpack(base.path, directory, log)
    base_files = listed(listing, unpacked)
    remove_tree(unpacked)
    folder.check_against(base_files)
    added = dict(folder.files)
    if folder.requirements:  # first, since Debian's packages take longer and these may be wrong
        report.step(f"image {folder.name}: fetching Python packages")
        scratch = directory / "python"
        scratch.mkdir()
        added = {**wheels.install(folder.requirements, base.packages, scratch, log), **added}
        shutil.rmtree(scratch)
    full, versions, newest_s = _tree(directory, folder, base, log, report)
    report.step(f"image {folder.name}: packing")
    write(full, base_files, added, layer, newest_s)
    pack(layer, image, newest_s, log)
    if full:
        full.unlink()
    python = {f"python:{name}": version for name, version in wheels.versions(added).items()}
    different = {name: version for name, version in versions.items() if base.packages.get(name) != version}
    facts = {"sha256": file_sha256(image), "packages": {**different, **python}}
    (directory / FACTS).write_text(json.dumps(facts, indent=2, sort_keys=True) + "\n")


def _tree(
    directory: Path, folder: Folder, base: Image, log: BuildLog, report: Report
) -> tuple[Path | None, Mapping[str, str], int]:
    """Write the tree of base and packages together; return its tar file, and versions and time as ``curate`` does.

    Without packages, neither is made: the base does not change.
    """
    if not folder.packages:
        return None, {}, FILES_TIME_S
    tree, full = directory / "tree.tar", directory / "full.tar"
    below = ensure_tree(report, base.key)
    report.step(f"image {folder.name}: {', '.join(folder.packages)} and what else they need")
    packages = folder.path / PACKAGES.name
    extend_tree(below, tree, packages, f"making the tree of the image {folder.name}", log, report)
    found = curate(tree, full)
    tree.unlink()
    return full, *found
