# SPDX-License-Identifier: MIT
"""A kernel's source and its objects, kept from build to build: make compiles only what a change affects.

    <cache>/kernel-tree/<key>/source/      Linux with the changes of the last build
                              originals/   the changed files as Linux has them
                              state.json   which files are changed; what ``source`` must look like
                              objects/     what make made of it
                              begun        there while make runs: newer objects may be incomplete

There is one such tree, of the last archive and compiler; another one, in kernel-tree-debug, is of kernels with the part
``debug``. No object in it can be stale:

* A build compares the content of each file that the old or the new changes touch, and writes those that differ, later
  than the newest object. All other files are those of the archive: names, sizes and times of the whole source must be
  those that the last build left. Otherwise the tree is made again, and also if an object has a time in the future.
* The kernel's make notes what each object was made of: the kernel's files that were read, the command, and the options
  of the configuration. It makes an object again if one of them is newer, gone, or different.
* What make cannot know starts again without objects: a new header that a compiler may find in place of another one; a
  change of what is neither C, assembler nor a Makefile; another compiler, linker, C library or header of the system
  (part of the key).
* If make did not end by itself, everything as new as that build is removed.

The result is what a build from nothing gives, byte by byte: python -m bench.kernel_edit --clean compares them.
"""

from __future__ import annotations

import contextlib
import json
import shutil
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from lab.builders.kernel.source import KernelSource, all_files, newest_file_ns, tree_fingerprint, unpack
from lab.builders.step import BuildLog, CommandFailedError
from lab.builders.toolchain import toolchain_fingerprint
from lab.cache.report import Report
from lab.cache.store import PARTIAL, Store, content_key, remove_tree

SHELF = "kernel-tree"
# The content of files that differ from Linux; None: it does not have the file.
Changes = dict[Path, bytes | None]
Plain = Callable[[Path], bytes | None]
_TICK_S = 0.005
_BUILD_FILES = ("Makefile", "Kbuild", "Kconfig")
_UNREAD = "Documentation"  # no object is made of it


class KernelTree:
    """The source, its objects, and the way from one set of changes to the next."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self.source, self.objects = directory / "source", directory / "objects"
        self._originals, self._state, self._begun = (directory / name for name in ("originals", "state.json", "begun"))

    def unpack(self, source: KernelSource, log: BuildLog) -> None:
        """Create it, in a directory that has nothing of it."""
        unpack(source, self.source, log)
        self._note([])

    def is_intact(self) -> bool:
        """Return whether the source is what the last build left, and nothing comes from the future."""
        try:
            state = json.loads(self._state.read_text())
            newest_ns = max(newest_file_ns(self.source), newest_file_ns(self.objects))
            return bool(state["fingerprint"] == tree_fingerprint(self.source) and newest_ns <= time.time_ns())
        except (OSError, ValueError, KeyError, TypeError):
            return False

    def has_built(self) -> bool:
        """Return whether it has all objects of a build: another one compiles only what changed."""
        return (self.objects / "linux").is_file() and not self._begun.exists()

    def update(self, changes_of: Callable[[Plain, Path], Changes]) -> list[Path]:
        """Put changes into the source instead of those of the last build; return the files that differ.

        ``changes_of`` gets a function for Linux's own content of a file, and an empty folder.
        """
        changed = self._changed()
        with tempfile.TemporaryDirectory(prefix="changes-", dir=self.directory) as scratch:
            wanted = changes_of(self._plain, Path(scratch))
        contents = {name: wanted[name] if name in wanted else self._plain(name) for name in {*changed, *wanted}}
        differing = sorted(name for name, content in contents.items() if _content(self.source / name) != content)
        if not differing:
            return []
        for name in wanted:
            self._keep_original(name)
        if any(self._starts_again(name) for name in differing):
            shutil.rmtree(self.objects, ignore_errors=True)
        newest_ns = newest_file_ns(self.objects)
        self._state.unlink()  # until all is written
        for name in differing:
            _write_later(self.source / name, contents[name], newest_ns)
        self._note(list(wanted))
        return differing

    @contextlib.contextmanager
    def making(self) -> Iterator[None]:
        """Mark that make is running; first remove what an interrupted make may have left incomplete."""
        if self._begun.exists():
            _remove_since(self.objects, self._begun.stat().st_mtime_ns)
        self._begun.touch()
        try:
            yield
        except CommandFailedError:
            self._begun.unlink()  # make itself removes the object that it could not make
            raise
        self._begun.unlink()

    def _changed(self) -> list[Path]:
        return [Path(name) for name in json.loads(self._state.read_text())["changed"]]

    def _note(self, changed: list[Path]) -> None:
        state = {"changed": sorted(map(str, changed)), "fingerprint": tree_fingerprint(self.source)}
        fresh = self._state.with_suffix(".new")
        fresh.write_text(json.dumps(state, indent=2) + "\n")
        fresh.replace(self._state)

    def _plain(self, name: Path) -> bytes | None:
        """Return Linux's own content of a file."""
        if (original := _content(self._originals / name)) is not None:
            return original
        return None if name in self._changed() else _content(self.source / name)

    def _keep_original(self, name: Path) -> None:
        original = self._originals / name
        content = self._plain(name)
        if content is not None and not original.exists():
            original.parent.mkdir(parents=True, exist_ok=True)
            fresh = original.with_name(f"{original.name}.new")
            fresh.write_bytes(content)
            fresh.replace(original)

    def _starts_again(self, name: Path) -> bool:
        """Return whether make cannot tell what a change of this file affects."""
        if name.parts[0] == _UNREAD:
            return False
        if name.suffix == ".h":
            return not (self.source / name).exists() and self._may_be_another(name)
        return name.suffix not in (".c", ".S") and (name.name not in _BUILD_FILES or len(name.parts) == 1)

    def _may_be_another(self, header: Path) -> bool:
        """Return whether an object may include a new header by a name that another file has.

        In a folder that is new, too, nothing is found but by the folder's name.
        """
        length = 1 if (self.source / header.parent).exists() else 2
        end = "/".join(["", *header.parts[-length:]])
        return any(path.endswith(end) for tree in (self.source, self.objects) for path, _ in all_files(tree))


@contextlib.contextmanager
def kernel_tree(
    source: KernelSource, recipe: str, scratch: Path, log: BuildLog, report: Report, shelf: str = SHELF
) -> Iterator[KernelTree]:
    """Yield the tree to build in: the kept one, or a new one if none of this archive is kept.

    Of a folder, whose files may change at any time, nothing is kept.

    ``source``: plain Linux; ``recipe``: what else all objects depend on; ``scratch``: directory of this build;
    ``shelf``: where it is kept.
    """
    if source.path.is_dir():
        tree = KernelTree(scratch / "tree")
        tree.directory.mkdir()
        report.step(f"kernel: unpacking Linux {source.version}")
        tree.unpack(source, log)
        yield tree
        remove_tree(tree.directory)
        return
    kept = Store(shelf, "the kernel's objects")
    with kept.lock(report):
        tree = KernelTree(kept.path(content_key(source.sha256, recipe, toolchain_fingerprint(), str(kept.directory))))
        if not tree.is_intact():
            for other in kept.directory.iterdir():
                if other.name != ".lock":
                    remove_tree(other)
            report.step(f"kernel: unpacking Linux {source.version}")
            fresh = KernelTree(kept.directory / f"{PARTIAL}{tree.directory.name}")
            fresh.directory.mkdir()
            fresh.unpack(source, log)
            fresh.directory.rename(tree.directory)
        yield tree


def _content(path: Path) -> bytes | None:
    try:
        return path.read_bytes()
    except (FileNotFoundError, NotADirectoryError):
        return None


def _remove_since(directory: Path, since_ns: int) -> None:
    for path, facts in list(all_files(directory)):
        if facts.st_mtime_ns >= since_ns:
            Path(path).unlink()


def _write_later(path: Path, content: bytes | None, than_ns: int) -> None:
    """Write a file, or remove it, so that its time is later, however coarse the file system's clock is."""
    if content is None:
        path.unlink(missing_ok=True)
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
    while path.stat().st_mtime_ns <= than_ns:
        time.sleep(_TICK_S)
        path.touch()
