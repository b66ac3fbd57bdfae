# SPDX-License-Identifier: MIT
"""Kconfig fragments: the options of the lab's kernel, and the check that it has them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from lab.errors import BuildError

_SET = re.compile(r"^(?P<name>CONFIG_\w+)=(?P<value>.+)$")
_UNSET = re.compile(r"^# (?P<name>CONFIG_\w+) is not set$")


@dataclass(frozen=True)
class Option:
    """One option of a fragment; its value is ``n`` if it is off."""

    name: str
    value: str
    where: str  # file:line


def read_options(path: Path) -> list[Option]:
    """Return the options of a fragment or of a finished ``.config``.

    Raises:
        BuildError: If a line is neither an option, a comment nor empty.
    """
    options = []
    for number, line in enumerate(path.read_text().splitlines(), 1):
        where = f"{path}:{number}"
        if found := _SET.match(line):
            options.append(Option(found["name"], found["value"], where))
        elif found := _UNSET.match(line):
            options.append(Option(found["name"], "n", where))
        elif line.strip() and not line.startswith("#"):
            raise BuildError(f"{line!r} is not a valid option; write CONFIG_NAME=y", where=where)
    return options


def check_survived(wanted: list[Option], config: Path) -> None:
    """Compare the options of the fragments (later ones win) with Kconfig's result.

    Raises:
        BuildError: If options differ; with their names, and where they are set.
    """
    got = {option.name: option.value for option in read_options(config)}
    final = {option.name: option for option in wanted}
    lost = [option for option in final.values() if got.get(option.name, "n") != option.value]
    if lost:
        lines = [
            f"{option.where}  {option.name}={option.value} was not kept; the kernel has {got.get(option.name, 'n')}"
            for option in lost
        ]
        raise BuildError(
            "\n".join(lines),
            hint="a dependency is off, another option selects it, or this kernel does not have it",
        )
