# SPDX-License-Identifier: MIT
"""Ways from a file: the movements of ns-2 (setdest), and of BonnMotion."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Annotated, Literal

from pydantic import AfterValidator, Field

from lab.errors import InputError
from lab.mobility import _bonnmotion, _setdest
from lab.mobility._trace import TraceError
from lab.model.base import Text, refuse
from lab.model.mobility import Crowd, Mobility, Ways
from lab.shared.mobility_types import Waypoint

_READERS: Mapping[str, Callable[[str], dict[int, list[Waypoint]]]] = {
    ".tcl": _setdest.read,
    ".movements": _bonnmotion.read,
    ".movements.gz": _bonnmotion.read,
}


def _suffix(name: str) -> str:
    found = next((suffix for suffix in _READERS if name.endswith(suffix)), None)
    if found is None:
        refuse(
            f'"{name}" is neither a movement file of ns-2 (setdest), which ends in .tcl, nor one of BonnMotion, '
            "which ends in .movements or .movements.gz"
        )
    return name


class Trace(Mobility):
    """Nodes follow a trace."""

    model: Literal["Trace"] = Field(
        description="Trace: they follow a file, the first node the trace's node 0, and so on."
    )
    file: Annotated[Text, AfterValidator(_suffix)] = Field(
        description="A movement file of ns-2 (setdest, .tcl) or BonnMotion (.movements, .movements.gz), as a path "
        "relative to the topology."
    )

    def files(self) -> list[str]:
        return [self.file]

    def ways(self, crowd: Crowd) -> Ways:
        """Yield the ways of the trace's nodes, in their order."""
        read = next(read for suffix, read in _READERS.items() if self.file.endswith(suffix))
        label = crowd.label(self.file)
        try:
            found = read(crowd.text(self.file))
        except TraceError as error:
            crowd.fail(InputError(error.message, where=f"{label}:{error.line}"))
            return
        for number, name in enumerate(crowd.names):
            if number not in found:
                crowd.refuse(
                    f"{name} would be node {number} of {label}, which has no such node; it has {_numbers(found)}",
                    "nodes",
                )
                return
            if crowd.given(name) is not None:
                crowd.refuse_position(name, f"{name} begins where its trace begins; remove this")
            yield name, found[number]


def _numbers(found: Mapping[int, object]) -> str:
    numbers = sorted(found)
    return ", ".join(map(str, numbers)) if len(numbers) <= 4 else f"{numbers[0]} to {numbers[-1]}"
