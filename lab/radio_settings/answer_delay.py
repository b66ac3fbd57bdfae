# SPDX-License-Identifier: MIT
"""Link-layer ACKs that are later than SIFS; all other radios wait longer for them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Any

from lab import units
from lab.model.base import Quantity
from lab.model.cell import Cell
from lab.model.radio_setting import RadioSetting
from lab.shared.types import Radio

_US = 1_000


class AnswerDelay(RadioSetting):
    """How much later."""

    about = (
        "How much later than SIFS its ACK and BlockAck frames are, in steps of 1 us. All other radios wait longer for "
        "answers, by the greatest such delay of the medium. Needs a medium:."
    )
    type = Annotated[int, Quantity(units.DURATION, most=1_000 * _US, least=0)]
    default = 0
    perfect = "has no ACK frames"

    def show(self, value: int) -> str:
        return f"ACKs {value // _US} us late"

    def complaints(self, value: int, radio: Radio, cells: list[Cell]) -> Iterator[tuple[str]]:
        """Report a part of a microsecond, which the kernel does not take."""
        if value % _US:
            least_us = value // _US
            yield (
                f"{units.DURATION.format(value)} is not a whole number of us; write {least_us} us or {least_us + 1} us",
            )

    def attributes(self, value: int, radio: Radio, values: list[int]) -> dict[str, Any]:
        """Return by how much its answers are late, and those of others."""
        others = list(values)
        others.remove(value)
        given = {"answer_delay_us": value // _US, "answer_wait_us": max(others, default=0) // _US}
        return {name: number for name, number in given.items() if number}
