# SPDX-License-Identifier: MIT
"""Retries of frames with partial checksum coverage."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from lab.model.base import Flag
from lab.model.cell import Cell
from lab.model.radio_setting import RadioSetting
from lab.shared.types import Radio


class ApproximateRetries(RadioSetting):
    """Whether it repeats them."""

    about = (
        "Whether it repeats frames with partial checksum coverage, such as those of UDP-Lite, until one arrives "
        "without errors, as it repeats all others, instead of sending them only once. A receiver with approximate: "
        "passes on every damaged copy, so programs may get several copies of a datagram. Needs a medium: and an "
        "open network."
    )
    type = Flag
    default = False
    perfect = "damages no frames"

    def show(self, value: bool) -> str:
        return "repeats approximate frames"

    def complaints(self, value: bool, radio: Radio, cells: list[Cell]) -> Iterator[tuple[str]]:
        """Report a radio that cannot see how much a checksum covers."""
        if radio.encrypt not in (None, "open"):
            yield (
                f"{radio.ssid} is encrypted ({radio.encrypt}): its radios cannot see how much a checksum covers, and "
                "repeat all frames anyway; write encrypt: open, or remove this",
            )

    def attributes(self, value: bool, radio: Radio, values: list[bool]) -> dict[str, Any]:
        return {"retry_approx": 1} if value else {}
