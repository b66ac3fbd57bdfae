# SPDX-License-Identifier: MIT
"""Pack the files that the lab reads, which are next to the package in a checkout, into the package of a wheel.

All else is in pyproject.toml. lab/checkout.py finds these files in both places. A wheel has no tests.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

from setuptools import setup
from setuptools.command.build_py import build_py

PACKED = ("grading", "hwsim-patches", "images", "scripts/packages", "topologies", "workloads")
INTO = "lab/share"
NOT_PACKED = ("__pycache__", "build", "figures", "tests")  # what make and Python left; for readers; for developers


def packed() -> Iterator[Path]:
    """Yield the files to pack, relative to the checkout, in a fixed order."""
    for name in PACKED:
        if not Path(name).exists():
            raise FileNotFoundError(f"{name} is missing: build the wheel from a whole checkout")
        yield from _files(Path(name))


def _files(path: Path) -> Iterator[Path]:
    if path.is_file():
        yield path
    elif path.name not in NOT_PACKED:
        for entry in sorted(path.iterdir()):
            if not entry.name.startswith("."):
                yield from _files(entry)


class BuildPy(build_py):
    """The usual step, and then these files. An editable installation reads them where they are."""

    def run(self) -> None:
        """Build anew: what an earlier build left may not exist any more."""
        if self.editable_mode:
            super().run()
            return
        shutil.rmtree(Path(self.build_lib, "lab"), ignore_errors=True)
        super().run()
        for path in packed():
            target = Path(self.build_lib, INTO, path)
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(path, target)

    def get_source_files(self) -> list[str]:
        """Return what a source distribution needs."""
        return [*super().get_source_files(), *map(str, packed())]


setup(cmdclass={"build_py": BuildPy})
