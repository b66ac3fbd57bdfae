# SPDX-License-Identifier: MIT
"""TCP ACKs that go with link-layer ACKs (TCP/HACK)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from lab.model.cell import Cell
from lab.model.radio_setting import RadioSetting
from lab.shared.types import Radio

from . import _hack as hack


class HackSetting(RadioSetting):
    """Which TCP ACKs do."""

    about = (
        "Whether TCP ACKs are compressed with ACK and BlockAck frames (TCP/HACK): more-data, opportunistic, timer, "
        "off, or {mode: …} with the keys of hack. Both ends need it, a medium:, and an open network. Default: off."
    )
    type = hack.AnyHack | None
    perfect = "has no ACK frames"
    part = hack.PART

    def show(self, value: Mapping[str, int]) -> str:
        """Return how a radio uses it; its times where they differ from the default."""
        mode = hack.MODES[value["mode"]]
        usual = hack.numbers(hack.of(mode))
        times = [key for key in ("turnaround_us", "timer_us") if value[key] != usual[key]]
        words = [mode, *(f"{key.removesuffix('_us')} {value[key]} us" for key in times)]
        words += ["in the clear"] if value["in_clear"] else []
        return f"TCP/HACK ({', '.join(words)})"

    def resolve(self, written: Any) -> dict[str, int] | None:
        """Return the numbers of the kernel; None: off."""
        found = hack.of(written)
        return hack.numbers(found) if found else None

    def complaints(self, value: Mapping[str, int], radio: Radio, cells: list[Cell]) -> Iterator[tuple[str, ...]]:
        """Report a radio whose TCP ACKs cannot go with answers, or would be sent in the clear."""
        if radio.encrypt not in (None, "open") and not value["in_clear"]:
            mode = hack.MODES[value["mode"]]
            yield (
                f"{radio.ssid} is encrypted ({radio.encrypt}), and TCP ACKs in ACK frames would be sent in the clear",
                f"remove hack:, write encrypt: open, or allow it by hack: {{mode: {mode}, in_clear: true}}",
            )
        if radio.channel is None and cells and all(cell.settings.get("hack") is None for cell in cells):
            yield (
                f"has no effect, since no access point of {radio.ssid} has hack:, and both ends need it",
                "write hack: there as well, or remove this",
            )

    def attributes(self, value: Mapping[str, int] | None, radio: Radio, values: list[Any]) -> dict[str, int]:
        if value is None:
            return {}
        given = {
            "more_data": 1,
            "hack": value["mode"],
            "hack_turnaround_us": value["turnaround_us"],
            "hack_timer_us": value["timer_us"],
        }
        return {**given, "hack_in_clear": 1} if value["in_clear"] else given
