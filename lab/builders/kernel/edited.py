# SPDX-License-Identifier: MIT
"""A tree of `make kernel-edit` as a source of the kernel: as its files are now, committed or not.

Only the files that differ from Linux count; they are copied, so a build sees one state of them.
"""

from __future__ import annotations

from functools import cached_property
from pathlib import Path

from lab.builders.kernel.edit import BASE, SOURCE_PATH, SOURCE_SHA256, git
from lab.builders.kernel.series import PatchSeries, hash_of
from lab.builders.kernel.source import KernelSource, ensure_source, given_source
from lab.builders.kernel.tree import Changes, Plain
from lab.builders.step import BuildLog
from lab.cache.report import Report
from lab.errors import BuildError, InputError


class EditedTree(PatchSeries):
    """The changes in such a tree, read when first asked for, with the configuration of a series."""

    def __init__(self, tree: Path, series: PatchSeries) -> None:
        super().__init__(series.directory, debug=series.debug)
        self.tree = tree

    @cached_property
    def _contents(self) -> Changes:
        names = git(self.tree, "diff", "--name-only", "--no-renames", "-z", BASE)
        names += git(self.tree, "ls-files", "--others", "--exclude-standard", "-z")
        paths = [Path(name) for name in sorted(set(names.split("\0"))) if name]
        return {path: (self.tree / path).read_bytes() if (self.tree / path).is_file() else None for path in paths}

    def sha256(self) -> str:
        configuration = ((f"config/{number}", path.read_bytes()) for number, path in enumerate(self.fragments))
        return hash_of([*self._contents.items(), *configuration], "edited\0")

    def changes(self, plain: Plain, scratch: Path, version: str, log: BuildLog) -> Changes:
        return self._contents

    def linux(self, report: Report) -> KernelSource:
        """Return the source that the tree was made from.

        Raises:
            InputError: If it has changed since.
        """
        sha256, path = (
            git(self.tree, "config", "--default", "", name).strip() for name in (SOURCE_SHA256, SOURCE_PATH)
        )
        source = given_source(Path(path)) if path else ensure_source(report)
        if source.sha256 != sha256:
            raise InputError(
                f"{self.tree} was made of another Linux than {source.version}",
                hint="commit your changes, `make kernel-patches`, remove the tree; `make kernel-edit` makes a new one",
            )
        return source


def is_edited(tree: Path) -> bool:
    """Return whether it is a tree of `make kernel-edit`."""
    if not (tree / ".git").is_dir():
        return False
    try:
        git(tree, "rev-parse", "--verify", "--quiet", f"refs/tags/{BASE}")
    except BuildError:
        return False
    return True
