# SPDX-License-Identifier: MIT
"""The number of spatial streams, which share the power of a frame."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Any

from pydantic import Field

from lab.model import rates
from lab.model.cell import Cell
from lab.model.radio_setting import RadioSetting
from lab.shared.types import Radio


class Streams(RadioSetting):
    """How many it sends and receives."""

    about = (
        "Number of spatial streams in mode n, 1 to 4: eight MCS each, so MCS 0 to 15 with two. They share the power of "
        "a frame: MCS 8 needs 3 dB more than MCS 0. Needs a medium:."
    )
    type = Annotated[int, Field(ge=1, le=4, strict=True)]
    default = rates.DEFAULT_STREAMS
    perfect = "has no rates"

    def show(self, value: int) -> str:
        return "1 spatial stream" if value == 1 else f"{value} spatial streams"

    def complaints(self, value: int, radio: Radio, cells: list[Cell]) -> Iterator[tuple[str]]:
        """Report a radio that has no MCS."""
        modes = [radio.mode] if radio.alone else [cell.mode for cell in cells]
        if radio.without_ht or radio.dsss_only or "n" not in modes:
            yield ("only mode n has spatial streams; write mode: n, or remove this",)

    def attributes(self, value: int, radio: Radio, values: list[int]) -> dict[str, Any]:
        """Return the number, unless it is that of every radio."""
        return {} if value == self.default else {"streams": value}
