# SPDX-License-Identifier: MIT
"""Reception of data frames with a wrong FCS."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from lab.model.base import Flag
from lab.model.cell import Cell
from lab.model.radio_setting import RadioSetting
from lab.shared.types import Radio


def unreadable(radio: Radio) -> str | None:
    """Return why damaged frames of a radio's network are useless; None if they are useful."""
    if radio.encrypt in (None, "open"):
        return None
    return (
        f"{radio.ssid} is encrypted ({radio.encrypt}): one wrong bit makes a frame's integrity check fail, so damaged "
        "frames cannot be decrypted; write encrypt: open, or remove this"
    )


class Approximate(RadioSetting):
    """Whether it receives them."""

    about = (
        "Whether it accepts data frames with a wrong FCS, including their errors: IP and UDP-Lite still check what "
        "their checksums cover. Needs a medium: and an open network. Independently of this key, a UDP-Lite datagram "
        "with partial checksum coverage is sent only once, unless its sender has approximate_retries:."
    )
    type = Flag
    default = False
    perfect = "damages no frames"

    def show(self, value: bool) -> str:
        return "takes damaged frames"

    def complaints(self, value: bool, radio: Radio, cells: list[Cell]) -> Iterator[tuple[str]]:
        if (why := unreadable(radio)) is not None:
            yield (why,)

    def attributes(self, value: bool, radio: Radio, values: list[bool]) -> dict[str, Any]:
        return {"approx": 1} if value else {}
