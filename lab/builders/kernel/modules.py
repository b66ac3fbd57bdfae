# SPDX-License-Identifier: MIT
"""Kernel modules of stacks (``workloads/<stack>/modules/NAME``), built into the kernel of the runs that name them.

A module is a folder with C files and a Makefile of Kbuild, such as one that builds it for any other kernel:
``obj-m += tcp_lazy.o``. The guest's kernel loads no modules: it would be another kernel for everybody. Instead, the
folder becomes part of the source, at drivers/lab-modules/NAME, and what is in ``obj-m`` becomes part of ``obj-y``. So
module_init runs when the guest boots, before the first process, and before that of mac80211_hwsim, whose radios take
their rate control then: folders are linked in the order in which Linux's Makefiles name them.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cached_property
from pathlib import Path

from lab.builders.kernel.series import PatchSeries, hash_of
from lab.builders.kernel.tree import Changes, Plain
from lab.builders.step import BuildLog
from lab.errors import BuildError

PLACE = Path("drivers/lab-modules")  # in the kernel's source
MAKEFILE = "Makefile"
_PARENT = Path("drivers/Makefile")  # where its folders are linked first; a change of the top folder compiles everything
_SUFFIXES = (".c", ".h", ".S")
_OBJECTS = re.compile(r"^\s*obj-[my]\s*[:+]?=", re.MULTILINE)
# make prefers a Kbuild to a Makefile
_KBUILD = f"include $(src)/{MAKEFILE}\nobj-y += $(obj-m)\nobj-m :=\n"


class WithModules(PatchSeries):
    """A series, and modules in addition."""

    def __init__(self, series: PatchSeries, modules: Mapping[str, Path]) -> None:
        """Add ``modules``, folders by name, to a series."""
        super().__init__(series.directory, debug=series.debug)
        self._series = series
        self._modules = modules

    @cached_property
    def _contents(self) -> dict[Path, bytes]:
        """Files of all modules, by path in the kernel's source, read when first asked for."""
        found: dict[Path, bytes] = {}
        for name, folder in sorted(self._modules.items()):
            for path in sorted(folder.rglob("*")):
                if path.is_file() and (path.suffix in _SUFFIXES or path.name == MAKEFILE):
                    found[PLACE / name / path.relative_to(folder)] = path.read_bytes()
            makefile = found.get(PLACE / name / MAKEFILE, b"").decode(errors="replace")
            if not _OBJECTS.search(makefile):
                raise BuildError(
                    f"the kernel module {name} builds no object",
                    where=str(folder / MAKEFILE),
                    hint=f"write obj-m += {name.replace('-', '_')}.o for {name.replace('-', '_')}.c",
                )
            found[PLACE / name / "Kbuild"] = _KBUILD.encode()
        found[PLACE / MAKEFILE] = "".join(f"obj-y += {name}/\n" for name in sorted(self._modules)).encode()
        return found

    def sha256(self) -> str:
        return hash_of(self._contents.items(), f"modules of drivers\0{self._series.sha256()}\0")

    def changes(self, plain: Plain, scratch: Path, version: str, log: BuildLog) -> Changes:
        changes = self._series.changes(plain, scratch, version, log)
        parent = changes.get(_PARENT) or plain(_PARENT) or b""
        return {**changes, **self._contents, _PARENT: f"obj-y += {PLACE.name}/\n".encode() + parent}
