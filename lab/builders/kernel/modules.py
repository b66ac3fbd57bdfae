# SPDX-License-Identifier: MIT
"""Kernel modules of stacks (``workloads/<stack>/modules/NAME``), built into the kernel of the runs that name them.

A module is a folder with C files and a Makefile of Kbuild, such as one that builds it for any other kernel:
``obj-m += tcp_lazy.o``. The guest's kernel loads no modules: it would be another kernel for everybody. Instead, the
folder becomes part of the source, at drivers/lab-modules/NAME, and what is in ``obj-m`` becomes part of ``obj-y``. So
module_init runs when the guest boots, before the first process, and before that of mac80211_hwsim, whose radios take
their rate control then: folders are linked in the order in which Linux's Makefiles name them.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from functools import cached_property
from pathlib import Path
from typing import Protocol

from lab.builders.kernel.series import Tested
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


class Changed(Protocol):
    """What is built: the changes of Linux, and the configuration. Series, EditedTree and WithModules are such."""

    @property
    def fragments(self) -> list[Path]:
        """The Kconfig fragments in order."""

    @property
    def names(self) -> list[str]:
        """The names of the parts."""

    @property
    def tested(self) -> Tested:
        """What the whole test suite last passed with."""

    def sha256(self) -> str:
        """A hash of all of it."""

    def changes(self, plain: Plain, scratch: Path, version: str, log: BuildLog) -> Changes:
        """The content of each file that differs from Linux: see Series.changes."""


class WithModules:
    """Other changes, and modules in addition."""

    def __init__(self, changed: Changed, modules: Mapping[str, Path]) -> None:
        """``modules``: folders by name."""
        self._changed = changed
        self._modules = modules

    @property
    def fragments(self) -> list[Path]:
        """The Kconfig fragments in order."""
        return self._changed.fragments

    @property
    def names(self) -> list[str]:
        """The names of the parts."""
        return self._changed.names

    @property
    def tested(self) -> Tested:
        """What the whole test suite last passed with."""
        return self._changed.tested

    @cached_property
    def _contents(self) -> dict[Path, bytes]:
        """Files of all modules, by path in the kernel's source, as they are when first asked for."""
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
        """A hash of the other changes, and of names and content of the modules' files."""
        digest = hashlib.sha256(f"modules of drivers\0{self._changed.sha256()}\0".encode())
        for path, content in self._contents.items():
            digest.update(f"{path}\0{len(content)}\0".encode())
            digest.update(content)
        return digest.hexdigest()

    def changes(self, plain: Plain, scratch: Path, version: str, log: BuildLog) -> Changes:
        """The content of each file that differs from Linux."""
        changes = self._changed.changes(plain, scratch, version, log)
        parent = changes.get(_PARENT) or plain(_PARENT) or b""
        return {**changes, **self._contents, _PARENT: f"obj-y += {PLACE.name}/\n".encode() + parent}
